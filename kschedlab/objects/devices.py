"""Devices: what drivers publish, what pods claim, and what is allocated (dynamic resource allocation).

v1.37: k8s.io/api resource/v1/types.go, with the fields of the features that are on by default or modelled. Its API
server drops the others: derivedAttributes, nodeAllocatableResources, partitionTypeAttribute and skipNodeOperations.
"""

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import ApiObject, Condition, Int64, NodeSelector, ObjectMeta, Part, Time
from kschedlab.objects.nodes import Taint
from kschedlab.objects.quantity import Quantity

EXACT_COUNT, ALL_DEVICES = "ExactCount", "All"
"""The allocation modes of a request."""

_ZERO = Quantity("0")

# -- what drivers publish


class DeviceAttribute(Part, frozen=True, rename=lambda name: name.replace("Value", "")):
    """One field is set. They have Go's names here; in a manifest they are int, bool, ..., and ints, bools, ..."""

    intValue: Int64 | None = None
    boolValue: bool | None = None
    stringValue: str | None = None
    versionValue: str | None = None
    intValues: tuple[Int64, ...] | None = None
    boolValues: tuple[bool, ...] | None = None
    stringValues: tuple[str, ...] | None = None
    versionValues: tuple[str, ...] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are set, by their names in a manifest; a list is a tuple."""
        names = zip(self.__struct_encode_fields__, self.__struct_fields__, strict=True)
        return {name: value for name, field in names if (value := getattr(self, field)) is not None}


class CapacityRequestPolicyRange(Part, frozen=True):
    min: Quantity | None = None
    max: Quantity | None = None
    step: Quantity | None = None


class CapacityRequestPolicy(Part, frozen=True):
    default: Quantity | None = None
    validValues: tuple[Quantity, ...] = ()
    validRange: CapacityRequestPolicyRange | None = None


class DeviceCapacity(Part, frozen=True):
    value: Quantity = _ZERO
    requestPolicy: CapacityRequestPolicy | None = None


class Counter(Part, frozen=True):
    value: Quantity = _ZERO


class CounterSet(Part, frozen=True):
    name: str = ""
    counters: dict[str, Counter] = {}


class DeviceCounterConsumption(Part, frozen=True):
    counterSet: str = ""
    counters: dict[str, Counter] = {}
    compatibilityGroups: tuple[str, ...] = ()


class Device(Part, frozen=True):
    """A device of a slice; attributes and capacity without a domain belong to the driver's domain."""

    name: str = ""
    attributes: dict[str, DeviceAttribute] = {}
    capacity: dict[str, DeviceCapacity] = {}
    consumesCounters: tuple[DeviceCounterConsumption, ...] = ()
    nodeName: str | None = None
    nodeSelector: NodeSelector | None = None
    allNodes: bool | None = None
    taints: tuple[Taint, ...] = ()
    bindsToNode: bool | None = None
    bindingConditions: tuple[str, ...] = ()
    bindingFailureConditions: tuple[str, ...] = ()
    allowMultipleAllocations: bool | None = None


class ResourcePool(Part, frozen=True):
    name: str = ""
    generation: Int64 = 0
    resourceSliceCount: Int64 = 0


class ResourceSliceSpec(Part, frozen=True):
    driver: str = ""
    pool: ResourcePool = ResourcePool()
    nodeName: str | None = None
    nodeSelector: NodeSelector | None = None
    allNodes: bool | None = None
    devices: tuple[Device, ...] = ()
    perDeviceNodeSelection: bool | None = None
    sharedCounters: tuple[CounterSet, ...] = ()


class ResourceSlice(ApiObject, frozen=True):
    apiVersion: str = "resource.k8s.io/v1"
    spec: ResourceSliceSpec = ResourceSliceSpec()


# -- classes and taint rules


class OpaqueDeviceConfiguration(Part, frozen=True):
    """Settings for a driver, which the scheduler passes on unread."""

    driver: str = ""
    parameters: Any = None


class CELDeviceSelector(Part, frozen=True):
    expression: str = ""


class DeviceSelector(Part, frozen=True):
    cel: CELDeviceSelector | None = None


class DeviceClassConfiguration(Part, frozen=True):
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClassSpec(Part, frozen=True):
    selectors: tuple[DeviceSelector, ...] = ()
    config: tuple[DeviceClassConfiguration, ...] = ()
    extendedResourceName: str | None = None


class DeviceClass(ApiObject, frozen=True):
    apiVersion: str = "resource.k8s.io/v1"
    spec: DeviceClassSpec = DeviceClassSpec()


