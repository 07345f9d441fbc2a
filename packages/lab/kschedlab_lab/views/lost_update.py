"""Two workers that add to one total: each reads, adds and writes, and where they overlap one addition is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab.text.words import broken
from kschedlab_lab.views.cells import (
    CROSS,
    STAR,
    UNCHANGED,
    WORKERS,
    Box,
    Cell,
    best_cell,
    brief,
    draw_cell,
    middle,
    pills,
    token,
)
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.style import EVICTED, HAIR, INK, ink
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

SLOTS = 6
"""Moments on which a worker can read or write; those of worker 2 lie between those of worker 1."""
AXIS = 2 * SLOTS + 6
"""Half slots that are drawn: a worker that waits for a lock is late."""
LEFT, LANE, TALL, SUMS, ALONE, PILLS = 88, 62, 44, 32, 36, 30
"""Width of the names; height of a worker's lane, of the bar in it, of the sums; width of an addition in one step;
height of the designs."""
SHORT = {
    "shared sum": later("shared"),
    "shared sum with a lock": later("locked"),
    "atomic addition": later("atomic"),
    "cells of its own": later("cells"),
}
"""By design, the word on its button."""


@dataclass(frozen=True)
class Adding:
    """One worker's addition. Times count half slots, from 0. ``waits``: since when it waits for a lock.

    ``seen``: the total that it reads, None if it reads none; ``gives``: what it writes; ``score``: what it adds.
    """

    worker: int
    score: int
    read: int
    write: int
    seen: int | None
    gives: int
    waits: int | None = None


@dataclass(frozen=True)
class Write:
    """The total in memory from this time on; ``lost``: the score that it no longer includes, 0 if none."""

    time: int
    value: int
    worker: int
    lost: int = 0


@dataclass(frozen=True)
class Update:
    """Both additions and what memory holds. ``cells``: each worker has a cell of its own, added up at the end.

    ``others``: by node, the sums that compete with this ``node``'s.
    """

    addings: Sequence[Adding]
    writes: Sequence[Write]
    node: str
    others: Sequence[tuple[str, int]]
    cells: bool = False

    @property
    def total(self) -> int:
        return sum(each.score for each in self.addings) if self.cells else self.writes[-1].value

    @property
    def sums(self) -> list[tuple[str, int]]:
        """All nodes with their sums, by name."""
        return sorted([*self.others, (self.node, self.total)])

    @property
    def best(self) -> list[str]:
        """The nodes with the highest sum."""
        highest = max(value for _, value in self.sums)
        return [node for node, value in self.sums if value == highest]


def draw_update(
    update: Update, choices: tuple[Sequence[str], str] | None, until: int | None, room: Room, alt: str
) -> Html:
    """Worker 1 above, worker 2 below, memory between them; time runs to the right.

    ``choices``: the designs and the one chosen; None: nothing can be moved. ``until``: hide what happens after this
    time; -1 hides all.
    """
    unit = (room.width - LEFT - 8) / AXIS
    end = AXIS if until is None else until
    first, second = update.addings
    handles = choices is not None
    lanes = [*_lane(first, 2, unit, end, handles), *_lane(second, 2 * LANE + 6, unit, end, handles)]
    memory = _cells(update, end, unit) if update.cells else _memory(update, end, unit)
    shapes = [*memory, *lanes, *_arrows(update, end, unit)]
    y = 3.0 * LANE + 8
    if until is not None and until >= 0:
        x = LEFT + (until + 0.5) * unit
        shapes.append(element("path", d=f"M{x:.1f} 0V{y:.1f}", stroke=INK, stroke_dasharray="3 3", data_key="now"))
    shapes.append(label(say("time →"), room.width - 8, y - 6, "end"))
    shapes += _sums(update, until, y + 6, room.width)
    above = _designs(*choices, min(room.width, 640)) if choices is not None else []
    moved = element("g", *shapes, transform=f"translate(0,{PILLS})")
    return svg([*above, moved], room.width, PILLS + y + SUMS + 10, alt)


def _designs(known: Sequence[str], chosen: str, wide: float) -> list[Html]:
    """How the workers add: a click takes another design."""
    return pills([(say(SHORT[name]), f"design: {name}", name == chosen) for name in known], 0, 2, wide / len(known))


def _lane(adding: Adding, y: float, unit: float, end: int, handles: bool) -> list[Html]:
    """The worker, its bar from read to write, and what it holds meanwhile."""
    number = adding.worker
    colour = WORKERS[number - 1]
    who = token(number, 14, y + TALL / 2, data_key=f"worker/{number}")
    shapes = [who, label(say("adds {score}", score=adding.score), 30, y + TALL / 2 + 4)]
    x = LEFT + adding.read * unit
    long = max((adding.write - adding.read + 1) * unit, ALONE)
    if adding.waits is not None:
        start = LEFT + adding.waits * unit
        look = {"fill": "none", "stroke": INK, "stroke_dasharray": "4 3", "data_key": f"wait/{number}"}
        wait = rect(x - start, TALL - 16, None, start, y + 8, **look)
        words = say("waits") if text_width(say("waits")) + 6 < x - start else ""
        shapes += [wait, label(words, start + 4, y + TALL / 2 + 4)]
    shapes.append(rect(long, TALL, 6, x, y, fill=colour, stroke=HAIR, data_key=f"bar/{number}"))
    black = ink(colour)
    if adding.read < adding.write:
        reads = say("reads {seen}", seen=adding.seen) if adding.seen is not None else ""
        writes = _said(say("writes {gives}", gives=adding.gives), end >= adding.write, long)
        shapes.append(label(_said(reads, end >= adding.read, long), x + 12, y + 17, fill=black))
        shapes.append(label(writes, x + long - 12, y + 36, "end", fill=black))
    else:
        shapes.append(label(f"+{adding.score}", x + long / 2, y + 27, "middle", fill=black))
    return [*shapes, *(_grips(adding, x, y, long, unit) if handles else [])]


def _said(text: str, known: bool, long: float) -> str:
    """What a worker does, as much of it as its bar has room for: the number counts. ``known``: it has happened."""
    does, _, number = text.partition(" ")
    return fitting((text, number, "") if known else (does, ""), long - 18)


def _grips(adding: Adding, x: float, y: float, long: float, unit: float) -> list[Html]:
    """The bar's ends: they move its read and its write."""
    shapes = []
    once = adding.read == adding.write
    alone = "write" if adding.seen is None else "read"
    for name, at in (("read", x), ("write", x + long - 8)):
        if once and name != alone:
            continue
        grip = [] if once else [rect(8, TALL, 4, at, y, fill="currentColor", opacity=0.55)]
        start, wide = (x, long) if once else (at - 6, 20)
        hit = rect(wide, TALL + 4, None, start, y - 2, fill="transparent")
        said = say("worker {number} reads" if name == "read" else "worker {number} writes", number=adding.worker)
        marks = dragged(f"{name}{adding.worker}", "x", 2 * unit, said)
        shapes.append(element("g", *grip, hit, data_key=f"{name}/{adding.worker}", **marks))
    return shapes


