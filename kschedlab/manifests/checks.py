"""Checks of objects: what no decision can be computed from is refused, and what has no effect is a warning.

The fields that decisions depend on must make sense: names, labels, selectors, amounts and choices, as v1.37 has them
(pkg/apis/*/validation). The rest of the API server's validation is kschedlab-validation: a package adds checks as entry
points of the group ``kschedlab.checks``, each a :class:`Checks`; in pyproject.toml::

    [project.entry-points."kschedlab.checks"]
    teams = "my_checks:CHECKS"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from kschedlab.manifests.fields import (
    EFFECTS,
    PREEMPTION_POLICIES,
    RESTART_POLICIES,
    amount_fault,
    check_choice,
    check_count,
    check_labels,
    check_name,
    check_present,
    check_requested,
    check_selector,
)
from kschedlab.manifests.placement import check_node_terms, check_placement
from kschedlab.messages import later
from kschedlab.objects import model
from kschedlab.objects.meta import CLUSTER_SCOPED
from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault, name_fault
from kschedlab.objects.problems import WRITTEN, Fault, Faults, Path, one_of, shortened
from kschedlab.objects.selectors import parse_int64

GROUP = "kschedlab.checks"
GROUP_WARNING = later("is not modelled without the feature gate GenericWorkload: the pod is scheduled on its own")


class Checks(NamedTuple):
    """What is wrong with an object, so that it is refused; and warnings about an object that is accepted."""

    faults: Callable[[model.ApiObject], list[Fault]]
    warnings: Callable[[model.ApiObject], list[Fault]]


@cache
def installed() -> tuple[Checks, ...]:
    declared = {entry.value: entry for entry in entry_points(group=GROUP)}
    return tuple(entry.load() for _, entry in sorted(declared.items()))


def faults_of(document: model.ApiObject) -> list[Fault]:
    faults, metadata, kind = Faults(), document.metadata, type(document).__name__
    check_name(metadata.name, ("metadata", "name"), faults, NAMES.get(kind, name_fault))
    if metadata.namespace and kind not in CLUSTER_SCOPED:
        faults.note(("metadata", "namespace"), dns_label_fault(metadata.namespace))
    check_labels(metadata.labels, ("metadata", "labels"), faults)
    if check := _CHECKS.get(type(document)):
        check(document, faults)
    for checks in installed():
        faults += checks.faults(document)
    return faults


def warnings_of(document: model.ApiObject) -> list[Fault]:
    """A warning for each field that Kubernetes obeys but this package does not model, and for fields without effect."""
    warnings = _pod_warnings(document) if isinstance(document, model.Pod) else []
    if isinstance(document, model.PodDisruptionBudget):
        warnings += _budget_warnings(document)
    for checks in installed():
        warnings += checks.warnings(document)
    return warnings


def priority_fault(pod: model.Pod | model.PodGroup, classes: Mapping[str, model.PriorityClass]) -> Fault | None:
    """A fault if the PriorityClass of the pod or group does not exist, and it does not set its priority itself."""
    name = pod.spec.priorityClassName
    if not name or name in classes or pod.spec.priority is not None:
        return None
    missing = later('there is no PriorityClass "{name}": add it or set priority', name=shortened(name))
    return Fault(("spec", "priorityClassName"), missing)


def path_segment_fault(name: str) -> str | None:
    """What is wrong with a name for which any part of a URL's path will do."""
    if name in (".", "..") or "/" in name or "%" in name:
        return later('"{name}" is not a valid name: it must not be . or .. or contain / or %', name=shortened(name))
    return None


NAMES: dict[str, Callable[[str], str | None]] = {
    "Namespace": dns_label_fault,
    "Service": dns_label_fault,
    "StatefulSet": dns_label_fault,
    "PodDisruptionBudget": path_segment_fault,
}
"""The rule for the names of a kind, where it is not :func:`name_fault`."""


_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")


def _check_node(node: model.Node, faults: Faults) -> None:
    for field, resources in (("capacity", node.status.capacity), ("allocatable", node.status.allocatable)):
        for name, amount in resources.items():
            faults.note(("status", field, name), amount_fault(name, amount), str(amount))
    for i, taint in enumerate(node.spec.taints):
        path: Path = ("spec", "taints", i)
        check_name(taint.key, (*path, "key"), faults, label_key_fault)
        faults.note((*path, "value"), label_value_fault(taint.value))
        check_choice(taint.effect, EFFECTS, (*path, "effect"), faults)


def _check_pod(pod: model.Pod, faults: Faults) -> None:
    # A pod with a uid went through the API server, which has merged the labels already.
    check_pod_spec(pod.spec, faults, merged={} if pod.metadata.uid else pod.metadata.labels)
    if pod.status.phase:
        check_choice(pod.status.phase, _PHASES, ("status", "phase"), faults)
    if pod.status.nominatedNodeName:
        faults.note(("status", "nominatedNodeName"), name_fault(pod.status.nominatedNodeName))


