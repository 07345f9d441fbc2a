"""Small line icons (16 by 16 pixels) of what nodes and pods have: a taint, a port, a disk, a zone, a label."""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.text.html import Html, element
from kschedlab_lab.views.glyphs import OUTLINES

PATHS: Mapping[str, str] = {
    **OUTLINES,
    "cpu": "M4 4h8v8H4ZM6 1v3M10 1v3M6 12v3M10 12v3M1 6h3M1 10h3M12 6h3M12 10h3",
    "host": "M2 3h12v4H2ZM2 9h12v4H2ZM4 5h1M4 11h1",
}
"""By name: the signs that all pictures share, and those of a workbench."""


def icon(kind: str, x: float, y: float, stroke: str) -> Html:
    return element(
        "path", d=PATHS[kind], transform=f"translate({x:g},{y:g})", fill="none", stroke=stroke, stroke_width=1.4
    )
