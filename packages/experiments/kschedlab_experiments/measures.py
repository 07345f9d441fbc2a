"""The measures of a run, from the log of its simulation: numbers for tables, and series for charts."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kschedlab.messages import later, say
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod, PodDisruptionBudget
from kschedlab.objects.requests import pod_requests
from kschedlab.preemption.budgets import MatchesBudget
from kschedlab_experiments.usage import NodeUse, allocatable_of
from kschedlab_simulation.log import Acted, Changed, Log, Step
from kschedlab_simulation.pods import TERMINAL, is_evicted, node_of
from kschedlab_simulation.report import percentile
from kschedlab_simulation.scheduler.context import EVICT, PREEMPT, SCHEDULE
from kschedlab_simulation.usage import MOMENTS, PODS, Array, moments_of

SHORTEST = 60 * SECOND
"""The shortest time that the measures cover, so that pods which come all at once count where they went."""


class Measure(NamedTuple):
    """How a measure is shown. ``unit``: "", "s" or "%"."""

    title: str
    unit: str = ""


MEASURES = {
    "pods": Measure(later("pods that arrived")),
    "placed": Measure(later("pods placed")),
    "pending": Measure(later("pods pending at the end")),
    "pending_mean": Measure(later("pods pending, mean over time")),
    "wait_p50": Measure(later("time to placement, p50"), "s"),
    "wait_p95": Measure(later("time to placement, p95"), "s"),
    "wait_p99": Measure(later("time to placement, p99"), "s"),
    "attempts": Measure(later("scheduling attempts")),
    "preemptions": Measure(later("preemptions")),
    "victims": Measure(later("victims of preemption")),
    "budget_violations": Measure(later("victims whose budget allowed no disruption")),
    "evictions": Measure(later("evictions through the API")),
    "empty_nodes": Measure(later("nodes without pods, mean over time")),
    "emptiable_nodes": Measure(later("nodes that could be emptied at the end")),
    "failures": Measure(later("entries of the timeline that failed")),
}
"""The measures of every run, in the order in which they are shown."""
BY_PRIORITY = {
    "preemptions": later("preemptions by pods of priority {which}"),
    "victims": later("victims of priority {which}"),
}
BY_RESOURCE = {
    "requested": later("requested {which}, mean over time"),
    "requested_end": later("requested {which} at the end"),
    "imbalance": later("imbalance of {which} between nodes"),
    "fragmentation": later("free {which} that is fragmented"),
}
"""Measures whose names end with what they are about: ``victims/100``, ``imbalance/cpu``."""


def measure_of(name: str) -> Measure:
    """How the measure of this name is shown."""
    if name in MEASURES:
        title, unit = MEASURES[name]
        return Measure(say(title), unit)
    kind, _, which = name.partition("/")
    message = BY_PRIORITY.get(kind) or BY_RESOURCE[kind]
    return Measure(say(message, which=which), "%" if kind in BY_RESOURCE else "")


def order(name: str) -> tuple[int, str, int, str]:
    """A key that sorts names of measures as they are shown."""
    kind, _, which = name.partition("/")
    if kind in BY_RESOURCE:
        return len(MEASURES), which, list(BY_RESOURCE).index(kind), ""
    return list(MEASURES).index(kind), "", -int(which) if which else -(2**40), ""


class Series(msgspec.Struct, frozen=True):
    """What changes over time. ``at``: seconds after the first arrival; ``requested``: by resource, from 0 to 1."""

    at: list[float]
    placed: list[int]
    pending: list[int]
    requested: dict[str, list[float]]


class Measured(NamedTuple):
    """The measures of a run by name; shares in percent, times in seconds."""

    numbers: dict[str, float]
    series: Series


def measured(log: Log) -> Measured:
    """The measures of a run. They cover the time from the first pod's arrival to the last arrival or binding of one, at
    least a minute.

    Later changes, such as pods that finish when no more arrive, count for preemptions and evictions only. A pod that
    was never placed has no time to placement. O(entries + moments * (pods' shapes) * nodes).
    """
    reader = _Reader(log)
    for entry in log:
        reader.take(entry)
    return reader.finish()


class _Reader:
    """Goes through the log once, and samples the state on the way."""

    def __init__(self, log: Log) -> None:
        plan = _Plan(log)
        self._usage = NodeUse(plan.resources, plan.nodes)
        self._shapes = self._usage.shapes(plan.requests)
        self._start, self._end = plan.start, plan.end
        self._moments = moments_of(plan.start, plan.end)
        self._counts: Counter[str] = Counter()
        self._since: dict[str, int] = {}
        self._waits: list[int] = []
        self._pods: dict[str, Pod] = {}
        self._budgets: dict[str, _Budget] = {}
        self._emptiable = 0
        self._samples: list[list[float]] = []
        self._means: list[Array] = []

    # -- entries

    def take(self, entry: Any) -> None:
        while len(self._samples) < MOMENTS and entry.at > self._moments[len(self._samples)]:
            self._sample()
        if isinstance(entry, Changed):
            self._changed(entry)
        elif isinstance(entry, Step):
            self._step(entry)
        elif isinstance(entry, Acted):
            self._counts["failures"] += bool(entry.error)

    def _changed(self, entry: Changed) -> None:
        if entry.kind == "Node":
            self._usage.node(entry.key, entry.new)
        elif entry.kind == "PodDisruptionBudget":
            if entry.new is None:
                self._budgets.pop(entry.key, None)
            else:
                self._budgets[entry.key] = _Budget(entry.new)
        elif entry.kind == "Pod":
            self._pod(entry.at, entry.key, entry.old, entry.new)

    def _pod(self, at: int, key: str, old: Pod | None, new: Pod | None) -> None:
        node, before = node_of(new), node_of(old)
        if node != before:
            self._usage.pod(key, node, new)
        if new is None:
            self._since.pop(key, None)
            self._pods.pop(key, None)
            return
        self._pods[key] = new
        self._counts["evictions"] += is_evicted(new) and not (old is not None and is_evicted(old))
        if new.spec.nodeName:
            if (since := self._since.pop(key, None)) is not None:
                self._waits.append(at - since)
        elif new.status.phase in TERMINAL:
            self._since.pop(key, None)
        elif old is None:
            self._since[key] = at
            self._counts["pods"] += 1

    def _step(self, entry: Step) -> None:
        if entry.step == SCHEDULE:
            self._counts["attempts"] += 1
        elif entry.step == PREEMPT and entry.node:
            self._count("preemptions", entry.pod)
        elif entry.step == EVICT:
            self._count("victims", entry.pod)
            pod = self._pods.get(entry.pod)
            if pod is not None:
                self._counts["budget_violations"] += any([each.violated_by(pod) for each in self._budgets.values()])

    def _count(self, what: str, key: str) -> None:
        self._counts[what] += 1
        if (pod := self._pods.get(key)) is not None:
            self._counts[f"{what}/{pod.spec.priority or 0}"] += 1

    # -- samples

    def _sample(self) -> None:
        usage = self._usage
        shares = usage.shares()
        pending = len(self._since)
        self._samples.append([len(self._waits), pending, *shares])
        self._means.append(
            np.concatenate([[pending, usage.empty()], shares, usage.imbalance(), usage.fragmentation(self._shapes)])
        )
        if len(self._samples) == MOMENTS:
            self._emptiable = usage.emptiable()

    def finish(self) -> Measured:
        while len(self._samples) < MOMENTS:
            self._sample()
        series = np.array(self._samples)
        pending, empty, *by_resource = np.mean(self._means, axis=0).tolist()
        numbers: dict[str, float] = {name: float(self._counts[name]) for name in MEASURES}
        numbers |= {name: float(times) for name, times in sorted(self._counts.items())}
        numbers |= {"placed": series[-1, 0], "pending": series[-1, 1], "pending_mean": pending}
        numbers |= {f"wait_p{percent}": percentile(self._waits, percent) for percent in (50, 95, 99)}
        numbers |= {"empty_nodes": empty, "emptiable_nodes": float(self._emptiable)}
        count = len(self._usage.resources)
        for row, resource in enumerate(self._usage.resources):
            if resource == PODS:
                continue
            requested, imbalance, fragmentation = by_resource[row::count]
            ends = {"requested": requested, "requested_end": series[-1, 2 + row]}
            ends |= {"imbalance": imbalance, "fragmentation": fragmentation}
            numbers |= {f"{kind}/{resource}": 100 * share for kind, share in ends.items()}
        return Measured({name: round(float(number), 6) for name, number in numbers.items()}, self._series(series))

    def _series(self, samples: Array) -> Series:
        return Series(
            at=[round((moment - self._start) / SECOND, 6) for moment in self._moments],
            placed=samples[:, 0].astype(int).tolist(),
            pending=samples[:, 1].astype(int).tolist(),
            requested={
                resource: samples[:, 2 + row].round(6).tolist()
                for row, resource in enumerate(self._usage.resources)
                if resource != PODS
            },
        )


class _Plan:
    """What the log is about, before it is read: resources and names of nodes, pods' requests, the time covered."""

    def __init__(self, log: Log) -> None:
        self.start = self.end = log.entries[0].at if len(log) else 0
        self.nodes: dict[str, None] = {}
        self.resources: dict[str, None] = dict.fromkeys(("cpu", "memory"))
        self.requests: list[dict[str, int]] = []
        for entry in log:
            if isinstance(entry, Changed) and entry.new is not None:
                if entry.kind == "Node":
                    self._node(entry.key, entry.new)
                elif entry.kind == "Pod":
                    self._pod(entry.at, entry.old, entry.new)
        self.end = max(self.end, self.start + SHORTEST)

    def _node(self, name: str, node: Node) -> None:
        self.nodes[name] = None
        has = allocatable_of(node)
        self.resources |= dict.fromkeys(name for name, amount in sorted(has.items()) if amount and "/" in name)

    def _pod(self, at: int, old: Pod | None, new: Pod) -> None:
        if old is None and not new.spec.nodeName:
            self.start, self.end = self.start if self.requests else at, at
            self.requests.append(pod_requests(new))
        elif old is not None and new.spec.nodeName != old.spec.nodeName:
            self.end = at


class _Budget:
    """A budget as its controller last wrote it, and the victims since."""

    def __init__(self, budget: PodDisruptionBudget) -> None:
        self._matches = MatchesBudget.of_budget(budget)
        self._exempt = budget.status.disruptedPods
        self._left = budget.status.disruptionsAllowed

    def violated_by(self, pod: Pod) -> bool:
        """Count the eviction of the pod: whether the budget covers it and allows no more disruptions.

        v1.37: pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation.
        """
        metadata = pod.metadata
        if metadata.name in self._exempt or not self._matches.covers(metadata.namespace, metadata.labels):
            return False
        self._left -= 1
        return self._left < 0
