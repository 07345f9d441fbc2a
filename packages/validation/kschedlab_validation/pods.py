"""Checks of pods beside those that decisions depend on.

v1.37: pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodSpec, validateResourceRequirements,
ValidatePodStatusUpdate).
"""

from __future__ import annotations

import re
from functools import lru_cache

from kschedlab.manifests.fields import RESTART_POLICIES, check_choice, check_count, check_name
from kschedlab.messages import later
from kschedlab.objects.model import Container, ContainerPort, Pod, PodSpec, PodStatus
from kschedlab.objects.names import label_key_fault, name_fault
from kschedlab.objects.problems import Fault, Path, shortened
from kschedlab_validation.claims import check_claims
from kschedlab_validation.resources import check_huge_pages, check_pod_level, check_requirements
from kschedlab_validation.volumes import check_volumes

_PORT_NAME = re.compile(r"(?=.*[a-z])[a-z0-9](?:-?[a-z0-9])*")


def check_ports(ports: tuple[ContainerPort, ...], host_network: bool, path: Path, faults: list[Fault]) -> None:
    faults += [fault._replace(path=path + fault.path) for fault in _port_faults(ports, host_network)]


@lru_cache(4096)
def _port_faults(ports: tuple[ContainerPort, ...], host_network: bool) -> tuple[Fault, ...]:
    """What is wrong with a container's ports."""
    faults: list[Fault] = []
    names: set[str] = set()
    for i, port in enumerate(ports):
        path: Path = ("ports", i)
        if port.name:
            check_name(port.name, (*path, "name"), faults, _port_name_fault)
            if port.name in names:
                faults.append(
                    Fault((*path, "name"), later('"{name}" is the name of another port', name=shortened(port.name)))
                )
            names.add(port.name)
        if host_network and 0 <= port.hostPort < 65536 and port.hostPort not in (0, port.containerPort):
            faults.append(Fault((*path, "hostPort"), "must equal containerPort because the pod uses hostNetwork"))
    return tuple(faults)


@lru_cache(4096)
def _port_name_fault(name: str) -> str | None:
    """What is wrong with the name of a port."""
    if len(name) <= 15 and _PORT_NAME.fullmatch(name):
        return None
    return later(
        '"{name}" is not the name of a port: use a-z, 0-9 and single - (at most 15), and at least one letter',
        name=shortened(name),
    )


_RESTART_ACTIONS = ("Restart", "RestartAllContainers")
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")


def check_pod(pod: Pod, faults: list[Fault]) -> None:
    """Check a pod except its metadata."""
    check_pod_spec(pod, faults)
    if pod.spec.nodeName and pod.spec.schedulingGates:
        faults.append(Fault(("spec", "nodeName"), "cannot be set until all schedulingGates have been cleared"))
    for field in ("containers", "initContainers"):
        for i, container in enumerate(getattr(pod.spec, field)):
            if container.image != container.image.strip():
                faults.append(Fault(("spec", field, i, "image"), "starts or ends with a space"))
    _check_status(pod.status, faults)


def check_pod_spec(pod: Pod, faults: list[Fault], template: bool = False) -> None:
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


def _check_running(spec: PodSpec, faults: list[Fault]) -> None:
    """Check what a kubelet and admission make of the pod."""
    if spec.restartPolicy:
        check_choice(spec.restartPolicy, RESTART_POLICIES, ("spec", "restartPolicy"), faults)
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


def _check_container(container: Container, host_network: bool, path: Path, faults: list[Fault]) -> None:
    if container.restartPolicyRules and container.restartPolicy is None:
        faults.append(Fault((*path, "restartPolicy"), "is missing: restartPolicyRules need one"))
    for i, rule in enumerate(container.restartPolicyRules):
        check_choice(rule.action, _RESTART_ACTIONS, (*path, "restartPolicyRules", i, "action"), faults)
        if rule.exitCodes is None:
            faults.append(Fault((*path, "restartPolicyRules", i, "exitCodes"), "is missing"))
    check_requirements(container.resources, (*path, "resources"), faults)
    if container.ports:
        check_ports(container.ports, host_network, path, faults)


# -- status


def _check_status(status: PodStatus, faults: list[Fault]) -> None:
    if status.observedGeneration < 0:
        check_count(status.observedGeneration, ("status", "observedGeneration"), faults)
    for i, condition in enumerate(status.conditions):
        if condition.type not in _SYSTEM_CONDITIONS:
            check_name(condition.type, ("status", "conditions", i, "type"), faults, label_key_fault)
        if condition.observedGeneration < 0:
            path: Path = ("status", "conditions", i, "observedGeneration")
            check_count(condition.observedGeneration, path, faults)
