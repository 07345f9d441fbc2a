"""The amounts at which a decision changes: of requests, weights and the priority, one at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

import numpy as np

from kschedlab.cluster.signatures import IntArray
from kschedlab.decision import Decision
from kschedlab.whatif.case import Boundary, Case, ranked

MEBIBYTE = 1 << 20
UNITS = {"memory": MEBIBYTE, "ephemeral-storage": MEBIBYTE}
"""The step by which a request changes; 1 for all other resources (cpu: 1m)."""
HIGHEST_WEIGHT = 100
HIGHEST_PRIORITY = 1_000_000_000
"""The highest that a PriorityClass may have unless it is the system's (v1.37: pkg/apis/scheduling/types.go)."""


def last(holds: Callable[[int], bool], amounts: range) -> int:
    """The index of the last amount for which ``holds`` is true, or -1. Those that hold must come first."""
    return bisect_left(amounts, True, key=lambda amount: not holds(amount)) - 1


# -- requests


def smaller(case: Case) -> Iterator[Boundary]:
    """For each resource: the largest request that fits, if reducing this resource alone is enough."""
    for resource, now in case.info.request.items():
        unit = UNITS.get(resource, 1)
        amounts = range(0, now, unit)
        index = _last_fitting(case, resource, amounts)
        if index >= 0:
            near = min(amounts[index] + unit, now)
            yield _boundary(case, resource, near, amounts[index])


def limits(case: Case) -> Iterator[Boundary]:
    """For each resource: the request at which the pod no longer fits anywhere."""
    for resource, now in case.info.request.items():
        unit = UNITS.get(resource, 1)
        if now and (row := case.cluster.resources.get(resource)) is not None:
            amounts = range(now, int(case.cluster.allocatable[row].max()) + 2 * unit, unit)
            index = _last_fitting(case, resource, amounts)
            if 0 <= index < len(amounts) - 1:
                yield _boundary(case, resource, amounts[index], amounts[index + 1])


def _last_fitting(case: Case, resource: str, amounts: range) -> int:
    return last(lambda amount: case.fits(case.asking(resource, amount)) > 0, amounts)


def elsewhere(case: Case, decision: Decision) -> Iterator[Boundary]:
    """For each resource, upwards and downwards: a request at which another node is chosen.

    The search doubles its steps, so other changes may lie in between. :func:`limits` reports the requests with which
    the pod fits nowhere.
    """
    node = decision.node
    for resource, now in case.info.request.items():
        unit = UNITS.get(resource, 1)
        highest = int(case.cluster.allocatable[case.cluster.resources[resource]].max()) + unit

        def stays(amount: int, resource: str = resource) -> bool:
            return node in case.decide(case.asking(resource, amount)).best

        for step, end in ((unit, highest), (-unit, -1)):
            amounts = range(now, end, step) if now else range(0)
            if (index := _first_change(stays, amounts)) is not None:
                boundary = _boundary(case, resource, amounts[index - 1], amounts[index])
                if boundary.after.node is not None:
                    yield boundary


def _first_change(stays: Callable[[int], bool], amounts: range) -> int | None:
    """The index of an amount at which ``stays`` turns from true to false, or None if none is found."""
    low, step = 0, 1
    while low + 1 < len(amounts):
        high = min(low + step, len(amounts) - 1)
        if not stays(amounts[high]):
            return low + 1 + last(stays, amounts[low:high]) if high > low + 1 else high
        low, step = high, 2 * step
    return None


def _boundary(case: Case, resource: str, near: int, far: int) -> Boundary:
    before, after = (case.decide(case.asking(resource, amount)) for amount in (near, far))
    return Boundary(resource, case.info.request[resource], near, far, before, after)


# -- weights


def other_weights(case: Case, decision: Decision) -> Iterator[Boundary]:
    """For each score plugin, upwards and downwards: the weight at which another node is chosen, up to 100.

    While one weight changes, a node stays best over a single range of it; the ends of that range are the boundaries.
    """
    scores, node = decision.scores, decision.node
    if scores is None or node is None:
        return
    chosen = scores.nodes.tolist().index(decision.cluster.index[node])
    for plugin, now, row in zip(scores.plugins, scores.weights, scores.rows, strict=True):

        def stays(weight: int, now: int = now, normalized: IntArray = row.normalized) -> bool:
            total = scores.total + (weight - now) * normalized
            return bool(total[chosen] == total.max())

        for weights in (range(now, HIGHEST_WEIGHT + 1), range(now, -1, -1)):
            index = last(stays, weights)
            if index < len(weights) - 1:
                near, far = weights[index], weights[index + 1]
                before, after = (case.decide(generation=case.generation.weighted(**{plugin: w})) for w in (near, far))
                yield Boundary(plugin, now, near, far, before, after)


def preempting_priority(case: Case, decision: Decision) -> Boundary | None:
    """The lowest allowed priority with which the pod would preempt, if it does not preempt already."""
    running = case.cluster.pods
    between = (running.priority >= case.info.priority) & (running.priority < HIGHEST_PRIORITY)
    priorities = np.unique(running.priority[running.live() & between]).tolist()
    if decision.nominated_node is not None or not priorities:
        return None

    def helps(priority: int) -> bool:
        return case.decide(ranked(case.info, priority + 1)).nominated_node is not None

    if not helps(priorities[-1]):
        return None
    near = priorities[bisect_left(priorities, True, key=helps)]
    before, after = (case.decide(ranked(case.info, priority)) for priority in (near, near + 1))
    return Boundary("priority", case.info.priority, near, near + 1, before, after)
