"""The course as a map: a card with a small picture for each lesson, and arrows to the lessons that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, HAIR, KINDS, PRIORITIES, TRAY
from kschedlab_lab.views.svg import Room, label, svg

Point: TypeAlias = tuple[float, float]
WIDE, TALL, LOW, EDGE = 88, 88, 44, 8
"""Size of a card, its height in a narrow room, and the margin; in pixels at normal size."""
ICON, SMALL = (60, 40), 11.2
INK = "currentColor"


@dataclass(frozen=True)
class LessonCard:
    """A lesson. ``place``: its column and its row; ``after``: the numbers of lessons before it; ``set``: the control.

    ``here``: it is the current one; ``lit``: it leads there.
    """

    number: str
    name: str
    minutes: int
    place: Point
    after: tuple[str, ...]
    set: str = ""
    here: bool = False
    lit: bool = False


def draw_course(cards: Sequence[LessonCard], alt: str, room: Room) -> Html:
    """The cards and their arrows, from left to right; in a narrow room from the top down."""
    across = room.width >= 540
    wide = width_of(room)
    spots = _spots(cards, room, across, wide)
    by_number = {card.number: card for card in cards}
    tall = TALL if across else LOW
    arrows = [
        _arrow(
            spots[before],
            spots[card.number],
            (wide, tall),
            across,
            lit=by_number[before].lit and (card.lit or card.here),
        )
        for card in cards
        for before in card.after
    ]
    bottom = max(y for _, y in spots.values()) + tall + EDGE
    return svg(
        [*arrows, *(_card(card, *spots[card.number], wide, tall) for card in cards)], room.width, bottom, alt, size=13
    )


def width_of(room: Room) -> float:
    """The width of a card: seven stand side by side with arrows between them, if there is room."""
    return min(WIDE, (room.width - 2 * EDGE) / 7 - 9) if room.width >= 540 else WIDE


def _spots(cards: Sequence[LessonCard], room: Room, across: bool, wide: float) -> Mapping[str, Point]:
    """The upper left corner of each card."""
    places = {card.number: card.place if across else (card.place[1], card.place[0]) for card in cards}
    columns, rows = (max(place[i] for place in places.values()) for i in (0, 1))
    pitch = (room.width - 2 * EDGE - wide) / max(columns, 1)
    down = TALL + 28 if across else LOW + 18
    return {number: (EDGE + x * pitch, EDGE + y * down) for number, (x, y) in places.items()}


def _card(card: LessonCard, x: float, y: float, wide: float, tall: float) -> Html:
    """A lesson; a low card has no picture."""
    stroke, thick = (ACT, 2.5) if card.here else (HAIR, 1)
    paper = element("rect", width=wide, height=tall, rx=10, fill=TRAY, stroke=stroke, stroke_width=thick)
    place = f"translate({(wide - ICON[0]) / 2:.0f},8)"
    picture = element("g", *ICONS[card.number](), transform=place) if tall == TALL else None
    look: dict[str, Any] = {"font_weight": "bold", "font_size": 12} if wide >= 84 else {"font_size": SMALL}
    name = label(card.name, wide / 2, tall - 26, "middle", fill=INK, **look)
    minutes = label(
        f"{card.number} · {say('{number} min', number=card.minutes)}",
        wide / 2,
        tall - 10,
        "middle",
        fill=INK,
        font_size=look["font_size"],
    )
    handle = {"data_set": card.set, "aria_label": f"{card.number} {card.name}"} if card.set else {}
    key = f"lesson/{card.number}"
    return element("g", paper, picture, name, minutes, data_key=key, transform=f"translate({x:.1f},{y:.1f})", **handle)


def _arrow(start: Point, end: Point, size: Point, across: bool, *, lit: bool) -> Html:
    """From the edge of one card to the edge of the next; ``size``: of a card."""
    wide, tall = size
    if across:
        a, b = (start[0] + wide, start[1] + tall / 2), (end[0] - 2, end[1] + tall / 2)
        middle = (a[0] + b[0]) / 2
        curve = f"C{middle:.1f} {a[1]:.1f} {middle:.1f} {b[1]:.1f} {b[0] - 6:.1f} {b[1]:.1f}"
        head = f"M{b[0]:.1f} {b[1]:.1f}l-8 -4.5v9Z"
    else:
        a, b = (start[0] + wide / 2, start[1] + tall), (end[0] + wide / 2, end[1] - 2)
        middle = (a[1] + b[1]) / 2
        curve = f"C{a[0]:.1f} {middle:.1f} {b[0]:.1f} {middle:.1f} {b[0]:.1f} {b[1] - 6:.1f}"
        head = f"M{b[0]:.1f} {b[1]:.1f}l-4.5 -8h9Z"
    line = element(
        "path", d=f"M{a[0]:.1f} {a[1]:.1f}{curve}", fill="none", stroke="currentColor", stroke_width=4 if lit else 1.5
    )
    return element("g", line, element("path", d=head, fill="currentColor"), opacity=None if lit else 0.6)


# -- small pictures, each 60 by 40 pixels


def _rect(x: float, y: float, width: float, height: float, fill: str, stroke: str = INK, **more: float) -> Html:
    return element("rect", x=x, y=y, width=width, height=height, fill=fill, stroke=stroke, **more)


def _path(d: str, stroke: str = INK, width: float = 1.5) -> Html:
    return element("path", d=d, fill="none", stroke=stroke, stroke_width=width)


def _star(x: float, y: float) -> Html:
    return element("text", "★", x=x, y=y, fill=CHOSEN, font_size=14, text_anchor="middle")


def _overview() -> list[Html]:
    """A pod on its way through a funnel to a node."""
    return [
        _rect(2, 14, 12, 12, PRIORITIES[2], rx=3),
        _path("M18 6h14l-4 14v10l-6 4v-14Z"),
        _path("M34 20h6m-3 -3l3 3l-3 3"),
        _rect(44, 6, 14, 28, "none", CHOSEN, rx=2, stroke_width=2),
        _rect(46, 22, 10, 10, PRIORITIES[2], rx=2),
    ]


def _queue() -> list[Html]:
    """A heap: the head above its children."""
    pills = ((22, 2, 4), (6, 22, 2), (38, 22, 1))
    lines = _path("M30 12L14 22M30 12L46 22")
    return [lines, *(_rect(x, y, 16, 12, PRIORITIES[fill], rx=6) for x, y, fill in pills)]


def _score() -> list[Html]:
    """Bars, the highest with a star."""
    bars = ((6, 14), (20, 22), (34, 12), (48, 18))
    return [_path("M2 38h56"), *(_rect(x, 38 - high, 9, high, PRIORITIES[3]) for x, high in bars), _star(24.5, 13)]


def _map_reduce() -> list[Html]:
    """A table that several workers fill."""
    cells = [(x, y) for y in range(3) for x in range(5)]
    done = (0, 1, 2, 3, 5, 6, 7, 10)
    return [
        _rect(4 + 11 * x, 3 + 12 * y, 10, 11, PRIORITIES[1 + y] if n in done else "none", stroke_width=0.8)
        for n, (x, y) in enumerate(cells)
    ]


def _preemption() -> list[Html]:
    """A pod leaves its node for another."""
    return [
        _rect(20, 3, 20, 34, "none", CHOSEN, rx=2, stroke_width=2),
        _rect(22, 24, 16, 11, PRIORITIES[2]),
        _rect(22, 9, 16, 13, PRIORITIES[5]),
        _rect(46, 24, 12, 11, PRIORITIES[0], EVICTED),
        _path("M48 26l8 7m0 -7l-8 7", EVICTED, 2),
        _path("M4 15h12m-4 -4l4 4l-4 4"),
    ]


def _generations() -> list[Html]:
    """Four versions on a line, of which one chooses another node."""
    dots = (element("circle", cx=8 + 15 * n, cy=30, r=4, fill=KINDS[5] if n < 3 else KINDS[1]) for n in range(4))
    boxes = (_rect(3 + 15 * n, 6, 10, 15, PRIORITIES[3] if n < 3 else PRIORITIES[1], rx=2) for n in range(4))
    return [_path("M4 30h52"), *dots, *boxes]


def _your_cluster() -> list[Html]:
    """Many nodes and a magnifying glass."""
    nodes = (
        _rect(3 + 10 * x, 4 + 12 * y, 8, 9, PRIORITIES[(x + y) % 4], stroke_width=0.6)
        for y in range(3)
        for x in range(4)
    )
    glass = element("circle", cx=40, cy=18, r=11, fill=TRAY, fill_opacity="0.6", stroke=INK, stroke_width=2)
    return [*nodes, glass, _path("M48 26l9 10", width=3), _star(40, 23)]


def _your_plugin() -> list[Html]:
    """A piece that completes the row of plugins."""
    piece = "M40 10h6a4 4 0 1 1 8 0h4v20h-18v-6a4 4 0 1 0 0 -8Z"
    return [
        *(_rect(2 + 13 * n, 10, 11, 20, PRIORITIES[1], rx=2) for n in range(3)),
        element("path", d=piece, fill=KINDS[1], stroke=INK, stroke_width=1.2),
    ]


def _devices() -> list[Html]:
    """A card of chips, of which one is the pod's."""
    chips = (_rect(8 + 17 * n, 11, 11, 18, CHOSEN if n == 1 else PRIORITIES[1], rx=2) for n in range(3))
    pins = (_path(f"M{x} 29v5") for n in range(3) for x in (11 + 17 * n, 16 + 17 * n))
    return [_rect(3, 6, 54, 28, "none", rx=3), *pins, *chips]


def _experiments() -> list[Html]:
    """Pairs of dots, and the interval of their differences beside a line at zero."""
    lines = _path("M6 12L26 6M6 22L26 18M6 34L26 27", CHOSEN)
    ends = ((6, 12), (26, 6), (6, 22), (26, 18), (6, 34), (26, 27))
    dots = (element("circle", cx=x, cy=y, r=2.6, fill=INK) for x, y in ends)
    interval = element("circle", cx=46, cy=15, r=4, fill=CHOSEN)
    return [lines, *dots, _path("M36 32h20", width=1.2), _path("M46 6v18", CHOSEN, 2.5), interval]


ICONS: Mapping[str, Callable[[], list[Html]]] = {
    "01": _overview,
    "02": _queue,
    "03": _score,
    "04": _map_reduce,
    "05": _preemption,
    "06": _generations,
    "07": _your_cluster,
    "09": _your_plugin,
    "10": _devices,
    "11": _experiments,
}
