"""What nodes have, what their pods request, and what is left that nobody can use: by node, pool and time.

Every resource of a node counts, also those of devices (GPUs), and each driver of dynamic resource allocation as one
more, in devices. cpu is in milli, all else in units.

===============  ======================================================================================================
``allocatable``  what the node has
``requested``    what its pods request
``used``         of that, the requests of pods that run; of devices, those that are reserved for a pod
``stranded``     what is free where no pod of the run that requests the resource fits: something else is missing
``fragmented``   what is free where such a pod does not fit: the mean over these pods, each as often as it occurred
===============  ======================================================================================================

The last two compare requests alone: no taint, affinity or volume (after Weng et al., "Beware of Fragmentation",
USENIX ATC 2023, section 3, for any resource and on the level of nodes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.manifests.loading import Objects
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod, ResourceClaim, ResourceSlice
from kschedlab.objects.requests import pod_requests
from kschedlab_simulation.log import Changed, LogEntry
from kschedlab_simulation.pods import node_of

Array = npt.NDArray[np.float64]

PODS = "pods"
ALLOCATABLE, REQUESTED, USED, STRANDED, FRAGMENTED = range(5)
MOMENTS = 50
"""The number of moments, equally far from each other, that a report shows; the last is the end."""
SHAPES = 200
"""So many different requests count as the pods of the run, the most frequent ones."""
CLUSTER, POOL, NODE = "cluster", "pool", "node"


@dataclass(frozen=True)
class Amounts:
    """Amounts of one resource."""

    allocatable: float
    requested: float
    used: float
    stranded: float
    fragmented: float


@dataclass(frozen=True)
class ResourceUse:
    """One resource of the cluster, of a pool or of a node. ``mean``: over time; ``final``: at the end.

    ``scope``: cluster, pool or node; ``name``: of the pool or node, "" for the cluster.
    """

    scope: str
    name: str
    resource: str
    mean: Amounts
    final: Amounts


@dataclass(frozen=True)
class Sample:
    """One resource at one moment. ``at``: seconds after the start; ``pool``: "" for the whole cluster."""

    at: float
    pool: str
    resource: str
    amounts: Amounts


@dataclass(frozen=True)
class Usage:
    """``resources``: mean and end, of the cluster, each pool and each node. ``samples``: over time, by pool."""

    resources: tuple[ResourceUse, ...] = ()
    samples: tuple[Sample, ...] = ()


def moments_of(start: int, end: int) -> list[int]:
    """The moments that are shown, in microseconds; one alone if no time passes."""
    if end <= start:
        return [end]
    return [start + (end - start) * number // (MOMENTS - 1) for number in range(MOMENTS)]


def usage_of(entries: Sequence[LogEntry]) -> Usage:
    """The usage in a log. O(entries * (shapes + resources))."""
    changes = [entry for entry in entries if isinstance(entry, Changed)]
    plan = _Plan(changes)
    if not plan.nodes:
        return Usage()
    reader = _Reader(plan, entries[0].at, entries[-1].at)
    for entry in changes:
        reader.take(entry)
    return reader.finish()


class Shapes(NamedTuple):
    """The different requests of a run's pods. ``demand``: float64[shapes, resources].

    ``asks``: float64[shapes, resources], how many pods of the shape request the resource.
    """

    demand: Array
    asks: Array

    def lost(self, free: Array) -> tuple[Array, Array]:
        """What is stranded and what is fragmented of ``free``: float64[resources, nodes] each, at least 0."""
        fits = (self.demand[:, :, None] <= free).all(axis=1)
        fitting, asking = self.asks.T @ fits, self.asks.sum(axis=0)[:, None]
        stranded = np.where((asking > 0) & (fitting == 0), free, 0)
        return stranded, np.where(asking > 0, free * (1 - fitting / np.maximum(asking, 1)), 0)


class _Plan:
    """What a log has in all: its resources, its nodes with their last object, and the shapes of its pods."""

    def __init__(self, changes: Iterable[Changed]) -> None:
        self.nodes: dict[str, Node] = {}
        resources: dict[str, None] = {}
        drivers: dict[str, None] = {}
        shapes: Counter[tuple[frozenset[tuple[str, int]], bool]] = Counter()
        for entry in changes:
            if entry.kind == "Node" and entry.new is not None:
                self.nodes[entry.key] = entry.new
                resources |= dict.fromkeys(entry.new.status.allocatable)
            elif entry.kind == "ResourceSlice" and entry.new is not None:
                drivers[entry.new.spec.driver] = None
            elif entry.kind == "Pod" and entry.old is None and entry.new is not None:
                shapes[frozenset(pod_requests(entry.new).items()), bool(entry.new.spec.resourceClaims)] += 1
        self.drivers = [name for name in drivers if name not in resources]
        self.resources = [*resources, *self.drivers]
        self.row = {name: row for row, name in enumerate(self.resources)}
        common = shapes.most_common(SHAPES)
        times = np.array([each for _, each in common], np.float64)
        demand: Array = np.zeros((len(common), len(self.resources)))
        for place, ((request, claims), _) in enumerate(common):
            demand[place] = self.vector(dict(request))
            demand[place, [self.row[name] for name in self.drivers]] = claims
        asks = np.where(demand > 0, times[:, None], 0)
        demand[:, [self.row[name] for name in self.drivers]] = 0  # which devices it takes is not in the request
        self.shapes = Shapes(demand, asks)

    def vector(self, request: Mapping[str, int]) -> Array:
        """float64[resources]: what a pod with this request takes, itself included."""
        made: Array = np.zeros(len(self.resources))
        for name, amount in (dict(request) | {PODS: 1}).items():
            if (row := self.row.get(name)) is not None:
                made[row] = amount
        return made

    def pools(self) -> dict[str, list[str]]:
        """The names of each pool's nodes."""
        cluster = Cluster(Objects(nodes=list(self.nodes.values())))
        return {pool: [cluster.names[place] for place in places] for pool, places in pools(cluster).items()}


