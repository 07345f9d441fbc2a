"""The ladder of rules as a drawing: a lane runs down from each node through the rules. Who loses falls off its lane."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.preemption.evidence import Preemption
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult, steps
from kschedlab_lab.views.drawing import LEAST, Arrangement, Box
from kschedlab_lab.views.glyphs import CROSS, DIGIT, SIZE, STAR, Badge, badge
from kschedlab_lab.views.layout import Part, moved, placed, row, words
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.picture import in_brief
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

ROW, TIGHT, LOW, HIGH, TOP, DISC, VALUE, OUT = 34, 22, 40, 44, 4, 9.5, 20, 10
"""The height of a rule, where there is little height, where its name is above its values, and at most; the space above
the first; the radius of a rule's disc; the height of a value; how far the band goes beyond the nodes. In pixels."""
BESIDE = 80
"""The least width of a column for the rules' names; else they are above the values."""
SIGN, FONTS = 12, (12, 11.4)
"""The width of the sign before a value; the font sizes of a value, of which the first that fits its lane is taken."""
FALLS, TILT = 2, 4
"""How far the value of who loses falls, in pixels, and by how many degrees it tilts."""
NAMES = {
    later("fewest PodDisruptionBudget violations"): later("violations"),
    later("lowest first victim priority"): later("first victim"),
    later("smallest sum of victim priorities"): later("sum"),
    later("fewest victims"): later("victims"),
    later("latest start"): later("latest start"),
}
"""What each rule compares, by its name in the engine: the words of the lesson."""

SIGNS = {
    1: Badge("broken", later("its eviction breaks the budget")),
    2: Badge("victim", later("its place in its node's list of victims"), turn=1),
}
"""The signs on pods that a rule reads, by its number: beside its name they say what they are for."""


class Lane(NamedTuple):
    """A column below a node: its left edge and its width."""

    x: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


class Lanes(NamedTuple):
    """The columns of a ladder. ``rules``: that of the rules' names; ``tight``: there is little height.

    ``only``: the numbers of the rules that are drawn, if not all; ``more``: how much higher each rule is than usual.
    """

    rules: Lane
    nodes: Mapping[str, Lane]
    tight: bool
    only: tuple[int, ...] = ()
    more: float = 0

    @property
    def beside(self) -> bool:
        """Whether the rules' names are beside their values, not above them."""
        return self.rules.width >= BESIDE

    @property
    def row(self) -> float:
        """The height of a rule."""
        return ((TIGHT if self.tight else ROW) if self.beside else LOW) + self.more

    @property
    def height(self) -> float:
        """The height of the ladder; below its last rule there is room for a value that falls and tilts."""
        return self.row * len(self.only or NAMES) + TOP + 2 * FALLS

    def top(self, number: int) -> float:
        """How far the rule with this number is below the first."""
        return self.row * (self.only.index(number) if self.only else number - 1)

    def spread(self, spare: float) -> Lanes:
        """The same with higher rules, as far as there is so much height to spare."""
        rules = len(self.only or NAMES)
        return self._replace(more=max(min(spare / rules, HIGH - self.row), 0.0))

    @property
    def value(self) -> float:
        """How far the middle of a value is below the top of its rule."""
        return self.row / 2 if self.beside else self.row - VALUE / 2 - 1


def lanes(boxes: Sequence[Box], plan: Arrangement, tight: bool) -> Lanes:
    """The lanes below the nodes."""
    first, *rest = plan.places
    nodes = {box.name: Lane(place.x, place.width) for box, place in zip(boxes[1:], rest, strict=True)}
    return Lanes(Lane(first.x, 0 if first.bar else first.width), nodes, tight)


def ladder(
    preemption: Preemption, at: Lanes, y: float, rules: int | None = None, signs: Container[int] = ()
) -> list[Html]:
    """The ladder from ``y`` on. ``rules``: how many are asked; ``signs``: the rules whose SIGNS are on pods, too."""
    every = steps(preemption, [node for node in at.nodes if node in preemption.candidates])
    results = [step for step in every if not at.only or step.number in at.only]
    asked = [step for step in results if step.applies and (rules is None or step.number <= rules)]
    if preemption.nominated_node is None:
        asked = []
    start, y = y - 2, y + TOP
    shapes = [_band(at, y + at.top(step.number)) for step in asked if step.decides]
    shapes += _threads(asked, at, start, y)
    shapes += [_rung(step, at, y + at.top(step.number), step in asked, rules is None, signs) for step in results]
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


