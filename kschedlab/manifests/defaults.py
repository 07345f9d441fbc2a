"""The defaults that the API server fills in before a scheduler sees an object.

v1.37: pkg/apis/core/v1/defaults.go (SetDefaults_Pod, _ResourceList, _NodeStatus, _Namespace, _ReplicationController),
pkg/apis/{apps,resource}/v1/defaults.go, pkg/api/pod/util.go (DefaultPodLevelResources), plugin/pkg/admission/priority.
Constant defaults, such as protocol TCP, are part of the model. The API of a generation decides about matchLabelKeys
(:mod:`kschedlab.objects.match_label_keys`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from kschedlab.objects import model
from kschedlab.objects.meta import CLUSTER_SCOPED
from kschedlab.objects.quantity import Quantity
from kschedlab.objects.requests import container_requests, is_pod_level

D = TypeVar("D", bound=model.ApiObject)
C = TypeVar("C", model.ResourceClaim, model.ResourceClaimTemplateSpec)
S = TypeVar("S", model.PodStatus, model.ContainerStatus)
R = TypeVar("R", bound=model.Request)

SYSTEM_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
"""The PriorityClasses that every cluster has (v1.37: pkg/apis/scheduling/types.go)."""

_replace = msgspec.structs.replace


def priority_classes(classes: Iterable[model.PriorityClass]) -> dict[str, model.PriorityClass]:
    """PriorityClasses by name, including the system's; ``""`` is the class of pods that name none."""
    by_name = {n: model.PriorityClass(metadata=model.ObjectMeta(name=n), value=v) for n, v in SYSTEM_CLASSES.items()}
    by_name |= {c.metadata.name: c for c in classes}
    defaults = [c for c in by_name.values() if c.globalDefault]
    by_name[""] = min(defaults, key=lambda c: c.value) if defaults else model.PriorityClass()
    return by_name


def with_defaults(document: D, classes: Mapping[str, model.PriorityClass]) -> D:
    """The object as the API server stores it."""
    document = _namespaced(document)
    if isinstance(document, model.Pod):
        return _pod(document, classes)  # type: ignore[return-value]  # D is Pod here
    if isinstance(document, model.Node):
        return _node(document)  # type: ignore[return-value]
    if isinstance(document, model.Namespace):
        labels = document.metadata.labels | {"kubernetes.io/metadata.name": document.metadata.name}
        return _replace(document, metadata=_replace(document.metadata, labels=labels))
    complete = _OTHERS.get(type(document))
    return document if complete is None else complete(document)


def _namespaced(document: D) -> D:
    metadata = document.metadata
    scoped = type(document).__name__ not in CLUSTER_SCOPED
    if scoped == bool(metadata.namespace):
        return document
    return _replace(document, metadata=_replace(metadata, namespace="default" if scoped else ""))


def _node(node: model.Node) -> model.Node:
    status = node.status
    capacity, allocatable = _milli(status.capacity), _milli(status.allocatable)
    if capacity and not allocatable:
        allocatable = capacity
    if capacity is status.capacity and allocatable is status.allocatable:
        return node
    return _replace(node, status=_replace(status, capacity=capacity, allocatable=allocatable))


def _pod(pod: model.Pod, classes: Mapping[str, model.PriorityClass]) -> model.Pod:
    spec = pod.spec
    changes: dict[str, object] = {}
    if spec.priority is None or spec.preemptionPolicy is None:
        changes |= _priority(spec, classes)
    changes |= _containers(spec)
    if not spec.schedulerName:
        changes["schedulerName"] = model.DEFAULT_SCHEDULER
    if not spec.restartPolicy:
        changes["restartPolicy"] = "Always"
    if spec.terminationGracePeriodSeconds is not None and spec.terminationGracePeriodSeconds < 0:
        changes["terminationGracePeriodSeconds"] = 1
    if spec.overhead:
        changes["overhead"] = _milli(spec.overhead)
    if changes:
        pod = _replace(pod, spec=_replace(spec, **changes))
    status = pod.status
    if status.containerStatuses or status.initContainerStatuses or status.allocatedResources:
        lists = ("containerStatuses", "initContainerStatuses")
        containers = {field: tuple(map(_reported, getattr(status, field))) for field in lists}
        pod = _replace(pod, status=_replace(_reported(status), **containers))
    return with_pod_level_defaults(pod) if spec.resources is not None else pod


def _reported(status: S) -> S:
    """The status of a pod or container with its resources in thousandths."""
    allocated, actual = status.allocatedResources, status.resources
    if actual is not None and actual.requests is not None:
        actual = model.EnactedResources(_milli(actual.requests))
    return _replace(status, allocatedResources=None if allocated is None else _milli(allocated), resources=actual)


def _priority(spec: model.PodSpec, classes: Mapping[str, model.PriorityClass]) -> dict[str, object]:
    """The fields that the Priority admission plugin sets. It has already run on a pod with a priority and no class."""
    if spec.priority is not None and not spec.priorityClassName:
        return {"preemptionPolicy": spec.preemptionPolicy or "PreemptLowerPriority"}
    priority_class = classes.get(spec.priorityClassName) or model.PriorityClass()
    return {
        "priority": priority_class.value if spec.priority is None else spec.priority,
        "preemptionPolicy": spec.preemptionPolicy or priority_class.preemptionPolicy,
        "priorityClassName": spec.priorityClassName or priority_class.metadata.name,
    }


def with_default_requests(pod: model.Pod) -> model.Pod:
    return _replace(pod, spec=_replace(pod.spec, **_containers(pod.spec)))


