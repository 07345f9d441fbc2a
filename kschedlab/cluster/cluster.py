"""The cluster as columns: nodes on one axis, pods beside them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from kschedlab.cluster.counts import Counts
from kschedlab.cluster.kinds import IntArray, Kinds, Question
from kschedlab.cluster.pods import NEVER_STARTED, PodColumns, PodInfo
from kschedlab.cluster.topology import Topology, interleaved
from kschedlab.cluster.volumes import Volumes
from kschedlab.objects.api import API_1_37, Api
from kschedlab.objects.manifests import Objects, from_kubectl, load
from kschedlab.objects.model import Node, Pod

T = TypeVar("T")

CPU, MEMORY, EPHEMERAL_STORAGE = 0, 1, 2
"""Rows of ``allocatable`` and ``requested`` that every cluster has; other resources follow as they appear."""


class Cluster:
    """A cluster of nodes and running, nominated and pending pods.

    ====================  ===========================================================================================
    reading               ``nodes``, ``names``, ``index``, ``resources``, ``allocatable``, ``requested``, ``nonzero``,
                          ``pods_on``, ``max_pods``, ``pods``, ``nominated``, ``pending``, ``volumes``, ``objects``
    asking                :meth:`count`, :meth:`tally`, :meth:`topology`, :meth:`fact`, :meth:`pods_of`
    changing              :meth:`bind`, :meth:`evict`, :meth:`nominate`, :meth:`withdraw`
    what-if               :meth:`fork`
    checking              :meth:`check`
    ====================  ===========================================================================================

    Node arrays are int64[nodes] in the order in which the scheduler looks at the nodes (zones in turn):
    ``allocatable[resource, node]`` and ``requested[resource, node]`` (cpu in milli, the rest in units),
    ``nonzero[0 | 1, node]`` (cpu, memory with the defaults for pods that ask for nothing), ``pods_on``, ``max_pods``.
    """

    def __init__(self, objects: Objects, api: Api = API_1_37) -> None:
        self.objects = objects
        self.api = api
        self.nodes: list[Node] = interleaved(objects.nodes, api.older_zone_labels_only)
        self.names = [node.metadata.name for node in self.nodes]
        self.index = {name: i for i, name in enumerate(self.names)}
        self.volumes = Volumes(objects)
        self.kinds = Kinds()
        self._facts: dict[Hashable, object] = {}
        self._shared = False
        self._nodes_as_columns()
        self.nominated = PodColumns(len(self.resources))
        self.pending: dict[str, PodInfo] = {}
        for pod in objects.pods:
            self._place(pod)

    @classmethod
    def from_files(cls, *sources: str, api: Api = API_1_37) -> Cluster:
        """Load manifests: paths of files or folders, or ``-`` for standard input.

        Raises ManifestError, which lists everything that is wrong with them.
        """
        return cls(load(*sources), api)

    @classmethod
    def from_kubectl(cls, *arguments: str, api: Api = API_1_37) -> Cluster:
        """The cluster that the ``kubectl`` on the PATH talks to; ``arguments`` are passed on (``--context``, ...)."""
        return cls(from_kubectl(*arguments), api)

    # -- asking

    def count(self, question: Question) -> IntArray:
        """int64[nodes], not to be written to: the question's sum over each node's pods. O(pods) at first, then O(1)."""
        if question not in self._counts:
            live = np.flatnonzero(self.pods.live())
            self._counts.ask(question, self.pods.node[live], self.pods.kind[live])
        return self._counts[question]

    def tally(self, kinds: Sequence[int]) -> IntArray:
        """int64[nodes]: how many pods of these kinds each node has; a kind given twice counts twice.

        Counted afresh, for what few pods have: O(pods).
        """
        weight = self.kinds.weights(kinds)[self.pods.kind]
        rows = np.flatnonzero(weight)
        total = np.zeros(len(self.nodes), np.int64)
        np.add.at(total, self.pods.node[rows], weight[rows])
        return total

    def topology(self, key: str) -> Topology:
        """The domains of a topology key."""
        return self.fact(("topology", key), lambda: Topology.of(key, [n.metadata.labels for n in self.nodes]))

    def fact(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Something that follows from the nodes and volumes alone, computed once for each key."""
        found = self._facts.get(key)
        if found is None:
            if len(self._facts) >= 4096:
                self._facts.clear()
            found = self._facts[key] = compute()
        return found  # type: ignore[return-value]  # the key names what is stored

    def pods_of(self, node: int) -> IntArray:
        """int64[]: the rows of the node's pods, in the order of their rows. O(pods)."""
        return np.flatnonzero(self.pods.node == node)

    def info(self, pod: Pod) -> PodInfo:
        """The pod, prepared for a decision."""
        pod = self.api.admit(pod)
        start, metadata = pod.status.startTime, pod.metadata
        request, placed = self.api.incoming(pod), self.api.placed(pod)
        for name in request | placed:
            self._row(name)
        return PodInfo(
            pod=pod,
            key=f"{metadata.namespace}/{metadata.name}",
            priority=pod.spec.priority or 0,
            start=NEVER_STARTED if start is None else start,
            kind=self.kinds.of(pod),
            request=request,
            placed=placed,
            scored=self.api.scored(pod),
            nonzero=self.api.nonzero(pod),
        )

    def request_vector(self, info: PodInfo) -> IntArray:
        """int64[resources]: what the pod counts on a node."""
        vector = np.zeros(len(self.resources), np.int64)
        for name, amount in info.placed.items():
            vector[self.resources[name]] = amount
        return vector

    # -- changing

    def bind(self, info: PodInfo, node: str) -> None:
        """Put the pod on the node; it is no longer pending or nominated. O(resources + questions)."""
        self._own()
        self.pending.pop(info.key, None)
        self.nominated.discard(info.key)
        self._add(info, self.index[node])

    def evict(self, key: str) -> PodInfo:
        """Take the running pod ``namespace/name`` off its node. O(resources + questions)."""
        self._own()
        row = self.pods.row_of[key]
        info, node = self.pods.info(row), int(self.pods.node[row])
        self._change(info, node, self.pods.request[:, row], -1)
        self.pods.remove(key)
        return info

    def nominate(self, info: PodInfo, node: str) -> None:
        """Remember that the pending pod waits for room on the node. A node that does not exist is passed over."""
        self._own()
        self.nominated.discard(info.key)
        if node in self.index:
            self.nominated.add(info, self.index[node], self.request_vector(info))

    def withdraw(self, key: str) -> None:
        """Forget the pod's nomination."""
        self._own()
        self.nominated.discard(key)

    # -- what-if

    def fork(self) -> Cluster:
        """A cluster that starts as this one and changes apart from it. Columns are copied when one of them changes."""
        other = Cluster.__new__(Cluster)
        other.__dict__.update(self.__dict__)
        self._shared = other._shared = True
        return other

    # -- checking

    def check(self) -> None:
        """Raise AssertionError unless every kept column equals one counted afresh from the pods."""
        live = np.flatnonzero(self.pods.live())
        assert sorted(self.pods.row_of.values()) == live.tolist(), "rows and pods disagree"
        afresh = {name: np.zeros_like(getattr(self, name)) for name in ("requested", "nonzero", "pods_on")}
        for row in live.tolist():
            info, node = self.pods.info(row), self.pods.node[row]
            assert self.pods.row_of[info.key] == row and self.pods.kind[row] == info.kind, (
                f"row {row} is not {info.key}"
            )
            afresh["requested"][:, node] += self.request_vector(info)
            afresh["nonzero"][:, node] += info.nonzero
            afresh["pods_on"][node] += 1
        for name, column in afresh.items():
            assert np.array_equal(column, getattr(self, name)), f"{name} drifted from the pods"
        for question in self._counts.questions():
            count = np.zeros(len(self.nodes), np.int64)
            np.add.at(count, self.pods.node[live], self.kinds.answers(question)[self.pods.kind[live]])
            assert np.array_equal(count, self.count(question)), f"the count of {question} drifted from the pods"

    # -- inside

    def _nodes_as_columns(self) -> None:
        size = len(self.nodes)
        self.resources = {"cpu": CPU, "memory": MEMORY, "ephemeral-storage": EPHEMERAL_STORAGE}
        for node in self.nodes:
            for name in node.status.allocatable:
                if name != "pods":
                    self.resources.setdefault(name, len(self.resources))
        self.allocatable = np.zeros((len(self.resources), size), np.int64)
        self.max_pods = np.zeros(size, np.int64)
        for i, node in enumerate(self.nodes):
            for name, quantity in node.status.allocatable.items():
                if name == "pods":
                    self.max_pods[i] = quantity.value()
                else:
                    self.allocatable[self.resources[name], i] = quantity.milli() if name == "cpu" else quantity.value()
        self.requested = np.zeros_like(self.allocatable)
        self.nonzero = np.zeros((2, size), np.int64)
        self.pods_on = np.zeros(size, np.int64)
        self.pods = PodColumns(len(self.resources))
        self._counts = Counts(self.kinds, size)

    def _place(self, pod: Pod) -> None:
        if pod.status.phase in ("Succeeded", "Failed"):
            return
        info = self.info(pod)
        if pod.spec.nodeName:
            if pod.spec.nodeName in self.index:
                self._add(info, self.index[pod.spec.nodeName])
            return
        self.pending[info.key] = info
        if pod.status.nominatedNodeName:
            self.nominate(info, pod.status.nominatedNodeName)

    def _add(self, info: PodInfo, node: int) -> None:
        request = self.request_vector(info)
        self.pods.add(info, node, request)
        self._change(info, node, request, +1)

    def _change(self, info: PodInfo, node: int, request: IntArray, sign: int) -> None:
        self.requested[:, node] += sign * request
        self.nonzero[0, node] += sign * info.nonzero[0]
        self.nonzero[1, node] += sign * info.nonzero[1]
        self.pods_on[node] += sign
        self._counts.add(info.kind, node, sign)

    def _row(self, resource: str) -> int:
        """The resource's row in the columns, new ones with zeros if no node and no pod named it so far."""
        row = self.resources.get(resource)
        if row is None:
            self._own()
            row = self.resources[resource] = len(self.resources)
            zeros = np.zeros((1, len(self.nodes)), np.int64)
            self.allocatable = np.vstack([self.allocatable, zeros])
            self.requested = np.vstack([self.requested, zeros])
            self.pods.add_resource()
            self.nominated.add_resource()
        return row

    def _own(self) -> None:
        """Before a change: stop sharing columns with forks."""
        if self._shared:
            for name in ("resources", "pending", "requested", "nonzero", "pods_on", "pods", "nominated", "_counts"):
                setattr(self, name, getattr(self, name).copy())
            self._shared = False
