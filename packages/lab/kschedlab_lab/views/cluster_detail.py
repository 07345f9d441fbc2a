"""What stands beside a map of nodes: a node against the chosen one, the changes that would help, the victims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from kschedlab.decision import Decision
from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult
from kschedlab.text.words import clock, count
from kschedlab_lab.views.drawing import Place, Plan, shapes
from kschedlab_lab.views.lettering import fitted, fitting, text_width, wrapped
from kschedlab_lab.views.picture import boxes, common_resource, pods_on
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, INK_2, priority_fill
from kschedlab_lab.views.svg import label
from kschedlab_why.why_not import Points, WhyNot

LINE, BAR, ROW = 15, 5, 38
"""Heights of a line of text, of a bar and of a victim, in pixels."""
LEAST_BOX, TALLEST, TITLE = 64, 260, 36
"""The least and the greatest height of the node that loses pods, and that of its name; in pixels."""
WORDS = ((3, 2), (2, 1), (2, 0))
"""The most lines of a change and of what follows from it; less where the height is too small for all changes."""

Drawn: TypeAlias = tuple[list[Html], float]
"""What is drawn from (0, 0) on, and its height."""


class Choice(NamedTuple):
    """A change that can be applied: what it sets, its words, and what follows from it. ``whole``: all of its words."""

    word: str
    change: str
    then: str
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
    parts = heading(
        say("Why not {node}?", node=found.node) if found.node != found.winner else say("Why {node}?", node=found.node),
        width,
    )
    draw = _points if found.points else _rules if found.rules else _checks if found.checks else _words
    drawn, bottom = draw(found, width, height)
    return [*parts, *drawn], bottom


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
    equal = [each.plugin for each in rows if not each.lead]
    fitting = max(int((height - 70 - 2 * LINE) // 34), 1)
    highest = max((max(each.chosen, each.others[0]) for each in differing), default=1) or 1
    y = 60.0
    for each in differing[:fitting]:
        drawn += _bars(each, y, width, highest)
        y += 34
    if len(differing) > fitting:
        equal = [*(each.plugin for each in differing[fitting:]), *equal]
    if equal:
        text = say(
            "less or no difference: {plugins}" if len(differing) > fitting else "no difference: {plugins}",
            plugins=listed(equal),
        )
        for line in wrapped(text, width, 3):
            drawn.append(label(line, 0, y + 10, opacity=0.75))
            y += LINE
    return drawn, y


def _bars(each: Points, y: float, width: float, highest: int) -> Iterator[Html]:
    weight = f" ×{each.weight}" if each.weight != 1 else ""
    lead = f"{-each.lead:+d}"
    name = label(fitted(f"{each.plugin}{weight}", width - text_width(lead) - 8), 0, y + 9)
    yield element("g", name, data_tip=say("{chosen} and {other} points", chosen=each.chosen, other=each.others[0]))
    yield label(lead, width, y + 9, "end", font_weight="bold")
    for row, (points, fill) in enumerate(((each.chosen, CHOSEN), (each.others[0], "currentColor"))):
        wide = max(width * points / highest, 0.5)
        look: dict[str, Any] = {"fill": fill, "fill_opacity": None if fill == CHOSEN else 0.55}
        key = f"points/{each.plugin}/{row}"
        yield element("rect", x=0, y=y + 13 + row * (BAR + 1), width=wide, height=BAR, data_key=key, **look)


def _rules(found: WhyNot, width: float, height: float) -> Drawn:
    """The rules of preemption with both nodes' values; the one that prefers the chosen node is marked."""
    winner = str(found.winner)
    column = width / 2
    drawn = [label(fitted(f"★ {winner}", column - 6, bold=True), 0, 34, fill=CHOSEN, font_weight="bold")]
    drawn.append(label(fitted(found.node, column - 6, bold=True), column, 34, font_weight="bold"))
    y = 42.0
    for rule in found.rules:
        decides = rule.applies and found.node in rule.standing and found.node not in rule.kept
        if decides:
            look: dict[str, Any] = {"fill": CHOSEN, "fill_opacity": 0.18, "stroke": CHOSEN}
            drawn.append(element("rect", x=-3, y=y, width=width + 3, height=2 * LINE + 7, **look))
        inside = [label(fitted(f"{rule.number} {rule.rule}", width), 0, y + 14)]
        inside += [_value(rule, winner, 0, y), _value(rule, found.node, column, y)]
        drawn.append(element("g", *inside, opacity=None if found.node in rule.standing and rule.applies else 0.5))
        y += 2 * LINE + 10
    return drawn, y


