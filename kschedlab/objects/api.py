"""What differs between generations in objects: fields of their APIs, how requests count, the search for devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import msgspec

from kschedlab.objects.match_label_keys import with_label_keys
from kschedlab.objects.meta import Part
from kschedlab.objects.model import Container, Pod
from kschedlab.objects.pods import COMPARISONS
from kschedlab.objects.quantity import NANO
from kschedlab.objects.requests import (
    DEFAULT_MEMORY,
    DEFAULT_MILLI_CPU,
    is_counted,
    nonzero_of,
    nonzero_requests,
    pod_requests,
    scored_requests,
)

P = TypeVar("P", bound=Part)
Amounts = dict[str, int]
"""Amounts by resource name: cpu in milli, everything else in whole units."""
GROUP_FIELD = "schedulingGroup"
"""The field of a pod's spec that names its group."""
LISTS, GROUPS, WORKLOADS = "DRAListTypeAttributes", "DRADeviceCompatibilityGroups", "DRAWorkloadResourceClaims"
"""The gates about devices. v1.37: pkg/features/kube_features.go, off by default."""


@dataclass(frozen=True)
class Api:
    """One generation's API, and the functions with which its scheduler counts requests.

    ``unknown``: fields of a pod's spec that this API lacks and drops, e.g. ``initContainers.restartPolicy``.
    ``unknown_status``: the same of its status. ``unknown_elsewhere``: the same of objects about devices, with their
    kinds, e.g. ``DeviceClass.spec.extendedResourceName``.
    ``incoming``: the request of a pod to be scheduled; ``placed``: of a pod on a node.
    ``scored``, ``nonzero``: the same two for scoring, as (milli cpu, bytes of memory); a container without a request
    for cpu counts 100m, one without a request for memory 200 MiB.
    ``gates``: those about devices that are on.

    Named rules:

    ``older_zone_labels_only``: a node's zone comes from failure-domain.beta.kubernetes.io/{region,zone} alone, not from
    the labels that succeeded them.
    ``bound_pods_stay_nominated``: binding a pod does not clear its nominatedNodeName.
    ``applies_taint_rules``: a DeviceTaintRule taints devices.
    ``ends_at_invalid_pool``: a pool is complete if the node sees all of its slices; a search takes devices even of an
    incomplete pool, and ends with an error at an invalid one (v1.34: structured/internal/experimental, GatherPools and
    allocateOne).
    ``sees_all_counters``: each node sees the slices with shared counters, wherever they are (v1.36:
    structured/internal/incubating, GatherPools).
    ``leaks_counters``: a device that is refused for another reason keeps its counters during the search, pools of one
    name share theirs, and a device whose shares have no amounts is counted with each share (v1.36:
    structured/internal/incubating, allocateDevice, checkAvailableCounters, deviceCapacityInUse).
    ``distinct_from``: a distinctAttribute compares a device with "all", with the "last of each request" (v1.36: the
    same, constraint.go), or with "none": the device must have the attribute (v1.34:
    structured/internal/experimental/constraint.go, matchesAttribute compares pointers).
    ``all_forgets_alternative``: an alternative that asks for all devices gets one, and the search goes on as if that
    were the first alternative's; if the first two ask for all, both mean the first's devices (v1.35:
    structured/internal/incubating, Allocate and allocateOne, without subRequestIndex).
    ``all_skips_full_devices``: a request for all devices does without those whose capacity is taken (v1.36: the same,
    validateDeviceRequest).
    ``keeps_namespace_selectors``: for the terms of the pod to be scheduled, a namespace selector that matches no labels
    selects all namespaces (v1.36: interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty changes a copy).
    ``compares_taints``: the operators Gt and Lt of tolerations count; else a toleration with one is dropped. (The real
    API server refuses the pod, and a pod that has one already tolerates nothing with it.)
    """

    unknown: tuple[str, ...] = ()
    unknown_status: tuple[str, ...] = ()
    unknown_elsewhere: tuple[str, ...] = ()
    incoming: Callable[[Pod], Amounts] = pod_requests
    placed: Callable[[Pod], Amounts] = pod_requests
    scored: Callable[[Pod], tuple[int, int]] = scored_requests
    nonzero: Callable[[Pod], tuple[int, int]] = nonzero_requests
    older_zone_labels_only: bool = False
    bound_pods_stay_nominated: bool = False
    applies_taint_rules: bool = True
    ends_at_invalid_pool: bool = False
    sees_all_counters: bool = False
    leaks_counters: bool = False
    distinct_from: str = "all"
    all_forgets_alternative: bool = False
    all_skips_full_devices: bool = False
    keeps_namespace_selectors: bool = False
    compares_taints: bool = False
    gates: tuple[str, ...] = ()

    @property
    def group_claims(self) -> bool:
        """Whether pod groups have claims for devices, made and reserved for the group."""
        return WORKLOADS in self.gates

    def admit(self, pod: Pod) -> Pod:
        """The pod without the fields that this API lacks, and with its matchLabelKeys merged into the selectors."""
        spec = without(pod.spec, fields_at(self.unknown))
        status = without(pod.status, fields_at(self.unknown_status))
        if not self.compares_taints and any(each.operator in COMPARISONS for each in spec.tolerations):
            kept = tuple(each for each in spec.tolerations if each.operator not in COMPARISONS)
            spec = msgspec.structs.replace(spec, tolerations=kept)
        same = spec is pod.spec and status is pod.status
        return with_label_keys(pod if same else msgspec.structs.replace(pod, spec=spec, status=status))

    def stored(self, obj: P) -> P:
        """The object, which is neither a pod nor a node, without the fields that this API lacks."""
        fields = fields_at(self.unknown_elsewhere).get(type(obj).__name__)
        return without(obj, fields) if fields else obj

    def counts_alike(self, other: Api) -> bool:
        """Whether the two differ at most in the fields that they lack."""
        return replace(self, unknown=other.unknown, unknown_status=other.unknown_status) == other

    def admits_alike(self, other: Api, pods: Iterable[Pod]) -> bool:
        """Whether the two count alike, and none of the pods, as created, has a field that only one of them lacks."""
        if not self.counts_alike(other):
            return False
        spec = fields_at(tuple({*self.unknown} ^ {*other.unknown}))
        status = fields_at(tuple({*self.unknown_status} ^ {*other.unknown_status}))
        return all(without(pod.spec, spec) is pod.spec and without(pod.status, status) is pod.status for pod in pods)


