"""LimitRanges: defaults of containers' requests and limits, and the bounds of what pods and claims may ask for.

v1.37: plugin/pkg/admission/limitranger/admission.go; pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kschedlab.objects.meta import ResourceList
from kschedlab.objects.model import (
    Container,
    LimitRange,
    LimitRangeItem,
    PersistentVolumeClaim,
    Pod,
    ResourceRequirements,
)
from kschedlab.objects.quantity import Quantity
from kschedlab.objects.requests import container_requests, pod_level_requests

ANNOTATION = "kubernetes.io/limit-ranger"


def with_defaults_of(pod: Pod, ranges: Sequence[LimitRange]) -> Pod:
    """A new pod whose containers have the requests and limits that the ranges of its namespace fill in."""
    spec, notes = pod.spec, list[str]()
    for each in ranges:
        requests, limits = _defaults(each)
        if requests or limits:
            containers = tuple(_filled(c, requests, limits, "container", notes) for c in spec.containers)
            init = tuple(_filled(c, requests, limits, "init container", notes) for c in spec.initContainers)
            spec = replace(spec, containers=containers, initContainers=init)
    if not notes:
        return replace(pod, spec=spec) if spec is not pod.spec else pod
    annotations = pod.metadata.annotations | {ANNOTATION: f"LimitRanger plugin set: {'; '.join(notes)}"}
    return replace(pod, metadata=replace(pod.metadata, annotations=annotations), spec=spec)


def _defaults(limit_range: LimitRange) -> tuple[ResourceList, ResourceList]:
    """(requests, limits) that containers get."""
    requests: ResourceList = {}
    limits: ResourceList = {}
    for item in limit_range.spec.limits:
        if item.type == "Container":
            default = item.max | item.default
            requests |= item.min | default | item.defaultRequest
            limits |= default
    return requests, limits


def _filled(
    container: Container, requests: ResourceList, limits: ResourceList, kind: str, notes: list[str]
) -> Container:
    own = container.resources
    given = own.limits | own.requests  # the API server has filled in requests that equal limits
    new_requests = sorted(requests.keys() - given.keys())
    new_limits = sorted(limits.keys() - own.limits.keys())
    for names, what in ((new_requests, "request"), (new_limits, "limit")):
        if names:
            notes.append(f"{', '.join(names)} {what} for {kind} {container.name}")
    filled = ResourceRequirements(requests=requests | given, limits=limits | own.limits)
    return replace(container, resources=replace(own, requests=filled.requests, limits=filled.limits))


def violations(obj: Pod | PersistentVolumeClaim, ranges: Sequence[LimitRange]) -> str:
    """Why the first range that forbids the object does so, in the API server's words; "" if all allow it."""
    for each in ranges:
        faults = [fault for item in each.spec.limits for fault in _faults_of(item, obj)]
        if faults:
            return faults[0] if len(faults) == 1 else f"[{', '.join(dict.fromkeys(faults))}]"
    return ""


def _faults_of(item: LimitRangeItem, obj: Pod | PersistentVolumeClaim) -> Iterator[str]:
    return _pod_faults(item, obj) if isinstance(obj, Pod) else _claim_faults(item, obj)


def _claim_faults(item: LimitRangeItem, claim: PersistentVolumeClaim) -> Iterator[str]:
    if item.type == "PersistentVolumeClaim":
        requests = claim.spec.resources.requests
        for name, least in item.min.items():
            yield from _below(item.type, name, least, requests, {})
        for name, most in item.max.items():
            start = f"maximum {name} usage per {item.type} is {most}"
            if name not in requests:
                yield f"{start}.  No request is specified"
            elif requests[name].nanos > most.nanos:
                yield f"{start}, but request is {requests[name]}"


def _pod_faults(item: LimitRangeItem, pod: Pod) -> Iterator[str]:
    if item.type == "Container":
        for container in (*pod.spec.containers, *pod.spec.initContainers):
            yield from _faults(item, container.resources.requests, container.resources.limits)
    elif item.type == "Pod":
        yield from _faults(item, _sum(pod), _sum(limits_as_requests(pod)))


def limits_as_requests(pod: Pod) -> Pod:
    """The pod whose requests are its limits, to sum these up."""

    def swapped(container: Container) -> Container:
        return replace(container, resources=replace(container.resources, requests=container.resources.limits))

    containers, init = map(swapped, pod.spec.containers), map(swapped, pod.spec.initContainers)
    own = pod.spec.resources
    own = replace(own, requests=own.limits) if own is not None else None
    spec = replace(pod.spec, containers=tuple(containers), initContainers=tuple(init), resources=own)
    return replace(pod, spec=spec)


def _sum(pod: Pod) -> ResourceList:
    sums = {name: Quantity.from_nanos(nanos, _format(pod, name)) for name, nanos in container_requests(pod).items()}
    return sums | pod_level_requests(pod)


def _format(pod: Pod, name: str) -> str:
    """How the first container writes the resource."""
    lists = (container.resources.requests for container in (*pod.spec.containers, *pod.spec.initContainers))
    return next((requests[name].format for requests in lists if name in requests), "DecimalSI")


def _faults(item: LimitRangeItem, requests: ResourceList, limits: ResourceList) -> Iterator[str]:
    for name, least in item.min.items():
        yield from _below(item.type, name, least, requests, limits)
    for name, most in item.max.items():
        yield from _above(item.type, name, most, requests, limits)
    for name, ratio in item.maxLimitRequestRatio.items():
        yield from _out_of_ratio(item.type, name, ratio, requests, limits)


def _below(kind: str, name: str, least: Quantity, requests: ResourceList, limits: ResourceList) -> Iterator[str]:
    start = f"minimum {name} usage per {kind} is {least}"
    if name not in requests:
        yield f"{start}.  No request is specified"
    elif requests[name].nanos < least.nanos:
        yield f"{start}, but request is {requests[name]}"
    elif name in limits and limits[name].nanos < least.nanos:
        yield f"{start}, but limit is {limits[name]}"


def _above(kind: str, name: str, most: Quantity, requests: ResourceList, limits: ResourceList) -> Iterator[str]:
    start = f"maximum {name} usage per {kind} is {most}"
    if name not in limits:
        yield f"{start}.  No limit is specified"
    elif limits[name].nanos > most.nanos:
        yield f"{start}, but limit is {limits[name]}"
    elif name in requests and requests[name].nanos > most.nanos:
        yield f"{start}, but request is {requests[name]}"


def _out_of_ratio(kind: str, name: str, most: Quantity, requests: ResourceList, limits: ResourceList) -> Iterator[str]:
    start = f"{name} max limit to request ratio per {kind} is {most}, but"
    request, limit = requests.get(name, Quantity(0)).nanos, limits.get(name, Quantity(0)).nanos
    if not request:
        yield f"{start} no request is specified or request is 0"
    elif not limit:
        yield f"{start} no limit is specified or limit is 0"
    elif limit * 10**9 > most.nanos * request:
        yield f"{start} provided ratio is {limit / request:f}"
