"""NodeResourcesFit: has the node room for what the pod asks for?

v1.37: pkg/scheduler/framework/plugins/noderesources/fit.go (fitsRequest). A resource that the pod does not ask for is
not looked at, so an overcommitted node can take a pod that wants nothing of what is overcommitted. Evicting pods
can't help where even the empty node is too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.kinds import BoolArray
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.world import World
from kschedlab.filter.plugin import Part, Refused

TOO_MANY_PODS = "Too many pods"
INSUFFICIENT = "Insufficient {resource}"


@dataclass(frozen=True)
class NodeResourcesFit:
    """The filter. ``ignored``: extended resources, or groups of them (``example.com``), that are not looked at."""

    name: str = "NodeResourcesFit"
    ignored: frozenset[str] = frozenset()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> FitCheck:
        """Always has something to say: every node has a limit of pods."""
        wanted = [
            (cluster.resources[name], name, amount)
            for name, amount in pod.request.items()
            if amount > 0 and name not in self.ignored and name.split("/")[0] not in self.ignored
        ]
        return FitCheck(tuple(Wanted(n, a, row, a > cluster.allocatable[row]) for row, n, a in sorted(wanted)))


class Wanted(NamedTuple):
    """``amount`` of a resource in that row of the columns. ``too_small``: bool[nodes], less even on the empty node."""

    name: str
    amount: int
    row: int
    too_small: BoolArray


@dataclass(frozen=True, eq=False)
class FitCheck:
    """``wanted``: all that the pod asks for, in the order of the rows."""

    wanted: tuple[Wanted, ...]
    only: frozenset[str] | None = None
    reacts: bool = True
    monotone: bool = True

    def refuses(self, world: World) -> Refused | None:
        """One part for each resource that is short somewhere. O(nodes x resources asked for)."""
        cluster, pods_on = world.cluster, world.pods_on()
        parts = []
        full = pods_on >= cluster.max_pods
        if full.any():
            parts.append(Part(full, TOO_MANY_PODS, terms={"pods": pods_on, "allowed": cluster.max_pods}))
        for name, amount, row, too_small in self.wanted:
            allocatable, used = cluster.allocatable[row], world.requested(row)
            short = allocatable - used < amount
            if short.any():
                terms = {"requested": amount, "used": used, "allocatable": allocatable}
                parts.append(Part(short, INSUFFICIENT.format(resource=name), too_small, terms))
        return Refused(parts) if parts else None
