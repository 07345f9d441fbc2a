"""The score map with an extender, at every setting."""

import re

import pytest

from kschedlab_lab.panels import score_extender as lesson
from kschedlab_lab.panels.base import drawn
from kschedlab_lab.panels.score_cluster import NODES, Cause, decide
from kschedlab_lab.panels.score_extender import EXTENDERS, NAME, OFF, REFUSES, SCORES, Settings
from kschedlab_lab.views.score import STAGES, number, total
from kschedlab_lab.views.svg import Room


@pytest.mark.parametrize("extender", EXTENDERS)
def test_every_setting(extender: str) -> None:
    settings = Settings(extender=extender)
    decision, view, plain = lesson.decide(settings), lesson.show(settings), decide(Cause())
    assert drawn(view.picture, Room(640, 330)) and drawn(view.picture, Room(400, 300))
    if extender == OFF:
        assert decision.node == plain.node and not decision.calls
    if extender == REFUSES:
        assert "node-c" not in decision.names and decision.node != "node-c"
    if extender == SCORES:
        for node in NODES:
            points, before = number(decision, "weighted", NAME, node), total(plain, node)
            assert before is not None and points == (10 if node == "node-a" else 0)
            assert total(decision, node) == before + points


def test_the_map_has_one_size_whatever_the_extender_does() -> None:
    boxes = set()
    for extender in EXTENDERS:
        view = lesson.panel(extender=extender).view
        assert view.story is not None
        pictures = [drawn(view.picture, Room(540, 340)), *(frame.picture for frame in view.story(Room(540, 340)))]
        boxes |= {re.search(r'viewBox="([^"]*)"', str(picture))[1] for picture in pictures}  # type: ignore[index]
    assert len(boxes) == 1


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("node", NODES)
def test_the_arithmetic_of_the_extender(stage: str, node: str) -> None:
    view = lesson.panel(extender=SCORES, plugin=NAME, node=node, stage=stage).view
    points = int(node == "node-a")
    told = re.sub("<[^>]*>", "", str(view.table))
    assert f"{points} × 10 = {points * 10}" in told and f"{points * 10} × 1 = {points * 10}" in told


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


def test_the_question() -> None:
    question, refuses = lesson.who_is_left(), Settings(extender=REFUSES)
    assert question.right(refuses) == "node-a"
    assert "node-c" not in question.choices
    assert all("its 37 becomes 0" in question.why(refuses, node) for node in question.choices)
    assert question.before is not None
    before = str(drawn(question.before(refuses), Room()))
    assert ">453<" in before and ">415<" not in before
    after = str(drawn(lesson.panel(extender=REFUSES).view.picture, Room()))
    assert "framed/InterPodAffinity" in after and ">37</tspan> 0<" in after
