"""The graphs of the scheduler's way, and tables that say where one stands."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.views import loop
from kschedlab_lab.views.bench import Card
from kschedlab_lab.views.loop import NotebookTable, Taken, Way
from kschedlab_lab.views.pieces import Piece
from kschedlab_lab.views.style import TICK
from kschedlab_lab.views.svg import Room


def states(graph):
    return {each.name: each.state for each in graph.vertices if each.state != "ahead"}


def lit(graph):
    return {(edge.source, edge.target) for edge in graph.edges if edge.lit}


def steps(*boxes):
    return [Taken("1.000", box, "", "active" if box == loop.QUEUE else "") for box in boxes]


def test_the_last_step_is_where_the_pod_is():
    graph = loop.schedule_one(steps(loop.QUEUE, loop.NEXT, loop.SCHEDULE))
    assert states(graph) == {loop.QUEUE: "done", loop.NEXT: "done", loop.SCHEDULE: "current"}
    assert lit(graph) == {(loop.QUEUE, loop.NEXT), (loop.NEXT, loop.SCHEDULE)}


def test_a_failure_looks_like_one_and_has_two_ways_on():
    way = steps(loop.QUEUE, loop.NEXT, loop.SCHEDULE, loop.RECORD)
    assert states(loop.schedule_one(way))[loop.RECORD] == "failed"
    on = [*way, Taken("1.001", loop.QUEUE, "", "unschedulable"), Taken("1.004", loop.PREEMPT, "")]
    graph = loop.schedule_one(on)
    assert {(loop.RECORD, loop.QUEUE), (loop.RECORD, loop.PREEMPT)} <= lit(graph)
    assert next(each for each in graph.vertices if each.name == loop.QUEUE).detail == "unschedulableQ"


def test_a_second_attempt_begins_with_an_unlit_graph():
    first = [*steps(loop.QUEUE, loop.NEXT, loop.SCHEDULE, loop.RECORD), Taken("1", loop.QUEUE, "", "unschedulable")]
    graph = loop.schedule_one([*first, *steps(loop.QUEUE, loop.NEXT)])
    assert states(graph) == {loop.QUEUE: "done", loop.NEXT: "current"}


def test_a_step_has_the_name_of_its_function():
    names = {Taken("0", box, "").title for box in (loop.RESERVE, loop.RECORD, loop.NOMINATE, loop.FORGET)}
    assert names == {
        "RunReservePlugins",
        "recordSchedulingFailure",
        "SetNominatedNodeName",
        "ForgetPod, RunUnreservePlugins",
    }


WEB = Piece("web", 2000)
NODES = (Card("node-a", 4000, (Piece("logs", 1000),)), Card("node-b", 4000))


def drawn(way, width, picks=()):
    return ElementTree.fromstring(str(loop.draw_way(way, "alt", Room(width, 330), picks)))


def keyed(drawing):
    return {each.get("data-key"): each for each in drawing.iter() if each.get("data-key")}


@pytest.mark.parametrize("width", [400, 640, 900])
def test_no_two_boxes_lie_on_one_another(width):
    found = keyed(drawn(Way((), NODES, WEB), width))
    places = [each.get("transform") for key, each in found.items() if key.startswith("box/")]
    assert len(set(places)) == len(places) == 17
    columns = {place.partition(",")[0] for place in places}
    assert len(columns) == (3 if width < loop.NARROW else 5)


@pytest.mark.parametrize("width", [400, 540, 900])
def test_each_cycle_has_a_ground_behind_its_boxes(width):
    words = "".join(drawn(Way((), NODES, WEB), width).itertext())
    assert "scheduling cycle" in words and "binding cycle" in words
    grounds = [each for each in drawn(Way((), NODES, WEB), width).iter() if each.get("fill") == TICK]
    found = keyed(drawn(Way((), NODES, WEB), width))

    def inside(box, ground):
        x, y = map(float, found[f"box/{box}"].get("transform")[10:-1].split(","))
        left, top, wide, tall = (float(ground.get(each)) for each in ("x", "y", "width", "height"))
        return left < x < left + wide and top < y < top + tall

    scheduling, binding = grounds
    assert all(inside(box, scheduling) for box in (loop.NEXT, loop.SCHEDULE, loop.VOLUMES, loop.RESERVE, loop.ASSUME))
    cycle = (loop.BIND_VOLUMES, loop.PERMIT, loop.PRE_BIND, loop.BIND, loop.POST_BIND)
    assert all(inside(box, binding) and not inside(box, scheduling) for box in cycle)
    outside = (loop.QUEUE, loop.RECORD, loop.PREEMPT, loop.SKIP, loop.FORGET)
    assert not any(inside(box, ground) for box in outside for ground in grounds)


def test_the_pod_stands_at_its_box_and_leaves_it_for_its_node():
    at_schedule = keyed(drawn(Way(tuple(steps(loop.QUEUE, loop.NEXT, loop.SCHEDULE)), NODES, WEB), 640))
    at_queue = keyed(drawn(Way(tuple(steps(loop.QUEUE)), NODES, WEB), 640))
    assert at_schedule["pod/web"].get("transform") != at_queue["pod/web"].get("transform")
    assumed = (NODES[0], Card("node-b", 4000, (Piece("web", 2000, mark="ghost"),)))
    ghost = keyed(drawn(Way(tuple(steps(loop.QUEUE, loop.NEXT, loop.ASSUME)), assumed, WEB), 640))
    assert ghost["ghost/web"].get("data-from") == "pod/web" and "pod/web" in ghost
    bound = (NODES[0], Card("node-b", 4000, (WEB,), state="chosen"))
    arrived = drawn(Way(tuple(steps(loop.QUEUE, loop.POST_BIND)), bound, None), 640)
    assert "pod/web" in keyed(arrived) and "★ node-b" in "".join(arrived.itertext())


def test_without_a_volume_the_way_leads_past_bind_volumes():
    way = steps(loop.QUEUE, loop.NEXT, loop.SCHEDULE, loop.VOLUMES, loop.RESERVE, loop.ASSUME, loop.PERMIT)
    graph = loop.schedule_one(way)
    assert {(loop.ASSUME, loop.BIND_VOLUMES), (loop.BIND_VOLUMES, loop.PERMIT)} <= lit(graph)
    assert loop.BIND_VOLUMES not in states(graph)
    assert loop.BIND_VOLUMES in states(loop.schedule_one([*way[:-1], *steps(loop.BIND_VOLUMES, loop.PERMIT)]))


def test_a_table_marks_its_row_and_greys_what_is_to_come():
    told = NotebookTable(("a", "b"), (("1", "x"), ("2", "y"), ("3", "z")), 1)
    assert repr(told).splitlines()[2].split() == ["▶", "2", "y"]
    rows = str(told.html()).split("<tr")
    assert "opacity" in rows[4] and "outline" in rows[3] and "style" not in rows[2].partition(">")[0]


def test_a_table_breaks_long_text_and_escapes_it():
    told = NotebookTable(("a", "b"), (("1", "word " * 40), ("2", "<b>\u202e")))
    assert max(map(len, repr(told).splitlines())) < 110
    assert "<b>" not in told._repr_html_() and "[U+202E]" in told._repr_html_() and "[U+202E]" in repr(told)
