"""What a pod finds on each node: which devices its claims get there, and what is in the way of the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.filter.plugin import SchedulingError
from kschedlab.messages import later, listed, say
from kschedlab.objects.model import AllocationResult, DeviceAttribute, ResourceClaim
from kschedlab_devices.claiming import demand_for
from kschedlab_devices.demand import Demand
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.pools import Candidate, DeviceId
from kschedlab_devices.search import GIVEN_BACK, IN_USE, NO_CAPACITY, NOT_SELECTED, TAINTED, TAKEN, UNLIKE, SearchStep
from kschedlab_devices.state import state_of
from kube_cel import CelError, compile

OPEN, FREE, HELD, TAKES, OFFERED, TRIED, PICKED = "open", "free", "held", "takes", "offered", "tried", "picked"
"""What a device is for the pod, besides the outcomes of a search: not looked at yet, never reached, another claim's,
part of the answer (on the chosen node or on another one), given back in the search, or taken so far."""
SELECTED, FAILS = "selected", "fails"
"""What a device is for a selector alone, besides not selected: selected, or the selector ends in an error."""
ROOT = "resource.kubernetes.io/pcieRoot"
"""The attribute that every driver gives the same name."""


class Told(NamedTuple):
    """What is said of a device after its name; the same where there is little room; and the sign for it."""

    words: str
    brief: str = ""
    sign: str = ""


TOLD: Mapping[str, Told] = {
    OPEN: Told(later("is held by nobody"), later("free")),
    FREE: Told(later("was not tried: the search ended before it"), later("untried")),
    HELD: Told(later("is held by another claim"), later("held"), "lock"),
    TAKES: Told(later("goes to the pod"), later("given")),
    OFFERED: Told(later("could go to the pod"), later("would do")),
    TRIED: Told(later("was tried and given back"), later("given back"), "reprieved"),
    PICKED: Told(later("is taken so far"), later("taken")),
    IN_USE: Told(later("is in use"), later("in use"), "lock"),
    NOT_SELECTED: Told(later("is not selected"), later("not selected")),
    NO_CAPACITY: Told(later("has too little capacity"), later("too little is left"), "full"),
    TAINTED: Told(later("has a taint that the claim does not tolerate"), later("tainted"), "taint"),
    UNLIKE: Told(later("breaks a constraint"), later("breaks a constraint"), "pods"),
    SELECTED: Told(later("is selected")),
    FAILS: Told(later("ends in an error"), later("an error"), "error"),
}
"""By state. One that is not selected has no sign."""
ATTRIBUTE = re.compile(r'device\.attributes\["[^"]+"\]\s*\.(\w+)\s*== "([^"]*)"')
CAPACITY = re.compile(r'device\.capacity\["[^"]+"\]\s*\.(\w+)\s*\.compareTo\(quantity\("([^"]*)"\)\) >= 0')
PLAIN = (
    (ATTRIBUTE, later("not {wanted}"), later("has {name} {own}; the claim wants {wanted}")),
    (CAPACITY, later("< {wanted}"), later("has {name} {own}; the claim wants {wanted} or more")),
)
"""Selectors whose reason can be said without CEL, shortly and in words."""


class Reason(NamedTuple):
    """What a device is for the pod: one of the states above, or an outcome of the search.

    ``why``: more about it, such as the constraint behind it; ``plain``: a sentence that replaces both; ``brief``: the
    same in a word or two; ``proof``: the selector that is false.
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

    ``facts``: attributes, capacity and taints as text. ``kind``: the first attribute; ``amount`` and ``size``: the
    first capacity as text and as a number; ``root``: its PCIe root; ``taints``: what taints it has, or "".
    """

    id: DeviceId
    facts: tuple[str, ...]
    kind: str
    amount: str
    size: float
    root: str
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
    claims = cluster.objects_of(ResourceClaim)
    holders = {id: claim.metadata.name for claim in claims for id in _results(claim.status.allocation)}
    demand = None
    with suppress(SchedulingError):  # a claim that is not ready
        demand = demand_for(decision.pod, cluster, decision.generation)
    return [_node(decision, position, demand, holders) for position in range(len(cluster.nodes))]


def unasked(node: NodeSight) -> NodeSight:
    """The node before the pod asks: only what other claims hold, and the taints, are known."""
    devices = [each if each.state == HELD else each._replace(reason=Reason(OPEN)) for each in node.devices]
    return NodeSight(node.node, "", False, tuple(devices))


def _results(allocation: AllocationResult | None) -> Sequence[DeviceId]:
    results = allocation.devices.results if allocation is not None else ()
    return [DeviceId(result.driver, result.pool, result.device) for result in results]


def _node(decision: Decision, position: int, demand: Demand | None, holders: Mapping[DeviceId, str]) -> NodeSight:
    node, reason = decision.cluster.nodes[position], ""
    chosen = decision.node == node.metadata.name
    log, taken = list[SearchStep](), list[DeviceId]()
    if demand is not None and demand.unallocated:
        answer = demand.on(position)
        reason = answer.reason
        with suppress(AllocationError):
            demand.search(position, log)
        taken = [id for result in answer.allocations or () for id in _results(result)]
    pools = state_of(decision.cluster).inventory.visible(node).pools.values()
    devices = {device.id: device for pool in pools for device in pool.devices}
    last = {step.device: step for step in log}
    steps = [_sight(devices[step.device], _state(devices[step.device], step, holders)) for step in log]
    gets = Reason(TAKES if chosen else OFFERED)
    ends = [_sight(each, gets if id in taken else _state(each, last.get(id), holders)) for id, each in devices.items()]
    return NodeSight(node.metadata.name, reason, chosen, tuple(ends), tuple(steps))


def _state(device: Candidate, step: SearchStep | None, holders: Mapping[DeviceId, str]) -> Reason:
    """What the device is for the pod after this step, its last; and why."""
    if (holder := holders.get(device.id)) and (step is None or step.outcome == IN_USE):
        return held_by(holder)
    if step is None:
        return Reason(FREE)
    if step.outcome in (TAKEN, GIVEN_BACK):
        return Reason(PICKED if step.outcome == TAKEN else TRIED)
    if step.outcome == NOT_SELECTED:
        return _not_selected(device, step)
    if step.outcome == TAINTED:
        return Reason(TAINTED, _taints(device), brief=_taints(device))
    if step.outcome == UNLIKE:
        brief = say("other root") if step.detail == ROOT else ""
        return Reason(UNLIKE, say("another {attribute}", attribute=short(step.detail)), brief=brief)
    return Reason(step.outcome, step.detail)


def held_by(claim: str) -> Reason:
    """What a device is that belongs to this claim."""
    return Reason(HELD, plain=say("is held by {claims}", claims=claim), brief=say("held: {claims}", claims=claim))


def _taints(device: Candidate) -> str:
    return listed(f"{taint.key}={taint.value}" if taint.value else taint.key for taint in device.taints)


def _not_selected(device: Candidate, step: SearchStep) -> Reason:
    """The first selector that does not select the device, in plain words if it is a simple one."""
    of_class = step.want.device_class.spec.selectors if step.want.device_class is not None else ()
    for expression in (each.cel.expression for each in (*of_class, *step.want.request.selectors) if each.cel):
        try:
            if not compile(expression).matches(device.id.driver, device.device):
                return _in_words(device, expression)
        except CelError as error:
            return Reason(NOT_SELECTED, str(error))
    return Reason(NOT_SELECTED)


def _in_words(device: Candidate, expression: str) -> Reason:
    """Why this false expression does not select the device."""
    proof = say("{expression} is false", expression=expression)
    facts = dict(_facts(device))
    for pattern, brief, message in PLAIN:
        if (match := pattern.fullmatch(expression)) and match[1] in facts:
            own, wanted = facts[match[1]], match[2]
            plain = say(message, name=match[1], own=own, wanted=wanted)
            return Reason(NOT_SELECTED, proof, plain, say(brief, wanted=wanted), proof)
    return Reason(NOT_SELECTED, proof)


def _sight(device: Candidate, reason: Reason) -> Sight:
    facts, root = _facts(device), device.attribute(ROOT)
    capacity = [each.value for each in device.device.capacity.values()][:1]
    return Sight(
        device.id,
        (
            *(f"{name} {value}" for name, value in facts),
            *([say("taint: {taints}", taints=_taints(device))] if device.taints else []),
        ),
        facts[0][1] if device.device.attributes else "",
        "".join(map(str, capacity)),
        sum(float(each.value()) for each in capacity),
        _value(root) if root is not None else "",
        _taints(device),
        reason,
    )


def _facts(device: Candidate) -> list[tuple[str, str]]:
    """Attributes and capacity, by their names without a domain."""
    attributes = [(short(name), _value(each)) for name, each in device.device.attributes.items()]
    return attributes + [(short(name), str(each.value)) for name, each in device.device.capacity.items()]


def short(name: str) -> str:
    """An attribute's name without its domain."""
    return name.rpartition("/")[2]


def _value(attribute: DeviceAttribute) -> str:
    """The attribute's value as text."""
    return listed(map(str, attribute.given.values()))
