"""The figures of a run: throughput, attempts, waiting times, utilization, evictions, unschedulable pods.

A pure function of the event log, of a live run or one that was read back.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from functools import lru_cache
from io import StringIO
from typing import Any

import msgspec

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab_simulation.log import Acted, Began, Changed, Log, LogEntry, Measured, Step
from kschedlab_simulation.pods import TERMINAL, is_evicted
from kschedlab_simulation.rollouts import ROLLOUTS, Rollouts, StuckRollout
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
from kschedlab_simulation.usage import CLUSTER, NODE, POOL, Amounts, ResourceUse, Sample, Usage, moments_of, usage_of

_MESSAGE = re.compile(r"0/\d+ nodes are available:? ?(?P<reasons>.*?)\.?( preemption: .*)?", re.DOTALL)
_BETWEEN, _COUNT = re.compile(r", (?=\d+ )"), re.compile(r"^\d+ ")
_NODE = re.compile(r"has the node \S+ and waits")
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
class Pending:
    """The pods without a node at one moment, by cause. ``at``: seconds after the start."""

    at: float
    pods: dict[str, int]


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
    at the end, with the reason; ``failures``: failed timeline entries, with file and line. ``resources``: each resource
    of the cluster, of each pool and node, mean and final; ``usage``: the same over time, by pool. ``pending``: pods
    without a node over time, by cause. ``stuck``: rollouts that are not complete at the end.
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
    resources: tuple[ResourceUse, ...]
    usage: tuple[Sample, ...]
    pending: tuple[Pending, ...]
    stuck: tuple[StuckRollout, ...]
    throughput: tuple[Throughput, ...]
    unschedulable: dict[str, str]
    failures: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self) | {"waits": {str(priority): asdict(waits) for priority, waits in self.waits.items()}}

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON schema of :meth:`to_dict`."""
        return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | msgspec.json.schema(Report)


def csv_of(report: Report) -> str:
    """The amounts of each resource as CSV: the cluster and its pools over time, then each node at the end."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("at", "scope", "name", "resource", *Amounts.__dataclass_fields__))
    for sample in report.usage:
        scope = POOL if sample.pool else CLUSTER
        writer.writerow((sample.at, scope, sample.pool, sample.resource, *astuple(sample.amounts)))
    for use in report.resources:
        if use.scope == NODE:
            writer.writerow((report.seconds, NODE, use.name, use.resource, *astuple(use.final)))
    return text.getvalue()


def report_of(log: Log, wall: float | None = None) -> Report:
    """The report of a log. ``wall``: wall-clock seconds of the run. O(entries)."""
    reading = _LogReader(log.entries)
    for entry in log:
        reading.take(entry)
    return reading.finish(wall, usage_of(log.entries))


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


class _LogReader:
    """Accumulates a report while reading a log."""

    def __init__(self, entries: Sequence[LogEntry]) -> None:
        self.start_entry: Began | None = None
        self.start, self.end = (entries[0].at, entries[-1].at) if entries else (0, 0)
        self.moments = moments_of(self.start, self.end) if entries else []
        self.causes: list[Pending] = []
        self.counts = dict.fromkeys(("created", "bound", "attempts", "failed", "skipped", "victims", "evicted"), 0)
        self.deleted = 0
        self.preemptions = 0
        self.pending: dict[str, Pod] = {}
        self.binding: dict[str, Step] = {}
        self.since: dict[str, int] = {}
        self.first: int | None = None
        self.last = 0
        self.waits: dict[int, list[int]] = {}
        self.rollouts = Rollouts()
        self.open: dict[str, _Measurement] = {}
        self.throughput: list[Throughput] = []
        self.failures: list[str] = []

    def take(self, entry: Any) -> None:
        while len(self.causes) < len(self.moments) and entry.at > self.moments[len(self.causes)]:
            self._sample()
        if isinstance(entry, Changed):
            if entry.kind == "Pod":
                self._pod(entry.at, entry.key, entry.old, entry.new)
            elif entry.kind in ROLLOUTS:
                self.rollouts.take(entry)
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
        if new is None:
            self.deleted += 1
            self.pending.pop(key, None)
            self.since.pop(key, None)
            return
        self.counts["evicted"] += is_evicted(new) and (old is None or not is_evicted(old))
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

    def _waiting(self) -> dict[str, tuple[Pod, str]]:
        """The pods without a node, each with its reason."""
        return {
            key: (pod, _why(pod, self.binding.get(key)))
            for key, pod in sorted(self.pending.items())
            if pod.status.phase not in TERMINAL
        }

    def _sample(self) -> None:
        counted = Counter(cause_of(why) for _, why in self._waiting().values())
        at = (self.moments[len(self.causes)] - self.start) / SECOND
        self.causes.append(Pending(at, dict(counted.most_common())))

    def finish(self, wall: float | None, usage: Usage) -> Report:
        while len(self.causes) < len(self.moments):
            self._sample()
        start, counts, waiting = self.start, self.counts, self._waiting()
        by_cause = {key: (pod, cause_of(why)) for key, (pod, why) in waiting.items()}
        unfinished = [window.result() for window in self.open.values()]
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
            resources=usage.resources,
            usage=usage.samples,
            pending=tuple(self.causes),
            stuck=self.rollouts.stuck(start, by_cause),
            throughput=(*self.throughput, *unfinished),
            unschedulable={key: why for key, (_, why) in waiting.items()},
            failures=tuple(self.failures),
        )


def _rate(pods: int, seconds: float) -> float | None:
    return pods / seconds if seconds > 0 else None


def percentile(waits: Sequence[int], percent: int) -> float:
    """The nearest-rank percentile of microseconds, in seconds; NaN of none."""
    return sorted(waits)[-(-len(waits) * percent // 100) - 1] / SECOND if waits else float("nan")


def _waits(waits: Sequence[int]) -> WaitTimes:
    return WaitTimes(len(waits), *(percentile(waits, percent) for percent in (50, 95, 100)))


def _why(pod: Pod, binding: Step | None) -> str:
    """What the pod's binding cycle waits for, or the message of its PodScheduled condition."""
    if binding is not None:
        return f"has the node {binding.node} and waits in {BINDING_CYCLE[binding.step]}"
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            return condition.message or condition.reason
    return ""


NOT_TRIED = "not tried yet"


@lru_cache(4096)
def cause_of(why: str) -> str:
    """What a pod waits for, without numbers: pods that differ only in how many nodes refuse them have one cause.

    ``why``: a FailedScheduling message, of which the reasons remain, sorted; another message stays as it is.
    """
    if (found := _MESSAGE.fullmatch(why)) is None:
        return _NODE.sub("has a node and waits", why) or NOT_TRIED
    reasons = {_COUNT.sub("", each) for each in _BETWEEN.split(found["reasons"])}
    return ", ".join(sorted(reasons - {""})) or "no nodes"
