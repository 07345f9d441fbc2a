"""A pod group is tried on one placement after another; the placement with the highest score takes it.

v1.37: pkg/scheduler/schedule_one_podgroup.go (podGroupSchedulingPlacementAlgorithm, findBestPlacement). Scores:
pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (scorePlacement) and
podgrouppodscount/podgroup_pods_count.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.decision import Decision
from kschedlab.filter.stage import EXCLUDED, Prepared, Verdicts, not_satisfied, unavailable
from kschedlab.generations import Generation
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.objects.requests import is_scalar
from kschedlab.scheduler import NOTHING, Scheduler
from kschedlab.score.node_resources import NodeResourcesFitScore, Resources, most_allocated, resource_request, usage
from kschedlab.score.plugin import MAX_NODE_SCORE
from kschedlab_groups.group import ERROR, GROUP_UNSCHEDULABLE, SUCCESS, UNSCHEDULABLE, Status, topology_key
from kschedlab_groups.place import PlacementTrial, PodResult, place

NO_PLACEMENTS = "no feasible placements found"


@dataclass(frozen=True, eq=False)
class Placement:
    """``name``: the domain, "" for all nodes; ``nodes``: int64[], their positions."""

    name: str
    nodes: IntArray


def placements_of(cluster: Cluster, group: PodGroup, scheduled: Sequence[Pod]) -> list[Placement] | Status:
    """The placements, sorted by name: without a topology key all nodes, else each domain (GeneratePlacements).

    ``scheduled``: the pods of the group that have a node. The others have to join them in their domain. The Status is
    an error if those pods have no domain in common; it rejects the group if there is no placement.
    """
    key = topology_key(group)
    if not key:
        return [Placement("", np.arange(len(cluster.nodes)))]
    topology = cluster.topology(key)
    numbers = {value: number for number, value in enumerate(topology.values)}
    if scheduled:
        domain = _domain_of(cluster, key, scheduled)
        if isinstance(domain, Status):
            return domain
        numbers = {domain: numbers[domain]}
    if not numbers:
        return Status(UNSCHEDULABLE, (NO_PLACEMENTS,))
    return [Placement(name, np.flatnonzero(topology.domain == numbers[name])) for name in sorted(numbers)]


def _domain_of(cluster: Cluster, key: str, scheduled: Sequence[Pod]) -> str | Status:
    """The domain of these pods. As in the real one, a domain with an empty name agrees with one that comes later."""
    common = ""
    for pod in scheduled:
        place = cluster.index.get(pod.spec.nodeName)
        if place is None:
            return _undetermined(
                f'getting node for pod {pod.key}: nodeinfo not found for node name "{pod.spec.nodeName}"'
            )
        domain = cluster.nodes[place].metadata.labels.get(key)
        if domain is None:
            return _undetermined(f"no topology domain found for pod {pod.key}")
        if common not in ("", domain):
            return _undetermined(f"more than 1 domain found for pod group: {common}, {domain}")
        common = domain
    return common


def _undetermined(why: str) -> Status:
    return Status(ERROR, (f"cannot determine domain for already scheduled pods: {why}",))


@dataclass(frozen=True, eq=False, repr=False)
class PlacedDecision(Decision):
    """A decision among the nodes of a placement. ``placement``: int64[], their positions; others count as excluded."""

    placement: IntArray = field(default_factory=lambda: NOTHING)

    @property
    def message(self) -> str:
        """The message, which counts the nodes of the placement."""
        everywhere, here = (unavailable(number, {}) for number in (len(self.cluster.nodes), len(self.placement)))
        return super().message.replace(everywhere, here)

    def reasons(self) -> dict[str, int]:
        """The reasons of the nodes in the placement."""
        reasons, verdicts = super().reasons(), self.verdicts
        if verdicts is None:
            return reasons
        excluded = not_satisfied(verdicts.excluded_by)
        reasons.pop(excluded, None)
        if count := int((verdicts.refused_by[self.placement] == EXCLUDED).sum()):
            reasons[excluded] = count
        return reasons


class InPlacement(Scheduler):
    """Decides among the nodes of a placement. The plugins see the whole cluster, but are asked about these nodes only.

    It starts with the state of the scheduler ``whole``.
    """

    def __init__(self, whole: Scheduler, placement: Placement) -> None:
        super().__init__(whole.cluster, whole.generation, rng=whole.rng, exhaustive=whole.exhaustive)
        self.percentage = whole.percentage
        self.next_start_node_index, self.last_node_index = whole.next_start_node_index, whole.last_node_index
        self._nodes = placement.nodes
        self._inside = np.zeros(len(whole.cluster.nodes), np.bool_)
        self._inside[placement.nodes] = True

    def cycle(self, pod: PodInfo) -> Decision:
        """Decide for a pod."""
        decision = super().cycle(pod)
        evidence = {field.name: getattr(decision, field.name) for field in fields(decision)}
        return PlacedDecision(**evidence, placement=self._nodes)

    def _prepare(self, pod: PodInfo) -> Prepared:
        prepared = super()._prepare(pod)
        inside = self._inside if prepared.included is None else self._inside & prepared.included
        return replace(prepared, included=inside)

    @property
    def _node_count(self) -> int:
        return len(self._nodes)

    def _nominated(self, pod: PodInfo) -> int | None:
        node = super()._nominated(pod)
        return node if node is not None and self._inside[node] else None

    def _search(self, verdicts: Verdicts) -> tuple[IntArray, int]:
        feasible, examined = super()._search(Verdicts(verdicts.refused_by[self._nodes]))
        return self._nodes[feasible], examined

    def _seen(self, start: int, examined: int, verdicts: Verdicts) -> BoolArray | None:
        inside = super()._seen(start, examined, Verdicts(verdicts.refused_by[self._nodes]))
        seen = self._inside.copy()
        if inside is not None:
            seen[self._nodes] = inside
        return seen


FIT, COUNT = "NodeResourcesFit", "PodGroupPodsCount"
"""The plugins that score placements, each with weight 1."""


def place_by_topology(
    scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: Sequence[Pod]
) -> tuple[PlacementTrial, tuple[PlacementTrial, ...]]:
    """The best of the placements that can take the group, or why none can; and what became of each placement.

    The real one tries them in the random order of a Go map and draws one of the best. With ``scheduler.rng`` this
    one does too; without it, both go by name.
    """
    placements = placements_of(scheduler.cluster, group, scheduled)
    if isinstance(placements, Status):
        return PlacementTrial(placements), ()
    if scheduler.rng is not None:
        scheduler.rng.shuffle(placements)
    tried: list[PlacementTrial] = []
    for placement in placements:
        tried.append(_try(scheduler, placement, group, pods, len(scheduled)))
        if tried[-1].status.code == ERROR:
            return tried[-1], tuple(tried)
    if not any(each.status.code == SUCCESS for each in tried):
        why = f"0/{len(tried)} placements are available, first placement status: {tried[0].status.as_error}"
        return replace(tried[0], status=Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE, why))), tuple(tried)
    scored = _scored(scheduler, placements, tried, len(scheduled))
    return _best(scheduler, [each for each in scored if each.status.code == SUCCESS]), scored


def _try(
    scheduler: Scheduler, placement: Placement, group: PodGroup, pods: Sequence[PodInfo], scheduled: int
) -> PlacementTrial:
    """One placement, on a fork of the scheduler's cluster."""
    cluster = scheduler.cluster
    everywhere = len(placement.nodes) == len(cluster.nodes)
    trial = scheduler if everywhere else InPlacement(scheduler, placement)
    trial.cluster = cluster.fork()
    try:
        result = place(trial, group, pods, scheduled)
    finally:
        scheduler.cluster = cluster
    scheduler.next_start_node_index = trial.next_start_node_index
    return replace(result, placement=placement.name)


