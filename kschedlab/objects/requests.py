"""Pod requests as the scheduler counts them.

v1.37: k8s.io/component-helpers resource/helpers.go (PodRequests), pkg/scheduler/framework/types.go (CalculateResource),
pkg/scheduler/framework/plugins/noderesources (fit.go, resource_allocation.go). Amounts are summed exactly, in nanos,
and rounded once: cpu to milli, everything else to whole units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from kschedlab.objects.model import Container, ContainerStatus, Pod, PodSpec, ResourceList
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.quantity import NANO

Nanos: TypeAlias = dict[str, int]
"""Exact amounts by resource name, in units of 10^-9."""

DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY = 200 * 1024 * 1024
"""The requests that scoring assumes for a container without any (v1.37: pkg/scheduler/util/pod_resources.go)."""

DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/"
"""Before the name of a class, the resource that it serves even if it names none."""

_DEFAULTS: Nanos = {"cpu": DEFAULT_MILLI_CPU * (NANO // 1000), "memory": DEFAULT_MEMORY * NANO}
_NATIVE = frozenset({"cpu", "memory", "ephemeral-storage"})


def pod_requests(pod: Pod) -> dict[str, int]:
    """The pod's request by resource: cpu in milli, everything else in whole units.

    The request is the sum over the containers and the restartable init containers (sidecars). An init container counts
    together with the sidecars started before it, if they need more than that sum. Pod-level requests replace the sum;
    overhead is added. While a pod on a node is being resized, the largest of its specified, allocated and actual
    requests counts. Resources that the scheduler does not count are left out.
    """
    if _is_simple(pod):
        requests = pod.spec.containers[0].resources.requests
        return {n: q.amount(n) for n, q in requests.items() if is_counted(n)}
    return _rounded(exact_requests(pod))


def nonzero_requests(pod: Pod) -> tuple[int, int]:
    """(milli cpu, bytes of memory) that a pod on a node counts when nodes are scored.

    A container without a cpu request counts 100m, one without a memory request 200 MiB. If the pod has pod-level
    requests, these defaults apply only to a resource that neither the pod nor any container requests.
    """
    if _is_simple(pod):
        return nonzero_of(pod.spec.containers[0])
    defaults = _DEFAULTS
    if pod_level_requests(pod):
        requested = exact_requests(pod)
        defaults = {name: amount for name, amount in _DEFAULTS.items() if name not in requested}
    return _cpu_and_memory(exact_requests(pod, defaults))


def scored_requests(pod: Pod) -> tuple[int, int]:
    """(milli cpu, bytes of memory) that NodeResourcesFit's score counts for the incoming pod.

    Like :func:`nonzero_requests`, but without pod-level requests and without the status (v1.37:
    resource_allocation.go, calculatePodResourceRequest, which fit.go sets up without its feature gates).
    """
    if _is_simple(pod):
        return nonzero_of(pod.spec.containers[0])
    requests = _aggregate(pod, _DEFAULTS)
    _add(requests, _nanos(pod.spec.overhead))
    return _cpu_and_memory(requests)


def exact_requests(pod: Pod, defaults: Mapping[str, int] | None = None) -> Nanos:
    """The pod's request in nanos. ``defaults``: what a container without a request for the resource counts."""
    defaults = defaults or {}
    requests = _aggregate(pod, defaults)
    if _has_reported_resources(pod):
        requests = _with_reported_resources(pod, requests, defaults)
    requests.update(_pod_level(pod))
    _add(requests, _nanos(pod.spec.overhead))
    return requests


def pod_level_requests(pod: Pod) -> ResourceList:
    """The pod-level requests (``spec.resources``), which replace the sum over the containers."""
    resources = pod.spec.resources
    return {n: q for n, q in resources.requests.items() if is_pod_level(n)} if resources is not None else {}


def container_requests(pod: Pod) -> Nanos:
    """The sum of the containers' specified requests, in nanos."""
    return _aggregate(pod, {})


def is_pod_level(resource: str) -> bool:
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


@lru_cache(4096)
def is_extended(resource: str) -> bool:
    """Whether it is extended, as ``example.com/gpu``. v1.37: core/v1/helper/helpers.go, IsExtendedResourceName."""
    if "/" not in resource or "kubernetes.io/" in resource or resource.startswith("requests."):
        return False
    return label_key_fault(f"requests.{resource}") is None


@lru_cache(4096)
def is_served_by_classes(resource: str) -> bool:
    """Whether a DeviceClass can serve the resource. v1.37: pkg/scheduler/util/utils.go, IsDRAExtendedResourceName."""
    return is_extended(resource) or resource.startswith(DEVICE_CLASS_PREFIX)


@lru_cache(4096)
def is_scalar(resource: str) -> bool:
    """Whether it counts besides cpu, memory and ephemeral storage. v1.37: util/utils.go, IsScalarResourceName."""
    return (
        is_extended(resource)
        or resource.startswith(("hugepages-", "attachable-volumes-"))
        or "kubernetes.io/" in resource
    )


def is_counted(resource: str) -> bool:
    return resource in _NATIVE or is_scalar(resource)


def _is_simple(pod: Pod) -> bool:
    """Whether one container's requests are all that counts."""
    spec = pod.spec
    return len(spec.containers) == 1 and not (
        spec.initContainers or spec.overhead or spec.resources or _has_reported_resources(pod)
    )


