"""What is below a map of nodes: a node against the chosen one, the changes that would help, the victims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import element
from kschedlab.text.ladder import RuleResult
from kschedlab.text.preemption import evicted
from kschedlab.text.words import count, listing
from kschedlab_lab.views.layout import NOTHING, Part, column, row, words
from kschedlab_lab.views.lettering import fitted, flowed, text_width
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, INK_2
from kschedlab_lab.views.svg import label, rect
from kschedlab_why.why_not import Check, Points, WhyNot

LINE, BAR, GAP = 15, 5, 12
"""Heights of a line of text and of a bar, and the space between columns, in pixels."""
NARROW, CARD, HEADING = 400, 150, 0.4
"""The least widths of what is in two columns, and of a change, in pixels; and the share of a heading in two columns."""
CHANGES, BARS, FILTERS = 6, 3, 2
"""The most changes, plugins with their points, and filters with what is in the way."""
OWN = "node.kubernetes.io/"
"""What Kubernetes' own taints begin with; a card leaves it out."""
EACH = "2³¹"
"""What the sum of priorities adds for each victim."""


class Choice(NamedTuple):
    """A change that can be applied: what it sets, its words, and what follows from it. ``whole``: all of both."""

    word: str
    change: str
    then: str = ""
    whole: str = ""


# -- why not this one


def why_not_part(found: WhyNot, width: float) -> Part:
    """The node against the chosen one: its heading, and beside it the filters, the points, or the rules."""
    each, rest = (width, width) if width < NARROW else (HEADING * width, (1 - HEADING) * width - GAP)
    draw = _points if found.points else _rules if found.rules else _checks
    left, right = draw(found, each, rest)
    if not right:
        return column([_heading(found, width), *left, words(found.sentence, width=width)], 4)
    parts = column([_heading(found, each), *left], 1)._replace(width=each), column(right, 4)
    return column(parts, 4) if width < NARROW else row(parts, GAP, "start")


def _heading(found: WhyNot, width: float) -> Part:
    """The question, with the rule by which a candidate for preemption loses, and a button that closes it."""
    message = later("Why {node}?" if found.node == found.winner else "Why not {node}?")
    text = say(message, node=found.node)
    for rule in found.rules:
        if rule.applies and found.node in rule.standing and found.node not in rule.kept:
            text = say("{node} loses at rule {number}", node=found.node, number=rule.number)
            break
    hint = {"data_set": "node: none", "data_tip": say("close"), "aria_label": say("close")}
    name = words(text, bold=True, width=width - 22)
    target = element("rect", x=-4, y=-13, width=18, height=18, fill="transparent")
    close = element("g", target, label("✕", 5, 1, "middle"), transform=f"translate({name.width + 4:g},12)", **hint)
    return Part(width, name.height, (*name.shapes, close))


def _points(found: WhyNot, width: float, beside: float) -> tuple[list[Part], list[Part]]:
    """Both totals; and a pair of bars for each plugin that makes most of the difference."""
    *plugins, total = found.points
    other = found.node if found.node != found.winner else say("the next best")
    left = [
        words(fitted(f"★ {found.winner}: {total.chosen}", width, bold=True), bold=True, fill=CHOSEN),
        words(fitted(f"{other}: {total.others[0]}", width, bold=True), bold=True),
    ]
    shown = sorted((each for each in plugins if each.lead), key=lambda each: -abs(each.lead))[:BARS]
    highest = max((max(each.chosen, each.others[0]) for each in shown), default=1) or 1
    rest = [each for each in plugins if each not in shown]
    if rest:
        lead = -sum(each.lead for each in rest)
        said = say("{scores}: {lead}", scores=count(len(rest), "other score"), lead=f"{lead:+d}" if lead else "0")
        left.append(words(said, width=width, fill=INK_2))
    return left, [_bars(each, beside, highest) for each in shown]


def _bars(each: Points, width: float, highest: int) -> Part:
    """The name of a plugin, and below it a bar for each of the two nodes."""
    weight = f" ×{each.weight}" if each.weight != 1 else ""
    lead = f"{-each.lead:+d}"
    name = words(f"{each.plugin}{weight}", width=width - text_width(lead) - 8)
    bars, y = [label(lead, width, 12, "end", font_weight="bold")], name.height + 2
    for line, (points, fill) in enumerate(((each.chosen, CHOSEN), (each.others[0], INK_2))):
        wide = max(width * points / highest, 0.5)
        bars.append(rect(wide, BAR, y=y + line * (BAR + 1), fill=fill, data_key=f"points/{each.plugin}/{line}"))
    tip = say("{chosen} and {other} points", chosen=each.chosen, other=each.others[0])
    return Part(width, y + 2 * BAR + 3, (element("g", *name.shapes, data_tip=tip), *bars))


