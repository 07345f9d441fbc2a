"""Computes a Deployment's next writes: a ReplicaSet per template, scaled as the strategy demands.

v1.37: pkg/controller/deployment (deployment_controller.go, sync.go, rolling.go, recreate.go, util/deployment_util.go).
A collision of two templates' hashes is not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from kschedlab.objects.model import (
    Deployment,
    LabelSelector,
    ObjectMeta,
    Pod,
    PodTemplate,
    ReplicaSet,
    ReplicaSetSpec,
)
from kschedlab_simulation.controllers.deployment_status import (
    NO_DEADLINE,
    Rollout,
    counted_status,
    discovered,
    is_complete,
    max_surge,
    max_unavailable,
    paused_conditions,
    rollout_status,
    rolls,
)
from kschedlab_simulation.controllers.replicas import reference_to, replicas_of, template_of
from kschedlab_simulation.controllers.template_hash import template_hash
from kschedlab_simulation.controllers.writes import Create, Delete, RecordEvent, Update, UpdateStatus, Write
from kschedlab_simulation.pods import TERMINAL

HASH_LABEL = "pod-template-hash"
REVISION, HISTORY, DESIRED, MAXIMUM = (
    f"deployment.kubernetes.io/{name}" for name in ("revision", "revision-history", "desired-replicas", "max-replicas")
)
"""Annotations of ReplicaSets: the newest number of its template and the earlier ones, and the Deployment's size."""

_NOT_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
)

_DIGITS = re.compile("[0-9]{1,19}")


def next_writes(owner: Deployment, sets: Sequence[ReplicaSet], pods: Iterable[Pod], now: int) -> list[Write]:
    """``sets``: the Deployment's ReplicaSets; ``pods``: their pods. No writes if a template is missing."""
    template = template_of(owner)
    if template is None or not all(map(template_of, sets)):
        return []
    rollout = _rollout(owner, template, sets)
    if owner.metadata.deletionTimestamp is not None:
        return _status_update(owner, owner, counted_status(rollout, now))
    conditions = paused_conditions(owner, now)
    if conditions != owner.status.conditions:
        return _status_update(owner, owner, replace(owner.status, conditions=conditions))
    scales = owner.spec.paused or _is_scaled(rollout)
    creates = not scales and (rolls(owner) or not _old_pods_remain(rollout, pods))
    writes, known = _with_new_set(rollout, template, creates, now)
    writes += _scale_all(known) if scales else _roll(known) if rolls(owner) else _recreate(known, creates)
    if owner.spec.paused or (not scales and is_complete(owner, owner.status)):
        writes += _cleanup(known)
    status = counted_status(known, now) if scales else rollout_status(known, now)
    return [*writes, *_status_update(owner, known.owner, status)]


def _status_update(before: Deployment, owner: Deployment, status: msgspec.Struct) -> list[Write]:
    new = replace(owner, status=status)
    return [UpdateStatus(new)] if new != before else []


# -- the ReplicaSet of the template


def _rollout(owner: Deployment, template: PodTemplate, sets: Iterable[ReplicaSet]) -> Rollout:
    by_age = sorted(sets, key=_age)
    plain = _without_hash(template)
    new = next((each for each in by_age if _without_hash(each.spec.template) == plain), None)
    return Rollout(owner, new, [each for each in by_age if each is not new])


def _age(replica_set: ReplicaSet) -> tuple[int, str]:
    return replica_set.metadata.creationTimestamp or 0, replica_set.metadata.name


def _without_hash(template: PodTemplate | None) -> PodTemplate | None:
    """The template without its hash label."""
    if template is None or HASH_LABEL not in template.metadata.labels:
        return template
    labels = {key: value for key, value in template.metadata.labels.items() if key != HASH_LABEL}
    return replace(template, metadata=replace(template.metadata, labels=labels))


def _with_new_set(rollout: Rollout, template: PodTemplate, creates: bool, now: int) -> tuple[list[Write], Rollout]:
    """Create the template's ReplicaSet if that is due, or update its annotations (getNewReplicaSet)."""
    owner, new = rollout.owner, rollout.new
    if new is None and not creates:
        return [], rollout
    revision = 1 + max((_number(each, REVISION) for each in rollout.old), default=0)
    if new is not None:
        annotations = _annotations(owner, new, revision)
        if annotations != new.metadata.annotations or new.spec.minReadySeconds != owner.spec.minReadySeconds:
            metadata = replace(new.metadata, annotations=annotations)
            new = replace(new, metadata=metadata, spec=replace(new.spec, minReadySeconds=owner.spec.minReadySeconds))
            return [Update(new)], rollout._replace(new=new)
        return [], rollout._replace(owner=_with_revision(owner, new, False, now))
    made = _new_replica_set(rollout, template)
    annotations = _annotations(owner, made, revision) | _sizes(owner)
    made = replace(made, metadata=replace(made.metadata, annotations=annotations))
    writes: list[Write] = [Create(made)]
    if replicas_of(made):
        writes.append(_scaling(owner, made, 0, replicas_of(made)))
    return writes, rollout._replace(owner=_with_revision(owner, made, True, now), new=made)


