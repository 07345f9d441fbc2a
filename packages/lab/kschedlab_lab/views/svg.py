"""Helpers for all drawings: a frame that scales with the surrounding text, and labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kschedlab.text.html import Html, element
from kschedlab_lab.language import ENGLISH, language

EM = 13
"""Pixels per em; drawings are sized in em, so that they scale with the surrounding text."""
FONT = '-apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans","Liberation Sans",system-ui,sans-serif'
CHINESE_FONT = '"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",-apple-system,"Segoe UI",system-ui,sans-serif'


class Room(NamedTuple):
    """The space that a drawing is laid out for, in pixels at normal text size. Only ``width`` is a hard limit."""

    width: int = 720
    height: int = 420


def svg(shapes: Iterable[Html], width: float, height: float, alt: str, left: float = 0, size: int = 12) -> Html:
    """The shapes as an SVG with this view box. ``alt``: the text alternative; ``size``: its font size."""
    is_english = language() == ENGLISH
    return element(
        "svg",
        element("g", *shapes, font_family=FONT if is_english else CHINESE_FONT, font_size=size),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{left:g} 0 {width:g} {height:g}",
        width=f"{width / EM:.1f}em",
        height=f"{height / EM:.1f}em",
        role="img",
        aria_label=alt,
        lang=None if is_english else language(),
        fill="currentColor",
        style="max-width:100%;height:auto",
    )


def label(text: str, x: float, y: float, anchor: str = "start", **more: str | float | None) -> Html:
    """Text at (x, y)."""
    return element("text", text, x=x, y=y, text_anchor=None if anchor == "start" else anchor, **more)


def rect(
    width: float,
    height: float,
    rx: float | None = None,
    x: float | None = None,
    y: float | None = None,
    **more: str | float | None,
) -> Html:
    """A rectangle, with round corners of the radius ``rx``. (x, y): its upper left corner."""
    return element("rect", x=x, y=y, width=width, height=height, rx=rx, **more)


def dragged(control: str, axis: str, step: float, said: str, tip: str | None = None) -> dict[str, str | float | None]:
    """Attributes that make a shape a control. ``axis``: x or y; ``step``: pixels for one value; ``said``: its name."""
    return {"data_drag": control, "data_axis": axis, "data_step": step, "data_tip": tip, "aria_label": said}
