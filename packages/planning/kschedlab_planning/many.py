"""Decides for many pods at once that differ only in what they request: places are one more axis beside the nodes.

The other filters answer once, and the other scores once for each set of feasible nodes. NodeResourcesFit and
NodeResourcesBalancedAllocation are arithmetic over an axis of nodes, so they get the nodes of all places in one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo, Requests
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.decision import Decision
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.generations import Generation
from kschedlab.scheduler import Scheduler
from kschedlab.score.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFitScore
from kschedlab.score.plugin import Score

BY_AMOUNT = (NodeResourcesFitScore, NodeResourcesBalancedAllocation)
"""The scores that read what a pod requests."""
COUNTED = ("cpu", "memory", "ephemeral-storage")
"""Resources that nothing but these plugins reads."""


def can_decide(infos: Sequence[PodInfo], cluster: Cluster, generation: Generation) -> bool:
    """Whether this way is exact: with v1.37's own plugins alone, no nominated pods, and requests of usual resources."""
    own = Generation.named("v1.37")
    known = {type(each) for each in own.filters} | {type(each) for each, _ in own.scores}
    plugins = {type(each) for each in generation.filters} | {type(each) for each, _ in generation.scores}
    fit = next((each for each in generation.filters if isinstance(each, NodeResourcesFit)), None)
    return (
        plugins <= known
        and fit is not None
        and fit.checks_requested_resources_only
        and not generation.plugins
        and not generation.extenders
        and not cluster.nominated.row_of
        and not infos[0].pod.spec.resourceClaims
        and all(name in COUNTED for info in infos for name in info.request)
    )


def both(base: PodInfo, one: PodInfo, other: PodInfo) -> PodInfo | None:
    """The pod with the requests that two versions of it change; None if both change the same."""

    def changed(name: str) -> tuple[bool, bool]:
        now = [each.request.get(name) for each in (base, one, other)]
        return now[1] != now[0], now[2] != now[0]

    names = {*base.request, *one.request, *other.request}
    if any(all(changed(name)) for name in names):
        return None
    by_other = {name for name in names if changed(name)[1]}
    cpu, memory = (other if name in by_other else one for name in ("cpu", "memory"))

    def merged(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
        kept = {name: amount for name, amount in first.items() if name not in by_other}
        return kept | {name: amount for name, amount in second.items() if name in by_other}

    wants = Requests(
        request=merged(one.request, other.request),
        placed=merged(one.placed, other.placed),
        scored=(cpu.scored[0], memory.scored[1]),
        nonzero=(cpu.nonzero[0], memory.nonzero[1]),
    )
    return put(one, requests=wants)


def decided(infos: Sequence[PodInfo], cluster: Cluster, generation: Generation) -> list[Decision | str]:
    """The chosen node of each pod, or its decision where only a whole one knows.

    The pods are equal but for their requests; :func:`can_decide` must hold.
    """
    scheduler = Scheduler(cluster, generation, exhaustive=True)
    masks = _feasible(infos, cluster, generation)
    outcomes: list[Decision | str | None] = [None] * len(infos)
    groups: dict[bytes, list[int]] = {}
    for place, (info, mask) in enumerate(zip(infos, masks, strict=True)):
        if mask.any() and _counts(info, generation):
            groups.setdefault(mask.tobytes(), []).append(place)
        else:
            outcomes[place] = scheduler.decide(info)
    for group in groups.values():
        example = scheduler.decide(infos[group[0]])
        chosen = _chosen(example, [infos[place] for place in group], cluster, generation)
        for place, node in zip(group, chosen, strict=True):
            outcomes[place] = node
    return [each for each in outcomes if each is not None]


def _counts(info: PodInfo, generation: Generation) -> bool:
    """Whether no score skips the pod because it requests nothing."""
    balanced = (each for each, _ in generation.scores if isinstance(each, NodeResourcesBalancedAllocation))
    return all(any(info.request.get(name) for name, _ in each.resources) for each in balanced)


def _feasible(infos: Sequence[PodInfo], cluster: Cluster, generation: Generation) -> BoolArray:
    """bool[pods, nodes]: where each pod fits."""
    others = tuple(each for each in generation.filters if not isinstance(each, NodeResourcesFit))
    preemption = replace(generation.preemption, enabled=False)
    verdicts = Scheduler(
        cluster, replace(generation, filters=others, scores=(), preemption=preemption), exhaustive=True
    )
    found = verdicts.decide(infos[0]).verdicts
    base = np.zeros(len(cluster.nodes), np.bool_) if found is None else found.passes
    masks: BoolArray = np.repeat((base & (cluster.pods_on < cluster.max_pods))[None, :], len(infos), axis=0)
    for name in {name for info in infos for name in info.request}:
        amounts = _amounts(infos, name)[:, None]
        row = cluster.resources[name]
        masks &= (amounts <= 0) | (amounts <= cluster.allocatable[row] - cluster.requested[row])
    return masks


def _chosen(example: Decision, infos: Sequence[PodInfo], cluster: Cluster, generation: Generation) -> list[str]:
    """The best node for each of these pods, for which the same nodes are feasible as for the example."""
    scores = example.scores
    if scores is None:
        return [str(example.node)] * len(infos)
    shape = len(infos), len(scores.nodes)
    plugins = {plugin.name: plugin for plugin, _ in generation.scores}
    total = np.zeros(shape, np.int64)
    for name, weight, row in zip(scores.plugins, scores.weights, scores.rows, strict=True):
        plugin = plugins[name]
        normalized = _scored(plugin, infos, cluster, scores.nodes) if isinstance(plugin, BY_AMOUNT) else row.normalized
        total += normalized * weight
    order = np.argsort(cluster.ranks[scores.nodes])
    best = scores.nodes[order[np.argmax(total[:, order], axis=1)]]
    return [cluster.names[n] for n in best.tolist()]


def _scored(plugin: Score, infos: Sequence[PodInfo], cluster: Cluster, nodes: IntArray) -> IntArray:
    """int64[pods, nodes]: the normalised scores of all pods, from one call with the nodes of each pod in a row."""
    each = len(nodes)
    names = {name for info in infos for name in info.request}
    request: Any = {name: np.repeat(_amounts(infos, name), each) for name in names}
    scored: Any = tuple(np.repeat(np.array([info.scored[i] for info in infos], np.int64), each) for i in (0, 1))
    wants = put(infos[0].requests, request=request, scored=scored)
    result = plugin.score(put(infos[0], requests=wants), cluster, np.tile(nodes, len(infos)))
    assert result is not None  # each pod requests something
    return result.normalized.reshape(len(infos), each)


def _amounts(infos: Sequence[PodInfo], name: str) -> IntArray:
    return np.array([info.request.get(name, 0) for info in infos], np.int64)
