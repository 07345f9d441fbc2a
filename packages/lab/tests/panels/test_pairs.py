"""Pairs of runs: the interval, the verdict, and the picture over the whole grid."""

from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

from kschedlab_lab.panels.pairs import SAMPLE, Compared, how_many, is_it_real, panel
from kschedlab_lab.views.pairs import Pairs
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(640, 400)


def keys(picture):
    return {each.get("data-key") for each in ElementTree.fromstring(str(picture)).iter()} - {None}


def test_every_setting_has_a_picture_with_a_dot_for_each_run():
    for settings in Compared(SAMPLE).settings.grid():
        view = panel(**vars(settings)).view
        found = keys(view.picture(ROOM))
        dots = {f"{letter}/{seed}" for letter in "ab" for seed in range(1, settings.seeds + 1)}
        lines = {f"line/{seed}" for seed in range(1, settings.seeds + 1)}
        assert dots <= found and (lines <= found) == settings.joined
        assert not any(key == f"a/{settings.seeds + 1}" for key in found)


def test_pairs_take_the_seeds_luck_away():
    joined, apart = panel(), panel(joined=False)
    assert says(joined.view.sentence, "real", "+3.6", "8 of 8")
    assert says(apart.view.sentence, "chance", "+3.6")


def test_a_planted_difference_is_found_and_chance_is_not():
    """Of 100 experiments with 20 seeds, few without a difference are called real; most with one are."""
    rng = np.random.default_rng(4)
    called = {0: 0, 4: 0}
    for shift, _ in product(called, range(100)):
        luck = rng.normal(70, 10, 20)
        called[shift] += Pairs(luck + rng.normal(0, 3, 20), luck + shift + rng.normal(0, 3, 20)).real
    assert called[0] <= 13 and called[4] >= 95


def test_few_differences_of_one_sign_are_no_verdict():
    numbers = {"a": [1.0] * 20, "b": [2.0] * 5 + [1.0] * 15}
    assert says(panel(numbers).view.sentence, "6 seeds", "5 of 20")
    assert panel({"a": [1.0] * 20, "b": [2.0] * 6 + [1.0] * 14}).view.sentence.startswith("The difference is real")


def test_equal_policies_have_no_difference():
    assert says(panel(a="packing").view.sentence, "same policy")


def test_questions():
    asked, settings = how_many(b="lucky"), panel(b="lucky").settings
    assert says(asked.text, "lucky", "higher than `default`")
    before = keys(asked.before(settings)(ROOM))
    assert {"a/1", "b/8", "line/1"} <= before and "interval" not in before
    assert asked.right(settings) == "4" and says(asked.why(settings, "3"), "4 of 8", "lower for 4")
    assert is_it_real(joined=False).text != is_it_real().text
    asked = is_it_real()
    assert [asked.right(panel(b=name).settings) for name in ("packing", "lucky")] == list(asked.choices)
    assert "interval" not in keys(asked.before(panel().settings)(ROOM))
    assert "contains 0" in asked.why(panel(b="lucky").settings, "")


@pytest.mark.parametrize("width", [312, 640])
def test_names_stay_whole_in_a_narrow_room(width):
    numbers = dict(zip(("default", "packing", "balanced"), SAMPLE.values(), strict=True))
    assert "…" not in str(panel(numbers, b="balanced").view.picture(Room(width, 500)))


@pytest.mark.parametrize("numbers", [{}, {"a": [1, 2]}, {"a": [1, 2], "b": [1]}, {"a": [], "b": []}])
def test_numbers_without_pairs_are_refused(numbers):
    with pytest.raises(ValueError, match="two policies"):
        panel(numbers)
