"""Experiments in which a coin gives each difference its sign: an interval for each, and the true one beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import Look, pills
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.pairs import DOT, HALO, Floats, Pairs, Scale, aside, colour, number
from kschedlab_lab.views.style import CHOSEN, EVICTED, INK_2, INK_3, TICK, TRAY
from kschedlab_lab.views.svg import Room, label, svg

AXIS, TOP, BOTTOM, OWN = 36, 30, 34, 84
"""The width of the axis with its numbers; heights above and below the plot; the width of what was really measured."""


@dataclass(frozen=True)
class Tossed:
    """``own``: the pairs; ``experiments``: the same with signs by coins, by their mean; ``again``: tosses again."""

    own: Pairs
    experiments: tuple[Pairs, ...]
    again: str


def draw_tossed(picture: Tossed, room: Room, alt: str) -> Html:
    """The intervals side by side. Without experiments: the differences, each with its twin of the other sign."""
    most = float(abs(picture.own.differences).max()) or 1.0
    bottom = min(max(room.height - BOTTOM, TOP + 150), TOP + 320)
    scale = Scale(-most, most, TOP + 8, bottom - 8)
    right = room.width - OWN
    shapes = [*_axis(scale, room.width)]
    shapes += _intervals(picture, scale, right) if picture.experiments else _coins(picture.own, scale, right)
    shapes += _interval(picture.own, room.width - OWN / 2 - 10, scale, "own", 5)
    name = words(say("measured"), bold=True)
    shapes.append(placed(name, room.width - OWN / 2 - 10, bottom + 4))
    if picture.again:
        wide = text_width(say("Toss again"), bold=True) + 26
        shapes += pills([(say("Toss again"), picture.again, False)], AXIS, bottom + 4, wide)
    mean = label(number(picture.own.mean, True), room.width - OWN / 2, scale.y(picture.own.mean) + 4.5, **BOLD, **HALO)
    return svg([*shapes, mean], room.width, bottom + BOTTOM, alt)


BOLD: Any = {"font_weight": "bold", "font_size": 14}


def _axis(scale: Scale, width: float) -> Iterator[Html]:
    """Round numbers, and a line at 0."""
    grid = "".join(f"M{AXIS} {scale.y(each):.1f}H{width - 8:.0f}" for each in scale.ticks())
    yield element("path", d=grid, stroke=TICK, fill="none")
    texts = (label(number(at, True).replace(".0", ""), AXIS - 6, scale.y(at) + 4, "end") for at in scale.ticks())
    yield element("g", *texts, fill=INK_2)
    zero = f"M{AXIS} {scale.y(0):.1f}H{width - 8:.0f}"
    yield element("path", d=zero, stroke="currentColor", stroke_width=1.3, stroke_dasharray="5 4")
    yield moved(words(say("difference, B − A"), fill=INK_2), 4, 4)


def _intervals(picture: Tossed, scale: Scale, right: float) -> Iterator[Html]:
    step = (right - AXIS - 16) / len(picture.experiments)
    for place, each in enumerate(picture.experiments):
        yield from _interval(each, AXIS + 8 + step * (place + 0.5), scale, str(place), min(step * 0.6, 3))


def _interval(pairs: Pairs, x: float, scale: Scale, key: str, thick: float) -> Iterator[Html]:
    """An interval with its mean: vermilion if the rule errs, green if it is the measured one."""
    low, high = pairs.interval
    fill = (CHOSEN if key == "own" else EVICTED) if pairs.real else INK_3
    line = f"M{x:.1f} {scale.y(high):.1f}V{scale.y(low):.1f}"
    tip = say("{mean}, {low} to {high}", mean=number(pairs.mean, True), low=number(low, True), high=number(high, True))
    look: Look = {"stroke": fill, "stroke_width": round(thick * (1.5 if pairs.real else 1), 1)}
    yield element("path", d=line, **look, data_key=f"interval/{key}", data_tip=tip)
    dot: Look = {"r": max(thick * 0.7, 1.8), "fill": TRAY if key == "own" else "currentColor"}
    yield element("circle", **dot, data_key=f"mean/{key}", transform=f"translate({x:.1f},{scale.y(pairs.mean):.1f})")


def _coins(pairs: Pairs, scale: Scale, right: float) -> Iterator[Html]:
    """A dot for each difference, and a hollow one for the other side of its coin."""
    middle = (AXIS + right) / 2
    differences: Floats = pairs.differences
    ys = [scale.y(float(each)) for each in differences]
    for seed, (each, y, k) in enumerate(zip(differences.tolist(), ys, aside(ys), strict=True), 1):
        x = middle + (k % 2 * 2 - 1) * (k + 1) // 2 * 2 * DOT
        if each:
            twin: Look = {"cx": x, "cy": scale.y(-each), "r": DOT - 0.5, "fill": TRAY, "stroke": INK_3}
            yield element("circle", **twin, data_key=f"twin/{seed}")
        yield element("circle", cx=x, cy=y, r=DOT, fill=colour(each), stroke=TRAY, data_key=f"seed/{seed}")
