"""What a pod asks for, as the scheduler counts it.

v1.37: k8s.io/component-helpers resource/helpers.go (PodRequests), pkg/scheduler/framework/types.go (CalculateResource),
pkg/scheduler/framework/plugins/noderesources (fit.go, resource_allocation.go). Amounts are summed exactly, in nanos,
and rounded once: cpu to milli, everything else to whole units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from kschedlab.objects.model import Container, ContainerStatus, Pod, ResourceList
from kschedlab.objects.quantity import NANO

Nanos: TypeAlias = dict[str, int]
"""Exact amounts by resource name, in units of 10^-9."""

DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY = 200 * 1024 * 1024
"""What scoring takes a container to use that does not say (v1.37: pkg/scheduler/util/pod_resources.go)."""

_MISSING: Nanos = {"cpu": DEFAULT_MILLI_CPU * (NANO // 1000), "memory": DEFAULT_MEMORY * NANO}
_PLAIN = frozenset({"cpu", "memory", "ephemeral-storage"})


def pod_requests(pod: Pod) -> dict[str, int]:
    """The pod's request by resource: cpu in milli, the rest in whole units.

    Containers are added up, restartable init containers (sidecars) with them; an init container counts together with
    the sidecars started before it, if that is more; requests of the pod itself replace the sum, overhead is added.
    While a pod on a node is being resized, the largest of what it asks for and what it was given counts. Names that
    the scheduler does not count are left out.
    """
    if _is_simple(pod):
        requests = pod.spec.containers[0].resources.requests
        return {n: q.milli() if n == "cpu" else q.value() for n, q in requests.items() if n in _PLAIN or is_scalar(n)}
    return _rounded(exact_requests(pod))


def nonzero_requests(pod: Pod) -> tuple[int, int]:
    """(milli cpu, bytes of memory) that the pod counts for on its node when nodes are scored.

    A container that does not mention cpu counts for 100m, one that does not mention memory for 200 MiB; if the pod
    itself has requests, only for what neither it nor any container mentions.
    """
    if _is_simple(pod):
        return _nonzero_simple(pod.spec.containers[0].resources.requests)
    missing = _MISSING
    if pod_level_requests(pod):
        known = exact_requests(pod)
        missing = {name: amount for name, amount in _MISSING.items() if name not in known}
    return _cpu_and_memory(exact_requests(pod, missing))


def scored_requests(pod: Pod) -> tuple[int, int]:
    """(milli cpu, bytes of memory) that NodeResourcesFit's score takes the incoming pod to use.

    As :func:`nonzero_requests`, except that requests of the pod itself and its status are passed over (v1.37:
    resource_allocation.go, calculatePodResourceRequest, which fit.go sets up without its feature gates).
    """
    if _is_simple(pod):
        return _nonzero_simple(pod.spec.containers[0].resources.requests)
    requests = _aggregate(pod, _specified, _MISSING)
    _add(requests, _nanos(pod.spec.overhead))
    return _cpu_and_memory(requests)


def exact_requests(pod: Pod, missing: Mapping[str, int] | None = None) -> Nanos:
    """The pod's request in nanos. ``missing``: what a container counts for that does not mention the resource."""
    missing = missing or {}
    requests = _aggregate(pod, _specified, missing)
    if _has_status(pod):
        requests = _with_status(pod, requests, missing)
    requests.update(_pod_level(pod))
    _add(requests, _nanos(pod.spec.overhead))
    return requests


def pod_level_requests(pod: Pod) -> ResourceList:
    """The requests of the pod itself (``spec.resources``) that replace the sum of its containers."""
    resources = pod.spec.resources
    return {n: q for n, q in resources.requests.items() if is_pod_level(n)} if resources is not None else {}


def container_requests(pod: Pod) -> Nanos:
    """What the containers alone ask for, as they specify it, in nanos."""
    return _aggregate(pod, _specified, {})


def is_pod_level(resource: str) -> bool:
    """Whether the resource can be requested for the pod as a whole."""
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


@lru_cache(4096)
def is_extended(resource: str) -> bool:
    """Whether this is an extended resource, such as ``example.com/gpu``, which comes in whole numbers.

    v1.37: pkg/apis/core/v1/helper/helpers.go, IsExtendedResourceName.
    """
    return "/" in resource and "kubernetes.io/" not in resource and not resource.startswith("requests.")


