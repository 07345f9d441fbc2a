"""Rules of the scheduler around a decision: its loop, its cache, and how it binds volumes.

What they are in each generation: :mod:`kschedlab.generations.columns`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class CycleOrder(Enum):
    """What happens to a pod that has a node, in which order."""

    RESERVE_FIRST = auto()
    """Volumes are assumed, Reserve runs, the pod is assumed; Permit runs in the binding cycle."""
    ASSUME_FIRST = auto()
    """The pod is assumed, then its volumes; Reserve and Permit run; the binding cycle waits for Permit."""


class Eviction(Enum):
    """Who evicts victims, and when."""

    AFTER_FAILURE = auto()
    """The loop: the pod goes back to the queue, is nominated through the API server, and its victims are deleted."""
    IN_POST_FILTER = auto()
    """The plugin DefaultPreemption, in the scheduling cycle; then the pod goes back to the queue, nominated."""
    ASYNC = auto()
    """A task apart from the loop, while PreEnqueue holds the pod."""


class Skip(Enum):
    """Which popped pods are not scheduled, beside those that are being deleted."""

    NONE = auto()
    UNCHANGED = auto()
    """Assumed pods that changed only in what scheduling ignores."""
    ASSUMED = auto()


@dataclass(frozen=True)
class BinderRules:
    """How volumes are bound.

    ``checks_storage_capacity``, ``translates_migrated_volumes``: as in
    :class:`~kschedlab.filter.volumes.volume_binding.VolumeBinding`.
    ``waits_for_informer``: a volume or claim counts as bound once the informer shows it so, at the version that was
    written or a newer one, and the volume must be usable on the node; otherwise the assumed version counts.
    ``reverts_assumed_volumes``: a pod that is not bound gives its assumed volumes back.
    """

    checks_storage_capacity: bool
    translates_migrated_volumes: bool
    waits_for_informer: bool
    reverts_assumed_volumes: bool


@dataclass(frozen=True)
class CacheRules:
    """How the cache treats assumed pods.

    ``assumed_pod_ttl``: an assumed pod is removed if the informer does not confirm it within so many microseconds after
    its binding; 0: never. ``removes_assumed_pods``: an assumed pod can be removed, not only forgotten.
    ``forgets_unknown_pods``: forgetting a pod that is not in the cache is no error. ``binder``: how volumes are bound.
    """

    assumed_pod_ttl: int
    removes_assumed_pods: bool
    forgets_unknown_pods: bool
    binder: BinderRules


@dataclass(frozen=True)
class LoopRules:
    """How pods go round, from the informer to the binding. Each switch has one effect and works in any generation.

    ``extension_points``: by the names of the methods of :class:`~kschedlab.plugins.framework.Plugin`.
    ``rejecting_points``: after Filter, the points where a plugin's rejection is not an error.
    ``cycle``, ``eviction``, ``skips``: see :class:`CycleOrder`, :class:`Eviction`, :class:`Skip`.
    ``ignored_changes``: fields of an assumed pod; if only these change, the pod is not queued again.
    ``ignores_identical_updates``: an update with an unchanged resource version does not reach the queue.
    ``rejects_deleted_waiting_pods``: a pod that is deleted while it waits on Permit is rejected at once.
    ``reads_api``: a failed pod is read from the API server before it is queued again; otherwise from the informer.
    ``checks_uid``: a failed pod is dropped if another pod has its name by now.
    ``reports_newest_pod``: the event and the condition of a failure concern the pod as it was read then; otherwise the
    pod as it was popped.
    ``queues_nomination``: a failed pod is nominated in the queue at once; otherwise once the informer shows it.
    ``clears_nomination``: a failed pod loses its nominated node, unless preemption makes room again.
    ``nominates_before_binding``: a pod that must wait before it is bound is nominated to its node.
    ``patches_status``: a pod's status is patched; otherwise replaced, which conflicts if the pod has changed meanwhile.
    ``sets_probe_time``: the condition has a lastProbeTime, by which the queue of v1.13 orders.
    ``marks_victims``: victims get the condition DisruptionTarget before they are deleted.
    ``one_permit_timer``: a waiting pod has one timer, the shortest, and the first plugin to allow it allows it for all.
    ``moves_pods_after_failed_binding``: a failed binding moves the pods that may fit into the room that it frees.
    ``sees_terminating_pods``: the informer shows pods that are being deleted. It does in all generations; without it,
    their room is given away too early.
    ``cache``: see :class:`CacheRules`.
    """

    extension_points: tuple[str, ...]
    rejecting_points: tuple[str, ...]
    cycle: CycleOrder
    eviction: Eviction
    skips: Skip
    ignored_changes: tuple[str, ...]
    ignores_identical_updates: bool
    rejects_deleted_waiting_pods: bool
    reads_api: bool
    checks_uid: bool
    reports_newest_pod: bool
    queues_nomination: bool
    clears_nomination: bool
    nominates_before_binding: bool
    patches_status: bool
    sets_probe_time: bool
    marks_victims: bool
    one_permit_timer: bool
    moves_pods_after_failed_binding: bool
    sees_terminating_pods: bool
    cache: CacheRules