class DeviceTaintSelector(Part, frozen=True):
    """Selects the devices that have all of the given names; an empty one selects all devices."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None


class DeviceTaintRuleSpec(Part, frozen=True):
    deviceSelector: DeviceTaintSelector | None = None
    taint: Taint = Taint()


class DeviceTaintRuleStatus(Part, frozen=True):
    conditions: tuple[Condition, ...] = ()


class DeviceTaintRule(ApiObject, frozen=True):
    apiVersion: str = "resource.k8s.io/v1"
    spec: DeviceTaintRuleSpec = DeviceTaintRuleSpec()
    status: DeviceTaintRuleStatus = DeviceTaintRuleStatus()


# -- what pods claim


class DeviceToleration(Part, frozen=True):
    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    tolerationSeconds: Int64 | None = None


class CapacityRequirements(Part, frozen=True):
    requests: dict[str, Quantity] = {}


class Request(Part, frozen=True):
    """A request for devices of one class."""

    deviceClassName: str = ""
    selectors: tuple[DeviceSelector, ...] = ()
    allocationMode: str = EXACT_COUNT
    count: Int64 = 0
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: CapacityRequirements | None = None


class ExactDeviceRequest(Request, frozen=True):
    adminAccess: bool | None = None


class DeviceSubRequest(Request, frozen=True):
    name: str = ""


class DeviceRequest(Part, frozen=True):
    """Either ``exactly`` or ``firstAvailable`` is set."""

    name: str = ""
    exactly: ExactDeviceRequest | None = None
    firstAvailable: tuple[DeviceSubRequest, ...] = ()


class DeviceConstraint(Part, frozen=True):
    """A constraint on the devices of some requests, or of all if ``requests`` is empty."""

    requests: tuple[str, ...] = ()
    matchAttribute: str | None = None
    distinctAttribute: str | None = None


class DeviceClaimConfiguration(Part, frozen=True):
    requests: tuple[str, ...] = ()
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClaim(Part, frozen=True):
    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[DeviceClaimConfiguration, ...] = ()


class ResourceClaimSpec(Part, frozen=True):
    devices: DeviceClaim = DeviceClaim()


# -- what is allocated


class DeviceRequestAllocationResult(Part, frozen=True):
    """One device for one request; ``request`` is ``request/subrequest`` if the request lists alternatives."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    adminAccess: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    bindingConditions: tuple[str, ...] = ()
    bindingFailureConditions: tuple[str, ...] = ()
    shareID: str | None = None
    consumedCapacity: dict[str, Quantity] = {}


class DeviceAllocationConfiguration(Part, frozen=True):
    """``source``: FromClass or FromClaim."""

    source: str = ""
    requests: tuple[str, ...] = ()
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceAllocationResult(Part, frozen=True):
    results: tuple[DeviceRequestAllocationResult, ...] = ()
    config: tuple[DeviceAllocationConfiguration, ...] = ()


class AllocationResult(Part, frozen=True):
    """``nodeSelector``: where the devices are available; None means everywhere."""

    devices: DeviceAllocationResult = DeviceAllocationResult()
    nodeSelector: NodeSelector | None = None
    allocationTimestamp: Time | None = None


class ResourceClaimConsumerReference(Part, frozen=True):
    apiGroup: str = ""
    resource: str = ""
    name: str = ""
    uid: str = ""


class AllocatedDeviceStatus(Part, frozen=True):
    driver: str = ""
    pool: str = ""
    device: str = ""
    shareID: str | None = None
    conditions: tuple[Condition, ...] = ()
    data: Any = None
    networkData: Any = None


class ResourceClaimStatus(Part, frozen=True):
    allocation: AllocationResult | None = None
    reservedFor: tuple[ResourceClaimConsumerReference, ...] = ()
    devices: tuple[AllocatedDeviceStatus, ...] = ()


class ResourceClaim(ApiObject, frozen=True):
    apiVersion: str = "resource.k8s.io/v1"
    spec: ResourceClaimSpec = ResourceClaimSpec()
    status: ResourceClaimStatus = ResourceClaimStatus()


class ResourceClaimTemplateSpec(Part, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceClaimSpec = ResourceClaimSpec()


class ResourceClaimTemplate(ApiObject, frozen=True):
    apiVersion: str = "resource.k8s.io/v1"
    spec: ResourceClaimTemplateSpec = ResourceClaimTemplateSpec()
