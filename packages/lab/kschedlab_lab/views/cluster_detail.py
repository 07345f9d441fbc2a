"""What is below a map of nodes: its legend, and a node against the chosen one or the changes that would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.objects.meta import controller_of
from kschedlab.preemption.evidence import Preemption
from kschedlab.preemption.ladder import earliest_start
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult
from kschedlab.text.words import clock, count
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, padded, phrase, placed, row, rows_of, words, wrap
from kschedlab_lab.views.lettering import both_ends, fitted, text_width, wrapped
from kschedlab_lab.views.node_kinds import (
    CHOSEN_ONE,
    EVICTS,
    FILLS,
    GOOD,
    MORE,
    ONE,
    OPEN,
    RAMPS,
    SIZES,
    TWO,
    cause_fill,
    kinds,
    node_fills,
    one_away,
    siblings,
    tolls,
    totals,
)
from kschedlab_lab.views.node_map import ALL, star_path
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, INK_2, ON_ACCENT
from kschedlab_lab.views.svg import rect
from kschedlab_why.why_not import Check, Points, WhyNot, because, refusing

BAR, GAP, LEAST, LONGEST = 5, 8, 40, 240
"""The height of a bar, the space beside it, and the least and the greatest length of the longest one, in pixels."""
BARS = 3
"""The most plugins with their points."""
SHARE = 0.45
"""How much of a row a change takes, where not all of them fit whole; more if the row has it to spare."""
PAD, APART = 6, 4
"""The space in a button beside its words, and the space between buttons, in pixels."""
EACH = "2³¹"
"""What the sum of priorities adds for each victim."""
HEAD, BETWEEN = 15, 2
"""The size of the line that names a node, and the space between what is said of it, in pixels."""
READABLE = 240
"""The least width for a reason beside its filter, in pixels; with less it is below."""
SWATCH = 14
"""The size of a sample, in pixels."""
ONLY = later("only {plugin}")
NAMES = {
    GOOD: later("fits"),
    EVICTS: later("fits if others leave"),
    ONE: ONLY,
    TWO: later("two filters"),
    MORE: later("more"),
    OPEN: later("not looked at"),
}
"""By kind of node, what the legend calls it."""
LEAVE = later("Evicted there:")
AMOUNTS = {GOOD: totals, EVICTS: tolls}
RANGES = {GOOD: later("({least} to {most} points)"), EVICTS: later("({least} to {most} pods)")}
"""By kind of node, the amounts that its shades show, and how the legend calls the least and the greatest one."""
VICTIMS, FEW_VICTIMS = 6, 2
"""The most pods that are named where they would have to leave, and how many are named in however little room."""


class Choice(NamedTuple):
    """A change that can be applied: what it sets, its words, and with ``whole`` what follows from it.

    ``leaves``: whether the pod goes to a node that is not shown, so that all nodes are to be shown.
    """

    word: str
    change: str
    whole: str = ""
    leaves: bool = False


# -- the legend


def legend(
    decision: Decision, each: int, places: Collection[int], framed: str = "", only: str = ONLY
) -> Iterator[Part]:
    """What the squares mean. ``each``: how many nodes one is, 0 if it has pods; ``places``: the nodes that are shown;
    ``framed``: where the pod runs; ``only``: how a node is called that one plugin refuses."""
    if decision.verdicts is not None or decision.gates or decision.error:
        yield from _decided(decision, places, only, each > 0)
    if decision.cluster.index.get(framed) in places:
        dashes: dict[str, Any] = {"stroke": "currentColor", "stroke_width": 2, "stroke_dasharray": "3 2"}
        yield _entry(_square("none", **dashes), say("it runs here"))
    owner = controller_of(decision.pod.pod.metadata)
    if each and owner is not None and siblings(decision):
        dot = element("circle", cx=7, cy=8, r=2.4, fill="currentColor")
        yield _entry(dot, say("pod of its {kind}", kind=owner.kind))
    if each > 1:
        yield words(say("a square is up to {each} nodes", each=each))


def _decided(decision: Decision, places: Collection[int], only: str, sized: bool) -> Iterator[Part]:
    """The kinds of these nodes after a decision, those that are nearest first; ``sized``: as large as they are."""
    kind_of = [kind if place in places else "" for place, kind in enumerate(kinds(decision))]
    found = Counter(kind_of)
    found[EVICTS if decision.node is None else GOOD] += found[CHOSEN_ONE]
    if found[CHOSEN_ONE]:
        yield _entry(_star(), say("chosen"))
    for kind, name in NAMES.items():
        if kind == ONE:
            for plugin, near in one_away(decision, kind_of).items():
                yield _entry(_square(cause_fill(plugin)), say(only, plugin=plugin), len(near))
        elif found[kind] and len(amounts := {*AMOUNTS[kind](decision).values()} if kind in AMOUNTS else ()) > 1:
            reach = say(RANGES[kind], least=min(amounts), most=max(amounts))
            strip = _strip({*node_fills(decision)}, RAMPS[kind])
            yield row([strip, _named(say(name), found[kind]), words(reach, fill=INK_2)], 6)
        elif found[kind]:
            share = SIZES.get(kind, 1) if sized else 1
            yield _entry(_square(FILLS[kind], share), say(name), found[kind])


def _strip(used: Collection[str], ramp: Sequence[str]) -> Part:
    """The colours of the ramp that are used, side by side."""
    shades = [shade for shade in ramp if shade in used]
    return Part(8 * len(shades), SWATCH, tuple(rect(8, SWATCH, x=8 * at, fill=each) for at, each in enumerate(shades)))


def _square(fill: str, share: float = 1, **look: Any) -> Html:
    size = share * SWATCH
    return rect(size, size, 4 * share, (SWATCH - size) / 2, (SWATCH - size) / 2, fill=fill, **look)


def _star() -> Html:
    star = element("path", d=star_path(SWATCH / 2, SWATCH / 2, 5.5), fill=ON_ACCENT)
    return element("g", _square(CHOSEN), star)


def _entry(sample: Html, text: str, number: int = 0) -> Part:
    """A sample and its meaning, with how many nodes it is."""
    return row([Part(SWATCH, SWATCH, (sample,)), _named(text, number)], 6)


def _named(text: str, number: int) -> Part:
    return phrase((text, "currentColor", False), *([(f"{number:,}", INK_2, False)] if number else []))


# -- why not this one


def differing(decision: Decision) -> dict[str, int]:
    """By plugin that does not give all nodes the same: the most points that it gives one."""
    scores = decision.scores
    each = zip(scores.plugins, scores.results, strict=True) if scores is not None else ()
    return {plugin: int(max(points)) for plugin, points in each if min(points) < max(points)}


def why_not_part(
    found: WhyNot, width: float, most: Mapping[str, int], leave: Sequence[str] = (), lines: int | None = None
) -> Part:
    """Why the pod does not go to the node: as both nodes' points, whose bars have one scale on all nodes, if ``most``
    has them by plugin; else in a sentence; and who would have to ``leave`` it. Of a sentence in so many ``lines``, a
    tip has the rest."""
    room, rule = width - 24, _lost(found)
    if most and found.points:
        inside = _points(found, room, most)
    elif found.checks and not found.rules:
        inside = _refusals(found, room, lines)
    elif rule is not None:
        inside = _rule(found, rule, room)
    else:
        inside = _sentence(found.sentence, room, lines)
    named = (phrase(("✕", EVICTED, True), (fitted(pod, room - 20), "currentColor", False)) for pod in leave)
    inside = column([inside, wrap(named, room, 16, 0)], BETWEEN)
    return row([inside._replace(width=room), _close()], 4, "start")


def _refusals(found: WhyNot, width: float, lines: int | None) -> Part:
    """The node, and for each filter that refuses it a line with its colour and its reason; of what does not fit into so
    many ``lines``, a tip has the rest."""
    each, head = refusing(found.checks), words(found.node, HEAD, bold=True)
    name = min(max(text_width(check.plugin) for check in each), width / 2)
    wholes = [head, *(_refusal(check, name, width) for check in each)]
    whole = column([*wholes, *_grey(found.evicting, width)], BETWEEN)
    high = (words("").height + BETWEEN) * max(lines or 0, 2) + 1
    if lines is None or whole.height <= high:
        return whole
    parts = [head, *(_refusal(check, name, width, short=True) for check in each)]
    for place, one in enumerate(wholes):
        longer = [*parts[:place], one, *parts[place + 1 :]]
        parts = longer if column(longer, BETWEEN).height <= high else parts
    short = column(parts[: max(lines, 2)], BETWEEN)
    return short._replace(shapes=(element("g", *short.shapes, data_tip=found.sentence),))


def _grey(text: str, width: float) -> list[Part]:
    return [words(text, width=width, fill=INK_2)] if text else []


def _refusal(check: Check, name: float, width: float, short: bool = False) -> Part:
    """A filter and its reason, which begins where that of any other filter does. ``name``: how wide a filter's is."""
    sample = Part(10, 10, (rect(10, 10, 3, fill=cause_fill(check.plugin)),))
    called, reason = words(check.plugin, most=name)._replace(width=name), because(check)
    room = width - name - 10 - 6 - GAP
    if room < READABLE and not short:
        below = padded(words(reason, width=width - 16, fill=INK_2), 16)
        return column([row([sample, called], 6), below._replace(width=width)], 0)
    said = words(fitted(reason, room), fill=INK_2) if short else words(reason, width=room, fill=INK_2)
    return row([row([sample, called], 6), said], GAP, "start")


