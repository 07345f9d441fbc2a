"""A pod's path through the scheduler as graphs (scheduleOne, and Schedule() inside it), and tables of its steps.

v1.16: pkg/scheduler/scheduler.go (scheduleOne), core/generic_scheduler.go (Schedule), cmd/kube-scheduler/app/server.go
(Run). The boxes bear that source's names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kschedlab.views.graph import Edge, Graph, Place, State, Vertex
from kschedlab.views.html import Html, element
from kschedlab.views.style import CELL, DECIDES, GREY, HEAD, NOWRAP, TABLE
from kschedlab.views.words import aligned, broken

WIDE = 96
"""Width in characters of the last column of a text table."""

QUEUE, NEXT, SKIP, SCHEDULE = "queue", "NextPod", "skip", "Schedule"
VOLUMES, RESERVE, ASSUME, BIND_VOLUMES = "assumeVolumes", "reserve", "assume", "bindVolumes"
PERMIT, PRE_BIND, BIND, POST_BIND = "permit", "preBind", "bind", "postBind"
FORGET, RECORD = "forget", "record"
PREEMPT, NOMINATE, DELETE = "Preempt", "SetNominatedNodeName", "DeletePod"


@dataclass(frozen=True)
class Stop:
    """A box. ``label``: its text, with spaces where it may wrap; ``name``: the function, if it differs."""

    label: str
    place: Place
    detail: str = ""
    name: str = ""


_ONE: Mapping[str, Stop] = {
    QUEUE: Stop("SchedulingQueue", (0, 0)),
    RECORD: Stop("recordScheduling Failure", (1, 0), "event, condition"),
    PREEMPT: Stop("Preempt", (2, 0), "which node, who must go"),
    NOMINATE: Stop("SetNominated NodeName", (3, 0), "in the pod's status"),
    DELETE: Stop("DeletePod", (4, 0), "each victim"),
    NEXT: Stop("NextPod", (0, 1), "waits for the activeQ"),
    SCHEDULE: Stop("Schedule", (1, 1), "filter, score, select"),
    VOLUMES: Stop("assumeVolumes", (2, 1)),
    RESERVE: Stop("Reserve plugins", (3, 1), "", "RunReservePlugins"),
    ASSUME: Stop("assume", (4, 1), "tells the cache"),
    POST_BIND: Stop("PostBind plugins", (0, 2), "", "RunPostBindPlugins"),
    BIND: Stop("bind", (1, 2), "asks the API server"),
    PRE_BIND: Stop("PreBind plugins", (2, 2), "", "RunPreBindPlugins"),
    PERMIT: Stop("Permit plugins", (3, 2), "may let the pod wait", "RunPermitPlugins"),
    BIND_VOLUMES: Stop("bindVolumes", (4, 2), "the pod's own goroutine"),
    SKIP: Stop("skip", (0, 3), "it is being deleted", "skip"),
    FORGET: Stop("ForgetPod", (1, 3), "RunUnreservePlugins", "ForgetPod, RunUnreservePlugins"),
}
_FAILURES = (RECORD, FORGET, SKIP)
_EDGES = (
    (QUEUE, NEXT, ""),
    (NEXT, SCHEDULE, ""),
    (NEXT, SKIP, ""),
    (SCHEDULE, RECORD, ""),
    (RECORD, QUEUE, ""),
    (RECORD, PREEMPT, "FitError"),
    (PREEMPT, NOMINATE, ""),
    (NOMINATE, DELETE, ""),
    (SCHEDULE, VOLUMES, ""),
    (VOLUMES, RESERVE, ""),
    (RESERVE, ASSUME, ""),
    (ASSUME, BIND_VOLUMES, "go"),
    (BIND_VOLUMES, PERMIT, ""),
    (PERMIT, PRE_BIND, ""),
    (PRE_BIND, BIND, ""),
    (BIND, POST_BIND, ""),
    (BIND, FORGET, "error"),
    (FORGET, RECORD, ""),
)

BASIC, PRE_FILTER, SNAPSHOT, FIND = "basic", "preFilter", "snapshot", "find"
POST_FILTER, FIT_ERROR, ONE_NODE = "postFilter", "FitError", "one"
META, PRIORITIZE, SELECT, ERROR = "meta", "prioritize", "select", "error"

_INSIDE: Mapping[str, Stop] = {
    BASIC: Stop("podPasses BasicChecks", (0, 0)),
    PRE_FILTER: Stop("RunPreFilter Plugins", (1, 0)),
    SNAPSHOT: Stop("snapshot", (2, 0), "of the cache"),
    FIND: Stop("findNodesThatFit", (3, 0), "predicates"),
    POST_FILTER: Stop("RunPostFilter Plugins", (3, 1), "today: PreScore"),
    ERROR: Stop("error", (0, 1)),
    FIT_ERROR: Stop("FitError", (2, 1)),
    ONE_NODE: Stop("the only node", (4, 1), "nothing is scored"),
    META: Stop("priorityMeta Producer", (3, 2)),
    PRIORITIZE: Stop("PrioritizeNodes", (2, 2), "priorities, weights"),
    SELECT: Stop("selectHost", (1, 2), "one of the best"),
}
_INSIDE_EDGES = (
    (BASIC, PRE_FILTER, ""),
    (BASIC, ERROR, ""),
    (PRE_FILTER, SNAPSHOT, ""),
    (SNAPSHOT, FIND, ""),
    (FIND, POST_FILTER, ""),
    (POST_FILTER, FIT_ERROR, "no node"),
    (POST_FILTER, ONE_NODE, "one"),
    (POST_FILTER, META, "more"),
    (META, PRIORITIZE, ""),
    (PRIORITIZE, SELECT, ""),
)


@dataclass(frozen=True)
class Taken:
    """A step that the scheduler took. ``seconds``: since the start; ``box``: its box in the graph.

    ``words``: its outcome; ``place``: the part of the queue that holds the pod afterwards.
    """

    seconds: str
    box: str
    words: str
    place: str = ""

    @property
    def title(self) -> str:
        """The function's name in the source."""
        stop = _ONE[self.box]
        return stop.name or stop.label.replace(" ", "")


