"""The cluster as a filter sees it: as it is, or as if, on each node, some pods had come or gone.

The real scheduler judges every node in a snapshot of its own: pods nominated to *that* node are added, victims on
*that* node are removed, the rest of the cluster stays as it is. Here all those snapshots are one set of columns: an
:class:`Overlay` adds each change to its own node's entry only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, PodQuery

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster


NO_ROWS: IntArray = np.zeros(0, np.int64)


class Overlay:
    """Pods that come to (+1) or leave (-1) their nodes in thought. Each starts with weight 0: nothing changed.

    ``node``, ``signature``, ``weight``: int64[pods]. ``runs``: they run in the cluster (and can only leave it), or not
    (and can only come). What it changes on the nodes is summed when it is first asked for, and then kept.
    """

    def __init__(self, cluster: Cluster, pods: PodColumns, rows: IntArray) -> None:
        self.cluster, self._pods, self._rows = cluster, pods, rows
        self.runs = pods is cluster.pods
        self.node, self.signature = pods.node[rows], pods.signature[rows]
        self.weight = np.zeros(len(rows), np.int64)
        self._kept: dict[object, tuple[IntArray, IntArray]] = {}

    def set(self, which: IntArray, weight: IntArray | int) -> None:
        """Give these pods (indices into the overlay) that weight. O(pods given x sums kept)."""
        change = weight - self.weight[which]
        node = self.node[which]
        for value, total in self._kept.values():
            np.add.at(total, node, value[which] * change)
        self.weight[which] = weight

    def requested(self, row: int) -> IntArray:
        """int64[nodes]: by how much the requests for the resource of that row change."""
        return self._sum(row, lambda: self._pods.request[row, self._rows])

    def pods_on(self) -> IntArray:
        """int64[nodes]: by how much the number of pods changes."""
        return self._sum("pods", lambda: np.ones(len(self.node), np.int64))

    def count(self, query: PodQuery) -> IntArray:
        """int64[nodes]: by how much the query's count on each node changes."""
        return self._sum(query, lambda: self.cluster.signatures.answers(query)[self.signature])

    def _sum(self, name: object, values: Callable[[], IntArray]) -> IntArray:
        if name not in self._kept:
            value, total = values(), np.zeros(len(self.cluster.nodes), np.int64)
            np.add.at(total, self.node, value * self.weight)
            self._kept[name] = value, total
        return self._kept[name][1]

    @property
    def gone(self) -> IntArray:
        """int64[]: the rows of the pods that left."""
        return self._rows[self.weight < 0]

    @property
    def come(self) -> list[tuple[int, PodInfo]]:
        """The pods that came, each with its node's position."""
        here = np.flatnonzero(self.weight > 0)
        return [(node, self._pods.info(row)) for node, row in zip(self.node[here], self._rows[here], strict=True)]

    def put_back(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over the pods that left in thought, all at first, and are there again."""
        return self._whole(query) + self.count(query)

    def holds(self, query: PodQuery, held: BoolArray) -> BoolArray:
        """bool[nodes]: ``held`` after the overlay's changes; see :meth:`Snapshot.holds`."""
        if not self.runs:
            return held | (self.count(query) > 0)
        runs = self._whole(query)
        return np.where(runs > 0, runs + self.count(query) > 0, held)

    def _whole(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over all pods of the overlay, whatever their weight."""
        whole = np.zeros(len(self.cluster.nodes), np.int64)
        np.add.at(whole, self.node, self.cluster.signatures.answers(query)[self.signature])
        return whole


class Snapshot:
    """What filters read of the pods on the nodes: the cluster itself, or what :meth:`over` made of another snapshot.

    ``overlays``: the overlays between the cluster and this snapshot.
    """

    def __init__(self, cluster: Cluster, below: Snapshot | None = None, overlay: Overlay | None = None) -> None:
        self.cluster = cluster
        self.overlays: tuple[Overlay, ...] = ()
        if below is not None and overlay is not None:
            self.overlays = (*below.overlays, overlay)
        self._below, self._overlay = below, overlay
        self._requested: dict[int, IntArray] = {}
        self._pods_on: IntArray | None = None
        self._totals: dict[tuple[PodQuery, str, int], tuple[IntArray, BoolArray | None]] = (
            below._totals if below is not None else {}
        )

    def over(self, overlay: Overlay) -> Snapshot:
        """This snapshot with an overlay on top. It holds until the overlay changes."""
        return Snapshot(self.cluster, self, overlay)

    def of_running(self) -> Snapshot:
        """This snapshot without the pods that don't run, such as nominated ones."""
        if self._below is None or self._overlay is None:
            return self
        below = self._below.of_running()
        if not self._overlay.runs:
            return below
        return self if below is self._below else below.over(self._overlay)

    def gone(self) -> IntArray:
        """int64[]: the rows of the running pods that left in thought."""
        return np.concatenate([NO_ROWS, *(overlay.gone for overlay in self.overlays if overlay.runs)])

    def by_node(self) -> dict[int, list[PodInfo]]:
        """The pods on each node that has any, by its position, in the order in which they came. O(pods)."""
        pods, there = self.cluster.pods, self.cluster.pods.live()
        there[self.gone()] = False
        rows = np.flatnonzero(there)
        found: dict[int, list[PodInfo]] = {}
        for row in rows[np.argsort(pods.turn[rows])].tolist():
            found.setdefault(int(pods.node[row]), []).append(pods.info(row))
        for overlay in self.overlays:
            for node, info in overlay.come:
                found.setdefault(int(node), []).append(info)
        return found

    def put_back(self, query: PodQuery) -> IntArray | int:
        """int64[nodes]: the query's sum over the running pods that left in thought and are there again."""
        return sum((overlay.put_back(query) for overlay in self.overlays if overlay.runs), start=0)

    def requested(self, row: int) -> IntArray:
        """int64[nodes]: the sum of the requests for resource ``row`` on each node."""
        if self._below is None or self._overlay is None:
            return self.cluster.requested[row]
        known = self._requested.get(row)
        if known is None:
            known = self._requested[row] = self._below.requested(row) + self._overlay.requested(row)
        return known

    def pods_on(self) -> IntArray:
        """int64[nodes]: the number of pods on each node."""
        if self._below is None or self._overlay is None:
            return self.cluster.pods_on
        if self._pods_on is None:
            self._pods_on = self._below.pods_on() + self._overlay.pods_on()
        return self._pods_on

    def count(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over each node's own pods."""
        return self.cluster.count(query) + self.change(query)

    def holds(self, query: PodQuery) -> BoolArray:
        """bool[nodes]: whether the node's set of such things holds the one that the query is about.

        The real scheduler keeps a set, not a count: a pod that leaves takes the thing out of it even if another pod on
        the node has it too (v1.37: kube-scheduler/framework/types.go, HostPortInfo.Remove).
        """
        held: BoolArray = self.cluster.count(query) > 0
        for overlay in sorted(self.overlays, key=lambda overlay: not overlay.runs):  # who leaves does so first
            held = overlay.holds(query, held)
        return held

    def tally(self, signatures: Sequence[int]) -> IntArray:
        """int64[nodes]: how many pods of these signatures are on each node. Counted afresh: for what few pods have."""
        total = self.cluster.tally(signatures)
        for overlay in self.overlays:
            np.add.at(
                total, overlay.node, self.cluster.signatures.weights(signatures)[overlay.signature] * overlay.weight
            )
        return total

    def change(self, query: PodQuery) -> IntArray | int:
        """What the overlays alone add to the query's count on each node (0 without overlays)."""
        return sum((overlay.count(query) for overlay in self.overlays), start=0)

    def count_in_domain(self, query: PodQuery, key: str, among: BoolArray | None = None) -> IntArray:
        """int64[nodes]: the query's sum over the pods in each node's topology domain, in that node's snapshot.

        ``key`` is the topology key; a node without that label gets 0. Only pods on the nodes of ``among`` count.
        """
        topology, change = self.cluster.topology(key), self.change(query)
        if among is not None:
            change = change * among
        return np.where(topology.domain >= 0, self._total(query, key, among)[topology.domain] + change, 0)

    def total(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's sum over all pods of the cluster, in each node's snapshot."""
        return np.full(len(self.cluster.nodes), self.cluster.count(query).sum(), np.int64) + self.change(query)

    def _total(self, query: PodQuery, key: str, among: BoolArray | None) -> IntArray:
        """The sums by domain without overlays, computed once for all snapshots of a decision."""
        name = (query, key, id(among))
        if name not in self._totals:
            count = self.cluster.count(query)
            total = self.cluster.topology(key).total(count if among is None else count * among)
            self._totals[name] = total, among  # kept, so that its id stays its own
        return self._totals[name][0]
