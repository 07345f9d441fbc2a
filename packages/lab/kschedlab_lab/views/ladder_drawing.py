"""The ladder of rules as a drawing: a thread runs down from each node through the rules, and ends where it loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kschedlab.messages import later, meant, say
from kschedlab.preemption.evidence import Preemption
from kschedlab.preemption.ladder import PRIORITY_OFFSET, sum_of_priorities
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import LARGE, RuleResult, steps
from kschedlab_lab.views.drawing import Box, Plan
from kschedlab_lab.views.glyphs import CROSS, STAR
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, row, words
from kschedlab_lab.views.lettering import fitted, fitting, text_width, wrapped
from kschedlab_lab.views.style import (
    CHOSEN,
    CHOSEN_SOFT,
    EVICTED,
    EVICTED_SOFT,
    HAIR,
    INK_2,
    INK_3,
    ON_ACCENT,
    PANEL,
    TRAY,
)

ROW, TIGHT, LOW, TOP, DISC, VALUE, OUT = 34, 26, 48, 10, 9.5, 21, 10
"""The height of a rule, where there is little height, and where its name is above its values; the space above the
first; the radius of a rule's disc; the height of a value; how far the band goes beyond the nodes. In pixels."""
BESIDE = 104
"""The least width of a column for the rules' names; else they are above the values."""
SHORT = {
    later("fewest PodDisruptionBudget violations"): (later("fewest broken budgets"), later("broken budgets")),
    later("lowest first victim priority"): (later("lowest first victim"), later("first victim")),
    later("smallest sum of victim priorities"): (later("lowest sum"),),
    later("fewest victims"): (later("fewest victims"), meant("number", "victims")),
    later("latest earliest start time"): (later("latest start"),),
}
"""What each rule prefers, by its name, in a few words and in fewer."""


class Lane(NamedTuple):
    """A column below a node: its left edge and its width."""

    x: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


class Lanes(NamedTuple):
    """The columns of a ladder. ``rules``: that of the rules' names; ``named``: the nodes' names are above the lanes.

    ``tight``: there is little height.
    """

    rules: Lane
    nodes: Mapping[str, Lane]
    named: bool
    tight: bool = False

    @property
    def row(self) -> float:
        """The height of a rule."""
        return LOW if self.rules.width < BESIDE else TIGHT if self.tight else ROW

    @property
    def value(self) -> float:
        """How far the middle of a value is below the top of its rule."""
        return LOW - VALUE / 2 - 4 if self.rules.width < BESIDE else self.row / 2


def lanes(boxes: Sequence[Box], plan: Plan, preemption: Preemption, tight: bool = False) -> Lanes:
    """The lanes below the nodes, if these are in one row; else lanes of the candidates' own."""
    first, *rest = plan.places
    names = [box.name for box in boxes[1:]]
    if plan.rows == 1:
        nodes = {name: Lane(place.x, place.width) for name, place in zip(names, rest, strict=True)}
        return Lanes(Lane(first.x, 0 if first.bar else first.width), nodes, False, tight)
    names = [name for name in names if name in preemption.candidates]
    left = 150.0 if plan.width > 520 else 8.0
    wide = (plan.width - left - 8) / max(len(names), 1)
    return Lanes(Lane(8, left - 8), {name: Lane(left + i * wide, wide) for i, name in enumerate(names)}, True, tight)


def ladder_height(preemption: Preemption, at: Lanes) -> float:
    """The height of the drawing, in pixels."""
    return at.row * len(preemption.rungs) + TOP + (20 if at.named else 0) if preemption.rungs else 0


