"""Two workers that add to one total: each reads, adds and writes, and where they overlap one addition is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import broken
from kschedlab_lab.views.cells import CROSS, STAR, UNCHANGED, WORKERS, Box, Cell, draw_cell, middle, pills, token
from kschedlab_lab.views.glyphs import icon
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, HAIR, INK, PANEL, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

AXIS, EDGE, STEP = 25, 8, 5
"""Moments that are drawn: a worker that waits for a lock is late. Pixels free at the right. Moments of a step."""
LEFT, LOWEST, HIGHEST, BETWEEN, PILLS, AGAIN, LEAST = 88, 66, 124, 18, 32, 110, 42
"""Width of the names; height of a worker's lane at least and at most, what is free between two bars, height of the
buttons above; width of the one below; the least width of a step to be clicked."""
BELOW, LOCK, NUMBER = 66, 20, 26
"""Height of what is below the lanes; width of a lock; least width of a total, which is a number of two digits."""


@dataclass(frozen=True)
class Adding:
    """One worker's addition: at ``read`` it reads ``seen``, at ``write`` it writes that and its ``score``.

    ``waits``: since when it waits for a lock; ``own``: whether it only writes its score, into a cell of its own;
    ``locks``: whether it holds a lock from its read to its write; ``whole``: whether it reads and writes in one step.
    """

    worker: int
    score: int
    read: int
    write: int
    seen: int
    own: bool
    locks: bool
    waits: int | None = None
    whole: bool = False

    @property
    def gives(self) -> int:
        return self.seen + self.score

    def is_waiting(self, now: int) -> bool:
        return self.waits is not None and self.waits <= now < self.read


Both = tuple[Adding, Adding]


class Frame(NamedTuple):
    """How wide a moment is, and how high a lane."""

    unit: float
    lane: float

    @property
    def tall(self) -> float:
        """The height of a bar."""
        return self.lane - BETWEEN

    def x(self, moment: int) -> float:
        return LEFT + moment * self.unit

    def top(self, worker: int) -> float:
        """Where the worker's bar begins."""
        return 0 if worker == 1 else 2 * self.lane + 6

    @property
    def memory(self) -> float:
        """Where the memory between the workers begins."""
        return self.lane + 2


class Choices(NamedTuple):
    """What can be clicked: the designs, of which one is chosen; by worker what its next step sets; what takes all steps
    back, "" if there are none."""

    designs: Sequence[str]
    chosen: str
    steps: Mapping[int, str]
    again: str


def by_write(both: Both) -> Both:
    """The two, the one that writes last behind."""
    first, last = sorted(both, key=lambda each: each.write)
    return first, last


def lost(both: Both) -> Adding | None:
    """The addition that the last write drops, if it has not read it."""
    first, last = by_write(both)
    return first if last.seen < first.gives and not last.own else None


def left(both: Both) -> int:
    """The total at the end."""
    gone = lost(both)
    return sum(each.score for each in both) - (gone.score if gone is not None else 0)


def draw_update(
    both: Both, choices: Choices | None, until: int | None, sums: Mapping[str, int], room: Room, alt: str
) -> Html:
    """Worker 1 above, worker 2 below, memory between them; time runs to the right. Below, the total of each node.

    ``choices``: None: nothing can be clicked. ``until``: what happens after this time is hidden. ``sums``: by node, its
    right total; of one of them both add up the total.
    """
    end = AXIS if until is None else until
    above = 0 if choices is None else PILLS
    lane = min(max((room.height - above - BELOW) / 3, LOWEST), HIGHEST)
    at = Frame((room.width - LEFT - EDGE) / AXIS, lane)
    lanes = (part for each in both for part in _lane(each, at, end))
    memory = _cells if both[0].own else _memory
    shapes = [*memory(both, end, at), *lanes, *(part for each in both for part in _arrows(each, end, at))]
    y = 3 * lane + 10
    if until is not None:
        look: dict[str, str] = {"stroke": INK, "stroke_dasharray": "3 3", "data_key": "now"}
        shapes.insert(0, element("path", d=f"M{at.x(until + 1):.1f} 0V{y - 18:.1f}", **look))
    shapes.append(label(say("time →"), room.width - EDGE, y, "end"))
    buttons = list[Html]()
    if choices is not None:
        wide = min(110, room.width / len(choices.designs))
        named = [(say(name), f"design: {name}", name == choices.chosen) for name in choices.designs]
        buttons = pills(named, min(LEFT, room.width - wide * len(choices.designs)), 2, wide)
        shapes += _next(both, choices.steps, end, at)
        shapes += pills([(say("start again"), choices.again, False)], LEFT - 2, y - 16, AGAIN) if choices.again else []
    moved = element("g", *shapes, transform=f"translate(0,{above})")
    totals = _totals(both, sums, until is None, Box(LEFT, above + y + 30, (room.width - LEFT - EDGE) / len(sums), 24))
    return svg([*buttons, moved, *totals], room.width, above + y + 56, alt)