def _rules(found: WhyNot, width: float, beside: float) -> tuple[list[Part], list[Part]]:
    """The rules of preemption that leave both nodes; and the one that prefers the other, with both values."""
    rules = [rule for rule in found.rules if rule.applies and found.node in rule.standing]
    decides = [rule for rule in rules if found.node not in rule.kept]
    left = []
    if before := rules[: len(rules) - len(decides)]:
        first, last = before[0].number, before[-1].number
        message = later("rule {first} leaves both" if first == last else "rules {first} to {last} leave both")
        left.append(words(say(message, first=first, last=last), width=width, fill=INK_2))
    if any(EACH in value for rule in decides for value in rule.values.values()):
        note = say("{each} for each victim, so that one more always costs more", each=EACH)
        left.append(words(note, width=width, fill=INK_2))
    return left, [_rule(rule, str(found.winner), found.node, beside) for rule in decides]


def _rule(rule: RuleResult, winner: str, other: str, width: float) -> Part:
    """The name of a rule, and below it both nodes' values."""
    values = {winner: CHOSEN, other: "currentColor"}
    lines = [words(f"{node}: {rule.values[node]}", width=width, fill=fill) for node, fill in values.items()]
    return column([words(f"{rule.number} {rule.rule}", width=width, bold=True), *lines], 0)


def _checks(found: WhyNot, width: float, beside: float) -> tuple[list[Part], list[Part]]:
    """The first filters that refuse the node, with what is in the way; the others by name."""
    refusing = sorted((check for check in found.checks if check.refuses), key=lambda check: not check.first)
    rest = [check.plugin for check in refusing[FILTERS:]]
    left = [words(say("also refused by {plugins}", plugins=listing(rest)), width=width, fill=INK_2)] if rest else []
    return left, [_check(check, beside) for check in refusing[:FILTERS]]


def _check(check: Check, width: float) -> Part:
    """A filter that refuses the node, and what is in the way; pale if it is not asked any more."""
    name = words(f"✕ {check.plugin}", bold=True, width=width, fill=EVICTED if check.first else INK_2)
    texts = [words(text, width=width, fill=None if check.first else INK_2) for text in check.details]
    whole = column([name, *texts], 0)
    tip = None if check.first else say("not asked any more")
    return whole._replace(shapes=(element("g", *whole.shapes, data_tip=tip),))


# -- what would change it


def choices_part(choices: Sequence[Choice], applied: str, width: float) -> Part:
    """The changes as buttons in rows, whose heights are equal; the one that is applied is marked."""
    shown, number = choices[:CHANGES], max(min(int((width + GAP) // (CARD + GAP)), 3, len(choices)), 1)
    wide, rows = (width + GAP) / number - GAP, list[Part]()
    for i in range(0, len(shown), number):
        line = [(choice, _texts(choice, wide)) for choice in shown[i : i + number]]
        tall = max(LINE * len(texts) + 8 for _, texts in line)
        rows.append(row((_button(choice, texts, choice.word == applied, wide, tall) for choice, texts in line), GAP))
    if rest := len(choices) - len(shown):
        rows.append(words(say("and {number} more in the table", number=rest), fill=INK_2))
    return column(rows, 4)


def _texts(choice: Choice, width: float) -> list[tuple[str, str | None]]:
    """The lines of a change and of what follows from it, with their colours."""
    change = flowed(choice.change.replace(OWN, ""), width - 16)
    then = flowed(f"→ {choice.then}", width - 16) if choice.then else []
    return [*((line, None) for line in change), *((line, INK_2) for line in then)]


def _button(choice: Choice, texts: Sequence[tuple[str, str | None]], applied: bool, width: float, tall: float) -> Part:
    """A change, and what follows from it. One that is applied is taken back by a click."""
    look: dict[str, Any] = {"fill": ACT, "fill_opacity": 0.16 if applied else 0.03, "stroke": ACT}
    box = rect(width - 2, tall - 2, 4, 1, 1, **look, stroke_width=2.5 if applied else 1)
    lines = [label(text, 8, 15 + LINE * i, fill=fill) for i, (text, fill) in enumerate(texts)]
    marks = {"data_set": f"change: {'none' if applied else choice.word}", "aria_pressed": str(applied).lower()}
    said = {"aria_label": choice.whole or choice.change, "data_tip": choice.whole or None}
    return Part(width, tall, (element("g", box, *lines, data_key=f"change/{choice.word}", **said, **marks),))


# -- whom it would evict


def victims_part(decision: Decision, width: float) -> Part:
    """The pods that have to leave the node that is nominated."""
    if decision.nominated_node is None or decision.preemption is None or not decision.preemption.victims:
        return NOTHING
    said = say("{node} loses {pods}.", node=decision.nominated_node, pods=evicted(decision.preemption.victims))
    return words(said, width=width, fill=EVICTED)
