"""How one score came about, written out with the engine's terms: ``(4000m - 2500m) × 100 / 4000m = 37``.

Integer division truncates, as in Go, so each line has one division and its result is a whole number. What is written
for a plugin of the lesson holds for v1.20 with its default arguments; any other shows its own formula, or its terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from kschedlab.cluster.labels import PREFER_NO_SCHEDULE, matches, tolerated
from kschedlab.cluster.pools import ZONE
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.objects.model import Node
from kschedlab.objects.problems import UnknownNameError
from kschedlab.plugins.asking import of_node
from kschedlab.score.image_locality import MIB
from kschedlab.score.node_affinity import NodeAffinityScore, preferred_terms
from kschedlab.score.node_resources import NodeResourcesFitScore, least_allocated
from kschedlab.score.plugin import Scored
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore
from kschedlab.score.taint_toleration import TaintTolerationScore
from kschedlab.text.words import count

RAW, NORMALISED, WEIGHTED, SUM = later("raw"), later("normalised"), later("weighted"), later("sum")


@dataclass(frozen=True)
class Calculation:
    """``formula`` gives ``result``. ``what``: the stage or part of a stage; ``remark``: what the numbers mean."""

    what: str
    formula: str
    result: str
    remark: str = ""

    def __str__(self) -> str:
        return self.result if self.formula == self.result else f"{self.formula} = {self.result}"


@dataclass(frozen=True)
class ScoredCell:
    """One plugin's score of one node. ``place``: index among the scored nodes; ``position``: in the cluster."""

    decision: Decision
    scored: Scored
    place: int
    position: int

    @property
    def node(self) -> Node:
        return self.decision.cluster.nodes[self.position]

    @property
    def raw(self) -> int:
        """The score before normalisation."""
        return int(self.scored.raw[self.place])

    @property
    def normal(self) -> int:
        return int(self.scored.normalized[self.place])

    def amounts(self, resource: str) -> tuple[int, int]:
        """What would be requested, and how much there is."""
        term: Any = self.scored.terms[resource]
        return int(term["requested"][self.place]), int(term["capacity"][self.place])


def steps(decision: Decision, plugin: str, node: str) -> list[Calculation]:
    """The steps from this plugin's raw score of the node to its normalised and weighted score.

    KeyError if the node or the plugin has no score.
    """
    scores = decision.scores
    position = decision.cluster.index.get(node, -1)
    if scores is None or plugin not in scores.plugins or position not in scores.nodes:
        raise UnknownNameError(say("{plugin} has no score of {node}", plugin=plugin, node=node))
    which, place = scores.plugins.index(plugin), scores.nodes.tolist().index(position)
    own = next((each for each, _ in decision.generation.scores if each.name == plugin), None)
    cell = ScoredCell(decision, scores.rows[which], place, position)
    result = str(scores.results[which, place])
    return [*score_steps(own, cell), Calculation(WEIGHTED, f"{cell.normal} × {scores.weights[which]}", result)]


def summed(decision: Decision, node: str) -> Calculation:
    """The steps to the node's total score. KeyError if it has none."""
    scores, position = decision.scores, decision.cluster.index[node]
    if scores is None or position not in scores.nodes:
        raise KeyError(say("{node} was not scored", node=node))
    place = scores.nodes.tolist().index(position)
    return Calculation(SUM, added(scores.results[:, place].tolist() or [0]), str(scores.total[place]))


def added(values: Sequence[int]) -> str:
    """ "3 + 4 - 5"."""
    return " ".join([str(values[0]), *(f"+ {value}" if value >= 0 else f"- {-value}" for value in values[1:])])


@singledispatch
def score_steps(plugin: object, cell: ScoredCell) -> list[Calculation]:
    """Raw and normalised score. A plugin unknown to this module shows its ``formula``, or its terms."""
    terms = {name: of_node(term, cell.place, len(cell.scored.raw)) for name, term in cell.scored.terms.items()}
    formula: str = getattr(plugin, "formula", "")
    try:
        written = formula.format(**terms)
    except (LookupError, ValueError, AttributeError, TypeError):
        written = ""
    remark = "" if written else ", ".join(f"{name} {term}" for name, term in terms.items())
    return [_raw(cell, written, remark), _final(cell)]


def _raw(cell: ScoredCell, formula: str = "", remark: str = "") -> Calculation:
    return Calculation(RAW, formula or str(cell.raw), str(cell.raw), remark)


def _final(cell: ScoredCell, formula: str = "", remark: str = "") -> Calculation:
    return Calculation(NORMALISED, formula or str(cell.normal), str(cell.normal), remark)