def check_pod_spec(spec: model.PodSpec, faults: Faults, merged: Mapping[str, str] | None = None) -> None:
    """Check the spec of a pod or template. ``merged``: the labels that matchLabelKeys put into selectors."""
    _check_containers(spec, faults)
    if spec.nodeName:
        faults.note(("spec", "nodeName"), name_fault(spec.nodeName))
    if spec.resources is not None:
        for field, resources in (("limits", spec.resources.limits), ("requests", spec.resources.requests)):
            check_requested(resources, ("spec", "resources", field), faults, pod_level=True)
    check_requested(spec.overhead, ("spec", "overhead"), faults)
    check_labels(spec.nodeSelector, ("spec", "nodeSelector"), faults)
    check_placement(spec, merged or {}, faults)
    for i, volume in enumerate(spec.volumes):
        if volume.persistentVolumeClaim is not None:
            path = ("spec", "volumes", i, "persistentVolumeClaim", "claimName")
            check_present(volume.persistentVolumeClaim.claimName, path, faults)
    if spec.preemptionPolicy is not None:
        check_choice(spec.preemptionPolicy, PREEMPTION_POLICIES, ("spec", "preemptionPolicy"), faults)


def _check_containers(spec: model.PodSpec, faults: Faults) -> None:
    if not spec.containers:
        faults.note(("spec", "containers"), "a pod needs at least one container")
    names: set[str] = set()
    for field, containers in (("containers", spec.containers), ("initContainers", spec.initContainers)):
        for i, container in enumerate(containers):
            path: Path = ("spec", field, i)
            faults.note((*path, "name"), _container_name_fault(container.name, names))
            names.add(container.name)
            if container.restartPolicy is not None:
                check_choice(container.restartPolicy, RESTART_POLICIES, (*path, "restartPolicy"), faults)
            check_requested(container.resources.limits, (*path, "resources", "limits"), faults)
            check_requested(container.resources.requests, (*path, "resources", "requests"), faults)
            for j, port in enumerate(container.ports):
                _check_port(port, (*path, "ports", j), faults)


def _container_name_fault(name: str, names: set[str]) -> str | None:
    if name in names:
        return later('"{name}" is the name of another container of the pod', name=shortened(name))
    return dns_label_fault(name) if name else "is missing"


def _check_port(port: model.ContainerPort, path: Path, faults: Faults) -> None:
    for field, number, least in (("containerPort", port.containerPort, 1), ("hostPort", port.hostPort, 0)):
        if not least <= number < 65536:
            faults.note((*path, field), "{port} is not a port number (1 to 65535)", port=number)
    check_choice(port.protocol or "TCP", ("TCP", "UDP", "SCTP"), (*path, "protocol"), faults)


def _check_budget(budget: model.PodDisruptionBudget, faults: Faults) -> None:
    check_selector(budget.spec.selector, ("spec", "selector"), faults)
    check_count(budget.status.disruptionsAllowed, ("status", "disruptionsAllowed"), faults)


ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
VOLUME_MODES = ("Filesystem", "Block")


def _check_volume(volume: model.PersistentVolume, faults: Faults) -> None:
    spec = volume.spec
    if (storage := spec.capacity.get("storage")) is not None and (storage.nanos <= 0 or storage.overflows()):
        message = later("{value} must be greater than 0 and less than 8Ei", value=WRITTEN)
        faults.note(("spec", "capacity", "storage"), message, str(storage))
    check_access_modes(spec.accessModes, ("spec", "accessModes"), faults)
    check_choice(spec.volumeMode, VOLUME_MODES, ("spec", "volumeMode"), faults)
    if spec.nodeAffinity is not None and spec.nodeAffinity.required is not None:
        path = ("spec", "nodeAffinity", "required", "nodeSelectorTerms")
        check_node_terms(spec.nodeAffinity.required.nodeSelectorTerms, path, faults)


def check_access_modes(modes: tuple[str, ...], path: Path, faults: Faults) -> None:
    """Check the access modes of a claim or volume, which has at least one."""
    if not modes:
        faults.note(path, "is missing: expected a list of {choices}", choices=one_of(ACCESS_MODES))
    for i, mode in enumerate(modes):
        check_choice(mode, ACCESS_MODES, (*path, i), faults)


def check_claim_spec(spec: model.PersistentVolumeClaimSpec, path: Path, faults: Faults) -> None:
    """Check the spec of a claim, or of a template for claims."""
    check_access_modes(spec.accessModes, (*path, "accessModes"), faults)
    check_selector(spec.selector, (*path, "selector"), faults)
    storage = spec.resources.requests.get("storage")
    if storage is not None and storage.nanos <= 0:
        storage_path = (*path, "resources", "requests", "storage")
        faults.note(storage_path, "{value} must be greater than 0", str(storage), value=WRITTEN)
    if spec.storageClassName:
        faults.note((*path, "storageClassName"), name_fault(spec.storageClassName))
    check_choice(spec.volumeMode, VOLUME_MODES, (*path, "volumeMode"), faults)


