"""What is below a map of nodes: a node against the chosen one, the changes that would help, the victims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import element
from kschedlab.text.ladder import RuleResult
from kschedlab.text.words import clock, count
from kschedlab_lab.views.drawing import Arrangement, Place, shapes
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, row, words, wrap
from kschedlab_lab.views.lettering import fitted, flowed, text_width
from kschedlab_lab.views.picture import boxes, common_resource
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, INK_2, priority_fill
from kschedlab_lab.views.svg import label, rect
from kschedlab_why.why_not import Points, WhyNot

LINE, BAR, GAP = 15, 5, 12
"""Heights of a line of text and of a bar, and the space between columns, in pixels."""
NARROW, WIDE, CARD, THREE = 400, 520, 150, 3
"""The least widths of what is in two columns and in three, and of a change, in pixels; and how many filters are below
the heading."""
SHOWN, VICTIMS, BOX, TITLE = 6, 2, 48, 32
"""The most changes and victims that are shown; the heights of the node that loses pods and of its name, in pixels."""
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


def heading(text: str, width: float) -> Part:
    """What is below the map, and a button that closes it."""
    hint = {"data_set": "node: none", "data_tip": say("close"), "aria_label": say("close")}
    name = words(text, bold=True, width=width - 22)
    target = element("rect", x=-4, y=-13, width=18, height=18, fill="transparent")
    close = element("g", target, label("✕", 5, 1, "middle"), transform=f"translate({name.width + 4:g},12)", **hint)
    return Part(width, name.height, (*name.shapes, close))


def _after(head: Part, rest: Sequence[Part], width: float) -> Part:
    """The rest in columns beside the head, or in one below it where there is no room."""
    number = 2 if width >= WIDE else 1
    if width < NARROW:
        return column([head, *rest], 6)
    each, lines = _share(width), -(-len(rest) // number)
    columns = [column(rest[i : i + lines], 6) for i in range(0, len(rest), lines)] if rest else []
    return Part(
        width,
        max(part.height for part in (head, *columns)),
        (moved(head, 0, 0), *(moved(part, (each + GAP) * (i + 1), 0) for i, part in enumerate(columns))),
    )


def _share(width: float) -> float:
    """The width of a column."""
    return width if width < NARROW else (width - GAP) / 2 if width < WIDE else (width - 2 * GAP) / 3


# -- why not this one


def why_not_part(found: WhyNot, width: float) -> Part:
    """The node against the chosen one, plugin by plugin."""
    draw = _points if found.points else _rules if found.rules else _checks if found.checks else _words
    return draw(found, heading(_title(found), _share(width)), width)


def _title(found: WhyNot) -> str:
    """The question, with the rule by which a candidate for preemption loses."""
    if found.node == found.winner:
        return say("Why {node}?", node=found.node)
    for rule in found.rules:
        if rule.applies and found.node in rule.standing and found.node not in rule.kept:
            return say("{node} loses at rule {number}", node=found.node, number=rule.number)
    return say("Why not {node}?", node=found.node)


def _words(found: WhyNot, head: Part, width: float) -> Part:
    return column([head, words(found.sentence, width=width)], 4)


def _points(found: WhyNot, head: Part, width: float) -> Part:
    """A pair of bars for each plugin that makes a difference: the chosen node's above the other's."""
    *rows, total = found.points
    each, other = _share(width), found.node if found.node != found.winner else say("the next best")
    star = fitted(f"★ {found.winner}: {total.chosen}", each, bold=True)
    beside = fitted(f"{other}: {total.others[0]}", each, bold=True)
    differing = sorted((row for row in rows if row.lead), key=lambda row: -abs(row.lead))
    highest = max((max(row.chosen, row.others[0]) for row in differing), default=1) or 1
    same = count(len(rows) - len(differing), "other score" if differing else "score")
    texts = [head, words(star, bold=True, fill=CHOSEN), words(beside, bold=True)]
    if len(rows) > len(differing):
        texts.append(words(say("no difference: {plugins}", plugins=same), width=each, fill=INK_2))
    return _after(column(texts, 1), [_bars(row, each, highest) for row in differing], width)


def _bars(each: Points, width: float, highest: int) -> Part:
    """The name of a plugin, and below it a bar for each of the two nodes."""
    weight = f" ×{each.weight}" if each.weight != 1 else ""
    lead = f"{-each.lead:+d}"
    name = words(f"{each.plugin}{weight}", width=width - text_width(lead) - 8)
    bars, y = [label(lead, width, 12, "end", font_weight="bold")], name.height + 2
    for line, (points, fill) in enumerate(((each.chosen, CHOSEN), (each.others[0], "currentColor"))):
        wide = max(width * points / highest, 0.5)
        look: dict[str, Any] = {"fill": fill, "fill_opacity": None if fill == CHOSEN else 0.55}
        key = f"points/{each.plugin}/{line}"
        bars.append(element("rect", x=0, y=y + line * (BAR + 1), width=wide, height=BAR, data_key=key, **look))
    tip = say("{chosen} and {other} points", chosen=each.chosen, other=each.others[0])
    return Part(width, y + 2 * BAR + 3, (element("g", *name.shapes, data_tip=tip), *bars))


def _rules(found: WhyNot, head: Part, width: float) -> Part:
    """The rule of preemption that prefers the chosen node, with both nodes' values; those before it leave both."""
    winner, each = str(found.winner), _share(width)
    rules = [rule for rule in found.rules if rule.applies and found.node in rule.standing]
    decides = [rule for rule in rules if found.node not in rule.kept]
    parts = [_rule(rule, winner, found.node, each) for rule in decides]
    if rules[: -len(decides)]:
        first, last = rules[0].number, rules[-len(decides) - 1].number
        message = later("rule {first} leaves both" if first == last else "rules {first} to {last} leave both")
        parts.append(words(say(message, first=first, last=last), width=each, fill=INK_2))
    if any(EACH in value for rule in decides for value in rule.values.values()):
        note = say("{each} for each victim, so that one more always costs more", each=EACH)
        parts.append(words(note, width=each, fill=INK_2))
    return _after(head, parts, width)