def nonzero_of(container: Container) -> tuple[int, int]:
    """(milli cpu, memory), with the defaults for missing requests. v1.20: pkg/scheduler/util/non_zero.go."""
    requests = container.resources.requests
    cpu, memory = requests.get("cpu"), requests.get("memory")
    return DEFAULT_MILLI_CPU if cpu is None else cpu.milli(), DEFAULT_MEMORY if memory is None else memory.value()


def _rounded(exact: Nanos) -> dict[str, int]:
    return {
        name: -(-nanos // (NANO // 1000 if name == "cpu" else NANO))
        for name, nanos in exact.items()
        if is_counted(name)
    }


def _cpu_and_memory(exact: Nanos) -> tuple[int, int]:
    rounded = _rounded(exact)
    return rounded["cpu"], rounded["memory"]


def _nanos(resources: ResourceList | None) -> Nanos:
    return {name: quantity.nanos for name, quantity in resources.items()} if resources else {}


def _add(total: Nanos, more: Nanos) -> None:
    for name, nanos in more.items():
        total[name] = total.get(name, 0) + nanos


def _largest(lists: Iterable[Nanos]) -> Nanos:
    largest: Nanos = {}
    for amounts in lists:
        for name, nanos in amounts.items():
            if name not in largest or nanos > largest[name]:
                largest[name] = nanos
    return largest


_Select: TypeAlias = Callable[[Pod, Container], ResourceList | None]


def _aggregate(pod: Pod, defaults: Mapping[str, int], select: _Select = lambda _, c: c.resources.requests) -> Nanos:
    """The sum over the containers and sidecars, or what any init container needs while it runs, if that is more.

    ``select``: the resources that count for a container, by default those that it specifies.
    """
    total: Nanos = {}
    for container in pod.spec.containers:
        _add(total, {**defaults, **_nanos(select(pod, container))})
    sidecars: Nanos = {}
    startup: list[Nanos] = []
    for container in pod.spec.initContainers:
        needs = {**defaults, **_nanos(select(pod, container))}
        if container.restartPolicy == "Always":
            _add(total, needs)
            _add(sidecars, needs)
        else:
            _add(needs, sidecars)
            startup.append(needs)
    return _largest([total, *startup])


def reported_resources(pod: Pod) -> tuple[object, ...]:
    """The resources in the status that change the request of a pod on a node; empty if they are those of its spec."""
    status = pod.status
    of_containers = tuple(
        (each.name, each.resources, each.allocatedResources)
        for each in (*status.containerStatuses, *status.initContainerStatuses)
        if not _is_as_specified(each, pod.spec)
    )
    if of_containers or status.resources or status.allocatedResources or _is_infeasible(pod):
        return of_containers, status.resources, status.allocatedResources, _is_infeasible(pod)
    return ()


def _is_as_specified(status: ContainerStatus, spec: PodSpec) -> bool:
    """Whether the container has what it requests, as far as the status says; also if it is not in the spec."""
    actual, allocated = status.resources, status.allocatedResources
    reported = [each for each in (allocated, actual and actual.requests) if each is not None]
    containers = (*spec.initContainers, *spec.containers) if reported else ()
    requested = next((each.resources.requests for each in containers if each.name == status.name), None)
    return requested is None or all(each == requested for each in reported)


def _has_reported_resources(pod: Pod) -> bool:
    return bool(pod.spec.nodeName) and bool(reported_resources(pod))


def _with_reported_resources(pod: Pod, specified: Nanos, defaults: Mapping[str, int]) -> Nanos:
    """The largest of the specified, allocated and actual requests; the specified ones count only if feasible."""
    actual, allocated = pod.status.resources, pod.status.allocatedResources
    if allocated is not None and actual is not None and actual.requests is not None:
        granted = [_nanos(allocated), _nanos(actual.requests)]
    else:
        granted = [_aggregate(pod, defaults, _allocated), _aggregate(pod, defaults, _actual)]
    return _largest(granted if _is_infeasible(pod) else [specified, *granted])


def _pod_level(pod: Pod) -> Nanos:
    """The pod-level requests that count instead of the sum over the containers."""
    specified = pod_level_requests(pod)
    status = pod.status.resources if _has_reported_resources(pod) else None
    if not specified or status is None:
        return _nanos(specified)
    lists = [_nanos(status.requests), _nanos(pod.status.allocatedResources)]
    effective = _largest(lists if _is_infeasible(pod) else [_nanos(specified), *lists])
    return {name: nanos for name, nanos in effective.items() if is_pod_level(name)}


def _is_infeasible(pod: Pod) -> bool:
    """Whether the node cannot grant the pending resize."""
    pending = next((c for c in pod.status.conditions if c.type == "PodResizePending"), None)
    return pending is not None and pending.reason == "Infeasible"


def _status_of(pod: Pod, name: str) -> ContainerStatus | None:
    statuses = (*pod.status.containerStatuses, *pod.status.initContainerStatuses)
    return next((status for status in statuses if status.name == name), None)


def _allocated(pod: Pod, container: Container) -> ResourceList | None:
    status = _status_of(pod, container.name)
    if status is not None and status.allocatedResources is not None:
        return status.allocatedResources
    return None if _is_infeasible(pod) else container.resources.requests


def _actual(pod: Pod, container: Container) -> ResourceList | None:
    status = _status_of(pod, container.name)
    if status is not None and status.resources is not None and status.resources.requests is not None:
        return status.resources.requests
    return _allocated(pod, container)
