"""What a pod finds on each node: which devices its claims get there, and what is in the way of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from kschedlab.cluster.object_store import key_of
from kschedlab.decision import Decision
from kschedlab.filter.plugin import SchedulingError
from kschedlab.messages import later, listed, say
from kschedlab.objects.model import AllocationResult, DeviceAttribute, ResourceClaim
from kschedlab_devices.claiming import demand_for
from kschedlab_devices.counters import APART, NO_COUNTERS
from kschedlab_devices.demand import Demand
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.pools import Candidate, DeviceId
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
from kschedlab_devices.state import state_of
from kube_cel import CelError, compile

OPEN, FREE, HELD, TAKES, OFFERED, TRIED, PICKED = "open", "free", "held", "takes", "offered", "tried", "picked"
"""What a device is for the pod, besides the outcomes of a search: not looked at yet, never reached, another claim's,
part of the answer (on the chosen node or on another one), given back in the search, or taken so far."""
SELECTED, FAILS, SPARED = "selected", "fails", "spared"
"""What a device is for a selector alone, besides not selected: selected, or the selector ends in an error, which the
search reaches or not."""

ROOT = "resource.kubernetes.io/pcieRoot"
"""The attribute that every driver gives the same name."""


class Told(NamedTuple):
    """What is said of a device after its name; what is in its way, where there is little room; and the sign for it."""

    words: str
    brief: str = ""
    sign: str = ""


TOLD: Mapping[str, Told] = {
    OPEN: Told(later("is free")),
    FREE: Told(later("was not reached: the search ended before it")),
    HELD: Told(later("is held by another claim"), later("held"), "lock"),
    TAKES: Told(later("goes to the pod")),
    OFFERED: Told(later("could go to the pod")),
    TRIED: Told(later("was tried and given back"), later("given back"), "reprieved"),
    PICKED: Told(later("is taken so far")),
    IN_USE: Told(later("is in use"), later("in use"), "lock"),
    NOT_SELECTED: Told(later("is not selected"), later("not selected")),
    NO_CAPACITY: Told(later("has too little capacity"), later("too little is left"), "full"),
    APART: Told(later("has no compatibility group in common with others"), later("another group"), "pods"),
    NO_COUNTERS: Told(later("needs counters that are used up"), later("too little is left"), "full"),
    TAINTED: Told(later("has a taint that the claim does not tolerate"), later("tainted"), "taint"),
    UNLIKE: Told(later("breaks a constraint"), later("breaks a constraint"), "pods"),
    SELECTED: Told(later("is selected")),
    FAILS: Told(later("ends in an error"), later("an error"), "error"),
    SPARED: Told(later("would end in an error, but the search ends before it"), sign="error"),
}
"""By state. One that is not selected has no sign."""
ATTRIBUTE = re.compile(r'device\.attributes\["[^"]+"\]\s*\.(\w+)\s*== "([^"]*)"')
CAPACITY = re.compile(r'device\.capacity\["[^"]+"\]\s*\.(\w+)\s*\.compareTo\(quantity\("([^"]*)"\)\) >= 0')
PLAIN = (
    (ATTRIBUTE, "≠", later("has {name} {own}; {who} wants {wanted}")),
    (CAPACITY, "<", later("has {name} {own}; {who} wants {wanted} or more")),
)
"""Selectors whose reason can be said without CEL, shortly and in words."""


class Reason(NamedTuple):
    """What a device is for the pod: one of the states above, or an outcome of the search.

    ``why``: more about it, such as the selector, constraint or claim behind it; ``plain``: a sentence that replaces
    both; ``brief``: the same in a word or two; ``proof``: the expression that is false.
    """

    state: str
    why: str = ""
    plain: str = ""
    brief: str = ""
    proof: str = ""

    @property
    def words(self) -> str:
        what = say(TOLD[self.state].words)
        return self.plain or (say("{what}: {why}", what=what, why=self.why) if self.why else what)

    @property
    def shortly(self) -> str:
        """What is in the way, where there is little room."""
        return self.brief or say(TOLD[self.state].brief)


class Sight(NamedTuple):
    """A device as the pod finds it on a node, and what it is for the pod.

    ``facts``: attributes and capacity as text. ``kind``: the first attribute; ``amount`` and ``size``: the first
    capacity as text and as a number; ``wire``: its PCIe root, which joins it to others; ``taints``: the
    device's own.
    """

    id: DeviceId
    facts: tuple[str, ...]
    kind: str
    amount: str
    size: float
    wire: str
    taints: str
    reason: Reason

    @property
    def state(self) -> str:
        return self.reason.state

    @property
    def key(self) -> str:
        """Its key in a picture."""
        return f"device/{self.id}"

    @property
    def sentence(self) -> str:
        """What the device is for the pod."""
        return f"{self.id.device} {self.reason.words}"


class NodeSight(NamedTuple):
    """A node. ``reason``: why the claims are not allocated there, or ""; ``chosen``: whether the pod goes there.

    ``steps``: each step of the search, as the device and what it was for the pod then.
    """

    node: str
    reason: str
    chosen: bool
    devices: tuple[Sight, ...]
    steps: tuple[Sight, ...] = ()


def sights(decision: Decision) -> list[NodeSight]:
    """All nodes in the cluster's order, with the devices that each sees."""
    cluster = decision.cluster
    demand = _demand(decision)
    namespace = decision.pod.pod.metadata.namespace
    own = {key_of(claim) for claim in demand.claims} if demand is not None else set()
    holders = _holders(cluster.objects_of(ResourceClaim), namespace, own)
    return [_node(decision, position, demand, holders) for position in range(len(cluster.nodes))]


