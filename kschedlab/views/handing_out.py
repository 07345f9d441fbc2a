"""Map as a picture: cards in a channel, workers that move from cell to cell, columns that fill, rows of Reduce."""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.views.cells import CROSS, INK, STAR, Box, Columns, columns, draw_rows, middle, named, token
from kschedlab.views.html import Html, element
from kschedlab.views.map_reduce import FUNCTIONS, MAPPING, SUMMED, Handout, Piece, handing_out, reduced
from kschedlab.views.style import EVICTED
from kschedlab.views.svg import Room, label, svg
from kschedlab.views.words import count

LINE, FEET, BARS, LOWEST, HIGHEST = 22, 38, 50, 19, 30
"""Height of a line of tokens or cards, of what is below a column, of the bars; of the lowest and the highest row."""
NARROWEST, WIDEST, CARD, ONE_LINE = 21, 56, 23, 42
"""Width of columns, of cards, and of the narrowest column in which a node's name and its card stand side by side."""


def draw_handing_out(now: Handout, times: Sequence[int], room: Room, alt: str) -> Html:
    """The whole picture. ``times``: by number of workers, from 1 on, the ticks that Map takes with so many."""
    rows = handing_out(now)
    at = columns(room.width, [each.name for each in rows], len(now.work), NARROWEST, WIDEST)
    bands = at.bands(len(now.work))
    errors = LINE if now.error else 0
    top = LINE if at.wide >= ONE_LINE else LINE + 14
    fixed = 2 * LINE + BARS + errors + len(bands) * (top + FEET)
    high = min(max((room.height - fixed) / (len(rows) * len(bands)), LOWEST), HIGHEST)
    shapes = [*_channel(now, at), *_free(now, at)]
    y, moving = 2.0 * LINE, list[Html]()
    for part in bands:
        shapes += _heads(now, part, at, y)
        y += top
        grid, bottom = draw_rows(rows, part, at, y, high)
        shapes += [*grid, *_goroutines(now, part, at, y, high), *_feet(now, part, at, bottom)]
        moving += _busy(now, part, at, y, high)
        y = bottom + FEET
    shapes += [
        *(_errors(now, at, y) if now.error else []),
        *_times(now, times, Box(at.left, y + errors, room.width - at.left - 2, BARS)),
        *moving,
    ]
    return svg(shapes, room.width, y + errors + BARS, alt)


def _channel(now: Handout, at: Columns) -> list[Html]:
    """The indices that no worker has taken yet, as cards; the next one is on the left."""
    waiting = [piece.node for piece in now.work if piece.start >= now.tick and not now.stage]
    shapes = [named("channel", at, 16)]
    if not waiting:
        shapes.append(label("empty and closed", at.left, 16))
    cards = [_card(node, at.left + place * CARD + CARD / 2, 11) for place, node in enumerate(waiting)]
    return [*shapes, middle(cards)]


def _card(node: int, x: float, y: float) -> Html:
    """A node's index, for :func:`middle`: in the channel or at the head of its column."""
    box = element("rect", x=-10, y=-8, width=20, height=16, rx=3, fill="none", stroke=INK)
    number = element("text", node, y=4)
    return element("g", box, number, data_key=f"card/{node}", transform=f"translate({x:.0f},{y:.0f})")


def _free(now: Handout, at: Columns) -> list[Html]:
    """The workers that have no node at this tick."""
    workers = sorted({piece.worker for piece in now.work})
    busy = {piece.worker for piece in now.work if _at_work(now, piece)}
    free = [worker for worker in workers if worker not in busy]
    pick = {worker: f"worker {worker}" for worker in workers}
    shapes = [named("free workers", at, LINE + 16)]
    if not free:
        shapes.append(label("none", at.left, LINE + 16))
    places = enumerate(free)
    shapes += [
        token(w, at.left + (i + 0.5) * CARD, LINE + 11, data_key=f"worker/{w}", data_pick=pick[w]) for i, w in places
    ]
    return shapes


def _at_work(now: Handout, piece: Piece) -> bool:
    return now.stage == MAPPING and piece.start < now.tick <= piece.end


def _heads(now: Handout, part: range, at: Columns, y: float) -> list[Html]:
    """The nodes; a column's card stands beside its letter once a worker has taken it."""
    shapes = [named("node, and its index", at, y + 16)]
    wide, found = at.wide >= ONE_LINE, list[Html]()
    sums = now.scores.total.tolist() if now.stage == SUMMED and not now.error else []
    for i in part:
        taken = now.work[i].start < now.tick or now.stage
        x = at.x(i) + at.wide / 2
        won = bool(sums) and sums[i] == max(sums) and sums.count(max(sums)) == 1
        name = f"{STAR}{now.names[i]}" if won else now.names[i]
        across, down = round(x - (14 if wide and taken else 0)), round(y + (16 if wide else 12))
        found.append(element("text", name, x=across, y=down))
        if taken:
            found.append(_card(i, x + (6 if wide else 0), y + (11 if wide else 25)))
    return [*shapes, middle(found)]


