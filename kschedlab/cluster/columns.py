"""Columns of numbers for each node, updated as pods and nodes are added, changed and removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from kschedlab.cluster.counts import Counts
from kschedlab.cluster.derived import ALLOCATABLE, EVERY_FIELD, changed_fields
from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.resource_table import ResourceTable, rearranged
from kschedlab.cluster.signatures import IntArray
from kschedlab.cluster.topology import NodeOrder, zone_of
from kschedlab.objects.model import Node
from kschedlab.objects.problems import unknown
from kschedlab.objects.requests import is_counted

CPU, MEMORY, EPHEMERAL_STORAGE = 0, 1, 2
"""Rows of ``allocatable`` and ``requested`` in every cluster; other resources follow as they appear."""

Changes: TypeAlias = Iterable[tuple[str, Node | None]]
"""Names with the new version of each node, or None if it was removed; in order."""

_COLUMNS = {
    "nodes": ("nodes", "names", "index", "allocatable", "max_pods", "_order"),
    "pods": (
        *("resources", "pending", "requested", "nonzero", "pods_on", "pods", "nominated", "_counts"),
        *("without_node", "nominated_without_node"),
    ),
}
"""Fields that forks share until one of them changes them."""


class Columns:
    """Nodes on one axis, pods beside them; :class:`~kschedlab.cluster.cluster.Cluster` describes the columns.

    ``without_node``, ``nominated_without_node``: by key, pods whose node does not exist, with its name. They use no
    resources until it is added.
    """

    def __init__(self, older_zone_labels_only: bool) -> None:
        self.nodes: list[Node] = []
        self.names: list[str] = []
        self.index: dict[str, int] = {}
        self.resources = {"cpu": CPU, "memory": MEMORY, "ephemeral-storage": EPHEMERAL_STORAGE}
        self.allocatable = ResourceTable(len(self.resources), 0)
        self.requested = ResourceTable(len(self.resources), 0)
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

    def requests_of(self, info: PodInfo) -> dict[int, int]:
        """The requests that count on the pod's node, by the row of the resource."""
        return {self.resources[name]: amount for name, amount in info.placed.items()}

    def on_node(self, key: str) -> PodInfo:
        """The pod ``namespace/name`` that is bound to a node, whether that node exists or not."""
        return self.without_node[key][0] if key in self.without_node else self.pods.info(self.pods.row_of[key])

    def arrivals(self) -> list[int]:
        """The positions of the nodes in order of arrival; a node that changed its zone arrived again."""
        return [self.index[name] for name in self._order.arrivals()]

    def bind(self, info: PodInfo, node: str) -> None:
        """Bind the pod to the node; it is no longer pending or nominated. O(resources + queries)."""
        self._unshare("pods")
        self.pending.pop(info.key, None)
        self._end_nomination(info.key)
        self._add(info, node)

    def evict(self, key: str) -> PodInfo:
        """Take the pod ``namespace/name`` off its node. O(resources + queries). KeyError if it runs nowhere."""
        self._unshare("pods")
        if key in self.without_node:
            return self.without_node.pop(key)[0]
        if (row := self.pods.row_of.get(key)) is None:
            raise unknown("running pod", key, [*self.pods.row_of, *self.without_node])
        info = self.pods.info(row)
        self._count_pod(info, int(self.pods.node[row]), -1)
        self.pods.remove(key)
        return info

    def update(self, info: PodInfo) -> None:
        """Replace the pod of that key, running, nominated or pending; its node is unchanged."""
        self._unshare("pods")
        key = info.key
        if key in self.pods.row_of:
            self._update(info)
        if key in self.nominated.row_of:
            self.nominated.replace(info, self.requests_of(info))
        for aside in (self.without_node, self.nominated_without_node):
            if key in aside:
                aside[key] = info, aside[key][1]
        if key in self.pending:
            self.pending[key] = info

    def _update(self, info: PodInfo) -> None:
        row = self.pods.row_of[info.key]
        old, node = self.pods.info(row), int(self.pods.node[row])
        if info.requests == old.requests and info.signature is old.signature:
            self.pods.priority[row], self.pods.start[row], self.pods.infos[row] = info.priority, info.start, info
            return
        self._count_pod(old, node, -1)
        self.pods.replace(info, self.requests_of(info))
        self._count_pod(info, node, +1)

    def nominate(self, info: PodInfo, node: str) -> None:
        self._unshare("pods")
        self._end_nomination(info.key)
        self._nominate(info, node)

    def withdraw(self, key: str) -> None:
        self._unshare("pods")
        self._end_nomination(key)

    def _change_nodes(self, changes: Changes) -> frozenset[str]:
        """Change nodes; return the fields that differ, see :mod:`kschedlab.cluster.derived`."""
        changes = list(changes)
        latest = self._latest(changes)
        self._unshare("nodes")
        moved = False
        for name, node in changes:
            if node is None:
                self._order.remove(name)
            moved |= node is None or self._order.put(name, zone_of(node, self._older_zone_labels_only))
        present = {name: node for name, node in latest.items() if node is not None}
        if moved:
            self._reorder_nodes(latest)
            for name, node in present.items():
                self._write_allocatable(self.index[name], node)
            return EVERY_FIELD
        changed: frozenset[str] = frozenset()
        for name, node in present.items():
            position = self.index[name]
            fields = changed_fields(self.nodes[position], node)
            self.nodes[position] = node
            if ALLOCATABLE in fields:
                self._write_allocatable(position, node)
            changed |= fields
        return changed

    def _latest(self, changes: Changes) -> dict[str, Node | None]:
        latest: dict[str, Node | None] = {}
        for name, node in changes:
            exists = latest[name] is not None if name in latest else name in self.index
            if node is None and not exists:
                others = [each for each in self.names if each not in latest or latest[each] is not None]
                raise unknown("node", name, others)
            latest[name] = node
        return latest

    def _reorder_nodes(self, latest: Mapping[str, Node | None]) -> None:
        """Give all nodes new positions; set aside pods on removed nodes, and restore those whose node is back."""
        self._unshare("pods")
        removed = {self.index[name] for name, node in latest.items() if node is None and name in self.index}
        if removed:
            self._set_aside_pods(np.array(sorted(removed), np.int64))  # their counts go with the nodes' columns
        old_index, names = self.index, self._order.names()
        origin = np.fromiter((old_index.get(name, -1) for name in names), np.int64, len(names))
        new_position = np.full(len(old_index) + 1, -1, np.int64)
        new_position[origin[origin >= 0]] = np.flatnonzero(origin >= 0)
        self.nodes = [latest.get(name) or self.nodes[old_index[name]] for name in names]
        self.names, self.index = names, {name: position for position, name in enumerate(names)}
        for column in ("max_pods", "nonzero", "pods_on"):
            setattr(self, column, rearranged(getattr(self, column), origin))
        for table in ("allocatable", "requested", "_counts"):
            setattr(self, table, getattr(self, table).rearranged(origin))
        self.pods.move_nodes(new_position)
        self.nominated.move_nodes(new_position)
        self._restore_pods()

    def _set_aside_pods(self, removed: IntArray) -> None:
        for pods, aside in ((self.pods, self.without_node), (self.nominated, self.nominated_without_node)):
            rows = np.flatnonzero(np.isin(pods.node, removed))
            for row in rows[np.argsort(pods.arrival[rows])].tolist():
                info, node = pods.info(row), self.names[pods.node[row]]
                pods.remove(info.key)
                aside[info.key] = info, node

    def _restore_pods(self) -> None:
        for aside, put in ((self.without_node, self._add), (self.nominated_without_node, self._nominate)):
            for key, (info, node) in [item for item in aside.items() if item[1][1] in self.index]:
                del aside[key]
                put(info, node)

    def _write_allocatable(self, position: int, node: Node) -> None:
        counted = {name: quantity for name, quantity in node.status.allocatable.items() if is_counted(name)}
        amounts = {self._row(name): q.amount(name) for name, q in counted.items()}
        self.allocatable.set(position, amounts)
        pods = node.status.allocatable.get("pods")
        self.max_pods[position] = 0 if pods is None else pods.value()

    def _add(self, info: PodInfo, node: str) -> None:
        if node not in self.index:
            self.without_node[info.key] = info, node
            return
        self.pods.add(info, self.index[node], self.requests_of(info))
        self._count_pod(info, self.index[node], +1)

    def _nominate(self, info: PodInfo, node: str) -> None:
        if node in self.index:
            self.nominated.add(info, self.index[node], self.requests_of(info))
        else:
            self.nominated_without_node[info.key] = info, node

    def _end_nomination(self, key: str) -> None:
        self.nominated.discard(key)
        self.nominated_without_node.pop(key, None)

    def _count_pod(self, info: PodInfo, node: int, sign: int) -> None:
        self.requested.add(node, self.requests_of(info), sign)
        self.nonzero[0, node] += sign * info.nonzero[0]
        self.nonzero[1, node] += sign * info.nonzero[1]
        self.pods_on[node] += sign
        self._counts.add(info.signature, node, sign)

    def _row(self, resource: str) -> int:
        """The resource's row in the columns; a new row of zeros if no node or pod has named it before."""
        row = self.resources.get(resource)
        if row is None:
            self._unshare("nodes")
            self._unshare("pods")
            row = self.resources[resource] = len(self.resources)
            for table in (self.allocatable, self.requested, self.pods.request, self.nominated.request):
                table.add_row()
        return row

    def _unshare(self, group: str) -> None:
        """Before a change: copy these columns if forks share them."""
        if group not in self._owned:
            for name in _COLUMNS[group]:
                setattr(self, name, getattr(self, name).copy())
            self._owned |= {group}
