"""The draw among the best at every setting: exact probabilities, and counts that agree with them."""

import random
from fractions import Fraction
from math import sqrt
from xml.etree import ElementTree

import numpy as np
import pytest

from kschedlab_lab.panels.base import View, drawn as drawn_for
from kschedlab_lab.panels.select_host import (
    CHANCES,
    DRAWS,
    FAIR,
    LISTS,
    Settings,
    best,
    draw,
    drawn,
    example,
    names,
    panel,
    show,
    walk,
)
from kschedlab_lab.views.svg import Room

RULES = list(CHANCES)


def picture(view: View, room: Room | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(str(drawn_for(view.picture, room or Room())))


def keyed(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {key: each for each in root.iter() if (key := each.get("data-key"))}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_every_setting(scores: tuple[int, ...], rule: str) -> None:
    steps = walk(scores, CHANCES[rule])
    for step in steps:
        assert sum(step.likely.values()) == 1
    likely = {name: steps[-1].likely[name] for name in best(scores)}
    assert sum(likely.values()) == 1
    for seed in Settings.controls()["seed"].values:
        settings = Settings(scores, rule, seed)
        counts = drawn(settings)
        assert sum(counts.values()) == DRAWS and set(counts) == set(likely)
        for name, chance in likely.items():
            spread = sqrt(DRAWS * chance * (1 - chance))
            assert abs(counts[name] - DRAWS * chance) <= 4.5 * spread
    view = show(settings)
    assert picture(view).get("aria-label") == view.sentence
    first, *others = likely.values()
    unfair = "" if {*others} <= {first} else "The first one gains." if first > max(others) else "The last one gains."
    assert view.sentence.startswith(unfair or "Each of the") and bool(unfair) == ("not fair" in view.sentence)
    assert all(f"{counts[name]:,}" in str(drawn_for(view.picture, Room())) for name in likely if counts[name] > 400)


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_one_in_k_is_fair_after_every_element(scores: tuple[int, ...]) -> None:
    for seen, step in enumerate(walk(scores, CHANCES[FAIR]), start=1):
        equals = best(scores[:seen])
        assert {name: p for name, p in step.likely.items() if p} == {n: Fraction(1, len(equals)) for n in equals}


def test_the_broken_rules_prefer_an_end_of_the_list() -> None:
    def ends(rule: str) -> list[Fraction]:
        return list(walk((9, 9, 9, 9), CHANCES[rule])[-1].likely.values())

    assert ends("1/2") == [Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)]
    assert ends("1/(k+1)") == [Fraction(2, 5), *[Fraction(1, 5)] * 3]


@pytest.mark.parametrize("room", [Room(400, 300), Room(800, 300), Room(980, 460)], ids=str)
@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_a_column_is_as_high_as_its_probabilities_and_the_story_ends_in_the_picture(
    scores: tuple[int, ...], room: Room
) -> None:
    settings = Settings(scores, "1/2")
    view, steps = show(settings), walk(scores, CHANCES["1/2"])
    shown = keyed(picture(view, room))
    for i, step in enumerate(steps):
        high = {name: float(shown[f"held/{i}/{name}/box"].get("height", "nan")) for name, p in step.likely.items() if p}
        for name, chance in step.likely.items():
            assert not chance or high[name] / sum(high.values()) == pytest.approx(float(chance), abs=0.02)
    bands = [key.split("/")[1:] for key in shown if key.startswith("band/")]
    assert bands == sorted(bands), "always in the same order"
    assert view.story is not None
    frames = view.story(room)
    assert len(frames) == len(scores) + 1 and frames[-1].picture == drawn_for(view.picture, room)
    columns = [sum(key.startswith("held/") for key in keyed(ElementTree.fromstring(str(f.picture)))) for f in frames]
    assert columns == sorted(columns)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_the_example_is_the_first_draw(scores: tuple[int, ...], rule: str) -> None:
    for seed in range(1, 6):
        held = [name for name, _ in example(Settings(scores, rule, seed))]
        known = names(scores)
        places = np.array([known.index(name) for name in best(scores)])
        assert known.index(held[-1]) == draw(places, rule, random.Random(seed))
        assert all(held[i] in best(scores[: i + 1]) for i in range(len(scores)))


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel().move(rule="1/2", scores=LISTS[3])
    assert "node-a 1/4, node-c 1/4, node-e 1/2" in repr(moved)
