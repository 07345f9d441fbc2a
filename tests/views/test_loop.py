"""The graphs of the scheduler's way, and tables that say where one stands."""

from kschedlab.views import loop
from kschedlab.views.loop import NotebookTable, Taken


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


def test_no_two_boxes_lie_on_one_another():
    for graph in (loop.schedule_one(()), loop.inside_schedule([loop.BASIC], {})):
        places = graph.places()
        assert len(set(places.values())) == len(places)
        assert max(x for x, _ in places.values()) <= 4, "five boxes fit across a page"


def test_the_way_inside_ends_where_the_pod_is_lost():
    graph = loop.inside_schedule([loop.BASIC, loop.ERROR], {loop.ERROR: "no claim"})
    assert states(graph) == {loop.BASIC: "done", loop.ERROR: "failed"}
    assert next(each for each in graph.vertices if each.name == loop.ERROR).detail == "no claim"


def test_a_table_marks_its_row_and_greys_what_is_to_come():
    told = NotebookTable(("a", "b"), (("1", "x"), ("2", "y"), ("3", "z")), 1)
    assert repr(told).splitlines()[2].split() == ["▶", "2", "y"]
    rows = str(told.html()).split("<tr")
    assert "opacity" in rows[4] and "outline" in rows[3] and "style" not in rows[2].partition(">")[0]


def test_a_table_breaks_long_text_and_escapes_it():
    told = NotebookTable(("a", "b"), (("1", "word " * 40), ("2", "<b>\u202e")))
    assert max(map(len, repr(told).splitlines())) < 110
    assert "<b>" not in told._repr_html_() and "[U+202E]" in told._repr_html_() and "[U+202E]" in repr(told)
