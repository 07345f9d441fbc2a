"""Deletion: at once, after a grace period, or when the last finalizer is removed.

v1.37: k8s.io/apiserver pkg/registry/rest/delete.go (BeforeDelete), pkg/registry/generic/registry/store.go
(updateForGracefulDeletionAndFinalizers, markAsDeleting), pkg/registry/core/pod/strategy.go (CheckGracefulDelete).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from kschedlab.objects.meta import SECOND, ObjectMeta, Time
from kschedlab.objects.model import ApiObject, Pod
from kschedlab_simulation.pods import TERMINAL

DEFAULT_GRACE = 30
"""Seconds (v1.37: core/v1, DefaultTerminationGracePeriodSeconds)."""

MAX_GRACE = 1_000_000_000
"""Seconds; a longer period counts as this one, because Go's durations would overflow."""

_replace = msgspec.structs.replace


class Deletion(NamedTuple):
    """``marked``: the object to write, with its deletionTimestamp, or None; ``remove``: whether it goes at once."""

    marked: Any
    remove: bool


def deletion(obj: Any, grace: int | None, now: int) -> Deletion:
    """The effect of a delete request on the object. ``grace``: seconds, or None; ``now``: microseconds.

    Only pods have a grace period. A second request can shorten it. An object with finalizers is marked and stays.
    """
    metadata = obj.metadata
    if isinstance(obj, Pod):
        if metadata.deletionTimestamp is None:
            seconds = _period(obj, grace)
            return _graceful(obj, now + seconds * SECOND, seconds)
        if metadata.deletionGracePeriodSeconds:
            return _shortened(obj, metadata, grace, now)
    if not metadata.finalizers:
        return Deletion(None, True)
    if metadata.deletionTimestamp is not None and metadata.deletionTimestamp <= now:
        now = metadata.deletionTimestamp
    marked = _marked(obj, now, 0)
    return Deletion(None if marked == obj else marked, False)


def should_delete_during_update(old: ObjectMeta, new: ObjectMeta) -> bool:
    """Whether an update removes the object: it removes the last finalizer of an object that is being deleted."""
    return not new.finalizers and old.deletionTimestamp is not None and not old.deletionGracePeriodSeconds


def _period(pod: Pod, grace: int | None) -> int:
    """Seconds; 0 for a pod that no kubelet runs."""
    if not pod.spec.nodeName or pod.status.phase in TERMINAL:
        return 0
    if grace is None:
        grace = pod.spec.terminationGracePeriodSeconds
    if grace is None:
        return DEFAULT_GRACE
    return 1 if grace < 0 else min(grace, MAX_GRACE)


def _shortened(pod: Pod, metadata: ObjectMeta, grace: int | None, now: int) -> Deletion:
    assert metadata.deletionTimestamp is not None and metadata.deletionGracePeriodSeconds is not None
    if grace is not None and grace < 0:
        grace = 1
    if grace is None or grace >= metadata.deletionGracePeriodSeconds:
        return Deletion(None, False)
    moment = metadata.deletionTimestamp + (grace - metadata.deletionGracePeriodSeconds) * SECOND
    if moment < now:
        moment, grace = now, min(grace, 1)
    return _graceful(pod, moment, grace)


def _graceful(pod: Pod, moment: int, seconds: int) -> Deletion:
    return Deletion(_marked(pod, moment, seconds), not seconds and not pod.metadata.finalizers)


def _marked(obj: ApiObject, moment: int, seconds: int) -> Any:
    metadata = obj.metadata
    first = metadata.deletionTimestamp is None and metadata.generation > 0
    metadata = _replace(
        metadata,
        deletionTimestamp=Time.whole_second(moment),
        deletionGracePeriodSeconds=seconds,
        generation=metadata.generation + first,
    )
    return _replace(obj, metadata=metadata)
