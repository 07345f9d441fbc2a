"""Drawings of the queue: everything is in them, nothing is said by colour alone, and text is escaped."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from kschedlab.text.html import Html
from kschedlab_lab.views.queue_clock import Clock, Event, History, Stretch, draw_clock
from kschedlab_lab.views.queue_heap import Place, draw_heap
from kschedlab_lab.views.queue_order import Dot, Waiting, draw_order
from kschedlab_lab.views.queue_parts import (
    Check,
    Nominations,
    Parts,
    Slot,
    draw_nominations,
    draw_parts,
)
from kschedlab_lab.views.queue_pods import Pod, pill
from kschedlab_lab.views.style import INK_3
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
@pytest.mark.parametrize("length", range(1, 12))
def test_each_pod_of_a_heap_has_its_place(length: int, room: Room) -> None:
    drawing = draw_heap(
        [Place(f"p{i}", 100 - i) for i in range(length)], "a heap", [], {"Pop": {"data_set": "x"}}, room
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
    drawing = draw_heap(places, "", [Place("e", 9), Place("f", 8)], {}, Room())
    found = texts(drawing)
    assert [found.count(each) for each in ("? a", "⇄ b", "+ c", "↑ d")] == [1, 1, 1, 1]
    assert place(drawing, "pod/e")[0] < place(drawing, "pod/f")[0] and "Pop" not in keys(drawing)


@each_room
def test_the_time_that_counts_is_filled_in_and_the_next_pod_is_named(room: Room) -> None:
    def waiting(name: str, first: bool) -> Waiting:
        dots = (Dot("created", "C", 3, counts=True), Dot("probe", "P", 0))
        return Waiting(Pod(name, 100), dots, first)

    drawing = draw_order([waiting("mail", False), waiting("web", True)], [(1, "08:00")], 14, "", room)
    fills = [each.get("fill") for each in parsed(drawing).iter(f"{SVG}circle")]
    assert fills == fills[:2] * 2 and fills[0] != fills[1]
    assert texts(drawing).count("next") == 1
    assert place(drawing, "mail/created")[0] > place(drawing, "mail/probe")[0]


@each_room
def test_parts_show_their_pods_their_numbers_and_what_decided(room: Room) -> None:
    parts = Parts(
        {"activeQ": [Pod("web", 100)], "being tried": [], "unschedulableQ": [Pod("mail", 0)]},
        (3, 2),
        ("being tried", "activeQ"),
        (Check("3 > 4", False), Check("a reason", True)),
        slots=(Slot("none"), Slot("before"), Slot("during")),
        at=1,
        event="it rains",
    )
    drawing = draw_parts(parts, "x", room)
    found = texts(drawing)
    assert {"web", "mail"} <= set(found)
    together = "".join(found).replace(" ", "")
    assert all(each in together for each in ("schedulingCycle3", "moveRequestCycle2"))
    assert all(any(each.startswith(check) for each in found) for check in ("✕ 3 > 4", "✓ a reason"))
    assert place(drawing, "pod/web")[0] < place(drawing, "pod/mail")[0] and "event" in keys(drawing)
    assert 'data-pick="activeQ"' not in str(drawing) and INK_3 not in str(drawing)
    assert INK_3 in str(draw_parts(replace(parts, event=""), "x", room))
    asked = draw_parts(Parts({}, (0, -1), error="refused", slots=parts.slots, picks=True), "x", room)
    assert 'data-pick="activeQ"' in str(asked) and "✕ refused" in texts(asked)


@each_room
def test_both_maps_of_nominations(room: Room) -> None:
    by_node = {"node-a": [Pod("urgent", 500), Pod("batch", 500)], "node-b": []}
    drawing = draw_nominations(Nominations(by_node, {"uid-batch": "node-a"}, ("gone",)), "x", room)
    assert {"urgent", "batch", "no list", "uid-batch → node-a", "✕ gone: no list"} <= set(texts(drawing))
    assert place(drawing, "pod/urgent")[1] < place(drawing, "pod/batch")[1]


@each_room
def test_the_clock_shows_events_histories_and_now(room: Room) -> None:
    history = History("web", (Stretch(0, 4, "backoff"), Stretch(4, 9, "active")), (1.0,))
    events = [Event(2, "it rains"), Event(8, "it snows")]
    drawing = draw_clock([history], events, Clock(10, (3, "3 s"), [(0, "0")]), "x", room)
    found = texts(drawing)
    assert {"web", "it rains", "3 s"} <= set(found) and "it snows" not in found
    assert {"now", "web/0", "web/1"} <= set(keys(drawing))


def test_names_are_escaped() -> None:
    drawing = draw_heap([Place("<script>", 1)], '"><script>', [Place("\u202eabc", 1)], {}, Room())
    assert "<script>" not in str(drawing) and "[U+202E]" in str(drawing)


def written(shape: Html) -> list[str]:
    return [each.text or "" for each in parsed(shape).iter("text")]


def test_a_narrow_pill_has_its_number_instead_of_words_that_do_not_fit() -> None:
    assert "priority 100" in written(pill(Pod("web", 100, "priority 100"), 0, 0, 110, "pod/web"))
    narrow = written(pill(Pod("web", 100, "priority 100"), 0, 0, 60, "pod/web"))
    assert "100" in narrow and "priority 100" not in narrow


def test_words_stay_inside_a_narrow_pod() -> None:
    round_, narrow = (
        next(parsed(pill(Pod("web", 100), 0, 0, width, "pod/web")).iter("rect")).get("rx") for width in (62, 29)
    )
    assert (round_, narrow) == ("8", "6")
