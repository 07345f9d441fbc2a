"""The score map with an extender, at every setting."""

import re
from collections.abc import Iterator

import pytest

from kschedlab_lab.panels import score, score_extender as lesson
from kschedlab_lab.panels.base import drawn
from kschedlab_lab.panels.score_cluster import NODES, Cause
from kschedlab_lab.panels.score_extender import EXTENDERS, NAME, OFF, REFUSES, SCORES, Settings
from kschedlab_lab.views.score import STAGES, SUM, number, total
from kschedlab_lab.views.svg import Room


def grid() -> Iterator[Settings]:
    for cause in Cause.grid():
        for extender in EXTENDERS:
            yield Settings(**vars(cause), extender=extender)


@pytest.mark.parametrize("settings", list(grid()), ids=str)
def test_every_setting(settings: Settings) -> None:
    decision, view = lesson.decide(settings), lesson.show(settings)
    plain = score.decide(settings)
    assert drawn(view.picture, Room(640, 330)) and drawn(view.picture, Room(400, 300))
    if settings.extender == OFF:
        assert decision.node == plain.node and not decision.calls and NAME not in view.text
    if settings.extender == REFUSES:
        assert "node-c" not in decision.names and decision.node != "node-c"
    if settings.extender == SCORES and decision.scores is not None:
        for node in NODES:
            points = number(decision, "weighted", NAME, node)
            before = total(plain, node)
            assert before is not None and points == (10 if node == "node-a" else 0)
            assert total(decision, node) == before + points


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("node", NODES)
def test_the_arithmetic_of_the_extender(stage: str, node: str) -> None:
    view = lesson.panel(extender=SCORES, plugin=NAME, node=node, stage=stage).view
    points = int(node == "node-a")
    assert f"{points} × 10 = {points * 10}" in view.text and f"{points * 10} × 1 = {points * 10}" in view.text


def test_a_click_switches_the_extender() -> None:
    markup = str(drawn(lesson.panel().view.picture, Room()))
    assert [f'data-set="extender: {each}"' in markup for each in EXTENDERS] == [True] * 3
    assert NAME not in markup


def test_the_chips_fit_into_the_narrowest_room() -> None:
    markup = str(drawn(lesson.panel(extender=REFUSES).view.picture, Room(400, 300)))
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', markup)[1])
    chips = re.findall(r'<rect [^>]*?width="([\d.]+)"[^>]*rx="12"[^>]*/?>', markup)
    starts = re.findall(r'data-key="chip/[^"]*"[^>]*transform="translate\(([\d.]+),0\)"', markup)
    starts = starts or re.findall(r'transform="translate\(([\d.]+),0\)"[^>]*data-key="chip/', markup)
    assert len(starts) == len(EXTENDERS) and 8 + float(starts[-1]) + float(chips[-1]) <= width


def test_the_story_asks_the_extender_after_the_plugins() -> None:
    panel = lesson.panel(extender=SCORES)
    assert panel.view.story is not None
    frames = panel.view.story(Room())
    asked = [i for i, frame in enumerate(frames) if "an extender" in frame.caption]
    sums = [i for i, frame in enumerate(frames) if "adds up" in frame.caption]
    assert len(asked) == 1 and asked[0] < sums[0]
    assert frames[asked[0]].caption == (
        "prioritizeNodes asks Thermometer, an extender: 1, 0, 0, 0. Scaled and weighted, that is 10, 0, 0, 0."
    )
    assert str(frames[-1].picture) == str(drawn(panel.view.picture, Room()))


def test_the_questions() -> None:
    scores, refuses = Settings(extender=SCORES), Settings(extender=REFUSES)
    assert lesson.who_wins().right(scores) == "node-a" and lesson.who_is_left().right(refuses) == "node-a"
    assert "node-a had 451 and node-c 453" in lesson.who_wins().why(scores, "node-c")
    assert all("its 37 becomes 0" in lesson.who_is_left().why(refuses, node) for node in NODES)
    assert "not scored" in lesson.who_is_left().why(refuses, "node-c")
    for question, settings in ((lesson.who_wins(), scores), (lesson.who_is_left(), refuses)):
        assert question.before is not None
        before = str(drawn(question.before(settings), Room()))
        assert ">453<" in before and ">461<" not in before and SUM in before
