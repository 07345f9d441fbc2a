"""GeneralPredicates: resources, host name, host ports and node selector in one predicate.

v1.13, v1.16: pkg/scheduler/algorithm/predicates/predicates.go (GeneralPredicates). All of them run, and a node is
refused with the reasons of all. Later each is a separate filter, and the first that refuses a node decides.
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
    """The filter. ``filters``: its parts, in the order in which their reasons are listed."""

    name: str = "GeneralPredicates"
    filters: tuple[Filter, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> AllReasons | PreFilterRejection | None:
        """Skips if all its filters do; the first rejection applies to all."""
        filters: list[PreparedFilter] = []
        for plugin in self.filters:
            prepared = plugin.prepare(pod, cluster)
            if isinstance(prepared, PreFilterRejection):
                return prepared
            if prepared is not None:
                filters.append(prepared)
        return AllReasons(filters) if filters else None


class AllReasons:
    """Several prepared filters, all of which run."""

    def __init__(self, filters: Iterable[PreparedFilter]) -> None:
        self._filters = tuple(filters)
        self.depends_on_pods = any(prepared.depends_on_pods for prepared in self._filters)
        self.monotonic = all(prepared.monotonic for prepared in self._filters)
        node_names = [prepared.node_names for prepared in self._filters if prepared.node_names is not None]
        self.node_names = node_names[0].intersection(*node_names[1:]) if node_names else None

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        refusals = [prepared.filter(snapshot) for prepared in self._filters]
        parts = [part for refused in refusals if refused is not None for part in refused.parts]
        return Refusals(parts) if parts else None
