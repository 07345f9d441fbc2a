"""A pod's path through scheduleOne as a graph on which the pod travels, and tables of its steps.

v1.16: pkg/scheduler/scheduler.go (scheduleOne). The boxes have that source's names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kschedlab.messages import later, say, terms
from kschedlab.text.html import Html, element, visible
from kschedlab.text.plain import aligned
from kschedlab.text.words import broken
from kschedlab_lab.views.bench import Card
from kschedlab_lab.views.graph import EDGE, Edge, Graph, Grid, Place, State, Vertex, draw_graph
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.pieces import Piece, bar
from kschedlab_lab.views.style import CHOSEN, DECIDES, EVICTED, GREY, HAIR, HEAD, TABLE, TICK, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import Room, label

LEFT = "text-align:left"
LINE, TOKEN = 17, 17
"""Height of a line of text in a drawing, and how far the pod stands above its box; in pixels."""
WIDE = 96
"""Width in characters of the last column of a text table."""

QUEUE, NEXT, SKIP, SCHEDULE = "queue", "NextPod", "skip", "Schedule"
VOLUMES, RESERVE, ASSUME, BIND_VOLUMES = "assumeVolumes", "reserve", "assume", "bindVolumes"
PERMIT, PRE_BIND, BIND, POST_BIND = "permit", "preBind", "bind", "postBind"
FORGET, RECORD = "forget", "record"
PREEMPT, NOMINATE, DELETE = "Preempt", "SetNominatedNodeName", "DeletePod"


@dataclass(frozen=True)
class Stop:
    """A box. ``label``: its text; ``name``: the function, if it differs."""

    label: str
    place: Place
    detail: str = ""
    name: str = ""


_ONE: Mapping[str, Stop] = {
    QUEUE: Stop(later("Scheduling Queue"), (0, 0)),
    RECORD: Stop("recordSchedulingFailure", (1, 0)),
    PREEMPT: Stop("Preempt", (2, 0), later("if FitError")),
    NOMINATE: Stop("SetNominatedNodeName", (3, 0)),
    DELETE: Stop("DeletePod", (4, 0), later("each victim")),
    NEXT: Stop("NextPod", (0, 1)),
    SCHEDULE: Stop("Schedule", (1, 1), later("filter, score")),
    VOLUMES: Stop("assumeVolumes", (2, 1)),
    RESERVE: Stop(later("Reserve plugins"), (3, 1), "", "RunReservePlugins"),
    ASSUME: Stop("assume", (4, 1), later("tells the cache")),
    POST_BIND: Stop(later("PostBind plugins"), (0, 2), "", "RunPostBindPlugins"),
    BIND: Stop("bind", (1, 2), "API server"),
    PRE_BIND: Stop(later("PreBind plugins"), (2, 2), "", "RunPreBindPlugins"),
    PERMIT: Stop(later("Permit plugins"), (3, 2), "", "RunPermitPlugins"),
    BIND_VOLUMES: Stop("bindVolumes", (4, 2), later("if any wait")),
    SKIP: Stop(later("skip"), (0, 3), later("being deleted"), "skip"),
    FORGET: Stop("ForgetPod", (1, 3), "", "ForgetPod, RunUnreservePlugins"),
}
_NARROW: Mapping[str, Place] = {
    **{box: (0, row) for row, box in enumerate((QUEUE, NEXT, SCHEDULE, VOLUMES, RESERVE, ASSUME))},
    **{box: (1, row) for row, box in enumerate((RECORD, SKIP, FORGET, PREEMPT, NOMINATE, DELETE))},
    **{box: (2, 5 - row) for row, box in enumerate((BIND_VOLUMES, PERMIT, PRE_BIND, BIND, POST_BIND))},
}
"""Places in three columns, for narrow pages."""
NARROW = 520
"""Rooms below this width have three columns."""
_CYCLES = (
    (later("scheduling cycle"), later("scheduling cycle: one pod at a time"), TICK, (0, 1, 5, 1), (0, 1, 1, 5)),
    (later("binding cycle"), later("binding cycle: a goroutine for each pod"), TICK, (0, 2, 5, 1), (2, 1, 1, 5)),
)
"""By cycle: its name, alone and with how it runs, its colour; column, row, number of columns and of rows, here and on
narrow pages."""
_FAILURES = (RECORD, FORGET, SKIP)
_EDGES = (
    (QUEUE, NEXT, ""),
    (NEXT, SCHEDULE, ""),
    (NEXT, SKIP, ""),
    (SCHEDULE, RECORD, ""),
    (RECORD, QUEUE, ""),
    (RECORD, PREEMPT, ""),
    (PREEMPT, NOMINATE, ""),
    (NOMINATE, DELETE, ""),
    (SCHEDULE, VOLUMES, ""),
    (VOLUMES, RESERVE, ""),
    (RESERVE, ASSUME, ""),
    (ASSUME, BIND_VOLUMES, ""),
    (BIND_VOLUMES, PERMIT, ""),
    (PERMIT, PRE_BIND, ""),
    (PRE_BIND, BIND, ""),
    (BIND, POST_BIND, ""),
    (BIND, FORGET, ""),
    (FORGET, RECORD, ""),
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
        return say(stop.name) or stop.label.replace(" ", "")


def schedule_one(steps: Sequence[Taken]) -> Graph:
    """ScheduleOne after these steps: those since the pod last left the queue are lit, the last one is current."""
    queued = [i for i, step in enumerate(steps[:-1]) if step.box == QUEUE and step.place == "active"]
    attempt = [step.box for step in steps[queued[-1] if queued else 0 :]]
    end: State = "failed" if attempt[-1:] and attempt[-1] in _FAILURES else "current"
    graph = _through_goroutine(_drawn(_ONE, _EDGES).walked(attempt, end), attempt)
    place = next((step.place for step in reversed(steps) if step.place), "")
    return _detailed(graph, QUEUE, _PARTS.get(place, ""))


def _through_goroutine(graph: Graph, boxes: Sequence[str]) -> Graph:
    """If no volume is to be bound, the way leads past bindVolumes: its arrows are lit, and the box is not done."""
    if BIND_VOLUMES in boxes or PERMIT not in boxes:
        return graph
    return replace(
        graph,
        edges=tuple(replace(each, lit=each.lit or BIND_VOLUMES in (each.source, each.target)) for each in graph.edges),
    )


_PARTS = {"active": "activeQ", "backoff": "podBackoffQ", "unschedulable": "unschedulableQ"}


def part(place: str) -> str:
    """v1.16's name for that part of the queue."""
    return _PARTS[place]


