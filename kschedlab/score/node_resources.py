"""NodeResourcesFit and NodeResourcesBalancedAllocation: how full would the node be, and how balanced?

v1.37: pkg/scheduler/framework/plugins/noderesources (resource_allocation.go, least_allocated.go, most_allocated.go,
requested_to_capacity_ratio.go, balanced_allocation.go) and plugins/helper/shape_score.go.
v1.20: the same folder, with a plugin for each strategy. v1.16, v1.13: pkg/scheduler/algorithm/priorities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, FloatArray, IntArray
from kschedlab.filter.dynamic_resources import claims_for, is_served
from kschedlab.objects.requests import is_scalar
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored, rounded

Resources = tuple[tuple[str, int], ...]
"""(resource, weight) pairs."""

CPU_AND_MEMORY: Resources = (("cpu", 1), ("memory", 1))


def least_allocated(requested: IntArray, capacity: IntArray, highest: int = MAX_NODE_SCORE) -> IntArray:
    """``(capacity - requested) * highest / capacity`` in integers; 0 where requests exceed the capacity."""
    return np.maximum(capacity - requested, 0) * highest // np.maximum(capacity, 1)


def most_allocated(requested: IntArray, capacity: IntArray, highest: int = MAX_NODE_SCORE) -> IntArray:
    """``requested * highest / capacity`` in integers; the highest where requests exceed the capacity."""
    return np.minimum(requested, capacity) * highest // np.maximum(capacity, 1)


@dataclass(frozen=True)
class RequestedToCapacityRatio:
    """A piecewise linear function from utilization (0 to 100 %) to score (0 to 10, scaled to the highest).

    ``shape``: its points. Named rules:

    ``rounds_utilization_up``: the utilization is rounded up, not down (v1.20:
    noderesources/requested_to_capacity_ratio.go).
    ``ignores_zero_scores``: a resource that scores 0 is left out of the mean, which is rounded; else it counts, and the
    mean is rounded down (v1.13: algorithm/priorities/requested_to_capacity_ratio.go).
    """

    shape: tuple[tuple[int, int], ...]
    rounds_utilization_up: bool = False
    ignores_zero_scores: bool = True

    def __call__(self, requested: IntArray, capacity: IntArray, highest: int = MAX_NODE_SCORE) -> IntArray:
        up = capacity - 1 if self.rounds_utilization_up else 0
        percent = (np.minimum(requested, capacity) * 100 + up) // np.maximum(capacity, 1)
        percent = np.where(capacity == 0, 100, percent)
        points = [(at, score * (highest // 10)) for at, score in self.shape]
        result = np.full_like(percent, points[-1][1])
        for (x0, y0), (x1, y1) in reversed(list(pairwise(points))):
            rise = (y1 - y0) * (percent - x0)
            line = y0 + np.sign(rise) * (np.abs(rise) // (x1 - x0))
            result = np.where(percent <= x1, line, result)
        return np.where(percent <= points[0][0], points[0][1], result)


Strategy = Callable[[IntArray, IntArray, int], IntArray]
"""(requested, capacity, highest score) -> score of one resource, int64[nodes]; a node without it counts as full."""


@dataclass(frozen=True)
class NodeResourcesFitScore:
    """The weighted mean of the strategy's score, from 0 to ``highest``, over ``resources``.

    Named rule ``ignores_absent_resources``: a resource that the node does not have is left out of its mean, and an
    extended resource that the pod does not request is left out everywhere; devices that serve a resource count.
    ``adds_overhead``: the pod's overhead counts, its cpu as that many millis as it has whole cpus, rounded up (v1.22:
    the plugins that only v1beta1 has; resource_allocation.go, calculatePodResourceRequest).
    """

    name: str = "NodeResourcesFit"
    strategy: Strategy = least_allocated
    resources: Resources = CPU_AND_MEMORY
    highest: int = MAX_NODE_SCORE
    ignores_absent_resources: bool = True
    adds_overhead: bool = False

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Terms: for each resource the requests with the pod (and the non-zero defaults), the capacity, the score."""
        ignores_zero_scores = isinstance(self.strategy, RequestedToCapacityRatio) and self.strategy.ignores_zero_scores
        sum_of_scores, sum_of_weights, terms = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64), {}
        for name, weight in self.resources:
            request = resource_request(pod, name, nonzero=True)
            if self.adds_overhead and name in ("cpu", "memory") and name in pod.pod.spec.overhead:
                request += pod.pod.spec.overhead[name].value()
            if self.ignores_absent_resources and is_scalar(name) and request == 0:
                continue
            capacity, used = usage(cluster, name, nodes, True, pod if self.ignores_absent_resources else None)
            requested = used + request
            score = self.strategy(requested, capacity, self.highest)
            counted: BoolArray | bool = capacity > 0 if self.ignores_absent_resources else True
            if ignores_zero_scores:
                counted = counted & (score > 0)
            weights = counted * weight
            sum_of_scores += score * weights
            sum_of_weights += weights
            terms[name] = {"requested": requested, "capacity": capacity, "score": score}
        weights = np.maximum(sum_of_weights, 1)
        raw = rounded(sum_of_scores / weights) if ignores_zero_scores else sum_of_scores // weights
        return Scored(raw, raw, terms)


