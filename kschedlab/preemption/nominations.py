"""The nominations that end when another pod is nominated to their node."""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo


def lower_nominations(cluster: Cluster, pod: PodInfo, node: str) -> list[PodInfo]:
    """Pods of lower priority that are nominated to the node; this pod's nomination clears theirs.

    v1.37: pkg/scheduler/framework/preemption/executor.go, getLowerPriorityNominatedPods.
    """
    nominated = cluster.nominated
    rows = np.flatnonzero((nominated.node == cluster.index[node]) & (nominated.priority < pod.priority))
    return [nominated.info(row) for row in rows.tolist()]
