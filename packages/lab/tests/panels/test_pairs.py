"""Pairs of runs: the interval, the verdict, and the picture over the whole grid."""

import re
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

from kschedlab_lab.panels.pairs import (
    Compared,
    do_the_same,
    is_it_chance,
    is_it_inside,
    panel,
)
from kschedlab_lab.views.pairs import Pairs
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of
from packages.lab.tests.panels.policies import NUMBERS
from tests.saying import says

ROOM = Room(640, 400)


def keys(picture):
    return {each.get("data-key") for each in ElementTree.fromstring(str(picture)).iter()} - {None}


def test_every_setting_has_a_picture_with_a_dot_for_each_run():
    for settings in each_of(Compared(NUMBERS, joinable=True).settings):
        view = panel(NUMBERS, **vars(settings)).view
        found = keys(view.picture(ROOM))
        dots = {f"{letter}/{seed}" for letter in "ab" for seed in range(1, settings.seeds + 1)}
        lines = {f"line/{seed}" for seed in range(1, settings.seeds + 1)}
        assert dots <= found and (lines <= found) == settings.joined
        assert not any(key == f"a/{settings.seeds + 1}" for key in found)


def test_dots_of_a_pair_tell_both_numbers_and_others_their_own():
    for joined in (True, False):
        picture = ElementTree.fromstring(str(panel(NUMBERS, joined=joined).view.picture(ROOM)))
        tips = {each.get("data-key"): each.get("data-tip", "") for each in picture.iter()}
        if joined:
            assert tips["a/1"] == tips["b/1"] and says(tips["a/1"], "seed 1", "62.5", "66.0", "+3.5")
        else:
            assert (tips["a/1"], tips["b/1"]) == ("62.5", "66.0")


def test_pairs_take_the_seeds_luck_away():
    joined, apart = panel(NUMBERS), panel(NUMBERS, joined=False)
    assert says(joined.view.sentence, "Hard to explain by chance", "+3.6", "8 of 8")
    assert says(apart.view.sentence, "chance", "+3.6")


def test_a_planted_difference_is_found_and_chance_is_not():
    """Of 100 experiments with 20 seeds, few without a difference are called real; most with one are."""
    rng = np.random.default_rng(4)
    called = {0: 0, 4: 0}
    for shift, _ in product(called, range(100)):
        luck = rng.normal(70, 10, 20)
        called[shift] += Pairs(luck + rng.normal(0, 3, 20), luck + shift + rng.normal(0, 3, 20), joined=True).real
    assert called[0] <= 13 and called[4] >= 95


def test_few_differences_of_one_sign_are_no_verdict():
    numbers = {"a": [1.0] * 20, "b": [2.0] * 5 + [1.0] * 15}
    assert says(panel(numbers).view.sentence, "6 seeds", "5 of 20")
    assert panel({"a": [1.0] * 20, "b": [2.0] * 6 + [1.0] * 14}).view.sentence.startswith("Hard to explain by chance")


def test_equal_numbers_are_no_difference():
    assert says(panel({"a": [1.0] * 8, "b": [1.0] * 8}).view.sentence, "Too few to tell", "b − a: 0 on average")


def test_the_only_seed_that_speaks_against_the_mean_is_named():
    def named(*b: float) -> set[str]:
        drawn = keys(panel({"a": [1.0] * len(b), "b": list(b)}).view.picture(ROOM))
        return {key for key in drawn if key and key.startswith("named/")}

    assert named(2, 2, 0.5, 3) == {"named/3"}
    assert named(2, 0.5, 0.5, 3) == named(2, 2, 1, 3) == named(1, 1) == set()


def test_questions():
    asked, settings = do_the_same(NUMBERS, 1, policy="lucky"), panel(NUMBERS, policy="lucky").settings
    assert says(asked.text, "seed 1", "lucky", "1.5 points", "default", "other 7")
    before = keys(asked.before(settings)(ROOM))
    assert {"a/1", "b/1", "line/1", "named/1"} <= before and not {"a/2", "line/2", "interval"} & before
    assert asked.right(settings) == "about half" and says(asked.why(settings, "few"), "3 of 7")
    best = do_the_same(NUMBERS, hero=7)
    assert best.right(panel(NUMBERS).settings) == "nearly all"
    assert says(best.why(panel(NUMBERS).settings, "few"), "7 of 7", "Seed 7", "best of all 8")
    assert is_it_chance(NUMBERS, joined=False).text != is_it_chance(NUMBERS).text
    asked = is_it_chance(NUMBERS)
    assert [asked.right(panel(NUMBERS, policy=name).settings) for name in ("packing", "lucky")] == list(asked.choices)
    before = keys(asked.before(panel(NUMBERS).settings)(ROOM))
    assert {"a/8", "seed/8"} <= before and "interval" not in before
    assert "contains 0" in asked.why(panel(NUMBERS, policy="lucky").settings, "")


