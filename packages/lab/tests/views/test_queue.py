"""Drawings of the queue: everything is in them, nothing is said by colour alone, and text is escaped."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from kschedlab.text.html import Html
from kschedlab_lab.views.queue_clock import Clock, Event, History, Stretch, draw_clock
from kschedlab_lab.views.queue_heap import Button, Place, draw_heap
from kschedlab_lab.views.queue_parts import Parts, Slot, draw_parts, slot_width
from kschedlab_lab.views.queue_pods import pill
from kschedlab_lab.views.svg import Room

SVG = "{http://www.w3.org/2000/svg}"
ROOMS = (Room(400, 420), Room(640, 330), Room(), Room(900, 500))
each_room = pytest.mark.parametrize("room", ROOMS, ids=str)


def parsed(drawing: Html) -> ElementTree.Element:
    return ElementTree.fromstring(str(drawing))


def texts(drawing: Html) -> list[str]:
    return [each.text or "" for each in parsed(drawing).iter(f"{SVG}text")]


def keys(drawing: Html) -> list[str]:
    """The keys, each of which stands once."""
    found = [key for each in parsed(drawing).iter() if (key := each.get("data-key"))]
    assert len(set(found)) == len(found)
    return found


def place(drawing: Html, key: str) -> tuple[float, float]:
    """Where a keyed group is."""
    (found,) = (each for each in parsed(drawing).iter() if each.get("data-key") == key)
    x, y = found.get("transform", "").removeprefix("translate(").removesuffix(")").split(",")
    return float(x), float(y)


@each_room
@pytest.mark.parametrize("length", range(1, 8))
def test_each_pod_of_a_heap_has_its_place(length: int, room: Room) -> None:
    drawing = draw_heap(
        [Place(f"p{i}", 100 - i) for i in range(length)], "a heap", [], room, Button("Pop", {"data_set": "x"})
    )
    found, known = texts(drawing), keys(drawing)
    for i in range(length):
        assert found.count(f"p{i}") == 1 and found.count(str(i)) >= 1
        assert f"pod/p{i}" in known
    assert len(list(parsed(drawing).iter(f"{SVG}line"))) == length - 1
    assert parsed(drawing).get("viewBox", "").split()[2] == str(room.width)
    spots = [place(drawing, f"pod/p{i}") for i in range(length)]
    assert all(spots[i][1] > spots[(i - 1) // 2][1] for i in range(1, length))
    boxes = (each for each in parsed(drawing).iter(f"{SVG}rect") if each.get("data-key", "").startswith("pod/"))
    (width,) = {float(each.get("width", "")) for each in boxes}  # a pod has the same size everywhere
    assert width >= 28 and all(x >= 0 and x + width <= room.width for x, _ in spots)
    assert all(abs(a[0] - b[0]) >= width for a in spots for b in spots if a != b and a[1] == b[1])


def test_marks_have_signs_and_popped_pods_stand_in_their_order() -> None:
    places = [Place("a", 2, "compared"), Place("b", 1, "swapped"), Place("c", 0, "new"), Place("d", 0, "leaving")]
    drawing = draw_heap(places, "", [("e", 9), ("f", 8)], Room())
    found = texts(drawing)
    assert [found.count(each) for each in ("? a", "⇄ b", "+ c", "→ d")] == [1, 1, 1, 1]
    assert place(drawing, "pod/e")[0] < place(drawing, "pod/f")[0] and "call" not in keys(drawing)


def parts(**more: Any) -> Parts:
    pods = {"activeQ": ["web", "cron"], "unschedulableQ": ["mail"]}
    slots = (Slot("before"), Slot("during"), Slot("after"))
    way = ("being tried", "activeQ")
    return replace(Parts(pods, 100, ("a note", "an answer"), way, slots, 1, "it rains"), **more)


@each_room
def test_parts_show_their_pods_what_is_noted_and_what_decided(room: Room) -> None:
    drawing = draw_parts(parts(), "x", room)
    found = "".join(texts(drawing))
    assert all(each in found for each in ("web", "mail", "a note", "an answer", "it rains", "unschedulableQ"))
    assert place(drawing, "pod/web")[1] < place(drawing, "pod/cron")[1]
    assert place(drawing, "pod/web")[0] < place(drawing, "pod/mail")[0] and "event" in keys(drawing)
    assert "data-pick" not in str(drawing) and "came" in found
    asked = draw_parts(parts(picks=True, notes=()), "x", room)
    assert str(asked).count("data-pick=") == 2
    assert parsed(asked).get("viewBox") == parsed(drawing).get("viewBox")  # its size does not change
    assert not any("came" in each or each == "no event" for each in texts(asked))


def test_the_event_is_where_its_moment_is() -> None:
    spots = [place(draw_parts(parts(at=at), "x", Room(640, 400)), "event")[0] for at in range(3)]
    assert spots[1] - spots[0] == pytest.approx(slot_width(3, Room(640, 400))) == pytest.approx(spots[2] - spots[1])


@each_room
def test_the_clock_shows_events_histories_and_now(room: Room) -> None:
    history = History("web", (Stretch(0, 4, "backoff"), Stretch(4, 9, "active")), (1.0,))
    events = [
        Event(2, "rain", "it rains"),
        Event(3, "snow", "it snows"),
        Event(9.5, "sun", "the sun begins to shine", moves=True),
    ]
    drawing = draw_clock([history], events, Clock(10, (3, "3 s"), [(0, "0")]), "x", room)
    found = texts(drawing)
    assert {"web", "rain", "snow", "sun", "3 s", "seconds"} <= set(found)
    assert {"it rains", "it snows"} <= {each.get("data-tip") for each in parsed(drawing).iter()}
    assert {"now", "web/0", "web/1"} <= set(keys(drawing))


def test_names_are_escaped() -> None:
    drawing = draw_heap([Place("<script>", 1)], '"><script>', [("\u202eabc", 1)], Room())
    assert "<script>" not in str(drawing) and "[U+202E]" in str(drawing)


def test_a_narrow_pod_has_angular_ends_so_that_its_words_stay_inside() -> None:
    round_, narrow = (next(parsed(pill("web", 100, 0, 0, width)).iter("rect")).get("rx") for width in (44, 43))
    assert (round_, narrow) == ("8", "6")
