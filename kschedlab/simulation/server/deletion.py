"""How objects go: at once, after a grace period, or when the last finalizer is gone.

v1.37: k8s.io/apiserver pkg/registry/rest/delete.go (BeforeDelete), pkg/registry/generic/registry/store.go
(updateForGracefulDeletionAndFinalizers, markAsDeleting), pkg/registry/core/pod/strategy.go (CheckGracefulDelete).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from kschedlab.objects.meta import SECOND, ObjectMeta, Time
from kschedlab.objects.model import ApiObject, Pod
from kschedlab.simulation.pods import TERMINAL

DEFAULT_GRACE = 30
"""Seconds (v1.37: core/v1, DefaultTerminationGracePeriodSeconds)."""

LONGEST_GRACE = 1_000_000_000
"""Seconds; what is longer counts as that, where Go's durations would wrap."""

_replace = msgspec.structs.replace


class Deletion(NamedTuple):
    """``marked``: the object with its time of deletion, to be written, or None; ``remove``: whether it goes at once."""

    marked: Any
    remove: bool


def deletion(document: Any, grace: int | None, now: int) -> Deletion:
    """What a request to delete the object does. ``grace``: seconds, or None; ``now``: microseconds.

    Only pods have a grace period. It can be shortened by a second request. An object with finalizers stays, marked.
    """
    metadata: ObjectMeta = document.metadata
    if isinstance(document, Pod):
        if metadata.deletionTimestamp is None:
            seconds = _period(document, grace)
            return _graceful(document, now + seconds * SECOND, seconds)
        if metadata.deletionGracePeriodSeconds:
            return _shortened(document, metadata, grace, now)
    if not metadata.finalizers:
        return Deletion(None, True)
    if metadata.deletionTimestamp is not None and metadata.deletionTimestamp <= now:
        now = metadata.deletionTimestamp
    marked = _marked(document, now, 0)
    return Deletion(None if marked == document else marked, False)


def ends(old: ObjectMeta, new: ObjectMeta) -> bool:
    """Whether an update removes the object: it took the last finalizer from one that only waited for that."""
    return not new.finalizers and old.deletionTimestamp is not None and not old.deletionGracePeriodSeconds


def _period(pod: Pod, grace: int | None) -> int:
    """Seconds. A pod that nobody runs needs none."""
    if not pod.spec.nodeName or pod.status.phase in TERMINAL:
        return 0
    if grace is None:
        grace = pod.spec.terminationGracePeriodSeconds
    if grace is None:
        return DEFAULT_GRACE
    return 1 if grace < 0 else min(grace, LONGEST_GRACE)


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


def _marked(document: ApiObject, moment: int, seconds: int) -> Any:
    metadata: ObjectMeta = document.metadata  # type: ignore[attr-defined]  # every kind has it
    first = metadata.deletionTimestamp is None and metadata.generation > 0
    metadata = _replace(
        metadata,
        deletionTimestamp=Time.second(moment),
        deletionGracePeriodSeconds=seconds,
        generation=metadata.generation + first,
    )
    return _replace(document, metadata=metadata)