def test_a_difference_that_others_report_is_inside_the_bar_or_outside():
    settings = panel(NUMBERS).settings
    assert [is_it_inside(NUMBERS, each).right(settings) for each in (3.6, 9)] == ["inside", "outside"]
    assert says(is_it_inside(NUMBERS, 9).text, "+9.0")


def test_a_difference_that_others_report_is_a_line_across_the_differences():
    shown = panel(NUMBERS, reported={"packing": 2.5}, policy="packing")
    line = str(shown.view.picture(ROOM))
    assert "the paper: +2.5" in line and "the paper" not in str(shown.move(policy="lucky").view.picture(ROOM))
    asked = shown.ask(is_it_inside(NUMBERS, 2.5))
    before = asked.state(asked.settings, ROOM)["picture"]
    assert "the paper: +2.5" in before and "interval" not in before, "the bar is still to be guessed"


def test_without_the_hill_the_seeds_are_counted():
    shown = panel(NUMBERS, hill=False)
    assert says(shown.view.sentence, "packing is higher for 8 of 8", "+3.6 on average")
    found = keys(shown.view.picture(ROOM))
    assert "seed/8" in found and not {"interval", "difference", "seeds/grip"} & found


def test_one_can_forget_the_seeds_only_where_they_are_named():
    with_switch = str(panel(NUMBERS, joined=True).view.picture(ROOM))
    assert "joined: off" in with_switch and "joined" not in str(panel(NUMBERS).view.picture(ROOM))


def test_a_click_on_the_track_sets_the_number_of_seeds():
    picture = ElementTree.fromstring(str(panel(NUMBERS).view.picture(ROOM)))
    clicks = {each.get("data-set"): float(each.get("x", 0)) for each in picture.iter() if each.get("role") == "none"}
    assert [*clicks] == [f"seeds: {number}" for number in range(1, 9)]
    assert [*clicks.values()] == sorted(clicks.values())


def test_the_story_builds_the_hill_and_ends_at_the_picture():
    view = panel(NUMBERS, policy="lucky", hero=1).view
    frames = view.story(ROOM)
    assert says(frames[0].caption, "8 of the 8 differences", "one grain")
    assert frames[-1].picture == view.picture(ROOM)
    drawn = Pairs(*(np.array(NUMBERS[name]) for name in ("default", "lucky")), joined=True).lots[0, 0].tolist()
    assert str(frames[0].picture).count('<g opacity="0.2">') == sum(seed not in drawn for seed in range(8)) > 0
    piled = [sum(each.startswith("grain/") for each in keys(frame.picture)) for frame in frames]
    assert piled == [1, 80, 0] and "interval" in keys(frames[-1].picture) - keys(frames[-2].picture)
    assert panel(NUMBERS, joined=False).view.story is None


def test_no_dot_hides_another():
    numbers = {"a": [70.0] * 9 + [90.0], "b": [70.0] * 5 + [80.0] * 5}
    drawn = ElementTree.fromstring(str(panel(numbers).view.picture(ROOM))).iter()
    places = [each.get("transform") for each in drawn if re.fullmatch(r"(a|b|seed)/\d+", each.get("data-key") or "")]
    assert len(places) == len(set(places)) == 30


@pytest.mark.parametrize("width", [312, 640])
def test_names_stay_whole_in_a_narrow_room(width):
    numbers = dict(zip(("default", "packing", "balanced"), NUMBERS.values(), strict=True))
    assert "…" not in str(panel(numbers, policy="balanced").view.picture(Room(width, 500)))


@pytest.mark.parametrize("numbers", [{}, {"a": [1, 2]}, {"a": [1, 2], "b": [1]}, {"a": [], "b": []}])
def test_numbers_without_pairs_are_refused(numbers):
    with pytest.raises(ValueError, match="two policies"):
        panel(numbers)