def _scored(
    scheduler: Scheduler, placements: Sequence[Placement], tried: Sequence[PlacementTrial], scheduled: int
) -> tuple[PlacementTrial, ...]:
    """With the scores of the placements that can take the group, if there are several (RunPlacementScorePlugins)."""
    counts = {each.placement: scheduled + len(_placed(each.pods)) for each in tried if each.status.code == SUCCESS}
    if len(counts) < 2:
        return tuple(tried)
    most, scored = max(counts.values()), []
    for placement, each in zip(placements, tried, strict=True):
        if each.status.code != SUCCESS:
            scored.append(each)
            continue
        scores = {COUNT: counts[placement.name] * MAX_NODE_SCORE // most}
        if (resources := _resources(scheduler.generation)) is not None:
            infos = [result.pod for result in _placed(each.pods)]
            scores = {FIT: fullness(scheduler.cluster, placement, infos, resources)} | scores
        scored.append(replace(each, scores=scores))
    return tuple(scored)


def _placed(results: Sequence[PodResult]) -> list[PodResult]:
    return [result for result in results if result.node]


def _resources(generation: Generation) -> Resources | None:
    """The resources that NodeResourcesFit scores, None if it does not run."""
    fits = (score for score, _ in generation.scores if isinstance(score, NodeResourcesFitScore))
    return next((score.resources for score in fits), None)


def fullness(cluster: Cluster, placement: Placement, pods: Sequence[PodInfo], resources: Resources) -> int:
    """The use of all nodes of the placement with these pods: MostAllocated, whatever the nodes' strategy.

    ``cluster``: without the pods. An extended resource that none of them requests, and a node without a resource, do
    not count.
    """
    total, weights = 0, 0
    for name, weight in resources:
        requested = sum(resource_request(pod, name, nonzero=True) for pod in pods)
        if requested == 0 and is_scalar(name):
            continue
        capacity, used = usage(cluster, name, placement.nodes, nonzero=True)
        if not capacity.any():
            continue
        requested += int(used[capacity > 0].sum())
        total += weight * int(most_allocated(np.array([requested]), np.array([capacity.sum()]))[0])
        weights += weight
    return total // weights if weights else 0


def _best(scheduler: Scheduler, tries: Sequence[PlacementTrial]) -> PlacementTrial:
    """The placement with the highest sum of scores."""
    highest = max(trial.total for trial in tries)
    best = sorted((trial for trial in tries if trial.total == highest), key=lambda each: each.placement)
    return best[0] if scheduler.rng is None else scheduler.rng.choice(best)
