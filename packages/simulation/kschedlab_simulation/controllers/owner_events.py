"""The events that workload controllers record about the pods and claims that they create and delete.

v1.37: pkg/controller/controller_utils.go (RealPodControl), statefulset/stateful_pod_control.go (recordPodEvent,
recordClaimEvent), job/job_controller.go (enactJobFinished).
"""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.objects.model import ApiObject, PersistentVolumeClaim, Pod, StatefulSet
from kschedlab_simulation.controllers.replicas import Owner, Replicated, replicas_of
from kschedlab_simulation.controllers.writes import Create, Delete, Report, Write, meta
from kschedlab_simulation.status import ApiError


def success(owner: Owner, write: Write, stored: ApiObject | None) -> Report | None:
    """The event of a pod or claim created or deleted; ``stored``: the created object."""
    if not isinstance(write, Create | Delete) or not isinstance(write.obj, Pod | PersistentVolumeClaim):
        return None
    verb = "Create" if isinstance(write, Create) else "Delete"
    name = meta(stored or write.obj).name
    return Report(owner, "Normal", f"Successful{verb}", _message(owner, write.obj, verb, name), component_of(owner))


def component_of(owner: Owner) -> str:
    """The name of the owner's controller: ``replicaset-controller``."""
    return f"{type(owner).__name__.removesuffix('Controller').lower()}-controller"


def _message(owner: Owner, obj: Pod | PersistentVolumeClaim, verb: str, name: str) -> str:
    if not isinstance(owner, StatefulSet):
        return f"{verb}d pod: {name}"
    if isinstance(obj, Pod):
        return f"{verb} Pod {name} in StatefulSet {owner.metadata.name} successful"
    claims = owner.spec.volumeClaimTemplates
    prefixes = [f"{claim.metadata.name}-" for claim in claims if name.startswith(f"{claim.metadata.name}-")]
    pod = name.removeprefix(max(prefixes, key=len, default=""))
    return f"{verb} Claim {name} Pod {pod} in StatefulSet {owner.metadata.name} success"


def failure(owner: Replicated, active: Sequence[Pod], error: ApiError) -> Report:
    """The event of pods that could not be created or deleted; ``active``: the owner's pods."""
    creating = len(active) < replicas_of(owner)
    reason, what = ("FailedCreate", "creating") if creating else ("FailedDelete", "deleting")
    return Report(owner, "Warning", reason, f"Error {what}: {error}", component_of(owner))
