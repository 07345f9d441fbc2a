"""The region of score weights in which a decision's answer stays: exact, from the table of normalised scores.

A node's total is the sum of its normalised scores times their weights, so each other node is a half-space of weights:
the sum of (score of the chosen node - score of the other) times weight must not be negative. All numbers are integers,
and the borders are exact fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import NamedTuple, TypeAlias

from kschedlab.decision import Decision
from kschedlab.objects.problems import InputValueError, unknown
from kschedlab.shown import Shown
from kschedlab.text.sections import Limits, Row, Section, Table

Number: TypeAlias = int | Fraction
Corner: TypeAlias = tuple[Fraction, Fraction]
MOST = 100
"""The highest weight of a configuration is far higher, but none uses more."""


class HalfSpace(NamedTuple):
    """The chosen node beats ``node`` as long as the sum of coefficient times weight is at least 0.

    ``strict``: it must be more than 0, because of equal nodes the other one is the first by name.
    """

    node: str
    coefficients: dict[str, int]
    strict: bool

    def value(self, weights: Mapping[str, Number]) -> Number:
        """The sum with these weights."""
        return sum((c * weights[name] for name, c in self.coefficients.items()), Fraction(0))

    def holds(self, weights: Mapping[str, Number]) -> bool:
        """Whether the chosen node beats the other with these weights."""
        value = self.value(weights)
        return value > 0 or (value == 0 and not self.strict)


class Side(NamedTuple):
    """One end of a weight's range. ``node``: what is chosen beyond it. ``open``: the end itself is beyond."""

    weight: Fraction
    node: str
    open: bool


class Range(NamedTuple):
    """The weights of one score, all others as they are, with which the answer stays. None: there is no end."""

    plugin: str
    now: int
    low: Side | None
    high: Side | None


@dataclass(frozen=True, eq=False, repr=False)
class WeightRegion(Shown):
    """The weights with which ``node`` stays chosen: those from 0 that are in every half-space.

    ``weights``: as they are now, of each plugin that scored. ``half_spaces``: without those that others imply.
    ``scores``: the normalised scores of each node, in the order of the weights.
    """

    node: str
    weights: dict[str, int]
    half_spaces: tuple[HalfSpace, ...]
    scores: dict[str, tuple[int, ...]]

    def holds(self, **weights: Number) -> bool:
        """Whether the answer stays with these weights; the others are as now. KeyError if there is no such plugin."""
        for name in weights:
            self._check(name)
        return all(each.holds(self.weights | weights) for each in self.half_spaces)

    def range(self, plugin: str) -> Range:
        """The range of one weight, all others as they are. KeyError if the plugin did not score."""
        self._check(plugin)
        low: Side | None = None
        high: Side | None = None
        for each in self.half_spaces:
            slope = each.coefficients.get(plugin, 0)
            if not slope:
                continue
            border = Fraction(self.weights[plugin]) - Fraction(each.value(self.weights)) / slope
            if slope < 0 and (high is None or (border, not each.strict) < (high.weight, not high.open)):
                high = Side(border, self._beyond(plugin, border, +1), each.strict)
            lowest = border > 0 or (border == 0 and each.strict)
            if slope > 0 and lowest and (low is None or (border, each.strict) > (low.weight, low.open)):
                low = Side(border, self._beyond(plugin, border, -1), each.strict)
        return Range(plugin, self.weights[plugin], low, high)

    def _beyond(self, plugin: str, border: Fraction, direction: int) -> str:
        """What is chosen if the weight is a little above (+1) or below (-1) the border; at 0 there is no below."""
        place = list(self.weights).index(plugin)
        weights = (self.weights | {plugin: border}).values()
        tilt = direction if border or direction > 0 else 0

        def rank(node: str) -> tuple[Number, int]:
            scores = self.scores[node]
            return sum(score * weight for score, weight in zip(scores, weights, strict=True)), tilt * scores[place]

        return min(self.scores, key=lambda node: (*(-each for each in rank(node)), node))

    def ranges(self) -> list[Range]:
        """The range of each plugin's weight."""
        return [self.range(plugin) for plugin in self.weights]

    def polygon(self, x: str, y: str, most: int = MOST) -> tuple[Corner, ...]:
        """The corners of the region in the plane of two weights from 0 to ``most``, counter-clockwise; none if empty.

        Borders of half-spaces that are strict belong to the polygon, but not to the region.
        """
        if x == y:
            raise InputValueError(f"expected two plugins, got {x} twice")
        self._check(x)
        self._check(y)
        end = Fraction(most)
        corners: list[Corner] = [(Fraction(0), Fraction(0)), (end, Fraction(0)), (end, end), (Fraction(0), end)]
        for each in self.half_spaces:
            a, b = each.coefficients.get(x, 0), each.coefficients.get(y, 0)
            rest = Fraction(each.value(self.weights | {x: 0, y: 0}))
            corners = list(_clipped(corners, a, b, rest))
        return tuple(dict.fromkeys(corners))

    def sentences(self) -> list[str]:
        """Each weight that changes the answer, as a sentence."""
        return [text for each in self.ranges() if (text := _range_sentence(self.node, each))]

    def sections(self, limits: Limits) -> Iterator[Section]:
        """Until which weight the answer stays, then the half-spaces."""
        sentences = self.sentences()
        title = f"{self.node} is chosen."
        yield Section(title, sentences or ["No weight of one score alone changes that."])
        rows = [
            Row(
                [
                    each.node,
                    " ".join(f"{c:+d}*{name}" for name, c in each.coefficients.items()),
                    "> 0" if each.strict else ">= 0",
                ]
            )
            for each in self.half_spaces
        ]
        if rows:
            yield Section("It is as long as", [Table(["against", "sum of weights", ""], rows)])

    def _check(self, plugin: str) -> None:
        if plugin not in self.weights:
            raise unknown("score", plugin, self.weights)


