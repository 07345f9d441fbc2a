"""Two policies and the seeds that both got: a line for each pair, the differences, and where their mean may lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from kschedlab.messages import say, sentences
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import Look, pills
from kschedlab_lab.views.chart_lines import ticks
from kschedlab_lab.views.drawing import remark
from kschedlab_lab.views.layout import moved, words
from kschedlab_lab.views.lettering import fitted, text_width, with_minus
from kschedlab_lab.views.style import (
    ACT,
    CHOSEN,
    CHOSEN_SOFT,
    EVICTED,
    EVICTED_SOFT,
    HAIR,
    INK_2,
    INK_3,
    TICK,
    TRAY,
    themed,
)
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

Floats = npt.NDArray[np.float64]

RESAMPLES = 4000
CONFIDENCE = 95
FEWEST = 6
"""Fewer differences may all have one sign by chance more often than once in twenty times: 2 / 2**5."""
TINY = 1e-9
PILLS, AXIS, SEEDS, EDGE, DOT, GRAIN = 28, 42, 50, 14, 4.5, 6
"""The height of a row of pills; the width of an axis with its numbers; the height of the row of seeds, of the edge
above and below the dots, the radius of a dot, and the height of a grain; in pixels."""
NAMES, ROWS, LEAST = 18, 3, 200
"""The height of the columns' names, the most rows of equal dots, and the least height of a picture."""
BESIDE, ALONE = (0.09, 0.41, 0.52, 0.72, 1.0), (0.25, 0.75, 1.0, 1.0, 1.0)
"""Where A, B, the differences with their hill and the end are, as shares of the width; and A and B alone."""
HALO: Any = {"paint_order": "stroke", "stroke": TRAY, "stroke_width": 4, "stroke_opacity": 0.8}
"""Of numbers upon the hill."""
GREY_SOFT = themed("#E3E7ED", "#323B49")


class Shown(IntEnum):
    """How much of a picture is shown: each one more than the last."""

    LINES, DIFFERENCES, HILL = range(3)


@cache
def lots_of(count: int) -> npt.NDArray[np.int64]:
    """The places of so many seeds, drawn again and again: twice, for A and B apart."""
    return np.random.default_rng(1).integers(0, count, (2, RESAMPLES, count))


def leaves_out(low: float, high: float) -> bool:
    """Whether 0 is not between the two; the last digits of a sum say nothing."""
    return low > TINY or high < -TINY


