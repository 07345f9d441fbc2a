"""Why a node serves a pod's claims or not: the allocator's search, summed up for each request.

The search runs again for the nodes that somebody asks about, this time with a record of its steps.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from kschedlab.devices.demand import NOT_ALL, NOT_AVAILABLE, Demand
from kschedlab.devices.errors import AllocationError
from kschedlab.devices.readiness import has_conditions
from kschedlab.devices.requests import Want
from kschedlab.devices.search import GIVEN_BACK, TAKEN, UNLIKE, Step
from kschedlab.objects.model import ResourceClaim


class Tried(NamedTuple):
    """A request, and what happened to the devices that it was tried on, by device.

    ``request``: ``claim/request``, or ``claim/request/alternative``; ``wanted``: how many devices of which class;
    ``devices``: by ``driver/pool/device`` the outcome of the last try.
    """

    request: str
    wanted: str
    devices: dict[str, str]


def tried(demand: Demand, position: int) -> list[Tried]:
    """The requests that the search on the node at this position came to, in its order."""
    steps: list[Step] = []
    with suppress(AllocationError):  # the steps before it are what is asked for
        demand.search(position, steps)
    found: dict[Want, dict[str, str]] = {}
    for step in steps:
        if step.outcome != GIVEN_BACK:
            outcome = f"{step.outcome} {step.detail}".strip() if step.outcome == UNLIKE else step.outcome
            found.setdefault(step.want, {})[str(step.device)] = outcome
    return [Tried(_name(want), _wanted(want), devices) for want, devices in found.items()]


def why_not(demand: Demand, position: int) -> list[str]:
    """A sentence for each claim or request that the node does not serve."""
    reason = demand.on(position).reason
    if reason == NOT_AVAILABLE:
        return [_unavailable(demand.claims[index]) for index in demand.unavailable_on(position)]
    if reason != NOT_ALL:
        return []
    lines = tried(demand, position)
    if not lines:
        return ["the search finds no device to try"]
    return [f"{each.request} wants {each.wanted}: {_outcomes(each.devices)}" for each in lines]


def given(demand: Demand, position: int) -> list[str]:
    """A line for each claim: its devices on the node, those that it had and those that it gets."""
    allocations = iter(demand.on(position).allocations or ())
    lines = []
    for claim in demand.claims:
        had = claim.status.allocation
        allocation = had or next(allocations, None)
        if allocation is not None:
            devices = (f"{each.driver}/{each.pool}/{each.device}" for each in allocation.devices.results)
            verb = "has" if had else "gets"
            lines.append(f"{claim.metadata.name} {verb} {', '.join(devices) or 'no device'}")
    return lines


def _unavailable(claim: ResourceClaim) -> str:
    where = "its devices are elsewhere"
    if has_conditions(claim):
        where = "its devices are elsewhere, or did not get ready"
    return f"{claim.metadata.name} is allocated: {where}"


def _name(want: Want) -> str:
    return f"{want.claim.metadata.name}/{want.full_name}"


def _wanted(want: Want) -> str:
    amount = "all devices" if want.everything else f"{want.request.count} device{'s' * (want.request.count != 1)}"
    return f"{amount} of class {want.request.deviceClassName}"


def _outcomes(devices: dict[str, str]) -> str:
    by_outcome: dict[str, list[str]] = {}
    for device, outcome in devices.items():
        by_outcome.setdefault("found" if outcome == TAKEN else outcome, []).append(device)
    return "; ".join(f"{', '.join(names)} {outcome}" for outcome, names in by_outcome.items())