class _Reader:
    """Follows the amounts of each node: float64[amounts, resources, nodes], and their sums over time.

    ``_nodes``, ``_taken``: float64[resources, nodes], what the nodes have and what is taken of it, whether the node is
    there or not: of all, and of that by pods that run.
    """

    def __init__(self, plan: _Plan, start: int, end: int) -> None:
        self._plan, self._start, self._end = plan, start, end
        shape = len(plan.resources), len(plan.nodes)
        self._column = {name: column for column, name in enumerate(plan.nodes)}
        self._nodes: Array = np.zeros(shape)
        self._taken: Array = np.zeros((2, *shape))
        self._now: Array = np.zeros((5, *shape))
        self._sum: Array = np.zeros((5, *shape))
        self._since: Array = np.full(len(plan.nodes), float(start))
        self._there = np.zeros(len(plan.nodes), np.bool_)
        self._pods: dict[str, tuple[str, Array, bool]] = {}
        self._devices: dict[tuple[str, str, str], str] = {}
        self._claims: dict[str, list[tuple[int, int, bool]]] = {}
        self._moments = moments_of(start, end)
        self._columns = {pool: [self._column[name] for name in names] for pool, names in plan.pools().items()}
        self._samples: list[Sample] = []
        self._shown = 0

    def take(self, entry: Changed) -> None:
        while entry.at > self._moments[self._shown]:
            self._sample()
        if entry.kind == "Node":
            self._node(entry.at, entry.key, entry.new)
        elif entry.kind == "Pod":
            self._pod(entry.at, entry.key, entry.new)
        elif entry.kind == "ResourceSlice":
            self._slice(entry.at, entry.old, entry.new)
        elif entry.kind == "ResourceClaim":
            self._claim(entry.at, entry.key, entry.new)

    def _node(self, at: int, name: str, node: Node | None) -> None:
        column = self._column[name]
        self._there[column] = node is not None
        if node is not None:
            own = len(self._plan.resources) - len(self._plan.drivers)
            self._nodes[:own, column] = 0
            for resource, quantity in node.status.allocatable.items():
                self._nodes[self._plan.row[resource], column] = quantity.amount(resource)
        self._refresh(at, column)

    def _pod(self, at: int, key: str, pod: Pod | None) -> None:
        node = node_of(pod)
        runs = pod is not None and pod.status.phase == "Running"
        before = self._pods.get(key)
        if (before[0] if before is not None else "") == node and (before is None or before[2] == runs):
            return
        changed = set[int]()
        if before is not None:
            del self._pods[key]
            changed |= self._take(*before, sign=-1)
        if node and pod is not None:
            taken = before[1] if before is not None else self._plan.vector(pod_requests(pod))
            self._pods[key] = node, taken, runs
            changed |= self._take(node, taken, runs, sign=1)
        for column in changed:
            self._refresh(at, column)

    def _take(self, node: str, taken: Array, runs: bool, sign: int) -> set[int]:
        """Add or subtract what a pod takes; returns the column of its node, if there ever is one."""
        column = self._column.get(node)
        if column is None:
            return set()
        self._taken[0, :, column] += sign * taken
        if runs:
            self._taken[1, :, column] += sign * taken
        return {column}

    def _slice(self, at: int, old: ResourceSlice | None, new: ResourceSlice | None) -> None:
        for each, sign in ((old, -1), (new, 1)):
            column = self._column.get((each.spec.nodeName or "") if each is not None else "")
            if each is None or column is None:
                continue
            spec = each.spec
            for device in spec.devices:
                self._devices[spec.driver, spec.pool.name, device.name] = spec.nodeName or ""
            if spec.driver in self._plan.drivers:
                self._nodes[self._plan.row[spec.driver], column] += sign * len(spec.devices)
            self._refresh(at, column)

    def _claim(self, at: int, key: str, new: ResourceClaim | None) -> None:
        before, now = self._claims.pop(key, []), list[tuple[int, int, bool]]()
        if new is not None and new.status.allocation is not None:
            for each in new.status.allocation.devices.results:
                column = self._column.get(self._devices.get((each.driver, each.pool, each.device), ""))
                if column is not None and each.driver in self._plan.drivers:
                    now.append((self._plan.row[each.driver], column, bool(new.status.reservedFor)))
            self._claims[key] = now
        for devices, sign in ((before, -1), (now, 1)):
            for row, column, reserved in devices:
                self._taken[0, row, column] += sign
                self._taken[1, row, column] += sign * reserved
        for column in {column for _, column, _ in (*before, *now)}:
            self._refresh(at, column)

    def _refresh(self, at: int, column: int) -> None:
        """Compute the node's amounts again, after the time since its last change is added to the sums."""
        now = self._now[:, :, column]
        self._sum[:, :, column] += now * (at - self._since[column])
        self._since[column] = at
        if not self._there[column]:
            now[:] = 0
            return
        before = now[: REQUESTED + 1].copy()
        now[ALLOCATABLE], now[REQUESTED : USED + 1] = self._nodes[:, column], self._taken[:, :, column]
        if (now[: REQUESTED + 1] != before).any():
            free = np.maximum(now[ALLOCATABLE] - now[REQUESTED], 0)[:, None]
            now[STRANDED], now[FRAGMENTED] = (lost[:, 0] for lost in self._plan.shapes.lost(free))

    def _sample(self) -> None:
        at = (self._moments[self._shown] - self._start) / SECOND
        self._shown += 1
        for pool, columns in self._scopes():
            sums = self._now[:, :, columns].sum(axis=2)
            self._samples += [
                Sample(at, pool, resource, _amounts(sums[:, row])) for resource, row in self._plan.row.items()
            ]

    def _scopes(self) -> Iterator[tuple[str, list[int]]]:
        yield "", list(self._column.values())
        yield from self._columns.items()

    def finish(self) -> Usage:
        while self._shown < len(self._moments):
            self._sample()
        for column in self._column.values():
            self._refresh(self._end, column)
        duration = self._end - self._start
        mean = self._sum / duration if duration else self._now
        rows = [
            ResourceUse(
                CLUSTER if not pool else POOL,
                pool,
                resource,
                _amounts(mean[:, row][:, columns].sum(axis=1)),
                _amounts(self._now[:, row][:, columns].sum(axis=1)),
            )
            for pool, columns in self._scopes()
            for resource, row in self._plan.row.items()
        ]
        rows += [
            ResourceUse(NODE, name, resource, _amounts(mean[:, row, column]), _amounts(self._now[:, row, column]))
            for name, column in self._column.items()
            for resource, row in self._plan.row.items()
            if self._now[ALLOCATABLE, row, column] or self._sum[ALLOCATABLE, row, column]
        ]
        return Usage(tuple(rows), tuple(self._samples))


def _amounts(values: Any) -> Amounts:
    return Amounts(*(round(value, 6) for value in values.tolist()))
