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
from kschedlab.filter.dynamic_resources import NAME, DynamicResources, claims_for
from kschedlab.score.plugin import Scored, default_normalize


@dataclass(frozen=True)
class DynamicResourcesScore:
    """The score. ``filter``: the filter that searched the nodes for devices."""

    name: str = NAME
    filter: DynamicResources = DynamicResources()

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """The sum over the requests with alternatives. Terms: for each such request, what its device scores."""
        raw = np.zeros(len(nodes), np.int64)
        if not pod.pod.spec.resourceClaims:
            return Scored(raw, raw)
        terms = claims_for(pod.pod).scores(self.filter, pod, cluster, nodes)
        for scores in terms.values():
            raw += scores
        return Scored(raw, default_normalize(raw), terms)
