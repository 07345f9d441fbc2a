"""What is drawn for a phone: names stay whole, and a card has a drawing for each width."""

import re

import pytest

from kschedlab.text.html import Html, element
from kschedlab_lab.exercises.fitting import NARROW, WIDTH, fitting
from kschedlab_lab.language.aloud import speaking
from kschedlab_lab.panels import devices, first, preemption, queue_clock, queue_parts, score
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.views.svg import Room

CUT = re.compile(r">([^<>]*…)<")


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    ("panel", "width"),
    [
        (first.panel(), 320),
        (first.panel(), 400),
        (queue_parts.panel(), 320),
        (queue_clock.panel(), 320),
        (score.panel(), 430),
        (preemption.panel(), 320),
        (devices.panel(), 320),
    ],
    ids=["first", "first at 800", "parts", "clock", "scores", "preemption", "devices"],
)
def test_no_name_is_cut(panel: Panel[object], width: int, code: str) -> None:
    panel.uncover()
    if panel.question is not None:
        panel.gate.open(None, None)
    with speaking(code):
        picture = panel.state(panel.settings, Room(width, 480))["picture"]
    assert picture.count("<text") > 5
    assert CUT.findall(picture) == []


def test_a_pod_that_a_rule_compares_keeps_its_start() -> None:
    panel = preemption.panel(shop_a=200, allowed=2)
    panel.uncover()
    picture = panel.state(panel.settings, Room(320, 480))["picture"]
    assert {"09:30", "09:00", "10:00"} <= set(re.findall(r">(\d\d:\d\d)<", picture))


def test_a_card_shows_the_wide_drawing_unless_its_style_chooses_the_narrow_one() -> None:
    rooms: list[Room] = []

    def draw(room: Room) -> Html:
        rooms.append(room)
        return element("svg", width=room.width)

    drawn = str(fitting(draw, 460))
    assert rooms == [Room(WIDTH, 460), NARROW]
    wide, narrow = re.findall(r"<div[^>]*>", drawn)
    assert "display" not in wide and "display:none" in narrow
