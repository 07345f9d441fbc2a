"""Pods as small bars: on their way, not on a node."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.text.html import Html, element, visible
from kschedlab_lab.views.style import HAIR, ink, priority_fill
from kschedlab_lab.views.svg import label, rect


class Piece(NamedTuple):
    """A pod. ``size``: milli CPU."""

    name: str
    size: int
    priority: int


def bar(piece: Piece, at: tuple[float, float], wide: float, high: float) -> Html:
    """A pod as a bar at (x, y)."""
    fill, key = priority_fill(piece.priority), f"pod/{piece.name}"
    return element(
        "g",
        rect(wide, high, 8, fill=fill, stroke=HAIR, data_key=f"{key}/box"),
        label(visible(piece.name), 6, high / 2 + 4.5, fill=ink(fill), font_weight="bold"),
        transform=f"translate({at[0]:.1f},{at[1]:.1f})",
        data_key=key,
        data_tip=visible(piece.name),
    )