def ladder(
    preemption: Preemption, at: Lanes, y: float, obstacles: Mapping[str, str], rules: int | None = None
) -> list[Html]:
    """The ladder from ``y`` on. ``obstacles``: what is in the way on the other nodes; ``rules``: how many are asked."""
    if not preemption.rungs:
        return []
    results = steps(preemption, [node for node in at.nodes if node in preemption.candidates])
    asked = [step for step in results if step.applies and (rules is None or step.number <= rules)]
    if preemption.nominated_node is None:
        asked = []
    shapes: list[Html] = []
    start = y - 2
    if at.named:
        names = {node: words(fitted(node, lane.width - 4, bold=True), bold=True) for node, lane in at.nodes.items()}
        shapes += [moved(name, at.nodes[node].middle - name.width / 2, y) for node, name in names.items()]
        y += 20
        start = y
    y += TOP
    shapes += [_band(at, y + at.row * (step.number - 1)) for step in asked if step.decides]
    if asked:
        shapes += _threads(asked, preemption, at, start, y)
    shapes += [_rung(step, at, y + at.row * (step.number - 1), step in asked, rules is None) for step in results]
    if rules != 0:
        for node, lane in at.nodes.items():
            if node not in preemption.candidates:
                shapes += _in_the_way(obstacles.get(node, ""), lane, y + at.value)
    for step in asked:
        shapes += _values(step, preemption, at, y + at.row * (step.number - 1) + at.value)
    return shapes + (_unasked(results, at, y) if rules is None else [])


def _band(at: Lanes, y: float) -> Html:
    """The ground of the rule that decides."""
    right = max(lane.x + lane.width for lane in at.nodes.values())
    wide = right - at.rules.x + 2 * OUT
    box = {"x": at.rules.x - OUT, "y": y, "width": wide, "height": at.row, "rx": 10}
    return element("rect", fill=CHOSEN_SOFT, data_key="rung/band", **box)


def _threads(asked: Sequence[RuleResult], preemption: Preemption, at: Lanes, start: float, y: float) -> Iterator[Html]:
    """From each candidate to the last rule that it came to."""
    for node, lane in at.nodes.items():
        came = [step for step in asked if node in step.standing]
        if not came:
            continue
        lost, last = node not in came[-1].kept, came[-1].number
        wins = asked[-1].decides and not lost
        end = y + at.row * (last - 1) + at.value
        colour = CHOSEN if wins else INK_3 if lost else "currentColor"
        box = {"x": lane.middle - 1, "y": start, "width": 3 if wins else 2, "height": end - start, "rx": 1}
        yield element("rect", fill=colour, fill_opacity=0.6 if lost else None, data_key=f"thread/{node}", **box)


def _rung(step: RuleResult, at: Lanes, y: float, asked: bool, over: bool) -> Html:
    """The rule's number in a disc, and what it compares. ``over``: the decision has been made."""
    decides = asked and step.decides
    beside = at.rules.width >= BESIDE
    room = (at.rules.width if beside else 260) - 2 * DISC - 10
    texts = [say(text) for text in SHORT.get(step.name, (step.name,))]
    colour = "currentColor" if asked else INK_2
    name = words(fitted(fitting(texts, room, bold=decides), room, bold=decides), bold=decides, fill=colour)
    disc = Part(2 * DISC, 2 * DISC, (*_disc(step.number, CHOSEN if decides else "currentColor" if asked else "none"),))
    part = row([disc, name], 8)
    ground = None
    if not beside:
        fill = CHOSEN_SOFT if decides else PANEL
        ground = element("rect", x=-3, y=-1, width=part.width + 8, height=part.height + 2, rx=9, fill=fill)
    top = y + ((at.row - part.height) / 2 if beside else 3)
    return element(
        "g",
        ground,
        *part.shapes,
        transform=f"translate({at.rules.x:g},{top:g})",
        opacity=0.75 if over and not asked else None,
        data_key=f"rung/{step.number}",
        data_tip=say(
            "rule {number}: {rule}; {result}" if asked else "rule {number}: {rule}",
            number=step.number,
            rule=step.rule,
            result=step.result,
        ),
    )


def _disc(number: int, fill: str) -> Iterator[Html]:
    hollow = fill == "none"
    stroke = INK_3 if hollow else "none"
    yield element("circle", cx=DISC, cy=DISC, r=DISC, fill=fill, stroke=stroke, stroke_opacity=0.6)
    text = words(str(number), 11.2, bold=True, fill=INK_3 if hollow else PANEL)
    yield moved(text, DISC - text.width / 2 + 0.8, DISC - text.height / 2)


