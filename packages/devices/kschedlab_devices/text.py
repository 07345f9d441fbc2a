"""A decision's sections about devices: which ones the pod gets, or why nodes cannot serve its claims."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.stage import Verdicts
from kschedlab.messages import later, listed, meant, say
from kschedlab.objects.model import ResourceClaim
from kschedlab.text.sections import Section
from kschedlab.text.words import count
from kschedlab_devices.check import DeviceRefusals
from kschedlab_devices.claiming import demand_by
from kschedlab_devices.counters import APART, NO_COUNTERS
from kschedlab_devices.demand import NOT_ALL, NOT_AVAILABLE, Demand
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.readiness import has_conditions
from kschedlab_devices.requests import Want
from kschedlab_devices.search import (
    GIVEN_BACK,
    IN_USE,
    NO_CAPACITY,
    NOT_SELECTED,
    TAINTED,
    TAKEN,
    UNLIKE,
    SearchStep,
)

OUTCOMES = {
    TAKEN: later("found"),
    IN_USE: later("in use"),
    NOT_SELECTED: later("not selected"),
    NO_CAPACITY: meant("capacity", "outcome"),
    APART: later("compatibility groups"),
    NO_COUNTERS: meant("counters", "outcome"),
    TAINTED: later("tainted"),
}
"""The words of an explanation for what happened to devices."""


class RequestTrial(NamedTuple):
    """A request, and what happened to the devices that it was tried on, by device.

    ``request``: ``claim/request``, or ``claim/request/alternative``; ``wanted``: how many devices of which class;
    ``devices``: by ``driver/pool/device`` the outcome of the last try.
    """

    request: str
    wanted: str
    devices: dict[str, str]


def tried(demand: Demand, position: int) -> list[RequestTrial]:
    """The requests that the search on the node at this position came to, in its order."""
    steps: list[SearchStep] = []
    with suppress(AllocationError):  # the steps before it are what is asked for
        demand.search(position, steps)
    outcomes: dict[Want, dict[str, str]] = {}
    for step in steps:
        if step.outcome != GIVEN_BACK:
            unlike = step.outcome == UNLIKE and step.detail
            outcome = later("constraint {attribute}", attribute=step.detail) if unlike else step.outcome
            outcomes.setdefault(step.want, {})[str(step.device)] = outcome
    return [RequestTrial(_name(want), _wanted(want), devices) for want, devices in outcomes.items()]


def why_not(demand: Demand, position: int) -> list[str]:
    """A sentence for each claim or request that the node does not serve."""
    reason = demand.on(position).reason
    if reason == NOT_AVAILABLE:
        return [_unavailable(demand.claims[index]) for index in demand.unavailable_on(position)]
    if reason != NOT_ALL:
        return []
    lines = tried(demand, position)
    if not lines:
        return [say("the search finds no device to try")]
    message = later("{request} wants {wanted}: {found}")
    return [say(message, request=each.request, wanted=each.wanted, found=_outcomes(each.devices)) for each in lines]


def given(demand: Demand, position: int) -> list[str]:
    """A line for each claim: its devices on the node, those that it had and those that it gets."""
    allocations = iter(demand.on(position).allocations or ())
    lines = []
    for claim in demand.claims:
        had = claim.status.allocation
        allocation = had or next(allocations, None)
        if allocation is not None:
            devices = listed(f"{result.driver}/{result.pool}/{result.device}" for result in allocation.devices.results)
            message = later("{claim} has {devices}" if had else "{claim} gets {devices}")
            lines.append(say(message, claim=claim.metadata.name, devices=devices or say("no device")))
    return lines


def _unavailable(claim: ResourceClaim) -> str:
    message = later(
        "{claim} is allocated: its devices are elsewhere, or did not get ready"
        if has_conditions(claim)
        else "{claim} is allocated: its devices are elsewhere"
    )
    return say(message, claim=claim.metadata.name)


def _name(want: Want) -> str:
    return f"{want.claim.metadata.name}/{want.full_name}"


def _wanted(want: Want) -> str:
    number, name = want.request.count, want.request.deviceClassName
    if want.everything:
        return say("all devices of class {name}", name=name)
    message = later("{number} device of class {name}" if number == 1 else "{number} devices of class {name}")
    return say(message, number=number, name=name)


def _outcomes(devices: dict[str, str]) -> str:
    by_outcome: dict[str, list[str]] = {}
    for device, outcome in devices.items():
        by_outcome.setdefault(OUTCOMES.get(outcome, outcome), []).append(device)
    each = (say("{devices} {outcome}", devices=names, outcome=outcome) for outcome, names in by_outcome.items())
    return say("; ").join(each)


NODES = 8
"""Number of refusing nodes shown."""


def sections(
    plugin: DynamicResources, pod: PodInfo, cluster: Cluster, node: str | None, verdicts: Verdicts | None
) -> Iterator[Section]:
    """The devices on the chosen node, then what nodes lack that devices alone keep from taking the pod."""
    demand = demand_by(plugin, pod, cluster) if node is not None else None
    if node is not None and demand is not None and (devices := given(demand, cluster.index[node])):
        yield Section(say("Devices on {node}", node=node), devices)
    if verdicts is not None and (refusing := list(_refusing(verdicts, cluster))):
        yield Section(say("Nodes that cannot serve the claims"), refusing)


def _refusing(verdicts: Verdicts, cluster: Cluster) -> Iterator[str]:
    for number, refused in enumerate(verdicts.refusals):
        if not isinstance(refused, DeviceRefusals):
            continue
        positions = np.flatnonzero(verdicts.refused_by == number).tolist()
        explained = [(n, why_not(refused.demand, n)) for n in positions[:NODES]]
        for n, lines in explained:
            yield from (say("{node}: {line}", node=cluster.names[n], line=line) for line in lines)
        if any(lines for _, lines in explained) and len(positions) > NODES:
            yield say("and {nodes}", nodes=count(len(positions) - NODES, "more node"))