def _next(both: Both, steps: Mapping[int, str], end: int, at: Frame) -> list[Html]:
    """In the lane of each worker that is not done, its next step, to be clicked."""
    shapes, wide = [], max(STEP * at.unit - 4, LEAST)
    for each in both:
        if each.worker in steps:
            x, y, does = at.x(end + 1), at.top(each.worker), _does(each, end)
            words = label(fitting((does, ""), wide - 4, bold=True), x + wide / 2, y + at.tall / 2 + 4, "middle")
            about = {"data_set": steps[each.worker], "data_key": f"step/{each.worker}"}
            about["aria_label"] = say("worker {worker}: {does}", worker=each.worker, does=does)
            frame = rect(wide, at.tall, 8, x, y, fill=PANEL, stroke=ACT, stroke_width=1.5)
            shapes.append(element("g", frame, words, fill=ACT, font_weight="bold", **about))
    return shapes


def _does(each: Adding, end: int) -> str:
    """What the worker's next step is."""
    if each.whole:
        return say("add")
    return say("write") if each.read <= end else say("begin") if each.own else say("read")


def _totals(both: Both, sums: Mapping[str, int], is_known: bool, at: Box) -> list[Html]:
    """The nodes' totals, the best in green; of the node that has both scores what is left, if that ``is_known``."""
    whole = sum(each.score for each in both)
    known = left(both) if is_known else 0
    found = {node: known if total == whole else total for node, total in sums.items()}
    shapes = []
    for place, (node, total) in enumerate(found.items()):
        box, is_best = at._replace(x=at.x + place * at.wide), is_known and total == max(found.values())
        name = f"{STAR}{node}" if is_best else node
        shapes.append(element("text", name, x=round(box.x + box.wide / 2), y=round(box.y - 5)))
        cell = Cell(str(total or "?"), CHOSEN if is_best else UNCHANGED, marks={"data_key": f"sum/{node}"})
        shapes.append(draw_cell(cell, box))
    words = (
        label(line, 0, at.y + 2 + 15 * i, font_weight="bold")
        for i, line in enumerate(broken(say("totals at the end"), 9))
    )
    return [*words, middle(shapes)]


def _lane(adding: Adding, at: Frame, end: int) -> list[Html]:
    """The worker, and its bar from read to write, as far as it has come."""
    number, y = adding.worker, at.top(adding.worker)
    centre = y + at.tall / 2
    who = token(number, 14, centre, data_key=f"worker/{number}")
    shapes = [who, label(say("adds {score}", score=adding.score), 30, centre + 4)]
    if adding.waits is not None and adding.waits <= end:
        start, long = at.x(adding.waits), (min(adding.read, end + 1) - adding.waits) * at.unit
        look = {"fill": "none", "stroke": INK, "stroke_dasharray": "4 3", "data_key": f"wait/{number}"}
        words = say("waits") if text_width(say("waits")) + 6 < long else ""
        shapes += [rect(long, at.tall - 16, None, start, y + 8, **look), label(words, start + 4, centre + 4)]
    if adding.read > end:
        return shapes
    x, long = at.x(adding.read), (min(adding.write, end) - adding.read + 1) * at.unit
    colour = WORKERS[number - 1]
    bar = rect(long, at.tall, 8, x, y, fill=colour, stroke=HAIR, data_key=f"bar/{number}")
    said = _whole(adding, x, y, long, at) if adding.whole else _apart(adding, x, y, long, at, end >= adding.write)
    return [*shapes, bar, element("g", *said, fill=ink(colour))]


def _whole(adding: Adding, x: float, y: float, long: float, at: Frame) -> list[Html]:
    """What a worker does that reads and writes in one step."""
    shown = fitting((f"{adding.seen} + {adding.score} = {adding.gives}", str(adding.gives)), long - 8)
    return [label(shown, x + long / 2, y + at.tall / 2 + 4, "middle")]


def _apart(adding: Adding, x: float, y: float, long: float, at: Frame, is_done: bool) -> list[Html]:
    """What a worker reads and, once it ``is_done``, writes; at the right its lock, where there is nothing to read."""
    beside = LOCK if adding.locks and is_done else 0
    reads = "" if adding.own else _said(say("reads {seen}", seen=adding.seen), long - beside)
    writes = _said(say("writes {gives}", gives=adding.gives), long) if is_done else ""
    colour = ink(WORKERS[adding.worker - 1])
    tip = say("Worker {worker} holds the lock from its read to its write.", worker=adding.worker)
    held = [
        element(
            "g",
            icon("lock", x + long - LOCK - 4, y + 5 if is_done else y + at.tall - LOCK - 2, colour),
            data_key=f"lock/{adding.worker}",
            data_tip=tip,
        )
    ]
    ends = label(writes, x + long - 8, y + at.tall - 8, "end")
    return [label(reads, x + 8, y + 18), ends, *(held if adding.locks else [])]


