"""One decision in several generations, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, TypeAlias

from kschedlab.decision import Decision, NodeVerdict
from kschedlab.generations import Generation
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.shown import Shown
from kschedlab.text.preemption import choice
from kschedlab.text.sections import DECIDES, Cell, Limits, Lines, Names, Row, Section, Strong, Table
from kschedlab.text.words import count, listing
from kschedlab.whatif.titles import title_of

SAME = later("the same outcome")
NOT_ALONE = later("no single rule gives the whole of it")


@dataclass(frozen=True)
class SettingChange:
    """One setting in which two generations differ. ``switched``: the earlier one with only this setting changed.

    ``rule``: its name, e.g. ``preemption.victims.sorted_again``; ``before``, ``after``: its values as text.
    """

    rule: str
    before: str
    after: str
    switched: Generation


@dataclass(frozen=True)
class Cause:
    """A change that alters the outcome by itself. ``parts``: which it alters. ``whole``: it gives the later outcome."""

    change: SettingChange
    parts: tuple[str, ...]
    whole: bool


@dataclass(frozen=True)
class Difference:
    """From one generation to the next: the parts of the outcome that differ, and their causes."""

    earlier: str
    later: str
    parts: tuple[str, ...]
    causes: tuple[Cause, ...]


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """The decisions by generation, in the order requested, and the steps between neighbours."""

    decisions: dict[str, Decision]
    steps: tuple[Difference, ...]

    def sections(self, limits: Limits) -> Iterator[Section]:
        """The decision of each generation, the differences from one to the next with their causes, and all nodes."""
        decisions = self.decisions
        generations = count(len(decisions), "generation")
        pairs = _merged(decisions, [decided(decision) for decision in decisions.values()])
        table = Table(terms("generation", "decision"), [Row([names, result]) for names, result in pairs])
        pod = next(iter(decisions.values())).pod.key
        yield Section(say("{pod} in {generations}", pod=pod, generations=generations), [table])
        for step in self.steps:
            yield _changed(step)
        yield _nodes(self, limits.groups)


class NodeResult(NamedTuple):
    """A generation's result for one node, in lines. ``chosen``: the generation may pick the node."""

    lines: tuple[str, ...] = ()
    chosen: bool = False


Fate: TypeAlias = tuple[bool, bool, NodeResult]


