"""Functions in their order as discs on a line: which were called, which one runs, where it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kschedlab.text.html import element
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, words
from kschedlab_lab.views.lettering import flowed
from kschedlab_lab.views.style import EVICTED, HAIR, INK, INK_2, INK_3, ON_ACCENT, PANEL, TRAY

StopState: TypeAlias = Literal["ahead", "here", "passed", "failed", "not asked"]
RADIUS, SMALL = 10, 11.2
SIGNS = {"here": "▶", "passed": "✓", "failed": "✕"}


@dataclass(frozen=True)
class Stop:
    """A function. ``tip``: what it does."""

    name: str
    state: StopState = "ahead"
    tip: str = ""


def rail(stops: Sequence[Stop], width: float) -> Part:
    """All stops on a line as wide as this. Below it their names; where these do not fit, that of the latest alone."""
    each = width / len(stops)
    lines = [flowed(stop.name, each - 4, SMALL, stop.state in ("here", "failed")) for stop in stops]
    fits = all(len(text) <= 2 for text in lines) and each > 60
    done = [at for at, stop in enumerate(stops) if stop.state in SIGNS]
    now = done[-1] if done else 0
    shapes = [element("path", d=f"M{each / 2:g} {RADIUS + 1}H{width - each / 2:g}", stroke=HAIR, stroke_width=2)]
    for at, stop in enumerate(stops):
        name = NOTHING
        if fits or at == now:
            strong = at == now
            colour = EVICTED if stop.state == "failed" else "currentColor" if strong else INK_2
            texts = lines[at] if fits else [stop.name]
            name = column([words(text, SMALL if fits else 12, bold=strong, fill=colour) for text in texts], 0, "middle")
        middle = each * (at + 0.5)
        left = min(max(middle - name.width / 2, 0), width - name.width)
        disc = moved(_disc(stop.state), middle - RADIUS, 1)
        shapes.append(
            element(
                "g", disc, moved(name, left, 2 * RADIUS + 6), data_key=f"function/{at}", data_tip=stop.tip or stop.name
            )
        )
    return Part(width, 2 * RADIUS + (38 if fits else 24), tuple(shapes))


def _disc(state: StopState) -> Part:
    fill = {"here": INK, "failed": EVICTED, "passed": TRAY}.get(state, PANEL)
    stroke = {"here": INK, "failed": EVICTED, "passed": INK}.get(state, INK_3 if state == "ahead" else HAIR)
    circle = element("circle", cx=RADIUS, cy=RADIUS, r=RADIUS - 1, fill=fill, stroke=stroke, stroke_width=1.5)
    ink = {"here": PANEL, "failed": ON_ACCENT}.get(state, INK)
    sign = words(SIGNS.get(state, ""), SMALL, bold=True, fill=ink)
    return Part(2 * RADIUS, 2 * RADIUS, (circle, moved(sign, RADIUS - sign.width / 2, RADIUS - 7.5)))
