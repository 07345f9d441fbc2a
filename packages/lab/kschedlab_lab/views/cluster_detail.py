"""What stands beside a map of nodes: a node against the chosen one, the changes that would help, the victims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult
from kschedlab.text.words import clock, count
from kschedlab_lab.views.drawing import Arrangement, Place, shapes
from kschedlab_lab.views.layout import Part, column, moved, padded, words
from kschedlab_lab.views.lettering import fitted, flowed, text_width, wrapped
from kschedlab_lab.views.picture import boxes, common_resource, pods_on
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, INK_2, priority_fill
from kschedlab_lab.views.svg import label
from kschedlab_why.why_not import Points, WhyNot

LINE, BAR, ROW = 15, 5, 38
"""Heights of a line of text, of a bar and of a victim, in pixels."""
CHANGES = 340
"""The height that changes may take in any room before they lose what follows from them, in pixels."""
EACH = "2³¹"
"""What the sum of priorities adds for each victim."""
LEAST_BOX, TALLEST, TITLE = 64, 260, 36
"""The least and the greatest height of the node that loses pods, and that of its name; in pixels."""

Drawn: TypeAlias = tuple[list[Html], float]
"""What is drawn from (0, 0) on, and its height."""


class Choice(NamedTuple):
    """A change that can be applied: what it sets, its words, and what follows from it. ``whole``: all of both."""

    word: str
    change: str
    then: str = ""
    whole: str = ""


def heading(text: str, width: float) -> list[Html]:
    """The heading of what stands beside the map, and a button that closes it."""
    hint = {"data_set": "node: none", "data_tip": say("close"), "aria_label": say("close")}
    target = element("rect", x=-4, y=-13, width=18, height=18, fill="transparent")
    close = element("g", target, label("✕", 5, 1, "middle"), transform=f"translate({width - 12:g},14)", **hint)
    return [label(fitted(text, width - 22, bold=True), 0, 14, font_weight="bold"), close]


# -- why not this one


def why_not_shapes(found: WhyNot, width: float, height: float) -> Drawn:
    """The node against the chosen one, plugin by plugin, in a space of this size."""
    parts = heading(_title(found), width)
    draw = _points if found.points else _rules if found.rules else _checks if found.checks else _words
    drawn, bottom = draw(found, width, height)
    return [*parts, *drawn], bottom


def _title(found: WhyNot) -> str:
    """The question, with the rule by which a candidate for preemption loses."""
    if found.node == found.winner:
        return say("Why {node}?", node=found.node)
    for rule in found.rules:
        if rule.applies and found.node in rule.standing and found.node not in rule.kept:
            return say("It loses at rule {number}", number=rule.number)
    return say("Why not {node}?", node=found.node)


def _words(found: WhyNot, width: float, height: float) -> Drawn:
    lines = wrapped(found.sentence, width, 8)
    return [label(line, 0, 36 + i * LINE) for i, line in enumerate(lines)], 30 + LINE * len(lines)


def _points(found: WhyNot, width: float, height: float) -> Drawn:
    """A pair of bars for each plugin that makes a difference: the chosen node's above the other's."""
    *rows, total = found.points
    other = found.node if found.node != found.winner else say("the next best")
    star = fitted(f"★ {found.winner}: {total.chosen}", width, bold=True)
    drawn = [label(star, 0, 34, fill=CHOSEN, font_weight="bold")]
    drawn.append(label(fitted(f"{other}: {total.others[0]}", width, bold=True), 0, 34 + LINE, font_weight="bold"))
    differing = sorted((each for each in rows if each.lead), key=lambda each: -abs(each.lead))
    highest = max((max(each.chosen, each.others[0]) for each in differing), default=1) or 1
    y, rest = 58.0, len(rows)
    for each in differing:
        bars = _bars(each, width, highest)
        if y + bars.height > height - 2 * LINE and rest < len(rows):
            break
        drawn.append(moved(bars, 0, y))
        y, rest = y + bars.height, rest - 1
    if rest:
        message = later(
            "no difference: {plugins}" if len(rows) - rest == len(differing) else "less or no difference: {plugins}"
        )
        scores = count(rest, "other score" if differing else "score")
        note = words(say(message, plugins=scores), width=width, fill=INK_2)
        drawn.append(moved(note, 0, y))
        y += note.height + 4
    return drawn, y


def _bars(each: Points, width: float, highest: int) -> Part:
    """The name of a plugin, and below it a bar for each of the two nodes."""
    weight = f" ×{each.weight}" if each.weight != 1 else ""
    lead = f"{-each.lead:+d}"
    name = words(f"{each.plugin}{weight}", width=width - text_width(lead) - 8)
    bars, y = [label(lead, width, 12, "end", font_weight="bold")], name.height + 2
    for row, (points, fill) in enumerate(((each.chosen, CHOSEN), (each.others[0], "currentColor"))):
        wide = max(width * points / highest, 0.5)
        look: dict[str, Any] = {"fill": fill, "fill_opacity": None if fill == CHOSEN else 0.55}
        key = f"points/{each.plugin}/{row}"
        bars.append(element("rect", x=0, y=y + row * (BAR + 1), width=wide, height=BAR, data_key=key, **look))
    tip = say("{chosen} and {other} points", chosen=each.chosen, other=each.others[0])
    return Part(width, y + 2 * BAR + 9, (element("g", *name.shapes, data_tip=tip), *bars))


def _rules(found: WhyNot, width: float, height: float) -> Drawn:
    """The rules of preemption with both nodes' values; the one that prefers the chosen node is marked."""
    winner = str(found.winner)
    half = width / 2
    drawn = [label(fitted(f"★ {winner}", half - 6, bold=True), 0, 34, fill=CHOSEN, font_weight="bold")]
    drawn.append(label(fitted(found.node, half - 6, bold=True), half, 34, font_weight="bold"))
    y = 44.0
    for rule in found.rules:
        if not rule.applies or found.node not in rule.standing:
            continue
        name = words(f"{rule.number} {rule.rule}", width=width)
        if found.node not in rule.kept:
            look: dict[str, Any] = {"fill": CHOSEN, "fill_opacity": 0.18, "stroke": CHOSEN}
            drawn.append(element("rect", x=-3, y=y - 2, width=width + 3, height=name.height + LINE + 5, **look))
        drawn.append(moved(name, 0, y))
        y += name.height + LINE - 3
        drawn += [_value(rule, winner, 0, y), _value(rule, found.node, half, y)]
        y += 12
    if any(EACH in value for rule in found.rules for value in rule.values.values()):
        note = words(
            say("{each} for each victim, so that one more always costs more", each=EACH), width=width, fill=INK_2
        )
        drawn.append(moved(note, 0, y))
        y += note.height
    return drawn, y


