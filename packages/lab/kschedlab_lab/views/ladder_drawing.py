"""The ladder of rules as a drawing: a lane below each node, a rung for each rule, where each drops out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kschedlab.messages import later, meant, say
from kschedlab.preemption.ladder import sum_of_priorities
from kschedlab.preemption.stage import Preemption
from kschedlab.text.html import Html, element
from kschedlab.text.ladder import RuleResult, steps
from kschedlab_lab.views.drawing import Box, Plan
from kschedlab_lab.views.glyphs import hatch
from kschedlab_lab.views.lettering import fitted, fitting, text_width, wrapped
from kschedlab_lab.views.style import CHOSEN, EVICTED
from kschedlab_lab.views.svg import label

ROW, PAD = 19, 4
SHORT = {
    later("fewest PodDisruptionBudget violations"): (later("PDB violations"), later("violations"), "PDB"),
    later("lowest highest victim priority"): (later("lowest top priority"), later("lowest top"), later("lowest")),
    later("smallest sum of victim priorities"): (later("lowest sum"), later("sum")),
    later("fewest victims"): (later("fewest"), meant("number", "victims")),
    later("latest earliest start time"): (later("latest of earliest"), later("latest start"), later("latest")),
}
"""Which value each rule prefers, by its name, in a few words and in fewer."""


class Lane(NamedTuple):
    """A column below a node: its left edge and its width."""

    x: float
    width: float


class Lanes(NamedTuple):
    """The columns of a ladder. ``rules``: that of the rules' names; ``named``: the nodes' names are above the lanes."""

    rules: Lane
    nodes: Mapping[str, Lane]
    named: bool


def lanes(boxes: Sequence[Box], plan: Plan, preemption: Preemption) -> Lanes:
    """The lanes below the nodes, if these stand in one row beside the first box; else lanes of the candidates' own."""
    names = [box.name for box in boxes[1:]]
    if plan.rows == 1:
        first, *rest = plan.places
        nodes = {name: Lane(place.x, place.width) for name, place in zip(names, rest, strict=True)}
        return Lanes(Lane(first.x, first.width), nodes, False)
    names = [name for name in names if name in preemption.candidates]
    left = min(130.0, plan.width / (4.4 if plan.width > 390 else 5))
    wide = (plan.width - left) / max(len(names), 1)
    return Lanes(Lane(0, left), {name: Lane(left + i * wide, wide) for i, name in enumerate(names)}, True)


def ladder_height(preemption: Preemption, named: bool) -> float:
    """The height of the drawing, in pixels."""
    return ROW * (len(preemption.rungs) + named) + 2 * PAD if preemption.rungs else 0


def ladder(
    preemption: Preemption, at: Lanes, y: float, obstacles: Mapping[str, str], rules: int | None = None
) -> list[Html]:
    """The ladder from ``y`` on. ``obstacles``: what is in the way on the other nodes; ``rules``: how many are asked."""
    if not preemption.rungs:
        return []
    found = steps(preemption, [node for node in at.nodes if node in preemption.candidates])
    shapes: list[Html] = []
    if at.named:
        y += ROW
        shapes += [
            label(fitted(name, lane.width - 4, bold=True), lane.x + lane.width / 2, y - 4, "middle", font_weight="bold")
            for name, lane in at.nodes.items()
        ]
    for node, lane in at.nodes.items():
        if node not in preemption.candidates:
            shapes += _in_the_way(obstacles.get(node, ""), lane, y)
    for step in found:
        asked = rules is None or step.number <= rules
        shapes.append(_rung(step, at.rules, y + ROW * (step.number - 1) + PAD, asked))
    for step in found if preemption.nominated_node is not None else []:
        if step.applies and (rules is None or step.number <= rules):
            shapes += _cells(step, preemption, at.nodes, y + ROW * (step.number - 1) + PAD)
    return shapes + (_unasked(found, preemption, at, y) if rules is None else [])


def _rung(step: RuleResult, lane: Lane, y: float, asked: bool) -> Html:
    """The rule's number and what it compares."""
    decides = asked and step.decides
    texts = [f"{step.number}. {say(words)}" for words in SHORT.get(step.name, (step.name,))]
    text = fitting(texts, lane.width - 2, bold=decides)
    bold = "bold" if decides else None
    return element(
        "g",
        label(
            fitted(text, lane.width - 2, bold=decides),
            2,
            13,
            font_weight=bold,
            opacity=0.55 if asked and not step.applies else None,
        ),
        transform=f"translate({lane.x:g},{y:g})",
        data_key=f"rung/{step.number}",
        data_tip=say(
            "rule {number}: {rule}; {result}" if asked else "rule {number}: {rule}",
            number=step.number,
            rule=step.rule,
            result=step.result,
        ),
    )


