"""What becomes of an object on its way into a store: defaults, admission, what the server sets itself, validation.

v1.37: k8s.io/apiserver pkg/registry/rest (create.go, update.go), pkg/registry/core/pod/strategy.go and the strategies
of the other kinds, plugin/pkg/admission/priority. A namespace need not exist, and a pod may say its priority itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kschedlab.manifests.defaults import with_defaults
from kschedlab.manifests.validation import faults_of, priority_fault, template_faults
from kschedlab.objects.api import Api
from kschedlab.objects.meta import ObjectMeta, Time
from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Job,
    Node,
    Pod,
    PodCondition,
    PodDisruptionBudget,
    PodStatus,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.simulation.pods import SCHEDULED, with_condition
from kschedlab.simulation.server.status import ApiError, FieldError, forbidden_value, of_fault
from kschedlab.simulation.server.updates import update_errors

Classes = Mapping[str, PriorityClass]

OWNERS = frozenset([ReplicaSet, StatefulSet, ReplicationController, Deployment, Job])
COUNTED = OWNERS | {Pod, PodDisruptionBudget}
"""Kinds whose ``metadata.generation`` counts the changes of their spec."""

_PENDING = PodStatus(phase="Pending")
_GATED = PodCondition(
    type=SCHEDULED,
    status="False",
    reason="SchedulingGated",
    message="Scheduling is blocked due to non-empty scheduling gates",
)
_replace = msgspec.structs.replace


def created(given: Any, uid: str, api: Api, classes: Classes, now: int) -> Any:
    """The object as it is stored when a client creates it; a status that it has is dropped, except for a node's.

    ApiError if it is refused.
    """
    document = _admitted(given, api, classes)
    kind = type(document)
    metadata: ObjectMeta = _replace(
        document.metadata,
        uid=uid,
        creationTimestamp=Time.second(now),
        deletionTimestamp=None,
        deletionGracePeriodSeconds=None,
        generation=1 if kind in COUNTED else 0,
    )
    if kind is Pod:
        gated = document.spec.schedulingGates
        status = _replace(_PENDING, conditions=with_condition((), _GATED, now)) if gated else _PENDING
        document = Pod(document.apiVersion, metadata, document.spec, status)
    elif kind is not Node and hasattr(document, "status"):
        document = _replace(document, metadata=metadata, status=type(document.status)())
    else:
        document = _replace(document, metadata=metadata)
    return document


def restored(given: Any, uid: str, api: Api, classes: Classes, now: int) -> Any:
    """The object as it is stored when a cluster is set up with it: with its status, its uid and its age if it has them.

    An owner of pods need not have a template. ApiError if it is refused.
    """
    document = _admitted(given, api, classes, may_lack_template=True)
    metadata = document.metadata
    if not metadata.uid or metadata.creationTimestamp is None:
        since = Time.second(now) if metadata.creationTimestamp is None else metadata.creationTimestamp
        document = _replace(document, metadata=_replace(metadata, uid=metadata.uid or uid, creationTimestamp=since))
    if type(document) is Pod and not document.status.phase:
        document = _replace(document, status=_replace(document.status, phase="Pending"))
    return document


def updated(old: Any, given: Any, api: Api, classes: Classes) -> Any:
    """What is stored when a client replaces the object; status and what the server set stay. ApiError if refused."""
    if type(given) is Pod and given.spec.priority is None:
        spec = _replace(given.spec, priority=old.spec.priority, preemptionPolicy=old.spec.preemptionPolicy)
        given = _replace(given, spec=spec)
    document = _admitted(given, api, classes, may_lack_template=_lacks_template(old))
    before: ObjectMeta = old.metadata
    metadata: ObjectMeta = _replace(
        document.metadata,
        uid=before.uid,
        resourceVersion=before.resourceVersion,
        generateName=before.generateName,
        creationTimestamp=before.creationTimestamp,
        deletionTimestamp=before.deletionTimestamp,
        deletionGracePeriodSeconds=before.deletionGracePeriodSeconds,
        generation=before.generation,
    )
    if hasattr(document, "status"):
        document = _replace(document, metadata=metadata, status=old.status)
    else:
        document = _replace(document, metadata=metadata)
    if errors := update_errors(old, document):
        raise ApiError.invalid(type(document), metadata.name, errors)
    if type(document) in COUNTED and before.generation and document.spec != old.spec:
        document = _replace(document, metadata=_replace(metadata, generation=before.generation + 1))
    return document


def status_of(old: Any, given: Any) -> Any:
    """The object with the status given, and nothing else changed. ApiError if that is refused."""
    document = _replace(old, status=given.status)
    errors = _status_errors(old, document) if type(document) is Pod else map(of_fault, faults_of(document))
    if found := list(errors):
        raise ApiError.invalid(type(document), document.metadata.name, found)
    return document


def _status_errors(old: Pod, new: Pod) -> list[FieldError]:
    phase = new.status.phase
    if phase in ("Pending", "Running", "Succeeded", "Failed", "Unknown"):
        return []
    why = f'Unsupported value: "{phase}": supported values: "Failed", "Pending", "Running", "Succeeded", "Unknown"'
    return [FieldError("FieldValueNotSupported", "status.phase", why)]


def _lacks_template(document: Any) -> bool:
    return type(document) in OWNERS and document.spec.template is None


def _admitted(given: Any, api: Api, classes: Classes, may_lack_template: bool = False) -> Any:
    """The object with its defaults, without what the generation does not know. ApiError if anything is wrong."""
    if errors := list(map(of_fault, faults_of(given))) + _more_errors(given, may_lack_template):
        raise ApiError.invalid(type(given), given.metadata.name, errors)
    if type(given) is not Pod:
        return with_defaults(given, classes)
    if priority_fault(given, classes):
        why = f"no PriorityClass with name {given.spec.priorityClassName} was found"
        raise ApiError.forbidden(Pod, given.metadata.name, why)
    return api.admit(with_defaults(given, classes))


def _more_errors(given: ApiObject, may_lack_template: bool) -> list[FieldError]:
    """What does not concern a scheduler that looks at a snapshot."""
    if type(given) is not Pod:
        return list(map(of_fault, template_faults(given, may_lack_template)))
    if not (given.spec.nodeName and given.spec.schedulingGates):
        return []
    return [forbidden_value("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