def _values(step: RuleResult, preemption: Preemption, at: Lanes, y: float) -> Iterator[Html]:
    """What the rule reads on each node that came to it; ``y``: their middle."""
    standing = {node: lane for node, lane in at.nodes.items() if node in step.standing and node in step.values}
    texts = _texts(step, preemption, standing)
    tied = step.number == len(preemption.rungs) and len(step.kept) > 1
    for node, lane in standing.items():
        lost, wins = node not in step.kept, step.decides and node in step.kept
        text = say("{value} tie", value=texts[node]) if tied and not lost else texts[node]
        part = _value(text, lost, wins or (tied and not lost), lane.width)
        yield moved(
            part,
            lane.middle - part.width / 2,
            y - part.height / 2,
            data_key=f"rung/{step.number}/{node}",
            data_from=f"rung/{step.number - 1}/{node}",
            data_ref=f"node/{node}",
            data_state="lost" if lost else "wins" if wins else "tied" if tied else None,
            data_tip=say(
                "{node}, rule {number} ({rule}): {value}",
                node=node,
                number=step.number,
                rule=step.rule,
                value=step.values[node],
            ),
        )


def _value(text: str, lost: bool, wins: bool, width: float) -> Part:
    """A value on its thread: that of the winner with a star, one that loses with a cross."""
    colour = EVICTED if lost else ON_ACCENT if wins else "currentColor"
    sign = NOTHING
    if lost:
        cross = element("path", d=CROSS, stroke=EVICTED, stroke_width=2, fill="none")
        sign = Part(11, 16, (moved(Part(0, 0, (cross,)), -3, 0),))
    elif wins:
        star = element("path", d=STAR, fill=ON_ACCENT)
        sign = Part(12, 16, (moved(Part(0, 0, (star,)), -3, 0),))
    room = width - sign.width - 8
    size = 12 if text_width(text, 12, bold=lost or wins) <= room else 11.2
    inside = row(
        [sign, words(fitted(text, room + 26, size, bold=lost or wins), size, bold=lost or wins, fill=colour)], 3
    )
    wide = max(inside.width + 14, VALUE)
    ground = element(
        "rect",
        width=wide,
        height=VALUE,
        rx=VALUE / 2,
        fill=EVICTED_SOFT if lost else CHOSEN if wins else TRAY,
        stroke=EVICTED if lost else CHOSEN if wins else HAIR,
    )
    return Part(wide, VALUE, (ground, moved(inside, (wide - inside.width) / 2, (VALUE - inside.height) / 2)))


def _texts(step: RuleResult, preemption: Preemption, lanes: Mapping[str, Lane]) -> dict[str, str]:
    """The values as written on the threads; sums with their offset apart if that is short and equal sums look equal."""
    rung = preemption.rungs[step.number - 1]
    if rung.rule.value is not sum_of_priorities:
        return {node: step.values[node] for node in lanes}
    names = [preemption.cluster.names[n] for n in preemption.positions.tolist()]
    sums = {node: int(rung.value[names.index(node)]) for node in lanes}
    victims = {node: len(preemption.candidates[node].victims) for node in lanes}
    apart = {node: total - victims[node] * PRIORITY_OFFSET for node, total in sums.items()}
    if any(abs(priorities) > LARGE for priorities in apart.values()):
        return {node: f"{total:,}" for node, total in sums.items()}
    texts = {node: f"{apart[node]} + {f'{n}·' if n > 1 else ''}2³¹" for node, n in victims.items()}
    room = min((lane.width for lane in lanes.values()), default=0) - 24
    fits = all(text_width(text, bold=True) <= room for text in texts.values())
    return texts if fits else {node: text.replace(" ", "") for node, text in texts.items()}


def _in_the_way(text: str, lane: Lane, y: float) -> list[Html]:
    """Why a node has no thread."""
    lines = wrapped(text, lane.width - 4, 4) if text else []
    part = column([words(line, fill=EVICTED) for line in lines], 0, "middle")
    return [moved(part, lane.middle - part.width / 2, y - 8)] if lines else []


def _unasked(results: Sequence[RuleResult], at: Lanes, y: float) -> list[Html]:
    """A word beside the first rule that is not asked."""
    first = next((step for step in results if not step.applies), None)
    if first is None:
        return []
    why = words(say("not asked: one node is left"), 11.2, fill=INK_2)
    if first.number == 1:  # what is in the way on the other nodes is in this row
        first = next(step for step in results if step.number == 2)
    x = min(lane.x for lane in at.nodes.values())
    return [moved(why, x if at.rules.width >= BESIDE else 28, y + at.row * (first.number - 1) + at.value - 7)]
