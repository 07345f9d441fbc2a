"""NodeResourcesFit: has the node room for what the pod asks for?

v1.37: pkg/scheduler/framework/plugins/noderesources/fit.go (fitsRequest). A resource that the pod does not ask for is
not looked at, so an overcommitted node can take a pod that wants nothing of what is overcommitted. Evicting pods
can't help where even the empty node is too small.

Before (v1.20: the same file; v1.16 and v1.13: pkg/scheduler/algorithm/predicates/predicates.go, PodFitsResources) cpu,
memory and ephemeral storage were looked at as soon as the pod asked for anything, and evicting pods was always tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import Refusal, Refusals
from kschedlab.objects.requests import is_extended

TOO_MANY_PODS = "Too many pods"
INSUFFICIENT = "Insufficient {resource}"


@dataclass(frozen=True)
class NodeResourcesFit:
    """The filter. ``ignored``: extended resources, or groups of them (``example.com``), that it does not check.

    ``too_many_pods``: its reason where the node has its maximum number of pods. Named rules:

    ``checks_requested_resources_only``: resources that the pod does not request are not checked; else cpu, memory and
    ephemeral storage are, unless the pod requests nothing at all.
    ``too_small_is_unresolvable``: evicting pods can't help where the pod requests more than the empty node has.
    """

    name: str = "NodeResourcesFit"
    ignored: frozenset[str] = frozenset()
    checks_requested_resources_only: bool = True
    too_small_is_unresolvable: bool = True
    too_many_pods: str = TOO_MANY_PODS

    def prepare(self, pod: PodInfo, cluster: Cluster) -> FitCheck:
        """Always has something to say: every node has a limit of pods."""
        asked = asked_for(pod.request) if self.checks_requested_resources_only else looked_at_together(pod.request)
        wanted = [
            (cluster.resources[name], name, amount)
            for name, amount in asked.items()
            if not (self.ignored and self._ignores(name))
        ]
        final = self.too_small_is_unresolvable
        return FitCheck(
            tuple(Wanted(n, a, row, final and a > cluster.allocatable[row]) for row, n, a in sorted(wanted)),
            self.too_many_pods,
        )

    def _ignores(self, resource: str) -> bool:
        return is_extended(resource) and not self.ignored.isdisjoint((resource, resource.split("/")[0]))


def asked_for(request: Mapping[str, int]) -> dict[str, int]:
    """The resources that the pod asks some of."""
    return {name: amount for name, amount in request.items() if amount > 0}


def looked_at_together(request: Mapping[str, int]) -> dict[str, int]:
    """What the pod asks for, with cpu, memory and ephemeral storage in any case; nothing if it asks for nothing.

    Another resource counts as asked for once it is named, be it with 0. v1.20: noderesources/fit.go, fitsRequest.
    """
    usual = {name: request.get(name, 0) for name in ("cpu", "memory", "ephemeral-storage")}
    others = {name: amount for name, amount in request.items() if name not in usual}
    return usual | others if others or any(usual.values()) else {}


class Wanted(NamedTuple):
    """``amount`` of a resource in that row of the columns. ``too_small``: bool[nodes], more than the empty node has."""

    name: str
    amount: int
    row: int
    too_small: BoolArray | bool


@dataclass(frozen=True, eq=False)
class FitCheck:
    """``wanted``: all that the pod requests, by row; ``too_many_pods``: see :class:`NodeResourcesFit`."""

    wanted: tuple[Wanted, ...]
    too_many_pods: str = TOO_MANY_PODS
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """One part for each resource that is short somewhere. O(nodes x resources asked for)."""
        cluster, pods_on = snapshot.cluster, snapshot.pods_on()
        parts = []
        full = pods_on >= cluster.max_pods
        if full.any():
            parts.append(Refusal(full, self.too_many_pods, terms={"pods": pods_on, "allowed": cluster.max_pods}))
        for name, amount, row, too_small in self.wanted:
            allocatable, used = cluster.allocatable[row], snapshot.requested(row)
            short = allocatable - used < amount
            if short.any():
                terms = {"requested": amount, "used": used, "allocatable": allocatable}
                parts.append(Refusal(short, INSUFFICIENT.format(resource=name), too_small, terms))
        return Refusals(parts) if parts else None
