"""The requests of claims, as far as they do not depend on a node.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/allocator_experimental.go (Allocate,
validateDeviceRequest, isSelectable, selectorsMatch).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kschedlab.objects.model import (
    ALL_DEVICES,
    EXACT_COUNT,
    DeviceClass,
    DeviceRequest,
    DeviceSelector,
    DeviceToleration,
    ExactDeviceRequest,
    Node,
    Request,
    ResourceClaim,
    Taint,
)
from kschedlab.objects.quantity import Quantity
from kschedlab_devices.capacity import CapacityError, consumption, fits
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.pools import Candidate
from kschedlab_devices.state import State
from kube_cel import CelError, compile

Consumed = dict[str, Quantity]
MOST_DEVICES = 32
"""The most devices that one claim gets (resource/v1, AllocationResultsMaxSize)."""


def key_of(claim: ResourceClaim) -> str:
    """``namespace/name``, as messages have it."""
    return f"{claim.metadata.namespace}/{claim.metadata.name}"


@dataclass(slots=True, eq=False)
class Want:
    """A request of a claim, or one of its alternatives. ``parent``: the request that lists the alternative, or "".

    ``everything``: whether it asks for all devices that match. ``is_admin``: whether it asks for access to devices in
    use, for administration. ``fault``: why no node can serve it, or None. The rest remembers answers about devices.
    """

    claim: ResourceClaim
    name: str
    parent: str
    request: Request
    everything: bool
    is_admin: bool
    device_class: DeviceClass | None = None
    fault: AllocationError | None = None
    _selectable: dict[Candidate, bool] = field(default_factory=dict)
    _consumption: dict[Candidate, tuple[Consumed | None, bool]] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """``request`` or ``request/alternative``, as the result names it."""
        return f"{self.parent}/{self.name}" if self.parent else self.name

    def error(self, message: str) -> AllocationError:
        """The error with the names of the claim and the request."""
        return AllocationError(f"claim {key_of(self.claim)}, request {self.name}: {message}")

    def selects(self, device: Candidate, node: Node) -> bool:
        """Whether the class and the request select the device, and the node can use it. AllocationError."""
        known = self._selectable.get(device)
        if known is None:
            known = self._selectable[device] = self._selects(device)
        return known and (device.place is None or device.place.includes(node))

    def _selects(self, device: Candidate) -> bool:
        assert self.device_class is not None
        return selected_by(self.device_class, device) and _match(
            f"claim {key_of(self.claim)}", self.request.selectors, device
        )

    def consumes(self, device: Candidate, shown: object) -> tuple[Consumed | None, bool]:
        """The amounts that it consumes of the device's capacity, and whether an unused device has so much.

        (None, False) if it cannot have the device. AllocationError names the device as ``shown``.
        """
        if self.request.capacity is None:
            if device.usual is None:
                device.usual = self._consumes(device, shown)
            return device.usual
        known = self._consumption.get(device)
        if known is None:
            known = self._consumption[device] = self._consumes(device, shown)
        return known

    def _consumes(self, device: Candidate, shown: object) -> tuple[Consumed | None, bool]:
        capacity = device.device.capacity
        try:
            consumed = consumption(self.request.capacity, capacity)
        except CapacityError as error:
            raise self.error(f"checking capacity for device {shown}: {error}") from None
        return consumed, consumed is not None and fits(consumed, capacity)

    def tolerates(self, taints: Sequence[Taint]) -> bool:
        """Whether it tolerates all of these taints."""
        return all(any(tolerates(toleration, taint) for toleration in self.request.tolerations) for taint in taints)


def kind_of(device: Candidate, wants: Sequence[Want], attributes: Iterable[str], node: Node) -> object:
    """Equal for devices that can take each other's place when these requests are served; None: no other can.

    ``attributes``: those that the constraints compare.
    """
    if device.is_shared or any(want.is_admin or want.everything for want in wants):
        return None  # who else has the device, or its place in the order, makes a difference
    try:
        answers = [
            (w.selects(device, node), w.consumes(device, device.id)[1], w.tolerates(device.taints)) for w in wants
        ]
    except AllocationError:
        return None
    counters = [
        (
            each.counterSet,
            frozenset(each.compatibilityGroups),
            frozenset((name, counter.value.nanos) for name, counter in each.counters.items()),
        )
        for each in device.device.consumesCounters
    ]
    alike = tuple(device.values(name) for name in sorted(attributes))
    if frozenset() in alike:
        return None  # a list, without its feature gate, comes first or not at all
    return tuple(answers), alike, counters and (device.pool, *counters) or ()


def tolerates(toleration: DeviceToleration, taint: Taint) -> bool:
    """Whether the toleration is for the taint (resourceclaim.ToleratesTaint)."""
    if (toleration.effect and toleration.effect != taint.effect) or (toleration.key and toleration.key != taint.key):
        return False
    operator = toleration.operator
    return operator == "Exists" or (operator in ("", "Equal") and toleration.value == taint.value)


def selected_by(device_class: DeviceClass, device: Candidate) -> bool:
    """Whether the class selects the device. AllocationError."""
    return _match(f"class {device_class.metadata.name}", device_class.spec.selectors, device)


def _match(owner: str, selectors: Sequence[DeviceSelector], device: Candidate) -> bool:
    for i, selector in enumerate(selectors):
        if selector.cel is None:
            raise AllocationError(f"{owner}: selector #{i}: CEL expression empty (unsupported selector type?)")
        text = selector.cel.expression
        matches = device.selected.get(text)
        if matches is None:
            try:
                expression = compile(text)
            except CelError as error:
                raise AllocationError(f"{owner}: selector #{i}: CEL compile error: {error}") from None
            try:
                matches = expression.matches(device.id.driver, device.device)
            except CelError as error:
                where = f"{owner}: selector #{i} on device {device.id}"
                raise AllocationError(f"{where}: CEL runtime error: {error}") from None
            device.selected[text] = matches
        if not matches:
            return False
    return True


class Ask(NamedTuple):
    """A claim's demand. ``requests``: each as the request itself, or as its alternatives."""

    claim: ResourceClaim
    requests: tuple[list[Want], ...]


