"""Settings as text: what is written can be read, and what can't be read is said."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab_lab.panels.settings import Restorable, choice, slider, steps, switch, typed
from packages.lab.tests.grids import each_of


@dataclass(frozen=True)
class Settings(Restorable):
    pods: int = slider("pods", range(4), 1)
    start: int = slider("started at", (480, 540), 480, lambda minutes: f"{minutes // 60:02}:{minutes % 60:02}")


def test_the_grid_is_every_combination_once() -> None:
    grid = list(each_of(Settings))
    assert len(grid) == len(set(grid)) == 8
    assert Settings(3, 540) in grid


@given(st.sampled_from(list(each_of(Settings))))
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


def test_a_value_may_be_given_as_it_is_written() -> None:
    assert Settings().changed(start="09:00", pods=2.0) == Settings(2, 540)
    assert type(Settings().changed(pods=2.0).pods) is int


WRONG = (None, "", "many", float("nan"), True, 1.5, 10**30, [1], {"pods": 1}, b"1", np.array([1, 2]), object)


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_a_value_of_a_wrong_type_is_refused_with_the_right_ones(value: object) -> None:
    with pytest.raises(ValueError, match=r'^pods: ".*" is not one of 0, 1, 2, 3$'):
        Settings().changed(pods=value)


@pytest.mark.parametrize("text", [None, 7, ["pods: 1"], Settings()])
def test_settings_are_restored_from_text_alone(text: Any) -> None:
    with pytest.raises(ValueError, match='expected settings as text, such as "pods: 1, start: 08:00", got '):
        Settings.parse(text)


@dataclass(frozen=True)
class Walk(Restorable):
    step: int = steps("step", lambda settings: settings.pods if settings.more else 0)
    pods: int = slider("pods", range(3), 2)
    more: bool = switch("more", True)
    order: str = choice("order", ("by age", "by name"), "by age")
    fixed: int = steps("fixed", 1)


def test_the_grid_has_all_steps_of_each_setting() -> None:
    grid = list(each_of(Walk))
    assert len(grid) == len(set(grid)) == 2 * 2 * ((1 + 2 + 3) + 3)
    assert {each.step for each in grid if each.pods == 1 and each.more} == {0, 1}


@given(st.sampled_from(list(each_of(Walk))))
def test_text_restores_every_kind_of_setting(settings: Walk) -> None:
    assert Walk.parse(str(settings)) == settings
    assert Walk().changed(**vars(settings)) == settings


def test_every_kind_of_setting_is_written_plainly() -> None:
    assert str(Walk()) == "step: 0, pods: 2, more: on, order: by age, fixed: 0"


def test_a_step_that_there_is_not_is_an_error_but_other_changes_take_it_along() -> None:
    with pytest.raises(ValueError, match='step: "3" is not one of the steps 0 to 2'):
        Walk().changed(step=3)
    with pytest.raises(ValueError, match='step: "3" is not one of the steps 0 to 2'):
        Walk.parse("step: 3")
    assert Walk().changed(step=2).changed(pods=1) == Walk(step=1, pods=1)
    assert Walk(step=2, more=False).clamped() == Walk(more=False)


def test_an_index_beyond_the_values_is_an_error_and_beyond_the_steps_the_last_step() -> None:
    assert Walk().at({"pods": 0, "order": 1, "step": 0}) == Walk(pods=0, order="by name")
    assert Walk().at({"step": 2}) == Walk().at({"step": 9}) == Walk(step=2)
    for index in (-1, 3):
        with pytest.raises(ValueError, match=f"pods: there is no value number {index}"):
            Walk().at({"pods": index})


def test_a_value_that_is_refused_has_its_unit_if_it_is_of_the_right_type() -> None:
    for value, shown in ((500, "08:20"), (True, "True"), ([1], r"\[1\]")):
        with pytest.raises(ValueError, match=f'^start: "{shown}" is not one of 08:00, 09:00$'):
            Settings().changed(start=value)


def known(text: str) -> str:
    found = [each for each in ("node-a", "node-b") if text in each]
    if not found:
        raise ValueError(f'no node "{text}"')
    return found[0]


@dataclass(frozen=True)
class Typed(Restorable):
    node: str = typed("node", "node-a", ("node-a", "node-b"), known)
    on: bool = switch("on")


def test_typed_text_means_a_value_and_is_its_own_index() -> None:
    settings = Typed.parse("node: b, on: on")
    assert (settings.node, str(settings), settings.indices()) == (
        "node-b",
        "node: node-b, on: on",
        {"node": "node-b", "on": 1},
    )
    assert Typed().at({"node": "b", "on": 0}) == Typed("node-b") == Typed().changed(node="b")
    for ask in (Typed().changed, lambda node: Typed().at({"node": node})):
        with pytest.raises(ValueError, match='no node "c"'):
            ask(node="c")
        with pytest.raises(ValueError, match="a comma, which separates settings"):
            ask(node="a, on: off")
    with pytest.raises(ValueError, match="node: expected text, got nan"):
        Typed().changed(node=float("nan"))


def test_what_could_not_be_read_back_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="can't be read back"):
        choice("names", ("a, b", "c"), "c")
    with pytest.raises(ValueError, match="can't be read back"):
        slider("sizes", (1, 2), 1, lambda value: "same")
    with pytest.raises(ValueError, match="the default 9 is not one of its values"):
        slider("sizes", (1, 2), 9)