def _memory(update: Update, end: int, unit: float) -> list[Html]:
    """The total over time: each write begins a new value; one that drops a score is orange."""
    y, known = LANE + 2.0, [each for each in update.writes if each.time <= end]
    shapes = _name(say("total in memory"), y + 16)
    times = [0, *(each.time for each in known)]
    ends = [*times[1:], AXIS if end >= AXIS else max(end, 0) + 1]
    for i, (start, stop) in enumerate(zip(times, ends, strict=True)):
        write = known[i - 1] if i else None
        x, right = LEFT + (start + 1 if i else 0) * unit - 5, LEFT + (stop + (stop < AXIS)) * unit - 5
        x, long = (x if i else float(LEFT)), max(right - x, 6)
        lost = write.lost if write is not None else 0
        fill = EVICTED if lost else UNCHANGED
        shapes.append(rect(long, TALL - 8, None, x, y, fill=fill, stroke=HAIR, data_key=f"total/{i}"))
        total = f"{write.value if write else 0}"
        loss = say("{total}: {lost} is lost {cross}", total=total, lost=lost, cross=CROSS)
        longer = [loss, f"{total} {CROSS}"] if lost else []
        text = fitting([*longer, total, ""], long - 8, bold=True)
        shapes.append(label(text, x + 6, y + 23, fill=ink(fill), font_weight="bold"))
    return shapes