def _said(text: str, long: float) -> str:
    """What a worker does, as much of it as its bar has room for: the number counts."""
    return fitting((text, text.rpartition(" ")[2], ""), long - 12)


def _memory(both: Both, end: int, at: Frame) -> list[Html]:
    """The total over time: each write begins a new value; one that drops a score is orange, the whole sum green."""
    y, gone, shapes = at.memory, lost(both), _titled(say("total in memory"), at)
    values = [(-1, 0, 0)]
    for each in by_write(both):
        drops = gone.score if gone is not None and each is not gone else 0
        values += [(each.write, each.gives, drops)] if each.write <= end else []
    whole = sum(each.score for each in both)
    stops = [*(time for time, *_ in values[1:]), AXIS - 1 if end >= AXIS else max(end, 0)]
    for i, ((time, value, drops), stop) in enumerate(zip(values, stops, strict=True)):
        x, fill = at.x(time + 1), EVICTED if drops else CHOSEN if value == whole else UNCHANGED
        long = max((stop - time) * at.unit, NUMBER)
        shapes.append(rect(long, at.tall, None, x, y, fill=fill, stroke=HAIR, data_key=f"total/{i}"))
        mark = f" {CROSS}" if drops else " ✓" if value == whole else ""
        lines = [f"{value}{mark}", *([say("{lost} is lost", lost=drops)] if drops else [])]
        for line, text in enumerate(lines):
            text, low = fitting((text, str(value), ""), long - 8, bold=True), 18 * line - 9 * (len(lines) - 1)
            shapes.append(label(text, x + 6, y + at.tall / 2 + 4 + low, fill=ink(fill), font_weight="bold"))
    return shapes


def _titled(words: str, at: Frame) -> list[Html]:
    """The name of what is in memory."""
    lines = broken(words, 8)
    y = at.memory + at.tall / 2 + 4 - 7.5 * (len(lines) - 1)
    return [label(line, 0, y + 15 * i, font_weight="bold") for i, line in enumerate(lines)]


def _cells(both: Both, end: int, at: Frame) -> list[Html]:
    """A cell for each worker over time; when both have written, one of them adds up."""
    shapes, done, half = _titled(say("cells in memory"), at), max(each.write for each in both) + 3, at.tall / 2
    for each in both:
        y, written = at.memory + half * (each.worker - 1), at.x(each.write + 1)
        until = at.x(min(max(end, 0) + 1, done))
        empty = {"fill": UNCHANGED, "stroke": HAIR, "data_key": f"cell/{each.worker}"}
        shapes.append(rect(max(min(written, until) - LEFT, 6), half, None, LEFT, y, **empty))
        if end >= each.write:
            fill, key = WORKERS[each.worker - 1], f"total/{each.worker}"
            shapes.append(rect(until - written, half, None, written, y, fill=fill, stroke=HAIR, data_key=key))
            words = fitting((str(each.score), ""), until - written - 4, bold=True)
            shapes.append(label(words, written + 6, y + half / 2 + 4, fill=ink(fill), font_weight="bold"))
    if end >= AXIS:
        x, whole, both_added = at.x(done), left(both), " + ".join(str(each.score) for each in both)
        long = (AXIS - done) * at.unit
        shapes.append(rect(long, at.tall, None, x, at.memory, fill=CHOSEN, stroke=HAIR, data_key="total/sum"))
        words = fitting((f"{both_added} = {whole} ✓", f"{whole} ✓", str(whole)), long - 8, bold=True)
        shapes.append(label(words, x + 6, at.memory + half + 4, fill=ink(CHOSEN), font_weight="bold"))
    return shapes


def _arrows(adding: Adding, end: int, at: Frame) -> list[Html]:
    """From memory to the worker when it reads, and from the worker to memory when it writes."""
    is_upper = adding.worker == 1
    near = at.tall + 2 if is_upper else at.top(2)
    far = at.memory if is_upper else at.memory + at.tall
    read = _arrow(at.x(adding.read) + 4, far, near, f"arrow/read/{adding.worker}")
    write = _arrow(at.x(adding.write + 1) - 4, near, far, f"arrow/write/{adding.worker}")
    return [*([read] if adding.read <= end and not adding.own else []), *([write] if adding.write <= end else [])]


def _arrow(x: float, start: float, end: float, key: str) -> Html:
    """An arrow up or down."""
    back = 5 if end > start else -5
    path = f"M{x:.1f} {start:.1f}V{end:.1f}m-4 {-back}l4 {back}l4 {-back}"
    return element("path", d=path, fill="none", stroke=INK, stroke_width=2, data_key=key)
