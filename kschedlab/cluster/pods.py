"""Running pods in columns, one row for each pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec
import numpy as np

from kschedlab.cluster.resource_table import ResourceTable
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.objects.model import Pod
from kschedlab.objects.requests import reported_resources


class Rows:
    """The rows of each signature, by its number: one, or a list. ``_place``: of each row, its place in the list."""

    def __init__(self) -> None:
        self._rows: list[int | list[int] | None] = []
        self._place: list[int] = []

    def __len__(self) -> int:
        """One more than the highest number of a signature."""
        return len(self._rows)

    def copy(self) -> Rows:
        other = Rows()
        other._rows = [rows.copy() if isinstance(rows, list) else rows for rows in self._rows]
        other._place = self._place.copy()
        return other

    def of(self, signature: int) -> Sequence[int]:
        rows = self._rows[signature] if signature < len(self._rows) else None
        if rows is None:
            return ()
        return rows if isinstance(rows, list) else (rows,)

    def add(self, row: int, signature: int) -> None:
        """The row holds a pod of the signature. It must have been free."""
        self._rows.extend([None] * (signature + 1 - len(self._rows)))
        self._place.extend([0] * (row + 1 - len(self._place)))
        rows = self._rows[signature]
        if rows is None:
            self._rows[signature] = row
            self._place[row] = 0
        elif isinstance(rows, list):
            self._place[row] = len(rows)
            rows.append(row)
        else:
            self._place[row] = 1
            self._rows[signature] = [rows, row]

    def remove(self, row: int, signature: int) -> None:
        """The row is free, or holds a pod of another signature: the last row of the list takes its place."""
        rows = self._rows[signature]
        if not isinstance(rows, list) or len(rows) == 1:
            self._rows[signature] = None
            return
        last = rows.pop()
        if last != row:
            place = self._place[last] = self._place[row]
            rows[place] = last


NEVER_STARTED = np.iinfo(np.int64).max
"""Start time of a pod that has none. The real scheduler uses the current time, so the pod counts as the latest
(v1.37: pkg/scheduler/util/utils.go, GetPodStartTime)."""


class Requests(msgspec.Struct, frozen=True, gc=False):
    """The requests of a pod: one object for all pods that request the same.

    ``request``: the requests that the filter checks, by resource name (cpu in milli, the rest in units).
    ``placed``: the requests that count once the pod is on a node.
    ``scored``, ``nonzero``: (milli cpu, bytes of memory) of the two, with the defaults 100m and 200 MiB that some
    scores use.
    """

    request: dict[str, int]
    placed: dict[str, int]
    scored: tuple[int, int]
    nonzero: tuple[int, int]


Amounts: TypeAlias = tuple[tuple[str, int], ...]


@lru_cache(1 << 14)
def requests(request: Amounts, placed: Amounts, scored: tuple[int, int], nonzero: tuple[int, int]) -> Requests:
    """These requests, read-only. What a pod requests is usually the same before and after it is placed."""
    before = dict(request)
    return Requests(before, before if placed == request else dict(placed), scored, nonzero)


class PodInfo(msgspec.Struct, frozen=True, gc=False, eq=False):
    """A pod and the numbers that the scheduler computes from it. ``original``: the pod before the API changed it."""

    pod: Pod
    key: str
    priority: int
    start: int
    signature: Signature
    requests: Requests
    original: Pod | None = None

    @property
    def request(self) -> dict[str, int]:
        """By resource: what the filters check; see :class:`Requests`."""
        return self.requests.request

    @property
    def placed(self) -> dict[str, int]:
        """By resource: what counts once the pod is on a node."""
        return self.requests.placed

    @property
    def scored(self) -> tuple[int, int]:
        """(milli cpu, bytes of memory) of ``request``, with defaults."""
        return self.requests.scored

    @property
    def nonzero(self) -> tuple[int, int]:
        """(milli cpu, bytes of memory) of ``placed``, with defaults."""
        return self.requests.nonzero

    def __repr__(self) -> str:
        amounts = (f"{name}={amount}{'m' if name == 'cpu' else ''}" for name, amount in self.request.items() if amount)
        return f"<PodInfo {self.key}: priority {self.priority}, requests {', '.join(amounts) or 'nothing'}>"


class PodColumns:
    """Running (or nominated) pods as columns. A pod keeps its row until it is removed; free rows are reused.

    ``node``, ``signature`` (its number): int64[rows], -1 in a free row. ``by_signature``: finds its rows.
    ``priority``, ``start`` (microseconds): int64[rows]. ``_used``: how many rows were ever used.
    ``arrival``: int64[rows], increasing numbers in order of arrival. ``request``: by resource and row.
    """

    def __init__(self, resources: int) -> None:
        self.node: IntArray = np.full(16, -1, np.int64)
        self.signature: IntArray = np.full(16, -1, np.int64)
        self.priority: IntArray = np.zeros(16, np.int64)
        self.start: IntArray = np.zeros(16, np.int64)
        self.arrival: IntArray = np.zeros(16, np.int64)
        self.request = ResourceTable(resources, 16)
        self.infos: list[PodInfo | None] = [None] * 16
        self.row_of: dict[str, int] = {}
        self.by_signature = Rows()
        self._free: list[int] = []
        self._used = 0
        self._arrivals = 0

    def __repr__(self) -> str:
        return f"<PodColumns: {', '.join(self.row_of) or 'no pods'}>"

    def copy(self) -> PodColumns:
        other = PodColumns.__new__(PodColumns)
        for name in ("node", "signature", "priority", "start", "arrival", "request", "by_signature"):
            setattr(other, name, getattr(self, name).copy())
        other._arrivals, other._used = self._arrivals, self._used
        other.infos, other.row_of, other._free = list(self.infos), dict(self.row_of), list(self._free)
        return other

    def add(self, info: PodInfo, node: int, request: Mapping[int, int]) -> int:
        """Give the pod a row and return its number. ``request``: amounts by the row of the resource."""
        row = self._new_row()
        self.node[row] = node
        self.signature[row] = info.signature.number
        self.by_signature.add(row, info.signature.number)
        self.priority[row], self.start[row] = info.priority, info.start
        self.arrival[row] = self._arrivals
        self._arrivals += 1
        self.request.set(row, request)
        self.infos[row] = info
        self.row_of[info.key] = row
        return row

    def replace(self, info: PodInfo, request: Mapping[int, int]) -> None:
        """Write the new version of the pod into its row; its node and arrival stay."""
        row = self.row_of[info.key]
        if self.signature[row] != info.signature.number:
            self.by_signature.remove(row, int(self.signature[row]))
            self.signature[row] = info.signature.number
            self.by_signature.add(row, info.signature.number)
        self.priority[row], self.start[row] = info.priority, info.start
        self.request.set(row, request)
        self.infos[row] = info

    def move_nodes(self, new_position: IntArray) -> None:
        """Renumber the nodes. ``new_position``: int64[old nodes + 1], -1 at the end for free rows."""
        self.node = new_position[self.node]

    def remove(self, key: str) -> None:
        row = self.row_of.pop(key)
        self.by_signature.remove(row, int(self.signature[row]))
        self.node[row] = self.signature[row] = -1
        self.infos[row] = None
        self._free.append(row)

    def discard(self, key: str) -> None:
        if key in self.row_of:
            self.remove(key)

    def live(self) -> BoolArray:
        """bool[rows]: the rows that hold a pod."""
        return self.node >= 0

    def info(self, row: int) -> PodInfo:
        info = self.infos[row]
        assert info is not None, f"row {row} is free"
        return info

    def _new_row(self) -> int:
        """A free row. The columns grow by a fifth when there is none."""
        if self._free:
            return self._free.pop()
        old = len(self.node)
        if self._used == old:
            more = 16 + old // 5
            self.infos.extend([None] * more)
            for name in ("node", "signature", "priority", "start", "arrival"):
                setattr(self, name, np.concatenate([getattr(self, name), np.full(more, -1, np.int64)]))
            self.request.widen(more)
        self._used += 1
        return self._used - 1


def start_of(pod: Pod) -> int:
    start = pod.status.startTime
    return NEVER_STARTED if start is None else start


def same_info(one: Pod, other: Pod) -> bool:
    """Whether a :class:`PodInfo` is the same for both versions of a pod, apart from the objects and the start."""
    return (
        one.spec == other.spec
        and one.metadata.labels == other.metadata.labels
        and (one.metadata.deletionTimestamp is None) == (other.metadata.deletionTimestamp is None)
        and reported_resources(one) == reported_resources(other)
    )