Fields = dict[str, "Fields | None"]
"""Fields of a part by name, and which of the fields inside; None: the whole field."""


@cache
def fields_at(paths: tuple[str, ...]) -> Fields:
    """The fields at paths such as ``initContainers.restartPolicy``."""
    inside: dict[str, list[str]] = {}
    for path in paths:
        name, _, rest = path.partition(".")
        inside.setdefault(name, []).append(rest)
    return {name: None if "" in rests else fields_at(tuple(rests)) for name, rests in inside.items()}


def without(part: P, fields: Fields) -> P:
    """The part with these fields reset to their defaults; the same object if nothing changes."""
    changed = {}
    for name, inside in fields.items():
        before = getattr(part, name)
        after = getattr(_default(type(part)), name) if inside is None else _value_without(before, inside)
        if after is not before and after != before:
            changed[name] = after
    return msgspec.structs.replace(part, **changed) if changed else part


@cache
def _default(kind: type[P]) -> P:
    return kind()


def _value_without(value: Any, fields: Fields) -> Any:
    if isinstance(value, tuple):
        return tuple(without(part, fields) for part in value) if value else value
    if isinstance(value, dict):
        return {name: without(part, fields) for name, part in value.items()}
    return None if value is None else without(value, fields)


def rounded_first(pod: Pod) -> Amounts:
    """Round each container, then sum them; the largest init container counts if it needs more; add the overhead.

    v1.20: pkg/scheduler/framework/types.go, calculateResource, and plugins/noderesources/fit.go. The same formula in
    v1.16 (nodeinfo/node_info.go) and, for incoming pods, in v1.13 (algorithm/predicates/predicates.go).
    """
    counted = containers_only(pod)
    for container in pod.spec.initContainers:
        for name, amount in _container_requests(container).items():
            if amount > counted.get(name, 0):
                counted[name] = amount
    for name, quantity in pod.spec.overhead.items():
        counted[name] = counted.get(name, 0) + quantity.amount(name)
    return counted