@dataclass(frozen=True)
class Pairs:
    """The numbers of two policies, ``a`` and ``b``, for the same seeds, in their order.

    ``joined``: whether one knows which numbers have the same seed.
    """

    a: Floats
    b: Floats
    joined: bool = True

    @property
    def differences(self) -> Floats:
        """``b - a``, seed by seed."""
        return self.b - self.a

    @property
    def mean(self) -> float:
        return float(self.b.mean() - self.a.mean())

    @cached_property
    def resampled(self) -> Floats:
        """The mean difference of as many seeds, drawn from these again and again: a bootstrap (Efron 1979).

        Pairs are drawn as pairs, unless nobody knows which numbers belong together.
        """
        lots = self.lots
        if self.joined:
            return self.differences[lots[0]].mean(axis=1)
        return self.b[lots[0]].mean(axis=1) - self.a[lots[1]].mean(axis=1)

    @cached_property
    def lots(self) -> npt.NDArray[np.int64]:
        """The places of the seeds that are drawn."""
        return lots_of(len(self.a))

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The middle 95 % of these means."""
        rest = (100 - CONFIDENCE) / 2
        low, high = np.percentile(self.resampled, [rest, 100 - rest])
        return float(low), float(high)

    @property
    def limits(self) -> tuple[float, float]:
        """Between which numbers all means of drawn seeds lie."""
        if self.joined:
            return float(self.differences.min()), float(self.differences.max())
        return float(self.b.min() - self.a.max()), float(self.b.max() - self.a.min())

    @property
    def enough(self) -> bool:
        """Whether enough seeds differ to tell a difference from chance."""
        return (int((self.differences != 0).sum()) if self.joined else len(self.a)) >= FEWEST

    @property
    def real(self) -> bool:
        """Whether the interval leaves 0 out, and enough seeds differ to say so."""
        return self.enough and leaves_out(*self.interval)


@dataclass(frozen=True)
class Picture:
    """``names``: of the two; ``numbers``: of all policies, for all seeds; ``count``: how many seeds are shown.

    ``what``: the measure with its unit; ``hero``: the seed that is named, 0 for none; ``choices``: what else can be
    shown, each with its text, what a click sets, and whether it is shown; ``joinable``: whether one can forget the
    seeds; ``reported``: a mean difference that others report; ``shown``: how much of it.
    """

    names: tuple[str, str]
    numbers: Mapping[str, Floats]
    count: int
    joined: bool
    what: str
    hero: int
    choices: Sequence[tuple[str, str, bool]]
    joinable: bool = False
    reported: float | None = None
    shown: Shown = Shown.HILL

    @property
    def most(self) -> int:
        """How many seeds there are."""
        return len(self.numbers[self.names[0]])

    @cached_property
    def pairs(self) -> Pairs:
        """Those that are shown."""
        a, b = (self.numbers[name][: self.count] for name in self.names)
        return Pairs(a, b, self.joined)

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The ends of the differences' scale: the same for any number of seeds, joined or not."""
        a, b = (self.numbers[name] for name in self.names)
        whole = Pairs(a, b, joined=False)
        margin = float(whole.resampled.std())
        every = [self.reported or 0.0, 0.0, *whole.differences.tolist(), *whole.resampled.tolist()]
        return min(every) - margin, max(every) + margin


def number(value: float, signed: bool = False) -> str:
    """With one decimal."""
    text = f"{value:+.1f}" if signed else f"{value:.1f}"
    return with_minus(text).replace("+0.0", "0").replace("−0.0", "0")


class _Plan:
    """Where things are: two columns of dots, and beside them their differences on a scale of their own.

    ``seeds``: those whose dots are drawn.
    """

    def __init__(self, picture: Picture, room: Room, seeds: Collection[int] | None) -> None:
        self.picture, self.pairs = picture, picture.pairs
        has_hill = picture.shown is Shown.HILL
        self.seeds = range(1, picture.count + 1) if seeds is None else seeds
        self.width = float(room.width)
        self.top = 30.0 + PILLS * (has_hill and (picture.joinable or len(picture.choices) > 1))
        self.legend = remark(_legend(picture, seeds is None), self.width - 8)
        under = (SEEDS if has_hill else NAMES) + self.legend.height
        self.bottom = max(float(room.height), self.top + LEAST + under) - under
        self.height = self.bottom + under
        free = self.width - 2 * AXIS - 4
        self.left, self.right, self.zero, self.hill, self.end = (AXIS + free * at for at in self.columns)
        self.room = self.zero - self.right - 6
        every = np.concatenate([picture.numbers[name] for name in picture.names])
        self.values = Scale(float(every.min()), float(every.max()), self.top + EDGE, self.bottom - EDGE)
        self.differences = Scale(*picture.extent, self.top + EDGE, self.bottom - EDGE)

    @property
    def columns(self) -> tuple[float, ...]:
        """Where things are, as shares of the width."""
        return ALONE if self.picture.shown is Shown.LINES else BESIDE


@dataclass(frozen=True)
class Scale:
    """A vertical axis for numbers between ``low`` and ``high``, from the line ``bottom`` up to ``top``."""

    low: float
    high: float
    top: float
    bottom: float

    def y(self, value: float) -> float:
        return self.bottom - (value - self.low) * (self.bottom - self.top) / ((self.high - self.low) or 1)

    def ticks(self) -> list[float]:
        """Round numbers on the axis."""
        return [float(each) for each in ticks(self.low, self.high) if self.low <= each <= self.high]


