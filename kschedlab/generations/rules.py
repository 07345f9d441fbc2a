"""Rules of the scheduler around a decision: its loop, its cache, and how it binds volumes."""

from __future__ import annotations

from dataclasses import dataclass

POINTS_1_13 = ("filter", "score", "normalize")
"""Predicates and priorities (with map and reduce)."""
BINDING_POINTS = ("reserve", "unreserve", "permit", "pre_bind", "bind", "post_bind")
POINTS_1_16 = (*POINTS_1_13, "less", "pre_filter", "pre_score", *BINDING_POINTS)
POINTS_1_20 = (*POINTS_1_16, "post_filter")
POINTS_1_37 = (*POINTS_1_20, "pre_enqueue", "events_to_register")


@dataclass(frozen=True)
class BinderRules:
    """How a generation binds volumes: named rules. The defaults are those of v1.37.

    ``checks_storage_capacity``, ``translates_migrated_volumes``: as in
    :class:`~kschedlab.filter.volumes.volume_binding.VolumeBinding`.
    ``told_only``: whether all is bound is judged by what the informers tell, if it is not older than what was written,
    and the volumes must be usable on the node; else by what was assumed (v1.13: checkBindings).
    ``provisioning_failed``: what is said if a claim has lost its chosen node.
    """

    checks_storage_capacity: bool = True
    translates_migrated_volumes: bool = True
    told_only: bool = True
    provisioning_failed: str = 'provisioning failed for PVC "{name}"'


@dataclass(frozen=True)
class CacheRules:
    """How a generation's cache behaves: named rules. The defaults are those of v1.37.

    ``expires``: microseconds after its binding has ended in which an assumed pod must be added, or it is taken out; 0:
    it never is. ``removes_assumed``: an assumed pod can be removed, not only forgotten. ``forgets_unknown``: forgetting
    a pod that is not there is no error. ``binder``: how volumes are assumed.
    """

    expires: int = 0
    removes_assumed: bool = True
    forgets_unknown: bool = True
    binder: BinderRules = BinderRules()


@dataclass(frozen=True)
class LoopRules:
    """How a generation's loop goes round: named rules. The defaults are those of v1.37 (pkg/scheduler/schedule_one.go).

    ``points``: the extension points that there are, by the names of the methods of a
    :class:`~kschedlab.plugins.framework.Plugin`.
    ``skips``: which popped pods are passed over beside those being deleted: none (""), the ones that are "assumed", or
    only those whose "update" says nothing new (v1.20: scheduler.go, skipPodSchedule).
    ``update_ignores``: what may change of an assumed pod without its being queued again (skipPodUpdate).
    ``recorded_first``: a pod that fits nowhere goes back to the queue before it preempts (v1.13, v1.16: scheduler.go,
    schedule); else after PostFilter.
    ``reserves_first``: volumes are assumed and Reserve runs before the pod is assumed; else the pod is assumed first,
    and its volumes by the Reserve of the plugin VolumeBinding.
    ``undoes_backwards``: a pod that cannot be bound is unreserved by the last plugin first, and then forgotten; else it
    is forgotten, and then unreserved by the first plugin first (v1.16: scheduler.go, framework.go).
    ``permits_before_binding``: Permit runs in the scheduling cycle and only the wait in the binding cycle.
    ``always_unschedulable``: the condition's reason is Unschedulable even if scheduling ended with an error.
    ``probe_time``: the condition says when it was looked at (LastProbeTime), by which that queue orders.
    ``reads_api``: a pod that goes back to the queue is read from the API server; else from the informer.
    ``patches``: a pod's status is patched; else replaced as a whole, which conflicts if the pod has changed meanwhile.
    ``preemption_told``: FailedScheduling says what came of preemption.
    ``preempts_beside``: victims are evicted in a task of its own, while PreEnqueue holds the preemptor.
    ``gives_up_nomination``: a pod that no eviction helps, or that fails later, loses its nominated node.
    ``expects_node``: a pod that has to wait before it is bound is nominated to its node.
    ``marks_victims``: victims get the condition DisruptionTarget before they are deleted.
    ``preempted``: the message of the event Preempted.
    ``old_words``: plugins' failures are told as before v1.17.
    ``hints``: plugins say which events may help the pods that they refuse; else every event moves all pods.
    ``cache``: see :class:`CacheRules`.
    ``terminating_seen``: the informer sees pods that are being deleted. All generations do; one that does not gives
    their room away too early.
    """

    points: tuple[str, ...] = POINTS_1_37
    skips: str = "assumed"
    update_ignores: tuple[str, ...] = ()
    recorded_first: bool = False
    reserves_first: bool = False
    undoes_backwards: bool = True
    permits_before_binding: bool = True
    always_unschedulable: bool = False
    probe_time: bool = False
    reads_api: bool = False
    patches: bool = True
    preemption_told: bool = True
    preempts_beside: bool = True
    gives_up_nomination: bool = True
    expects_node: bool = True
    marks_victims: bool = True
    preempted: str = "Preempted by pod {uid} on node {node}"
    old_words: bool = False
    hints: bool = True
    cache: CacheRules = CacheRules()
    terminating_seen: bool = True
