"""NodeResourcesFit: does the node have the resources that the pod requests?

v1.37: pkg/scheduler/framework/plugins/noderesources/fit.go (fitsRequest). Only requested resources are checked, so
an overcommitted node passes for a pod that requests none of the overcommitted resources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.dynamic_resources import is_served
from kschedlab.filter.plugin import PodsFilter, Refusal, Refusals
from kschedlab.objects.requests import is_extended

TOO_MANY_PODS = "Too many pods"
INSUFFICIENT = "Insufficient {resource}"


@dataclass(frozen=True)
class NodeResourcesFit:
    """The filter. ``ignored``: extended resources, or groups of them (``example.com``), that it does not check.

    ``too_many_pods``: its reason where the node has its maximum number of pods. Named rules:

    ``checks_requested_resources_only``: resources that the pod does not request are not checked; else cpu, memory and
    ephemeral storage are, unless the pod requests nothing at all (v1.20: the same file; v1.16, v1.13:
    pkg/scheduler/algorithm/predicates/predicates.go, PodFitsResources).
    ``too_small_is_unresolvable``: evicting pods can't help where the pod requests more than the empty node has.
    ``leaves_devices_out``: where a node has none of a resource that a DeviceClass serves, DynamicResources decides.
    """

    name: str = "NodeResourcesFit"
    ignored: frozenset[str] = frozenset()
    checks_requested_resources_only: bool = True
    too_small_is_unresolvable: bool = True
    leaves_devices_out: bool = True
    too_many_pods: str = TOO_MANY_PODS

    def prepare(self, pod: PodInfo, cluster: Cluster) -> FitCheck:
        """Never skips: every node has a maximum number of pods."""
        resources = requested_resources if self.checks_requested_resources_only else with_basic_resources
        requests = []
        for name, amount in resources(pod.request).items():
            if not (self.ignored and is_extended(name) and self.ignored & {name, name.split("/")[0]}):
                row = cluster.resources[name]
                too_small = self.too_small_is_unresolvable and amount > cluster.allocatable[row]
                served = self.leaves_devices_out and is_served(pod.pod, cluster, name)
                requests.append(Request(row, name, amount, too_small, served))
        return FitCheck(tuple(sorted(requests, key=lambda request: request.row)), self.too_many_pods)


def requested_resources(request: Mapping[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in request.items() if amount > 0}


def with_basic_resources(request: Mapping[str, int]) -> dict[str, int]:
    """The requested resources and always cpu, memory and ephemeral storage; none if the pod requests nothing.

    Any other resource counts as requested if it is named, even with 0. v1.20: noderesources/fit.go, fitsRequest.
    """
    basic = {name: request.get(name, 0) for name in ("cpu", "memory", "ephemeral-storage")}
    others = {name: amount for name, amount in request.items() if name not in basic}
    return basic | others if others or any(basic.values()) else {}


class Request(NamedTuple):
    """A requested ``amount`` of the resource in that row.

    ``too_small``: bool[nodes], even the empty node has less. ``served``: a DeviceClass serves it, so nodes
    without any are left to DynamicResources.
    """

    row: int
    name: str
    amount: int
    too_small: BoolArray | bool
    served: bool = False


@dataclass(frozen=True, eq=False)
class FitCheck(PodsFilter):
    """``requests``: all that the pod requests, by row; ``too_many_pods``: see :class:`NodeResourcesFit`."""

    requests: tuple[Request, ...]
    too_many_pods: str = TOO_MANY_PODS

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """One part for each resource that is insufficient somewhere. O(nodes x requested resources)."""
        cluster, pods_on = snapshot.cluster, snapshot.pods_on()
        parts = []
        full = pods_on >= cluster.max_pods
        if full.any():
            parts.append(Refusal(full, self.too_many_pods, terms={"pods": pods_on, "allowed": cluster.max_pods}))
        for row, name, amount, too_small, served in self.requests:
            allocatable, used = cluster.allocatable[row], snapshot.requested(row)
            short = allocatable - used < amount
            if served:
                short = short & (allocatable > 0)
            if short.any():
                terms = {"requested": amount, "used": used, "allocatable": allocatable}
                parts.append(Refusal(short, INSUFFICIENT.format(resource=name), too_small, terms, resource=name))
        return Refusals(parts) if parts else None