def draw_pairs(
    picture: Picture, room: Room, alt: str, seeds: Collection[int] | None = None, grains: int | None = None
) -> Html:
    """The picture; one can change what it shows where the hill is shown, too.

    ``seeds``: those that are drawn, by default all that count. ``grains``: means of so many lots instead of the hill.
    """
    plan = _Plan(picture, room, seeds)
    shapes = [*_axis(plan), *(_differences_axis(plan) if picture.shown > Shown.LINES else ())]
    shapes += [*_lines(plan), *_dots(plan), *([] if seeds is not None else _means(plan)), *_named(plan)]
    if picture.shown is Shown.DIFFERENCES:
        shapes += _swarm(plan, False)
    if picture.shown is Shown.HILL:
        under, over = ([*_hill(plan)], [*_interval(plan)]) if grains is None else ([], [*_grains(plan, grains)])
        shapes += [*_choices(plan), *under, *_swarm(plan, grains == 1), *over, *_seeds(plan)]
    shapes.append(moved(plan.legend, 4, plan.height - plan.legend.height))
    return svg(shapes, plan.width, plan.height, alt)


def _legend(picture: Picture, whole: bool) -> str:
    """What the colours mean, with all lines the dashes, and the hill with its bar."""
    colours = say("Green is more, orange is less, grey is the same.") if picture.joined else ""
    dashes = say("Black dashes are means.") if whole else ""
    hill = say("The hill: how far chance may move the mean difference. The thick bar: its middle 95 %.")
    return sentences((colours, dashes, hill if picture.shown is Shown.HILL else ""))


def _choices(plan: _Plan) -> Iterator[Html]:
    """What else can be shown, and whether the numbers are joined by seed."""
    picture, text = plan.picture, say("joined by seed")
    switch = text_width(text, bold=True) + 26 if picture.joinable else 0
    choices = picture.choices
    widest = max((text_width(name, bold=True) for name, _, _ in choices), default=0) + 26
    if len(choices) > 1:
        yield from pills(choices, 2, 2, min(widest, (plan.width - switch - 8) / len(choices)))
    if not picture.joinable:
        return
    joins = (text, f"joined: {'off' if picture.joined else 'on'}", picture.joined)
    yield from pills([joins], plan.width - switch, 2, switch)


def _axis(plan: _Plan) -> Iterator[Html]:
    """The numbers on the left, and the names of the columns."""
    scale, picture = plan.values, plan.picture
    grid = "".join(f"M{AXIS} {scale.y(each):.1f}H{plan.right + 14:.0f}" for each in scale.ticks())
    yield element("path", d=grid, stroke=TICK, fill="none")
    yield element("g", *(label(f"{each:g}", AXIS - 6, scale.y(each) + 4, "end") for each in scale.ticks()), fill=INK_2)
    yield label(fitted(picture.what, plan.zero - 8), 4, plan.top - 10, fill=INK_2)
    for x, name in zip((plan.left, plan.right), picture.names, strict=True):
        text = fitted(name, plan.right - plan.left, bold=True)
        yield label(text, x, plan.bottom + 12, "middle", font_weight="bold")


def colour(difference: float) -> str:
    return CHOSEN if difference > 0 else EVICTED if difference < 0 else INK_3


def _lines(plan: _Plan) -> Iterator[Html]:
    """A line for each seed from A to B; equal numbers are level, whatever the rows of their dots."""
    starts, ends = _column(plan, "a"), _column(plan, "b")
    for seed, a, b in _each(plan) if plan.pairs.joined else ():
        is_hero = seed == plan.picture.hero
        (left, _), (right, _) = starts[seed], ends[seed]
        yield element(
            "path",
            d=f"M{left:.1f} {plan.values.y(a):.1f}L{right:.1f} {plan.values.y(b):.1f}",
            stroke=colour(b - a),
            stroke_width=3.5 if is_hero else 1.6,
            stroke_opacity=None if is_hero else 0.75,
            fill="none",
            data_key=f"line/{seed}",
            data_ref=f"seed/{seed}",
            data_tip=_tip(seed, a, b),
        )


