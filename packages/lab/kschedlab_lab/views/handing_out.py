"""Map as a picture: nodes as cards in a channel, a lane for each worker, and the array in which each has its own slots.

A card is as long as the ticks that its node takes, in the channel and in the lane of the worker that took it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import (
    LEGIBLE,
    STAR,
    WORKERS,
    Box,
    Columns,
    Dial,
    ScoreRow,
    columns,
    draw_rows,
    middle,
    named,
    token,
)
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.map_reduce import (
    FUNCTIONS,
    MAPPING,
    SUMMED,
    Handout,
    Piece,
    handing_out,
    reduced,
    row_name,
    sum_row,
)
from kschedlab_lab.views.style import ACT, HAIR, INK, INK_2, PANEL, TRAY, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

LINE, HEAD, LOWEST, HIGHEST, LANE, FEW, MANY, NUMBER, KEY, BELOW = 24, 20, 15, 40, 17, 4, 8, 24, 20, 26
"""Heights of a line of cards, of the nodes' letters, of the lowest and the highest row, of the lowest lane; how many
lanes there are below one another if there is room for columns of them, and at most; width of a worker before a lane;
height of what explains the frames, and between the lanes and the array. In pixels."""
NARROWEST, WIDEST, AIR, SHORTEST, SAID, LETTER, PILED = 16, 240, 6, 9, 62, 15, 1.9
"""Widths of columns, what is free beside a raw score, the least width of a tick in the channel, the room beside the
lanes for the time that Map takes, and the least width of a tick with a letter, in pixels; how many lines of cards the
channel has if one leaves no room for letters."""
TIMED = 54
"""The most that the numbers of one time of Map need, in pixels."""
HALO: dict[str, Any] = {"paint_order": "stroke", "stroke": PANEL, "stroke_width": 4}
"""What parts words from the lines behind them."""
SHARE = 0.34
"""How much of the height the lanes take, however many they are: a row of numbers is as high with any."""


class Scale(NamedTuple):
    """``left``: where cards and lanes begin; ``wide``: how long a line is; ``tick``: how long a tick is."""

    left: float
    wide: float
    tick: float


class Lanes(NamedTuple):
    """``per`` are below one another, from ``top`` on, each ``high``; ``block``: from one column to the next."""

    workers: Sequence[int]
    per: int
    block: float
    top: float
    high: float

    @property
    def columns(self) -> int:
        return -(-len(self.workers) // self.per)

    @property
    def bottom(self) -> float:
        return self.top + self.high * self.per


def draw_handing_out(now: Handout, dials: tuple[Dial, Dial], room: Room, alt: str) -> Html:
    """The whole picture. ``dials``: how many nodes and workers there are. A plain table has a row for the sums."""
    plugins = now.scores.plugins
    sums = [sum_row(now.scores).name] if now.plain else []
    at = columns(room.width, map(row_name, plugins), len(now.work), NARROWEST, WIDEST, strong=sums)
    if now.plain:
        high = min((room.height - HEAD - KEY - 4) / (len(plugins) + 1), HIGHEST)
        return svg(_table(now, at, 1, high), room.width, HEAD + high * (len(plugins) + 1) + KEY + 4, alt)
    workers = sorted({piece.worker for piece in now.work})
    wide = room.width - at.left - 4
    per = _below(len(workers), _last(now), wide)
    block = _block(len(workers), per, wide)
    scale = Scale(at.left, wide, _tick(now, wide, block))
    places, end = _channel(now, scale)
    spare = room.height - end - BELOW - 4 - HEAD - KEY
    lanes = Lanes(workers, per, block, end, max(SHARE * spare / per, LANE))
    y = lanes.bottom + BELOW
    high = min(max((spare - lanes.high * per) / len(plugins), LOWEST), HIGHEST)
    empty = [] if places else [label(say("empty and closed"), at.left, 16, fill=INK_2)]
    centre = (lanes.top + lanes.bottom) / 2
    shapes = [named(say("channel"), at, 16), *empty, *_cards(now, scale, places), *_lanes(now, lanes, scale)]
    shapes += [named(say("workers"), at, centre - 9, after=NUMBER), dials[1].drawn(at.left - NUMBER - 4, centre + 12)]
    if now.idle:
        shapes.append(named(say("{number} start", number=len(workers)), at, centre + 33, after=NUMBER))
    shapes += _times(now, at, lanes.bottom + 13)
    shapes += [dials[0].drawn(at.left - 6, y + HEAD / 2), *_table(now, at, y, high)]
    return svg(shapes, room.width, y + HEAD + high * len(plugins) + 2 + KEY, alt)


def _block(workers: int, per: int, wide: float) -> float:
    """How far it is from one column of lanes to the next, with so many in each."""
    return (wide + NUMBER) / -(-workers // per)


def _below(workers: int, last: int, wide: float) -> int:
    """How many lanes are below one another: few, if their columns leave room for the ticks and for what is beside."""
    for blocks in range(-(-workers // FEW), -(-workers // MANY), -1):
        per = -(-workers // blocks)
        if (_block(workers, per, wide) - NUMBER - SAID) / last >= SHORTEST:
            return per
    return -(-workers // -(-workers // MANY))


def _tick(now: Handout, wide: float, block: float) -> float:
    """How long a tick is: all cards fill one line of the channel, or two if one leaves no room for letters."""
    tick = wide / sum(map(_ticks, now.work))
    piled = tick if tick >= LETTER else PILED * tick
    return min((block - NUMBER - SAID) / _last(now), max(piled, SHORTEST))


def _ticks(piece: Piece) -> int:
    return piece.end - piece.start


def _slots(now: Handout, wide: float) -> list[ScoreRow]:
    """The rows with the numbers that fit into cells of this width and that no worker is on; sums are always said. The
    raw scores are there if all of them fit."""
    rows = handing_out(now)
    has_raw = all(
        text_width(cell.before + cell.text) + AIR <= wide for each in rows for cell in each.cells if cell.before
    )
    return [each if each.strong else _slot(each, now, wide, i, has_raw) for i, each in enumerate(rows)]


def _slot(each: ScoreRow, now: Handout, wide: float, number: int, has_raw: bool) -> ScoreRow:
    busy = (piece for piece in now.work if _at_work(now, piece) and _line(now, piece) == number)
    cells, covered = [], {now.names[piece.node] for piece in busy}
    for cell, node in zip(each.cells, now.names, strict=True):
        score = cell.before + cell.text
        tip = say("{algorithm} of {node}: {score}", algorithm=each.name, node=node, score=score)
        marks = {**cell.marks, "data_tip": tip} if cell.text else cell.marks
        fits = text_width(cell.text) <= wide and node not in covered
        shown = cell.text if fits else ""
        cells.append(replace(cell, text=shown, marks=marks, before=cell.before if has_raw else ""))
    return replace(each, cells=cells)


# -- cards and workers


def _waits(now: Handout, piece: Piece) -> bool:
    return piece.start >= now.tick and not now.stage


def _at_work(now: Handout, piece: Piece) -> bool:
    return now.stage == MAPPING and piece.start < now.tick <= piece.end and now.tick < _last(now)


def _channel(now: Handout, scale: Scale) -> tuple[dict[int, tuple[float, float]], float]:
    """By node that no worker has taken yet: where its card lies, the next one on the left; and where the lanes begin.

    The channel keeps the lines that it needs for all cards.
    """
    places, end = dict[int, tuple[float, float]](), 0.0
    for waiting in (now.work, [piece for piece in now.work if _waits(now, piece)]):
        places.clear()
        x, y = scale.left, 1.0
        for piece in waiting:
            long = _ticks(piece) * scale.tick
            if x + long > scale.left + scale.wide + 1:
                x, y = scale.left, y + LINE
            places[piece.node] = (x, y)
            x += long
        end = max(end, y + LINE)
    return places, end


def _cards(now: Handout, scale: Scale, places: dict[int, tuple[float, float]]) -> list[Html]:
    """The cards in the channel."""
    return [_card(now, piece, *places[piece.node], scale, LINE - 5, "none") for piece in now.work if _waits(now, piece)]


def _card(now: Handout, piece: Piece, x: float, y: float, scale: Scale, high: float, fill: str) -> Html:
    """A node's card: in the channel, or in the lane of the worker that took it."""
    long = _ticks(piece) * scale.tick - 2
    box = rect(round(long, 1), round(high - 2, 1), 4, fill=fill, stroke=INK_2 if fill == "none" else HAIR)
    name = now.names[piece.node]
    fits = text_width(name) <= long + 2
    colour = None if fill == "none" else ink(fill)
    words = label(name, round(long / 2, 1), round(high / 2 + 3.2, 1), "middle", fill=colour)
    tip = say("{node}, index {index}, {ticks} ticks", node=name, index=piece.node, ticks=_ticks(piece))
    marks = {"data_key": f"card/{piece.node}", "data_tip": tip, "transform": f"translate({x:.1f},{y:.1f})"}
    return element("g", box, words if fits else None, **marks)


