"""Validation of objects: what the API server would refuse, and warnings about what it accepts.

v1.37: pkg/apis/*/validation and plugin/pkg/admission/priority. Warnings concern fields that the API
server accepts but that do not work as one might expect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kschedlab.manifests.checks.common import (
    EFFECTS,
    check_choice,
    check_metadata,
    check_name,
)
from kschedlab.manifests.checks.pods import amount_fault, check_pod
from kschedlab.objects.model import (
    ApiObject,
    Node,
    NodeAffinity,
    NodeSelectorTerm,
    ObjectMeta,
    Pod,
    PodDisruptionBudget,
    PodGroup,
    PriorityClass,
)
from kschedlab.objects.names import label_key_fault, label_value_fault
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab.objects.selectors import parse_int64

GROUP_WARNING = "is not modelled without the feature gate GenericWorkload: the pod is scheduled on its own"
_FEATURE = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")


def faults_of(document: ApiObject) -> list[Fault]:
    """A fault for everything in the object that the API server would refuse."""
    faults: list[Fault] = []
    metadata: ObjectMeta = document.metadata  # type: ignore[attr-defined]  # every kind has it
    check_metadata(metadata, type(document).__name__, faults)
    if isinstance(document, Pod):
        check_pod(document, faults)
    elif isinstance(document, Node):
        _check_node(document, faults)
    else:
        from kschedlab.manifests.checks.kinds import CHECKS

        if check := CHECKS.get(type(document)):
            check(document, faults)
    return faults


def _check_node(node: Node, faults: list[Fault]) -> None:
    for field, resources in (("capacity", node.status.capacity), ("allocatable", node.status.allocatable)):
        for name, amount in resources.items():
            if fault := amount_fault(name, amount):
                faults.append(Fault(("status", field, name), fault, str(amount)))
    for i, taint in enumerate(node.spec.taints):
        path: Path = ("spec", "taints", i)
        check_name(taint.key, (*path, "key"), faults, label_key_fault)
        if fault := label_value_fault(taint.value):
            faults.append(Fault((*path, "value"), fault))
        check_choice(taint.effect, EFFECTS, (*path, "effect"), faults)
    _check_features(node.status.declaredFeatures, faults)


def _check_features(features: tuple[str, ...], faults: list[Fault]) -> None:
    for i, feature in enumerate(features):
        path: Path = ("status", "declaredFeatures", i)
        if not _FEATURE.fullmatch(feature):
            faults.append(Fault(path, f"{quoted(feature)} is not a valid name of a feature, such as MyFeature"))
        if i and feature <= features[i - 1]:
            faults.append(Fault(path, "must come after the one before it in alphabetical order"))


# -- between objects


def priority_fault(pod: Pod | PodGroup, classes: Mapping[str, PriorityClass]) -> Fault | None:
    """A fault if the PriorityClass of the pod or group does not exist, and it does not set its priority itself."""
    name = pod.spec.priorityClassName
    if not name or name in classes or pod.spec.priority is not None:
        return None
    return Fault(("spec", "priorityClassName"), f"there is no PriorityClass {quoted(name)}: add it or set priority")


# -- warnings


def warnings_of(document: ApiObject) -> list[Fault]:
    """A warning for each field that Kubernetes obeys but this package does not model, and for fields without effect."""
    if isinstance(document, Pod):
        return _pod_warnings(document)
    if isinstance(document, Node) and len(document.spec.taints) < 2:
        return []
    if isinstance(document, PodDisruptionBudget):
        return _budget_warnings(document)
    return _tolerated(document)


def _tolerated(document: ApiObject) -> list[Fault]:
    from kschedlab.manifests.checks.tolerated import tolerated

    return tolerated(document)


def _pod_warnings(pod: Pod) -> list[Fault]:
    spec = pod.spec
    ports = spec.hostNetwork or any(port.hostPort for container in spec.containers for port in container.ports)
    disks = any(volume.iscsi is not None or volume.azureDisk is not None for volume in spec.volumes)
    warnings = _tolerated(pod) if ports or disks else []
    if spec.schedulingGroup:
        warnings.append(Fault(("spec", "schedulingGroup"), GROUP_WARNING))
    if spec.runtimeClassName and not spec.overhead and not pod.metadata.uid:
        message = "is not resolved: the RuntimeClass adds no overhead, nodeSelector or tolerations"
        warnings.append(Fault(("spec", "runtimeClassName"), message))
    if spec.affinity is not None and spec.affinity.nodeAffinity is not None:
        warnings += _node_affinity_warnings(spec.affinity.nodeAffinity)
    for i, toleration in enumerate(spec.tolerations):
        if toleration.operator in ("Gt", "Lt"):
            message = f"{toleration.operator} tolerates nothing unless its feature gate is on"
            warnings.append(Fault(("spec", "tolerations", i, "operator"), message))
    return warnings


def _node_affinity_warnings(affinity: NodeAffinity) -> list[Fault]:
    """The API takes any text as the value of Gt and Lt; the scheduler parses it."""
    required, name = affinity.requiredDuringSchedulingIgnoredDuringExecution, "DuringSchedulingIgnoredDuringExecution"
    terms: list[tuple[Path, NodeSelectorTerm]] = []
    for i, term in enumerate(required.nodeSelectorTerms if required is not None else ()):
        terms.append(((f"required{name}", "nodeSelectorTerms", i), term))
    for i, preferred in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        terms.append(((f"preferred{name}", i, "preference"), preferred.preference))
    return [
        Fault(
            ("spec", "affinity", "nodeAffinity", *path, "matchExpressions", i, "values", 0),
            f"{quoted(e.values[0])} is not a whole number, so this term matches no node",
        )
        for path, term in terms
        for i, e in enumerate(term.matchExpressions)
        if e.operator in ("Gt", "Lt") and e.values and parse_int64(e.values[0]) is None
    ]


def _budget_warnings(budget: PodDisruptionBudget) -> list[Fault]:
    selector = budget.spec.selector
    empty = selector is not None and not (selector.matchLabels or selector.matchExpressions)
    if empty and budget.apiVersion == "policy/v1beta1":
        message = "is empty: it matches nothing in policy/v1beta1, but is read as policy/v1, where it matches every pod"
        return [Fault(("spec", "selector"), message)]
    return []
