"""What is counted on each node, in columns: kept while pods and nodes come, change and go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from kschedlab.cluster.counts import Counts, gathered
from kschedlab.cluster.derived import ALLOCATABLE, EVERY_FIELD, changed_fields
from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.signatures import IntArray, Signatures
from kschedlab.cluster.topology import NodeOrder, zone_of
from kschedlab.objects.model import Node

CPU, MEMORY, EPHEMERAL_STORAGE = 0, 1, 2
"""Rows of ``allocatable`` and ``requested`` that every cluster has; other resources follow as they appear."""

Changes: TypeAlias = Iterable[tuple[str, Node | None]]
"""Names with what their nodes are now, or None: the node is gone. In the order in which it happened."""

_COLUMNS = {
    "nodes": ("nodes", "names", "index", "allocatable", "max_pods", "_order"),
    "pods": (
        *("resources", "pending", "requested", "nonzero", "pods_on", "pods", "nominated", "_counts"),
        *("without_node", "nominated_without_node"),
    ),
}
"""What forks share until one of them changes it."""


class Columns:
    """Nodes on one axis, pods beside them; what :class:`~kschedlab.cluster.cluster.Cluster` says of its columns.

    ``without_node``, ``nominated_without_node``: by key, pods whose node is not there, with its name. They take no room
    until it comes.
    """

    def __init__(self, older_zone_labels_only: bool) -> None:
        self.nodes: list[Node] = []
        self.names: list[str] = []
        self.index: dict[str, int] = {}
        self.resources = {"cpu": CPU, "memory": MEMORY, "ephemeral-storage": EPHEMERAL_STORAGE}
        self.allocatable = np.zeros((len(self.resources), 0), np.int64)
        self.requested = np.zeros_like(self.allocatable)
        self.nonzero = np.zeros((2, 0), np.int64)
        self.max_pods, self.pods_on = np.zeros((2, 0), np.int64)
        self.pods = PodColumns(len(self.resources))
        self.nominated = PodColumns(len(self.resources))
        self.pending: dict[str, PodInfo] = {}
        self.without_node: dict[str, tuple[PodInfo, str]] = {}
        self.nominated_without_node: dict[str, tuple[PodInfo, str]] = {}
        self.signatures = Signatures()
        self._counts = Counts(self.signatures, 0)
        self._order = NodeOrder()
        self._older_zone_labels_only = older_zone_labels_only
        self._owned: frozenset[str] = frozenset(_COLUMNS)

    def request_vector(self, info: PodInfo) -> IntArray:
        """int64[resources]: what the pod counts on a node."""
        vector = np.zeros(len(self.resources), np.int64)
        for name, amount in info.placed.items():
            vector[self.resources[name]] = amount
        return vector

    def on_node(self, key: str) -> PodInfo:
        """The pod ``namespace/name`` that is on a node, whether that is there or not."""
        return self.without_node[key][0] if key in self.without_node else self.pods.info(self.pods.row_of[key])

    def arrivals(self) -> list[int]:
        """The places of the nodes in the order in which they came; one that changed its zone came again."""
        return [self.index[name] for name in self._order.arrivals()]

    # -- pods that come, change and go

    def bind(self, info: PodInfo, node: str) -> None:
        """Put the pod on the node; it is no longer pending or nominated. O(resources + queries)."""
        self._own("pods")
        self.pending.pop(info.key, None)
        self._end_nomination(info.key)
        self._add(info, node)

    def evict(self, key: str) -> PodInfo:
        """Take the running pod ``namespace/name`` off its node. O(resources + queries)."""
        self._own("pods")
        if key in self.without_node:
            return self.without_node.pop(key)[0]
        row = self.pods.row_of[key]
        info = self.pods.info(row)
        self._change(info, int(self.pods.node[row]), self.pods.request[:, row], -1)
        self.pods.remove(key)
        return info

    def update(self, info: PodInfo) -> None:
        """The pod of that key has changed, but not its node: whether it runs, is nominated, or pending."""
        self._own("pods")
        key = info.key
        if key in self.pods.row_of:
            self._update(info)
        if key in self.nominated.row_of:
            self.nominated.replace(info, self.request_vector(info))
        for kept in (self.without_node, self.nominated_without_node):
            if key in kept:
                kept[key] = info, kept[key][1]
        if key in self.pending:
            self.pending[key] = info

    def _update(self, info: PodInfo) -> None:
        row = self.pods.row_of[info.key]
        old, node = self.pods.info(row), int(self.pods.node[row])
        if info.counts_as(old):
            self.pods.infos[row] = info
            return
        self._change(old, node, self.pods.request[:, row], -1)
        self.pods.replace(info, self.request_vector(info))
        self._change(info, node, self.pods.request[:, row], +1)

    def nominate(self, info: PodInfo, node: str) -> None:
        """Remember that the pending pod waits for room on the node."""
        self._own("pods")
        self._end_nomination(info.key)
        self._hope(info, node)

    def withdraw(self, key: str) -> None:
        """Forget the pod's nomination."""
        self._own("pods")
        self._end_nomination(key)

    # -- nodes that come, change and go

    def _change_nodes(self, changes: Changes) -> frozenset[str]:
        """Change any number of nodes at once; the fields that differ, see :mod:`facts`. KeyError if one isn't there."""
        changes = list(changes)
        latest = self._checked(changes)
        self._own("nodes")
        moved = False
        for name, node in changes:
            if node is None:
                self._order.remove(name)
            moved |= node is None or self._order.put(name, zone_of(node, self._older_zone_labels_only))
        there = {name: node for name, node in latest.items() if node is not None}
        if moved:
            self._move(latest)
            for name, node in there.items():
                self._describe(self.index[name], node)
            return EVERY_FIELD
        changed: frozenset[str] = frozenset()
        for name, node in there.items():
            place = self.index[name]
            fields = changed_fields(self.nodes[place], node)
            self.nodes[place] = node
            if ALLOCATABLE in fields:
                self._describe(place, node)
            changed |= fields
        return changed

    def _checked(self, changes: Changes) -> dict[str, Node | None]:
        """The last that is said of each node."""
        latest: dict[str, Node | None] = {}
        for name, node in changes:
            if node is None and (latest[name] is None if name in latest else name not in self.index):
                raise KeyError(f"there is no node {name!r}")
            latest[name] = node
        return latest

    def _move(self, latest: Mapping[str, Node | None]) -> None:
        """Give all nodes their places anew; pods leave nodes that are gone, and come to those that they waited for."""
        self._own("pods")
        gone = {self.index[name] for name, node in latest.items() if node is None and name in self.index}
        if gone:
            self._set_aside(np.array(sorted(gone), np.int64))
        before, names = self.index, self._order.names()
        origin = np.fromiter((before.get(name, -1) for name in names), np.int64, len(names))
        place = np.full(len(before) + 1, -1, np.int64)
        place[origin[origin >= 0]] = np.flatnonzero(origin >= 0)
        nodes = ((latest.get(name), at) for name, at in zip(names, origin.tolist(), strict=True))
        self.nodes = [self.nodes[at] if node is None else node for node, at in nodes]
        self.names, self.index = names, {name: at for at, name in enumerate(names)}
        for column in ("allocatable", "max_pods", "requested", "nonzero", "pods_on"):
            setattr(self, column, gathered(getattr(self, column), origin))
        self._counts = self._counts.gathered(origin)
        self.pods.moved(place)
        self.nominated.moved(place)
        self._take_back()

    def _set_aside(self, places: IntArray) -> None:
        for pods, kept in ((self.pods, self.without_node), (self.nominated, self.nominated_without_node)):
            rows = np.flatnonzero(np.isin(pods.node, places))
            for row in rows[np.argsort(pods.arrival[rows])].tolist():
                info, node = pods.info(row), int(pods.node[row])
                if pods is self.pods:
                    self._change(info, node, pods.request[:, row], -1)
                pods.remove(info.key)
                kept[info.key] = info, self.names[node]

    def _take_back(self) -> None:
        for kept, put in ((self.without_node, self._add), (self.nominated_without_node, self._hope)):
            for key, (info, node) in [item for item in kept.items() if item[1][1] in self.index]:
                del kept[key]
                put(info, node)

    def _describe(self, place: int, node: Node) -> None:
        """Write what the node has to give into its column."""
        rows = [(self._row(name), name, q) for name, q in node.status.allocatable.items() if name != "pods"]
        self.allocatable[:, place] = 0
        for row, name, quantity in rows:
            self.allocatable[row, place] = quantity.milli() if name == "cpu" else quantity.value()
        pods = node.status.allocatable.get("pods")
        self.max_pods[place] = 0 if pods is None else pods.value()

    # -- inside

    def _add(self, info: PodInfo, node: str) -> None:
        if node not in self.index:
            self.without_node[info.key] = info, node
            return
        request = self.request_vector(info)
        self.pods.add(info, self.index[node], request)
        self._change(info, self.index[node], request, +1)

    def _hope(self, info: PodInfo, node: str) -> None:
        if node in self.index:
            self.nominated.add(info, self.index[node], self.request_vector(info))
        else:
            self.nominated_without_node[info.key] = info, node

    def _end_nomination(self, key: str) -> None:
        self.nominated.discard(key)
        self.nominated_without_node.pop(key, None)

    def _change(self, info: PodInfo, node: int, request: IntArray, sign: int) -> None:
        self.requested[:, node] += sign * request
        self.nonzero[0, node] += sign * info.nonzero[0]
        self.nonzero[1, node] += sign * info.nonzero[1]
        self.pods_on[node] += sign
        self._counts.add(info.signature, node, sign)

    def _row(self, resource: str) -> int:
        """The resource's row in the columns, new ones with zeros if no node and no pod named it so far."""
        row = self.resources.get(resource)
        if row is None:
            self._own("pods")
            row = self.resources[resource] = len(self.resources)
            zeros = np.zeros((1, len(self.nodes)), np.int64)
            self.allocatable = np.vstack([self.allocatable, zeros])
            self.requested = np.vstack([self.requested, zeros])
            self.pods.add_resource()
            self.nominated.add_resource()
        return row

    def _own(self, group: str) -> None:
        """Before a change: stop sharing these columns with forks."""
        if group not in self._owned:
            for name in _COLUMNS[group]:
                setattr(self, name, getattr(self, name).copy())
            self._owned |= {group}
