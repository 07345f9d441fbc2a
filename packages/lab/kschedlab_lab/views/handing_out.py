"""Map as a picture: cards in a channel, workers that move from cell to cell, columns that fill, rows of Reduce."""

from __future__ import annotations

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import CLOSE, CROSS, STAR, Columns, columns, draw_rows, middle, named, token
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.map_reduce import FUNCTIONS, MAPPING, SUMMED, Handout, Piece, handing_out, reduced
from kschedlab_lab.views.style import EVICTED, INK, INK_2
from kschedlab_lab.views.svg import Room, label, svg

LINE, FEET, LOWEST, HIGHEST = 22, 38, 19, 30
"""Height of a line of tokens or cards, of what is below a column; of the lowest and the highest row."""
NARROWEST, WIDEST, CARD, ONE_LINE = 21, 56, 23, 42
"""Width of columns, of cards, and of the narrowest column in which a node's name and its card stand side by side."""
HIGH, PHONE = 330, 400
"""From this height of a room on, long names take two lines; below this width columns are closer together."""


def draw_handing_out(now: Handout, room: Room, alt: str) -> Html:
    """The whole picture."""
    rows = handing_out(now)
    phone = room.width < PHONE
    least = NARROWEST * 0.78 if phone else NARROWEST
    at = columns(room.width, [each.name for each in rows], len(now.work), least, WIDEST)
    bands = at.bands(len(now.work))
    cards = _Line(len(now.work), 0, at.left, room.width)
    free = _Line(len({piece.worker for piece in now.work}), cards.end, at.left, room.width)
    errors = LINE if now.error else 0
    top = LINE if at.wide >= ONE_LINE else LINE + 14
    fixed = free.end + errors + len(bands) * (top + FEET)
    short = any(text_width(each.name) > at.left - 10 for each in rows)
    lowest = 2 * CLOSE if short and room.height >= HIGH else LOWEST
    high = min(max((room.height - fixed) / (len(rows) * len(bands)), lowest), 2 * CLOSE if phone else HIGHEST)
    shapes = [*_channel(now, at, cards), *_free(now, at, free)]
    y, moving = free.end, list[Html]()
    for part in bands:
        shapes += _heads(now, part, at, y)
        y += top
        grid, bottom = draw_rows(rows, part, at, y, high)
        shapes += [*grid, *_goroutines(now, part, at, y, high), *_feet(now, part, at, bottom)]
        moving += _busy(now, part, at, y, high)
        y = bottom + FEET
    shapes += [*(_errors(now, at, y) if now.error else []), *moving]
    return svg(shapes, room.width, y + errors, alt)


class _Line:
    """Places for so many cards or workers from ``top`` on, in as many lines as they need; they end at ``end``."""

    def __init__(self, number: int, top: float, left: float, right: float) -> None:
        self.step = CARD if number * CARD <= right - left else CARD - 2
        self.per = max(int((right - left) / self.step), 1)
        self.top, self.left, self.end = top, left, top + LINE * max(-(-number // self.per), 1)

    def at(self, place: int) -> tuple[float, float]:
        return self.left + (place % self.per + 0.5) * self.step, self.top + LINE * (place // self.per) + 11


def _channel(now: Handout, at: Columns, line: _Line) -> list[Html]:
    """The indices that no worker has taken yet, as cards; the next one is on the left."""
    waiting = [piece.node for piece in now.work if piece.start >= now.tick and not now.stage]
    shapes = [named(say("channel"), at, line.top + 16)]
    if not waiting:
        shapes.append(label(say("empty and closed"), at.left, line.top + 16))
    return [*shapes, middle(_card(node, *line.at(place)) for place, node in enumerate(waiting))]


def _named(at: Columns, y: float, *texts: str, strong: bool = False) -> Html:
    """The longest of these names that fits."""
    fits = (text for text in texts if text_width(text, bold=strong) <= at.left - 10)
    return named(next(fits, texts[-1]), at, y, strong)


def _card(node: int, x: float, y: float, wide: float = 20) -> Html:
    """A node's index, for :func:`middle`: in the channel or at the head of its column."""
    box = element("rect", x=-wide / 2, y=-8, width=wide, height=16, rx=3, fill="none", stroke=INK_2)
    number = element("text", node, y=4)
    return element("g", box, number, data_key=f"card/{node}", transform=f"translate({x:.0f},{y:.0f})")


def _free(now: Handout, at: Columns, line: _Line) -> list[Html]:
    """The workers that have no node at this tick."""
    workers = sorted({piece.worker for piece in now.work})
    busy = {piece.worker for piece in now.work if _at_work(now, piece)}
    free = [worker for worker in workers if worker not in busy]
    pick = {worker: say("worker {worker}", worker=worker) for worker in workers}
    shapes = [named(say("free workers"), at, line.top + 16)]
    if not free:
        shapes.append(label(say("none"), at.left, line.top + 16))
    places = enumerate(free)
    return [*shapes, *(token(w, *line.at(i), data_key=f"worker/{w}", data_pick=pick[w]) for i, w in places)]


def _at_work(now: Handout, piece: Piece) -> bool:
    return now.stage == MAPPING and piece.start < now.tick <= piece.end


def _heads(now: Handout, part: range, at: Columns, y: float) -> list[Html]:
    """The nodes; beside a column's letter its index, framed as a card once a worker has taken it."""
    shapes = [_named(at, y + 16, say("node, and its index"), say("node, its index"), say("node"))]
    wide, found = at.wide >= ONE_LINE, list[Html]()
    sums = now.scores.total.tolist() if now.stage == SUMMED and not now.error else []
    for i in part:
        taken = now.work[i].start < now.tick or now.stage
        x = at.x(i) + at.wide / 2
        won = bool(sums) and sums[i] == max(sums) and sums.count(max(sums)) == 1
        name = f"{STAR}{now.names[i]}" if won else now.names[i]
        across, down = round(x - (14 if wide else 0)), round(y + (16 if wide else 12))
        found.append(element("text", name, x=across, y=down))
        place, line = x + (6 if wide else 0), y + (11 if wide else 25)
        found.append(
            _card(i, place, line, min(20, at.wide - 1))
            if taken
            else element("text", i, x=round(place), y=round(line + 4))
        )
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
            size = min(10, high / 2, at.wide / 2)
            shapes.append(token(piece.worker, x, middle, size, data_key=f"worker/{piece.worker}"))
    return shapes


def _feet(now: Handout, part: range, at: Columns, y: float) -> list[Html]:
    """Below each column: who has filled it, and how long that takes."""
    shapes = [
        _named(at, y + 15, say("filled by worker"), say("by worker")),
        _named(at, y + 34, say("ticks it takes"), say("ticks")),
    ]
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
    crosses = (
        (CROSS * now.errors if fits else say("{cross} {errors} errors", cross=CROSS, errors=now.errors))
        if now.errors
        else say("empty")
    )
    shapes = [_named(at, y + 15, say("errs (with a lock)"), say("errs (a lock)"), strong=True)]
    return [*shapes, label(crosses, at.left, y + 15, fill=EVICTED if now.errors else None)]
