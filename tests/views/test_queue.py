"""Drawings of the queue: everything is in them, nothing is said by colour alone, and text is escaped."""

from xml.etree import ElementTree

import pytest

from kschedlab.views.html import Html
from kschedlab.views.queue import Lane, Moment, Part, Place, Stretch, draw_heap, draw_lanes, draw_parts

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing: Html) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(str(drawing)).iter(f"{SVG}text")]


@pytest.mark.parametrize("length", range(1, 17))
def test_a_heap_is_drawn_twice_as_array_and_as_tree(length: int) -> None:
    drawing = draw_heap([Place(f"pod-{i}", 100 - i) for i in range(length)], "a heap")
    found = texts(drawing)
    for i in range(length):
        assert found.count(f"pod-{i}") == 2 and found.count(str(i)) >= 2
    lines = list(ElementTree.fromstring(str(drawing)).iter(f"{SVG}line"))
    assert len(lines) == length - 1


def test_children_stand_below_their_parent_and_nobody_on_another() -> None:
    drawing = draw_heap([Place(f"p{i}", i) for i in range(15)], "")
    boxes = [each for each in ElementTree.fromstring(str(drawing)).iter(f"{SVG}rect") if each.get("rx") != "0"]
    places = [(float(each.get("x", "")), float(each.get("y", ""))) for each in boxes]
    assert len(set(places)) == 15
    assert all(places[i][1] > places[(i - 1) // 2][1] for i in range(1, 15))
    assert all(abs(a[0] - b[0]) >= 64 for a in places for b in places if a != b and a[1] == b[1])


def test_marks_have_signs() -> None:
    found = texts(draw_heap([Place("a", 2, "compared"), Place("b", 1, "compared"), Place("c", 0, "new")], ""))
    assert (found.count("? a"), found.count("? b"), found.count("+ c")) == (2, 2, 2)


def test_parts_show_their_pods_and_say_how_many_more() -> None:
    drawing = draw_parts([Part("one", tuple(f"pod-{i}" for i in range(9)), ("pod-0",), "note"), Part("two", ())], "x")
    found = texts(drawing)
    assert {"one", "two", "note", "▶ pod-0", "pod-5", "and 3 more", "–"} <= set(found)
    assert "pod-6" not in found


def test_lanes_show_stretches_moments_events_and_now() -> None:
    lane = Lane("web", (Stretch(0, 4, "backoff"), Stretch(4, 9, "bound")), (Moment(1, "P", "probe", True),), lit=True)
    drawing = draw_lanes(
        [lane], [(0, "0")], "x", steps=10, events=[Moment(2, "", "it rains")], now=3, legend=("backoff", "bound")
    )
    assert {"★ web", "bound", "P", "it rains", "▲ now", "backoff"} <= set(texts(drawing))
    heights = {each.get("height") for each in ElementTree.fromstring(str(drawing)).iter(f"{SVG}rect")}
    assert len(heights) == 4  # backoff is lower than bound, in the lane and in the legend


def test_names_are_escaped_and_long_ones_are_cut() -> None:
    drawing = draw_parts([Part("<script>", ("\u202e" + "x" * 80,))], '"><script>')
    assert "<script>" not in str(drawing) and "…" in str(drawing) and "[U+202E]" in str(drawing)
