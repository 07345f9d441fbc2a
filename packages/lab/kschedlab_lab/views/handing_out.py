"""Map as a picture: nodes as cards in a channel, a lane for each worker, and the array in which each has its own cells.

A card is as long as the ticks that its node takes, in the channel and in the lane of the worker that took it. A cell of
the array has the colour of the worker that has written it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cards import NUMBER, Piece, draw_card
from kschedlab_lab.views.cells import WORKERS, Dial, middle, token
from kschedlab_lab.views.lettering import fitting
from kschedlab_lab.views.map_reduce import Handout, mapped, row_name, short
from kschedlab_lab.views.style import ACT, HAIR, INK, INK_2, PANEL, TRAY, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

LEFT, LINE, HEAD, BELOW = 108, 24, 20, 16
"""Width of the names; heights of a line of cards, of the nodes' letters, and between the lanes and the array."""
LOWEST, HIGHEST, LANE, TALLEST, SHARE = 14, 34, 17, 40, 0.42
"""Heights of the lowest and the highest row and lane; how much of the height the lanes take, however many they are."""
SHORTEST, SAID, LETTER, PILED, ROOMY = 8, 62, 15, 1.9, 18
"""The least width of a tick, the room beside the lanes for the time that Map takes, the least width of a tick with a
letter, in pixels; how many lines of cards the channel has if one leaves no room for letters; the least width of a cell
with a gap beside it."""
HALO: dict[str, Any] = {"paint_order": "stroke", "stroke": PANEL, "stroke_width": 4}
"""What parts words from the lines behind them."""


class _Scale(NamedTuple):
    """``wide``: how long a line of cards is; ``tick``: how long a tick is; the lanes: where they begin, how high one
    is, and which worker is in each."""

    wide: float
    tick: float
    top: float
    high: float
    workers: list[int]

    @property
    def bottom(self) -> float:
        return self.top + self.high * len(self.workers)

    def x(self, tick: int) -> float:
        return LEFT + tick * self.tick

    def y(self, worker: int) -> float:
        return self.top + self.high * self.workers.index(worker)


def draw_handing_out(now: Handout, dial: Dial, room: Room, alt: str) -> Html:
    """The whole picture. ``dial``: how many workers there are."""
    workers, rows = sorted({piece.worker for piece in now.work}), mapped(now.decision)
    wide = room.width - LEFT - 4
    total = wide / sum(piece.ticks for piece in now.work)
    tick = min((wide - SAID) / now.last, max(total if total >= LETTER else PILED * total, SHORTEST))
    places, end = _channel(now, wide, tick)
    spare = room.height - end - BELOW - HEAD - 4
    high = min(max(SHARE * spare / len(workers), LANE), TALLEST)
    scale = _Scale(wide, tick, end + 4, high, workers)
    y = scale.bottom + BELOW
    line = min(max((room.height - y - HEAD - 4) / len(rows), LOWEST), HIGHEST)
    empty = [] if places else [label(say("empty and closed"), LEFT, 16, fill=INK_2)]
    cards = [
        draw_card(each, now.names[each.node], places[each.node], tick, LINE - 5, TRAY, 0)
        for each in now.work
        if each.node in places
    ]
    beside = scale.top + TALLEST / 2  # also with one lane; the dial stays where one clicks
    shapes = [_named(say("channel"), 16), *empty, *cards, *_lanes(now, scale)]
    shapes += [_named(say("workers"), beside - 9, NUMBER), dial.drawn(LEFT - NUMBER - 4, beside + 12)]
    shapes += _table(now, scale, rows, y, line)
    return svg(shapes, room.width, y + HEAD + line * len(rows) + 4, alt)


def _named(text: str, y: float, after: float = 0) -> Html:
    """What is beside its right."""
    return label(text, LEFT - 8 - after, y, "end", font_weight="bold")


def _waits(now: Handout, piece: Piece) -> bool:
    return piece.start >= now.tick


def _at_work(now: Handout, piece: Piece) -> bool:
    """Whether its worker is on a cell: it has taken the card, and has not finished it."""
    return piece.start < now.tick < piece.end


def _channel(now: Handout, wide: float, tick: float) -> tuple[dict[int, tuple[float, float]], float]:
    """By node that no worker has taken yet: where its card lies, the next one on the left; and where the lanes begin.

    The channel keeps the lines that it needs for all cards.
    """
    places, end = dict[int, tuple[float, float]](), 0.0
    for waiting in (now.work, [piece for piece in now.work if _waits(now, piece)]):
        places.clear()
        x, y = float(LEFT), 1.0
        for piece in waiting:
            long = piece.ticks * tick
            if x + long > LEFT + wide + 1:
                x, y = float(LEFT), y + LINE
            places[piece.node] = (x, y)
            x += long
        end = max(end, y + LINE)
    return places, end


