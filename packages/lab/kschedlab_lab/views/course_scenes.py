"""A small picture of each lesson, after the first one that a student sees there; 44 by 30 pixels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, HAIR, INK_3, KINDS, PANEL, TRAY, priority_fill
from kschedlab_lab.views.svg import rect

WIDE, HIGH = 44, 30
LINES: dict[str, Any] = {"fill": "none", "stroke_width": 1.5, "stroke_linecap": "round", "stroke_linejoin": "round"}


def scene(number: str) -> Html:
    """The picture of the lesson with this number."""
    return element("g", rect(WIDE, HIGH, 6, fill=PANEL), *SCENES[number], pointer_events="none")


def _box(x: float, y: float, wide: float, high: float, fill: str, stroke: str | None = None) -> Html:
    return rect(wide, high, 2, x, y, fill=fill, stroke=stroke)


def _pod(x: float, y: float, priority: int, wide: float = 8, high: float = 6) -> Html:
    return _box(x, y, wide, high, priority_fill(priority))


def _line(d: str, stroke: str, **look: Any) -> Html:
    return element("path", d=d, stroke=stroke, **LINES, **look)


def _dots(places: Iterable[tuple[float, float]], fill: str) -> list[Html]:
    return [element("circle", cx=x, cy=y, r=1.8, fill=fill) for x, y in places]


def _bar(y: float, *parts: float) -> list[Html]:
    """A node's score: what its plugins give it, one after the other."""
    starts = [sum(parts[:i]) + 5 for i in range(len(parts))]
    return [rect(wide, 5, x=x, y=y, fill=kind) for x, wide, kind in zip(starts, parts, KINDS, strict=False)]


SCENES: dict[str, list[Html]] = {
    "01": [  # a pod goes to a node
        _pod(5, 19, 300),
        _box(27, 6, 12, 20, TRAY, CHOSEN),
        _pod(29, 18, 300),
        _line("M9 15C11 4 22 4 25 11", CHOSEN, stroke_dasharray="0.1 3"),
    ],
    "02": [  # the heap
        _line("M22 6L13 15L7 24M13 15L19 24M22 6L32 15L31 24", INK_3),
        _pod(18, 3, 1000),
        _pod(9, 12, 700),
        _pod(28, 12, 500),
        _pod(3, 21, 300),
        _pod(15, 21, 200),
        _pod(27, 21, 0),
    ],
    "03": [*_bar(5, 8, 9, 7), *_bar(12.5, 10, 14, 10), *_bar(20, 7, 6, 12), _box(3.5, 11, 37, 8, "none", CHOSEN)],
    "04": [  # a table that workers fill, column by column
        _box(5 + 7 * x, 4 + 7.5 * y, 6, 6.5, KINDS[x] if y < (3, 2, 3, 1, 2)[x] else TRAY, HAIR)
        for x in range(5)
        for y in range(3)
    ],
    "05": [  # one leaves for another
        _box(8, 3, 13, 24, TRAY, CHOSEN),
        _pod(10, 5, 700, 9, 12),
        _pod(10, 18.5, 400, 9),
        _box(27, 16, 12, 9, priority_fill(0), EVICTED),
        _line("M31 18.5L35 22.5M35 18.5L31 22.5", EVICTED),
    ],
    "06": [  # versions, and from one on another answer
        _line("M5 21H20L26 9H39", INK_3),
        *_dots(((5 + 5 * n, 21) for n in range(4)), INK_3),
        *_dots(((26 + 4.5 * n, 9) for n in range(4)), CHOSEN),
    ],
    "07": [  # nodes, each filled to another height; one is asked about
        *(_box(4.5 + 9 * n, 4, 7.5, 22, TRAY, ACT if n == 2 else HAIR) for n in range(4)),
        *(_pod(6 + 9 * n, 24.5 - high, 400, 4.5, high) for n, high in enumerate((9, 15, 18, 5))),
    ],
    "09": [_line("M13 7L5 15L13 23M31 7L39 15L31 23", ACT), _line("M25 6L19 24", INK_3)],  # code
    "10": [  # devices, two of them claimed
        _line("".join(f"M{x + 4} 3V27M{x + 1} 3V27" for x in (7, 19, 31)), INK_3),
        *(
            _box(x, y, 9, 9, priority_fill(600) if chosen else TRAY, INK_3)
            for x, y, chosen in (
                (5, 5, False),
                (17, 5, True),
                (29, 5, True),
                (5, 16, False),
                (17, 16, False),
                (29, 16, False),
            )
        ),
    ],
    "11": [  # two policies, run by run
        *_dots(((x, 9) for x in (7, 12, 14.5, 18, 24)), KINDS[0]),
        *_dots(((x, 21) for x in (17, 22, 25, 30, 37)), KINDS[1]),
        _line("M15 5V13M26 17V25", INK_3),
    ],
}
