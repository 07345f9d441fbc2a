"""Checks of pods beside those that decisions depend on, and of how requests and limits go together.

v1.37: pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodSpec, ValidateResourceRequirements,
validatePodResources, ValidatePodStatusUpdate).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import msgspec

from kschedlab.manifests.defaults import with_default_requests, with_pod_level_defaults
from kschedlab.manifests.fields import HUGE_PAGES, RESTART_POLICIES, check_choice, check_count, check_name
from kschedlab.messages import later
from kschedlab.objects.model import (
    Container,
    ContainerPort,
    Pod,
    PodSpec,
    PodStatus,
    ResourceList,
    ResourceRequirements,
)
from kschedlab.objects.names import label_key_fault, name_fault
from kschedlab.objects.problems import WRITTEN, Fault, Faults, Path, shortened
from kschedlab.objects.quantity import Quantity
from kschedlab.objects.requests import container_requests, is_extended
from kschedlab_validation.claims import check_claims
from kschedlab_validation.volumes import check_volumes

_PORT_NAME = re.compile(r"(?=.*[a-z])[a-z0-9](?:-?[a-z0-9])*")


def check_ports(ports: tuple[ContainerPort, ...], host_network: bool, path: Path, faults: Faults) -> None:
    faults += [fault._replace(path=path + fault.path) for fault in _port_faults(ports, host_network)]


@lru_cache(4096)
def _port_faults(ports: tuple[ContainerPort, ...], host_network: bool) -> tuple[Fault, ...]:
    """The faults of a container's ports."""
    faults = Faults()
    names: set[str] = set()
    for i, port in enumerate(ports):
        path: Path = ("ports", i)
        if port.name:
            check_name(port.name, (*path, "name"), faults, _port_name_fault)
            if port.name in names:
                faults.note((*path, "name"), '"{name}" is the name of another port', name=shortened(port.name))
            names.add(port.name)
        if host_network and 0 < port.hostPort < 65536 and port.hostPort != port.containerPort:
            faults.note((*path, "hostPort"), "must equal containerPort because the pod uses hostNetwork")
    return tuple(faults)


@lru_cache(4096)
def _port_name_fault(name: str) -> str | None:
    """The fault of a port's name."""
    if len(name) <= 15 and _PORT_NAME.fullmatch(name):
        return None
    return later(
        '"{name}" is not the name of a port: use a-z, 0-9 and single - (at most 15), and at least one letter',
        name=shortened(name),
    )


_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")


def check_pod(pod: Pod, faults: Faults) -> None:
    """Check a pod except its metadata."""
    check_pod_spec(pod, faults)
    if pod.spec.nodeName and pod.spec.schedulingGates:
        faults.note(("spec", "nodeName"), "cannot be set until all schedulingGates have been cleared")
    for field in ("containers", "initContainers"):
        for i, container in enumerate(getattr(pod.spec, field)):
            if container.image != container.image.strip():
                faults.note(("spec", field, i, "image"), "starts or ends with a space")
    _check_status(pod.status, faults)


def check_pod_spec(pod: Pod, faults: Faults, template: bool = False) -> None:
    spec = pod.spec
    for field, containers in (("containers", spec.containers), ("initContainers", spec.initContainers)):
        for i, container in enumerate(containers):
            host_network = spec.hostNetwork and field == "containers"
            _check_container(container, host_network, ("spec", field, i), faults)
    if spec.resources is not None:
        check_pod_level(pod, faults, template)
    if spec.overhead:
        check_huge_pages(spec.overhead, ("spec", "overhead"), faults)
    if spec.schedulingGates:
        _check_gates([gate.name for gate in spec.schedulingGates], faults)
    used = any(container.resources.claims for container in (*spec.containers, *spec.initContainers))
    if used or spec.resourceClaims or pod.status.resourceClaimStatuses:
        check_claims(pod, faults)
    if spec.volumes:
        check_volumes(spec.volumes, pod.metadata.name, faults)
    if (group := spec.schedulingGroup) is not None:
        check_name(group.podGroupName or "", ("spec", "schedulingGroup", "podGroupName"), faults)
    _check_running(spec, faults)


def _check_running(spec: PodSpec, faults: Faults) -> None:
    """Check what a kubelet and admission make of the pod."""
    if spec.restartPolicy:
        check_choice(spec.restartPolicy, RESTART_POLICIES, ("spec", "restartPolicy"), faults)
    if spec.priorityClassName:
        faults.note(("spec", "priorityClassName"), name_fault(spec.priorityClassName))
    if spec.runtimeClassName is not None:
        check_name(spec.runtimeClassName, ("spec", "runtimeClassName"), faults)
    if spec.activeDeadlineSeconds is not None and not 1 <= spec.activeDeadlineSeconds < 2**31:
        message = later(
            "{value} must be between 1 and {most}, inclusive", value=spec.activeDeadlineSeconds, most=2**31 - 1
        )
        faults.note(("spec", "activeDeadlineSeconds"), message)
    for i, gate in enumerate(spec.readinessGates):
        path: Path = ("spec", "readinessGates", i, "conditionType")
        check_name(gate.conditionType, path, faults, label_key_fault)


def _check_gates(gates: list[str], faults: Faults) -> None:
    for i, gate in enumerate(gates):
        path: Path = ("spec", "schedulingGates", i, "name")
        check_name(gate, path, faults, label_key_fault)
        if gate in gates[:i]:
            faults.note(path, '"{name}" appears twice', name=shortened(gate))


