"""What a pod finds on each node: which devices its claims get there, and what is in the way of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kschedlab.cel import CelError, compile
from kschedlab.decision import Decision
from kschedlab.devices.allocator import Allocator
from kschedlab.devices.claims import ClaimError, claims_of
from kschedlab.devices.demand import NOT_ALL
from kschedlab.devices.errors import AllocationError
from kschedlab.devices.pools import Candidate, DeviceId
from kschedlab.devices.search import (
    GIVEN_BACK,
    IN_USE,
    NO_CAPACITY,
    NO_COUNTERS,
    NOT_SELECTED,
    TAINTED,
    TAKEN,
    UNLIKE,
    Step,
)
from kschedlab.devices.state import State, state_of
from kschedlab.objects.model import AllocationResult, Node, ResourceClaim

FREE, HELD, TAKES, OFFERED, TRIED = "free", "held", "takes", "offered", "tried"
"""What a device is for the pod, besides the outcomes of a search: not asked for, another claim's, part of the answer
(on the chosen node or on another one), or given back in the search."""

WORDS: Mapping[str, str] = {
    FREE: "is not asked for",
    HELD: "belongs to another claim",
    TAKES: "goes to the pod",
    OFFERED: "could go to the pod",
    TRIED: "was tried and given back",
    IN_USE: "is in use",
    NOT_SELECTED: "is not selected",
    NO_CAPACITY: "has too little capacity",
    NO_COUNTERS: "needs counters that are used up",
    TAINTED: "has a taint that the claim does not tolerate",
    UNLIKE: "breaks a constraint",
}


class Sight(NamedTuple):
    """A device as the pod finds it on a node. ``state``: FREE, HELD, TAKES, OFFERED, TRIED or an outcome of the search.

    ``facts``: attributes and capacity as text; ``brief``: the first of each. ``why``: the selector, constraint or claim
    behind the state.
    """

    id: DeviceId
    facts: tuple[str, ...]
    brief: tuple[str, ...]
    state: str
    why: str = ""

    @property
    def key(self) -> str:
        """Its key in a picture."""
        return f"device/{self.id}"

    @property
    def sentence(self) -> str:
        """What the device is for the pod."""
        return f"{self.id.device} {WORDS[self.state]}{f': {self.why}' if self.why else ''}"


class NodeSight(NamedTuple):
    """A node. ``reason``: why the claims are not allocated there, or ""; ``chosen``: whether the pod goes there."""

    node: str
    reason: str
    chosen: bool
    devices: tuple[Sight, ...]


def sights(decision: Decision) -> list[NodeSight]:
    """All nodes in the cluster's order, with the devices that each sees."""
    cluster = decision.cluster
    claims = _claims(decision)
    waiting = tuple(claim for claim in claims if claim.status.allocation is None)
    state = state_of(cluster)
    own = {claim.metadata.name for claim in claims}
    holders = _holders(cluster.objects_of(ResourceClaim))
    allocator = Allocator(state)
    return [_node(decision, node, waiting, state, allocator, holders, own) for node in cluster.nodes]


def _claims(decision: Decision) -> tuple[ResourceClaim, ...]:
    """The pod's claims, as far as they are ready."""
    cluster = decision.cluster
    try:
        return claims_of(decision.pod.pod, lambda key: cluster.find(ResourceClaim, key))
    except ClaimError:
        return ()


def _holders(claims: Iterable[ResourceClaim]) -> dict[DeviceId, list[str]]:
    """The claims that hold each device."""
    held: dict[DeviceId, list[str]] = {}
    for claim in claims:
        for id in _results(claim.status.allocation):
            held.setdefault(id, []).append(claim.metadata.name)
    return held


def _results(allocation: AllocationResult | None) -> Sequence[DeviceId]:
    results = allocation.devices.results if allocation is not None else ()
    return [DeviceId(result.driver, result.pool, result.device) for result in results]


def _node(
    decision: Decision,
    node: Node,
    waiting: Sequence[ResourceClaim],
    state: State,
    allocator: Allocator,
    holders: Mapping[DeviceId, list[str]],
    own: set[str],
) -> NodeSight:
    log: list[Step] = []
    reason = ""
    taken: set[DeviceId] = {id for id, names in holders.items() if own & set(names)}
    if waiting:
        try:
            found = allocator.allocate(node, waiting, log)
        except AllocationError as error:
            found, reason = None, str(error)
        if found is None:
            reason = reason or NOT_ALL
        taken |= {id for result in found or () for id in _results(result)}
    last = {step.device: step for step in log}
    pools = state.inventory.visible(node).pools.values()
    devices = [device for pool in pools for device in pool.devices]
    seen = tuple(_sight(device, taken, last.get(device.id), holders.get(device.id, [])) for device in devices)
    name = node.metadata.name
    if decision.node != name:
        seen = tuple(each._replace(state=OFFERED) if each.state == TAKES else each for each in seen)
    return NodeSight(name, reason, decision.node == name, seen)


def _sight(device: Candidate, taken: set[DeviceId], step: Step | None, holders: Sequence[str]) -> Sight:
    shown = device.id, *_facts(device)
    if device.id in taken:
        return Sight(*shown, TAKES)
    if holders and (step is None or step.outcome == IN_USE):
        return Sight(*shown, HELD, ", ".join(holders))
    if step is None:
        return Sight(*shown, FREE)
    if step.outcome in (TAKEN, GIVEN_BACK):
        return Sight(*shown, TRIED)
    why = step.detail
    if step.outcome == NOT_SELECTED:
        why = _selector(device, step)
    elif step.outcome == TAINTED:
        why = ", ".join(f"{taint.key}={taint.value}" if taint.value else taint.key for taint in device.taints)
    return Sight(*shown, step.outcome, why)


def _selector(device: Candidate, step: Step) -> str:
    """The first selector that does not select the device."""
    of_class = step.want.device_class.spec.selectors if step.want.device_class is not None else ()
    for selector in (*of_class, *step.want.request.selectors):
        if selector.cel is None:
            continue
        try:
            if not compile(selector.cel.expression).matches(device.id.driver, device.device):
                return selector.cel.expression
        except CelError as error:
            return str(error)
    return ""


def _facts(device: Candidate) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(all attributes and capacity by name, without the domain; the first attribute and the first capacity)."""
    attributes = [_fact(name, each.value) for name, each in device.device.attributes.items()]
    capacity = [_fact(name, each.value) for name, each in device.device.capacity.items()]
    brief = [*attributes[:1], *capacity[:1]] if capacity else attributes[:2]
    return (*attributes, *capacity), tuple(brief)


def _fact(name: str, value: object) -> str:
    return f"{name.rpartition('/')[2]} {str(value).lower() if isinstance(value, bool) else value}"