def _busy(now: Handout, part: range, at: Columns, y: float, high: float) -> list[Html]:
    """Workers on the cell that they write next, or below their column when they have finished it in this tick."""
    lines = [i for i, name in enumerate(now.scores.plugins) if name not in FUNCTIONS]
    shapes = []
    for piece in now.work:
        if _at_work(now, piece) and piece.node in part:
            done = now.done(piece)
            below = y + len(now.scores.plugins) * high + LINE / 2
            middle = y + (lines[done] + 0.5) * high if done < len(lines) else below
            x = at.x(piece.node) + at.wide / 2
            size = min(10, high / 2)
            shapes.append(token(piece.worker, x, middle, size, data_key=f"worker/{piece.worker}"))
    return shapes


def _feet(now: Handout, part: range, at: Columns, y: float) -> list[Html]:
    """Below each column: who has filled it, and how long that takes."""
    shapes = [named("filled by worker", at, y + 15), named("ticks it takes", at, y + 34)]
    who, ticks = list[Html](), list[Html]()
    for i in part:
        piece, x = now.work[i], at.x(i) + at.wide / 2
        if piece.end < now.tick or now.stage:
            who.append(element("text", piece.worker, x=round(x), y=round(y + 15)))
        ticks.append(element("text", piece.end - piece.start, x=round(x), y=round(y + 34)))
    bold = element("g", *who, font_weight="bold", text_anchor="middle")
    return [*shapes, bold, middle(ticks)]


def _goroutines(now: Handout, part: range, at: Columns, y: float, high: float) -> list[Html]:
    """A frame around each row that one goroutine has written: the Function's, and those of Reduce."""
    shapes = []
    for number, name in enumerate(now.scores.plugins):
        function = name in FUNCTIONS and now.function
        if function or (now.stage and name in reduced(now.scores)):
            box = {"x": at.x(part[0]) - 2, "y": y + number * high, "width": len(part) * at.wide + 2, "height": high}
            key = f"row/{number}/{part[0]}"
            shapes.append(element("rect", data_key=key, rx=4, fill="none", stroke=INK, stroke_width=2.5, **box))
    return shapes


def _errors(now: Handout, at: Columns, y: float) -> list[Html]:
    """The list that all workers share, and therefore lock; a cross for each error."""
    fits = at.left + now.errors * 13 < at.x(at.per - 1)
    crosses = (CROSS * now.errors if fits else f"{CROSS} {now.errors} errors") if now.errors else "empty"
    shapes = [named("errs (with a lock)", at, y + 15, strong=True)]
    return [*shapes, label(crosses, at.left, y + 15, fill=EVICTED if now.errors else None)]


def _times(now: Handout, times: Sequence[int], box: Box) -> list[Html]:
    """For each number of workers a bar: the ticks until Map ends. A click takes so many workers."""
    wide, names = min(box.wide / len(times), 40), Columns(box.x, 0, 1)
    shapes = [named("ticks of Map ...", names, box.y + 13), named("... with workers", names, box.y + box.high - 3)]
    clicks = []
    for place, ticks in enumerate(times):
        x, tall = box.x + place * wide, max(18 * ticks / max(times), 1)
        mine = place + 1 == now.workers
        path = f"M{x + 2:.0f} {box.y + 34:.0f}v{-tall:.1f}h{wide - 4:.0f}v{tall:.1f}z"
        bar = element("path", d=path, fill=INK if mine else "none", stroke=INK)
        above = element("text", ticks, x=round(x + wide / 2), y=round(box.y + 31 - tall))
        below = element("text", place + 1, x=round(x + wide / 2), y=round(box.y + box.high - 3))
        size = {"x": round(x), "y": round(box.y), "width": round(wide), "height": round(box.high)}
        hit = element("rect", fill="transparent", **size)
        say = f"{count(place + 1, 'worker')}: {count(ticks, 'tick')}"
        handle = {"data_set": f"workers: {place + 1}", "aria_label": say, "data_tip": say}
        clicks.append(element("g", bar, above, below, hit, font_weight="bold" if mine else None, **handle))
    return [*shapes, middle(clicks)]
