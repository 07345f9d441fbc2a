"""What all drawings share: one frame, which grows with the text around it, and text in it."""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.views.html import Html, element

EM = 13
"""Pixels of one em of text; a drawing's size is given in em, so that it grows with the text around it."""
FONT = "system-ui,sans-serif"


def svg(
    shapes: Iterable[Html], width: float, height: float, alt: str, left: float = 0, top: float = 0, size: int = 12
) -> Html:
    """The shapes as a drawing of this part of the plane. ``alt``: the drawing in words; ``size``: of its text."""
    return element(
        "svg",
        element("g", *shapes, font_family=FONT, font_size=size),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{left:g} {top:g} {width:g} {height:g}",
        width=f"{width / EM:.1f}em",
        height=f"{height / EM:.1f}em",
        role="img",
        aria_label=alt,
        fill="currentColor",
        style="max-width:100%;height:auto",
    )


def label(
    text: str, x: float, y: float, anchor: str = "start", limit: int | None = None, **more: str | float | None
) -> Html:
    """Text at a place; what is longer than ``limit`` letters ends with an ellipsis."""
    short = text if limit is None or len(text) <= limit else f"{text[: limit - 1]}…"
    return element("text", short, x=x, y=y, text_anchor=anchor, **more)
