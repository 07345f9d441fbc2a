"""What each score plugin counts, and how its number is normalised: one line of arithmetic after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.labels import PREFER_NO_SCHEDULE, matches, tolerated
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.objects.model import Node
from kschedlab.plugins.asking import of_node
from kschedlab.score.image_locality import (
    LOWEST,
    MIB,
    ImageLocality,
    images,
    normalized,
    scaled_sizes,
)
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore, preferred_terms
from kschedlab.score.node_resources import (
    BalancedResourceAllocation,
    NodeResourcesFitScore,
    least_allocated,
    most_allocated,
)
from kschedlab.score.plugin import Scored
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore
from kschedlab.score.priorities.node_prefer_avoid_pods import NodePreferAvoidPods
from kschedlab.score.taint_toleration import TaintTolerationScore
from kschedlab.text.words import count

RAW, NORMALISED, WEIGHTED, SUM = later("raw"), later("normalised"), later("weighted"), later("sum")
STAGES = (RAW, NORMALISED, WEIGHTED)


@dataclass(frozen=True)
class Calculation:
    """``formula`` gives ``result``. ``what``: the stage or part of a stage; ``remark``: what the numbers mean.

    ``refers``: numbers of the formula in their order, and last the result, with the keys of the cells that show them.
    """

    what: str
    formula: str
    result: str
    remark: str = ""
    refers: tuple[tuple[str, str], ...] = ()
    is_resource: bool = False

    @property
    def label(self) -> str:
        """``what`` in the chosen language; a resource has the same name in all of them."""
        return self.what if self.is_resource else say(self.what)

    def __str__(self) -> str:
        return self.result if self.formula == self.result else f"{self.formula} = {self.result}"

    def parts(self) -> list[tuple[str, str]]:
        """The text of the step in pieces, each with the key of the cell that shows it, or ""."""
        if not self.refers:
            return [(str(self), "")]
        result = (self.result, self.refers[-1][1])
        if self.formula == self.result:
            return [result]
        found, rest = [], self.formula
        for number, key in self.refers[:-1]:
            before, _, rest = rest.partition(number)
            found += [(before, ""), (number, key)]
        return [(text, key) for text, key in [*found, (f"{rest} = ", ""), result] if text]


@dataclass(frozen=True)
class ScoredCell:
    """One plugin's score of one node. ``place``: index among the scored nodes; ``position``: in the cluster."""

    decision: Decision
    scored: Scored
    place: int
    position: int

    @property
    def cluster(self) -> Cluster:
        """The cluster at the time of the decision."""
        return self.decision.cluster

    @property
    def node(self) -> Node:
        return self.cluster.nodes[self.position]

    @property
    def raw(self) -> int:
        """The score before normalisation."""
        return int(self.scored.raw[self.place])

    @property
    def normal(self) -> int:
        return int(self.scored.normalized[self.place])


def added(values: Sequence[int]) -> str:
    """ "3 + 4 - 5"."""
    return " ".join([str(values[0]), *(f"+ {value}" if value >= 0 else f"- {-value}" for value in values[1:])])


def quantity(resource: str, value: int) -> str:
    """CPU in millicores, memory in MiB if it is a whole number of them."""
    if resource == "cpu":
        return f"{value}m"
    return _bytes(value) if resource == "memory" else str(value)


def _bytes(value: int) -> str:
    return f"{value // MIB}Mi" if value % MIB == 0 else str(value)


def _final(cell: ScoredCell, formula: str = "", remark: str = "") -> Calculation:
    return Calculation(NORMALISED, formula or str(cell.normal), str(cell.normal), remark)


def _as_it_is(cell: ScoredCell) -> Calculation:
    return _final(cell, remark=say("it has no NormalizeScore"))


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
    return [Calculation(RAW, written or str(cell.raw), str(cell.raw), remark), _final(cell)]


@score_steps.register
def _(plugin: NodeResourcesFitScore, cell: ScoredCell) -> list[Calculation]:
    parts, scores, weights = [], [], []
    for resource, weight in plugin.resources:
        term: Any = cell.scored.terms.get(resource)
        if term is None or (plugin.ignores_absent_resources and term["capacity"][cell.place] == 0):
            continue
        requested, capacity, score = (int(term[name][cell.place]) for name in ("requested", "capacity", "score"))
        formula = _share(plugin, quantity(resource, requested), quantity(resource, capacity))
        remark = _of_what(plugin)
        if requested > capacity or formula == "":
            formula, remark = str(score), say("more is requested than there is") if requested > capacity else ""
        parts.append(Calculation(resource, formula, str(score), remark, is_resource=True))
        scores.append(score)
        weights.append(weight)
    if not scores:
        return [Calculation(RAW, str(cell.raw), str(cell.raw), say("it has none of these resources")), _as_it_is(cell)]
    sums = [f"{score} × {weight}" if weight > 1 else str(score) for score, weight in zip(scores, weights, strict=True)]
    mean = f"({' + '.join(sums)}) / {sum(weights)}"
    return [*parts, Calculation(RAW, mean, str(cell.raw), say("their mean, rounded down")), _as_it_is(cell)]


