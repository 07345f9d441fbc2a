"""Validation of objects: what the API server would refuse, and warnings about what it accepts.

v1.37: pkg/apis/*/validation and plugin/pkg/admission/priority. Warnings concern fields that the API
server accepts but that do not work as one might expect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from kschedlab.manifests.defaults import SYSTEM_CLASSES
from kschedlab.manifests.pod_validation import (
    EFFECTS,
    PREEMPTION_POLICIES,
    check_choice,
    check_labels,
    check_node_terms,
    check_pod,
    check_selector,
)
from kschedlab.manifests.resource_amounts import amount_fault
from kschedlab.objects.model import (
    ApiObject,
    CSINode,
    CSIStorageCapacity,
    Deployment,
    Job,
    LabelSelector,
    Node,
    ObjectMeta,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
    StorageClass,
)
from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault, name_fault
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab.objects.selectors import SelectorError

_PERCENT = re.compile(r"[0-9]{1,9}%")
HIGHEST_PRIORITY = 1_000_000_000
"""The highest value of a user-defined PriorityClass (v1.37: pkg/apis/scheduling/types.go)."""


def faults_of(document: ApiObject) -> list[Fault]:
    """A fault for everything in the object that the API server would refuse."""
    faults: list[Fault] = []
    metadata: ObjectMeta = document.metadata  # type: ignore[attr-defined]  # every kind has it
    _check_metadata(metadata, type(document).__name__, faults)
    check = _CHECKS.get(type(document))
    if check is not None:
        check(document, faults)
    return faults


def _check_metadata(metadata: ObjectMeta, kind: str, faults: list[Fault]) -> None:
    if not metadata.name:
        faults.append(Fault(("metadata", "name"), "is missing"))
    elif fault := (dns_label_fault if kind == "Namespace" else name_fault)(metadata.name):
        faults.append(Fault(("metadata", "name"), fault))
    if metadata.namespace and (fault := dns_label_fault(metadata.namespace)):
        faults.append(Fault(("metadata", "namespace"), fault))
    if metadata.labels:
        check_labels(metadata.labels, ("metadata", "labels"), faults)


def _check_node(node: Node, faults: list[Fault]) -> None:
    for field, resources in (("capacity", node.status.capacity), ("allocatable", node.status.allocatable)):
        for name, amount in resources.items():
            if fault := amount_fault(name, amount):
                faults.append(Fault(("status", field, name), fault, str(amount)))
    for i, taint in enumerate(node.spec.taints):
        path: Path = ("spec", "taints", i)
        if fault := label_key_fault(taint.key) if taint.key else "is missing":
            faults.append(Fault((*path, "key"), fault))
        if fault := label_value_fault(taint.value):
            faults.append(Fault((*path, "value"), fault))
        check_choice(taint.effect, EFFECTS, (*path, "effect"), faults)


def _check_budget(budget: PodDisruptionBudget, faults: list[Fault]) -> None:
    check_selector(budget.spec.selector, ("spec", "selector"), faults)
    if budget.spec.minAvailable is not None and budget.spec.maxUnavailable is not None:
        faults.append(Fault(("spec", "maxUnavailable"), "cannot be combined with minAvailable: keep only one of them"))
    for field, amount in (("minAvailable", budget.spec.minAvailable), ("maxUnavailable", budget.spec.maxUnavailable)):
        if amount is not None and (fault := _share_fault(amount)):
            faults.append(Fault(("spec", field), fault))
    if budget.status.disruptionsAllowed < 0:
        faults.append(Fault(("status", "disruptionsAllowed"), f"{budget.status.disruptionsAllowed} is negative"))


def _share_fault(amount: int | str) -> str | None:
    """What is wrong with a number or percentage of pods."""
    if isinstance(amount, int):
        return None if amount >= 0 else f"{amount} is negative"
    if not _PERCENT.fullmatch(amount):
        return f"{quoted(amount)} is neither a number nor a percentage such as 50%"
    return None if int(amount[:-1]) <= 100 else f"{quoted(amount)} is more than 100%"


def _check_priority_class(priority_class: PriorityClass, faults: list[Fault]) -> None:
    value, system_value = priority_class.value, SYSTEM_CLASSES.get(priority_class.metadata.name)
    if system_value is not None:
        if value != system_value:
            faults.append(Fault(("value",), f"must be {system_value} in this class"))
    elif value > HIGHEST_PRIORITY:
        message = f"{value} is more than {HIGHEST_PRIORITY}, the highest value of user-defined classes"
        faults.append(Fault(("value",), message))
    check_choice(priority_class.preemptionPolicy, PREEMPTION_POLICIES, ("preemptionPolicy",), faults)


def _check_service(service: Service, faults: list[Fault]) -> None:
    check_labels(service.spec.selector, ("spec", "selector"), faults)


def _check_replication_controller(controller: ReplicationController, faults: list[Fault]) -> None:
    check_labels(controller.spec.selector, ("spec", "selector"), faults)
    _check_count(controller.spec.replicas, ("spec", "replicas"), faults)


def _check_replicas(owner: ReplicaSet | StatefulSet | Deployment, faults: list[Fault]) -> None:
    check_selector(owner.spec.selector, ("spec", "selector"), faults)
    _check_count(owner.spec.replicas, ("spec", "replicas"), faults)


def _check_job(job: Job, faults: list[Fault]) -> None:
    for field in ("parallelism", "completions", "backoffLimit"):
        _check_count(getattr(job.spec, field), ("spec", field), faults)


def _check_count(count: int | None, path: Path, faults: list[Fault]) -> None:
    if count is not None and count < 0:
        faults.append(Fault(path, f"{count} is negative"))


def _check_volume(volume: PersistentVolume, faults: list[Fault]) -> None:
    for name, amount in volume.spec.capacity.items():
        if fault := amount_fault(name, amount):
            faults.append(Fault(("spec", "capacity", name), fault, str(amount)))
    affinity = volume.spec.nodeAffinity
    if affinity is not None and affinity.required is not None:
        path = ("spec", "nodeAffinity", "required", "nodeSelectorTerms")
        check_node_terms(affinity.required.nodeSelectorTerms, path, faults)


def _check_claim(claim: PersistentVolumeClaim, faults: list[Fault]) -> None:
    check_selector(claim.spec.selector, ("spec", "selector"), faults)
    for name, amount in claim.spec.resources.requests.items():
        if fault := amount_fault(name, amount):
            faults.append(Fault(("spec", "resources", "requests", name), fault, str(amount)))


def _check_storage_class(storage_class: StorageClass, faults: list[Fault]) -> None:
    modes = ("Immediate", "WaitForFirstConsumer")
    check_choice(storage_class.volumeBindingMode, modes, ("volumeBindingMode",), faults)


def _check_csi_node(node: CSINode, faults: list[Fault]) -> None:
    for i, driver in enumerate(node.spec.drivers):
        count = driver.allocatable.count if driver.allocatable is not None else None
        if count is not None and count < 0:
            faults.append(Fault(("spec", "drivers", i, "allocatable", "count"), f"{count} is negative"))


def _check_capacity(capacity: CSIStorageCapacity, faults: list[Fault]) -> None:
    check_selector(capacity.nodeTopology, ("nodeTopology",), faults)
    if not capacity.storageClassName:
        faults.append(Fault(("storageClassName",), "is missing"))


_CHECKS: dict[type[ApiObject], Callable[[Any, list[Fault]], None]] = {
    Pod: check_pod,
    Node: _check_node,
    PodDisruptionBudget: _check_budget,
    PriorityClass: _check_priority_class,
    Service: _check_service,
    ReplicationController: _check_replication_controller,
    ReplicaSet: _check_replicas,
    StatefulSet: _check_replicas,
    Deployment: _check_replicas,
    Job: _check_job,
    PersistentVolume: _check_volume,
    PersistentVolumeClaim: _check_claim,
    StorageClass: _check_storage_class,
    CSINode: _check_csi_node,
    CSIStorageCapacity: _check_capacity,
}


# -- between objects


def priority_fault(pod: Pod, classes: Mapping[str, PriorityClass]) -> Fault | None:
    """A fault if the pod's PriorityClass does not exist and the pod does not set its priority itself."""
    name = pod.spec.priorityClassName
    if not name or name in classes or pod.spec.priority is not None:
        return None
    return Fault(("spec", "priorityClassName"), f"there is no PriorityClass {quoted(name)}: add it or set priority")


