"""What all pictures of the scheduling queue share: a pod as a pill, a part of the queue as an area, an arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import folded, text_width
from kschedlab_lab.views.style import ACT, EVICTED, HAIR, INK, INK_2, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import label, rect

Handle: TypeAlias = Mapping[str, str | float | None]
"""Attributes that turn an element into a control, such as ``data_drag`` or ``data_set``."""

PILL = 34
"""The height of a pod, in pixels at normal size."""
ROUND = 44
"""A pod that is less wide has angular ends, so that its words stay inside."""
COMPARED, SWAPPED, COUNTS = INK_2, INK, ACT
"""Colours of this lesson: two pods are compared, two are swapped, a value is the one that counts."""
FAINT = "0.05"
"""The opacity of an area's fill."""
text = label


@dataclass(frozen=True)
class Pod:
    """A pod in a picture. ``note``: a few words below its priority; ``handle``: what makes it a control."""

    name: str
    priority: int
    note: str = ""
    handle: Handle = field(default_factory=dict)


def pill(
    pod: Pod,
    x: float,
    y: float,
    width: float,
    key: str,
    *,
    height: float = PILL,
    round_: float = 8,
    frame: str = HAIR,
    thick: float = 1,
    sign: str = "",
) -> Html:
    """The pod with its upper left corner at (x, y). ``key``: its identity; ``sign``: put before its name.

    A pod that is less high has its name only; one that is too narrow for its note has its priority.
    """
    fill = priority_fill(pod.priority)
    look: dict[str, Any] = {"fill": fill, "stroke": frame, "stroke_width": None if thick == 1 else thick}
    box = rect(width, height, round_ if width >= ROUND else min(round_, 6), **look, data_key=f"{key}/box")
    middle, ink_ = width / 2, ink(fill)
    brief = height < PILL
    name = element(
        "text", f"{sign} {pod.name}".strip(), x=middle, y=height / 2 + (4.5 if brief else -2), font_weight="bold"
    )
    note = pod.note if text_width(pod.note) <= width - 10 else ""
    below = None if brief else element("text", note or pod.priority, x=middle, y=height / 2 + 12, font_size=12)
    words = element("g", name, below, fill=ink_, text_anchor="middle")
    return element("g", box, words, data_key=key, transform=f"translate({x:.1f},{y:.1f})", **pod.handle)


def area(title: str, x: float, y: float, width: float, height: float, *, key: str) -> Html:
    """A part of the queue: a frame with its title inside."""
    frame = element("rect", width=width, height=height, rx=11, fill=TRAY, stroke=HAIR)
    size, weight = _lettering(width)
    texts = []
    for n, line in enumerate(titled(title, width)):
        api = line == title and title in PLAIN
        look: dict[str, Any] = {"fill": INK_2, "font_size": 12} if api else {"font_weight": weight, "font_size": size}
        texts.append(text(line, width / 2, 19 + 14 * n, "middle", **look))
    return element("g", frame, *texts, data_key=key, transform=f"translate({x:.1f},{y:.1f})")


PLAIN = {
    "activeQ": later("Ready"),
    "unschedulableQ": later("Waits for an event"),
}
"""What the parts of the queue are for, by their names in the source."""


def titled(title: str, width: float) -> list[str]:
    """The title of an area of this width, in plain words, and below it the name that the source has."""
    size, weight = _lettering(width)
    lines = folded(say(PLAIN.get(title, title)), width - 3, size, weight == "bold")
    return [*lines, title] if title in PLAIN and text_width(title) <= width - 3 else lines


def _lettering(width: float) -> tuple[float, str | None]:
    """The size and weight of the title of an area of this width. Three areas on a phone are narrower than 109."""
    return (13, "bold") if width >= 130 else (12, None) if width >= 109 else (11.2, None)


def version_tag(right: float, y: float, version: str = "v1.13") -> Html:
    """Which version a picture is about, with its right end and its line of writing at (right, y)."""
    wide = text_width(version) + 16
    box = element("rect", x=right - wide, y=y - 15, width=wide, height=20, rx=10, fill="none", stroke=HAIR)
    return element("g", box, text(version, right - wide / 2, y - 1, "middle", font_size=12, fill=INK_2))


def arrow(points: Sequence[tuple[float, float]], thick: float = 1.6) -> Html:
    """A line through these points with a head at its end; two points in the middle make it a curve."""
    (x0, y0), (x1, y1) = points[-2:]
    long = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 0.1)
    dx, dy = (x1 - x0) / long, (y1 - y0) / long
    size = 6 + thick
    tip = (x1 - size * dx, y1 - size * dy)
    first, *rest = (f"{x:.1f} {y:.1f}" for x, y in (*points[:-1], tip))
    line = f"M{first}C{' '.join(rest)}" if len(points) == 4 else f"M{first}L{'L'.join(rest)}"
    wing = size * 0.55
    head = (
        f"M{x1:.1f} {y1:.1f}L{tip[0] + wing * dy:.1f} {tip[1] - wing * dx:.1f}"
        f"L{tip[0] - wing * dy:.1f} {tip[1] + wing * dx:.1f}Z"
    )
    return element(
        "g",
        element("path", d=line, fill="none", stroke="currentColor", stroke_width=thick),
        element("path", d=head, fill="currentColor"),
    )


def refused(words: str, x: float, y: float) -> Html:
    """A failure: orange, with a cross."""
    return label(f"✕ {words}", x, y, fill=EVICTED, font_weight="bold", font_size=13)