# -- containers


def _check_container(container: Container, host_network: bool, path: Path, faults: Faults) -> None:
    if container.restartPolicyRules and container.restartPolicy is None:
        faults.note((*path, "restartPolicy"), "is missing: restartPolicyRules need one")
    if len(container.restartPolicyRules) > 20:
        faults.note((*path, "restartPolicyRules"), "has more than 20 rules")
    for i, rule in enumerate(container.restartPolicyRules):
        check_choice(rule.action, _RESTART_ACTIONS, (*path, "restartPolicyRules", i, "action"), faults)
        if rule.exitCodes is None:
            faults.note((*path, "restartPolicyRules", i, "exitCodes"), "is missing")
    check_requirements(container.resources, (*path, "resources"), faults)
    if container.ports:
        check_ports(container.ports, host_network, path, faults)


# -- status


def _check_status(status: PodStatus, faults: Faults) -> None:
    if status.observedGeneration < 0:
        check_count(status.observedGeneration, ("status", "observedGeneration"), faults)
    for i, condition in enumerate(status.conditions):
        if condition.type not in _SYSTEM_CONDITIONS:
            check_name(condition.type, ("status", "conditions", i, "type"), faults, label_key_fault)
        if condition.observedGeneration < 0:
            path: Path = ("status", "conditions", i, "observedGeneration")
            check_count(condition.observedGeneration, path, faults)


# -- requests and limits


def check_requirements(resources: ResourceRequirements, path: Path, faults: Faults) -> None:
    """Check that requests and limits are consistent."""
    requests, limits = resources.requests, resources.limits
    if not requests and not limits:
        return
    for name, amount in requests.items():
        faults.note((*path, "requests", name), _limit_fault(name, amount, limits.get(name)), str(amount))
    if "cpu" not in requests and "memory" not in requests:
        check_huge_pages(requests.keys() | limits.keys(), path, faults)


def _limit_fault(name: str, amount: Quantity, limit: Quantity | None) -> str | None:
    """The fault of a request beside its limit."""
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


def check_huge_pages(names: Collection[str], path: Path, faults: Faults) -> None:
    """Check that huge pages come with cpu or memory."""
    huge = next((name for name in names if name.startswith(HUGE_PAGES)), None)
    if huge is not None and "cpu" not in names and "memory" not in names:
        faults.note(path, "{huge} needs a request or limit for cpu or memory beside it", huge=huge)


# -- of a pod as a whole


def check_pod_level(pod: Pod, faults: Faults, template: bool) -> None:
    """Check the pod-level resources, which must cover what the containers ask for.

    ``template``: the API server does not complete the requests and limits of a template.
    """
    path: Path = ("spec", "resources")
    pod = pod if template else with_pod_level_defaults(with_default_requests(pod))
    resources = pod.spec.resources
    assert resources is not None
    if not template:
        limits = _default_huge_pages(pod, resources) | resources.limits
        resources = msgspec.structs.replace(resources, limits=limits)
    if resources.claims is not None:
        faults.note((*path, "claims"), "cannot be set at pod level")
    check_requirements(resources, path, faults)
    for name, nanos in container_requests(pod).items():
        _check_covers(resources.requests, name, nanos, (*path, "requests", name), faults)
    asked = (container.resources.limits for container in pod.spec.containers)
    for name, amount in ((name, amount) for each in asked for name, amount in each.items()):
        _check_covers(resources.limits, name, amount.nanos, (*path, "limits", name), faults)
    for name, nanos in _huge_pages(pod).items():
        _check_covers(resources.limits, name, nanos, (*path, "limits", name), faults)


def _default_huge_pages(pod: Pod, resources: ResourceRequirements) -> ResourceList:
    """The limits that requests for huge pages get if all containers have one (v1.37: pkg/api/pod/util.go)."""
    limits = [each.resources.limits for each in (*pod.spec.containers, *pod.spec.initContainers)]
    summed = _huge_pages(pod)
    return {
        name: Quantity.from_nanos(max(summed.get(name, 0), amount.nanos))
        for name, amount in resources.requests.items()
        if name.startswith(HUGE_PAGES) and all(name in limit for limit in limits)
    }


def _check_covers(resources: ResourceList, name: str, nanos: int, path: Path, faults: Faults) -> None:
    if name in resources and resources[name].nanos < nanos:
        message = later(
            "{value} is less than the {sum} that the containers ask for", value=WRITTEN, sum=Quantity.from_nanos(nanos)
        )
        faults.note(path, message, str(resources[name]))


def _huge_pages(pod: Pod) -> dict[str, int]:
    """The sum of the containers' limits on huge pages, in nanos."""
    every = (*pod.spec.containers, *pod.spec.initContainers)
    if not any(name.startswith(HUGE_PAGES) for each in every for name in each.resources.limits):
        return {}
    requests = container_requests(_asking_for_limits(pod))
    return {name: nanos for name, nanos in requests.items() if name.startswith(HUGE_PAGES)}


def _asking_for_limits(pod: Pod) -> Pod:
    """The pod with its containers' limits as their requests."""
    replace = msgspec.structs.replace
    containers, init = (
        tuple(replace(c, resources=replace(c.resources, requests=c.resources.limits)) for c in each)
        for each in (pod.spec.containers, pod.spec.initContainers)
    )
    return replace(pod, spec=replace(pod.spec, containers=containers, initContainers=init))
