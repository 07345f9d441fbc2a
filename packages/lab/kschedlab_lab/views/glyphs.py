"""Small signs that pictures share: a budget's shield, a clock, and what is in the way on a node; 16 by 16 pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import CHOSEN, EVICTED, INK, ON_ACCENT, PANEL, TRAY

SIZE = 16
SHIELD = "M8 1L14 3V8C14 12 11 14.4 8 15.5C5 14.4 2 12 2 8V3Z"
CROSS = "M5 5L11 11M11 5L5 11"
STAR = "M8 2.9L9.5 6.2L13.1 6.6L10.4 9L11.2 12.5L8 10.7L4.8 12.5L5.6 9L2.9 6.6L6.5 6.2Z"
BROKEN = (
    "M7.3 0.9L1.6 2.9V8C1.6 12 4.3 14.2 6.9 15.4L5.9 11.4L9 8.3L5.6 4.9Z"
    "M9.1 1.1L14.4 2.9V8C14.4 12 11.5 14.3 8.7 15.5L7.8 11.9L11.1 8.2L7.6 4.7Z"
)
"""A shield in two halves."""
OUTLINES = {
    "taint": "M8 1C8 1 13 7.5 13 10.5A5 5 0 0 1 3 10.5C3 7.5 8 1 8 1Z",
    "cordon": "M8 1A7 7 0 1 1 7.9 1ZM3.5 8H12.5",
    "port": "M2 7V12A2 2 0 0 0 4 14H12A2 2 0 0 0 14 12V7ZM5 7V2M11 7V2",
    "zone": "M8 15C8 15 13 9.5 13 6A5 5 0 0 0 3 6C3 9.5 8 15 8 15ZM8 4A2 2 0 1 1 7.9 4Z",
    "disk": "M2 4A6 2.5 0 0 1 14 4V12A6 2.5 0 0 1 2 12ZM2 4A6 2.5 0 0 0 14 4",
    "label": "M1.5 8L7 2.5H14V9.5L8.5 15ZM11 5.5H11.2",
    "lock": "M3 7H13V15H3ZM5 7V5A3 3 0 0 1 11 5V7",
    "pods": "M1.5 6H6.5V11H1.5ZM9.5 6H14.5V11H9.5ZM6.5 8.5H9.5",
    "reprieved": "M6.6 4L4.4 6.2L6.6 8.4M4.6 6.2H9A2.6 2.6 0 0 1 9 11.4H7",
    "error": "M8 2.5V9.5M8 12.2V13.6",
    "full": "M2 2V14H14V2M4.5 11.5H11.5M4.5 8.5H11.5M4.5 5.5H11.5",
    "cpu": "M4 4h8v8H4ZM6 1v3M10 1v3M6 12v3M10 12v3M1 6h3M1 10h3M12 6h3M12 10h3",
    "host": "M2 3h12v4H2ZM2 9h12v4H2ZM4 5h1M4 11h1",
}
"""By name, the lines of each sign."""


@dataclass(frozen=True)
class Badge:
    """A sign on a pod or a node. ``kind``: shield, broken, open, evicted, victim, reprieved, chosen, cross, or a key of
    OUTLINES.

    "broken": the budget does not allow the eviction; "open": no budget, but there could be one. ``tip``: what it means.
    ``turn``: a victim's number in its node's list, in place of a cross. ``marks``: attributes that make it a handle.
    """

    kind: str
    tip: str
    marks: Mapping[str, str] = field(default_factory=dict)
    turn: int = 0


DIGIT = 11.6
"""Size of the number of a victim."""


def badge(drawn: Badge, x: float, y: float, ink: str = "currentColor", digit: float = DIGIT) -> Html:
    """The sign with its upper left corner at (x, y), in this colour; ``digit``: the size of a victim's number."""
    return element(
        "g",
        element("rect", width=SIZE, height=SIZE, fill="transparent") if drawn.marks else None,
        *sign(drawn, ink, digit),
        transform=f"translate({x:g},{y:g})",
        stroke_linejoin="round",
        data_tip=say(drawn.tip),
        aria_label=say(drawn.tip) if drawn.marks else None,
        **drawn.marks,
    )


def sign(drawn: Badge, ink: str, digit: float = DIGIT) -> list[Html]:
    if drawn.kind in ("shield", "broken", "open"):
        if drawn.kind == "broken":
            return [_lines(BROKEN, TRAY, EVICTED, stroke_width=0.6)]
        return [
            _lines(SHIELD, ink, ink, fill_opacity=0.25)
            if drawn.kind == "shield"
            else _lines(SHIELD, ink, stroke_dasharray="2 2")
        ]
    if drawn.kind == "evicted":
        return [_disc(EVICTED, TRAY), _turn(drawn.turn, ON_ACCENT, digit) or _lines(CROSS, ON_ACCENT, stroke_width=2.2)]
    if drawn.kind == "victim":
        return [_disc(TRAY, EVICTED), _turn(drawn.turn, EVICTED, digit) or _lines(CROSS, EVICTED, stroke_width=2)]
    if drawn.kind == "chosen":
        return [_disc(CHOSEN, TRAY), element("path", d=STAR, fill=ON_ACCENT)]
    if drawn.kind == "cross":
        return [_lines(CROSS, ink, stroke_width=2)]
    if drawn.kind == "reprieved":
        return [_disc(INK, TRAY), _lines(OUTLINES["reprieved"], PANEL, stroke_width=1.7)]
    return [_lines(OUTLINES[drawn.kind], ink)]


def _turn(number: int, ink: str, size: float) -> Html | None:
    bold: dict[str, Any] = {"font_size": round(size, 1), "font_weight": "bold", "text_anchor": "middle"}
    return element("text", str(number), x=8, y=8 + size * 0.36, fill=ink, stroke="none", **bold) if number else None


def _disc(fill: str, stroke: str) -> Html:
    return element("circle", cx=8, cy=8, r=7.6, fill=fill, stroke=stroke, stroke_width=1.4)


def _lines(path: str, ink: str, fill: str = "none", stroke_width: float = 1.4, **look: str | float | None) -> Html:
    return element("path", d=path, stroke=ink, fill=fill, stroke_width=stroke_width, **look)


def icon(kind: str, x: float, y: float, stroke: str) -> Html:
    """One of OUTLINES with its upper left corner at (x, y)."""
    place = f"translate({x:g},{y:g})"
    return element("path", d=OUTLINES[kind], transform=place, fill="none", stroke=stroke, stroke_width=1.4)
