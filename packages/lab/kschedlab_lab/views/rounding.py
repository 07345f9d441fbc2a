"""The points of some nodes as steps on bars: what is less than a step is rounded off, and drawn as an outline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, column, moved, placed, row, words
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.style import CHOSEN, INK, INK_2, INK_3, KINDS, PANEL, TRAY, ink
from kschedlab_lab.views.svg import dragged, rect

HIGH, BETWEEN, ENDS = 24, 6, 44
"""The height of a bar and what parts two, in pixels; the room for a sum. A bar is as long as all points of a score."""
LEAST = 0.05
"""A smaller part of a point is not drawn."""


class Points(NamedTuple):
    """What a node gets. ``parts``: by score, its points and how many they were before rounding; ``best``: no other node
    has as many."""

    node: str
    parts: Mapping[str, tuple[int, float]]
    best: bool

    @property
    def sum(self) -> int:
        """The points of these scores together."""
        return sum(got for got, _ in self.parts.values())


class Steps(NamedTuple):
    """The points of these nodes in a version, in which a score has at most ``highest``."""

    version: str
    highest: int
    nodes: Sequence[Points]


def rounding(steps: Steps, width: float, grips: Mapping[str, tuple[str, str]]) -> Part:
    """A bar for each node below what the colours mean. ``grips``: by node, the control that the end of its bar moves
    by a hundredth of all points, and its name."""
    left = max(text_width(f"★ {each.node}", bold=True) for each in steps.nodes) + 10
    unit = (width - left - ENDS) / steps.highest
    said = say("{version}: at most {highest} points a score", version=steps.version, highest=steps.highest)
    legend = row([*(_sample(name, fill) for name, fill in _fills(steps.nodes[0])), _sample(say("rounded off"))], 12)
    title = words(said, bold=True)
    beside = title.width + 16 + legend.width <= width - ENDS
    first = row([title, legend], 16) if beside else title
    rest = words(fitting((say("other scores are equal"), ""), width - first.width - 8), fill=INK_2)
    top = Part(width, max(first.height, rest.height), (*first.shapes, placed(rest, width, 0, "end")))
    head = top if beside else column([top, legend], 2)
    bars = [_bar(each, unit, left, steps.highest, grips.get(each.node)) for each in steps.nodes]
    return column([head, *bars], BETWEEN)


def _fills(points: Points) -> Iterator[tuple[str, str]]:
    """The colour of each score."""
    return zip(points.parts, KINDS, strict=False)


def _sample(name: str, fill: str = "") -> Part:
    """What a colour means, or without one an outline."""
    look: dict[str, Any] = {"fill": fill} if fill else _lost(INK_3)
    return row([Part(12, 12, (rect(11, 11, 2, 0.5, 0.5, **look),)), words(say(name), fill=INK_2)], 5)


def _lost(colour: str) -> dict[str, Any]:
    """The look of what is rounded off a score of this colour."""
    return {"fill": "none", "stroke": colour, "stroke_width": 1.5, "stroke_dasharray": "3 3"}


def _bar(points: Points, unit: float, left: float, highest: int, moves: tuple[str, str] | None) -> Part:
    """A node's name, its bar and its sum."""
    colour, long = CHOSEN if points.best else INK, unit * highest
    name = words(f"★ {points.node}" if points.best else points.node, bold=True, fill=colour)
    summed = words(str(points.sum), bold=True, fill=colour)
    middle = (HIGH - name.height) / 2
    shapes = [moved(name, 0, middle), rect(long, HIGH, 3, left, 0, fill=TRAY), *_pieces(points, unit, left)]
    shapes.append(moved(summed, left + long + 14, middle))
    if moves is not None:
        exact = sum(size for _, size in points.parts.values())
        shapes.append(_grip(left + unit * exact, unit * highest / 100, *moves))
    return Part(left + long + ENDS, HIGH, tuple(shapes))


def _pieces(points: Points, unit: float, left: float) -> Iterator[Html]:
    """The points side by side with a line after each, and behind them what was rounded off."""
    fills = dict(_fills(points))
    whole = [(name, float(got), {"fill": fills[name]}) for name, (got, _) in points.parts.items()]
    lost = [(f"{name}/lost", size - got, _lost(fills[name])) for name, (got, size) in points.parts.items()]
    at, end = left, left + unit * points.sum
    numbers = list[Html]()
    for name, size, look in whole + lost:
        wide = size * unit if size >= LEAST else 0.1  # so that it grows from here
        yield rect(
            wide,
            HIGH - 2,
            2,
            at,
            1,
            opacity=None if size >= LEAST else 0,
            data_key=f"steps/{points.node}/{name}",
            **look,
        )
        text = words(f"{size:.3g}", fill=ink(fills[name]) if name in fills else INK_2, **_halo(look["fill"]))
        if text.width + 4 <= wide:
            numbers.append(placed(text, at + wide / 2, (HIGH - text.height) / 2))
        at += wide
    lines = "".join(f"M{left + unit * i:.1f} 0V{HIGH}" for i in range(1, round((end - left) / unit)))
    yield element("path", d=lines or "M0 0", stroke=PANEL, stroke_width=min(2, round(unit / 6, 2)))
    yield from numbers


def _halo(fill: str) -> dict[str, Any]:
    """Ground around a text, which hides the lines behind it."""
    if fill == "none":
        return {}
    return {"paint_order": "stroke", "stroke": fill, "stroke_width": "6", "stroke_linejoin": "round"}


def _grip(x: float, step: float, control: str, name: str) -> Html:
    """The end of a bar, which is dragged."""
    high = HIGH + 4
    arrows = f"M4.5 {high / 2 - 4:g}l-3 4l3 4M7.5 {high / 2 - 4:g}l3 4l-3 4"
    return element(
        "g",
        rect(30, high + 12, x=-8, y=-6, fill="transparent"),
        rect(12, high, 6, 0, 0, fill=INK),
        element("path", d=arrows, fill="none", stroke=PANEL, stroke_width=1.5),
        transform=f"translate({x:.1f},-2)",
        data_key="steps/grip",
        **dragged(control, "x", round(step, 2), name),
    )
