"""Checks of pods: containers, resources and status.

v1.37: pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodSpec, validateResourceRequirements,
ValidatePodStatusUpdate).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache, lru_cache
from importlib import import_module

from kschedlab.objects.model import Container, Pod, PodSpec, PodStatus, ResourceList, ResourceRequirements
from kschedlab.objects.names import dns_label_fault, label_key_fault, name_fault
from kschedlab.objects.problems import WRITTEN, Fault, Path, later, shortened
from kschedlab.objects.quantity import INT64_MAX, NANO, Quantity, QuantityError
from kschedlab.objects.requests import is_extended, is_pod_level
from kschedlab_validation.common import PREEMPTION_POLICIES, check_choice, check_count, check_labels, check_name

_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")


def check_pod(pod: Pod, faults: list[Fault]) -> None:
    """Check everything in a pod except its metadata."""
    # A pod with a uid went through the API server, which has merged the labels already.
    merged = () if pod.metadata.uid else pod.metadata.labels
    check_pod_spec(pod, faults, merged)
    if pod.spec.nodeName and pod.spec.schedulingGates:
        faults.append(Fault(("spec", "nodeName"), "cannot be set until all schedulingGates have been cleared"))
    for field in ("containers", "initContainers"):
        for i, container in enumerate(getattr(pod.spec, field)):
            if container.image != container.image.strip():
                faults.append(Fault(("spec", field, i, "image"), "starts or ends with a space"))
    _check_status(pod.status, faults)


def check_pod_spec(pod: Pod, faults: list[Fault], merged: Collection[str] = (), template: bool = False) -> None:
    """Check the spec of a pod or template. ``merged``: the keys of the labels that matchLabelKeys stand for."""
    spec = pod.spec
    _check_containers(spec, faults)
    if spec.nodeName and (fault := name_fault(spec.nodeName)):
        faults.append(Fault(("spec", "nodeName"), fault))
    if spec.resources is not None:
        _check_of("pod_level")(pod, faults, template)
    if spec.overhead:
        _check_overhead(spec.overhead, faults)
    if spec.nodeSelector:
        check_labels(spec.nodeSelector, ("spec", "nodeSelector"), faults)
    if spec.affinity is not None or spec.tolerations or spec.topologySpreadConstraints:
        _check_of("placement")(spec, merged, faults)
    if spec.schedulingGates:
        _check_gates([gate.name for gate in spec.schedulingGates], faults)
    used = any(container.resources.claims for container in (*spec.containers, *spec.initContainers))
    if used or spec.resourceClaims or pod.status.resourceClaimStatuses:
        _check_of("claims")(pod, faults)
    if spec.volumes:
        _check_of("volumes")(spec.volumes, pod.metadata.name, faults)
    _check_running(spec, faults)


@cache
def _check_of(part: str) -> Callable[..., None]:
    """The check of a part that many pods lack, whose module they do not load."""
    check: Callable[..., None] = getattr(import_module(f"kschedlab_validation.{part}"), f"check_{part}")
    return check


def _check_running(spec: PodSpec, faults: list[Fault]) -> None:
    """Check what a kubelet and admission make of the pod."""
    if spec.preemptionPolicy is not None:
        check_choice(spec.preemptionPolicy, PREEMPTION_POLICIES, ("spec", "preemptionPolicy"), faults)
    if spec.restartPolicy:
        check_choice(spec.restartPolicy, _RESTART_POLICIES, ("spec", "restartPolicy"), faults)
    if spec.priorityClassName and (fault := name_fault(spec.priorityClassName)):
        faults.append(Fault(("spec", "priorityClassName"), fault))
    if spec.runtimeClassName is not None:
        check_name(spec.runtimeClassName, ("spec", "runtimeClassName"), faults)
    if spec.activeDeadlineSeconds is not None and not 1 <= spec.activeDeadlineSeconds < 2**31:
        message = later(
            "{value} must be between 1 and {most}, inclusive", value=spec.activeDeadlineSeconds, most=2**31 - 1
        )
        faults.append(Fault(("spec", "activeDeadlineSeconds"), message))
    for i, gate in enumerate(spec.readinessGates):
        path: Path = ("spec", "readinessGates", i, "conditionType")
        check_name(gate.conditionType, path, faults, label_key_fault)


def _check_gates(gates: list[str], faults: list[Fault]) -> None:
    for i, gate in enumerate(gates):
        path: Path = ("spec", "schedulingGates", i, "name")
        check_name(gate, path, faults, label_key_fault)
        if gate in gates[:i]:
            faults.append(Fault(path, later('"{name}" appears twice', name=shortened(gate))))


# -- containers


def _check_containers(spec: PodSpec, faults: list[Fault]) -> None:
    if not spec.containers:
        faults.append(Fault(("spec", "containers"), "a pod needs at least one container"))
    names: set[str] = set()
    for i, container in enumerate(spec.containers):
        path: Path = ("spec", "containers", i)
        _check_container(container, names, path, faults)
        if container.ports:
            _check_of("ports")(container.ports, spec.hostNetwork, path, faults)
    for i, container in enumerate(spec.initContainers):
        path = ("spec", "initContainers", i)
        _check_container(container, names, path, faults)
        if container.ports:
            _check_of("ports")(container.ports, False, path, faults)


def _check_container(container: Container, names: set[str], path: Path, faults: list[Fault]) -> None:
    name = container.name
    if fault := _name_fault(name, names):
        faults.append(Fault((*path, "name"), fault))
    names.add(name)
    if container.restartPolicy is not None:
        check_choice(container.restartPolicy, _RESTART_POLICIES, (*path, "restartPolicy"), faults)
    elif container.restartPolicyRules:
        faults.append(Fault((*path, "restartPolicy"), "is missing: restartPolicyRules need one"))
    for i, rule in enumerate(container.restartPolicyRules):
        check_choice(rule.action, _RESTART_ACTIONS, (*path, "restartPolicyRules", i, "action"), faults)
        if rule.exitCodes is None:
            faults.append(Fault((*path, "restartPolicyRules", i, "exitCodes"), "is missing"))
    resources = container.resources
    if resources.requests or resources.limits:
        check_requirements(resources, (*path, "resources"), faults)


def _name_fault(name: str, names: set[str]) -> str | None:
    if name in names:
        return later('"{name}" is the name of another container of the pod', name=shortened(name))
    return dns_label_fault(name) if name else "is missing"


# -- status


def _check_status(status: PodStatus, faults: list[Fault]) -> None:
    if status.phase:
        check_choice(status.phase, _PHASES, ("status", "phase"), faults)
    if status.nominatedNodeName and (fault := name_fault(status.nominatedNodeName)):
        faults.append(Fault(("status", "nominatedNodeName"), fault))
    if status.observedGeneration < 0:
        check_count(status.observedGeneration, ("status", "observedGeneration"), faults)
    for i, condition in enumerate(status.conditions):
        if condition.type not in _SYSTEM_CONDITIONS:
            check_name(condition.type, ("status", "conditions", i, "type"), faults, label_key_fault)
        if condition.observedGeneration < 0:
            path: Path = ("status", "conditions", i, "observedGeneration")
            check_count(condition.observedGeneration, path, faults)


# -- resources

_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
_INTEGERS = frozenset(
    ("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps")
    + ("persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
)
HUGE_PAGES = "hugepages-"


@lru_cache(4096)
def _resource_fault(name: str) -> str | None:
    """What is wrong with the name of a resource that a container requests."""
    if name in _STANDARD or (name.startswith(HUGE_PAGES) and "/" not in name):
        return label_key_fault(name)
    if "/" not in name:
        return later(
            '"{name}" is not a resource: use cpu, memory, ephemeral-storage, hugepages-... or domain/name',
            name=shortened(name),
        )
    return label_key_fault(name) or (None if "kubernetes.io/" in name or is_extended(name) else _not_extended(name))


def _not_extended(name: str) -> str:
    return later(
        '"{name}" is not a resource: a name with a domain must not start with "requests."', name=shortened(name)
    )


@lru_cache(65536)
def amount_fault(resource: str, amount: Quantity) -> str | None:
    """What is wrong with an amount: negative, a fraction where only whole numbers count, or too large."""
    if amount.nanos < 0:
        return later("{value} is negative", value=WRITTEN)
    if (resource in _INTEGERS or is_extended(resource)) and amount.nanos % NANO:
        return later("{value} is not a whole number: {resource} cannot be divided", value=WRITTEN, resource=resource)
    if amount.overflows(milli=resource == "cpu"):
        unit = later("milli cpu") if resource == "cpu" else later("units")
        return later(
            "{value} is too large: the scheduler counts at most {most} {unit}", value=WRITTEN, most=INT64_MAX, unit=unit
        )
    return None


def _huge_page_fault(resource: str, amount: Quantity) -> str | None:
    """What is wrong with an amount of huge pages: it must be a multiple of the page's size."""
    if not resource.startswith(HUGE_PAGES):
        return None
    size = resource.removeprefix(HUGE_PAGES)
    try:
        page = Quantity(size)
    except QuantityError:
        return later('"{size}" in its name is not the size of a page, such as 2Mi', size=shortened(size))
    if page.nanos <= 0 or page.nanos % NANO or amount.value() % page.value():
        return later("{value} is not a multiple of the size of a page, {size}", value=WRITTEN, size=size)
    return None


