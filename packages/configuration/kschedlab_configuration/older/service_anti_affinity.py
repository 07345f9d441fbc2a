"""ServiceAntiAffinity: the fewer pods of the pod's Service run on nodes with the same label value, the better.

v1.13, v1.16: pkg/scheduler/algorithm/priorities/selector_spreading.go (ServiceAntiAffinity) and metadata.go
(getFirstServiceSelector). Only a Policy can enable it, and names the label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import SERVICES
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray, Signature
from kschedlab.objects.model import Service
from kschedlab.objects.selectors import Selector, from_map
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored
from kschedlab.score.priorities.selector_spread import SelectedBy


@dataclass(frozen=True)
class ServiceAntiAffinity:
    """``highest * (all - pods on nodes with the same value) / all``, truncated; 0 for nodes without the label.

    Counts pods that the pod's first Service selects, on the scored nodes.
    """

    name: str = "ServiceAntiAffinity"
    label: str = ""
    highest: int = MAX_NODE_SCORE

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Terms: ``pods`` on nodes with the same value, ``all`` on the scored nodes."""
        key = ("first service", pod.signature)
        selectors = cluster.derived(key, lambda: first_service(pod.signature, cluster), SERVICES)
        count = cluster.count(SelectedBy(pod.pod.metadata.namespace, selectors, True))[nodes]
        domain = cluster.topology(self.label).domain[nodes]
        labelled, total = domain >= 0, int(count.sum())
        same = np.zeros(len(nodes), np.int64)
        if labelled.any():
            same[labelled] = np.bincount(domain[labelled], weights=count[labelled]).astype(np.int64)[domain[labelled]]
        share = float(self.highest) * ((total - same) / float(total)) if total else np.full(len(nodes), self.highest)
        scores = np.where(labelled, share, 0).astype(np.int64)
        return Scored(count, scores, {"pods": same, "all": total})


def first_service(signature: Signature, cluster: Cluster) -> tuple[Selector, ...]:
    """The selector of the first Service that selects such pods, if there is one."""
    for service in cluster.objects_of(Service):
        if service.metadata.namespace == signature.namespace:
            selector = from_map(service.spec.selector)
            if not selector.empty and selector.matches(signature.labels):
                return (selector,)
    return ()
