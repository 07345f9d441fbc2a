"""Settings as text: what is written can be read, and what can't be read is said."""

from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from kschedlab.panels.settings import Restorable, slider


@dataclass(frozen=True)
class Settings(Restorable):
    pods: int = slider("pods", range(4), 1)
    start: int = slider("started at", (480, 540), 480, lambda minutes: f"{minutes // 60:02}:{minutes % 60:02}")


def test_the_grid_is_every_combination_once() -> None:
    grid = list(Settings.grid())
    assert len(grid) == len(set(grid)) == 8
    assert Settings(3, 540) in grid


@given(st.sampled_from(list(Settings.grid())))
def test_text_restores_settings(settings: Settings) -> None:
    assert Settings.parse(str(settings)) == settings


def test_settings_are_written_with_their_units() -> None:
    assert str(Settings()) == "pods: 1, start: 08:00"
    assert Settings.parse("start: 09:00") == Settings(start=540)
    assert Settings.parse("  ") == Settings()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("pod: 1", '"pod" is not a setting; there are pods, start'),
        ("pods: 9", 'pods: "9" is not one of 0, 1, 2, 3'),
        ("start: 08:30", 'start: "08:30" is not one of 08:00, 09:00'),
        ("pods", 'pods: "" is not one of 0, 1, 2, 3'),
        ("__class__: 1", '"__class__" is not a setting; there are pods, start'),
    ],
)
def test_wrong_text_is_told_what_would_be_right(text: str, error: str) -> None:
    with pytest.raises(ValueError) as caught:
        Settings.parse(text)
    assert str(caught.value) == error


def test_changes_go_where_a_slider_can_stand() -> None:
    assert Settings().changed(pods=3) == Settings(pods=3)
    with pytest.raises(ValueError, match='pods: "7" is not one of 0, 1, 2, 3'):
        Settings().changed(pods=7)
    with pytest.raises(ValueError, match='"cats" is not a setting'):
        Settings().changed(cats=1)
