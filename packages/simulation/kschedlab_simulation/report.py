"""The figures of a run: throughput, attempts, waiting times, utilization, evictions, unschedulable pods.

A pure function of the event log, of a live run or one that was read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab_simulation.log import Acted, Began, Changed, Log, Measured, Step
from kschedlab_simulation.pods import TERMINAL
from kschedlab_simulation.scheduler.context import (
    BIND,
    BIND_VOLUMES,
    EVICT,
    FAIL,
    PERMIT,
    POP,
    PRE_BIND,
    PREEMPT,
    SCHEDULE,
    SKIP,
    WAIT_ON_PERMIT,
)

EVICTED = "EvictionByEvictionAPI"
CPU, MEMORY = 0, 1
BINDING_CYCLE = {
    PERMIT: "Permit",
    WAIT_ON_PERMIT: "Permit",
    BIND_VOLUMES: "PreBind, for its volumes",
    PRE_BIND: "PreBind",
    BIND: "Bind",
}
"""Where a pod waits after this step, in words."""


@dataclass(frozen=True)
class WaitTimes:
    """Seconds from creation to binding, for the pods of one priority."""

    pods: int
    p50: float
    p95: float
    longest: float


@dataclass(frozen=True)
class Utilization:
    """The share of the nodes' allocatable that their pods request, from 0 to 1: time-weighted mean, and final value.

    ``over_time``: (seconds after the start, share from then on).
    """

    mean: float
    final: float
    over_time: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Throughput:
    """The result of a named measurement: bound pods, in total and per second of virtual time."""

    name: str
    pods: int
    seconds: float
    pods_per_second: float | None


@dataclass(frozen=True)
class Report:
    """The figures of a run. Times are in seconds; ``pods_per_second`` is None where no time has passed.

    ``seconds``: virtual time from the start to the last entry; ``created``: pods created without a node;
    ``pods_per_second``: from the first creation to the last binding; ``wall_pods_per_second``: per second of wall-clock
    time, if known. ``attempts``: scheduling cycles; ``failed_attempts``: cycles that found no node; ``skipped``: popped
    pods that were not scheduled. ``preemptions``: pods that preempted others; ``victims``: the preempted pods;
    ``evicted``: pods evicted through the eviction API. ``waits``: by priority; ``unschedulable``: pods without a node
    at the end, with the reason; ``failures``: failed timeline entries, with file and line.
    """

    generation: str
    seed: int
    seconds: float
    created: int
    bound: int
    pods_per_second: float | None
    wall_pods_per_second: float | None
    attempts: int
    failed_attempts: int
    skipped: int
    preemptions: int
    victims: int
    evicted: int
    deleted: int
    waits: dict[int, WaitTimes]
    cpu: Utilization
    memory: Utilization
    throughput: tuple[Throughput, ...]
    unschedulable: dict[str, str]
    failures: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self) | {"waits": {str(priority): asdict(waits) for priority, waits in self.waits.items()}}


def report_of(log: Log, wall: float | None = None) -> Report:
    """The report of a log. ``wall``: wall-clock seconds of the run. O(entries)."""
    reading = _LogReader()
    for entry in log:
        reading.take(entry)
    return reading.finish(wall)


class _Measurement:
    """A measurement in progress."""

    def __init__(self, start_entry: Measured) -> None:
        self.start_entry = start_entry
        self.pods = 0
        self.last = start_entry.at

    def pod_bound(self, at: int, pod: Pod) -> None:
        selection, metadata = self.start_entry, pod.metadata
        if metadata.namespace in selection.namespaces and selection.labels.items() <= metadata.labels.items():
            self.pods += 1
            self.last = at

    def result(self) -> Throughput:
        seconds = (self.last - self.start_entry.at) / SECOND
        return Throughput(self.start_entry.name, self.pods, seconds, _rate(self.pods, seconds))


class _Amounts(NamedTuple):
    """CPU and memory: nanos."""

    cpu: int
    memory: int


class _Usage:
    """Tracks the utilization of the nodes over time."""

    def __init__(self) -> None:
        self._allocatable = [0, 0]
        self._used = [0, 0]
        self._pod_requests: dict[str, tuple[str, _Amounts]] = {}
        self._pods_on_node: dict[str, dict[str, None]] = {}
        self._nodes: dict[str, _Amounts] = {}
        self.points: list[tuple[int, float, float]] = []

    def node(self, at: int, key: str, node: Node | None) -> None:
        previous = self._nodes.pop(key, None)
        allocatable = None if node is None else _allocatable_of(node)
        pods = [self._pod_requests[pod][1] for pod in self._pods_on_node.get(key, ())]
        if previous is not None:
            self._add(self._allocatable, previous, -1)
            for amounts in pods:
                self._add(self._used, amounts, -1)
        if allocatable is not None:
            self._nodes[key] = allocatable
            self._add(self._allocatable, allocatable, 1)
            for amounts in pods:
                self._add(self._used, amounts, 1)
        if previous != allocatable:
            self._point(at)

    def pod(self, at: int, key: str, pod: Pod | None) -> None:
        node = "" if pod is None or pod.status.phase in TERMINAL else pod.spec.nodeName
        previous = self._pod_requests.get(key)
        if (previous[0] if previous is not None else "") == node:
            return
        if previous is not None:
            del self._pod_requests[key], self._pods_on_node[previous[0]][key]
            if previous[0] in self._nodes:
                self._add(self._used, previous[1], -1)
        if node and pod is not None:
            requests = pod_requests(pod)
            amounts = _Amounts(requests.get("cpu", 0), requests.get("memory", 0))
            self._pod_requests[key] = node, amounts
            self._pods_on_node.setdefault(node, {})[key] = None
            if node in self._nodes:
                self._add(self._used, amounts, 1)
        self._point(at)

    def _add(self, sums: list[int], amounts: _Amounts, sign: int) -> None:
        sums[CPU] += sign * amounts.cpu
        sums[MEMORY] += sign * amounts.memory

    def _point(self, at: int) -> None:
        cpu, memory = (
            used / allocatable if allocatable else 0.0
            for used, allocatable in zip(self._used, self._allocatable, strict=True)
        )
        if self.points and self.points[-1][0] == at:
            self.points.pop()
        self.points.append((at, cpu, memory))

    def used(self, resource: int, start: int, end: int) -> Utilization:
        """The utilization of CPU or memory between these times."""
        points = [(point[0], point[1 + resource]) for point in self.points]
        ends = [at for at, _ in points[1:]] + [end]
        area = sum(value * (then - at) for (at, value), then in zip(points, ends, strict=False))
        mean = area / (end - start) if end > start else (points[-1][1] if points else 0.0)
        over_time = tuple(((at - start) / SECOND, value) for at, value in _changes(points))
        return Utilization(mean, points[-1][1] if points else 0.0, over_time)


def _changes(points: Iterable[tuple[int, float]]) -> Iterable[tuple[int, float]]:
    """The points whose value differs from the one before."""
    latest = None
    for point in points:
        if point[1] != latest:
            latest = point[1]
            yield point


def _allocatable_of(node: Node) -> _Amounts:
    allocatable = node.status.allocatable
    cpu, memory = allocatable.get("cpu"), allocatable.get("memory")
    return _Amounts(cpu.milli() if cpu is not None else 0, memory.value() if memory is not None else 0)


class _LogReader:
    """Accumulates a report while reading a log."""

    def __init__(self) -> None:
        self.start_entry: Began | None = None
        self.start: int | None = None
        self.end = 0
        self.counts = dict.fromkeys(("created", "bound", "attempts", "failed", "skipped", "victims", "evicted"), 0)
        self.deleted = 0
        self.preemptions = 0
        self.pending: dict[str, Pod] = {}
        self.binding: dict[str, Step] = {}
        self.since: dict[str, int] = {}
        self.first: int | None = None
        self.last = 0
        self.waits: dict[int, list[int]] = {}
        self.usage = _Usage()
        self.open: dict[str, _Measurement] = {}
        self.throughput: list[Throughput] = []
        self.failures: list[str] = []

    def take(self, entry: Any) -> None:
        self.start = entry.at if self.start is None else self.start
        self.end = entry.at
        if isinstance(entry, Changed):
            if entry.kind == "Pod":
                self._pod(entry.at, entry.key, entry.old, entry.new)
            elif entry.kind == "Node":
                self.usage.node(entry.at, entry.key, entry.new)
        elif isinstance(entry, Step):
            self._step(entry)
        elif isinstance(entry, Measured):
            self._measured(entry)
        elif isinstance(entry, Acted):
            if entry.error:
                place = f"{entry.place}: " if entry.place else ""
                self.failures.append(f"{place}{entry.act}: {entry.error}")
        elif isinstance(entry, Began):
            self.start_entry = entry

    def _step(self, entry: Step) -> None:
        counts = self.counts
        if entry.step in BINDING_CYCLE:
            self.binding[entry.pod] = entry
        elif entry.step in (POP, FAIL):
            self.binding.pop(entry.pod, None)
        if entry.step == SCHEDULE:
            counts["attempts"] += 1
            counts["failed"] += not entry.node
        elif entry.step == SKIP:
            counts["skipped"] += 1
        elif entry.step == EVICT:
            counts["victims"] += 1
        elif entry.step == PREEMPT and entry.node:
            self.preemptions += 1

    def _measured(self, entry: Measured) -> None:
        if entry.on:
            self.open[entry.name] = _Measurement(entry)
        elif entry.name in self.open:
            self.throughput.append(self.open.pop(entry.name).result())

    def _pod(self, at: int, key: str, old: Pod | None, new: Pod | None) -> None:
        self.usage.pod(at, key, new)
        if new is None:
            self.deleted += 1
            self.pending.pop(key, None)
            self.since.pop(key, None)
            return
        self.counts["evicted"] += _is_evicted(new) and (old is None or not _is_evicted(old))
        if old is None and not new.spec.nodeName:
            self.counts["created"] += 1
        if not new.spec.nodeName:
            self.pending[key] = new
            self.since.setdefault(key, at)
            self.first = at if self.first is None else self.first
        elif key in self.pending:
            del self.pending[key]
            self._bound(at, new, self.since.pop(key))

    def _bound(self, at: int, pod: Pod, since: int) -> None:
        self.counts["bound"] += 1
        self.last = at
        self.waits.setdefault(pod.spec.priority or 0, []).append(at - since)
        for window in self.open.values():
            window.pod_bound(at, pod)

    def finish(self, wall: float | None) -> Report:
        start, counts = self.start or 0, self.counts
        unfinished = [window.result() for window in self.open.values()]
        waiting = {key: pod for key, pod in sorted(self.pending.items()) if pod.status.phase not in TERMINAL}
        return Report(
            generation=self.start_entry.generation if self.start_entry else "",
            seed=self.start_entry.seed if self.start_entry else 0,
            seconds=(self.end - start) / SECOND,
            created=counts["created"],
            bound=counts["bound"],
            pods_per_second=_rate(
                counts["bound"], (self.last - self.first) / SECOND if self.first is not None else 0.0
            ),
            wall_pods_per_second=_rate(counts["bound"], wall or 0.0),
            attempts=counts["attempts"],
            failed_attempts=counts["failed"],
            skipped=counts["skipped"],
            preemptions=self.preemptions,
            victims=counts["victims"],
            evicted=counts["evicted"],
            deleted=self.deleted,
            waits={priority: _waits(self.waits[priority]) for priority in sorted(self.waits, reverse=True)},
            cpu=self.usage.used(CPU, start, self.end),
            memory=self.usage.used(MEMORY, start, self.end),
            throughput=(*self.throughput, *unfinished),
            unschedulable={key: _why(pod, self.binding.get(key)) for key, pod in waiting.items()},
            failures=tuple(self.failures),
        )


def _rate(pods: int, seconds: float) -> float | None:
    return pods / seconds if seconds > 0 else None


def _waits(waits: Sequence[int]) -> WaitTimes:
    ordered = sorted(waits)

    def percentile(percent: int) -> float:
        """Nearest-rank percentile, in seconds."""
        return ordered[-(-len(ordered) * percent // 100) - 1] / SECOND

    return WaitTimes(len(ordered), percentile(50), percentile(95), ordered[-1] / SECOND)


def _is_evicted(pod: Pod) -> bool:
    return any(condition.reason == EVICTED for condition in pod.status.conditions)


def _why(pod: Pod, binding: Step | None) -> str:
    """What the pod's binding cycle waits for, or the message of its PodScheduled condition."""
    if binding is not None:
        return f"has the node {binding.node} and waits in {BINDING_CYCLE[binding.step]}"
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            return condition.message or condition.reason
    return ""
