"""A Deployment's status: counts of its pods, and the conditions Available and Progressing.

v1.37: pkg/controller/deployment/sync.go (calculateStatus, checkPausedConditions), progress.go (syncRolloutStatus,
requeueStuckDeployment), util/deployment_util.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import (
    Condition,
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ReplicaSet,
    RollingUpdateDeployment,
)
from kschedlab_simulation.controllers.budgets import scaled_value
from kschedlab_simulation.controllers.replicas import REPLICA_FAILURE, replicas_of
from kschedlab_simulation.pods import condition_of

AVAILABLE, PROGRESSING = "Available", "Progressing"
NO_DEADLINE = 2**31 - 1
"""The value of progressDeadlineSeconds, and of revisionHistoryLimit, that means no limit."""

_COMPLETE, _TIMED_OUT, _PAUSED = "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "DeploymentPaused"
Conditions = tuple[DeploymentCondition, ...]


class Rollout(NamedTuple):
    """A Deployment with the ReplicaSet of its template, if there is one yet, and those of earlier templates by age."""

    owner: Deployment
    new: ReplicaSet | None
    old: list[ReplicaSet]

    @property
    def sets(self) -> list[ReplicaSet]:
        """All ReplicaSets, the new one last."""
        return [*self.old, self.new] if self.new is not None else self.old


# -- how many pods more and fewer


def rolls(owner: Deployment) -> bool:
    """Whether new pods come before all old ones are gone."""
    return owner.spec.strategy.type == "RollingUpdate"


def max_surge(owner: Deployment) -> int:
    """The number of pods beyond the desired ones that may exist during a rollout."""
    return _fenceposts(owner)[0] if rolls(owner) else 0


def max_unavailable(owner: Deployment) -> int:
    """The number of desired pods that may be unavailable during a rollout."""
    desired = replicas_of(owner)
    return min(_fenceposts(owner)[1], desired) if rolls(owner) and desired else 0


def _fenceposts(owner: Deployment) -> tuple[int, int]:
    """(surge, unavailable): percentages are rounded up and down; one of the two is at least 1 (ResolveFenceposts)."""
    strategy, desired = owner.spec.strategy.rollingUpdate or RollingUpdateDeployment(), replicas_of(owner)
    surge, unavailable = scaled_value(strategy.maxSurge, desired), strategy.maxUnavailable
    if isinstance(unavailable, str):
        unavailable = int(unavailable.removesuffix("%")) * desired // 100
    return surge, unavailable if surge or unavailable else 1


# -- the status


def paused_conditions(owner: Deployment, now: int) -> Conditions:
    """The conditions after the Deployment was paused or resumed: its progress is not judged by time in between."""
    conditions = owner.status.conditions
    progress = condition_of(conditions, PROGRESSING)
    was_paused = progress is not None and progress.reason == _PAUSED
    if not _has_deadline(owner) or owner.spec.paused == was_paused or (progress and progress.reason == _TIMED_OUT):
        return conditions
    why = (_PAUSED, "Deployment is paused") if owner.spec.paused else ("DeploymentResumed", "Deployment is resumed")
    return _with(conditions, _condition(PROGRESSING, "Unknown", *why, now))


def discovered(owner: Deployment, new: ReplicaSet, created: bool, now: int) -> Conditions:
    """The conditions once the new ReplicaSet has been created, or found."""
    conditions = owner.status.conditions
    if not _has_deadline(owner) or not (created or condition_of(conditions, PROGRESSING) is None):
        return conditions
    reason, verb = ("NewReplicaSetCreated", "Created") if created else ("FoundNewReplicaSet", "Found")
    message = f'{verb} new replica set "{new.metadata.name}"'
    return _with(conditions, _condition(PROGRESSING, "True", reason, message, now))


def counted_status(rollout: Rollout, now: int) -> DeploymentStatus:
    """The status without a judgement of the progress (calculateStatus)."""
    owner, new, sets = rollout.owner, rollout.new, rollout.sets
    available = sum(each.status.availableReplicas for each in sets)
    enough = available >= replicas_of(owner) - max_unavailable(owner)
    reason = "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable"
    message = f"Deployment {'has' if enough else 'does not have'} minimum availability."
    condition = _condition(AVAILABLE, "True" if enough else "False", reason, message, now)
    return DeploymentStatus(
        observedGeneration=owner.metadata.generation,
        replicas=sum(each.status.replicas for each in sets),
        updatedReplicas=0 if new is None else new.status.replicas,
        readyReplicas=sum(each.status.readyReplicas for each in sets),
        availableReplicas=available,
        unavailableReplicas=max(0, sum(map(replicas_of, sets)) - available),
        terminatingReplicas=_terminating(sets),
        conditions=_with(owner.status.conditions, condition),
        collisionCount=owner.status.collisionCount,
    )


def _terminating(sets: Sequence[ReplicaSet]) -> int | None:
    """The number of terminating pods; None if a ReplicaSet does not report it."""
    reports = [each.status.terminatingReplicas for each in sets if each.status.observedGeneration]
    return None if None in reports else sum(report for report in reports if report is not None)


def rollout_status(rollout: Rollout, now: int) -> DeploymentStatus:
    """The status with a judgement of the progress (syncRolloutStatus)."""
    owner, status = rollout.owner, counted_status(rollout, now)
    conditions = status.conditions
    before = condition_of(owner.status.conditions, PROGRESSING)
    if not _has_deadline(owner):
        conditions = _without(conditions, PROGRESSING)
    elif before is None or before.reason != _COMPLETE or status.replicas != status.updatedReplicas:
        conditions = _judged(rollout, status, before, now)
    failure = _replica_failure(rollout)
    conditions = _without(conditions, REPLICA_FAILURE) if failure is None else _with(conditions, failure)
    return replace(status, conditions=conditions)


def _judged(rollout: Rollout, status: DeploymentStatus, before: DeploymentCondition | None, now: int) -> Conditions:
    """The status' conditions, with one that says whether the rollout is complete, progresses, or is stuck."""
    owner, new, conditions = rollout.owner, rollout.new, status.conditions
    name = f'ReplicaSet "{new.metadata.name}"' if new else f'Deployment "{owner.metadata.name}"'
    if is_complete(owner, status):
        message = f"{name} has successfully progressed."
        return _with(conditions, _condition(PROGRESSING, "True", _COMPLETE, message, now))
    if _progresses(owner.status, status):
        condition = _condition(PROGRESSING, "True", "ReplicaSetUpdated", f"{name} is progressing.", now)
        if before is not None and before.status == "True":
            condition = replace(condition, lastTransitionTime=before.lastTransitionTime)
        return (*_without(conditions, PROGRESSING), condition)
    if before is not None and _is_late(owner, before, now):
        message = f"{name} has timed out progressing."
        return _with(conditions, _condition(PROGRESSING, "False", _TIMED_OUT, message, now))
    return conditions