def _lanes(now: Handout, scale: _Scale) -> list[Html]:
    """What each worker has taken so far, and the time; before its lane the worker if it is free, else its number."""
    busy, shapes = {piece.worker for piece in now.work if _at_work(now, piece)}, [_ruler(now, scale)]
    for worker in scale.workers:
        y, pick = scale.y(worker), say("worker {worker}", worker=worker)
        centre = y + scale.high / 2
        if worker in busy:
            shapes.append(label(str(worker), LEFT - 12, centre + 4.2, "middle"))
        else:
            shapes.append(token(worker, LEFT - 12, centre, 9, data_key=f"worker/{worker}"))
        if now.asks:
            look: dict[str, Any] = {"fill": "transparent", "stroke": ACT, "data_pick": pick}
            frame = rect(scale.wide + NUMBER - 4, scale.high - 3, 6, LEFT - NUMBER, y + 1.5, **look)
            shapes.append(element("g", frame, data_key=f"pick/{worker}"))
        shapes += [
            draw_card(
                piece,
                now.names[piece.node],
                (scale.x(piece.start), y + 1),
                scale.tick,
                scale.high,
                WORKERS[worker - 1],
                min(now.tick, piece.end) - piece.start,
            )
            for piece in now.work
            if piece.worker == worker and not _waits(now, piece)
        ]
    return [*shapes, *_time(now, scale)]


def _ruler(now: Handout, scale: _Scale) -> Html:
    """A line for each tick."""
    ticks = range(int(scale.wide / scale.tick) + 1)
    path = "".join(f"M{scale.x(tick):.1f} {scale.top - 2:g}V{scale.bottom:g}" for tick in ticks)
    return element("path", d=path, stroke=HAIR)


def _time(now: Handout, scale: _Scale) -> list[Html]:
    """The present tick, over the cards; once Map has begun, how long it takes."""
    down = f"{scale.top - 3:g}V{scale.bottom + 2:g}"
    dashed: dict[str, Any] = {"stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "3 3"}
    shapes = [element("path", d=f"M{scale.x(now.tick):.1f} {down}", **dashed, data_key="now")]
    if now.tick == now.last:
        y = (scale.top + scale.bottom) / 2 + 4
        done = say("{ticks} ticks", ticks=now.last)
        shapes.append(label(done, scale.x(now.last) + 8, y, font_weight="bold", **HALO))
    return shapes


# -- the array


def _table(now: Handout, scale: _Scale, rows: list[str], y: float, high: float) -> list[Html]:
    """The array with its nodes above and its algorithms beside it: a cell is its writer's, and a worker is on the cell
    that it writes next."""
    wide, top = scale.wide / len(now.names), y + HEAD
    letters, cells, busy = list[Html](), list[Html](), list[Html]()
    size = min(9, high / 2 + 2)
    for piece in now.work:
        x, done = LEFT + piece.node * wide, now.done(piece)
        letters.append(element("text", now.names[piece.node], x=round(x + wide / 2), y=round(y + 13)))
        for row, name in enumerate(rows):
            at = x, top + row * high
            cells.append(_cell(now, piece, (row, name), at, (wide, high), row < done))
        if _at_work(now, piece):
            mid = top + (min(done, len(rows) - 1) + 0.5) * high
            busy.append(token(piece.worker, x + wide / 2, mid, size, most=wide, data_key=f"worker/{piece.worker}"))
    said = [
        label(row_name(name), LEFT - 8, top + (row + 0.5) * high + 4, "end", fill=INK_2, data_tip=short(name))
        for row, name in enumerate(rows)
    ]
    return [_named("results", y + 13), *said, middle(letters), middle(cells), *busy]


def _cell(
    now: Handout,
    piece: Piece,
    row: tuple[int, str],
    at: tuple[float, float],
    size: tuple[float, float],
    is_written: bool,
) -> Html:
    """The cell of one algorithm, the ``row``, and of the piece's node: empty until it is written, then its writer's
    colour and its score, for which a narrow cell has only a tip."""
    number, name = row
    x, y = round(at[0]) + 1, round(at[1], 1) + 1
    wide, high = round(size[0]) - (2 if size[0] >= ROOMY else 1), round(size[1] - 2, 1)
    if not is_written:
        return rect(wide, high, 3, x, y, fill=TRAY)
    score, fill = str(now.raw(name)[piece.node]), WORKERS[piece.worker - 1]
    tip = say("{algorithm} of {node}: {score}", algorithm=short(name), node=now.names[piece.node], score=score)
    said = element(
        "text", fitting((score, ""), wide + 0.5), x=round(x + wide / 2), y=round(y + high / 2 + 4), fill=ink(fill)
    )
    box = rect(wide, high, 3, x, y, fill=fill)
    return element("g", box, said, data_key=f"cell/{number}/{piece.node}", data_tip=tip)