def _as_it_is(cell: ScoredCell) -> Calculation:
    return _final(cell, remark=say("it has no NormalizeScore"))


@score_steps.register
def _(plugin: NodeResourcesFitScore, cell: ScoredCell) -> list[Calculation]:
    """The free share of each resource, and their mean."""
    shares = list(_shares(plugin, cell))
    mean = f"({' + '.join(share.result for share in shares)}) / {len(shares)}" if shares else ""
    return [*shares, _raw(cell, mean), _as_it_is(cell)]


def _shares(plugin: NodeResourcesFitScore, cell: ScoredCell) -> Iterator[Calculation]:
    if plugin.strategy is not least_allocated or any(weight != 1 for _, weight in plugin.resources):
        return
    for resource, _ in plugin.resources:
        asked, there = cell.amounts(resource)
        share = (there - asked) * plugin.highest // there if asked <= there > 0 else 0
        formula = f"({_amount(resource, there)} - {_amount(resource, asked)}) × {plugin.highest} / "
        written = formula + _amount(resource, there) if asked <= there > 0 else str(share)
        yield Calculation(resource, written, str(share))


def _amount(resource: str, value: int) -> str:
    """CPU in millicores, memory in MiB if it is a whole number of them."""
    if resource == "cpu":
        return f"{value}m"
    return f"{value // MIB}Mi" if value % MIB == 0 else str(value)


@score_steps.register
def _(plugin: TaintTolerationScore, cell: ScoredCell) -> list[Calculation]:
    tolerations = tuple(t for t in cell.decision.pod.pod.spec.tolerations if t.effect in ("", PREFER_NO_SCHEDULE))
    taints = [t.key for t in cell.node.spec.taints if t.effect == PREFER_NO_SCHEDULE and not tolerated(t, tolerations)]
    remark = say(
        "{effect} taints: {taints}; fewer is better", effect=PREFER_NO_SCHEDULE, taints=listed(taints) or say("none")
    )
    return [_raw(cell, remark=remark), *_scaled(cell, plugin.highest, reverse=True)]


@score_steps.register
def _(plugin: NodeAffinityScore, cell: ScoredCell) -> list[Calculation]:
    terms = plugin.added + preferred_terms(cell.decision.pod.pod.spec)
    cluster = cell.decision.cluster
    weights = [t.weight for t in terms if t.weight and matches(cluster, t.preference)[cell.position]]
    found = count(len(weights), "preferred term")
    matching = say("{terms} matches, by weight" if len(weights) == 1 else "{terms} match, by weight", terms=found)
    remark = matching if weights else say("no preferred term matches")
    return [_raw(cell, added(weights or [0]), remark), *_scaled(cell, plugin.highest, reverse=False)]


def _scaled(cell: ScoredCell, highest: int, reverse: bool) -> list[Calculation]:
    """DefaultNormalizeScore."""
    largest = int(cell.scored.raw.max(initial=0))
    if largest == 0:
        return [_final(cell, remark=say("0 everywhere: all get {score}", score=highest if reverse else 0))]
    share = f"{cell.raw} × {highest} / {largest}"
    if not reverse:
        return [_final(cell, share)]
    scaled = cell.raw * highest // largest
    return [Calculation(later("scaled"), share, str(scaled)), _final(cell, f"{highest} - {scaled}")]


@score_steps.register
def _(plugin: PodTopologySpreadScore, cell: ScoredCell) -> list[Calculation]:
    """The pods in the zone, by the logarithm of the number of zones; then reversed."""
    terms: dict[str, Any] = dict(cell.scored.terms)
    is_plain = [*terms] == [ZONE] and terms[ZONE]["maxSkew"] == 1 and not plugin.rounds_sum
    if not is_plain or ZONE not in cell.node.metadata.labels:
        return [_raw(cell), _final(cell)]
    counted = f"{terms[ZONE]['pods'][cell.place]} × ln({terms[ZONE]['domains']} + 2)"
    raw = _raw(cell, counted, say("pods × ln(zones + 2), rounded down"))
    scores, nodes = cell.decision.scores, cell.decision.cluster.nodes
    assert scores is not None
    keyed = [ZONE in nodes[place].metadata.labels for place in scores.nodes.tolist()]
    low, high = int(cell.scored.raw[keyed].min()), int(cell.scored.raw[keyed].max())
    return [raw, _final(cell, f"100 × ({high} + {low} - {cell.raw}) / {high}" if high else "")]