# -- pod templates


def template_faults(document: ApiObject, may_lack: bool = False) -> list[Fault]:
    """A fault for everything in a workload's pod template that the API server would refuse.

    The scheduler does not read templates. ``may_lack``: whether the template is optional.
    """
    if not isinstance(document, ReplicaSet | StatefulSet | ReplicationController | Deployment | Job):
        return []
    faults: list[Fault] = []
    template = document.spec.template
    if template is None:
        return [] if may_lack else [Fault(("spec", "template"), "is missing")]
    check_pod(Pod(metadata=template.metadata, spec=template.spec), faults)
    check_labels(template.metadata.labels, ("metadata", "labels"), faults)
    if isinstance(document, Job):
        check_choice(template.spec.restartPolicy, ("OnFailure", "Never"), ("spec", "restartPolicy"), faults)
    elif not _selects(document.spec.selector, template.metadata.labels):
        faults.append(Fault(("metadata", "labels"), "do not match spec.selector, which must select them"))
    return [fault._replace(path=("spec", "template", *fault.path)) for fault in faults]


def _selects(selector: LabelSelector | dict[str, str] | None, labels: dict[str, str]) -> bool:
    if selector is None:
        return False
    label_selector = selector if isinstance(selector, LabelSelector) else LabelSelector(matchLabels=selector)
    with suppress(SelectorError):
        compiled = label_selector.compile()
        return not compiled.empty and compiled.matches(labels)
    return False