@dataclass(frozen=True)
class Way:
    """Where the pod is after some steps. ``pod``: in the hand of the scheduler; None once it is on its node.

    ``nodes``: as the scheduler's cache knows them; a ghost is a pod that is assumed there.
    """

    steps: tuple[Taken, ...]
    nodes: tuple[Card, ...]
    pod: Piece | None


def draw_way(way: Way, alt: str, room: Room, picks: tuple[str, ...] = ()) -> Html:
    """The graph of scheduleOne with the pod beside the box that it is in, and the nodes below.

    ``picks``: titles of boxes that are answers while a question is open.
    """
    graph = replace(schedule_one(way.steps), picks=picks)
    narrow = room.width < NARROW
    if narrow:
        graph = replace(graph, vertices=tuple(replace(each, place=_NARROW[each.name]) for each in graph.vertices))
    box = way.steps[-1].box if way.steps else QUEUE
    place = next(each.place for each in graph.vertices if each.name == box) or (0, 0)

    def more(grid: Grid) -> Iterator[Html]:
        x, y = grid.corner((0, 6) if narrow else (2, 3))
        yield from _nodes(way.nodes, x, y, room.width - 2 * EDGE - x)
        if way.pod is not None:
            x, y = grid.corner(place)
            yield _token(way.pod, x + grid.wide, y)

    def behind(grid: Grid) -> Iterator[Html]:
        return _cycles(grid, narrow)

    return draw_graph(graph, alt, room, more, 1 if narrow else 0, behind, 24 if narrow else TOKEN + LINE)


