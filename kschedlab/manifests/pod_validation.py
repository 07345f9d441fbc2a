"""Validation of pods: what the API server would refuse, as far as scheduling depends on it.

v1.37: pkg/apis/core/validation/validation.go. Each check appends to ``faults``, with paths in the manifest.
"""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.manifests.resource_amounts import amount_fault, resource_fault
from kschedlab.objects.model import (
    Affinity,
    Container,
    ContainerPort,
    LabelSelector,
    NodeAffinity,
    NodeSelectorTerm,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    ResourceList,
    ResourceRequirements,
    Toleration,
    TopologySpreadConstraint,
    Volume,
)
from kschedlab.objects.names import (
    dns_label_fault,
    label_key_fault,
    label_value_fault,
    name_fault,
)
from kschedlab.objects.problems import WRITTEN, Fault, Path, one_of, quoted
from kschedlab.objects.requests import is_extended, is_pod_level
from kschedlab.objects.selectors import field_expression_fault, label_expression_fault

SET_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*SET_OPERATORS, "Gt", "Lt")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
RESTART_POLICIES = ("Always", "OnFailure", "Never")

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def check_pod(pod: Pod, faults: list[Fault]) -> None:
    """Check everything in a pod except its metadata."""
    spec = pod.spec
    if not spec.containers:
        faults.append(Fault(("spec", "containers"), "a pod needs at least one container"))
    _check_containers(pod, faults)
    if spec.nodeName and (fault := name_fault(spec.nodeName)):
        faults.append(Fault(("spec", "nodeName"), fault))
    if spec.resources is not None:
        check_requirements(spec.resources, ("spec", "resources"), faults, pod_level=True)
    check_amounts(spec.overhead, ("spec", "overhead"), faults)
    if spec.nodeSelector:
        check_labels(spec.nodeSelector, ("spec", "nodeSelector"), faults)
    if spec.affinity is not None:
        _check_affinity(spec.affinity, ("spec", "affinity"), faults)
    for i, toleration in enumerate(spec.tolerations):
        _check_toleration(toleration, ("spec", "tolerations", i), faults)
    _check_spread(spec.topologySpreadConstraints, faults)
    _check_gates([gate.name for gate in spec.schedulingGates], faults)
    for i, volume in enumerate(spec.volumes):
        _check_volume(volume, ("spec", "volumes", i), faults)
    if spec.preemptionPolicy is not None:
        check_choice(spec.preemptionPolicy, PREEMPTION_POLICIES, ("spec", "preemptionPolicy"), faults)
    if spec.restartPolicy:
        check_choice(spec.restartPolicy, RESTART_POLICIES, ("spec", "restartPolicy"), faults)
    if pod.status.phase:
        check_choice(pod.status.phase, PHASES, ("status", "phase"), faults)


def check_choice(value: str, choices: Iterable[str], path: Path, faults: list[Fault]) -> None:
    """Check that the value is one of the choices."""
    if value not in choices:
        problem = f"{quoted(value)} is not a valid value" if value else "is missing"
        faults.append(Fault(path, f"{problem}: expected {one_of(choices)}"))


def check_labels(labels: dict[str, str], path: Path, faults: list[Fault]) -> None:
    """Check the keys and values of labels."""
    for key, value in labels.items():
        if fault := label_key_fault(key) or label_value_fault(value):
            faults.append(Fault((*path, key), fault))


# -- containers


def _check_containers(pod: Pod, faults: list[Fault]) -> None:
    spec = pod.spec
    names: set[str] = set()
    for field, containers in (("containers", spec.containers), ("initContainers", spec.initContainers)):
        for i, container in enumerate(containers):
            path: Path = ("spec", field, i)
            _check_name(container, names, path, faults)
            check_requirements(container.resources, (*path, "resources"), faults)
            if container.ports:
                _check_ports(container.ports, path, spec.hostNetwork, faults)


def _check_name(container: Container, names: set[str], path: Path, faults: list[Fault]) -> None:
    if not container.name:
        faults.append(Fault((*path, "name"), "is missing"))
    elif container.name in names:
        faults.append(Fault((*path, "name"), f"{quoted(container.name)} is the name of another container of the pod"))
    elif fault := dns_label_fault(container.name):
        faults.append(Fault((*path, "name"), fault))
    names.add(container.name)


def check_requirements(
    resources: ResourceRequirements, path: Path, faults: list[Fault], pod_level: bool = False
) -> None:
    """Check requests and limits, and that they are consistent."""
    requests, limits = resources.requests, resources.limits
    if not requests and not limits:
        return
    check_amounts(limits, (*path, "limits"), faults, pod_level)
    check_amounts(requests, (*path, "requests"), faults, pod_level)
    for name, amount in requests.items():
        limit, field = limits.get(name), (*path, "requests", name)
        no_overcommit = is_extended(name) or name.startswith("hugepages-")
        if limit is None:
            if no_overcommit:
                faults.append(Fault(field, f"has no limit: {name} cannot be overcommitted, so set an equal limit"))
        elif no_overcommit and amount != limit:
            message = f"{WRITTEN} is not the limit of {limit}: {name} cannot be overcommitted, so they must be equal"
            faults.append(Fault(field, message, str(amount)))
        elif amount.nanos > limit.nanos:
            faults.append(Fault(field, f"{WRITTEN} is more than the limit of {limit}", str(amount)))


