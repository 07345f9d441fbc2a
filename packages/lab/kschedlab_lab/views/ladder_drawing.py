"""The ladder of rules as a drawing: a lane runs down from each node through the rules. Who loses falls off its lane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.preemption.evidence import Preemption
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult, steps
from kschedlab_lab.views.drawing import Arrangement, Box
from kschedlab_lab.views.glyphs import CROSS, STAR
from kschedlab_lab.views.layout import NOTHING, Part, moved, placed, row, words
from kschedlab_lab.views.lettering import fitted, flowed, text_width
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
from kschedlab_lab.views.svg import rect

ROW, TIGHT, LOW, TOP, DISC, VALUE, OUT = 34, 22, 40, 4, 9.5, 20, 10
"""The height of a rule, where there is little height, and where its name is above its values; the space above the
first; the radius of a rule's disc; the height of a value; how far the band goes beyond the nodes. In pixels."""
BESIDE = 80
"""The least width of a column for the rules' names; else they are above the values."""
INTO = 8
"""How far such a name may reach into the gap before the first node."""
FALLS, TILT, LEANS = 5, 7, 3
"""How far the value of who loses falls, in pixels, and by how many degrees it tilts; in a row without room for that it
only leans, by so many."""
SHORT = {
    later("fewest PodDisruptionBudget violations"): (
        later("fewest broken budgets"),
        later("broken budgets"),
        later("violations"),
    ),
    later("lowest first victim priority"): (later("lowest first victim"), later("first victim")),
    later("smallest sum of victim priorities"): (later("lowest sum"), later("sum")),
    later("fewest victims"): (later("fewest victims"), later("victims")),
    later("latest start"): (later("latest start"),),
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

    ``tight``: there is little height. ``only``: the numbers of the rules that are drawn, if not all.
    """

    rules: Lane
    nodes: Mapping[str, Lane]
    named: bool
    tight: bool = False
    only: tuple[int, ...] = ()

    @property
    def beside(self) -> bool:
        """Whether the rules' names are beside their values, not above them."""
        return self.rules.width >= BESIDE

    @property
    def row(self) -> float:
        """The height of a rule."""
        return (TIGHT if self.tight else ROW) if self.beside else LOW

    def top(self, number: int) -> float:
        """How far the rule with this number is below the first."""
        return self.row * (self.only.index(number) if self.only else number - 1)

    @property
    def value(self) -> float:
        """How far the middle of a value is below the top of its rule."""
        return self.row / 2 if self.beside else LOW - VALUE / 2 - 1


def lanes(boxes: Sequence[Box], plan: Arrangement, preemption: Preemption, tight: bool = False) -> Lanes:
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
    return at.row * len(at.only or preemption.rungs) + TOP + (20 if at.named else 0) if preemption.rungs else 0


def ladder(preemption: Preemption, at: Lanes, y: float, rules: int | None = None) -> list[Html]:
    """The ladder from ``y`` on. ``rules``: how many are asked."""
    if not preemption.rungs:
        return []
    every = steps(preemption, [node for node in at.nodes if node in preemption.candidates])
    results = [step for step in every if not at.only or step.number in at.only]
    asked = [step for step in results if step.applies and (rules is None or step.number <= rules)]
    if preemption.nominated_node is None:
        asked = []
    shapes: list[Html] = []
    start = y - 2
    if at.named:
        names = {node: words(fitted(node, lane.width - 4, bold=True), bold=True) for node, lane in at.nodes.items()}
        shapes += [placed(name, at.nodes[node].middle, y) for node, name in names.items()]
        start = y = y + 20
    y += TOP
    shapes += [_band(at, y + at.top(step.number)) for step in asked if step.decides]
    shapes += _threads(asked, at, start, y)
    shapes += [_rung(step, at, y + at.top(step.number), step in asked, rules is None) for step in results]
    for step in asked:
        shapes += _values(step, preemption, at, y + at.top(step.number) + at.value)
    return shapes + (_unasked(results, at, y) if rules is None else [])


def _band(at: Lanes, y: float) -> Html:
    """The ground of the rule that decides."""
    right = max(lane.x + lane.width for lane in at.nodes.values())
    wide = right - at.rules.x + 2 * OUT
    return rect(wide, at.row, 10, at.rules.x - OUT, y, fill=CHOSEN_SOFT, data_key="rung/band")


def _threads(asked: Sequence[RuleResult], at: Lanes, start: float, y: float) -> Iterator[Html]:
    """From each candidate to the last rule that it came to."""
    for node, lane in at.nodes.items():
        came = [step for step in asked if node in step.standing]
        if not came:
            continue
        lost, last = node not in came[-1].kept, came[-1].number
        wins = asked[-1].decides and not lost
        end = y + at.top(last) + at.value - (VALUE / 2 + 2 if lost else 0)
        wide = 4 if wins else 2.5
        fill = CHOSEN if wins else INK_3 if lost else "currentColor"
        left, pale = lane.middle - wide / 2, 0.7 if lost else None
        yield rect(wide, end - start, 1, left, start, fill=fill, fill_opacity=pale, data_key=f"thread/{node}")


def _rung(step: RuleResult, at: Lanes, y: float, asked: bool, over: bool) -> Html:
    """The rule's number in a disc, and what it compares: in words that have room in bold, too.

    ``over``: the decision has been made.
    """
    decides = asked and step.decides
    room = (at.rules.width + INTO if at.beside else 260) - 2 * DISC - 8
    texts = [say(text) for text in SHORT.get(step.name, (step.name,))]
    texts = texts[-1:] if at.tight else texts  # one name, however wide the column
    size = 12 if room > 100 else 11.2
    text = next((text for text in texts if len(flowed(text, room, size, bold=True)) <= 2), texts[-1])
    colour = "currentColor" if asked else INK_2
    name = words(text, size, decides, None if at.tight else room, fill=colour)  # values that are beside it are short
    disc = Part(2 * DISC, 2 * DISC, (*_disc(step.number, CHOSEN if decides else "currentColor" if asked else "none"),))
    part = row([disc, name], 8)
    ground = None
    if not at.beside:
        fill = CHOSEN_SOFT if decides else PANEL
        ground = element("rect", x=-3, y=-1, width=part.width + 8, height=part.height + 2, rx=9, fill=fill)
    return element(
        "g",
        ground,
        *part.shapes,
        transform=f"translate({at.rules.x:g},{y + ((at.row - part.height) / 2 if at.beside else -2):g})",
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
    yield placed(text, DISC, DISC - text.height / 2)


def _values(step: RuleResult, preemption: Preemption, at: Lanes, y: float) -> Iterator[Html]:
    """What the rule reads on each node that came to it; ``y``: their middle."""
    standing = {node: lane for node, lane in at.nodes.items() if node in step.standing and node in step.values}
    texts = {node: step.values[node].replace("1×", "").replace("×", "·").replace(" + ", "+") for node in standing}
    tied = step.number == len(preemption.rungs) and len(step.kept) > 1
    for node, lane in standing.items():
        lost, wins = node not in step.kept, step.decides and node in step.kept
        text = say("{value} tie", value=texts[node]) if tied and not lost else texts[node]
        part = _value(text, lost, wins or (tied and not lost), lane.width, at.tight)
        yield moved(
            part,
            max(lane.middle - part.width / 2, 1),
            y - part.height / 2,
            data_key=f"rung/{step.number}/{node}",
            data_from=f"rung/{step.number - 1}/{node}",
            data_ref=f"node/{node}",
            data_state="lost" if lost else "wins" if wins else "tied" if tied else None,
        )


def _value(text: str, lost: bool, wins: bool, width: float, tight: bool) -> Part:
    """A value on its lane: that of the winner with a star; one that loses has a cross, and has fallen."""
    colour = EVICTED if lost else ON_ACCENT if wins else "currentColor"
    sign = NOTHING
    if lost:
        cross = element("path", d=CROSS, stroke=EVICTED, stroke_width=2, fill="none")
        sign = Part(11, 16, (moved(Part(0, 0, (cross,)), -3, 0),))
    elif wins:
        sign = Part(12, 16, (moved(Part(0, 0, (element("path", d=STAR, fill=ON_ACCENT),)), -3, 0),))
    bold = lost or wins
    size = 12 if text_width(text, 12, bold) <= width - sign.width - 8 else 11.4
    if text_width(text, size, bold) > width - sign.width - 4:
        sign = NOTHING  # its colour and its place say it, too
    said, before = words(text, size, bold, fill=colour), sign.width + 3 * bool(sign.width)
    wide = max(before + said.width + (14 if sign.width else 8), VALUE)
    fill, stroke = (EVICTED_SOFT, EVICTED) if lost else (CHOSEN, CHOSEN) if wins else (TRAY, HAIR)
    ground = rect(wide, VALUE, VALUE / 2, fill=fill, stroke=stroke)
    text_at = placed(said, (wide + before) / 2, (VALUE - said.height) / 2)
    drawn = Part(wide, VALUE, (ground, moved(sign, 7, (VALUE - sign.height) / 2), text_at))
    if not lost:
        return drawn
    falls, tilt = (0, LEANS) if tight else (FALLS, TILT)
    fallen = f"translate(0,{falls}) rotate({tilt} {wide / 2:g} {VALUE / 2:g})"
    return Part(wide, VALUE, (element("g", *drawn.shapes, transform=fallen),))


def _unasked(results: Sequence[RuleResult], at: Lanes, y: float) -> list[Html]:
    """A word beside the first rule that is not asked."""
    first = next((step for step in results if not step.applies), None)
    if first is None:
        return []
    why = words(say("not asked: one node is left"), 11.2, fill=INK_2)
    x = min(lane.x for lane in at.nodes.values()) + DISC
    return [moved(why, x if at.beside else 28, y + at.top(first.number) + at.value - 7)]