# -- warnings


def warnings_of(document: ApiObject) -> list[Fault]:
    """A warning for each field that Kubernetes obeys but this package does not model, and for fields without effect."""
    if isinstance(document, Pod):
        return _pod_warnings(document)
    if isinstance(document, Node):
        return _node_warnings(document)
    if isinstance(document, PodDisruptionBudget):
        return _budget_warnings(document)
    return []


def _node_warnings(node: Node) -> list[Fault]:
    taints = [(taint.key, taint.effect) for taint in node.spec.taints]
    return [
        Fault(("spec", "taints", i), f"{key} with {effect} appears twice, which the API server refuses")
        for i, (key, effect) in enumerate(taints)
        if (key, effect) in taints[:i]
    ]


def _pod_warnings(pod: Pod) -> list[Fault]:
    spec, warnings = pod.spec, _port_warnings(pod)
    if spec.resourceClaims:
        warnings.append(Fault(("spec", "resourceClaims"), "is not modelled: the decision ignores devices (DRA)"))
    if pod.status.extendedResourceClaimStatus:
        message = "is not modelled: the decision ignores devices (DRA)"
        warnings.append(Fault(("status", "extendedResourceClaimStatus"), message))
    if spec.schedulingGroup:
        warnings.append(Fault(("spec", "schedulingGroup"), "is not modelled: the pod is scheduled on its own"))
    if spec.runtimeClassName and not spec.overhead and not pod.metadata.uid:
        message = "is not resolved: the RuntimeClass adds no overhead, nodeSelector or tolerations"
        warnings.append(Fault(("spec", "runtimeClassName"), message))
    if spec.hostNetwork and spec.hostUsers is False:
        message = "is not modelled: nodes that do not declare the feature are not filtered out"
        warnings.append(Fault(("spec", "hostUsers"), message))
    for i, toleration in enumerate(spec.tolerations):
        if toleration.operator in ("Gt", "Lt"):
            message = f"{toleration.operator} tolerates nothing because its feature gate is off by default"
            warnings.append(Fault(("spec", "tolerations", i, "operator"), message))
    for field, containers in (("containers", spec.containers), ("initContainers", spec.initContainers)):
        for i, container in enumerate(containers):
            if container.restartPolicyRules:
                message = "is not modelled: nodes without the feature are not filtered out"
                warnings.append(Fault(("spec", field, i, "restartPolicyRules"), message))
    return warnings


def _port_warnings(pod: Pod) -> list[Fault]:
    used: set[tuple[str, str, int]] = set()
    warnings = []
    for i, container in enumerate(pod.spec.containers):
        for j, port in enumerate(container.ports):
            key = (port.protocol, port.hostIP, port.hostPort)
            if port.hostPort and key in used:
                path: Path = ("spec", "containers", i, "ports", j, "hostPort")
                warnings.append(Fault(path, f"{port.hostPort} is used twice in the pod, which the API server refuses"))
            used.add(key)
    return warnings


def _budget_warnings(budget: PodDisruptionBudget) -> list[Fault]:
    selector = budget.spec.selector
    empty = selector is not None and not (selector.matchLabels or selector.matchExpressions)
    if empty and budget.apiVersion == "policy/v1beta1":
        message = "is empty: it matches nothing in policy/v1beta1, but is read as policy/v1, where it matches every pod"
        return [Fault(("spec", "selector"), message)]
    return []