def check_amounts(resources: ResourceList, path: Path, faults: list[Fault], pod_level: bool = False) -> None:
    """Check the resource names and amounts of a container, a pod or its overhead."""
    for name, amount in resources.items():
        if pod_level and not is_pod_level(name):
            fault: str | None = f"{quoted(name)} cannot be requested at pod level: use cpu, memory or hugepages-..."
        else:
            fault = resource_fault(name) or amount_fault(name, amount)
        if fault:
            faults.append(Fault((*path, name), fault, str(amount)))


def _check_ports(ports: tuple[ContainerPort, ...], path: Path, host_network: bool, faults: list[Fault]) -> None:
    for i, port in enumerate(ports):
        port_path: Path = (*path, "ports", i)
        if not 0 < port.containerPort < 65536:
            message = f"{port.containerPort} is not a port number (1 to 65535)"
            faults.append(Fault((*port_path, "containerPort"), message))
        if not 0 <= port.hostPort < 65536:
            faults.append(Fault((*port_path, "hostPort"), f"{port.hostPort} is not a port number (1 to 65535)"))
        elif host_network and port.hostPort not in (0, port.containerPort):
            faults.append(Fault((*port_path, "hostPort"), "must equal containerPort because the pod uses hostNetwork"))
        check_choice(port.protocol or "TCP", ("TCP", "UDP", "SCTP"), (*port_path, "protocol"), faults)


def _check_volume(volume: Volume, path: Path, faults: list[Fault]) -> None:
    if volume.persistentVolumeClaim is not None and not volume.persistentVolumeClaim.claimName:
        faults.append(Fault((*path, "persistentVolumeClaim", "claimName"), "is missing"))


def _check_gates(gates: list[str], faults: list[Fault]) -> None:
    for i, gate in enumerate(gates):
        path: Path = ("spec", "schedulingGates", i, "name")
        if fault := label_key_fault(gate):
            faults.append(Fault(path, fault))
        elif gate in gates[:i]:
            faults.append(Fault(path, f"{quoted(gate)} appears twice"))


# -- constraints on placement


def _check_toleration(toleration: Toleration, path: Path, faults: list[Fault]) -> None:
    operator = toleration.operator or "Equal"
    if toleration.key and (fault := label_key_fault(toleration.key)):
        faults.append(Fault((*path, "key"), fault))
    if operator not in ("Gt", "Lt"):
        check_choice(operator, ("Equal", "Exists"), (*path, "operator"), faults)
    if not toleration.key and operator != "Exists":
        faults.append(Fault((*path, "operator"), "must be Exists when there is no key, to tolerate every taint"))
    if operator == "Exists" and toleration.value:
        faults.append(Fault((*path, "value"), "Exists takes no value"))
    elif operator == "Equal" and (fault := label_value_fault(toleration.value)):
        faults.append(Fault((*path, "value"), fault))
    if toleration.effect:
        check_choice(toleration.effect, EFFECTS, (*path, "effect"), faults)
    if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
        faults.append(Fault((*path, "effect"), "must be NoExecute when tolerationSeconds is set"))


def _check_affinity(affinity: Affinity, path: Path, faults: list[Fault]) -> None:
    if affinity.nodeAffinity is not None:
        _check_node_affinity(affinity.nodeAffinity, (*path, "nodeAffinity"), faults)
    if affinity.podAffinity is not None:
        _check_pod_affinity(affinity.podAffinity, (*path, "podAffinity"), faults)
    if affinity.podAntiAffinity is not None:
        _check_pod_affinity(affinity.podAntiAffinity, (*path, "podAntiAffinity"), faults)


def _check_node_affinity(affinity: NodeAffinity, path: Path, faults: list[Fault]) -> None:
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution
    if required is not None:
        check_node_terms(required.nodeSelectorTerms, (*path, _REQUIRED, "nodeSelectorTerms"), faults)
    for i, preferred in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        _check_weight(preferred.weight, (*path, _PREFERRED, i), faults)
        check_node_term(preferred.preference, (*path, _PREFERRED, i, "preference"), faults, free_values=True)


def check_node_terms(terms: tuple[NodeSelectorTerm, ...], path: Path, faults: list[Fault]) -> None:
    """Check the terms of a node selector, which needs at least one."""
    if not terms:
        faults.append(Fault(path, "needs at least one term"))
    for i, term in enumerate(terms):
        check_node_term(term, (*path, i), faults)


