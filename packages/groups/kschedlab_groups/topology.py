"""A pod group is tried on one placement after another; the placement with the highest score takes it.

v1.37: pkg/scheduler/schedule_one_podgroup.go (podGroupSchedulingPlacementAlgorithm, findBestPlacement). Scores:
pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (scorePlacement) and
podgrouppodscount/podgroup_pods_count.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.generations import Generation
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.objects.requests import is_scalar
from kschedlab.scheduler import Scheduler
from kschedlab.score.node_resources import NodeResourcesFitScore, Resources, most_allocated, resource_request, usage
from kschedlab.score.plugin import MAX_NODE_SCORE
from kschedlab_groups.group import ERROR, GROUP_UNSCHEDULABLE, SUCCESS, UNSCHEDULABLE, Status
from kschedlab_groups.place import PodResult, Tried, place
from kschedlab_groups.placement import InPlacement, Placement, placements_of

FIT, COUNT = "NodeResourcesFit", "PodGroupPodsCount"
"""The plugins that score placements, each with weight 1."""


def place_by_topology(
    scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: Sequence[Pod]
) -> tuple[Tried, tuple[Tried, ...]]:
    """The best of the placements that can take the group, or why none can; and what became of each placement.

    The real one tries them in the random order of a Go map and draws one of the best. With ``scheduler.rng`` this
    one does too; without it, both go by name.
    """
    placements = placements_of(scheduler.cluster, group, scheduled)
    if isinstance(placements, Status):
        return Tried(placements), ()
    if scheduler.rng is not None:
        scheduler.rng.shuffle(placements)
    tried: list[Tried] = []
    for placement in placements:
        tried.append(_try(scheduler, placement, group, pods, len(scheduled)))
        if tried[-1].status.code == ERROR:
            return tried[-1], tuple(tried)
    if not any(each.status.code == SUCCESS for each in tried):
        why = f"0/{len(tried)} placements are available, first placement status: {tried[0].status.as_error}"
        return replace(tried[0], status=Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE, why))), tuple(tried)
    scored = _scored(scheduler, placements, tried, len(scheduled))
    return _best(scheduler, [each for each in scored if each.status.code == SUCCESS]), scored


def _try(scheduler: Scheduler, placement: Placement, group: PodGroup, pods: Sequence[PodInfo], scheduled: int) -> Tried:
    """One placement, on a fork of the scheduler's cluster."""
    cluster = scheduler.cluster
    everywhere = len(placement.nodes) == len(cluster.nodes)
    trial = scheduler if everywhere else InPlacement(scheduler, placement)
    trial.cluster = cluster.fork()
    try:
        found = place(trial, group, pods, scheduled)
    finally:
        scheduler.cluster = cluster
    scheduler.next_start_node_index = trial.next_start_node_index
    return replace(found, placement=placement.name)


def _scored(
    scheduler: Scheduler, placements: Sequence[Placement], tried: Sequence[Tried], scheduled: int
) -> tuple[Tried, ...]:
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
    return [each for each in results if each.node]


def _resources(generation: Generation) -> Resources | None:
    """The resources that NodeResourcesFit scores, None if it does not run."""
    found = (score for score, _ in generation.scores if isinstance(score, NodeResourcesFitScore))
    return next((score.resources for score in found), None)


def fullness(cluster: Cluster, placement: Placement, pods: Sequence[PodInfo], resources: Resources) -> int:
    """How full the nodes of the placement are together, with these pods: MostAllocated, whatever the nodes' strategy.

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


def _best(scheduler: Scheduler, found: Sequence[Tried]) -> Tried:
    """The placement with the highest sum of scores."""
    highest = max(each.total for each in found)
    best = sorted((each for each in found if each.total == highest), key=lambda each: each.placement)
    return best[0] if scheduler.rng is None else scheduler.rng.choice(best)