def _demand(decision: Decision) -> Demand | None:
    """What the pod demands; None if nothing, or if its claims are not ready."""
    try:
        return demand_for(decision.pod, decision.cluster, decision.generation)
    except SchedulingError:
        return None


class _Holder(NamedTuple):
    """A claim that holds a device: its name (with the namespace if it is another), and whether it is the pod's."""

    name: str
    own: bool


def _holders(
    claims: Iterable[ResourceClaim], namespace: str, own: Set[tuple[str, str]]
) -> dict[DeviceId, list[_Holder]]:
    """The claims that hold each device."""
    held: dict[DeviceId, list[_Holder]] = {}
    for claim in claims:
        key = key_of(claim)
        holder = _Holder(key[1] if key[0] == namespace else "/".join(key), key in own)
        for id in _results(claim.status.allocation):
            held.setdefault(id, []).append(holder)
    return held


def _results(allocation: AllocationResult | None) -> Sequence[DeviceId]:
    results = allocation.devices.results if allocation is not None else ()
    return [DeviceId(result.driver, result.pool, result.device) for result in results]


def _node(
    decision: Decision, position: int, demand: Demand | None, holders: Mapping[DeviceId, list[_Holder]]
) -> NodeSight:
    node = decision.cluster.nodes[position]
    log: list[SearchStep] = []
    reason = ""
    taken: set[DeviceId] = {id for id, found in holders.items() if any(each.own for each in found)}
    if demand is not None and demand.unallocated:
        answer = demand.on(position)
        reason = answer.reason
        with suppress(AllocationError):
            demand.search(position, log)
        taken |= {id for result in answer.allocations or () for id in _results(result)}
    pools = state_of(decision.cluster).inventory.visible(node).pools.values()
    devices = {device.id: device for pool in pools for device in pool.devices}
    last = {step.device: step for step in log}
    seen, steps = [], []
    for step in log:
        device = devices[step.device]
        reason_ = Reason(PICKED) if step.outcome == TAKEN else _state(device, step, holders.get(device.id, []))
        steps.append(_sight(device, reason_))
    for id, device in devices.items():
        final = last.get(id)
        reason_ = Reason(TAKES) if id in taken else _state(device, final, holders.get(id, []))
        if reason_.state == TAKES and decision.node != node.metadata.name:
            reason_ = Reason(OFFERED)
        seen.append(_sight(device, reason_))
    return NodeSight(node.metadata.name, reason, decision.node == node.metadata.name, tuple(seen), tuple(steps))


def _sight(device: Candidate, reason: Reason) -> Sight:
    return Sight(device.id, *_facts(device), _taints(device), reason)