def _lost(found: WhyNot) -> RuleResult | None:
    """The rule that drops the node, if one does."""
    return next((each for each in found.rules if each.applies and found.node in each.standing - {*each.kept}), None)


def _rule(found: WhyNot, rule: RuleResult, width: float) -> Part:
    """The node and the rule that drops it; below, what the rule compares on ★ and here."""
    lost = say("loses at rule {number}, {rule}:", number=rule.number, rule=rule.rule)
    name = words(found.node, HEAD, bold=True)
    values = say("★ {value}, here {other}", value=rule.values[str(found.winner)], other=rule.values[found.node])
    summed = say("({each} for each pod)", each=EACH) if EACH in values else ""
    return column(
        [name, words(lost, width=width), wrap([words(values, width=width), *_grey(summed, width)], width, 6, 0)],
        BETWEEN,
    )


def _sentence(text: str, width: float, lines: int | None) -> Part:
    whole = words(text, width=width)
    if lines is None or whole.height <= lines * words(text).height:
        return whole
    short = column([words(line) for line in wrapped(text, width, lines)], 0)
    return short._replace(shapes=(element("g", *short.shapes, data_tip=text),))


def victims(decision: Decision, node: str, most: int = VICTIMS) -> list[str]:
    """Whom the pod would evict on the node: so many at ``most`` with priority, or with the start if a rule compares
    that of this node, and how many more."""
    preemption = decision.preemption
    if preemption is None or node not in preemption.candidates:
        return []
    pods, dated = preemption.candidates[node].victims, _dated(preemption, node)
    starts = clock(each.start for each in (*pods, *preemption.victims))
    text = later("{pod} (since {start})" if dated else "{pod} (priority {priority})")
    named = [
        say(text, pod=each.pod.metadata.name, priority=each.priority, start=starts(each.start)) for each in pods[:most]
    ]
    if not named and pods:
        shown = listed([*(str(each.priority) for each in pods[:VICTIMS]), *(["…"] if len(pods) > VICTIMS else [])])
        many = count(len(pods), "pod")
        return [say("{pods} would have to leave (priority {priorities})", pods=many, priorities=shown)]
    rest = len(pods) - most
    return [*named, count(rest, "more pod")] if rest > 0 else named