def _cells(step: RuleResult, preemption: Preemption, nodes: Mapping[str, Lane], y: float) -> list[Html]:
    """What the rule reads on each node that came to it."""
    standing = {node: lane for node, lane in nodes.items() if node in step.standing and node in step.values}
    texts = _texts(step, preemption, standing)
    last_of_a_tie = step.number == len(preemption.rungs) and len(step.kept) > 1
    shapes = []
    for node, lane in standing.items():
        kept = node in step.kept
        sign = "★ " if kept and step.decides else "" if kept else "✕ "
        colour = CHOSEN if kept and step.decides else "currentColor" if kept else EVICTED
        wide = lane.width - 4
        inside = [
            element(
                "rect",
                width=wide,
                height=ROW - 2,
                rx=4,
                fill=colour,
                fill_opacity=0.2 if step.decides and kept else 0.07,
                stroke=colour,
                stroke_width=2 if step.decides and kept else 1,
                data_key=f"rung/{step.number}/{node}/box",
            )
        ]
        if last_of_a_tie and kept:
            inside.append(element("path", d=hatch(wide, ROW - 2), stroke=CHOSEN, opacity=0.7))
        bold = "bold" if sign or (last_of_a_tie and kept) else None
        text = say("{value} tie", value=texts[node]) if last_of_a_tie and kept else texts[node]
        room = wide - text_width(sign, bold=True)
        bold = bold if text_width(text, bold=True) <= room else None
        written = fitted(text, room, bold=bold is not None)
        mark = element("tspan", sign, fill=colour) if sign else None
        inside.append(element("text", mark, written, x=wide / 2, y=12.5, text_anchor="middle", font_weight=bold))
        shapes.append(
            element(
                "g",
                *inside,
                transform=f"translate({lane.x + 2:g},{y:g})",
                data_key=f"rung/{step.number}/{node}",
                data_from=f"rung/{step.number - 1}/{node}",
                data_ref=f"node/{node}",
                data_tip=say(
                    "{node}, rule {number} ({rule}): {value}",
                    node=node,
                    number=step.number,
                    rule=step.rule,
                    value=step.values[node],
                ),
            )
        )
    return shapes


def _texts(step: RuleResult, preemption: Preemption, lanes: Mapping[str, Lane]) -> dict[str, str]:
    """The values as written in the cells; sums in full where they would not fit with the offset apart."""
    texts = {node: step.values[node] for node in lanes}
    rung = preemption.rungs[step.number - 1]
    if rung.rule.value is not sum_of_priorities:
        return texts
    names = [preemption.cluster.names[n] for n in preemption.positions.tolist()]
    close = {node: text.replace(" + ", "+").replace("×", "·") for node, text in texts.items()}
    full = {node: str(rung.value[names.index(node)]) for node in lanes}
    room = min((lane.width for lane in lanes.values()), default=0) - text_width("★ ", bold=True) - 4
    fits = (each for each in (texts, close) if all(text_width(text) <= room for text in each.values()))
    return next(fits, full)


def _in_the_way(text: str, lane: Lane, y: float) -> list[Html]:
    """Why a node has no lane."""
    lines = wrapped(f"✕ {text}", lane.width - 4, 5, bold=True) if text else []
    middle = lane.x + lane.width / 2
    return [
        label(line, middle, y + PAD + 13 + 15 * i, "middle", font_weight="bold", opacity=0.85)
        for i, line in enumerate(lines)
    ]


def _unasked(found: Sequence[RuleResult], preemption: Preemption, at: Lanes, y: float) -> list[Html]:
    """A word beside the first rule that is not asked."""
    first = next((step for step in found if not step.applies), None)
    if first is None:
        return []
    node = preemption.nominated_node
    lane = at.nodes.get(node or "", Lane(at.rules.x + at.rules.width, 0))
    why = say("not asked") if first.number > 1 else say("★ only one")
    middle = lane.x + lane.width / 2
    return [label(why, middle, y + ROW * (first.number - 1) + PAD + 13, "middle", opacity=0.75)]