def _rule(rule: RuleResult, winner: str, other: str, width: float) -> Part:
    """The name of a rule, and below it both nodes' values."""
    values = {winner: CHOSEN, other: "currentColor"}
    lines = [words(f"{node}: {rule.values[node]}", width=width, fill=fill) for node, fill in values.items()]
    return column([words(f"{rule.number} {rule.rule}", width=width, bold=True), *lines], 0)


def _checks(found: WhyNot, head: Part, width: float) -> Part:
    """The filters that refuse the node, and what is in the way; those that are not asked any more are pale."""
    refusing = sorted((each for each in found.checks if each.refuses), key=lambda each: not each.first)
    each, parts = _share(width), list[Part]()
    if len(refusing) == 1 and width >= NARROW:
        each = width - each - GAP
    for check in refusing:
        name = words(f"✕ {check.plugin}", bold=True, width=each, fill=EVICTED if check.first else INK_2)
        texts = [words(text, width=each, fill=None if check.first else INK_2) for text in check.details]
        tip = None if check.first else say("not asked any more")
        whole = column([name, *texts], 0)
        parts.append(whole._replace(shapes=(element("g", *whole.shapes, data_tip=tip),)))
    if len(parts) < THREE or width < WIDE:
        return _after(head, parts, width)
    return column([head, wrap((part._replace(width=each) for part in parts), width, GAP, 6)], 3)


# -- what would change it


def choices_part(choices: Sequence[Choice], applied: str, width: float) -> Part:
    """The changes as buttons in columns, as many as make them lowest; the one that is applied is marked."""
    many = [*choices[:SHOWN]]
    numbers = [number for number in range(1, 4) if number == 1 or (width + GAP) / number - GAP >= CARD]
    whole = min((_cards(many, applied, width, number) for number in numbers), key=lambda part: part.height)
    if rest := len(choices) - len(many):
        return column([whole, words(say("and {number} more in the table", number=rest), fill=INK_2)], 2)
    return whole


