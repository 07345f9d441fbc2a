"""ResourceLimitsPriority: 1 where the pod's limits fit; EqualPriority: 1 for every node.

v1.13, v1.16: pkg/scheduler/algorithm/priorities/resource_limits.go and core/generic_scheduler.go (EqualPriorityMap).
The default provider has neither: the first needs the feature gate ResourceLimitsPriorityFunction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import CPU, MEMORY, Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.objects.model import Container, Pod
from kschedlab.score.plugin import Scored


@dataclass(frozen=True)
class ResourceLimits:
    """1 where the node's allocatable cpu or memory is at least the pod's limit, else 0."""

    name: str = "ResourceLimitsPriority"

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Terms: the limits, 0 for none."""
        terms = {"cpu": limit(pod.pod, "cpu"), "memory": limit(pod.pod, "memory")}
        raw = np.zeros(len(nodes), np.int64)
        for row, amount in ((CPU, terms["cpu"]), (MEMORY, terms["memory"])):
            if amount:
                raw |= cluster.allocatable[row].take(nodes) >= amount
        return Scored(raw, raw, terms)


def limit(pod: Pod, resource: str) -> int:
    """The sum of the containers' limits, or the largest limit of an init container if that is more (cpu in milli)."""
    total = sum(_limit(container, resource) for container in pod.spec.containers)
    return max([total, *(_limit(container, resource) for container in pod.spec.initContainers)])


def _limit(container: Container, resource: str) -> int:
    quantity = container.resources.limits.get(resource)
    if quantity is None:
        return 0
    return quantity.amount(resource)


@dataclass(frozen=True)
class EqualPriority:
    """1 for every node."""

    name: str = "EqualPriority"

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod."""
        raw = np.ones(len(nodes), np.int64)
        return Scored(raw, raw)