def _merged(names: Iterable[str], values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Neighbours with the same value: ``("v1.13, v1.16", value)``."""
    for value, same in groupby(zip(names, values, strict=True), key=lambda pair: pair[1]):
        yield listed(name for name, _ in same), value


def _changed(step: Difference) -> Section:
    between = f"{step.earlier} → {step.later}"
    if not step.parts:
        return Section(say("{between}: {result}", between=between, result=say(SAME)))
    rows = []
    for cause in step.causes:
        change = cause.change
        title = title_of(change.rule)
        values = f"{say(change.before)} → {say(change.after)}"
        rule = [*([Strong(say(title))] if title else []), say(change.rule), values]
        rows.append(Row([Lines(rule), effect(cause)], DECIDES if cause.whole else ""))
    none = [] if any(cause.whole for cause in step.causes) else [say(NOT_ALONE)]
    parts = listed(terms(*step.parts))
    title = say("{between}: differs in {parts}", between=between, parts=parts)
    return Section(title, [Table(terms("rule switched alone", "effect"), rows), *none])


def _nodes(comparison: Comparison, limit: int) -> Section:
    """The nodes, grouped by what the generations say about them; groups with a difference first."""
    by_node = cells(comparison)
    groups = _grouped(by_node)
    if cut := len(groups) > limit:
        groups = _grouped({node: [_unnamed(cell, row) for cell in row] for node, row in by_node.items()})
    rows = []
    for row, nodes in list(groups.items())[:limit]:
        name: Cell = Names(nodes)
        texts = ["\n".join(cell.lines) for cell in row]
        chosen = {text for cell, text in zip(row, texts, strict=True) if cell.chosen}
        for generations, text in _merged(comparison.decisions, texts):
            rows.append(Row([name, generations, Lines(text.split("\n"))], DECIDES if text in chosen else ""))
            name = ""
    rest = list(groups.values())[limit:]
    more = [say("and {nodes}", nodes=count(sum(map(len, rest)), "more node"))] if rest else []
    title = say("node by node: {size}", size=count(len(by_node), "node"))
    return Section(title, [Table(terms("node", "generation", "result"), rows), *more], folded=True, cut=cut)


def _grouped(by_node: Mapping[str, Sequence[NodeResult]]) -> dict[tuple[NodeResult, ...], list[str]]:
    groups: dict[tuple[NodeResult, ...], list[str]] = {}
    for node, row in by_node.items():
        groups.setdefault(tuple(row), []).append(node)
    return groups


def _unnamed(cell: NodeResult, row: Sequence[NodeResult]) -> NodeResult:
    """The cell without the names of pods that no generation evicts, so that nodes that differ only in them are one."""
    if len(cell.lines) < 2 or any(other.chosen for other in row):
        return cell
    return NodeResult((cell.lines[0], say("a candidate for preemption, not chosen")))


def decided(decision: Decision) -> str:
    rule = choice(decision.preemption) if decision.preemption is not None else ""
    return sentences((decision.outcome, rule))


def cells(comparison: Comparison) -> dict[str, list[NodeResult]]:
    """The result of each generation for each node; nodes on which they differ come first."""
    decisions = list(comparison.decisions.values())
    names = sorted(decisions[0].cluster.names)
    columns = [list(_column(decision, names)) for decision in decisions]
    rows = {name: results for name, *results in zip(names, *columns, strict=True)}
    agreeing = {name: len({fate for _, fate in results}) == 1 for name, results in rows.items()}
    return {name: [cell for cell, _ in rows[name]] for name in sorted(names, key=agreeing.__getitem__)}


def _column(decision: Decision, names: Sequence[str]) -> Iterator[tuple[NodeResult, Fate]]:
    """For each node the result, and the part of it that can differ: passes, has the best score, evicts."""
    best, scores = frozenset(decision.best), decision.scores
    totals = dict(zip(scores.nodes.tolist(), scores.total.tolist(), strict=True)) if scores is not None else {}
    for name in names:
        verdict, evicted = decision.verdict(name), _evicted(decision, name)
        cell = _cell(decision, verdict, evicted, totals.get(decision.cluster.index[name]), name in best)
        yield cell, (verdict.passes, name in best, evicted)


def _cell(decision: Decision, verdict: NodeVerdict, evicted: NodeResult, total: int | None, best: bool) -> NodeResult:
    if decision.error:
        return NodeResult((say("error"),))
    if decision.gates:
        return NodeResult((say("not looked at"),))
    if not verdict.passes:
        rejected = decision.verdicts.rejected if decision.verdicts is not None else None
        reasons = "; ".join(verdict.reasons if rejected is None else rejected.reasons)
        refused = f"{verdict.plugin}: {reasons}" if reasons else str(verdict.plugin)
        return NodeResult((refused, *evicted.lines), evicted.chosen)
    if decision.scores is None:
        return NodeResult((say("the only one" if best else "passes"),), best)
    return NodeResult((say("score {total} (best)" if best else "score {total}", total=total),), best)


def _evicted(decision: Decision, node: str) -> NodeResult:
    preemption = decision.preemption
    if preemption is None or node not in preemption.candidates:
        return NodeResult()
    own = f"{decision.pod.pod.metadata.namespace}/"
    victims = listing([victim.key.removeprefix(own) for victim in preemption.candidates[node].victims])
    if node not in preemption.tied:
        return NodeResult((say("evicts {victims}", victims=victims),))
    message = later("evicts {victims} (chosen)" if len(preemption.tied) == 1 else "evicts {victims} (tied)")
    return NodeResult((say(message, victims=victims),), chosen=True)


def effect(cause: Cause) -> str:
    if cause.whole:
        return say("gives the whole difference")
    return say("changes {parts}", parts=listed(terms(*cause.parts)))
