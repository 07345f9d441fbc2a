"""Running pods in columns, one row for each pod."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.objects.model import Pod

NEVER_STARTED = np.iinfo(np.int64).max
"""Start time of a pod that has none. The real scheduler uses the current time, so the pod counts as the latest
(v1.37: pkg/scheduler/util/utils.go, GetPodStartTime)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PodInfo:
    """A pod and the numbers that the scheduler computes from it before it checks any node.

    ``request``: the requests that the filter checks, by resource name (cpu in milli, the rest in units).
    ``placed``: the requests that count once the pod is on a node.
    ``scored``, ``nonzero``: (milli cpu, bytes of memory) of the two, with the defaults 100m and 200 MiB that some
    scores use.
    ``original``: the pod before this generation's API server changed it on creation, None if it did not.
    ``signature``: the number of the pod's :class:`~kschedlab.cluster.signatures.Signature`.
    """

    pod: Pod
    key: str
    priority: int
    start: int
    signature: int
    request: dict[str, int]
    placed: dict[str, int]
    scored: tuple[int, int]
    nonzero: tuple[int, int]
    original: Pod | None = None

    def __repr__(self) -> str:
        amounts = (f"{name}={amount}{'m' if name == 'cpu' else ''}" for name, amount in self.request.items() if amount)
        return f"<PodInfo {self.key}: priority {self.priority}, requests {', '.join(amounts) or 'nothing'}>"

    def same_numbers(self, other: PodInfo) -> bool:
        """Whether another version of the same pod has the same numbers; only the object may differ."""
        return (
            (self.signature, self.priority, self.start) == (other.signature, other.priority, other.start)
            and (self.nonzero, self.scored) == (other.nonzero, other.scored)
            and self.request == other.request
            and self.placed == other.placed
        )


class PodColumns:
    """Running (or nominated) pods as columns. A pod keeps its row until it is removed; free rows are reused.

    ``node``, ``signature``: int64[rows], -1 in a free row. ``priority``, ``start`` (microseconds): int64[rows].
    ``arrival``: int64[rows], increasing numbers in order of arrival. ``request``: int64[resources, rows].
    """

    def __init__(self, resources: int) -> None:
        self.node: IntArray = np.full(16, -1, np.int64)
        self.signature: IntArray = np.full(16, -1, np.int64)
        self.priority: IntArray = np.zeros(16, np.int64)
        self.start: IntArray = np.zeros(16, np.int64)
        self.arrival: IntArray = np.zeros(16, np.int64)
        self.request: IntArray = np.zeros((resources, 16), np.int64)
        self.infos: list[PodInfo | None] = [None] * 16
        self.row_of: dict[str, int] = {}
        self._free = list(range(15, -1, -1))
        self._arrivals = 0

    def __repr__(self) -> str:
        return f"<PodColumns: {', '.join(self.row_of) or 'no pods'}>"

    def copy(self) -> PodColumns:
        """Independent columns with the same rows."""
        other = PodColumns.__new__(PodColumns)
        for name in ("node", "signature", "priority", "start", "arrival", "request"):
            setattr(other, name, getattr(self, name).copy())
        other._arrivals = self._arrivals
        other.infos, other.row_of, other._free = list(self.infos), dict(self.row_of), list(self._free)
        return other

    def add(self, info: PodInfo, node: int, request: IntArray) -> int:
        """Give the pod a row and return its number. ``request``: int64[resources]."""
        if not self._free:
            self._grow()
        row = self._free.pop()
        self.node[row], self.signature[row] = node, info.signature
        self.priority[row], self.start[row] = info.priority, info.start
        self.arrival[row] = self._arrivals
        self._arrivals += 1
        self.request[:, row] = request
        self.infos[row] = info
        self.row_of[info.key] = row
        return row

    def replace(self, info: PodInfo, request: IntArray) -> None:
        """Write the new version of the pod into its row; its node and arrival stay."""
        row = self.row_of[info.key]
        self.signature[row], self.priority[row], self.start[row] = info.signature, info.priority, info.start
        self.request[:, row] = request
        self.infos[row] = info

    def move_nodes(self, new_position: IntArray) -> None:
        """Renumber the nodes. ``new_position``: int64[old nodes + 1], -1 at the end for free rows."""
        self.node = new_position[self.node]

    def remove(self, key: str) -> None:
        """Free the row of the pod ``namespace/name``."""
        row = self.row_of.pop(key)
        self.node[row] = self.signature[row] = -1
        self.infos[row] = None
        self._free.append(row)

    def discard(self, key: str) -> None:
        """Free the pod's row if it has one."""
        if key in self.row_of:
            self.remove(key)

    def live(self) -> BoolArray:
        """bool[rows]: the rows that hold a pod."""
        return self.node >= 0

    def info(self, row: int) -> PodInfo:
        """The pod in that row."""
        info = self.infos[row]
        assert info is not None, f"row {row} is free"
        return info

    def add_resource(self) -> None:
        """Add a row of zeros to ``request``, for a resource that no pod has requested before."""
        self.request = np.vstack([self.request, np.zeros((1, self.request.shape[1]), np.int64)])

    def _grow(self) -> None:
        old = len(self.node)
        self._free.extend(range(2 * old - 1, old - 1, -1))
        self.infos.extend([None] * old)
        blank = np.full(old, -1, np.int64)
        self.node, self.signature = np.concatenate([self.node, blank]), np.concatenate([self.signature, blank])
        zero = np.zeros(old, np.int64)
        self.priority = np.concatenate([self.priority, zero])
        self.start = np.concatenate([self.start, zero])
        self.arrival = np.concatenate([self.arrival, zero])
        self.request = np.hstack([self.request, np.zeros((len(self.request), old), np.int64)])


_REPORTED_RESOURCES = ("containerStatuses", "initContainerStatuses", "resources", "allocatedResources")
"""Fields of the status that can change what a pod on a node requests."""


def same_info(one: Pod, other: Pod) -> bool:
    """Whether a :class:`PodInfo` is the same for both versions of a pod, apart from the objects themselves."""
    before, after = one.status, other.status
    return (
        one.spec == other.spec
        and one.metadata.labels == other.metadata.labels
        and (one.metadata.deletionTimestamp is None) == (other.metadata.deletionTimestamp is None)
        and before.startTime == after.startTime
        and not any(getattr(before, name) or getattr(after, name) for name in _REPORTED_RESOURCES)
    )