def _new_replica_set(rollout: Rollout, template: PodTemplate) -> ReplicaSet:
    owner = rollout.owner
    hash_label = {HASH_LABEL: template_hash(template, owner.status.collisionCount)}
    labels = template.metadata.labels | hash_label
    selector = owner.spec.selector or LabelSelector()
    return ReplicaSet(
        metadata=ObjectMeta(
            name=f"{owner.metadata.name}-{hash_label[HASH_LABEL]}",
            namespace=owner.metadata.namespace,
            labels=labels,
            ownerReferences=(reference_to(owner),),
        ),
        spec=ReplicaSetSpec(
            selector=replace(selector, matchLabels=selector.matchLabels | hash_label),
            template=replace(template, metadata=replace(template.metadata, labels=labels)),
            replicas=_new_size(owner, rollout.old, 0),
            minReadySeconds=owner.spec.minReadySeconds,
        ),
    )


def _with_revision(owner: Deployment, new: ReplicaSet, created: bool, now: int) -> Deployment:
    """The Deployment with the revision of its new ReplicaSet, and the condition that there is one."""
    annotations = owner.metadata.annotations | {REVISION: new.metadata.annotations.get(REVISION, "")}
    status = replace(owner.status, conditions=discovered(owner, new, created, now))
    return replace(owner, metadata=replace(owner.metadata, annotations=annotations), status=status)


def _annotations(owner: Deployment, new: ReplicaSet, revision: int) -> dict[str, str]:
    """The ReplicaSet's annotations: the Deployment's, and its revision, which only grows."""
    copied = {key: value for key, value in owner.metadata.annotations.items() if key not in _NOT_COPIED}
    annotations = new.metadata.annotations | copied
    before = annotations.get(REVISION, "")
    if _number(new, REVISION) >= revision:
        return annotations
    if before:
        annotations[HISTORY] = ",".join(filter(None, [annotations.get(HISTORY, ""), before]))
    return annotations | {REVISION: str(revision)}


def _sizes(owner: Deployment) -> dict[str, str]:
    desired = replicas_of(owner)
    return {DESIRED: str(desired), MAXIMUM: str(desired + max_surge(owner))}


def _number(replica_set: ReplicaSet, annotation: str, missing: int = 0) -> int:
    """A revision has 64 bits, a size 32 (Revision, getNonNegativeInt32FromAnnotation)."""
    text = replica_set.metadata.annotations.get(annotation, "")
    if not _DIGITS.fullmatch(text):
        return missing
    number = int(text)
    return number if number < (2**63 if annotation == REVISION else 2**31) else missing


def _cleanup(rollout: Rollout) -> list[Write]:
    """Delete the oldest ReplicaSets without pods, as far as more are kept than wanted (cleanupDeployment)."""
    limit = rollout.owner.spec.revisionHistoryLimit
    old = [each for each in rollout.old if each.metadata.deletionTimestamp is None]
    surplus = 0 if limit == NO_DEADLINE else max(0, len(old) - limit)
    by_revision = sorted(old, key=lambda each: _number(each, REVISION))[:surplus]
    return [Delete(each) for each in by_revision if not (each.status.replicas or replicas_of(each) or _is_stale(each))]


def _is_stale(replica_set: ReplicaSet) -> bool:
    return replica_set.metadata.generation > replica_set.status.observedGeneration


# -- scaling


def _scale(owner: Deployment, replica_set: ReplicaSet, replicas: int, force: bool = False) -> list[Write]:
    """Scale the ReplicaSet; ``force``: update its annotations even if it has that size (scaleReplicaSet)."""
    before, sizes = replicas_of(replica_set), _sizes(owner)
    annotations = replica_set.metadata.annotations | sizes
    if before == replicas and not (force and annotations != replica_set.metadata.annotations):
        return []
    metadata, spec = replace(replica_set.metadata, annotations=annotations), replica_set.spec
    writes: list[Write] = [Update(replace(replica_set, metadata=metadata, spec=replace(spec, replicas=replicas)))]
    return writes if before == replicas else [*writes, _scaling(owner, replica_set, before, replicas)]


def _scaling(owner: Deployment, replica_set: ReplicaSet, before: int, replicas: int) -> RecordEvent:
    direction = "up" if before < replicas else "down"
    message = f"Scaled {direction} replica set {replica_set.metadata.name} from {before} to {replicas}"
    return RecordEvent(owner, "Normal", "ScalingReplicaSet", message, "deployment-controller")


def _is_scaled(rollout: Rollout) -> bool:
    """Whether the Deployment's size has changed since its ReplicaSets were scaled (isScalingEvent)."""
    desired = replicas_of(rollout.owner)
    return any(_number(each, DESIRED, desired) != desired for each in rollout.sets if replicas_of(each))


