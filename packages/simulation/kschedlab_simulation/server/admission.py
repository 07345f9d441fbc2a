"""Prepares an object before it is stored: defaults, admission, validation, and the fields that the server sets.

v1.37: k8s.io/apiserver pkg/registry/rest (create.go, update.go), pkg/registry/core/pod/strategy.go and the strategies
of the other kinds, plugin/pkg/admission/{priority,defaulttolerationseconds,nodetaint}. A namespace need not exist, and
a pod may set its own priority.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kschedlab.manifests.checks import faults_of, priority_fault
from kschedlab.manifests.defaults import with_defaults
from kschedlab.objects.api import GROUP_FIELD, Api
from kschedlab.objects.meta import ObjectMeta, Time
from kschedlab.objects.model import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    Node,
    Pod,
    PodCondition,
    PodDisruptionBudget,
    PodGroup,
    PodStatus,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    ResourceSlice,
    StatefulSet,
    Taint,
    Toleration,
)
from kschedlab_simulation.pods import SCHEDULED, with_condition
from kschedlab_simulation.qos import BEST_EFFORT, BURSTABLE, GUARANTEED, qos_class
from kschedlab_simulation.server.updates import update_errors
from kschedlab_simulation.status import ApiError, FieldError, field_error
from kschedlab_validation.gated import GATED, comparison_faults, refused, without_groups
from kschedlab_validation.workloads import template_faults

Classes = Mapping[str, PriorityClass]

OWNERS = frozenset([ReplicaSet, StatefulSet, ReplicationController, Deployment, Job])
COUNTED = OWNERS | {CronJob, DaemonSet, Pod, PodDisruptionBudget, PodGroup}
"""Kinds whose ``metadata.generation`` counts the changes to their spec."""

_PENDING = {each: PodStatus(phase="Pending", qosClass=each) for each in (GUARANTEED, BURSTABLE, BEST_EFFORT)}
_GATED = PodCondition(
    type=SCHEDULED,
    status="False",
    reason="SchedulingGated",
    message="Scheduling is blocked due to non-empty scheduling gates",
)
_DEFAULT_TOLERATIONS = tuple(
    Toleration(f"node.kubernetes.io/{state}", "Exists", "", "NoExecute", 300) for state in ("not-ready", "unreachable")
)
_NOT_READY = Taint("node.kubernetes.io/not-ready", effect="NoSchedule")
_replace = msgspec.structs.replace


def created(obj: Any, uid: str, api: Api, classes: Classes, now: int) -> Any:
    """The object as stored after a create request; its status is dropped, except for a node's.

    ApiError if it is rejected.
    """
    stored = _admitted(obj, api, classes)
    kind = type(stored)
    metadata: ObjectMeta = _replace(
        stored.metadata,
        uid=uid,
        creationTimestamp=Time.whole_second(now),
        deletionTimestamp=None,
        deletionGracePeriodSeconds=None,
        generation=1 if kind in COUNTED else 0,
    )
    if kind is Pod:
        status = _PENDING[qos_class(stored)]
        if stored.spec.schedulingGates:
            status = _replace(status, conditions=with_condition((), _GATED, now))
        stored = Pod(stored.apiVersion, metadata, stored.spec, status)
    elif kind is not Node and hasattr(stored, "status"):
        stored = _replace(stored, metadata=metadata, status=type(stored.status)())
    else:
        stored = _replace(_tainted(stored) if kind is Node else stored, metadata=metadata)
    return stored


def _tainted(node: Node) -> Node:
    """The node with the taint not-ready if it says that it is not, so that no pod comes before the controller's taints.

    v1.37: plugin/pkg/admission/nodetaint/admission.go. The real one taints every new node, until its kubelet has said
    that it is ready; here, a node is ready when it is created, unless it says something else.
    """
    ready = [condition.status for condition in node.status.conditions if condition.type == "Ready"]
    present = any((taint.key, taint.effect) == (_NOT_READY.key, _NOT_READY.effect) for taint in node.spec.taints)
    if present or not ready or ready[0] == "True":
        return node
    return _replace(node, spec=_replace(node.spec, taints=(*node.spec.taints, _NOT_READY)))


def restored(obj: Any, uid: str, api: Api, classes: Classes, now: int) -> Any:
    """The object as stored when a cluster is set up with it: it keeps its status, and its uid and age if set.

    An owner of pods need not have a template. ApiError if it is rejected.
    """
    stored = _admitted(obj, api, classes, may_lack_template=True)
    metadata = stored.metadata
    if not metadata.uid or metadata.creationTimestamp is None:
        since = Time.whole_second(now) if metadata.creationTimestamp is None else metadata.creationTimestamp
        metadata = _replace(metadata, uid=metadata.uid or uid, creationTimestamp=since)
    if (type(stored) is Pod or type(stored) in OWNERS or type(stored) is DaemonSet) and not metadata.generation:
        metadata = _replace(metadata, generation=1)
    if metadata is not stored.metadata:
        stored = _replace(stored, metadata=metadata)
    if type(stored) is Pod and not (stored.status.phase and stored.status.qosClass):
        phase, qos = stored.status.phase or "Pending", stored.status.qosClass or qos_class(stored)
        stored = _replace(stored, status=_replace(stored.status, phase=phase, qosClass=qos))
    return stored


def updated(old: Any, obj: Any, api: Api, classes: Classes) -> Any:
    """The object as stored after an update; status and server-set fields stay. ApiError if it is rejected."""
    if type(obj) is Pod and obj.spec.priority is None:
        spec = _replace(obj.spec, priority=old.spec.priority, preemptionPolicy=old.spec.preemptionPolicy)
        obj = _replace(obj, spec=spec)
    stored = _admitted(obj, api, classes, may_lack_template=_lacks_template(old))
    before: ObjectMeta = old.metadata
    metadata: ObjectMeta = _replace(
        stored.metadata,
        uid=before.uid,
        resourceVersion=before.resourceVersion,
        generateName=before.generateName,
        creationTimestamp=before.creationTimestamp,
        deletionTimestamp=before.deletionTimestamp,
        deletionGracePeriodSeconds=before.deletionGracePeriodSeconds,
        generation=before.generation,
    )
    if hasattr(stored, "status"):
        stored = _replace(stored, metadata=metadata, status=old.status)
    else:
        stored = _replace(stored, metadata=metadata)
    if errors := update_errors(old, stored):
        raise ApiError.invalid(type(stored), metadata.name, errors)
    annotated = type(stored) is Deployment and metadata.annotations != before.annotations
    if type(stored) in COUNTED and before.generation and (stored.spec != old.spec or annotated):
        stored = _replace(stored, metadata=_replace(metadata, generation=before.generation + 1))
    return stored


def status_of(old: Any, obj: Any) -> Any:
    """The old object with the new status; a Deployment's revision is an annotation. ApiError if it is rejected."""
    stored = _replace(old, status=obj.status)
    if type(obj) is Deployment:
        stored = _replace(stored, metadata=_replace(old.metadata, annotations=obj.metadata.annotations))
    errors = _status_errors(stored) if type(stored) is Pod else list(map(field_error, faults_of(stored)))
    if errors:
        raise ApiError.invalid(type(stored), stored.metadata.name, errors)
    return stored