@lru_cache(65536)
def _requested_fault(resource: str, amount: Quantity) -> str | None:
    """What is wrong with an amount that a container requests."""
    return _resource_fault(resource) or amount_fault(resource, amount) or _huge_page_fault(resource, amount)


def check_requirements(
    resources: ResourceRequirements, path: Path, faults: list[Fault], pod_level: bool = False
) -> None:
    """Check requests and limits, and that they are consistent."""
    requests, limits = resources.requests, resources.limits
    if not requests and not limits:
        return
    _check_amounts(limits, path, "limits", faults, pod_level)
    _check_amounts(requests, path, "requests", faults, pod_level)
    for name, amount in requests.items():
        if fault := _limit_fault(name, amount, limits.get(name)):
            faults.append(Fault((*path, "requests", name), fault, str(amount)))
    if "cpu" not in requests and "memory" not in requests:
        _check_huge_pages(requests.keys() | limits.keys(), path, faults)


def _limit_fault(name: str, amount: Quantity, limit: Quantity | None) -> str | None:
    """What is wrong with a request beside its limit."""
    no_overcommit = is_extended(name) or name.startswith(HUGE_PAGES)
    if limit is None:
        return (
            later("has no limit: {name} cannot be overcommitted, so set an equal limit", name=name)
            if no_overcommit
            else None
        )
    if no_overcommit and amount != limit:
        return later(
            "{value} is not the limit of {limit}: {name} cannot be overcommitted, so they must be equal",
            value=WRITTEN,
            limit=limit,
            name=name,
        )
    return (
        later("{value} is more than the limit of {limit}", value=WRITTEN, limit=limit)
        if amount.nanos > limit.nanos
        else None
    )


def _check_huge_pages(names: set[str], path: Path, faults: list[Fault]) -> None:
    huge = next((name for name in names if name.startswith(HUGE_PAGES)), None)
    if huge is not None and names.isdisjoint(("cpu", "memory")):
        faults.append(Fault(path, later("{huge} needs a request or limit for cpu or memory beside it", huge=huge)))


def _check_overhead(overhead: ResourceList, faults: list[Fault]) -> None:
    """Check what a runtime class adds to a pod."""
    _check_amounts(overhead, ("spec",), "overhead", faults)
    _check_huge_pages(set(overhead), ("spec", "overhead"), faults)


def _check_amounts(
    resources: ResourceList, path: Path, field: str, faults: list[Fault], pod_level: bool = False
) -> None:
    """Check the resource names and amounts of a container, a pod or its overhead."""
    for name, amount in resources.items():
        if pod_level and not is_pod_level(name):
            fault: str | None = later(
                '"{name}" cannot be requested at pod level: use cpu, memory or hugepages-...', name=shortened(name)
            )
        else:
            fault = _requested_fault(name, amount)
        if fault:
            faults.append(Fault((*path, field, name), fault, str(amount)))