def _value(rule: RuleResult, node: str, x: float, y: float) -> Html:
    said = rule.values[node] if node in rule.standing else say("not asked")
    return label(f"{said} ✕" if node in rule.standing and node not in rule.kept else said, x, y + 14 + LINE)


def _checks(found: WhyNot, width: float, height: float) -> Drawn:
    """The filters that refuse the node, what is in the way, and how many let the pod in."""
    drawn, y = list[Html](), 34.0
    for check in sorted((each for each in found.checks if each.refuses), key=lambda each: not each.first):
        if y > height - 2 * LINE:
            break
        after = "" if check.first else say(" (not asked any more)")
        name = fitted(f"✕ {check.plugin}{after}", width, bold=True)
        drawn.append(label(name, 0, y, fill=EVICTED, font_weight="bold"))
        for detail in check.details:
            for line in wrapped(detail, width - 16, 3):
                y += LINE
                drawn.append(label(line, 16, y))
        y += LINE + 7
    passed = [each.plugin for each in found.checks if not each.refuses]
    if passed:
        for line in wrapped(
            say("{filters} would let it in: {plugins}", filters=count(len(passed), "filter"), plugins=listed(passed)),
            width,
            4,
        ):
            drawn.append(label(line, 0, y, opacity=0.75))
            y += LINE
    return drawn, y


# -- what would change it


def choice_shapes(choices: Sequence[Choice], applied: str, width: float, height: float) -> Drawn:
    """The changes as buttons, the one that is applied marked; the first one is none."""
    many = [Choice("none", say("as it is"), say("before any change")), *choices]
    for most in WORDS:
        sizes = [_Button(each, width, *most) for each in many]
        if sum(each.tall + 4 for each in sizes) <= height:
            break
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


class _Button:
    """A change, in at most so many ``lines``, and what follows from it, in at most ``more``."""

    def __init__(self, choice: Choice, width: float, lines: int, more: int) -> None:
        self.choice, self.width = choice, width
        then = choice.then if choice.word == "none" else f"→ {choice.then}"
        self.lines = wrapped(choice.change, width - 16, lines)
        self.then = wrapped(then, width - 16, more) if more else []
        self.tall = LINE * len([*self.lines, *self.then]) + 8

    def draw(self, applied: bool, y: float) -> Html:
        look: dict[str, Any] = {"fill": ACT, "fill_opacity": 0.16 if applied else 0.03, "stroke": ACT}
        size = {"width": self.width - 2, "height": self.tall - 2, "stroke_width": 2.5 if applied else 1}
        box = element("rect", x=1, y=1, rx=4, **size, **look)
        words = [label(line, 8, 15 + LINE * i) for i, line in enumerate(self.lines)]
        words += [label(line, 8, 15 + LINE * i, fill=INK_2) for i, line in enumerate(self.then, len(self.lines))]
        name = say("{change}: {then}", change=self.choice.change, then=self.choice.then)
        marks = {"data_set": f"change: {self.choice.word}", "aria_pressed": str(applied).lower()}
        marks["aria_label"] = name
        if self.choice.whole or not self.then:
            marks["data_tip"] = self.choice.whole or name
        return element(
            "g", box, *words, transform=f"translate(0,{y:g})", data_key=f"change/{self.choice.word}", **marks
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
        name = ends(info.pod.metadata.name, width - 20)
        look: dict[str, Any] = {"fill": priority_fill(info.priority), "stroke": EVICTED, "stroke_width": 2}
        square = element("rect", x=1, y=-11, width=13, height=13, rx=3, **look)
        words = [square, label(name, 20, 0, fill=EVICTED, font_weight="bold")]
        numbers = (
            say("priority {priority}, {start}", priority=info.priority, start=moment(info.start)),
            str(info.priority),
        )
        words.append(label(fitting(numbers, width - 20), 20, LINE, fill=INK_2))
        place = f"translate(0,{y:g})"
        found.append(element("g", *words, transform=place, data_key=f"victim/{info.key}", data_tip=info.key))
        y += ROW
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
    plan = Plan((Place(6, y + 4, width - 12, tall),), width, tall)
    return [*found, *shapes([beside], plan, common_resource(decision, [node]), captions=False)], y + tall + TITLE


def ends(text: str, width: float) -> str:
    """The text, or as much of its beginning and end as fits: the ends of generated names tell pods apart."""
    if text_width(text, bold=True) <= width:
        return text
    end = text[-7:]
    return f"{fitted(text[:-7], width - text_width(end, bold=True), bold=True)}{end}"
