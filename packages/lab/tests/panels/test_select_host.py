"""The draw among the best at every setting: exact probabilities, and counts that agree with them."""

import random
from fractions import Fraction
from math import sqrt
from xml.etree import ElementTree

import numpy as np
import pytest

from kschedlab.score.stage import select_host
from kschedlab_lab.panels.base import View, drawn as drawn_for
from kschedlab_lab.panels.select_host import (
    DRAWS,
    LISTS,
    SEED,
    Settings,
    best,
    drawn,
    example,
    names,
    panel,
    show,
    walk,
)
from kschedlab_lab.views.svg import Room


def picture(view: View, room: Room | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(str(drawn_for(view.picture, room or Room())))


def keyed(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {key: each for each in root.iter() if (key := each.get("data-key"))}


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_every_setting(scores: tuple[int, ...]) -> None:
    steps, settings = walk(scores), Settings(scores)
    for step in steps:
        assert sum(step.likely.values()) == 1
    likely = {name: steps[-1].likely[name] for name in best(scores)}
    assert sum(likely.values()) == 1
    counts = drawn(settings)
    assert sum(counts.values()) == DRAWS and set(counts) == set(likely)
    for name, chance in likely.items():
        spread = sqrt(DRAWS * chance * (1 - chance))
        assert abs(counts[name] - DRAWS * chance) <= 4.5 * spread
    view = show(settings)
    assert picture(view).get("aria-label") == view.sentence
    assert view.sentence == f"Each of the {len(likely)} best nodes is drawn with probability 1/{len(likely)}."
    assert all(f"{counts[name]:,}" in str(drawn_for(view.picture, Room())) for name in likely if counts[name] > 400)


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_one_in_k_is_fair_after_every_element(scores: tuple[int, ...]) -> None:
    for seen, step in enumerate(walk(scores), start=1):
        equals = best(scores[:seen])
        assert {name: p for name, p in step.likely.items() if p} == {n: Fraction(1, len(equals)) for n in equals}


@pytest.mark.parametrize("room", [Room(400, 300), Room(800, 300), Room(980, 460)], ids=str)
@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_a_column_is_as_high_as_its_probabilities_and_the_story_ends_in_the_picture(
    scores: tuple[int, ...], room: Room
) -> None:
    view, steps = show(Settings(scores)), walk(scores)
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


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_the_example_is_the_first_draw(scores: tuple[int, ...]) -> None:
    held = [name for name, _ in example(Settings(scores))]
    known = names(scores)
    places = np.array([known.index(name) for name in best(scores)])
    assert known.index(held[-1]) == select_host(places, random.Random(SEED))
    assert all(held[i] in best(scores[: i + 1]) for i in range(len(scores)))


def test_the_panel_moves_through_the_same_functions() -> None:
    assert "Each of the 3 best nodes is drawn with probability 1/3." in repr(panel().move(scores=LISTS[3]))