def _dated(preemption: Preemption, node: str) -> bool:
    """Whether a rule compares when the pods of this node have started."""
    here = preemption.positions == preemption.cluster.index[node]
    starts = [rung.entered for rung in preemption.rungs if rung.rule.value is earliest_start]
    return any(bool(entered[here].any()) and int(entered.sum()) > 1 for entered in starts)


def _close() -> Part:
    target = element("rect", width=18, height=18, fill="transparent")
    marks = {"data_set": "node: none", "data_tip": say("close"), "aria_label": say("close")}
    return Part(18, 18, (element("g", target, moved(words("✕", 13), 3, 0), **marks),))


def _points(found: WhyNot, width: float, most: Mapping[str, int]) -> Part:
    """Both totals, a line for each plugin that makes most of the difference, and the others by name."""
    *plugins, total = found.points
    other = found.node if found.node != found.winner else say("the next best")
    sums = ((f"★ {found.winner}", total.chosen, CHOSEN), (other, total.others[0], INK_2))
    both = [
        words(f"{fitted(name, width - 60, HEAD, bold=True)} {points}", HEAD, bold=True, fill=fill)
        for name, points, fill in sums
    ]
    leads = sorted((each for each in plugins if each.lead), key=lambda each: -abs(each.lead))
    more = [f"{each.plugin} {_more(each.lead)}" for each in leads[BARS:]]
    rest = listed([*more, say("other plugins: equal")] if len(leads) < len(plugins) else more)
    others = words(rest, width=width, fill=INK_2) if rest else NOTHING
    return column([wrap(both, width, 16, 2), _lines(leads[:BARS], width, most), others], 4)


def _lines(shown: Sequence[Points], width: float, most: Mapping[str, int]) -> Part:
    """Of each plugin its name, a bar for each of the two nodes, and the difference; all bars begin at one edge."""
    highest = max(most.values())
    last = text_width(_more(-highest), bold=True)
    name = min(max(map(text_width, most)), width - last - LEAST - 2 * GAP)
    wide = min(width - name - last - 2 * GAP, LONGEST)
    return column((_line(each, name, wide, highest) for each in shown), 2)


