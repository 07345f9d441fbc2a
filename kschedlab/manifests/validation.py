"""Validation of objects: what the API server would refuse, and warnings about what it accepts.

v1.37: pkg/apis/*/validation and plugin/pkg/admission/priority. Warnings concern fields that the API
server accepts but that do not work as one might expect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kschedlab.objects.model import (
    ApiObject,
    Node,
    ObjectMeta,
    Pod,
    PodGroup,
    PodSpec,
    PriorityClass,
)
from kschedlab.objects.names import label_key_fault, label_value_fault
from kschedlab.objects.problems import Fault, Path, later, shortened
from kschedlab_validation.common import (
    EFFECTS,
    check_choice,
    check_metadata,
    check_name,
)
from kschedlab_validation.pods import amount_fault, check_pod

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
        from kschedlab_validation.kinds import CHECKS

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
            message = later('"{name}" is not a valid name of a feature, such as MyFeature', name=shortened(feature))
            faults.append(Fault(path, message))
        if i and feature <= features[i - 1]:
            faults.append(Fault(path, "must come after the one before it in alphabetical order"))


# -- between objects


def priority_fault(pod: Pod | PodGroup, classes: Mapping[str, PriorityClass]) -> Fault | None:
    """A fault if the PriorityClass of the pod or group does not exist, and it does not set its priority itself."""
    name = pod.spec.priorityClassName
    if not name or name in classes or pod.spec.priority is not None:
        return None
    missing = later('there is no PriorityClass "{name}": add it or set priority', name=shortened(name))
    return Fault(("spec", "priorityClassName"), missing)


# -- warnings


def warnings_of(document: ApiObject) -> list[Fault]:
    """A warning for each field that Kubernetes obeys but this package does not model, and for fields without effect."""
    if isinstance(document, Pod) and _is_plain(document.spec):
        return []
    if isinstance(document, Node) and len(document.spec.taints) < 2:
        return []
    from kschedlab_validation.warned import warned

    return warned(document)


def _is_plain(spec: PodSpec) -> bool:
    """Whether a pod has no field of which a warning is possible."""
    special = spec.hostNetwork or spec.volumes or spec.affinity or spec.tolerations
    return not (special or spec.schedulingGroup or spec.runtimeClassName or any(c.ports for c in spec.containers))