def _tip(seed: int, a: float, b: float) -> str:
    return say(
        "seed {seed}: {a} and {b}, {difference}", seed=seed, a=number(a), b=number(b), difference=number(b - a, True)
    )


def _each(plan: _Plan) -> Iterator[tuple[int, float, float]]:
    """The number of each seed that is drawn, and what A and B have with it."""
    every = zip(range(1, len(plan.pairs.a) + 1), plan.pairs.a.tolist(), plan.pairs.b.tolist(), strict=True)
    yield from (each for each in every if each[0] in plan.seeds)


def aside(ys: Sequence[float]) -> list[int]:
    """For dots at these heights: how many others are between each and its column, so that none hides another."""
    found, lowest = [0] * len(ys), list[float]()
    for at in sorted(range(len(ys)), key=ys.__getitem__):
        free = next((k for k, low in enumerate(lowest) if ys[at] - low >= 2 * DOT - 1), len(lowest))
        lowest[free : free + 1] = [ys[at]]
        found[at] = free
    return found


def in_rows(ys: Sequence[float], room: float) -> list[float]:
    """Heights of dots; dots at the same height that would hide each other's middle in this room are in several rows."""
    found, seen = list[float](), Counter[float]()
    for y in ys:
        rows = min(ceil(ys.count(y) / (room // DOT + 1)), ROWS)
        found.append(y + (seen[y] % rows - (rows - 1) / 2) * 2 * DOT)
        seen[y] += 1
    return found


def _column(plan: _Plan, letter: str) -> dict[int, tuple[float, float]]:
    """By seed: where A's or B's dot is, away from the other column where several are equal."""
    x, side, room = (plan.left, -1, plan.left - AXIS) if letter == "a" else (plan.right, 1, plan.room)
    seeds = [seed for seed, _, _ in _each(plan)]
    ys = in_rows([plan.values.y(a if letter == "a" else b) for _, a, b in _each(plan)], room - DOT)
    besides = aside(ys)
    step = side * min(2 * DOT, (room - DOT) / max([*besides, 1]))
    return {seed: (x + step * k, y) for seed, y, k in zip(seeds, ys, besides, strict=True)}


def _dots(plan: _Plan) -> Iterator[Html]:
    """A dot for each number."""
    joined = plan.pairs.joined
    for letter in "ab":
        column = _column(plan, letter)
        for seed, a, b in _each(plan):
            value = number(a if letter == "a" else b)
            fill, tip = (colour(b - a), _tip(seed, a, b)) if joined else (INK_2, value)
            yield _dot(*column[seed], fill, f"{letter}/{seed}", tip)


def _names(plan: _Plan) -> set[int]:
    """The seeds that are named: the hero, and the only one that speaks against the mean, if there is one."""
    against = np.flatnonzero(plan.pairs.differences * plan.pairs.mean < 0) + 1
    return {plan.picture.hero, *(against.tolist() if len(against) == 1 else ())}


def _named(plan: _Plan) -> Iterator[Html]:
    """The names of seeds, each upon the middle of its line."""
    starts, ends = _column(plan, "a"), _column(plan, "b")
    for seed in _names(plan) & starts.keys() if plan.pairs.joined else ():
        (left, top), (right, bottom) = starts[seed], ends[seed]
        text = words(say("seed {seed}", seed=seed), bold=True, **HALO)
        x, y = ((left + right - text.width) / 2, (top + bottom - text.height) / 2)
        yield moved(text, x, y, data_key=f"named/{seed}")


def _means(plan: _Plan) -> Iterator[Html]:
    """A bar at the mean of each column."""
    pairs = plan.pairs
    for letter, x, mean in (("a", plan.left, float(pairs.a.mean())), ("b", plan.right, float(pairs.b.mean()))):
        line = f"M{x - 15:.1f} {plan.values.y(mean):.1f}h30"
        yield element("path", d=line, stroke="currentColor", stroke_width=3, data_key=f"mean/{letter}")


def _dot(x: float, y: float, colour: str, key: str, tip: str, times: float = 1) -> Html:
    look: Look = {"r": round(DOT * (times or 1), 1), "fill": colour, "stroke": TRAY, "stroke_width": 1.2}
    return element("circle", **look, data_key=key, data_tip=tip, transform=f"translate({x:.1f},{y:.1f})")


def _differences_axis(plan: _Plan) -> Iterator[Html]:
    """The scale of the differences, with a line at 0."""
    scale = plan.differences
    grid = "".join(f"M{plan.zero:.0f} {scale.y(each):.1f}H{plan.end:.0f}" for each in scale.ticks() if each)
    yield element("path", d=grid, stroke=TICK, fill="none")
    line = f"M{plan.zero:.0f} {scale.y(0):.1f}H{plan.end:.0f}"
    yield element("path", d=line, stroke="currentColor", stroke_width=1.3, stroke_dasharray="5 4", data_key="zero")
    if (reported := plan.picture.reported) is not None:
        y = scale.y(reported)
        line = f"M{plan.zero:.0f} {y:.1f}H{plan.end:.0f}"
        yield element("path", d=line, stroke=ACT, stroke_width=2, data_key="reported")
        said = say("the paper: {points}", points=number(reported, True))
        yield label(said, plan.end, y - 5, "end", font_weight="bold", fill=ACT, **HALO)
    texts = (label(number(each, True).replace(".0", ""), plan.end + 6, scale.y(each) + 4) for each in scale.ticks())
    yield element("g", *texts, fill=INK_2)
    a, b = plan.picture.names
    title = fitted(f"{b} − {a}", plan.width - plan.zero)
    yield label(title, plan.width - 4, plan.top - 10, "end", fill=INK_2)


def _swarm(plan: _Plan, first: bool) -> Iterator[Html]:
    """A dot for each difference, side by side where they are equal; many of them overlap.

    ``first``: those of the first lot are as large as they were drawn often, the others pale.
    """
    often = np.bincount(plan.pairs.lots[0, 0], minlength=len(plan.pairs.a)).tolist()
    each = [*_each(plan)] if plan.pairs.joined else []
    room = plan.hill - 14 - plan.zero
    ys = in_rows([plan.differences.y(b - a) for _, a, b in each], room)
    besides = aside(ys)
    step = min(2 * DOT, room / max([*besides, 1]))
    for (seed, a, b), y, k in zip(each, ys, besides, strict=True):
        x = plan.hill - 14 - k * step
        dot = _dot(x, y, colour(b - a), f"seed/{seed}", _tip(seed, a, b), often[seed - 1] ** 0.5 if first else 1)
        yield element("g", dot, opacity=0.2) if first and not often[seed - 1] else dot


def _grains(plan: _Plan, number: int) -> Iterator[Html]:
    """The means of the first lots, as grains that lie side by side where they are equal, closer where they are many."""
    rows = [round(plan.differences.y(mean) / GRAIN) for mean in plan.pairs.resampled[:number].tolist()]
    step = min(GRAIN, (plan.end - plan.hill - 2 * GRAIN) / max(map(rows.count, rows)))
    for i, row in enumerate(rows):
        x = plan.hill + 1.5 * GRAIN + step * rows[:i].count(row)
        yield element("circle", cx=round(x, 1), cy=row * GRAIN, r=GRAIN / 2 - 0.4, fill=INK_2, data_key=f"grain/{i}")


def _hill(plan: _Plan) -> Iterator[Html]:
    """How often each mean came about when seeds were drawn again."""
    means, scale = plan.pairs.resampled, plan.differences
    if len(plan.pairs.a) < 2 or not (spread := float(means.std())):
        return
    width = max(spread * 0.3, (scale.high - scale.low) / 200)
    low, high = plan.pairs.limits
    ends = max(float(means.min()) - 2 * width, low), min(float(means.max()) + 2 * width, high)
    at = np.linspace(*ends, 48)
    often = np.exp(-(((at[:, None] - means) / width) ** 2) / 2).sum(axis=1)
    across = plan.hill + (plan.end - plan.hill - 4) * often / often.max()
    line = "L".join(f"{x:.1f} {scale.y(y):.1f}" for x, y in zip(across.tolist(), at.tolist(), strict=True))
    foot, head = (f"{plan.hill:.1f} {scale.y(end):.1f}" for end in ends)
    fill = GREY_SOFT if not plan.pairs.real else CHOSEN_SOFT if plan.pairs.mean > 0 else EVICTED_SOFT
    yield element("path", d=f"M{foot}L{line}L{head}Z", fill=fill, stroke=HAIR)


def _interval(plan: _Plan) -> Iterator[Html]:
    """The mean difference, and the interval around it."""
    pairs, x = plan.pairs, plan.hill
    low, high = pairs.interval
    fill = colour(pairs.mean) if pairs.real else INK_2
    top, bottom, middle = (plan.differences.y(value) for value in (high, low, pairs.mean))
    look: Look = {"r": 6.5, "fill": fill, "stroke": TRAY, "stroke_width": 1.5}
    yield element("circle", **look, data_key="difference", transform=f"translate({x:.1f},{middle:.1f})")
    if len(pairs.a) >= 2:
        ends = f"M{x - 8:.1f} {top:.1f}h16M{x - 8:.1f} {bottom:.1f}h16"
        line = f"M{x:.1f} {top:.1f}V{bottom:.1f}{ends}"
        yield element("path", d=line, stroke=fill, stroke_width=3, data_key="interval")
    mean: Any = {"fill": fill, "font_weight": "bold", "font_size": 14}
    above_zero = middle - 9 if abs(middle - plan.differences.y(0)) < 8 else middle + 4.5
    yield label(number(pairs.mean, True), x + 11, above_zero, **mean, **HALO)


def _seeds(plan: _Plan) -> Iterator[Html]:
    """How many seeds count: a track to drag along, or to click."""
    most, count = plan.picture.most, plan.picture.count
    y, left, right = plan.bottom + SEEDS - 20, 62.0, plan.width - 60
    step = (right - left) / max(most - 1, 1)
    x = left + step * (count - 1)
    yield label(say("seeds"), 4, y + 4, fill=INK_2)
    yield element("path", d=f"M{left:.1f} {y}H{right:.1f}", stroke=HAIR, stroke_width=3)
    yield element("path", d=f"M{left:.1f} {y}H{x:.1f}", stroke=INK_3, stroke_width=3, data_key="seeds/track")
    for seeds in range(1, most + 1):  # the grip is what a keyboard reaches
        place = {"x": round(left + step * (seeds - 1.5), 1), "y": y - 12}
        yield rect(round(step, 1), 24, **place, fill="transparent", data_set=f"seeds: {seeds}", role="none")
    grip = [
        element("circle", r=15, fill="transparent"),
        element("rect", x=-15, y=-11, width=30, height=22, rx=11, fill="currentColor"),
        label(str(count), 0, 4.5, "middle", font_weight="bold", fill=TRAY),
    ]
    about = dragged("seeds", "x", round(step, 2), say("number of seeds"))
    yield element("g", *grip, transform=f"translate({x:.1f},{y})", data_key="seeds/grip", **about)