@dataclass(frozen=True)
class BalancedResourceAllocation:
    """Before v1.22: the closeness of the utilizations of cpu and memory: (1 - difference) * highest, truncated.

    0 where either would be full. v1.20: noderesources/balanced_allocation.go; v1.16, v1.13:
    algorithm/priorities/balanced_resource_allocation.go. Later: :class:`NodeResourcesBalancedAllocation`.
    """

    name: str = "NodeResourcesBalancedAllocation"
    highest: int = MAX_NODE_SCORE

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Terms: for each resource the requests with the pod (and the non-zero defaults)."""
        fractions, terms = [], {}
        for name, _ in CPU_AND_MEMORY:
            capacity, used = usage(cluster, name, nodes, nonzero=True)
            requested = used + resource_request(pod, name, nonzero=True)
            fractions.append(np.where(capacity > 0, requested / np.maximum(capacity, 1), 1.0))
            terms[name] = {"requested": requested, "capacity": capacity}
        cpu, memory = fractions
        balanced = ((1 - np.abs(cpu - memory)) * float(self.highest)).astype(np.int64)
        raw = np.where((cpu >= 1) | (memory >= 1), 0, balanced)
        return Scored(raw, raw, terms)


@dataclass(frozen=True)
class NodeResourcesBalancedAllocation:
    """From v1.22: how much the pod improves the utilization's balance: 50 + (50 + with - without) / 2. Named rules:

    ``measures_gain``: else the score is the balance with the pod (v1.35: the same file, balancedResourceScorer).
    ``counts_overhead_in_millis``: else the overhead's cpu counts as that many millis as it has whole cpus, rounded up
    (v1.26: resource_allocation.go, calculatePodResourceRequest).
    ``skips_best_effort``: a pod that requests none of the resources is skipped, else scored (v1.32: the same file).
    """

    name: str = "NodeResourcesBalancedAllocation"
    resources: Resources = CPU_AND_MEMORY
    measures_gain: bool = True
    skips_best_effort: bool = True
    counts_overhead_in_millis: bool = True

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        """Skips a pod that requests none of the resources. Terms: the balance with and without the pod."""
        requests = {name: resource_request(pod, name, nonzero=False) for name, _ in self.resources}
        overhead = pod.pod.spec.overhead
        if "cpu" in overhead and "cpu" in requests and not self.counts_overhead_in_millis:
            requests["cpu"] += overhead["cpu"].value() - overhead["cpu"].milli()
        if self.skips_best_effort and not any(np.any(amount) for amount in requests.values()):
            return None
        capacities, before, after, terms = [], [], [], {}
        for name, amount in requests.items():
            if is_scalar(name) and amount == 0:
                continue
            capacity, used = usage(cluster, name, nodes, False, pod)
            capacities.append(capacity)
            before.append(used)
            after.append(used + amount)
            terms[name] = {"requested": after[-1], "used": used, "capacity": capacity}
        if not terms:
            capacities = before = after = [np.zeros_like(nodes)]
        present = present_on(capacities)
        with_pod = balance(after, capacities, present)
        if not self.measures_gain:
            return Scored(with_pod, with_pod, {**terms, "with": with_pod})
        without = balance(before, capacities, present)
        change = MAX_NODE_SCORE // 2 + with_pod - without
        raw = MAX_NODE_SCORE // 2 + (change / 2).astype(np.int64)  # rounded toward zero
        return Scored(raw, raw, {**terms, "with": with_pod, "without": without})


def present_on(capacities: list[IntArray]) -> list[BoolArray] | None:
    """By resource: bool[nodes], whether the node has it; None for the usual case of two that every node has."""
    present = [capacity > 0 for capacity in capacities]
    return None if len(present) == 2 and all(each.all() for each in present) else present


def balance(requested: list[IntArray], capacities: list[IntArray], present: list[BoolArray] | None) -> IntArray:
    """``(1 - standard deviation of requested / capacity) * 100``, truncated. int64[nodes].

    ``requested``, ``capacities``: by resource. One that the node does not have is left out (:func:`present_on`).
    """
    pairs = zip(requested, capacities, strict=True)
    if present is None:
        first, second = (np.minimum(used / capacity, 1.0) for used, capacity in pairs)
        deviation = np.abs((first - second) / 2)
    else:
        fraction = [np.minimum(used / np.maximum(capacity, 1), 1.0) for used, capacity in pairs]
        deviation = _deviation(np.array(fraction), np.array(present))
    return ((1 - deviation) * float(MAX_NODE_SCORE)).astype(np.int64)


def _deviation(fraction: FloatArray, present: BoolArray) -> FloatArray:
    """float64[nodes]: the standard deviation over the resources that are present. Both arguments: [resources, nodes].

    Sums in the order of the resources, as the real scheduler does: floating point is not associative.
    """
    number = present.sum(axis=0)
    total = np.zeros(fraction.shape[1])
    for row, has_resource in zip(fraction, present, strict=True):
        total = total + np.where(has_resource, row, 0.0)
    mean = total / np.maximum(number, 1)
    squares = np.zeros_like(total)
    difference = np.zeros_like(total)
    for row, has_resource in zip(fraction, present, strict=True):
        squares = squares + np.where(has_resource, (row - mean) * (row - mean), 0.0)
        difference = np.where(has_resource, row - difference, difference)
    root = np.sqrt(squares / np.maximum(number, 1))
    return np.where(number > 2, root, np.where(number == 2, np.abs(difference / 2), 0.0))


def resource_request(pod: PodInfo, resource: str, nonzero: bool) -> int:
    """The pod's request; with ``nonzero``, unrequested cpu and memory count as 100m and 200 MiB."""
    if nonzero and resource in ("cpu", "memory"):
        return pod.scored[0 if resource == "cpu" else 1]
    return pod.request.get(resource, 0)


def usage(
    cluster: Cluster, resource: str, nodes: IntArray, nonzero: bool, devices_for: PodInfo | None = None
) -> tuple[IntArray, IntArray]:
    """(capacity, used): int64[scored nodes] each. ``devices_for``: count devices that serve it to this pod."""
    if devices_for is not None and is_served(devices_for.pod, cluster, resource):
        return claims_for(devices_for.pod).usage(cluster, resource, nodes)
    row = cluster.resources.get(resource)
    if row is None:
        return np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
    used = cluster.nonzero[row] if nonzero and row < 2 else cluster.requested[row]
    return cluster.allocatable[row].take(nodes), used.take(nodes)