@lru_cache(4096)
def is_scalar(resource: str) -> bool:
    """Whether the scheduler counts the resource beside cpu, memory and ephemeral storage.

    v1.37: pkg/scheduler/util/utils.go, IsScalarResourceName.
    """
    return (
        is_extended(resource)
        or resource.startswith(("hugepages-", "attachable-volumes-"))
        or "kubernetes.io/" in resource
    )


def _is_simple(pod: Pod) -> bool:
    """One container and nothing else that counts."""
    spec = pod.spec
    return len(spec.containers) == 1 and not (
        spec.initContainers or spec.overhead or spec.resources or _has_status(pod)
    )


def _nonzero_simple(requests: ResourceList) -> tuple[int, int]:
    cpu, memory = requests.get("cpu"), requests.get("memory")
    return (
        DEFAULT_MILLI_CPU if cpu is None else cpu.milli(),
        DEFAULT_MEMORY if memory is None else memory.value(),
    )


def _rounded(exact: Nanos) -> dict[str, int]:
    return {
        name: -(-nanos // (NANO // 1000 if name == "cpu" else NANO))
        for name, nanos in exact.items()
        if name in _PLAIN or is_scalar(name)
    }


def _cpu_and_memory(exact: Nanos) -> tuple[int, int]:
    rounded = _rounded({"cpu": 0, "memory": 0} | exact)
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


# -- containers

_Reading: TypeAlias = Callable[[Pod, Container], ResourceList | None]
"""Which of its resource lists counts for a container."""


def _aggregate(pod: Pod, reading: _Reading, missing: Mapping[str, int]) -> Nanos:
    """The sum over the containers and sidecars, or what an init container needs at its time if that is more."""
    total: Nanos = {}
    for container in pod.spec.containers:
        _add(total, {**missing, **_nanos(reading(pod, container))})
    sidecars: Nanos = {}
    starting: list[Nanos] = []
    for container in pod.spec.initContainers:
        needs = {**missing, **_nanos(reading(pod, container))}
        if container.restartPolicy == "Always":
            _add(total, needs)
            _add(sidecars, needs)
            starting.append(dict(sidecars))
        else:
            _add(needs, sidecars)
            starting.append(needs)
    return _largest([total, *starting])


def _specified(_: Pod, container: Container) -> ResourceList | None:
    return container.resources.requests


# -- pods that are being resized (in-place resize)


def _has_status(pod: Pod) -> bool:
    status = pod.status
    if not pod.spec.nodeName:
        return False
    given = status.containerStatuses or status.initContainerStatuses or status.resources or status.allocatedResources
    return bool(given) or _is_infeasible(pod)


def _with_status(pod: Pod, specified: Nanos, missing: Mapping[str, int]) -> Nanos:
    """The largest of what is specified, allocated and in force; what is specified counts only if it is feasible."""
    given, allocated = pod.status.resources, pod.status.allocatedResources
    if allocated is not None and given is not None and given.requests is not None:
        granted = [_nanos(allocated), _nanos(given.requests)]
    else:
        granted = [_aggregate(pod, _allocated, missing), _aggregate(pod, _in_force, missing)]
    return _largest(granted if _is_infeasible(pod) else [specified, *granted])


def _pod_level(pod: Pod) -> Nanos:
    """What replaces the sum of the containers."""
    specified = pod_level_requests(pod)
    status = pod.status.resources if _has_status(pod) else None
    if not specified or status is None:
        return _nanos(specified)
    lists = [_nanos(status.requests), _nanos(pod.status.allocatedResources)]
    effective = _largest(lists if _is_infeasible(pod) else [_nanos(specified), *lists])
    return {name: nanos for name, nanos in effective.items() if is_pod_level(name)}


def _is_infeasible(pod: Pod) -> bool:
    """Whether the node can't grant the resize that the pod waits for."""
    waiting = next((c for c in pod.status.conditions if c.type == "PodResizePending"), None)
    return waiting is not None and waiting.reason == "Infeasible"


def _status_of(pod: Pod, name: str) -> ContainerStatus | None:
    statuses = (*pod.status.containerStatuses, *pod.status.initContainerStatuses)
    return next((status for status in statuses if status.name == name), None)


def _allocated(pod: Pod, container: Container) -> ResourceList | None:
    status = _status_of(pod, container.name)
    if status is not None and status.allocatedResources is not None:
        return status.allocatedResources
    return None if _is_infeasible(pod) else container.resources.requests


def _in_force(pod: Pod, container: Container) -> ResourceList | None:
    status = _status_of(pod, container.name)
    if status is not None and status.resources is not None and status.resources.requests is not None:
        return status.resources.requests
    return _allocated(pod, container)