def containers_only(pod: Pod) -> Amounts:
    """Round each container, then sum them, without init containers. v1.13: cache/node_info.go, calculateResource."""
    counted: Amounts = {}
    for container in pod.spec.containers:
        for name, amount in _container_requests(container).items():
            counted[name] = counted.get(name, 0) + amount
    return counted


def nonzero_with_init(pod: Pod) -> tuple[int, int]:
    """The containers, or the largest init container, and the overhead. v1.20: framework/types.go, calculateResource."""
    return _with_overhead(pod, *nonzero_without_overhead(pod))


def nonzero_with_init_and_whole_cpus(pod: Pod) -> tuple[int, int]:
    """Like :func:`nonzero_with_init`, but the overhead's cpu is rounded up to whole cpus, then counted as milli.

    v1.20: plugins/noderesources/resource_allocation.go, calculatePodResourceRequest reads ``Value`` where it needs
    ``MilliValue``: an overhead of 250m adds 1.
    """
    cpu, memory = nonzero_without_overhead(pod)
    overhead = pod.spec.overhead
    cpu += overhead["cpu"].value() if "cpu" in overhead else 0
    return cpu, memory + (overhead["memory"].value() if "memory" in overhead else 0)


def nonzero_containers_only(pod: Pod) -> tuple[int, int]:
    """The sum over the containers. v1.13: algorithm/priorities/resource_allocation.go, getNonZeroRequests."""
    requests = [nonzero_of(container) for container in pod.spec.containers]
    return sum(cpu for cpu, _ in requests), sum(memory for _, memory in requests)


def nonzero_without_overhead(pod: Pod) -> tuple[int, int]:
    """The containers, or the largest init container. v1.22: noderesources/fit.go leaves the overhead out."""
    cpu, memory = nonzero_containers_only(pod)
    for container in pod.spec.initContainers:
        init_cpu, init_memory = nonzero_of(container)
        cpu, memory = max(cpu, init_cpu), max(memory, init_memory)
    return cpu, memory