def _containers(spec: model.PodSpec) -> dict[str, object]:
    if not any(_containers_change(c, spec.hostNetwork) for c in (*spec.containers, *spec.initContainers)):
        return {}
    fields = ("containers", "initContainers")
    return {field: tuple(_container(c, spec.hostNetwork) for c in getattr(spec, field)) for field in fields}


def _containers_change(container: model.Container, host_network: bool) -> bool:
    resources = container.resources
    return bool(
        resources.limits
        or (container.ports and (host_network or any(not port.protocol for port in container.ports)))
        or not all(quantity.is_milli for quantity in resources.requests.values())
    )


def _container(container: model.Container, host_network: bool) -> model.Container:
    ports = tuple(
        _replace(
            port, protocol=port.protocol or "TCP", hostPort=port.hostPort or (port.containerPort if host_network else 0)
        )
        for port in container.ports
    )
    return _replace(container, ports=ports, resources=_resources(container.resources))


def _resources(resources: model.ResourceRequirements) -> model.ResourceRequirements:
    """Missing requests default to the limits; both are rounded up to thousandths."""
    limits = _milli(resources.limits)
    return _replace(resources, limits=limits, requests={**limits, **_milli(resources.requests)})


def _milli(resources: model.ResourceList) -> model.ResourceList:
    if all(quantity.is_milli for quantity in resources.values()):
        return resources
    return {name: quantity.rounded_to_milli() for name, quantity in resources.items()}


def with_pod_level_defaults(pod: model.Pod) -> model.Pod:
    """Complete the pod-level resources.

    A missing request is the sum over the containers, or else the pod-level limit. A missing limit is the sum of the
    limits if all containers have one, but at least the request. v1.37: pkg/api/pod/util.go, DefaultPodLevelResources.
    """
    resources = pod.spec.resources
    if resources is None or not (resources.requests or resources.limits):
        return pod
    limits, requests = _milli(resources.limits), _milli(resources.requests)
    sums = {name: Quantity.from_nanos(nanos) for name, nanos in container_requests(pod).items()}
    limits = {**{n: q for n, q in sums.items() if n.startswith("hugepages-") and n not in requests}, **limits}
    capped = {name: quantity for name, quantity in limits.items() if is_pod_level(name)}
    requests = {**capped, **{n: q for n, q in sums.items() if n in ("cpu", "memory")}, **requests}
    for name, most in _container_limits(pod).items():
        if name in requests and name not in limits and is_pod_level(name):
            limits[name] = max(most, requests[name], key=lambda amount: amount.nanos)
    return _replace(pod, spec=_replace(pod.spec, resources=_replace(resources, limits=limits, requests=requests)))


def _container_limits(pod: model.Pod) -> model.ResourceList:
    """The sum over the containers of each limit that all of them have."""
    spec = pod.spec
    limits = [set(each.resources.limits) for each in (*spec.containers, *spec.initContainers)]
    common = set.intersection(*limits) if limits else set()
    if not common:
        return {}
    limited = {
        field: tuple(
            _replace(c, resources=model.ResourceRequirements(c.resources.limits)) for c in getattr(spec, field)
        )
        for field in ("containers", "initContainers")
    }
    sums = container_requests(_replace(pod, spec=_replace(spec, **limited)))
    return {name: Quantity.from_nanos(sums[name]) for name in sorted(common)}


def _replication_controller(controller: model.ReplicationController) -> model.ReplicationController:
    template = controller.spec.template
    if controller.spec.selector or template is None or not template.metadata.labels:
        return controller
    return _replace(controller, spec=_replace(controller.spec, selector=template.metadata.labels))


def _deployment(deployment: model.Deployment) -> model.Deployment:
    strategy = deployment.spec.strategy
    if strategy.rollingUpdate is not None or strategy.type == "Recreate":
        return deployment
    strategy = _replace(strategy, type="RollingUpdate", rollingUpdate=model.RollingUpdateDeployment())
    return _replace(deployment, spec=_replace(deployment.spec, strategy=strategy))


def _stateful_set(stateful_set: model.StatefulSet) -> model.StatefulSet:
    strategy = stateful_set.spec.updateStrategy
    if strategy.rollingUpdate is not None or strategy.type == "OnDelete":
        return stateful_set
    strategy = _replace(strategy, type="RollingUpdate", rollingUpdate=model.RollingUpdateStatefulSet())
    return _replace(stateful_set, spec=_replace(stateful_set.spec, updateStrategy=strategy))


def _claim(claim: C) -> C:
    """A claim, or the spec of a template for claims."""
    devices = claim.spec.devices
    devices = _replace(devices, requests=tuple(map(_request, devices.requests)))
    return _replace(claim, spec=_replace(claim.spec, devices=devices))


def _claim_template(template: model.ResourceClaimTemplate) -> model.ResourceClaimTemplate:
    return _replace(template, spec=_claim(template.spec))


def _request(request: model.DeviceRequest) -> model.DeviceRequest:
    exactly = request.exactly
    subrequests = tuple(map(_counted, request.firstAvailable))
    return _replace(request, exactly=None if exactly is None else _counted(exactly), firstAvailable=subrequests)


def _counted(request: R) -> R:
    """The request with a mode and, in mode ExactCount, a count."""
    mode = request.allocationMode or model.EXACT_COUNT
    count = 1 if mode == model.EXACT_COUNT and request.count == 0 else request.count
    return _replace(request, allocationMode=mode, count=count)


_OTHERS: dict[type[model.ApiObject], Callable[[Any], Any]] = {
    model.ReplicationController: _replication_controller,
    model.Deployment: _deployment,
    model.StatefulSet: _stateful_set,
    model.ResourceClaim: _claim,
    model.ResourceClaimTemplate: _claim_template,
}