def _value(rule: RuleResult, node: str, x: float, y: float) -> Html:
    return label(rule.values[node] if node in rule.kept else f"{rule.values[node]} ✕", x, y)


def _checks(found: WhyNot, width: float, height: float) -> Drawn:
    """The filters that refuse the node, and what is in the way."""
    parts = []
    for check in sorted((each for each in found.checks if each.refuses), key=lambda each: not each.first):
        after = "" if check.first else say(" (not asked any more)")
        name = words(f"✕ {check.plugin}{after}", bold=True, width=width, fill=EVICTED)
        parts.append(column([name, *(padded(words(each, width=width - 16), 8) for each in check.details)], 1))
    shown = column(parts, 8)
    return [moved(shown, 0, 24)], 24 + shown.height


# -- what would change it


def choice_shapes(choices: Sequence[Choice], applied: str, width: float, height: float, brief: bool = False) -> Drawn:
    """The changes as buttons, the one that is applied marked; the first one is none.

    ``brief``: without what follows from them.
    """
    many = [_as_it_is(), *choices]
    height = max(height, CHANGES)
    sizes = [_Button(each, width) for each in many]
    if brief or sum(each.tall + 4 for each in sizes) > height:
        sizes = [_Button(each._replace(then=""), width) for each in many]
    found, y = list[Html](), 0.0
    for number, each in enumerate(sizes):
        if y + each.tall > height and number < len(many) - 1:
            found.append(
                label(say("and {number} more in the table", number=len(many) - number), 0, y + 13, opacity=0.75)
            )
            return found, y + LINE + 5
        found.append(each.draw(each.choice.word == applied, y))
        y += each.tall + 4
    return found, y