def _of_what(plugin: NodeResourcesFitScore) -> str:
    """What the share is a share of."""
    if plugin.strategy is least_allocated:
        return say("the share of the node that is left beside the new pod")
    return say("the share of the node that is requested with the new pod")


def _share(plugin: NodeResourcesFitScore, requested: str, capacity: str) -> str:
    if plugin.strategy is least_allocated:
        return f"({capacity} - {requested}) × {plugin.highest} / {capacity}"
    return f"{requested} × {plugin.highest} / {capacity}" if plugin.strategy is most_allocated else ""


@score_steps.register
def _(plugin: BalancedResourceAllocation, cell: ScoredCell) -> list[Calculation]:
    fractions, full = [], []
    for resource in ("cpu", "memory"):
        term: Any = cell.scored.terms[resource]
        requested, capacity = (int(term[name][cell.place]) for name in ("requested", "capacity"))
        fractions.append(f"{quantity(resource, requested)} / {quantity(resource, capacity)}")
        full += [resource] * (requested >= capacity)
    if full:
        raw = Calculation(
            RAW, str(cell.raw), str(cell.raw), say("{resources} would be used up", resources=say(" and ").join(full))
        )
    else:
        formula = f"(1 - |{' - '.join(fractions)}|) × {plugin.highest}"
        raw = Calculation(RAW, formula, str(cell.raw), say("how close cpu and memory are, rounded down"))
    return [raw, _as_it_is(cell)]


@score_steps.register
def _(plugin: ImageLocality, cell: ScoredCell) -> list[Calculation]:
    spec = cell.decision.pod.pod.spec
    names = sorted(
        normalized(image) for image in images(spec, plugin.counts_init_containers, plugin.counts_image_volumes)
    )
    lines = list(_images(cell, names))
    present = int(cell.scored.terms["bytes"][cell.place])  # type: ignore[index]  # int64[nodes given]
    most = f"1000Mi × {max(len(names), 1)}" if plugin.limits_size_per_image else "1000Mi"
    limit = 1000 * MIB * (max(len(names), 1) if plugin.limits_size_per_image else 1)
    here, low = _bytes(present), _bytes(LOWEST)
    kept = f"max({here}, {low})" if present < LOWEST else f"min({here}, {most})" if present > limit else here
    formula = f"({kept} - {low}) × {plugin.highest} / ({most} - {low})"
    return [*lines, Calculation(RAW, formula, str(cell.raw), say("between {low} and 1000Mi", low=low)), _as_it_is(cell)]


def _images(cell: ScoredCell, names: list[str]) -> Iterator[Calculation]:
    """Size in bytes of each of the pod's images that the node has."""
    scaled, nodes = scaled_sizes(cell.cluster), [cell.cluster.nodes[place] for place in cell.cluster.arrivals()]
    for name in dict.fromkeys(names):
        there = [node for node in nodes if any(name in image.names for image in node.status.images)]
        if cell.node not in there:
            yield Calculation(later("image"), "0", "0", say("{name} is not there", name=name))
            continue
        result = _bytes(int(scaled[name][cell.position]))
        size = next(image.sizeBytes for image in there[0].status.images if name in image.names)
        formula = f"{_bytes(size)} × {len(there)} / {len(nodes)}"
        yield Calculation(later("image"), formula, result, say("{name}, by the share of nodes that have it", name=name))


@score_steps.register
def _(plugin: TaintTolerationScore, cell: ScoredCell) -> list[Calculation]:
    tolerations = tuple(t for t in cell.decision.pod.pod.spec.tolerations if t.effect in ("", PREFER_NO_SCHEDULE))
    taints = [t.key for t in cell.node.spec.taints if t.effect == PREFER_NO_SCHEDULE and not tolerated(t, tolerations)]
    formula = " + ".join("1" for _ in taints) or "0"
    raw = Calculation(
        RAW,
        formula,
        str(cell.raw),
        say(
            "{effect} taints: {taints}",
            effect=PREFER_NO_SCHEDULE,
            taints=listed(taints) or say("none"),
        ),
    )
    return [raw, *_scaled(cell, plugin.highest, reverse=True)]


@score_steps.register
def _(plugin: NodeAffinityScore, cell: ScoredCell) -> list[Calculation]:
    terms = plugin.added + preferred_terms(cell.decision.pod.pod.spec)
    weights = [t.weight for t in terms if t.weight and matches(cell.cluster, t.preference)[cell.position]]
    found = count(len(weights), "preferred term")
    matching = say("{terms} matches, by weight" if len(weights) == 1 else "{terms} match, by weight", terms=found)
    remark = matching if weights else say("no preferred term matches")
    return [
        Calculation(RAW, added(weights or [0]), str(cell.raw), remark),
        *_scaled(cell, plugin.highest, reverse=False),
    ]


