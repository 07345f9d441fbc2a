"""The draw among the best at every setting: exact probabilities, and the scheduler's own draws agree with them."""

import random
from collections import Counter
from fractions import Fraction
from math import sqrt
from xml.etree import ElementTree

import numpy as np
import pytest

from kschedlab.score.stage import select_host
from kschedlab.text.words import count
from kschedlab_lab.panels.base import View, drawn as drawn_for
from kschedlab_lab.panels.select_host import (
    FAIR,
    HALF,
    LISTS,
    MOST,
    Settings,
    drawn,
    first_stays,
    names,
    panel,
    show,
    walk,
)
from kschedlab_lab.views.svg import Room
from tests.saying import says

DRAWS, SEED = 10_000, 1


def best(scores: tuple[int, ...]) -> list[str]:
    """The nodes with the highest score, in the list's order."""
    return [name for name, score in zip(names(scores), scores, strict=True) if score == max(scores)]


def picture(view: View, room: Room | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(str(drawn_for(view.picture, room or Room())))


def keyed(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {key: each for each in root.iter() if (key := each.get("data-key"))}


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_every_setting(scores: tuple[int, ...]) -> None:
    likely, rng = walk(scores)[-1].likely, random.Random(SEED)
    assert list(likely) == best(scores) and sum(likely.values()) == 1
    places = np.array([names(scores).index(name) for name in likely])
    counts = Counter(names(scores)[select_host(places, rng)] for _ in range(DRAWS))
    for name, chance in likely.items():
        spread = sqrt(DRAWS * chance * (1 - chance))
        assert abs(counts[name] - DRAWS * chance) <= 4.5 * spread
    view = show(Settings(scores))
    assert picture(view).get("aria-label") == view.sentence
    assert view.sentence == f"Each of the {len(likely)} best nodes is drawn with probability 1/{len(likely)}."


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_one_in_k_is_fair_after_every_element(scores: tuple[int, ...]) -> None:
    for seen, step in enumerate(walk(scores), start=1):
        equals = best(scores[:seen])
        assert step.likely == {name: Fraction(1, len(equals)) for name in equals}


@pytest.mark.parametrize("room", [Room(400, 300), Room(800, 300), Room(980, 460)], ids=str)
@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_a_column_is_as_high_as_its_probabilities_and_the_way_brings_one_after_the_other(
    scores: tuple[int, ...], room: Room
) -> None:
    view, steps = show(Settings(scores)), walk(scores)
    shown = keyed(picture(view, room))
    for i, step in enumerate(steps):
        high = {name: float(shown[f"held/{i}/{name}/box"].get("height", "nan")) for name in step.likely}
        for name, chance in step.likely.items():
            assert high[name] / sum(high.values()) == pytest.approx(float(chance), abs=0.02)
    question, settings = first_stays(), Settings(scores)
    assert question.before is not None
    seen = [str(drawn_for(question.before(settings), room)), *question.leads(settings, room)]
    columns = [sum(key.endswith("/box") for key in keyed(ElementTree.fromstring(each))) for each in seen]
    assert len(seen) == len(scores) and columns == sorted(set(columns)), "each step brings a column"


def test_the_first_of_four_equals_stays_with_a_quarter() -> None:
    question, settings = first_stays(), panel().settings
    assert [answer for answer in question.choices if question.verdict(answer, settings)["right"]] == ["1/4"]
    assert "1/2 × 2/3 × 3/4 = 1/4" in question.verdict("1", settings)["why"]
    assert question.before is not None
    asked = keyed(ElementTree.fromstring(str(drawn_for(question.before(settings), Room()))))
    assert {key for key in asked if key.startswith("held/")} == {"held/0/node-a", "held/0/node-a/box"}


def test_the_panel_moves_through_the_same_functions() -> None:
    assert "Each of the 3 best nodes is drawn with probability 1/3." in repr(panel().move(scores=LISTS[1]))


@pytest.mark.parametrize("scores", LISTS, ids=str)
def test_with_one_half_the_last_of_the_equals_gains(scores: tuple[int, ...]) -> None:
    for held in walk(scores, HALF):
        assert sum(held.likely.values()) == 1
    *others, last = walk(scores, HALF)[-1].likely.values()
    assert last == Fraction(1, 2) and others == sorted(others)
    asked = panel(takes=HALF, scores=LISTS[0]).ask(first_stays())
    assert says(repr(asked.answer("1/8")), "Right.", "1/2 × 1/2 × 1/2 = 1/8")


@pytest.mark.parametrize("takes", [FAIR, HALF])
def test_each_draw_is_kept_and_counted(takes: str) -> None:
    settings = Settings(LISTS[0], takes)
    for number in (1, 2, 9):
        root = picture(show(settings.changed(draws=number)))
        shown = "".join(root.itertext())
        done = drawn(LISTS[0], takes, number)
        assert len(done) == number and done == drawn(LISTS[0], takes, 9)[:number]
        assert says(
            show(settings.changed(draws=number)).sentence, f"{count(number, 'draw')} so far, the last one: {done[-1]}."
        )
        assert f"★ {done[-1]}" in shown and shown.count("★") == 1
        assert all(f"drawn {done.count(name)} of {len(done)}" in shown for name in names(LISTS[0]))


def test_another_list_or_rule_begins_without_draws() -> None:
    settings = Settings(draws=7)
    assert settings.at({"draws": 8}).draws == 8
    assert settings.at({"takes": 1}).draws == settings.at({"scores": 1}).draws == 0


def test_draws_with_one_half_favour_the_last() -> None:
    done = Counter(drawn(LISTS[0], HALF, 2000))
    for name, chance in walk(LISTS[0], HALF)[-1].likely.items():
        assert abs(done[name] - 2000 * chance) <= 4.5 * sqrt(2000 * chance * (1 - chance))


@pytest.mark.parametrize(
    ("scores", "brief", "said"),
    [
        ((9, 5, 9, 9), ["k = 1", "lower", "k = 2", "k = 3"], ["highest", "has less", "k = 2", "probability 1/3"]),
        ((5, 9, 9), ["k = 1", "higher", "k = 2"], ["is held: k = 1", "is held: k = 1", "probability 1/2"]),
    ],
)
def test_each_element_says_what_happens(scores: tuple[int, ...], brief: list[str], said: list[str]) -> None:
    steps = walk(scores)
    assert [each.name for each in steps] == ["node-a", "node-b", "node-c", "node-d"][: len(scores)]
    assert [each.brief for each in steps] == brief
    for step, words in zip(steps, said, strict=True):
        assert step.what.startswith(step.name) and words in step.what


@pytest.mark.parametrize("takes", [FAIR, HALF])
def test_only_the_best_are_drawn(takes: str) -> None:
    assert {*drawn(LISTS[1], takes, 60)} == {"node-b", "node-c", "node-d"}


@pytest.mark.parametrize(
    ("draws", "sets"),
    [
        (0, {"Draw 1": 1, "Draw 20": 20}),
        (61, {"Draw 1": 62, "Draw 20": 81}),
        (MOST - 20, {"Draw 1": MOST - 19, "Draw 20": MOST}),
        (MOST - 5, {"Draw 1": MOST - 4, "Draw 5": MOST}),
        (MOST - 1, {"Draw 1": MOST}),
        (MOST, {"Start again": 0}),
    ],
)
def test_a_button_makes_more_draws_until_all_are_made(draws: int, sets: dict[str, int]) -> None:
    view = show(Settings(draws=draws))
    buttons = {each.get("aria-label"): each.get("data-set") for each in picture(view).iter() if each.get("data-set")}
    assert buttons == {text: f"draws: {then}" for text, then in sets.items()}
    assert ("so far" in view.sentence) is bool(draws)
    bold = {
        key
        for key, each in keyed(picture(view)).items()
        if key.startswith("card/") and each.get("stroke-width") == "2.5"
    }
    assert len(bold) == min(draws, 1), "the last element has passed; only a drawn card is bold"


def test_the_first_of_two_equals_stays_with_one_half() -> None:
    said = first_stays().verdict("1/2", Settings(LISTS[2]))
    assert said["right"] and says(said["why"], "each time: 1/2 = 1/2")