def schedule_one(steps: Sequence[Taken]) -> Graph:
    """ScheduleOne after these steps: those since the pod last left the queue are lit, the last one is current."""
    queued = [i for i, step in enumerate(steps[:-1]) if step.box == QUEUE and step.place == "active"]
    attempt = [step.box for step in steps[queued[-1] if queued else 0 :]]
    end: State = "failed" if attempt[-1:] and attempt[-1] in _FAILURES else "current"
    graph = _drawn(_ONE, _EDGES).walked(attempt, end)
    place = next((step.place for step in reversed(steps) if step.place), "")
    return _detailed(graph, QUEUE, _PARTS.get(place, ""))


_PARTS = {"active": "activeQ", "backoff": "podBackoffQ", "unschedulable": "unschedulableQ"}


def part(place: str) -> str:
    """v1.16's name for that part of the queue."""
    return _PARTS[place]


def inside_schedule(way: Sequence[str], details: Mapping[str, str]) -> Graph:
    """Schedule() after this walk. ``details``: text for boxes, in place of the default."""
    end: State = "failed" if way[-1] in (ERROR, FIT_ERROR) else "current"
    graph = _drawn(_INSIDE, _INSIDE_EDGES).walked(way, end)
    for box, detail in details.items():
        graph = _detailed(graph, box, detail)
    return graph


def _drawn(boxes: Mapping[str, Stop], edges: Sequence[tuple[str, str, str]]) -> Graph:
    vertices = (Vertex(name, stop.label, stop.detail, place=stop.place) for name, stop in boxes.items())
    return Graph(tuple(vertices), tuple(Edge(*edge) for edge in edges))


def _detailed(graph: Graph, box: str, detail: str) -> Graph:
    vertices = (replace(each, detail=detail) if each.name == box else each for each in graph.vertices)
    return replace(graph, vertices=tuple(vertices))


# -- tables


@dataclass(frozen=True)
class NotebookTable:
    """A table for notebooks. ``at``: the current row; rows after it are still to come."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    at: int | None = None

    def __repr__(self) -> str:
        lines = [[*self.head]]
        for i, row in enumerate(self.rows):
            first, *rest = broken(row[-1], WIDE)
            lines.append([f"▶ {row[0]}" if i == self.at else row[0], *row[1:-1], first])
            lines += [[*[""] * (len(row) - 1), line] for line in rest]
        return "\n".join(aligned(lines))

    def html(self) -> Html:
        """The table as HTML."""
        head = (element("th", text, scope="col", style=HEAD) for text in self.head)
        body = (self._row(i, row) for i, row in enumerate(self.rows))
        return element("table", element("thead", element("tr", *head)), element("tbody", *body), style=TABLE)

    def _row(self, i: int, row: tuple[str, ...]) -> Html:
        cells = [f"▶ {row[0]}" if i == self.at else row[0], *row[1:]]
        styles = [CELL + NOWRAP] * (len(row) - 1) + [CELL]
        style = None if self.at is None or i < self.at else DECIDES if i == self.at else GREY
        return element("tr", *(element("td", c, style=s) for c, s in zip(cells, styles, strict=True)), style=style)

    def _repr_html_(self) -> str:
        return str(self.html())


def steps_table(steps: Sequence[Taken], at: int) -> NotebookTable:
    """The steps as a table; ``at``: the current one."""
    rows = tuple((step.seconds, step.title, step.words) for step in steps)
    return NotebookTable(("seconds", "v1.16", "outcome"), rows, at)
