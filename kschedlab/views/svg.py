"""Helpers for all drawings: a frame that scales with the surrounding text, and labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kschedlab.views.html import Html, element

EM = 13
"""Pixels per em; drawings are sized in em, so that they scale with the surrounding text."""
FONT = "system-ui,sans-serif"


BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[-/. ])(?=.)")


class Room(NamedTuple):
    """The space that a drawing is laid out for, in pixels at normal text size. Only ``width`` is a hard limit."""

    width: int = 720
    height: int = 420


def svg(
    shapes: Iterable[Html], width: float, height: float, alt: str, left: float = 0, top: float = 0, size: int = 12
) -> Html:
    """The shapes as an SVG with this view box. ``alt``: the text alternative; ``size``: its font size."""
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
    """Text at (x, y); an ellipsis ends text longer than ``limit`` characters."""
    short = text if limit is None or len(text) <= limit else f"{text[: limit - 1]}…"
    return element("text", short, x=x, y=y, text_anchor=anchor, **more)


def folded(name: str, letters: int) -> list[str]:
    """The name in one line or two, divided before a capital or after a hyphen, a slash, a dot or a space.

    An ellipsis ends a line that is longer than ``letters`` all the same.
    """
    if len(name) <= letters:
        return [name]
    places = [match.start() for match in BREAK.finditer(name) if match.start() <= letters]
    lines = [name[: places[-1]], name[places[-1] :]] if places else [name]
    return [line if len(line) <= letters else f"{line[: max(letters - 1, 0)]}…" for line in map(str.strip, lines)]


def stripes(width: float, height: float, step: float = 12) -> str:
    """The path of diagonal lines that fill a box at (0, 0): a tie is hatched."""
    ends = (i * step for i in range(1, int((width + height) / step) + 1))
    return "".join(
        f"M{min(end, width):g} {max(end - width, 0):g}L{max(end - height, 0):g} {min(end, height):g}" for end in ends
    )
