"""The ladder of rules as a table: what each rule compared, whom it left, which one decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.messages import listed, say
from kschedlab.preemption.evidence import Preemption
from kschedlab.preemption.ladder import PRIORITY_OFFSET, Rung, earliest_start, sum_of_priorities
from kschedlab.text.sections import DECIDES, WEAK, Line, Names, Row, Strong, Table
from kschedlab.text.words import clock

COLUMNS = 6
"""The most candidates that a table shows side by side."""


@dataclass(frozen=True)
class RuleResult:
    """One rule in words. ``values``: the value it compares, by node; ``standing``: the nodes still in the race.

    ``applies``: whether more than one node was left before the rule; ``decides``: whether the rule left exactly one.
    """

    number: int
    name: str
    values: dict[str, str]
    standing: frozenset[str]
    kept: tuple[str, ...]
    applies: bool
    decides: bool

    @property
    def rule(self) -> str:
        return say(self.name)

    @property
    def result(self) -> str:
        if not self.applies:
            return say("not asked")
        if self.decides:
            return say("decides: {node}", node=self.kept[0])
        if len(self.kept) == len(self.standing):
            return say("leaves all")
        if len(self.kept) <= 3:
            return say("leaves {nodes}", nodes=listed(self.kept))
        return say("leaves {number:,}", number=len(self.kept))


def columns(preemption: Preemption, limit: int = COLUMNS) -> list[str]:
    """The candidates to show: the chosen one, then those that survived most rules, then by name."""
    names = [preemption.cluster.names[n] for n in preemption.positions.tolist()]
    height = np.sum([np.zeros(len(names)), *(rung.kept for rung in preemption.rungs)], axis=0)
    order = sorted(range(len(names)), key=lambda i: (i != preemption.chosen, -height[i], names[i]))
    shown = [names[i] for i in order[:limit]]
    return sorted(shown) if len(names) <= limit else shown


def steps(preemption: Preemption, nodes: Sequence[str]) -> list[RuleResult]:
    names = [preemption.cluster.names[n] for n in preemption.positions.tolist()]
    place = {name: i for i, name in enumerate(names)}
    result = []
    for number, rung in enumerate(preemption.rungs, start=1):
        standing, kept = ([names[i] for i in mask.nonzero()[0].tolist()] for mask in (rung.entered, rung.kept))
        values = _written(rung, {node: int(rung.value[place[node]]) for node in nodes}, frozenset(standing))
        applies = len(standing) > 1
        result.append(
            RuleResult(number, rung.rule.name, values, frozenset(standing), tuple(sorted(kept)), applies, rung.decides)
        )
    return result


def _written(rung: Rung, values: dict[str, int], standing: frozenset[str]) -> dict[str, str]:
    """The rule's values by node: start times as times, sums with what each victim adds apart.

    Times have dates if those of the nodes that are still ``standing`` differ in the day.
    """
    if rung.rule.value is earliest_start:
        moment = clock(value for node, value in values.items() if node in standing)
        return {node: moment(value) for node, value in values.items()}
    if rung.rule.value is sum_of_priorities:
        return {node: _offset_apart(value) for node, value in values.items()}
    return {node: str(value) for node, value in values.items()}


def _offset_apart(total: int) -> str:
    """A sum of priorities with the 2³¹ of each victim apart; equal sums look equal."""
    offsets = round(total / PRIORITY_OFFSET)
    return f"{total - offsets * PRIORITY_OFFSET} + {offsets}×2³¹"


def ladder_table(preemption: Preemption, limit: int = COLUMNS) -> Table:
    """Rules down, candidates across; rules that did not apply are weak, the best values of one that did are strong."""
    nodes = columns(preemption, limit)
    hidden = len(preemption.positions) - len(nodes)
    more = [say("{number:,} more", number=hidden)] if hidden else []
    head: list[Line] = ["", say("rule"), *(Names([node]) for node in nodes), *more, say("result")]
    rows = []
    for step in steps(preemption, nodes):
        mark = DECIDES if step.decides else "" if step.applies else WEAK
        values = [_value(step, node) for node in nodes]
        number = f"{'▶' if step.decides else ' '} {step.number}"
        result = Strong(step.result) if step.decides else step.result
        rows.append(Row([number, step.rule, *values, *("…" for _ in more), result], mark))
    return Table(head, rows)


def _value(step: RuleResult, node: str) -> str:
    if node not in step.standing:
        return "-"
    best = step.applies and node in step.kept and len(step.kept) < len(step.standing)
    return Strong(step.values[node]) if best else step.values[node]
