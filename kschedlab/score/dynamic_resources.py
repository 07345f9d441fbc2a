"""DynamicResources: prefers nodes that can allocate the devices that a claim lists first.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Score, computeScore, NormalizeScore). It
scores every pod: 0 for one whose claims list no alternatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.objects.model import AllocationResult, ResourceClaim
from kschedlab.score.plugin import Scored, default_normalize
from kschedlab_devices.plugin import NAME, DevicesCheck, DynamicResources

MOST_ALTERNATIVES = 8
"""A request has at most so many alternatives: the first scores 8, the second 7, the last 1."""


@dataclass(frozen=True)
class DynamicResourcesScore:
    """The score. ``filter``: what asked the nodes for devices."""

    name: str = NAME
    filter: DynamicResources = DynamicResources()

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """The sum over the requests with alternatives. Terms: for each such request, what its device scores."""
        raw = np.zeros(len(nodes), np.int64)
        check = self.filter.prepare(pod, cluster) if pod.pod.spec.resourceClaims else None
        if not isinstance(check, DevicesCheck) or not check.demand.unallocated:
            return Scored(raw, raw)
        claims = check.demand.claims
        if not any(request.firstAvailable for claim in claims for request in claim.spec.devices.requests):
            return Scored(raw, raw)
        terms: dict[str, IntArray] = {}
        for i, node in enumerate(nodes.tolist()):
            found = check.demand.on(node).allocations
            for name, score in alternatives(claims, found).items() if found is not None else ():
                terms.setdefault(name, np.zeros(len(nodes), np.int64))[i] = score
        for scores in terms.values():
            raw += scores
        return Scored(raw, default_normalize(raw), terms)


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
