"""Scores the alternatives that requests list: the first gets most.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Score, computeScore).
"""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.objects.model import AllocationResult, ResourceClaim
from kschedlab_devices.claiming import demand_by

MOST_ALTERNATIVES = 8
"""A request has at most so many alternatives: the first scores 8, the second 7, the last 1."""


def scores(plugin: DynamicResources, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> dict[str, IntArray]:
    """For each request with alternatives, what its device scores on each node."""
    demand, terms = demand_by(plugin, pod, cluster), dict[str, IntArray]()
    if demand is None or not demand.unallocated:
        return terms
    if not any(request.firstAvailable for claim in demand.claims for request in claim.spec.devices.requests):
        return terms
    for i, node in enumerate(nodes.tolist()):
        allocations = demand.on(node).allocations
        for name, score in alternatives(demand.claims, allocations).items() if allocations is not None else ():
            terms.setdefault(name, np.zeros(len(nodes), np.int64))[i] = score
    return terms


def alternatives(claims: tuple[ResourceClaim, ...], allocations: tuple[AllocationResult, ...]) -> dict[str, int]:
    """``claim/request`` -> its score, for each request with alternatives.

    ``allocations``: of the claims that were not allocated before, in their order.
    """
    new = iter(allocations)
    scores: dict[str, int] = {}
    for number, claim in enumerate(claims):
        allocation = claim.status.allocation or next(new)
        chosen = {result.request for result in allocation.devices.results}
        for request in claim.spec.devices.requests:
            for place, each in enumerate(() if request.exactly is not None else request.firstAvailable):
                if f"{request.name}/{each.name}" in chosen:
                    name = f"{number}: {claim.metadata.name}/{request.name}"
                    scores[name] = scores.get(name, 0) + MOST_ALTERNATIVES - place
    return scores