def _more(lead: int) -> str:
    """What the ★ node has more or fewer than the other."""
    return say("{points} more", points=lead) if lead > 0 else say("{points} fewer", points=-lead)


def _line(each: Points, name: float, wide: float, highest: int) -> Part:
    """One plugin. ``name``: how wide its name may be; ``wide``: the bar of the ``highest`` points."""
    lead = words(_more(each.lead), bold=True, fill=CHOSEN if each.lead > 0 else None)
    bars = tuple(
        rect(max(wide * points / highest, 0.5), BAR, y=line * (BAR + 1), fill=fill)
        for line, (points, fill) in enumerate(((each.chosen, CHOSEN), (each.others[0], INK_2)))
    )
    tip = say("{plugin}: {chosen} and {other} points", plugin=each.title, chosen=each.chosen, other=each.others[0])
    called = words(each.plugin, most=name)._replace(width=name)
    whole = row([called, Part(wide, 2 * BAR + 1, bars), lead], GAP)
    return whole._replace(shapes=(element("g", *whole.shapes, data_tip=tip),))


# -- what would change it


def ask_part(question: str, back: str, on: bool) -> Part:
    """A button that asks what would change the decision, and if it is ``on`` goes ``back``; it keeps its place."""
    asked, leads = f"{say(question)}?", f"question: {back if on else question}"
    is_open = str(on).lower()
    text = f"{'▾' if on else '▸'} {asked}"
    return _button(text, data_key="ask", data_set=leads, aria_label=asked, aria_expanded=is_open)


def choices_part(ask: Part, choices: Sequence[Choice], applied: str, width: float, rows: int) -> Part:
    """After ``ask`` the changes as buttons, in so many rows; the one that is applied is marked and always there, and a
    click takes it back. Long changes are cut only if not all fit."""
    whole = wrap([ask, *(_change(each, each.word == applied, width) for each in choices)], width, APART, APART)
    if whole.height <= rows * (ask.height + APART):
        return whole
    words_of = {choice.word: choice for choice in choices}
    for rest in range(len(words_of)):
        more = [words(say("and {number} more in Details, behind ⋯", number=rest), fill=INK_2)] if rest else []
        shown = [*words_of][: len(words_of) - rest]
        if applied in words_of and applied not in shown:
            shown[-1] = applied
        whole = _cut(ask, [words_of[word] for word in shown], applied, width, more)
        if whole.height <= rows * (ask.height + APART):
            break
    return whole


def _cut(ask: Part, choices: Sequence[Choice], applied: str, width: float, more: Sequence[Part]) -> Part:
    """The changes in rows, those that are too long for their share of a row as long as the row lets them be."""
    buttons = [_change(each, each.word == applied, SHARE * width) for each in choices]
    choice_of = {id(button): choice for button, choice in zip(buttons, choices, strict=True)}
    made = list[Part]()
    for line in rows_of([ask, *buttons, *more], width, APART):
        spare = width - row(line, APART).width
        for at, part in enumerate(line):
            if (choice := choice_of.get(id(part))) is not None:
                line[at] = _change(choice, choice.word == applied, part.width + spare)
                spare -= line[at].width - part.width
        made.append(row(line, APART))
    return column(made, APART)


def _change(choice: Choice, on: bool, longest: float) -> Part:
    sets = f"node: none, change: {'none' if on else choice.word}"  # what is said of a node would move the buttons
    sets += f", show: {ALL}" if choice.leaves and not on else ""
    marks = {"data_set": sets, "aria_pressed": str(on).lower()}
    about = {"aria_label": choice.whole or choice.change, "data_tip": choice.whole or None}
    text = both_ends(choice.change, longest - 2 * PAD)
    return _button(text, on, data_key=f"change/{choice.word}", **marks, **about)


def _button(text: str, on: bool = False, **marks: str | None) -> Part:
    """A button; its width is that of bold text, so that none moves when one is pressed."""
    inside = words(text, fill=ACT, bold=on)
    wide, high = text_width(text, bold=True) + 2 * PAD, inside.height + 6
    look: dict[str, Any] = {"fill": ACT, "fill_opacity": 0.16 if on else 0.04, "stroke": ACT}
    box = rect(wide - 2, high - 2, 8, 1, 1, **look, stroke_width=2 if on else 1)
    return Part(wide, high, (element("g", box, placed(inside, wide / 2, 3), **marks),))