def _state(device: Candidate, step: SearchStep | None, holders: Sequence[_Holder]) -> Reason:
    """What the device is for the pod after this step, its last; and why."""
    if holders and (step is None or step.outcome == IN_USE):
        return _held(device, step, held_by(listed(each.name for each in holders)))
    if step is None:
        return Reason(FREE)
    if step.outcome in (TAKEN, GIVEN_BACK):
        return Reason(TRIED)
    if step.outcome == NOT_SELECTED:
        return _not_selected(device, step)
    if step.outcome == TAINTED:
        return Reason(TAINTED, _taints(device), brief=say("taint: {taints}", taints=_taints(device)))
    if step.outcome == UNLIKE:
        brief = say("other root") if step.detail == ROOT else ""
        return Reason(UNLIKE, say("another {attribute}", attribute=short(step.detail)), brief=brief)
    return Reason(step.outcome, step.detail)


def held_by(claims: str) -> Reason:
    """What a device of these claims is for the pod."""
    return Reason(HELD, claims, say("is held by {claims}", claims=claims), say("held by {claims}", claims=claims))


def _held(device: Candidate, step: SearchStep | None, held: Reason) -> Reason:
    """Why a device that another claim holds is not taken: that one's end does not help if it is not selected either."""
    also = _not_selected(device, step) if step is not None else held
    if not also.proof:
        return held
    return held._replace(plain=say("{held}, and {why}", held=held.words, why=also.words), proof=also.proof)


def _taints(device: Candidate) -> str:
    return listed(f"{taint.key}={taint.value}" if taint.value else taint.key for taint in device.taints)


def _not_selected(device: Candidate, step: SearchStep) -> Reason:
    """The first selector that does not select the device, in plain words if it is a simple one."""
    of_class = step.want.device_class.spec.selectors if step.want.device_class is not None else ()
    for place, selector in enumerate((*of_class, *step.want.request.selectors)):
        if selector.cel is None:
            continue
        expression = selector.cel.expression
        try:
            if not compile(expression).matches(device.id.driver, device.device):
                return _in_words(device, expression, say("the class" if place < len(of_class) else "the claim"))
        except CelError as error:
            return Reason(NOT_SELECTED, str(error))
    return Reason(NOT_SELECTED)


def _in_words(device: Candidate, expression: str, who: str) -> Reason:
    """Why this false expression does not select the device. ``who``: whose expression it is."""
    proof = say("{expression} is false", expression=expression)
    facts = {short(name): _value(each) for name, each in device.device.attributes.items()}
    facts |= {short(name): str(each.value) for name, each in device.device.capacity.items()}
    for pattern, sign, message in PLAIN:
        if (match := pattern.fullmatch(expression)) and match[1] in facts:
            own, wanted = facts[match[1]], match[2]
            plain = say(message, name=match[1], own=own, who=who, wanted=wanted)
            return Reason(NOT_SELECTED, proof, plain, f"{own} {sign} {wanted}", proof)
    return Reason(NOT_SELECTED, proof)


def short(name: str) -> str:
    """An attribute's name without its domain."""
    return name.rpartition("/")[2]


def _facts(device: Candidate) -> tuple[tuple[str, ...], str, str, float, str]:
    """What a :class:`Sight` has of the device itself: names of attributes are without their domain."""
    attributes = [(name, _value(each)) for name, each in device.device.attributes.items()]
    capacity = [(name, each.value) for name, each in device.device.capacity.items()]
    facts = tuple(_fact(name, str(value)) for name, value in [*attributes, *capacity])
    kind, amount = (attributes[0][1] if attributes else ""), (capacity[0][1] if capacity else None)
    root = device.attribute(ROOT)
    wire = _fact(ROOT, _value(root)) if root is not None else ""
    size = float(amount.value()) if amount is not None else 0.0
    return facts, kind, str(amount) if amount is not None else "", size, wire


def _fact(name: str, value: str) -> str:
    return f"{short(name)} {value}"


def _value(attribute: DeviceAttribute) -> str:
    """The attribute's value as text, or its values."""
    values = (each if isinstance(each, tuple) else (each,) for each in attribute.given.values())
    return listed(str(each).lower() if isinstance(each, bool) else str(each) for each in chain(*values))