def _scaled(cell: ScoredCell, highest: int, reverse: bool) -> list[Calculation]:
    """DefaultNormalizeScore."""
    largest = int(cell.scored.raw.max(initial=0))
    if largest == 0:
        return [_final(cell, remark=say("0 everywhere: all get {score}", score=highest if reverse else 0))]
    share = f"{cell.raw} × {highest} / {largest}"
    if not reverse:
        return [_final(cell, share, say("{largest} is the largest", largest=largest))]
    scaled = cell.raw * highest // largest
    return [
        Calculation(later("scaled"), share, str(scaled), say("{largest} is the largest", largest=largest)),
        _final(cell, f"{highest} - {scaled}", say("reversed")),
    ]


@score_steps.register
def _(plugin: InterPodAffinityScore, cell: ScoredCell) -> list[Calculation]:
    pulls: dict[str, Any] = dict(cell.scored.terms)
    if not pulls:
        nobody = Calculation(RAW, str(cell.raw), str(cell.raw), say("the pod is tied to nobody"))
        return [nobody, _final(cell)]
    values = [int(pull[cell.place]) for pull in pulls.values()]
    total = sum(pulls.values())
    low, high = int(total.min()), int(total.max())
    if plugin.range_includes_zero:
        low, high = min(low, 0), max(high, 0)
    raw = Calculation(RAW, added(values), str(sum(values)), say("by pods of the same {terms}", terms=listed(pulls)))
    if low == high:
        return [raw, _final(cell, remark=say("the same everywhere"))]
    down = f"({sum(values)} - {low})" if low >= 0 else f"({sum(values)} + {-low})"
    size = f"({high} - {low})" if low >= 0 else f"({high} + {-low})"
    message = later(
        "stretched from {low} to {high}, 0 included, rounded down"
        if plugin.range_includes_zero
        else "stretched from {low} to {high}, rounded down"
    )
    return [raw, _final(cell, f"{plugin.highest} × ({down} / {size})", say(message, low=low, high=high))]


@score_steps.register
def _(plugin: PodTopologySpreadScore, cell: ScoredCell) -> list[Calculation]:
    terms: dict[str, Any] = dict(cell.scored.terms)
    if not terms:
        nothing = Calculation(RAW, str(cell.raw), str(cell.raw), say("the pod has no such constraint"))
        return [nothing, _final(cell, remark=say("all get 100"))]
    lenient = plugin.system_defaulted and not cell.decision.pod.pod.spec.topologySpreadConstraints
    if not lenient and (lacks := _lacks(cell.node, terms)):
        out = Calculation(RAW, str(cell.raw), str(cell.raw), say("it lacks the label {lacks}", lacks=lacks))
        return [out, _final(cell)]
    here = [term for key, term in terms.items() if key in cell.node.metadata.labels]
    parts = [f"{term['pods'][cell.place]} × ln({term['domains']} + 2)" for term in here]
    patience = sum(term["maxSkew"] - 1 for term in here)  # what a constraint puts up with
    counted = say("pods × ln(domains + 2) + what maxSkew allows" if patience else "pods × ln(domains + 2)")
    how = later("{counted}, rounded to the nearest" if plugin.rounds_sum else "{counted}, rounded down")
    formula = " + ".join([*parts, *([str(patience)] if patience else [])]) or "0"
    raw = Calculation(RAW, formula, str(cell.raw), say(how, counted=counted))
    scores = cell.decision.scores
    assert scores is not None
    nodes = cell.cluster.nodes
    shown = [i for i, n in enumerate(scores.nodes.tolist()) if lenient or not _lacks(nodes[n], terms)]
    low, high = int(cell.scored.raw[shown].min()), int(cell.scored.raw[shown].max())
    if high == 0:
        return [raw, _final(cell, remark=say("0 everywhere: all get 100"))]
    return [
        raw,
        _final(cell, f"100 × ({high} + {low} - {cell.raw}) / {high}", say("reversed: the fewest get the most")),
    ]


def _lacks(node: Node, keys: dict[str, Any]) -> str:
    """The first key that the node lacks as a label, or ""."""
    return next((key for key in keys if key not in node.metadata.labels), "")


@score_steps.register
def _(plugin: NodePreferAvoidPods, cell: ScoredCell) -> list[Calculation]:
    remark = (
        say("no note against the pod's controller") if cell.raw else say("a note asks to avoid pods of this controller")
    )
    return [Calculation(RAW, str(cell.raw), str(cell.raw), remark), _as_it_is(cell)]
