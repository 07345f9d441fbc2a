"""Small line icons (16 by 16 pixels) of what nodes and pods have: a taint, a port, a disk, a zone, a label."""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.views.html import Html, element

PATHS: Mapping[str, str] = {
    "taint": "M8 1.5L15 14.5H1ZM8 6v4M8 11.8v1",
    "cordon": "M1 5h14v6H1ZM4 11l3 -6M9 11l3 -6",
    "port": "M5 1v4M11 1v4M3 5h10v3a5 4 0 0 1 -10 0ZM8 12v3",
    "disk": "M2 4a6 2.5 0 0 1 12 0v8a6 2.5 0 0 1 -12 0ZM2 4a6 2.5 0 0 0 12 0",
    "zone": "M3 15V2M3 2h10l-3 3.5l3 3.5H3",
    "label": "M1 8L7 2h8v12H7ZM11.5 8h.5",
    "cpu": "M4 4h8v8H4ZM6 1v3M10 1v3M6 12v3M10 12v3M1 6h3M1 10h3M12 6h3M12 10h3",
    "pods": "M1 3h6v6H1ZM9 7h6v6H9ZM7 6h2v3",
    "pass": "M2 3h12v10H2ZM5 8l2 2l4 -4",
    "image": "M2 2h12v12H2ZM2 11l4 -4l3 3l2 -2l3 3",
    "host": "M2 3h12v4H2ZM2 9h12v4H2ZM4 5h1M4 11h1",
}


def icon(kind: str, x: float, y: float, stroke: str = "currentColor") -> Html:
    """The icon at (x, y)."""
    return element(
        "path", d=PATHS[kind], transform=f"translate({x:g},{y:g})", fill="none", stroke=stroke, stroke_width=1.4
    )


def tape(x: float, y: float, wide: float) -> Html:
    """A barrier tape along a node's upper edge: the node is cordoned."""
    stripes = "".join(f"M{x + at:.0f} {y + 6:.0f}l6 -6h9l-6 6z" for at in range(0, int(wide) - 14, 20))
    ground = element("rect", x=x, y=y, width=wide, height=6, fill="#F0E442")
    return element("g", ground, element("path", d=stripes, fill="#000000"), data_tip="cordoned")