RequestPlan = tuple[Ask, ...]


def plan_of(claims: Sequence[ResourceClaim], state: State) -> RequestPlan:
    """The demands of the claims."""
    return tuple(
        Ask(claim, tuple(_wants(claim, one, state) for one in claim.spec.devices.requests)) for claim in claims
    )


def _wants(claim: ResourceClaim, request: DeviceRequest, state: State) -> list[Want]:
    if request.firstAvailable:
        wants = [_want(claim, each.name, request.name, each) for each in request.firstAvailable]
    else:
        wants = [_want(claim, request.name, "", request.exactly or ExactDeviceRequest())]
    for want in wants:
        want.device_class = state.class_of(want.request.deviceClassName)
        want.fault = _fault(want)
    return wants


def _want(claim: ResourceClaim, name: str, parent: str, request: Request) -> Want:
    admin = isinstance(request, ExactDeviceRequest) and bool(request.adminAccess)
    return Want(claim, name, parent, request, request.allocationMode == ALL_DEVICES, admin)


def _fault(want: Want) -> AllocationError | None:
    request, name = want.request, want.request.deviceClassName
    for i, selector in enumerate(request.selectors):
        if selector.cel is None:
            message = "CEL expression empty (unsupported selector type?)"
            claim = key_of(want.claim)
            return AllocationError(f"claim {claim}, request {want.name}, selector #{i}: {message}")
    if not name:
        return want.error("missing device class name (unsupported request type?)")
    if want.device_class is None:
        missing = f'deviceclass.resource.k8s.io "{name}" not found'
        return want.error(f"could not retrieve device class {name}: {missing}")
    if request.allocationMode not in (EXACT_COUNT, ALL_DEVICES):
        return want.error(f"unsupported count mode {request.allocationMode}")
    return None
