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
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import Filter, PreFilterRejection, PreparedFilter, Refusals


@dataclass(frozen=True)
class GeneralPredicates:
    """The filter. ``filters``: those that it unites, in the order in which their reasons are listed."""

    name: str = "GeneralPredicates"
    filters: tuple[Filter, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> AllReasons | PreFilterRejection | None:
        """Skips if all its filters do; the first that rejects the pod speaks for all."""
        checks: list[PreparedFilter] = []
        for each in self.filters:
            check = each.prepare(pod, cluster)
            if isinstance(check, PreFilterRejection):
                return check
            if check is not None:
                checks.append(check)
        return AllReasons(checks) if checks else None


class AllReasons:
    """Several checks, all of which are asked."""

    def __init__(self, checks: Iterable[PreparedFilter]) -> None:
        self._checks = tuple(checks)
        self.depends_on_pods = any(check.depends_on_pods for check in self._checks)
        self.monotonic = all(check.monotonic for check in self._checks)
        narrow = [check.node_names for check in self._checks if check.node_names is not None]
        self.node_names = narrow[0].intersection(*narrow[1:]) if narrow else None

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes that one of them refuses, each for all reasons."""
        answers = [check.filter(snapshot) for check in self._checks]
        parts = [part for refused in answers if refused is not None for part in refused.parts]
        return Refusals(parts) if parts else None