def _scale_all(rollout: Rollout) -> list[Write]:
    """Scale outside of a rollout, or all ReplicaSets of a rollout in proportion (scale)."""
    owner, new, desired = rollout.owner, rollout.new, replicas_of(rollout.owner)
    active = [each for each in rollout.sets if replicas_of(each)]
    if len(active) < 2:
        only = active[0] if active else new or (rollout.old[-1] if rollout.old else None)
        return [] if only is None else _scale(owner, only, desired)
    if new is not None and _is_saturated(owner, new):
        return [write for each in active if each is not new for write in _scale(owner, each, 0)]
    if not rolls(owner):
        return []
    missing = (desired + max_surge(owner) if desired else 0) - sum(map(replicas_of, active))
    active.sort(key=_age, reverse=missing > 0)
    active.sort(key=replicas_of, reverse=True)
    sizes, added = [], 0
    for each in active:
        share = _share(owner, each, missing, added)
        sizes.append(replicas_of(each) + share)
        added += share
    sizes[0] = max(0, sizes[0] + missing - added)
    return [write for each, size in zip(active, sizes, strict=True) for write in _scale(owner, each, size, force=True)]


def _is_saturated(owner: Deployment, new: ReplicaSet) -> bool:
    desired = replicas_of(owner)
    return (replicas_of(new), _number(new, DESIRED, -1), new.status.availableReplicas) == (desired,) * 3


def _share(owner: Deployment, replica_set: ReplicaSet, missing: int, added: int) -> int:
    """The ReplicaSet's share of the missing pods, by its size before (GetReplicaSetProportion)."""
    size, desired, rest = replicas_of(replica_set), replicas_of(owner), missing - added
    maximum = _number(replica_set, MAXIMUM) or owner.status.replicas
    if not missing or not rest or (desired and not maximum):
        return 0
    share = int(size * (desired + max_surge(owner)) / maximum + 0.5) - size if desired else -size
    return min(share, rest) if missing > 0 else max(share, rest)


# -- strategies


def _new_size(owner: Deployment, sets: Iterable[ReplicaSet], size: int) -> int:
    """The new ReplicaSet's next size, from its present one; ``sets``: all ReplicaSets (NewRSNewReplicas)."""
    desired = replicas_of(owner)
    if not rolls(owner):
        return desired
    room = desired + max_surge(owner) - sum(map(replicas_of, sets))
    return size + min(room, desired - size) if room > 0 else size


def _roll(rollout: Rollout) -> list[Write]:
    """Scale the new ReplicaSet up if possible, else the old ones down (rolloutRolling)."""
    owner, new = rollout.owner, rollout.new
    assert new is not None
    size, desired = replicas_of(new), replicas_of(owner)
    scaled = _scale(owner, new, desired if size > desired else _new_size(owner, rollout.sets, size))
    return scaled or _shrink_old(rollout, new)


def _shrink_old(rollout: Rollout, new: ReplicaSet) -> list[Write]:
    """Remove old pods: first those that are not available, then as many as leave enough (reconcileOldReplicaSets)."""
    owner = rollout.owner
    old = {each.metadata.name: each for each in rollout.old if replicas_of(each)}
    least = replicas_of(owner) - max_unavailable(owner)
    spare = sum(map(replicas_of, rollout.sets)) - least - (replicas_of(new) - new.status.availableReplicas)
    writes: list[Write] = []

    def remove(replica_set: ReplicaSet, count: int) -> int:
        scaled = _scale(owner, replica_set, replicas_of(replica_set) - count)
        writes.extend(scaled)
        old.update({write.obj.metadata.name: write.obj for write in scaled if isinstance(write.obj, ReplicaSet)})
        return count

    if spare <= 0:
        return []
    for each in list(old.values()):
        spare -= remove(each, max(0, min(spare, replicas_of(each) - each.status.availableReplicas)))
    spare = sum(each.status.availableReplicas for each in (*old.values(), new)) - least
    for each in list(old.values()):
        spare -= remove(each, max(0, min(spare, replicas_of(each))))
    return writes


def _old_pods_remain(rollout: Rollout, pods: Iterable[Pod]) -> bool:
    """Whether pods of earlier templates still exist (oldPodsRunning)."""
    uids = {each.metadata.uid for each in rollout.old}
    unfinished = [pod for pod in pods if pod.status.phase not in TERMINAL]
    return any(replicas_of(each) or each.status.replicas for each in rollout.old) or any(
        reference.uid in uids for pod in unfinished for reference in pod.metadata.ownerReferences
    )


def _recreate(rollout: Rollout, old_are_gone: bool) -> list[Write]:
    """Scale the old ReplicaSets down, and the new one up once all old pods are gone (rolloutRecreate)."""
    owner, new = rollout.owner, rollout.new
    if old_are_gone:
        assert new is not None
        return _scale(owner, new, replicas_of(owner))
    return [write for each in rollout.old for write in _scale(owner, each, 0)]