def _lanes(now: Handout, lanes: Lanes, scale: Scale) -> list[Html]:
    """What each worker has taken so far, and the time; before its lane the worker if it is free, else its number."""
    busy = {piece.worker for piece in now.work if _at_work(now, piece)}
    high = lanes.high
    shapes = list[Html]()
    for place, worker in enumerate(lanes.workers):
        column, row = divmod(place, lanes.per)
        x, y, pick = scale.left + column * lanes.block, lanes.top + row * high, say("worker {worker}", worker=worker)
        shapes += [] if row else _time(now, lanes, scale, column)
        middle = y + high / 2
        if worker in busy:
            shapes.append(label(str(worker), x - 12, middle + 4.2, "middle"))
        else:
            shapes.append(token(worker, x - 12, middle, min(9, high / 2 - 1.5), data_key=f"worker/{worker}"))
        if now.asks == "worker":
            look: dict[str, Any] = {
                "fill": "transparent",
                "stroke": ACT,
                "data_key": f"pick/{worker}",
                "data_pick": pick,
            }
            shapes.append(rect(lanes.block - 4, high - 2, 6, x - NUMBER, y + 1, **look))
        colour = WORKERS[(worker - 1) % len(WORKERS)]
        mine = [piece for piece in now.work if piece.worker == worker and not _waits(now, piece)]
        shapes += [_card(now, piece, x + piece.start * scale.tick, y + 1, scale, high, colour) for piece in mine]
    return [*shapes, _ends(now, lanes, scale)] if now.tick else shapes