def weight_region(decision: Decision) -> WeightRegion:
    """The region in which the decision's node stays chosen. Of equal nodes the first by name is chosen.

    ValueError if the decision has no node.
    """
    if decision.node is None:
        raise InputValueError(f"{decision.pod.key} has no node: no weight changes that")
    scores = decision.scores
    if scores is None:
        return WeightRegion(decision.node, {}, (), {decision.node: ()})
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    chosen = names.index(decision.node)
    table = [row.normalized.tolist() for row in scores.rows]
    spaces = []
    for place, other in enumerate(names):
        if place != chosen:
            gaps = [row[chosen] - row[place] for row in table]
            divisor = gcd(*gaps) or 1
            coefficients = {name: gap // divisor for name, gap in zip(scores.plugins, gaps, strict=True) if gap}
            spaces.append(HalfSpace(other, coefficients, other < decision.node))
    weights = dict(zip(scores.plugins, scores.weights, strict=True))
    return WeightRegion(
        decision.node, weights, tuple(_needed(spaces)), dict(zip(names, zip(*table, strict=True), strict=True))
    )


def _needed(spaces: Iterable[HalfSpace]) -> Iterator[HalfSpace]:
    """The half-spaces without those that hold for all weights, and without those that another one implies."""
    kept: list[HalfSpace] = []
    for each in spaces:
        if all(c >= 0 for c in each.coefficients.values()) and not each.strict:
            continue
        if any(_implies(other, each) for other in kept):
            continue
        kept = [other for other in kept if not _implies(each, other)] + [each]
    yield from kept


def _implies(one: HalfSpace, other: HalfSpace) -> bool:
    """Whether weights from 0 that are in the one are surely in the other."""
    names = {*one.coefficients, *other.coefficients}
    smaller = all(one.coefficients.get(name, 0) <= other.coefficients.get(name, 0) for name in names)
    return smaller and (one.strict or not other.strict)


def _clipped(corners: list[Corner], a: int, b: int, rest: Fraction) -> Iterator[Corner]:
    """The part of the polygon where a * x + b * y + rest is not negative (Sutherland and Hodgman)."""
    values = [a * x + b * y + rest for x, y in corners]
    for i, (corner, value) in enumerate(zip(corners, values, strict=True)):
        before, earlier = corners[i - 1], values[i - 1]
        if (value > 0 > earlier) or (value < 0 < earlier):
            share = earlier / (earlier - value)
            yield before[0] + share * (corner[0] - before[0]), before[1] + share * (corner[1] - before[1])
        if value >= 0:
            yield corner


def _range_sentence(node: str, found: Range) -> str:
    """ "node-a stays chosen until NodeResourcesFit weighs more than 3 (it is 1), then node-b." "" without an end."""
    parts = []
    if found.high is not None:
        weighs = f"{found.high.weight} or more" if found.high.open else f"more than {found.high.weight}"
        parts.append(f"until {found.plugin} weighs {weighs}, then {found.high.node}")
    if found.low is not None:
        weighs = f"{found.low.weight} or less" if found.low.open else f"less than {found.low.weight}"
        parts.append(f"until {found.plugin} weighs {weighs}, then {found.low.node}")
    return f"{node} stays chosen {'; and '.join(parts)} (it weighs {found.now})." if parts else ""
