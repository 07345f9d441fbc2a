"""Pictures of lesson 02's exercises: a heap as array and tree, pods in the order of their pops, calls with counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import Instance
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.views.queue_heap import Place, draw_heap

HEIGHT = 330


def heap(names: Sequence[str], priorities: Mapping[str, int], popped: Sequence[str] = ()) -> Html:
    """The array and the tree; below them the pods that came out."""
    inside, outside = ([Place(each, priorities[each]) for each in part] for part in (names, popped))
    said = say("the heap: {pods}", pods=listed(names))
    return fitting(partial(draw_heap, inside, said, outside, None), HEIGHT)


def tabled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Instance:
    """A table, and the same as text."""
    return Instance(
        element("div", table(head, (row(*cells) for cells in rows))), "\n".join(aligned([list(head), *rows], ""))
    )


def told(call: str) -> str:
    """The call, and in the chosen language which pod it gives."""
    return say("Pop() gives {pod}", pod=call.split()[-1]) if call.startswith("Pop") else call


def counted(calls: Sequence[str]) -> Html:
    """The calls with both counters after each: pops move schedulingCycle on, moves copy it to moveRequestCycle."""
    cycle, moved, rows = 0, -1, []
    pods: dict[str, int] = {}
    for number, call in enumerate(calls, 1):
        note = ""
        if call.startswith("Pop"):
            cycle += 1
            pods[call.split()[-1]] = cycle
            note = say("podSchedulingCycle of {pod}: {cycle}", pod=call.split()[-1], cycle=cycle)
        elif call.startswith("MoveAll"):
            moved = cycle
        elif call.startswith("AddUnschedulable"):
            own = pods[call.partition("(")[2].partition(",")[0]]
            note = f"{own} > {moved}: unschedulableQ" if own > moved else f"{own} ≤ {moved}: activeQ"
        rows.append(row(str(number), told(call), str(cycle), str(moved), note))
    return table(["", say("call"), "schedulingCycle", "moveRequestCycle", ""], rows)