def _time(now: Handout, lanes: Lanes, scale: Scale, column: int) -> list[Html]:
    """A line for each tick, for the one that it is, and once Map has begun for the one in which it ends."""
    left, down = scale.left + column * lanes.block, f"{lanes.top - 2:g}V{lanes.bottom:g}"
    ticks = range(int((lanes.block - NUMBER) / scale.tick))
    ruler = element("path", d="".join(f"M{left + tick * scale.tick:.1f} {down}" for tick in ticks), stroke=HAIR)
    end = element("path", d=f"M{left + _last(now) * scale.tick:.1f} {down}", stroke=INK_2)
    dashed: dict[str, Any] = {"stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "3 3"}
    here = element("path", d=f"M{left + now.tick * scale.tick:.1f} {down}", **dashed, data_key=f"now/{column}")
    return [ruler, end, here] if now.tick else [ruler, here]


def _ends(now: Handout, lanes: Lanes, scale: Scale) -> Html:
    """Beside the last column, how long Map takes."""
    x = scale.left + (lanes.columns - 1) * lanes.block + _last(now) * scale.tick + 6
    y = lanes.top + lanes.high * (lanes.per // 2 + 0.5) + 3.5
    return label(say("{ticks} ticks", ticks=_last(now)), x, y, font_weight="bold", **HALO)


def _times(now: Handout, at: Columns, y: float) -> list[Html]:
    """Below the lanes what a line is; once Map has ended how long it takes with so many workers, and with fewer."""
    if not now.times:
        return [label(say("each line is one tick"), at.left, y, fill=INK_2)]
    wide, present = at.wide * len(now.names), len({piece.worker for piece in now.work}) + now.idle
    places = len(now.times) if wide > 1.2 * TIMED * len(now.times) else 3
    each = (wide - places * TIMED) / sum(sorted(now.times.values())[-places:])
    shapes, x = [named(say("workers: ticks"), at, y)], at.left
    for workers, ticks in [pair for pair in now.times.items() if pair[0] <= present][-places:]:
        look: dict[str, Any] = {"font_weight": "bold"} if workers == present else {}
        long, after = ticks * each, x + text_width(f"{workers}:", bold=True) + 4
        bar = rect(round(long, 1), 8, 2, after, y - 8, fill=INK if look else INK_2, data_key=f"time/{workers}")
        shapes += [label(f"{workers}:", x, y, **look), bar, label(str(ticks), after + long + 4, y, **look)]
        x = after + long + text_width(str(ticks), bold=True) + 14
    return shapes


def _last(now: Handout) -> int:
    return max(piece.end for piece in now.work)


# -- the array


def _table(now: Handout, at: Columns, y: float, high: float) -> list[Html]:
    """The array with its nodes above, rows of this height, who is at work on it, and what the frames mean."""
    table = Box(at.left, y + HEAD, at.wide, high)
    shapes = [_letters(now, at, y), *draw_rows(_slots(now, at.wide), at, table.y, high)]
    plugins, busy = len(now.scores.plugins), _busy(now, table)
    shapes += [*_goroutines(now, table), *_running(now, table), *busy]
    if now.asks == "node":
        shapes += _columns(now, at, y, HEAD + high * plugins)
    below = table.y + high * (plugins + now.plain) + 2
    return [*shapes, *_key(now, at, below, bool(busy))]


def _letters(now: Handout, at: Columns, y: float) -> Html:
    """The node of each column."""
    sums = now.scores.total.tolist()
    found = []
    for i, letter in enumerate(now.names):
        name = f"node-{letter}" if now.plain else letter
        text = f"{STAR}{name}" if now.stage == SUMMED and sums[i] == max(sums) else name
        found.append(element("text", text, x=round(at.x(i) + at.wide / 2), y=round(y + 13)))
    return middle(found)


def _columns(now: Handout, at: Columns, y: float, high: float) -> list[Html]:
    """A frame around each node's column, for an answer by a click."""
    look: dict[str, Any] = {"fill": "transparent", "stroke": ACT, "stroke_width": 1.5}
    picks = [{"data_key": f"pick/{i}", "data_pick": f"node-{name}"} for i, name in enumerate(now.names)]
    return [rect(round(at.wide) - 2, high, 6, round(at.x(i) + 1), y, **look, **pick) for i, pick in enumerate(picks)]


def _busy(now: Handout, table: Box) -> list[Html]:
    """Workers on the slot that they write next, or below their column when they have finished it in this tick."""
    size = min(10, max(8, table.high / 2))
    shapes = []
    for piece in now.work:
        if _at_work(now, piece):
            x, y = table.x + (piece.node + 0.5) * table.wide, table.y + (_line(now, piece) + 0.5) * table.high
            shapes.append(token(piece.worker, x, y, size, most=table.wide, data_key=f"worker/{piece.worker}"))
    return shapes


def _line(now: Handout, piece: Piece) -> int:
    """The row that the piece's worker is on."""
    lines = [i for i, name in enumerate(now.scores.plugins) if name not in FUNCTIONS]
    return lines[min(now.done(piece), len(lines) - 1)]


def _goroutines(now: Handout, table: Box) -> list[Html]:
    """A frame around each row that one goroutine writes: the Function's, and after Map those of Reduce."""
    x, wide = table.x - 2, len(now.work) * table.wide + 2
    owned = {*FUNCTIONS, *(reduced(now.scores) if now.stage else ())}
    thick = {"stroke_width": 2.5 if table.high >= LEGIBLE else 1.5}
    return [
        rect(wide, table.high, 4, x, table.y + i * table.high, **_frame(name in FUNCTIONS) | thick, data_key=f"row/{i}")
        for i, name in enumerate(now.scores.plugins)
        if name in owned
    ]


def _running(now: Handout, table: Box) -> list[Html]:
    """In the row of a Function what it is, while it may run."""
    x, y = table.x + len(now.work) * table.wide / 2, table.y + table.high / 2 + 4.2
    return [
        label(say("Function, running"), x, y + i * table.high, "middle", fill=INK_2, **HALO)
        for i, name in enumerate(now.scores.plugins)
        if name in FUNCTIONS and now.waits
    ]


def _frame(is_function: bool) -> dict[str, Any]:
    """How the row of a Function is framed, and that of a Reduce."""
    dashed = {"stroke_dasharray": "5 4"} if is_function else {}
    return {"fill": "none", "stroke": INK, "stroke_width": 2.5, **dashed}


def _key(now: Handout, at: Columns, y: float, is_busy: bool) -> list[Html]:
    """What the marks mean: of a worker that writes, of cells with an outline only, of the frames."""
    signs = list[tuple[Html, str]]()
    if is_busy:
        signs.append((rect(14, 14, 7, 4, 4, fill=INK), say("a worker, where it writes")))
    if now.stage:
        signs.append((rect(22, 12, 3, 0, 5, **_frame(False)), say("Reduce: a goroutine each")))
    if not now.waits:
        signs.append((rect(22, 12, 3, 0, 5, **_frame(True)), say("Function")))
    most = max(piece.worker for piece in now.work)
    if most > len(WORKERS):
        ring = rect(19, 9, 2, 1.5, 6.5, fill=TRAY, stroke=WORKERS[0], stroke_width=3)
        signs.append((ring, say("workers {first} to {last}", first=len(WORKERS) + 1, last=most)))
    right, long = at.x(len(now.names)), [29 + text_width(words) + 16 for _, words in signs]
    x, shapes = max(min(at.left, right - sum(long)), 0), list[Html]()
    for (sign, words), wide in zip(signs, long, strict=True):
        if x + wide - 16 <= right:
            shapes.append(element("g", sign, label(words, 29, 15.5), transform=f"translate({x:.1f},{y:.1f})"))
        x += wide
    return shapes
