"""CheckNodeCondition and the pressure predicates: does the node report that it is healthy?

v1.13, v1.16: pkg/scheduler/algorithm/predicates/predicates.go (CheckNodeConditionPredicate, and those of memory, disk
and PID pressure); nodeinfo/node_info.go (SetNode). Since v1.12 a controller turns the conditions into taints
(TaintNodesByCondition), and the default provider leaves these predicates out; they were removed before v1.20. Evicting
pods can't help.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import CONDITIONS, CORDONS
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.node import UNSCHEDULABLE, unschedulable
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.objects.model import Node, Pod

NOT_READY = "node(s) were not ready"
OUT_OF_DISK = "node(s) were out of disk space"
NETWORK_UNAVAILABLE = "node(s) had unavailable network"
MEMORY_PRESSURE = "node(s) had memory pressure"
DISK_PRESSURE = "node(s) had disk pressure"
PID_PRESSURE = "node(s) had pid pressure"


@dataclass(frozen=True)
class CheckNodeCondition:
    """The filter: the node is ready, its network is available, and it is schedulable, whatever the pod tolerates.

    A missing condition counts as healthy. Named rule ``checks_out_of_disk``: the node must not be out of disk space
    either (v1.13).
    """

    name: str = "CheckNodeCondition"
    checks_out_of_disk: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter:
        key = ("CheckNodeCondition", self.checks_out_of_disk)
        return cluster.derived(key, lambda: self._static_filter(cluster), CONDITIONS, CORDONS)

    def _static_filter(self, cluster: Cluster) -> StaticFilter:
        parts = [
            _condition_part(cluster, "Ready", NOT_READY, lambda status: status != "True"),
            _condition_part(cluster, "NetworkUnavailable", NETWORK_UNAVAILABLE, lambda status: status != "False"),
            Refusal(unschedulable(cluster), UNSCHEDULABLE, True),
        ]
        if self.checks_out_of_disk:
            parts.insert(1, _condition_part(cluster, "OutOfDisk", OUT_OF_DISK, lambda status: status != "False"))
        return StaticFilter(Refusals(parts))


@dataclass(frozen=True)
class NodePressure:
    """The filter: the node's condition ``condition`` is not True. Named rules:

    ``best_effort_only``: it refuses only pods that request neither cpu nor memory, which the kubelet would evict first.
    ``counts_init_containers``: the requests of init containers count too.
    """

    name: str
    condition: str
    reason: str
    best_effort_only: bool = False
    counts_init_containers: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        """Skips pods that it never refuses."""
        if self.best_effort_only and not best_effort(pod.pod, self.counts_init_containers):
            return None
        return cluster.derived(
            ("NodePressure", self.condition, self.reason), lambda: self._static_filter(cluster), CONDITIONS
        )

    def _static_filter(self, cluster: Cluster) -> StaticFilter:
        reported = np.array([_status(node, self.condition) == "True" for node in cluster.nodes], np.bool_)
        return StaticFilter(Refusals([Refusal(reported, self.reason, True)]))


def best_effort(pod: Pod, counts_init_containers: bool) -> bool:
    """Whether no container requests or limits cpu or memory. v1.16: pkg/apis/core/v1/helper/qos/qos.go."""
    containers = (*pod.spec.containers, *(pod.spec.initContainers if counts_init_containers else ()))
    resources = [amounts for c in containers for amounts in (c.resources.requests, c.resources.limits)]
    return not any(name in amounts and amounts[name].nanos > 0 for amounts in resources for name in ("cpu", "memory"))


def _condition_part(cluster: Cluster, condition: str, reason: str, unhealthy: Callable[[str], bool]) -> Refusal:
    reported = ([c.status for c in node.status.conditions if c.type == condition] for node in cluster.nodes)
    return Refusal(np.array([any(map(unhealthy, statuses)) for statuses in reported], np.bool_), reason, True)


def _status(node: Node, condition: str) -> str:
    """The condition's status; of duplicates, the last one counts."""
    return next((c.status for c in reversed(node.status.conditions) if c.type == condition), "Unknown")
