"""GeneralPredicates: has the node room, is it the right host, are its ports free, does it match the node selector?

v1.13, v1.16: pkg/scheduler/algorithm/predicates/predicates.go (GeneralPredicates). Several filters under one name: all
are asked, and a node is refused for all the reasons that any of them has. The kubelet asks the same before it starts a
pod. Later versions ask each filter by itself, and the first that refuses a node decides it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.snapshot import World
from kschedlab.filter.plugin import Check, Filter, Refused, Rejected


@dataclass(frozen=True)
class GeneralPredicates:
    """The filter. ``filters``: those that it unites, in the order in which their reasons are listed."""

    name: str = "GeneralPredicates"
    filters: tuple[Filter, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> AllReasons | Rejected | None:
        """Skips if all its filters do; the first that rejects the pod speaks for all."""
        checks: list[Check] = []
        for each in self.filters:
            check = each.prepare(pod, cluster)
            if isinstance(check, Rejected):
                return check
            if check is not None:
                checks.append(check)
        return AllReasons(checks) if checks else None


class AllReasons:
    """Several checks, all of which are asked."""

    def __init__(self, checks: Iterable[Check]) -> None:
        self._checks = tuple(checks)
        self.reacts = any(check.reacts for check in self._checks)
        self.monotone = all(check.monotone for check in self._checks)
        narrow = [check.only for check in self._checks if check.only is not None]
        self.only = narrow[0].intersection(*narrow[1:]) if narrow else None

    def refuses(self, world: World) -> Refused | None:
        """The nodes that one of them refuses, each for all reasons."""
        answers = [check.refuses(world) for check in self._checks]
        parts = [part for refused in answers if refused is not None for part in refused.parts]
        return Refused(parts) if parts else None