def check_node_term(term: NodeSelectorTerm, path: Path, faults: list[Fault], free_values: bool = False) -> None:
    """Check one term. ``free_values``: its values need not be valid label values."""
    for i, e in enumerate(term.matchExpressions):
        expression_path: Path = (*path, "matchExpressions", i)
        _check_expression(e.key, e.operator, e.values, NODE_OPERATORS, expression_path, faults, free_values)
    for i, f in enumerate(term.matchFields):
        if fault := field_expression_fault(f.key, f.operator, f.values):
            field, message = fault
            faults.append(Fault((*path, "matchFields", i, field), message))


def check_selector(selector: LabelSelector | None, path: Path, faults: list[Fault]) -> None:
    """Check a label selector, if there is one."""
    if selector is None:
        return
    check_labels(selector.matchLabels, (*path, "matchLabels"), faults)
    for i, e in enumerate(selector.matchExpressions):
        _check_expression(e.key, e.operator, e.values, SET_OPERATORS, (*path, "matchExpressions", i), faults)


def _check_expression(
    key: str,
    operator: str,
    values: tuple[str, ...],
    operators: tuple[str, ...],
    path: Path,
    faults: list[Fault],
    free_values: bool = False,
) -> None:
    if fault := label_expression_fault(operator, values, operators):
        field, message = fault
        faults.append(Fault((*path, field), message))
    if key_fault := label_key_fault(key):
        faults.append(Fault((*path, "key"), key_fault))
    for i, value in enumerate(values):
        if not free_values and (value_fault := label_value_fault(value)):
            faults.append(Fault((*path, "values", i), value_fault))


def _check_pod_affinity(affinity: PodAffinity, path: Path, faults: list[Fault]) -> None:
    for i, term in enumerate(affinity.requiredDuringSchedulingIgnoredDuringExecution):
        _check_affinity_term(term, (*path, _REQUIRED, i), faults)
    for i, weighted in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        _check_weight(weighted.weight, (*path, _PREFERRED, i), faults)
        _check_affinity_term(weighted.podAffinityTerm, (*path, _PREFERRED, i, "podAffinityTerm"), faults)


def _check_weight(weight: int, path: Path, faults: list[Fault]) -> None:
    if not 1 <= weight <= 100:
        faults.append(Fault((*path, "weight"), f"{weight} is out of range: from 1 to 100"))


def _check_affinity_term(term: PodAffinityTerm, path: Path, faults: list[Fault]) -> None:
    if not term.topologyKey:
        faults.append(Fault((*path, "topologyKey"), "is missing"))
    elif fault := label_key_fault(term.topologyKey):
        faults.append(Fault((*path, "topologyKey"), fault))
    for i, namespace in enumerate(term.namespaces):
        if fault := dns_label_fault(namespace):
            faults.append(Fault((*path, "namespaces", i), fault))
    check_selector(term.labelSelector, (*path, "labelSelector"), faults)
    check_selector(term.namespaceSelector, (*path, "namespaceSelector"), faults)
    for field, keys in (("matchLabelKeys", term.matchLabelKeys), ("mismatchLabelKeys", term.mismatchLabelKeys)):
        _check_label_keys(keys, term.labelSelector, (*path, field), faults)


def _check_label_keys(keys: tuple[str, ...], selector: LabelSelector | None, path: Path, faults: list[Fault]) -> None:
    if keys and selector is None:
        faults.append(Fault(path, "needs a labelSelector beside it: add one ({} selects every pod)"))
    for i, key in enumerate(keys):
        if fault := label_key_fault(key):
            faults.append(Fault((*path, i), fault))


def _check_spread(constraints: tuple[TopologySpreadConstraint, ...], faults: list[Fault]) -> None:
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(constraints):
        path: Path = ("spec", "topologySpreadConstraints", i)
        if constraint.maxSkew < 1:
            faults.append(Fault((*path, "maxSkew"), f"{constraint.maxSkew} must be at least 1"))
        if not constraint.topologyKey:
            faults.append(Fault((*path, "topologyKey"), "is missing"))
        actions = ("DoNotSchedule", "ScheduleAnyway")
        check_choice(constraint.whenUnsatisfiable, actions, (*path, "whenUnsatisfiable"), faults)
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            check_choice(getattr(constraint, field), ("Honor", "Ignore"), (*path, field), faults)
        if constraint.minDomains is not None:
            _check_min_domains(constraint, (*path, "minDomains"), faults)
        check_selector(constraint.labelSelector, (*path, "labelSelector"), faults)
        _check_label_keys(constraint.matchLabelKeys, constraint.labelSelector, (*path, "matchLabelKeys"), faults)
        key = (constraint.topologyKey, constraint.whenUnsatisfiable)
        if key in seen:
            faults.append(Fault(path, f"an earlier constraint already has topologyKey {key[0]} with {key[1]}"))
        seen.add(key)


def _check_min_domains(constraint: TopologySpreadConstraint, path: Path, faults: list[Fault]) -> None:
    assert constraint.minDomains is not None
    if constraint.minDomains < 1:
        faults.append(Fault(path, f"{constraint.minDomains} must be at least 1"))
    if constraint.whenUnsatisfiable != "DoNotSchedule":
        faults.append(Fault(path, "is allowed only with whenUnsatisfiable: DoNotSchedule"))