def _as_it_is() -> Choice:
    return Choice("none", say("as it is"))


class _Button:
    """A change, and what follows from it. One that is applied is taken back by a click."""

    def __init__(self, choice: Choice, width: float) -> None:
        self.choice, self.width = choice, width
        self.lines = flowed(choice.change, width - 16)
        self.then = flowed(f"→ {choice.then}", width - 16) if choice.then else []
        self.tall = LINE * len([*self.lines, *self.then]) + 8

    def draw(self, applied: bool, y: float) -> Html:
        look: dict[str, Any] = {"fill": ACT, "fill_opacity": 0.16 if applied else 0.03, "stroke": ACT}
        size = {"width": self.width - 2, "height": self.tall - 2, "stroke_width": 2.5 if applied else 1}
        box = element("rect", x=1, y=1, rx=4, **size, **look)
        texts = [label(line, 8, 15 + LINE * i) for i, line in enumerate(self.lines)]
        texts += [label(line, 8, 15 + LINE * i, fill=INK_2) for i, line in enumerate(self.then, len(self.lines))]
        marks = {"data_set": f"change: {'none' if applied else self.choice.word}", "aria_pressed": str(applied).lower()}
        said = self.choice.whole or self.choice.change
        return element(
            "g",
            box,
            *texts,
            transform=f"translate(0,{y:g})",
            data_key=f"change/{self.choice.word}",
            aria_label=said,
            data_tip=self.choice.whole or None,
            **marks,
        )


# -- whom it would evict


def victim_shapes(decision: Decision, width: float, height: float) -> Drawn:
    """The chosen node with its pods, and beside it a label for each victim."""
    node, preemption = decision.nominated_node, decision.preemption
    if node is None or preemption is None:
        return [], 0
    waiting, box = (each for each in boxes(decision, nodes=[node]))
    gone = {block.key for block in waiting.blocks}
    others = [info for info in pods_on(decision, node) if not {info.key, info.pod.metadata.name} & gone]
    spared = sum(each.reprieved for each in preemption.candidates[node].attempts)
    victims = preemption.victims
    moment = clock(info.start for info in victims)
    title = say("{node} loses {pods}", node=node, pods=count(len(victims), "pod"))
    found, y = [label(fitted(title, width, bold=True), 0, 14, font_weight="bold")], 38.0
    shown = max(int((height - 60) // (2 * ROW)), 1)
    for info in victims[:shown]:
        name = words(info.pod.metadata.name, bold=True, width=width - 20, fill=EVICTED)
        look: dict[str, Any] = {"fill": priority_fill(info.priority), "stroke": EVICTED, "stroke_width": 2}
        square = element("rect", x=1, y=-11, width=13, height=13, rx=3, **look)
        numbers = say("priority {priority}, {start}", priority=info.priority, start=moment(info.start))
        under = words(numbers, width=width - 20, fill=INK_2)
        shapes_ = [square, moved(column([name, under], 0), 20, -12)]
        found.append(element("g", *shapes_, transform=f"translate(0,{y:g})", data_key=f"victim/{info.key}"))
        y += name.height + under.height + 7
    rest = len(victims) - shown
    parts = [
        *([say("and {pods} more", pods=count(rest, "pod"))] if rest > 0 else []),
        *([say("{pods} may stay", pods=count(spared, "pod"))] if spared else []),
        *([say("{pods} never at risk", pods=count(safe, "pod"))] if (safe := len(others) - spared) > 0 else []),
    ]
    for line in wrapped(say(", ").join(parts), width, 3):
        found.append(label(line, 0, y, fill=INK_2))
        y += LINE
    left = height - y - TITLE
    if left < LEAST_BOX:
        return found, y
    blocks = tuple(replace(block, key=f"beside/{block.key}") for block in box.blocks)
    beside = replace(box, name=f"beside/{node}", title=box.title or node, blocks=blocks)
    tall = min(left, TALLEST)
    plan = Arrangement((Place(6, y + 4, width - 12, tall),), width, tall)
    return [*found, *shapes([beside], plan, common_resource(decision, [node]), captions=False)], y + tall + TITLE
