"""GPUs that pods share in thousandths: which device of its node a pod gets, and where it fits.

A node has ``alibabacloud.com/gpu-count`` devices of 1,000 milli each. A pod asks for ``gpu-milli`` of each of
``gpu-count`` devices, in annotations, as the pods of Alibaba's openb trace do. After Weng et al., "Beware of
Fragmentation" (USENIX ATC 2023), and its simulator (hkust-adsl/kubernetes-scheduler-simulator, 8f3d641).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.objects.model import Pod
from kschedlab.plugins import ArrayFilter, ClusterEvent, Refusal

MILLI = 1000
"""A whole device."""
COUNT, EACH, MODEL = "alibabacloud.com/gpu-count", "alibabacloud.com/gpu-milli", "alibabacloud.com/gpu-card-model"
"""A node's number of devices and a pod's; milli of each device; a node's label with the model of its devices."""

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Ask(NamedTuple):
    """What a pod asks for. ``cpu``: milli; ``each``: milli of each of so many ``devices``; ``models``: () for any."""

    cpu: int
    each: int
    devices: int
    models: tuple[str, ...] = ()

    @classmethod
    def of(cls, pod: PodInfo) -> Ask:
        """What this pod asks for, with the models of its annotation (``"V100M16|V100M32"``)."""
        given = pod.pod.metadata.annotations
        models = tuple(filter(None, given.get(MODEL, "").split("|")))
        return cls(pod.request.get("cpu", 0), int(given.get(EACH, 0)), int(given.get(COUNT, 0)), models)

    @property
    def shares(self) -> bool:
        """Whether it takes a part of one device."""
        return self.devices == 1 and self.each < MILLI


class SharedGpus(ArrayFilter):
    """Keeps account of the devices, and refuses nodes whose devices have too little left. A policy is a subclass.

    ``cpu``: int64[nodes], milli left; ``left``: int64[nodes, devices], milli left, 0 where there is no device;
    ``model``: of each node's devices, "" without any. A policy may override :meth:`device`.
    """

    def __init__(self) -> None:
        self.left: Ints = np.zeros((0, 1), np.int64)
        self.cpu: Ints = np.zeros(0, np.int64)
        self.model: npt.NDArray[np.str_] = np.zeros(0, np.str_)
        self._names: list[str] = []
        self._index: dict[str, int] = {}
        self._pods: dict[str, tuple[str, tuple[int, ...], int]] = {}
        self._pods_on: Ints = np.zeros(0, np.int64)
        self._changes: Ints = np.zeros(0, np.int64)
        self._answers: dict[Hashable, tuple[Ints, Ints]] = {}
        self._asks: dict[str, Ask] = {}

    def device(self, ask: Ask, node: int) -> int:
        """The device of the node that a pod gets a share of: the fullest one that has enough left."""
        left = self.left[node]
        return int(np.where(left >= ask.each, left, MILLI + 1).argmin())

    def remembered(self, key: Hashable, nodes: Ints, answer: Callable[[Ints], Ints]) -> Ints:
        """``answer(nodes)``, an integer per node, which is asked again only for nodes that have changed since."""
        known, seen = self._answers.get(key, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
        if len(known) != len(self._changes):
            known, seen = np.zeros_like(self._changes), np.full_like(self._changes, -1)
        stale = nodes[seen[nodes] != self._changes[nodes]]
        if len(stale):
            known[stale], seen[stale] = answer(stale), self._changes[stale]
        self._answers[key] = known, seen
        return known[nodes]

    def accessible(self, ask: Ask, nodes: Ints) -> Bools:
        """bool[nodes]: whether their devices are of a model that the pod accepts."""
        return np.isin(self.model[nodes], ask.models) if ask.models else np.ones(len(nodes), np.bool_)

    # -- the framework's methods

    def refuse(self, pod: PodInfo, snapshot: Snapshot) -> Refusal | None:
        self._follow(snapshot.cluster)
        ask = self._asks[pod.key] = Ask.of(pod)
        if not ask.devices:
            return None
        every = np.arange(len(self.left))
        enough = (self.left >= ask.each).sum(axis=1) >= ask.devices
        return Refusal(~(enough & self.accessible(ask, every)), "node(s) had too little left of each GPU")

    def reserve(self, pod: Pod, node: str) -> None:
        """Take the devices of the pod."""
        ask, row = self._asks.pop(pod.key), self._index[node]
        self._changes[row] += 1
        if ask.shares:
            devices: tuple[int, ...] = (self.device(ask, row),)
        else:
            devices = tuple(np.flatnonzero(self.left[row] >= max(ask.each, 1))[: ask.devices].tolist())
        self.left[row, list(devices)] -= ask.each
        self._pods[pod.key] = node, devices, ask.each

    def unreserve(self, pod: Pod, node: str) -> None:
        """Give the devices of the pod back."""
        self._release(pod.key)

    def events_to_register(self) -> list[ClusterEvent]:
        """Only a pod that leaves a node, or another node, can help."""
        return [ClusterEvent("AssignedPod", frozenset(["Delete"])), ClusterEvent("Node", frozenset(["Add"]))]

    # -- the account

    def _follow(self, cluster: Cluster) -> None:
        """Catch up with nodes and pods that came or went."""
        if self._names is not cluster.names and self._names != cluster.names:
            self._rebuild(cluster)
        for row in np.flatnonzero(cluster.pods_on < self._pods_on).tolist():
            name = self._names[row]
            gone = [key for key, (node, _, _) in self._pods.items() if node == name and key not in cluster.pods.row_of]
            for key in gone:
                self._release(key)
        self._pods_on = cluster.pods_on.copy()
        row = cluster.resources["cpu"]
        cpu = cluster.allocatable[row] - cluster.requested[row]
        self._changes += cpu != self.cpu
        self.cpu = cpu

    def _rebuild(self, cluster: Cluster) -> None:
        self._names = list(cluster.names)
        self._index = {name: row for row, name in enumerate(self._names)}
        counts = [
            int(node.status.allocatable[COUNT].value()) if COUNT in node.status.allocatable else 0
            for node in cluster.nodes
        ]
        self.left = np.where(np.arange(max([*counts, 1])) < np.array(counts, np.int64)[:, None], MILLI, 0)
        self.model = np.array([node.metadata.labels.get(MODEL, "") for node in cluster.nodes], np.str_)
        self.cpu, self._pods_on = np.full(len(counts), -1), np.zeros(len(counts), np.int64)
        self._changes, self._answers = np.zeros(len(counts), np.int64), {}
        for key, (node, devices, each) in list(self._pods.items()):
            if node in self._index:
                self.left[self._index[node], list(devices)] -= each
            else:
                del self._pods[key]

    def _release(self, key: str) -> None:
        node, devices, each = self._pods.pop(key, ("", (), 0))
        if (row := self._index.get(node)) is not None:
            self.left[row, list(devices)] += each
            self._changes[row] += 1
