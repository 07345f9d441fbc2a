"""A pod in the pictures of the queue: its name and its priority."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kschedlab.text.html import Html, element
from kschedlab_lab.views import drawing
from kschedlab_lab.views.drawing import Marks, Number
from kschedlab_lab.views.layout import placed
from kschedlab_lab.views.style import HAIR, ink, priority_fill
from kschedlab_lab.views.svg import rect

Handle: TypeAlias = Mapping[str, str | float | None]
"""Attributes that turn an element into a control, such as ``data_drag`` or ``data_set``."""
PILL = 34
"""The height of a pod, in pixels at normal size."""
ROUND = 44
"""A pod that is less wide has angular ends, so that its words stay inside."""


def pill(
    name: str,
    priority: int,
    x: float,
    y: float,
    width: float,
    *,
    round_: float = 8,
    frame: str = HAIR,
    thick: float | None = None,
    sign: str = "",
    ranked: bool = True,
    handle: Handle | None = None,
    pulls: Marks | None = None,
) -> Html:
    """The pod with its upper left corner at (x, y). ``sign``: before its name; ``ranked``: with its priority below;
    ``pulls``: what makes that a control.
    """
    fill, key = priority_fill(priority), f"pod/{name}"
    corner = round_ if width >= ROUND else min(round_, 6)
    box = rect(width, PILL, corner, fill=fill, stroke=frame, stroke_width=thick, data_key=f"{key}/box")
    base = PILL / 2 - (3.5 if pulls else 2 if ranked else -4.5)
    title = element("text", f"{sign} {name}".strip(), x=width / 2, y=base, font_weight="bold")
    number = drawing.pill(Number(str(priority), pulls), key, width - 6, ink(fill)) if pulls else None
    below = element("text", priority, x=width / 2, y=PILL / 2 + 12, font_size=12) if ranked and not number else None
    words = element("g", title, below, fill=ink(fill), text_anchor="middle")
    pulled = placed(number, width / 2, PILL - number.height - 0.5) if number else None
    return element("g", box, words, pulled, data_key=key, transform=f"translate({x:.1f},{y:.1f})", **(handle or {}))