def nonzero_with_starting_sidecars(pod: Pod) -> tuple[int, int]:
    """Sidecars count only while init containers start. v1.30: framework/types.go, calculateResource."""
    cpu, memory = nonzero_containers_only(pod)
    sidecars: dict[str, int] = {}
    for container in pod.spec.initContainers:
        needs = dict(sidecars)
        for name, quantity in container.resources.requests.items():
            needs[name] = needs.get(name, 0) + quantity.nanos
        if container.restartPolicy == "Always":
            sidecars = needs
        cpu = max(cpu, -(-needs["cpu"] // (NANO // 1000)) if "cpu" in needs else DEFAULT_MILLI_CPU)
        memory = max(memory, -(-needs["memory"] // NANO) if "memory" in needs else DEFAULT_MEMORY)
    return _with_overhead(pod, cpu, memory)


def _with_overhead(pod: Pod, cpu: int, memory: int) -> tuple[int, int]:
    overhead = pod.spec.overhead
    cpu += overhead["cpu"].milli() if "cpu" in overhead else 0
    return cpu, memory + (overhead["memory"].value() if "memory" in overhead else 0)


def _container_requests(container: Container) -> Amounts:
    return {name: quantity.amount(name) for name, quantity in container.resources.requests.items() if is_counted(name)}


_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm",
)


def _of_terms(*fields: str) -> tuple[str, ...]:
    kinds = ("podAffinity", "podAntiAffinity")
    return tuple(
        f"affinity.{kind}.{terms}.{field}" for kind in kinds for terms in (_REQUIRED, _PREFERRED) for field in fields
    )


_RESIZED = ("resources", "allocatedResources")
_AFTER_1_34 = (GROUP_FIELD, "volumes.image")
_AFTER_1_32 = (*_AFTER_1_34, "resources")
_AFTER_1_30 = (*_AFTER_1_32, *_of_terms("matchLabelKeys", "mismatchLabelKeys"))
_AFTER_1_28 = (*_AFTER_1_30, "initContainers.restartPolicy")
_SPREAD_FIELDS = ("minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy", "matchLabelKeys")
_AFTER_1_24 = (*_AFTER_1_28, "schedulingGates", *(f"topologySpreadConstraints.{field}" for field in _SPREAD_FIELDS))
_AFTER_1_20 = (*_AFTER_1_24, "volumes.ephemeral", *_of_terms("namespaceSelector"))
_RESIZED_CONTAINERS = tuple(
    f"{statuses}.{field}" for statuses in ("containerStatuses", "initContainerStatuses") for field in _RESIZED
)

_DEVICE_FIELDS = (
    *("taints", "consumesCounters", "nodeName", "nodeSelector", "allNodes", "bindsToNode", "bindingConditions"),
    *("bindingFailureConditions", "allowMultipleAllocations", "capacity.requestPolicy"),
)
_RESULT_FIELDS = ("shareID", "consumedCapacity", "bindingConditions", "bindingFailureConditions")
_DEVICES_AFTER_1_34 = (  # pkg/registry/resource/*/strategy.go
    "DeviceClass.spec.extendedResourceName",
    "ResourceSlice.spec.sharedCounters",
    "ResourceSlice.spec.perDeviceNodeSelection",
    *(f"ResourceSlice.spec.devices.{field}" for field in _DEVICE_FIELDS),
    "ResourceClaim.spec.devices.requests.exactly.capacity",
    "ResourceClaim.spec.devices.requests.firstAvailable.capacity",
    *(f"ResourceClaim.status.allocation.devices.results.{field}" for field in _RESULT_FIELDS),
)
_DEVICES_AFTER_1_35 = (*_DEVICES_AFTER_1_34, "ResourceClaim.spec.devices.constraints.distinctAttribute")

# pkg/features/kube_features.go of each version: a field whose feature is off by default is dropped
API_1_37 = Api(unknown=(GROUP_FIELD,))
_TO_1_36 = replace(
    API_1_37, applies_taint_rules=False, distinct_from="last of each request", keeps_namespace_selectors=True
)
API_1_36 = replace(_TO_1_36, sees_all_counters=True, leaks_counters=True, all_skips_full_devices=True)
API_1_35 = replace(
    _TO_1_36, unknown_status=_RESIZED, unknown_elsewhere=_DEVICES_AFTER_1_35, all_forgets_alternative=True
)
API_1_34 = replace(
    API_1_35,
    unknown=_AFTER_1_34,
    unknown_elsewhere=_DEVICES_AFTER_1_34,
    bound_pods_stay_nominated=True,
    ends_at_invalid_pool=True,
    distinct_from="none",
)
API_1_32 = replace(
    API_1_34,
    unknown=_AFTER_1_32,
    unknown_status=(*_RESIZED, *_RESIZED_CONTAINERS),
    keeps_namespace_selectors=False,
    # DynamicResources does not run by default: nothing is said about devices
    unknown_elsewhere=(),
    ends_at_invalid_pool=False,
    distinct_from="all",
    all_forgets_alternative=False,
)
API_1_30 = replace(API_1_32, unknown=_AFTER_1_30, nonzero=nonzero_with_starting_sidecars)
API_1_28 = replace(API_1_30, unknown=_AFTER_1_28)
API_1_24 = replace(
    API_1_28,
    unknown=_AFTER_1_24,
    unknown_status=(),  # the functions below do not read it
    incoming=rounded_first,
    placed=rounded_first,
    scored=nonzero_with_init_and_whole_cpus,
    nonzero=nonzero_with_init,
)
API_1_22 = replace(API_1_24, scored=nonzero_without_overhead)
API_1_20 = replace(API_1_24, unknown=_AFTER_1_20)
API_1_16 = replace(
    API_1_20,
    unknown=(*_AFTER_1_20, "overhead", "preemptionPolicy", "topologySpreadConstraints"),
    scored=nonzero_with_init,
    older_zone_labels_only=True,
)
API_1_13 = replace(API_1_16, placed=containers_only, scored=nonzero_containers_only, nonzero=nonzero_containers_only)