def is_complete(owner: Deployment, status: DeploymentStatus) -> bool:
    """Whether all desired pods have the newest template and are available, and no others exist."""
    counts = status.updatedReplicas, status.replicas, status.availableReplicas
    return counts == (replicas_of(owner),) * 3 and status.observedGeneration >= owner.metadata.generation


def _progresses(old: DeploymentStatus, new: DeploymentStatus) -> bool:
    return (
        new.updatedReplicas > old.updatedReplicas
        or new.replicas - new.updatedReplicas < old.replicas - old.updatedReplicas
        or new.readyReplicas > old.readyReplicas
        or new.availableReplicas > old.availableReplicas
    )


def _is_late(owner: Deployment, progress: DeploymentCondition, now: int) -> bool:
    if progress.reason in (_COMPLETE, _TIMED_OUT):
        return progress.reason == _TIMED_OUT
    return (progress.lastUpdateTime or 0) + owner.spec.progressDeadlineSeconds * SECOND < now


def progress_check_in(owner: Deployment, now: int) -> int | None:
    """Microseconds until it is time to look whether the rollout is stuck; None if there is nothing to look for."""
    progress = condition_of(owner.status.conditions, PROGRESSING)
    if progress is None or not _has_deadline(owner) or progress.reason == _TIMED_OUT:
        return None
    if is_complete(owner, owner.status):
        return None
    since = progress.lastUpdateTime or 0
    return max(0, since + owner.spec.progressDeadlineSeconds * SECOND - now) + SECOND


def _has_deadline(owner: Deployment) -> bool:
    return owner.spec.progressDeadlineSeconds != NO_DEADLINE


# -- conditions


def _replica_failure(rollout: Rollout) -> DeploymentCondition | None:
    """The failure that a ReplicaSet reports, the new one's before others' (getReplicaFailures)."""
    sets = [rollout.new, *rollout.old] if rollout.new is not None else rollout.old
    failures = (condition_of(each.status.conditions, REPLICA_FAILURE) for each in sets)
    return next((_of_replica_set(failure) for failure in failures if failure is not None), None)


def _of_replica_set(failure: Condition) -> DeploymentCondition:
    since = failure.lastTransitionTime
    return DeploymentCondition(
        failure.type, failure.status, failure.reason, failure.message, lastUpdateTime=since, lastTransitionTime=since
    )


def _condition(type: str, status: str, reason: str, message: str, now: int) -> DeploymentCondition:
    moment = Time.whole_second(now)
    return DeploymentCondition(type, status, reason, message, lastUpdateTime=moment, lastTransitionTime=moment)


def _with(conditions: Conditions, condition: DeploymentCondition) -> Conditions:
    """The conditions with this one last, unless one of the same status and reason is there (SetDeploymentCondition)."""
    old = condition_of(conditions, condition.type)
    if old is not None and old.status == condition.status:
        if old.reason == condition.reason:
            return conditions
        condition = replace(condition, lastTransitionTime=old.lastTransitionTime)
    return (*_without(conditions, condition.type), condition)


def _without(conditions: Conditions, type: str) -> Conditions:
    return tuple(condition for condition in conditions if condition.type != type)
