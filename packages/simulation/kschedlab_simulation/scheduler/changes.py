"""What each version changed in the loop: its rules and texts, as differences from the version before.

The class with the field documents each rule. Sources are below pkg/scheduler, in the version that has the line.
:mod:`kschedlab.generations.changes` has what decisions depend on.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from kschedlab.filter.volumes.csi_migration import ALL_MIGRATED, CINDER, CLOUD_DISKS
from kschedlab.generations import Generation
from kschedlab.generations.changes import in_records, rules_of
from kschedlab.objects.meta import SECOND
from kschedlab_simulation.scheduler.rules import (
    BinderRules,
    CacheRules,
    CycleOrder,
    Eviction,
    LoopMessages,
    LoopRules,
    SkippedPods,
)

_SET_BY_SERVER = ("resourceVersion", "nodeName", "annotations")
_SET_BY_SERVER_1_20 = (*_SET_BY_SERVER, "finalizers", "conditions")

_OLD_BIND = 'Bind failure, code: 1: bind plugin "{plugin}" failed to bind pod "{namespace}/{pod}": {message}'
_FAILED = 'running {Point} plugin "{plugin}": {message}'
_REJECTED_WAITING_1_20 = 'pod "{pod}" rejected while waiting on permit: {message}'
_BINDING_1_20 = "binding rejected: {message}"
_SAME = "{message}"
_REFUSED = "0/1 nodes are available: 1 {message}."
_UNSCHEDULABLE, _ERROR = "Unschedulable", "SchedulerError"

CHANGES: dict[str, dict[str, Any]] = {
    "v1.13": {
        # -- the loop
        "loop.rejecting_points": (),  # framework/runtime
        "loop.pre_bind_rejects_as_filters": False,
        "loop.unresolvable_ends_post_filter": False,  # framework/runtime, RunPostFilterPlugins
        "loop.cycle": CycleOrder.RESERVE_FIRST,
        "loop.eviction": Eviction.AFTER_FAILURE,
        "loop.evicts_at_once": False,
        "loop.keeps_waiting_victims": False,
        "loop.skips": SkippedPods.NONE,
        "loop.ignored_changes": _SET_BY_SERVER,
        "loop.moves_for_any_node": True,  # updateNodeInCache
        "loop.ignores_identical_updates": False,
        "loop.rejects_deleted_waiting_pods": False,
        "loop.reads_api": True,  # factory/factory.go, MakeDefaultErrorFunc
        "loop.requeues_assigned_pods": False,
        "loop.checks_uid": False,
        "loop.reports_newest_pod": False,
        "loop.queues_nomination": False,
        "loop.clears_nomination": False,
        "loop.nominates_before_binding": False,
        "loop.patches_status": False,
        "loop.sets_probe_time": True,  # scheduler.go, schedule
        "loop.names_actions": False,
        "loop.truncates_events": False,
        "loop.notes_generation": False,
        "loop.marks_victims": False,
        "loop.one_permit_timer": True,
        "loop.moves_pods_after_failed_binding": False,
        "loop.sees_terminating_pods": True,  # scheduler.go, NewInformerFactory: the phase alone counts
        "loop.cache.assumed_pod_ttl": 30 * SECOND,  # durationToExpireAssumedPod
        "loop.cache.removes_assumed_pods": False,
        "loop.cache.forgets_unknown_pods": False,
        "loop.cache.binder.checks_storage_capacity": False,
        "loop.cache.binder.translates": (),
        "loop.cache.binder.waits_for_informer": False,
        "loop.cache.binder.reverts_assumed_volumes": False,
        # -- messages
        # FailedScheduling: scheduler.go, schedule_one.go, framework/types.go
        "messages.error_reason": _UNSCHEDULABLE,
        # plugins: framework/v1alpha1/framework.go, framework/runtime/framework.go
        "messages.rejected": 'rejected by "{plugin}" at {point}: {message}',
        "messages.failed": 'error while running "{plugin}" {point} plugin for pod "{pod}": {message}',
        "messages.bind_failed": _OLD_BIND,
        "messages.refused_on_node": _SAME,
        "messages.refused_waiting": _SAME,
        "messages.timeout": 'pod "{pod}" rejected due to timeout after waiting {wait} at permit',
        "messages.timed_out": _SAME,
        "messages.rejected_waiting": "rejected while waiting at permit: {message}",
        "messages.failed_waiting": 'error received while waiting at permit for pod "{pod}": {message}',
        # binding: scheduler.go, schedule_one.go; volumebinding/binder.go
        "messages.default_binder": _SAME,
        "messages.binding_failed": "",  # bind, bindVolumes: the condition has a reason alone
        "messages.binding_event": "Binding rejected: {message}",
        "messages.binding_reason": "BindingRejected",
        "messages.volumes_failed": _SAME,
        "messages.volumes_late": "timed out waiting for the condition",
        "messages.provisioning_failed": 'selectedNode annotation value "{selected}" not set to scheduled node "{node}"',
        # the victim's event: scheduler.go, framework/preemption/executor.go
        "messages.preempted": "by {namespace}/{name} on node {node}",
    },
    "v1.16": {
        # -- the loop
        "loop.rejecting_points": ("permit", "pre_bind"),  # framework/runtime
        "loop.ignored_changes": _SET_BY_SERVER_1_20,  # skipPodUpdate
        "loop.sets_probe_time": False,
        "loop.names_actions": True,  # client-go tools/events in place of tools/record
        "loop.cache.binder.waits_for_informer": True,  # pkg/controller/volume/scheduling, checkBindings
        # -- messages
        # binding: scheduler.go, schedule_one.go; volumebinding/binder.go
        "messages.binding_failed": _SAME,  # recordSchedulingFailure
        "messages.binding_reason": _ERROR,
        # the victim's event: scheduler.go, framework/preemption/executor.go
        "messages.preempted": "Preempted by {namespace}/{name} on node {node}",
    },
    "v1.20": {
        # -- the loop
        "loop.rejecting_points": ("permit",),  # framework/runtime
        "loop.cycle": CycleOrder.ASSUME_FIRST,  # scheduler.go, scheduleOne
        "loop.eviction": Eviction.IN_POST_FILTER,  # PrepareCandidate
        "loop.skips": SkippedPods.UNCHANGED,  # scheduler.go, skipPodSchedule
        "loop.ignores_identical_updates": True,  # eventhandlers.go, updatePodInSchedulingQueue
        "loop.rejects_deleted_waiting_pods": True,  # eventhandlers.go, RejectWaitingPod
        "loop.reads_api": False,
        "loop.requeues_assigned_pods": True,  # factory.go, MakeDefaultErrorFunc
        "loop.reports_newest_pod": True,  # factory.go, MakeDefaultErrorFunc
        "loop.queues_nomination": True,  # scheduler.go, recordSchedulingFailure
        "loop.patches_status": True,  # util/utils.go, PatchPodStatus
        "loop.truncates_events": True,  # scheduler.go, truncateMessage
        "loop.one_permit_timer": False,  # framework/runtime/waiting_pods_map.go
        "loop.cache.assumed_pod_ttl": 120 * SECOND,  # durationToExpireAssumedPod
        "loop.cache.removes_assumed_pods": True,  # internal/cache/cache.go, RemovePod
        "loop.cache.binder.reverts_assumed_volumes": True,  # RevertAssumedPodVolumes
        # -- messages
        # plugins: framework/v1alpha1/framework.go, framework/runtime/framework.go
        "messages.rejected": 'rejected pod "{pod}" by {point} plugin "{plugin}": {message}',
        "messages.failed": _FAILED,
        "messages.bind_failed": _FAILED,
        "messages.timeout": "rejected due to timeout after waiting {wait} at plugin {plugin}",
        "messages.timed_out": _REJECTED_WAITING_1_20,
        "messages.rejected_waiting": _REJECTED_WAITING_1_20,
        "messages.failed_waiting": "waiting on permit for pod: {message}",
        # binding: scheduler.go, schedule_one.go; volumebinding/binder.go
        "messages.default_binder": 'running Bind plugin "DefaultBinder": {message}',
        "messages.binding_failed": _BINDING_1_20,
        "messages.binding_event": _BINDING_1_20,
        "messages.volumes_failed": "binding volumes: {message}",
        "messages.provisioning_failed": 'provisioning failed for PVC "{name}"',
    },
    "v1.22": {
        # -- the loop
        "loop.keeps_waiting_victims": True,  # defaultpreemption/default_preemption.go, PrepareCandidate
        "loop.skips": SkippedPods.ASSUMED,  # scheduler.go, skipPodSchedule
        "loop.ignored_changes": (),
        "loop.moves_for_any_node": False,  # eventhandlers.go, updateNodeInCache
        "loop.requeues_assigned_pods": False,  # factory.go, MakeDefaultErrorFunc
        "loop.cache.binder.checks_storage_capacity": True,  # pkg/controller/volume/scheduling/scheduler_binder.go
        "loop.cache.binder.translates": (CINDER,),  # the gate CSIMigrationOpenStack
        # -- messages
        "messages.rejected": _SAME,  # framework/runtime/framework.go, RunPermitPlugins
        "messages.timed_out": _SAME,  # WaitOnPermit
        "messages.rejected_waiting": _SAME,
    },
    "v1.24": {
        # -- the loop
        "loop.clears_nomination": True,  # schedule_one.go, clearNominatedNode
        "loop.moves_pods_after_failed_binding": True,  # schedule_one.go, scheduleOne
        "loop.cache.assumed_pod_ttl": 900 * SECOND,  # durationToExpireAssumedPod
        "loop.cache.binder.translates": (*CLOUD_DISKS, CINDER),  # volumebinding/binder.go
        # -- messages
        "messages.error_reason": _ERROR,  # schedule_one.go, scheduleOne
        "messages.preempted": "Preempted by a pod on node {node}",  # framework/preemption, prepareCandidate
    },
    "v1.28": {
        # -- the loop
        "loop.rejecting_points": ("reserve", "permit", "pre_bind", "bind"),  # framework/runtime
        "loop.unresolvable_ends_post_filter": True,  # framework/runtime, RunPostFilterPlugins: since v1.27
        "loop.evicts_at_once": True,  # framework/preemption, prepareCandidate
        "loop.reports_newest_pod": False,  # schedule_one.go, handleSchedulingFailure
        "loop.marks_victims": True,  # framework/preemption, prepareCandidate
        "loop.cache.assumed_pod_ttl": 0,  # durationToExpireAssumedPod
        # -- messages
        "messages.refused_on_node": _REFUSED,  # schedule_one.go, schedulingCycle
        "messages.binding_failed": _SAME,  # schedule_one.go, handleBindingCycleError
        "messages.binding_event": _SAME,
    },
    "v1.30": {
        # -- messages
        "messages.refused_waiting": _REFUSED,  # schedule_one.go, bindingCycle
        "messages.volumes_late": "context deadline exceeded",  # volumebinding/binder.go, BindPodVolumes
        "messages.preempted": "Preempted by pod {uid} on node {node}",  # framework/preemption, prepareCandidate
    },
    "v1.32": {
        # -- the loop
        "loop.pre_bind_rejects_as_filters": True,  # schedule_one.go, bindingCycle
        "loop.cache.binder.translates": ALL_MIGRATED,  # the gate CSIMigrationPortworx
    },
    "v1.34": {
        # -- the loop
        "loop.eviction": Eviction.ASYNC,  # prepareCandidateAsync, the gate SchedulerAsyncPreemption
        "loop.pre_bind_rejects_as_filters": False,  # schedule_one.go, bindingCycle
        "loop.notes_generation": True,  # CalculatePodConditionObservedGeneration
    },
    "v1.35": {
        "loop.nominates_before_binding": True,  # the gate NominatedNodeNameForExpectation
        "loop.cache.forgets_unknown_pods": True,  # backend/cache/cache.go, ForgetPod
    },
    "v1.36": {
        "loop.checks_uid": True,  # schedule_one.go, handleSchedulingFailure
        "loop.reports_newest_pod": True,
    },
}
"""By version, what differs from the one before; the first has every rule."""

_RECORD_TYPES: dict[str, Any] = {
    "loop.cache.binder": BinderRules,
    "loop.cache": CacheRules,
    "loop": LoopRules,
    "messages": LoopMessages,
}


@cache
def _records(version: str) -> dict[str, Any]:
    return in_records(rules_of(version, CHANGES), _RECORD_TYPES)


def loop_rules(generation: Generation) -> LoopRules:
    """The rules of the generation's loop, with its feature gates."""
    rules: LoopRules = _records(generation.version)["loop"]
    gates = dict(generation.feature_gates)
    if gates.get("NominatedNodeNameForExpectation") is False:
        rules = replace(rules, nominates_before_binding=False)  # schedule_one.go, bindingCycle
    if gates.get("SchedulerAsyncPreemption") is False:
        rules = replace(rules, eviction=Eviction.IN_CYCLE)  # framework/preemption/executor.go, actuatePodPreemption
    return rules


def loop_messages(generation: Generation) -> LoopMessages:
    """The texts of the generation's loop."""
    messages: LoopMessages = _records(generation.version)["messages"]
    return messages