def _rung(step: RuleResult, at: Lanes, y: float, asked: bool, over: bool, signs: Container[int]) -> Html:
    """The rule's number in a disc, where all rules are drawn, and what it compares.

    ``over``: all is decided; ``signs``: see :func:`ladder`.
    """
    decides = asked and step.decides
    colour = "currentColor" if asked else INK_2
    cramped = at.beside and at.rules.width < LEAST  # then the sign must not reach the values
    name = words(say(NAMES[step.name]), 12 if at.rules.width > 100 else 11.2, decides and not cramped, fill=colour)
    disc = Part(2 * DISC, 2 * DISC, (*_disc(step.number, CHOSEN if decides else "currentColor" if asked else "none"),))
    sign = [_sign(SIGNS[step.number], SIZE * 0.75 if cramped else SIZE)] if asked and step.number in signs else []
    named = name if at.only else row([disc, name], 4 if cramped else 8)
    part = row([named, *sign], 2 if cramped else 4)
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


def _sign(sign: Badge, side: float) -> Part:
    """A sign of pods, as large as on them."""
    drawn = badge(sign, 0, 0, digit=DIGIT * SIZE / side)
    return Part(side, side, (element("g", drawn, transform=f"scale({side / SIZE:g})" if side != SIZE else None),))


def _disc(number: int, fill: str) -> Iterator[Html]:
    hollow = fill == "none"
    stroke = INK_3 if hollow else "none"
    yield element("circle", cx=DISC, cy=DISC, r=DISC, fill=fill, stroke=stroke, stroke_opacity=0.6)
    text = words(str(number), 11.2, bold=True, fill=INK_3 if hollow else PANEL)
    yield placed(text, DISC, DISC - text.height / 2)


def _values(step: RuleResult, preemption: Preemption, at: Lanes, y: float) -> Iterator[Html]:
    """What the rule reads on each node that came to it; ``y``: their middle."""
    standing = {node: lane for node, lane in at.nodes.items() if node in step.standing and node in step.values}
    texts = {node: in_brief(step.values[node]).replace(" + ", "+") for node in standing}
    tied = step.number == len(preemption.rungs) and len(step.kept) > 1
    for node, lane in standing.items():
        lost, wins = node not in step.kept, step.decides and node in step.kept
        text = say("{value} tie", value=texts[node]) if tied and not lost else texts[node]
        part = _value(text, lost, wins or (tied and not lost), lane.width)
        yield moved(
            part,
            max(lane.middle - part.width / 2, 1),
            y - part.height / 2,
            data_key=f"rung/{step.number}/{node}",
            data_from=f"rung/{step.number - 1}/{node}",
            data_ref=f"node/{node}",
            data_state="lost" if lost else "wins" if wins else "tied" if tied else None,
        )


def _value(text: str, lost: bool, wins: bool, width: float) -> Part:
    """A value on its lane: that of the winner with a star; one that loses has a cross, and has fallen."""
    colour = EVICTED if lost else ON_ACCENT if wins else "currentColor"
    fill, stroke = (EVICTED_SOFT, EVICTED) if lost else (CHOSEN, CHOSEN) if wins else (TRAY, HAIR)
    bold = lost or wins
    sign = {"d": CROSS, "stroke": EVICTED, "stroke_width": 2} if lost else {"d": STAR, "fill": ON_ACCENT}
    has_room = text_width(text, FONTS[-1], bold) + SIGN + 4 <= width  # else its colour and its place say it alone
    aside = SIGN if bold and has_room else 0
    size = next((each for each in FONTS if text_width(text, each, bold) + aside + 4 <= width), FONTS[-1])
    said = words(text, size, bold, fill=colour)
    least = said.width + aside + 4
    wide = max(min(least + 10, width), least, VALUE)
    shapes = [rect(wide, VALUE, VALUE / 2, fill=fill, stroke=stroke)]
    if aside:
        left = min((wide - least) / 2 - 1, 4)
        shapes.append(moved(Part(0, 0, (element("path", **sign),)), left, VALUE / 2 - 8))
    shapes.append(placed(said, (wide + aside) / 2, (VALUE - said.height) / 2))
    fallen = f"translate(0,{FALLS}) rotate({TILT} {wide / 2:g} {VALUE / 2:g})" if lost else None
    return Part(wide, VALUE, (element("g", *shapes, transform=fallen),))


def _unasked(results: Sequence[RuleResult], at: Lanes, y: float) -> list[Html]:
    """A word beside the first rule that is not asked."""
    first = next((step for step in results if not step.applies), None)
    if first is None:
        return []
    why = words(say("not asked: one node is left"), 11.2, fill=INK_2)
    x = min(lane.x for lane in at.nodes.values()) + DISC
    return [moved(why, x if at.beside else 28, y + at.top(first.number) + at.value - 7)]