def _name(words: str, y: float) -> list[Html]:
    """What stands in a row, in two lines before it."""
    return [label(line, 0, y + 15 * i, font_weight="bold") for i, line in enumerate(broken(words, 8))]


def _cells(update: Update, end: int, unit: float) -> list[Html]:
    """A cell for each worker instead of a total, below each other, from its write on; the sum comes last."""
    y, high, wide = LANE + 2.0, (TALL - 8) / 2, AXIS * unit * 0.75
    shapes = _name(say("cells in memory"), y + 16)
    for i, each in enumerate(update.addings):
        x, top = LEFT + (each.write + 1) * unit - 5, y + i * high
        shapes.append(middle([draw_cell(Cell(), Box(LEFT, top, wide, high))]))
        if end >= each.write:
            filled = {"fill": WORKERS[i], "data_key": f"cell/{i}"}
            shapes.append(rect(LEFT + wide - x - 1, high - 2, None, x, top + 1, **filled))
            shapes.append(label(str(each.score), x + 6, top + 13, fill=ink(WORKERS[i]), font_weight="bold"))
    done, place = end >= max(each.write for each in update.addings), Box(LEFT + wide + 6, y, wide / 3 - 6, TALL - 8)
    whole = f"{' + '.join(str(each.score) for each in update.addings)} = {update.total}"
    whole = fitting((whole, f"= {update.total}"), place.wide - 6)
    return [*shapes, middle([draw_cell(Cell(whole if done else "", fill=UNCHANGED), place)])]


def _arrows(update: Update, end: int, unit: float) -> list[Html]:
    """From memory to a worker that reads, and from a worker that writes to memory."""
    shapes = []
    for i, each in enumerate(update.addings):
        near, far = (TALL + 2.0, LANE + 2.0) if i == 0 else (2.0 * LANE + 6, LANE + TALL - 6.0)
        if each.seen is not None and each.read <= end:
            x = LEFT + each.read * unit + 4
            shapes.append(_arrow(x, far, near, f"arrow/read/{each.worker}"))
        if each.write <= end:
            shapes.append(_arrow(LEFT + (each.write + 1) * unit - 5, near, far, f"arrow/write/{each.worker}"))
    return shapes


def _arrow(x: float, start: float, end: float, key: str) -> Html:
    """An arrow up or down."""
    back = 5 if end > start else -5
    path = f"M{x:.1f} {start:.1f}V{end:.1f}m-4 {-back}l4 {back}l4 {-back}"
    return element("path", d=path, fill="none", stroke=INK, stroke_width=2, data_key=key)


def _sums(update: Update, until: int | None, y: float, wide: float) -> list[Html]:
    """The sums of all nodes in the end: which one wins with this total."""
    each = (wide - LEFT - 8) / len(update.sums)
    shapes = _name(say("sums at the end"), y + 13)
    names = brief([node for node, _ in update.sums], each - 8, f"{STAR} : 00")
    for i, (name, (node, value)) in enumerate(zip(names, update.sums, strict=True)):
        hidden = until is not None and node == update.node
        text = f"{name}: {'?' if hidden else value}"
        won = node in update.best and until is None
        marks = {"data_key": f"sum/{node}"}
        star = f"{STAR} {text}" if won and len(update.best) == 1 else text
        cell = best_cell(star, len(update.best) > 1, marks) if won else Cell(text, fill=UNCHANGED, marks=marks)
        shapes.append(middle([draw_cell(cell, Box(LEFT + i * each, y, each - 4, SUMS))]))
    return shapes
