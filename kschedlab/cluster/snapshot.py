"""The cluster as a filter sees it, with pods hypothetically added to or removed from each node.

The real scheduler checks every node in a separate snapshot: pods nominated to *that* node are added, victims on *that*
node are removed, and the rest of the cluster is unchanged. Here one set of columns holds all these snapshots: an
:class:`Overlay` changes only the entry of each pod's own node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.queries import PodQuery
from kschedlab.cluster.signatures import BoolArray, IntArray

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster


NO_ROWS: IntArray = np.zeros(0, np.int64)
Totals: TypeAlias = dict[tuple[PodQuery, str], IntArray]
"""The sums of queries by domain, without overlays, by query and topology key: computed once for all snapshots."""


class Overlay:
    """Pods hypothetically added to (+1) or removed from (-1) their nodes. All weights start at 0: no change.

    ``node``, ``signature``, ``weight``: int64[pods]. ``runs``: whether the pods run in the cluster, so that they can
    only be removed; otherwise they can only be added. Sums over the overlay are computed on first use, then updated.
    """

    def __init__(self, cluster: Cluster, pods: PodColumns, rows: IntArray) -> None:
        self.cluster, self._pods, self._rows = cluster, pods, rows
        self.runs = pods is cluster.pods
        self.node, self.signature = pods.node[rows], pods.signature[rows]
        self.weight = np.zeros(len(rows), np.int64)
        self._sums: dict[object, tuple[IntArray, IntArray]] = {}

    def set(self, which: IntArray, weight: IntArray | int) -> None:
        """Set the weight of these pods (indices into the overlay). O(these pods x sums kept)."""
        change = weight - self.weight[which]
        node = self.node[which]
        for value, total in self._sums.values():
            np.add.at(total, node, value[which] * change)
        self.weight[which] = weight

    def requested(self, row: int) -> IntArray:
        """int64[nodes]: the change in requests for the resource of that row."""
        return self._sum(row, lambda: self._pods.request[row, self._rows])

    def pods_on(self) -> IntArray:
        """int64[nodes]: the change in the number of pods."""
        return self._sum("pods", lambda: np.ones(len(self.node), np.int64))

    def count(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the change in the query's count."""
        return self._sum(query, lambda: self.cluster.signatures.evaluate(query)[self.signature])

    def _sum(self, name: object, values: Callable[[], IntArray]) -> IntArray:
        if name not in self._sums:
            value, total = values(), np.zeros(len(self.cluster.nodes), np.int64)
            np.add.at(total, self.node, value * self.weight)
            self._sums[name] = value, total
        return self._sums[name][1]

    @property
    def removed(self) -> IntArray:
        """int64[]: the rows of the removed pods."""
        return self._rows[self.weight < 0]

    @property
    def added(self) -> list[tuple[int, PodInfo]]:
        """The added pods, each with its node's position."""
        here = np.flatnonzero(self.weight > 0)
        return [(node, self._pods.info(row)) for node, row in zip(self.node[here], self._rows[here], strict=True)]

    def reprieved(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over pods that the dry run removed first and then put back."""
        return self._sum_of_all(query) + self.count(query)

    def contains(self, query: PodQuery, contained: BoolArray) -> BoolArray:
        """bool[nodes]: ``contained`` after the overlay's changes; see :meth:`Snapshot.contains`."""
        if not self.runs:
            return contained | (self.count(query) > 0)
        before = self._sum_of_all(query)
        return np.where(before > 0, before + self.count(query) > 0, contained)

    def _sum_of_all(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over all pods of the overlay, whatever their weight."""
        whole = np.zeros(len(self.cluster.nodes), np.int64)
        np.add.at(whole, self.node, self.cluster.signatures.evaluate(query)[self.signature])
        return whole


class Snapshot:
    """The pods on the nodes as filters see them: those of the cluster, changed by ``overlays``."""

    def __init__(self, cluster: Cluster, overlays: tuple[Overlay, ...] = (), totals: Totals | None = None) -> None:
        self.cluster, self.overlays = cluster, overlays
        self._totals: Totals = {} if totals is None else totals

    def with_overlay(self, overlay: Overlay) -> Snapshot:
        """This snapshot with one more overlay. Valid until the overlay changes."""
        return Snapshot(self.cluster, (*self.overlays, overlay), self._totals)

    def running_only(self) -> Snapshot:
        """This snapshot without pods that don't run, such as nominated ones."""
        return Snapshot(self.cluster, tuple(overlay for overlay in self.overlays if overlay.runs), self._totals)

    def removed(self) -> IntArray:
        """int64[]: the rows of the running pods that are hypothetically removed."""
        return np.concatenate([NO_ROWS, *(overlay.removed for overlay in self.overlays if overlay.runs)])

    def pods_by_node(self) -> dict[int, list[PodInfo]]:
        """The pods on each node that has any, by its position, in order of arrival. O(pods)."""
        pods, running = self.cluster.pods, self.cluster.pods.live()
        running[self.removed()] = False
        rows = np.flatnonzero(running)
        by_node: dict[int, list[PodInfo]] = {}
        for row in rows[np.argsort(pods.arrival[rows])].tolist():
            by_node.setdefault(int(pods.node[row]), []).append(pods.info(row))
        for overlay in self.overlays:
            for node, info in overlay.added:
                by_node.setdefault(int(node), []).append(info)
        return by_node

    def reprieved(self, query: PodQuery) -> IntArray | int:
        """int64[nodes]: the query's sum over running pods that the dry run removed first and then put back."""
        return sum((overlay.reprieved(query) for overlay in self.overlays if overlay.runs), start=0)

    def requested(self, row: int) -> IntArray:
        """int64[nodes]: the sum of the requests for resource ``row`` on each node."""
        return sum((overlay.requested(row) for overlay in self.overlays), start=self.cluster.requested[row])

    def pods_on(self) -> IntArray:
        """int64[nodes]: the number of pods on each node."""
        return sum((overlay.pods_on() for overlay in self.overlays), start=self.cluster.pods_on)

    def count(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over each node's own pods."""
        return self.cluster.count(query) + self.overlay_count(query)

    def contains(self, query: PodQuery) -> BoolArray:
        """bool[nodes]: whether the node's set contains the item that the query is about, such as a host port.

        The real scheduler keeps a set, not a count: removing a pod removes its host port even if another pod on the
        node uses the same port (v1.37: kube-scheduler/framework/types.go, HostPortInfo.Remove).
        """
        contained: BoolArray = self.cluster.count(query) > 0
        for overlay in sorted(self.overlays, key=lambda overlay: not overlay.runs):  # removals before additions
            contained = overlay.contains(query, contained)
        return contained

    def overlay_count(self, query: PodQuery) -> IntArray | int:
        """int64[nodes]: the change that the overlays make to the query's count (0 without overlays)."""
        return sum((overlay.count(query) for overlay in self.overlays), start=0)

    def count_in_domain(self, query: PodQuery, key: str) -> IntArray:
        """int64[nodes]: the query's sum over each node's domain, in that node's snapshot; 0 without the label."""
        topology, change = self.cluster.topology(key), self.overlay_count(query)
        return np.where(topology.domain >= 0, self._total(query, key)[topology.domain] + change, 0)

    def _total(self, query: PodQuery, key: str) -> IntArray:
        if (query, key) not in self._totals:
            self._totals[query, key] = self.cluster.topology(key).total(self.cluster.count(query))
        return self._totals[query, key]