def _cards(choices: Sequence[Choice], applied: str, width: float, number: int) -> Part:
    """The buttons in this many columns; those of a row have one height."""
    wide, rows = (width + GAP) / number - GAP, list[Part]()
    for i in range(0, len(choices), number):
        line = [(each, *_texts(each, wide)) for each in choices[i : i + number]]
        tall = max(LINE * (len(lines) + len(then)) + 8 for _, lines, then in line)
        rows.append(row((_button(*each, each[0].word == applied, wide, tall) for each in line), GAP))
    return column(rows, 4)


def _texts(choice: Choice, width: float) -> tuple[list[str], list[str]]:
    """The lines of a change, and of what follows from it."""
    change = flowed(choice.change.replace(OWN, ""), width - 16)
    return change, flowed(f"→ {choice.then}", width - 16) if choice.then else []


def _button(
    choice: Choice, lines: Sequence[str], then: Sequence[str], applied: bool, width: float, tall: float
) -> Part:
    """A change, and what follows from it. One that is applied is taken back by a click."""
    look: dict[str, Any] = {"fill": ACT, "fill_opacity": 0.16 if applied else 0.03, "stroke": ACT}
    box = rect(width - 2, tall - 2, 4, 1, 1, **look, stroke_width=2.5 if applied else 1)
    texts = [label(line, 8, 15 + LINE * i) for i, line in enumerate(lines)]
    texts += [label(line, 8, 15 + LINE * i, fill=INK_2) for i, line in enumerate(then, len(lines))]
    marks = {"data_set": f"change: {'none' if applied else choice.word}", "aria_pressed": str(applied).lower()}
    said = {"aria_label": choice.whole or choice.change, "data_tip": choice.whole or None}
    return Part(width, tall, (element("g", box, *texts, data_key=f"change/{choice.word}", **said, **marks),))


# -- whom it would evict


def victims_part(decision: Decision, width: float) -> Part:
    """A label for each victim, and beside them the chosen node with its pods."""
    node, preemption = decision.nominated_node, decision.preemption
    if node is None or preemption is None:
        return NOTHING
    _, box = boxes(decision, nodes=[node])
    victims, half = preemption.victims, width if width < NARROW else width / 2 - GAP
    moment = clock(info.start for info in victims)
    labels = list[Part]()
    for info in victims[:VICTIMS]:
        numbers = say("priority {priority}, {start}", priority=info.priority, start=moment(info.start))
        look: dict[str, Any] = {"fill": priority_fill(info.priority), "stroke": EVICTED, "stroke_width": 2}
        square = Part(15, 15, (element("rect", x=1, y=1, width=13, height=13, rx=3, **look),))
        name = words(info.pod.metadata.name, bold=True, width=half - 20, fill=EVICTED)
        about = row([square, column([name, words(numbers, width=half - 20, fill=INK_2)], 0)], 5, "start")
        labels.append(about._replace(shapes=(element("g", *about.shapes, data_key=f"victim/{info.key}"),)))
    if (rest := len(victims) - VICTIMS) > 0:
        labels.append(words(say("and {pods} more", pods=count(rest, "pod")), fill=INK_2))
    said = column(labels, 2)
    blocks = tuple(replace(block, key=f"beside/{block.key}") for block in box.blocks)
    beside = replace(box, name=f"beside/{node}", title=box.title or node, blocks=blocks)
    wide = (width if width < NARROW else width / 2) - 12
    plan = Arrangement((Place(6, 6, wide, BOX),), width, BOX + TITLE)
    drawn = shapes([beside], plan, common_resource(decision, [node]), captions=False)
    whole = Part(wide + 12, BOX + TITLE, (element("g", *drawn),))
    return column([said, whole], 6) if width < NARROW else row([said._replace(width=half + GAP), whole], 0, "start")