def _status_errors(pod: Pod) -> list[FieldError]:
    phase = pod.status.phase
    if phase in ("Pending", "Running", "Succeeded", "Failed", "Unknown"):
        return []
    why = f'Unsupported value: "{phase}": supported values: "Failed", "Pending", "Running", "Succeeded", "Unknown"'
    return [FieldError("FieldValueNotSupported", "status.phase", why)]


def _lacks_template(stored: Any) -> bool:
    return type(stored) in OWNERS and stored.spec.template is None


def _admitted(obj: Any, api: Api, classes: Classes, may_lack_template: bool = False) -> Any:
    """The object with defaults, without fields that the generation does not know. ApiError if anything is wrong."""
    if isinstance(obj, ResourceSlice):
        obj = without_groups(obj, api.gates)
    faults = [*faults_of(obj), *template_faults(obj, may_lack_template)]
    if isinstance(obj, Pod) and api.compares_taints:
        faults += comparison_faults(obj)
    if isinstance(obj, GATED):
        faults += refused(obj, api.gates)
    if faults:
        raise ApiError.invalid(type(obj), obj.metadata.name, list(map(field_error, faults)))
    if not isinstance(obj, Pod | PodGroup):
        return with_defaults(obj, classes)
    if isinstance(obj, PodGroup) and GROUP_FIELD in api.unknown:
        raise ApiError.no_such_resource()
    if priority_fault(obj, classes):
        why = f"no PriorityClass with name {obj.spec.priorityClassName} was found"
        raise ApiError.forbidden(type(obj), obj.metadata.name, why)
    if isinstance(obj, PodGroup):
        kept = obj if api.group_claims else _replace(obj, spec=_replace(obj.spec, resourceClaims=()))
        return _with_priority(with_defaults(kept, classes), classes)
    return api.admit(_with_default_tolerations(with_defaults(obj, classes)))


def _with_default_tolerations(pod: Pod) -> Pod:
    """The pod, which tolerates nodes that are not ready or unreachable for five minutes unless it says otherwise."""
    tolerations = pod.spec.tolerations
    if not tolerations:
        return _replace(pod, spec=_replace(pod.spec, tolerations=_DEFAULT_TOLERATIONS))  # one object for all pods
    missing = tuple(
        default
        for default in _DEFAULT_TOLERATIONS
        if not any(
            toleration.key in ("", default.key) and toleration.effect in ("", default.effect)
            for toleration in tolerations
        )
    )
    return _replace(pod, spec=_replace(pod.spec, tolerations=tolerations + missing)) if missing else pod


def _with_priority(group: PodGroup, classes: Classes) -> PodGroup:
    """The pod group with the priority of its class. v1.37: plugin/pkg/admission/priority, admitPodGroup."""
    if group.spec.priority is not None:
        return group
    named = classes[group.spec.priorityClassName]
    spec = _replace(group.spec, priority=named.value, priorityClassName=named.metadata.name)
    return _replace(group, spec=spec)