def _check_storage_class(storage_class: model.StorageClass, faults: Faults) -> None:
    modes = ("Immediate", "WaitForFirstConsumer")
    check_choice(storage_class.volumeBindingMode, modes, ("volumeBindingMode",), faults)
    for i, term in enumerate(storage_class.allowedTopologies):
        _check_topology(term, ("allowedTopologies", i, "matchLabelExpressions"), faults)


def _check_topology(term: model.TopologySelectorTerm, path: Path, faults: Faults) -> None:
    for i, each in enumerate(term.matchLabelExpressions):
        check_name(each.key, (*path, i, "key"), faults, label_key_fault)
        check_present(each.values, (*path, i, "values"), faults)


def _check_csi_node(node: model.CSINode, faults: Faults) -> None:
    for i, driver in enumerate(node.spec.drivers):
        count = driver.allocatable.count if driver.allocatable is not None else None
        check_count(count, ("spec", "drivers", i, "allocatable", "count"), faults)


def _check_capacity(capacity: model.CSIStorageCapacity, faults: Faults) -> None:
    check_selector(capacity.nodeTopology, ("nodeTopology",), faults)
    check_name(capacity.storageClassName, ("storageClassName",), faults)
    if capacity.capacity is not None and capacity.capacity.nanos < 0:
        faults.note(("capacity",), "{value} is negative", str(capacity.capacity), value=WRITTEN)


_CHECKS: dict[type[model.ApiObject], Callable[[Any, Faults], None]] = {
    model.Node: _check_node,
    model.Pod: _check_pod,
    model.PodDisruptionBudget: _check_budget,
    model.PriorityClass: lambda each, faults: check_choice(
        each.preemptionPolicy, PREEMPTION_POLICIES, ("preemptionPolicy",), faults
    ),
    **dict.fromkeys(
        (model.Service, model.ReplicationController),
        lambda owner, faults: check_labels(owner.spec.selector, ("spec", "selector"), faults),
    ),
    **dict.fromkeys(
        (model.ReplicaSet, model.StatefulSet, model.Deployment),
        lambda owner, faults: check_selector(owner.spec.selector, ("spec", "selector"), faults),
    ),
    model.PersistentVolume: _check_volume,
    model.PersistentVolumeClaim: lambda claim, faults: check_claim_spec(claim.spec, ("spec",), faults),
    model.StorageClass: _check_storage_class,
    model.CSINode: _check_csi_node,
    model.CSIStorageCapacity: _check_capacity,
}


def _pod_warnings(pod: model.Pod) -> list[Fault]:
    spec = pod.spec
    warnings = Faults()
    if spec.schedulingGroup:
        warnings.note(("spec", "schedulingGroup"), GROUP_WARNING)
    if spec.runtimeClassName and not spec.overhead and not pod.metadata.uid:
        unresolved = later("is not resolved: the RuntimeClass adds no overhead, nodeSelector or tolerations")
        warnings.note(("spec", "runtimeClassName"), unresolved)
    if spec.affinity is not None and spec.affinity.nodeAffinity is not None:
        warnings += _node_affinity_warnings(spec.affinity.nodeAffinity)
    for i, toleration in enumerate(spec.tolerations):
        if toleration.operator in ("Gt", "Lt"):
            off = later("{operator} tolerates nothing unless its feature gate is on")
            warnings.note(("spec", "tolerations", i, "operator"), off, operator=toleration.operator)
    return warnings


def _node_affinity_warnings(affinity: model.NodeAffinity) -> list[Fault]:
    """The API takes any text as the value of Gt and Lt; the scheduler parses it."""
    required, name = affinity.requiredDuringSchedulingIgnoredDuringExecution, "DuringSchedulingIgnoredDuringExecution"
    terms: list[tuple[Path, model.NodeSelectorTerm]] = []
    for i, term in enumerate(required.nodeSelectorTerms if required is not None else ()):
        terms.append(((f"required{name}", "nodeSelectorTerms", i), term))
    for i, preferred in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        terms.append(((f"preferred{name}", i, "preference"), preferred.preference))
    return [
        Fault(
            ("spec", "affinity", "nodeAffinity", *path, "matchExpressions", i, "values", 0),
            later('"{value}" is not a whole number, so this term matches no node', value=shortened(e.values[0])),
        )
        for path, term in terms
        for i, e in enumerate(term.matchExpressions)
        if e.operator in ("Gt", "Lt") and e.values and parse_int64(e.values[0]) is None
    ]


def _budget_warnings(budget: model.PodDisruptionBudget) -> list[Fault]:
    selector = budget.spec.selector
    empty = selector is not None and not (selector.matchLabels or selector.matchExpressions)
    why = later("is empty: it matches nothing in policy/v1beta1, but is read as policy/v1, where it matches every pod")
    return [Fault(("spec", "selector"), why)] if empty and budget.apiVersion == "policy/v1beta1" else []