def _cycles(grid: Grid, narrow: bool) -> Iterator[Html]:
    """A ground behind the boxes of each cycle, with its name: above a row, or at the free end of a column."""
    side = 10.0
    for name, how, fill, *places in _CYCLES:
        column, row, columns, rows = places[narrow]
        x, y = grid.corner((column, row))
        wide, tall = columns * (grid.wide + grid.gap_x) - grid.gap_x, rows * (grid.tall + grid.gap_y) - grid.gap_y
        below = narrow and column == 0
        high = LINE + (0 if narrow else TOKEN - 4)
        size = {"x": x - side, "y": y - (6 if below else high), "width": wide + 2 * side, "height": tall + high + 6}
        yield element("rect", **size, rx=11, fill=fill)
        text, at, anchor = say(how), grid.corner((2, 0))[0], "start"
        if narrow:  # a sign stands at the left of the first box
            text, at, anchor = say(name), x + grid.wide + side - 2, "end"
        if below:
            at, anchor = x + grid.wide / 2, "middle"
        yield label(text, at, y + tall + LINE - 3 if below else y - high + 11, anchor, font_style="italic")


def _token(pod: Piece, right: float, top: float) -> Html:
    """The pod at the upper right corner of a box."""
    fill = priority_fill(pod.priority)
    wide = text_width(pod.name, 12, True) + 14
    rect = element("rect", width=wide, height=22, rx=6, fill=fill, stroke=HAIR)
    name = label(visible(pod.name), wide / 2, 15.5, "middle", fill=ink(fill), font_weight="bold")
    return element("g", rect, name, transform=f"translate({right - wide + 6:.1f},{top - TOKEN:.1f})", data_key=pod.key)


def _nodes(cards: Sequence[Card], left: float, top: float, width: float) -> Iterator[Html]:
    """The nodes side by side, each a bar with its pods."""
    gap = 14.0
    scale = (width - gap * (len(cards) - 1)) / max(sum(card.capacity for card in cards), 1)
    x = left
    for card in cards:
        wide = card.capacity * scale
        yield element("g", *_node(card, wide), transform=f"translate({x:.1f},{top:.1f})", data_key=f"node/{card.name}")
        x += wide + gap


def _node(card: Card, wide: float) -> Iterator[Html]:
    stroke, thick = {"chosen": (CHOSEN, 2.5), "refused": (EVICTED, 1.5)}.get(card.state, (HAIR, 1.0))
    sign = {"chosen": "★ ", "refused": "✕ "}.get(card.state, "")
    yield label(sign + card.name, 0, 12, font_weight="bold")
    yield element("rect", y=18, width=wide, height=26, rx=6, fill=TRAY, stroke=stroke, stroke_width=thick)
    x, scale = 0.0, wide / max(card.capacity, sum(piece.size for piece in card.pieces))
    for piece in card.pieces:
        yield bar(piece, (x, 18), piece.size * scale, 26)
        x += piece.size * scale


def _drawn(boxes: Mapping[str, Stop], edges: Sequence[tuple[str, str, str]]) -> Graph:
    vertices = (Vertex(name, say(stop.label), say(stop.detail), place=stop.place) for name, stop in boxes.items())
    return Graph(tuple(vertices), tuple(Edge(*edge) for edge in edges))


def _detailed(graph: Graph, box: str, detail: str) -> Graph:
    vertices = (replace(each, detail=detail) if each.name == box else each for each in graph.vertices)
    return replace(graph, vertices=tuple(vertices))


# -- start-up


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
        head = (element("th", text, scope="col", style=HEAD) for text in self.head)
        body = (self._row(i, row) for i, row in enumerate(self.rows))
        return element("table", element("thead", element("tr", *head)), element("tbody", *body), style=TABLE)

    def _row(self, i: int, row: tuple[str, ...]) -> Html:
        cells = [f"▶ {row[0]}" if i == self.at else row[0], *row[1:]]
        style = None if self.at is None or i < self.at else DECIDES if i == self.at else GREY
        return element("tr", *(element("td", each, style=LEFT) for each in cells), style=style)

    def _repr_html_(self) -> str:
        return str(self.html())


def steps_table(steps: Sequence[Taken], at: int) -> NotebookTable:
    """The steps as a table; ``at``: the current one."""
    rows = tuple((step.seconds, step.title, step.words) for step in steps)
    return NotebookTable(tuple(terms("seconds", "v1.16", "outcome")), rows, at)
