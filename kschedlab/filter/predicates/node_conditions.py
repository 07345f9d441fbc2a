"""CheckNodeCondition and its kin: what does the node say about its own health?

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
    """The filter: the node is ready, its network is there, and it is open for new pods, whatever the pod tolerates.

    Conditions that the node does not state are good. Named rule ``checks_out_of_disk``: the node is not out of disk
    space either (v1.13).
    """

    name: str = "CheckNodeCondition"
    checks_out_of_disk: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter:
        """The same for every pod: all reasons that the nodes give."""
        key = ("CheckNodeCondition", self.checks_out_of_disk)
        return cluster.derived(key, lambda: self._judge(cluster), CONDITIONS, CORDONS)

    def _judge(self, cluster: Cluster) -> StaticFilter:
        wrong = [
            _where(cluster, "Ready", NOT_READY, lambda status: status != "True"),
            _where(cluster, "NetworkUnavailable", NETWORK_UNAVAILABLE, lambda status: status != "False"),
            Refusal(unschedulable(cluster), UNSCHEDULABLE, True),
        ]
        if self.checks_out_of_disk:
            wrong.insert(1, _where(cluster, "OutOfDisk", OUT_OF_DISK, lambda status: status != "False"))
        return StaticFilter(Refusals(wrong))


@dataclass(frozen=True)
class NodePressure:
    """The filter: the node does not state the condition ``condition``.

    Named rules: ``best_effort_only``: it stops only pods that ask for no cpu and no memory, which the kubelet would
    evict first. ``counts_init_containers``: among what a pod asks for is what its init containers ask for.
    """

    name: str
    condition: str
    reason: str
    best_effort_only: bool = False
    counts_init_containers: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        """Skips pods that it does not stop."""
        if self.best_effort_only and not best_effort(pod.pod, self.counts_init_containers):
            return None
        return cluster.derived(("NodePressure", self.condition, self.reason), lambda: self._judge(cluster), CONDITIONS)

    def _judge(self, cluster: Cluster) -> StaticFilter:
        stated = np.array([_last(node, self.condition) == "True" for node in cluster.nodes], np.bool_)
        return StaticFilter(Refusals([Refusal(stated, self.reason, True)]))


def best_effort(pod: Pod, counts_init_containers: bool) -> bool:
    """Whether no container asks for cpu or memory, nor has a limit. v1.16: pkg/apis/core/v1/helper/qos/qos.go."""
    containers = (*pod.spec.containers, *(pod.spec.initContainers if counts_init_containers else ()))
    given = [amounts for c in containers for amounts in (c.resources.requests, c.resources.limits)]
    return not any(amounts[name].nanos > 0 for amounts in given for name in ("cpu", "memory") if name in amounts)


def _where(cluster: Cluster, condition: str, reason: str, bad: Callable[[str], bool]) -> Refusal:
    stated = ([c.status for c in node.status.conditions if c.type == condition] for node in cluster.nodes)
    return Refusal(np.array([any(map(bad, statuses)) for statuses in stated], np.bool_), reason, True)


def _last(node: Node, condition: str) -> str:
    """The status that counts if a condition is stated twice."""
    return next((c.status for c in reversed(node.status.conditions) if c.type == condition), "Unknown")
