"""From which amount on is something else decided? Requests, weights and the priority, one at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

import numpy as np

from kschedlab.cluster.signatures import IntArray
from kschedlab.decision import Decision
from kschedlab.whatif.case import Boundary, Case, ranked

MEBIBYTE = 1 << 20
UNITS = {"memory": MEBIBYTE, "ephemeral-storage": MEBIBYTE}
"""The steps in which a request is changed; 1 for all other resources (cpu: 1m)."""
HIGHEST_WEIGHT = 100


def last(holds: Callable[[int], bool], amounts: range) -> int:
    """The place of the last amount that holds, -1 if none does: all that hold come first."""
    return bisect_left(amounts, True, key=lambda amount: not holds(amount)) - 1


# -- requests


def smaller(case: Case) -> Iterator[Boundary]:
    """For each resource: the largest amount with which the pod fits, if less of this one resource is enough."""
    for resource, now in case.info.request.items():
        unit = UNITS.get(resource, 1)
        amounts = range(0, now, unit)
        place = _fitting(case, resource, amounts)
        if place >= 0:
            near = min(amounts[place] + unit, now)
            yield _asked(case, resource, near, amounts[place])


def limits(case: Case) -> Iterator[Boundary]:
    """For each resource: the amount from which on the pod fits nowhere."""
    for resource, now in case.info.request.items():
        unit = UNITS.get(resource, 1)
        if now and (row := case.cluster.resources.get(resource)) is not None:
            amounts = range(now, int(case.cluster.allocatable[row].max()) + 2 * unit, unit)
            place = _fitting(case, resource, amounts)
            if 0 <= place < len(amounts) - 1:
                yield _asked(case, resource, amounts[place], amounts[place + 1])


def _fitting(case: Case, resource: str, amounts: range) -> int:
    """The place of the last amount with which the pod fits somewhere."""
    return last(lambda amount: case.fits(case.asking(resource, amount)) > 0, amounts)


def elsewhere(case: Case, decision: Decision) -> Iterator[Boundary]:
    """For each resource, upwards and downwards: an amount at which another node is chosen.

    It is looked for in steps that double, so that another node may be chosen in between as well. Amounts with which the
    pod fits nowhere are told by :func:`limits`.
    """
    node = decision.node
    for resource, now in case.info.request.items():
        unit = UNITS.get(resource, 1)
        most = int(case.cluster.allocatable[case.cluster.resources[resource]].max()) + unit

        def stays(amount: int, resource: str = resource) -> bool:
            return node in case.decide(case.asking(resource, amount)).best

        for way, end in ((unit, most), (-unit, -1)):
            amounts = range(now, end, way) if now else range(0)
            if (place := _first_change(stays, amounts)) is not None:
                found = _asked(case, resource, amounts[place - 1], amounts[place])
                yield from [found] if found.after.node is not None else []


def _first_change(stays: Callable[[int], bool], amounts: range) -> int | None:
    """The place of an amount that doesn't hold while the one before it does; None if none was found."""
    known, step = 0, 1
    while known + 1 < len(amounts):
        tried = min(known + step, len(amounts) - 1)
        if not stays(amounts[tried]):
            return known + 1 + last(stays, amounts[known:tried]) if tried > known + 1 else tried
        known, step = tried, 2 * step
    return None


def _asked(case: Case, resource: str, near: int, far: int) -> Boundary:
    before, after = (case.decide(case.asking(resource, amount)) for amount in (near, far))
    return Boundary(resource, case.info.request[resource], near, far, before, after)


# -- weights


def other_weights(case: Case, decision: Decision) -> Iterator[Boundary]:
    """For each score plugin, upwards and downwards: the weight at which another node is chosen, up to 100.

    With one weight moved, a node stays the best over one range of it, so that the ends of that range are all there is.
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
            place = last(stays, weights)
            if place < len(weights) - 1:
                near, far = weights[place], weights[place + 1]
                before, after = (case.decide(generation=case.generation.weighted(**{plugin: w})) for w in (near, far))
                yield Boundary(plugin, now, near, far, before, after)


def preempting_priority(case: Case, decision: Decision) -> Boundary | None:
    """The priority from which on the pod would preempt somebody, if it is above its own."""
    running = case.cluster.pods
    above = np.unique(running.priority[running.live() & (running.priority >= case.info.priority)]).tolist()
    if decision.nominated_node is not None or not above:
        return None

    def helps(priority: int) -> bool:
        return case.decide(ranked(case.info, priority + 1)).nominated_node is not None

    if not helps(above[-1]):
        return None
    near = above[bisect_left(above, True, key=helps)]
    before, after = (case.decide(ranked(case.info, priority)) for priority in (near, near + 1))
    return Boundary("priority", case.info.priority, near, near + 1, before, after)
