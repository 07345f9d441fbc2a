"""The changes of each version: its constants, rules and messages, as differences from the version before.

The modules ``v1_13`` to ``v1_37`` have the filters and scores. The class with the field documents each rule. Sources
are below pkg/scheduler, in the version that has the line.
"""

from __future__ import annotations

from typing import Any

from kschedlab.extenders.rules import Binder, ExtenderRules, FreeNode
from kschedlab.filter.stage import NamingRules, SamplingRules
from kschedlab.filter.volumes.csi_migration import ALL_MIGRATED, CINDER, CLOUD_DISKS
from kschedlab.generations.messages import Messages
from kschedlab.generations.queues import WITH_BACKOFF, WITH_BACKOFF_1_16, WITH_EVENTS, WITH_HINTS, WITHOUT_BACKOFF
from kschedlab.generations.rules import BinderRules, CacheRules, CycleOrder, Eviction, LoopRules, SkippedPods
from kschedlab.objects import api
from kschedlab.objects.meta import SECOND
from kschedlab.preemption.ladder import RULES
from kschedlab.preemption.rules import BudgetRules, PreemptionRules, VictimRules
from kschedlab.score.stage import Ties

_PREDICATES = ("filter", "score", "normalize")
_BINDING = ("reserve", "unreserve", "permit", "pre_bind", "bind", "post_bind")
_FRAMEWORK = (*_PREDICATES, "less", "pre_filter", "pre_score", *_BINDING)
_POST_FILTER = (*_FRAMEWORK, "post_filter")
_QUEUEING = (*_POST_FILTER, "pre_enqueue", "events_to_register")
_REJECTING = ("reserve", "permit", "pre_bind", "bind")
_SET_BY_SERVER = ("resourceVersion", "nodeName", "annotations")
_SET_BY_SERVER_1_20 = (*_SET_BY_SERVER, "finalizers", "conditions")

_OLD_BIND = 'Bind failure, code: 1: bind plugin "{plugin}" failed to bind pod "{namespace}/{pod}": {message}'
_FAILED = 'running {Point} plugin "{plugin}": {message}'
_REJECTED_WAITING_1_20 = 'pod "{pod}" rejected while waiting on permit: {message}'
_BINDING_1_20 = "binding rejected: {message}"
_SAME = "{message}"
_UNSCHEDULABLE, _ERROR = "Unschedulable", "SchedulerError"

CHANGES: dict[str, dict[str, Any]] = {
    "v1.13": {
        # -- decisions
        "api": api.API_1_13,  # the fields that the API server stores
        "percentage": 0,  # its 50 is min_percentage here
        "sampling.min_percentage": 50,
        "sampling.counts_surplus_node": True,
        "sampling.one_node_if_no_scores": False,
        "nominated_node_first": False,
        "naming.missing_is_error": False,
        "naming.conflict_is_unresolvable": False,
        "checks_claims_first": True,  # core/generic_scheduler.go, podPassesBasicChecks
        "obeys_scheduling_gates": True,  # v1.37: framework/plugins/schedulinggates; older pods have no gates
        "ties": Ties.IN_TURN,
        "max_node_score": 10,
        "preemption.after_dynamic_resources": False,
        "preemption.min_candidate_percentage": 100,
        "preemption.obeys_preemption_policy": False,
        "preemption.unresolvable_node_ends_wait": False,
        "preemption.waits_for_preempted_pods_only": False,
        "preemption.excluded_is_unresolvable": False,
        "preemption.excluded_ends_wait": True,
        "preemption.reports_ineligibility": False,
        "preemption.fails_with_its_filters": False,
        "preemption.ladder": RULES[:-1],
        "preemption.victims.older_is_more_important": False,
        "preemption.victims.sorted_again": False,
        "preemption.victims.budgets.counted_down": False,
        "preemption.victims.budgets.disrupted_pods_exempt": False,
        "preemption.victims.budgets.stops_at_first_violation": True,
        "extending.ignorable_last": False,
        "extending.sets_status": False,
        "extending.heeds_unresolvable": False,
        "extending.dropped_is_unresolvable": False,
        "extending.refuses_other_nodes": False,
        "extending.keeps_violations": False,
        "extending.hides_pods": False,
        "extending.starts_upper_case": True,
        "extending.free_node": FreeNode.TAKEN,
        "extending.binder": Binder.FIRST,  # scheduler.go, schedule_one.go, extendersBinding
        # -- the loop
        "queue": WITHOUT_BACKOFF,  # internal/queue, backend/queue
        "loop.extension_points": _PREDICATES,  # framework/interface.go
        "loop.rejecting_points": (),  # framework/runtime
        "loop.cycle": CycleOrder.RESERVE_FIRST,
        "loop.eviction": Eviction.AFTER_FAILURE,
        "loop.skips": SkippedPods.NONE,
        "loop.ignored_changes": _SET_BY_SERVER,
        "loop.ignores_identical_updates": False,
        "loop.rejects_deleted_waiting_pods": False,
        "loop.reads_api": True,  # factory/factory.go, MakeDefaultErrorFunc
        "loop.checks_uid": False,
        "loop.reports_newest_pod": False,
        "loop.queues_nomination": False,
        "loop.clears_nomination": False,
        "loop.nominates_before_binding": False,
        "loop.patches_status": False,
        "loop.sets_probe_time": True,  # scheduler.go, schedule
        "loop.names_actions": False,
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
        "messages.reason_once": False,
        "messages.all_errors": True,
        "messages.excluded_nodes": False,
        "messages.post_filter": False,
        "messages.post_filter_end": "",
        "messages.post_filter_errors": False,
        "messages.no_claims": "",
        "messages.claims_kept": "",
        "messages.error_reason": _UNSCHEDULABLE,
        # plugins: framework/v1alpha1/framework.go, framework/runtime/framework.go
        "messages.rejected": 'rejected by "{plugin}" at {point}: {message}',
        "messages.failed": 'error while running "{plugin}" {point} plugin for pod "{pod}": {message}',
        "messages.bind_failed": _OLD_BIND,
        "messages.pre_score_failed": 'error while running "{plugin}" postfilter plugin for pod "{pod}"',
        "messages.refused_on_node": _SAME,
        "messages.timeout": 'pod "{pod}" rejected due to timeout after waiting {wait} at permit',
        "messages.timed_out": _SAME,
        "messages.rejected_waiting": "rejected while waiting at permit: {message}",
        "messages.failed_waiting": 'error received while waiting at permit for pod "{pod}": {message}',
        # binding: scheduler.go, schedule_one.go; volumebinding/binder.go
        "messages.default_binder": _SAME,
        "messages.binding_failed": _SAME,
        "messages.binding_event": "Binding rejected: {message}",
        "messages.binding_reason": "BindingRejected",
        "messages.volumes_failed": _SAME,
        "messages.volumes_late": "timed out waiting for the condition",
        "messages.provisioning_failed": 'selectedNode annotation value "{selected}" not set to scheduled node "{node}"',
        # the victim's event: scheduler.go, framework/preemption/executor.go
        "messages.preempted": "by {namespace}/{name} on node {node}",
    },
    "v1.16": {
        # -- decisions
        "api": api.API_1_16,  # the fields that the API server stores
        "sampling.min_percentage": 5,  # core/generic_scheduler.go, numFeasibleNodesToFind
        "ties": Ties.DRAWN,  # selectHost
        "preemption.ladder": RULES,  # pickOneNodeForPreemption, GetEarliestPodStartTime
        "preemption.victims.older_is_more_important": True,  # util/utils.go, MoreImportantPod
        "extending.ignorable_last": True,  # factory/factory.go, CreateFromConfig
        "extending.binder": Binder.FIRST_INTERESTED,  # scheduler.go, schedule_one.go, extendersBinding
        # -- the loop
        "queue": WITH_BACKOFF_1_16,  # internal/queue, backend/queue
        "loop.extension_points": _FRAMEWORK,  # framework/interface.go
        "loop.rejecting_points": ("permit", "pre_bind"),  # framework/runtime
        "loop.ignored_changes": _SET_BY_SERVER_1_20,  # skipPodUpdate
        "loop.sets_probe_time": False,
        "loop.names_actions": True,  # client-go tools/events in place of tools/record
        "loop.cache.binder.waits_for_informer": True,  # pkg/controller/volume/scheduling, checkBindings
        # -- messages
        # binding: scheduler.go, schedule_one.go; volumebinding/binder.go
        "messages.binding_reason": _ERROR,
        # the victim's event: scheduler.go, framework/preemption/executor.go
        "messages.preempted": "Preempted by {namespace}/{name} on node {node}",
    },
    "v1.20": {
        # -- decisions
        "api": api.API_1_20,  # the fields that the API server stores
        "sampling.counts_surplus_node": False,  # core/generic_scheduler.go
        "checks_claims_first": False,
        "max_node_score": 100,  # framework/interface.go, MaxNodeScore
        "preemption.min_candidate_percentage": 10,  # framework/plugins/defaultpreemption
        "preemption.obeys_preemption_policy": True,  # PodEligibleToPreemptOthers
        "preemption.unresolvable_node_ends_wait": True,  # PodEligibleToPreemptOthers
        "preemption.victims.budgets.counted_down": True,  # filterPodsWithPDBViolation
        "preemption.victims.budgets.disrupted_pods_exempt": True,  # DisruptedPods
        "preemption.victims.budgets.stops_at_first_violation": False,  # filterPodsWithPDBViolation
        "extending.refuses_other_nodes": True,  # core/extender.go, Filter
        "extending.starts_upper_case": False,  # core/extender.go, send
        "extending.free_node": FreeNode.PANIC,  # pickOneNodeForPreemption
        # -- the loop
        "queue": WITH_BACKOFF,  # internal/queue, backend/queue
        "loop.extension_points": _POST_FILTER,  # framework/interface.go
        "loop.rejecting_points": ("permit",),  # framework/runtime
        "loop.cycle": CycleOrder.ASSUME_FIRST,  # scheduler.go, scheduleOne
        "loop.eviction": Eviction.IN_POST_FILTER,  # PrepareCandidate
        "loop.skips": SkippedPods.UNCHANGED,  # scheduler.go, skipPodSchedule
        "loop.ignores_identical_updates": True,  # eventhandlers.go, updatePodInSchedulingQueue
        "loop.rejects_deleted_waiting_pods": True,  # eventhandlers.go, RejectWaitingPod
        "loop.reads_api": False,
        "loop.reports_newest_pod": True,  # factory.go, MakeDefaultErrorFunc
        "loop.queues_nomination": True,  # scheduler.go, recordSchedulingFailure
        "loop.patches_status": True,  # util/utils.go, PatchPodStatus
        "loop.one_permit_timer": False,  # framework/runtime/waiting_pods_map.go
        "loop.cache.assumed_pod_ttl": 120 * SECOND,  # durationToExpireAssumedPod
        "loop.cache.removes_assumed_pods": True,  # internal/cache/cache.go, RemovePod
        "loop.cache.binder.reverts_assumed_volumes": True,  # RevertAssumedPodVolumes
        # -- messages
        # FailedScheduling: scheduler.go, schedule_one.go, framework/types.go
        "messages.all_errors": False,
        # plugins: framework/v1alpha1/framework.go, framework/runtime/framework.go
        "messages.rejected": 'rejected pod "{pod}" by {point} plugin "{plugin}": {message}',
        "messages.failed": _FAILED,
        "messages.bind_failed": _FAILED,
        "messages.pre_score_failed": 'running PreScore plugin "{plugin}"',
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
        # -- decisions
        "api": api.API_1_22,  # the fields that the API server stores
        "nominated_node_first": True,  # core/generic_scheduler.go, the gate PreferNominatedNode
        "extending.heeds_unresolvable": True,  # generic_scheduler.go, findNodesThatPassExtenders
        "extending.free_node": FreeNode.ERROR,  # defaultpreemption/default_preemption.go, CallExtenders
        # -- the loop
        "loop.skips": SkippedPods.ASSUMED,  # scheduler.go, skipPodSchedule
        "loop.ignored_changes": (),
        "loop.cache.binder.checks_storage_capacity": True,  # pkg/controller/volume/scheduling/scheduler_binder.go
        "loop.cache.binder.translates": (CINDER,),  # the gate CSIMigrationOpenStack
        # -- messages
        "messages.rejected": _SAME,  # framework/runtime/framework.go, RunPermitPlugins
        "messages.timed_out": _SAME,  # WaitOnPermit
        "messages.rejected_waiting": _SAME,
    },
    "v1.24": {
        # -- decisions
        "api": api.API_1_24,  # noderesources/fit.go, the score of a pod with overhead
        "naming.missing_is_error": True,  # schedule_one.go, findNodesThatFitPod
        "preemption.reports_ineligibility": True,  # framework/preemption, Preempt
        "preemption.fails_with_its_filters": True,  # framework/preemption, DryRunPreemption
        "extending.keeps_violations": True,  # extender.go, convertToVictims
        # -- the loop
        "loop.clears_nomination": True,  # schedule_one.go, clearNominatedNode
        "loop.moves_pods_after_failed_binding": True,  # schedule_one.go, scheduleOne
        "loop.cache.assumed_pod_ttl": 900 * SECOND,  # durationToExpireAssumedPod
        "loop.cache.binder.translates": (*CLOUD_DISKS, CINDER),  # volumebinding/binder.go
        # -- messages
        "messages.post_filter": True,  # framework/types.go, FitError
        "messages.error_reason": _ERROR,  # schedule_one.go, scheduleOne
        "messages.preempted": "Preempted by a pod on node {node}",  # framework/preemption, prepareCandidate
    },
    "v1.28": {
        # -- decisions
        "api": api.API_1_28,  # the fields that the API server stores
        "naming.missing_is_error": False,  # schedule_one.go, findNodesThatFitPod
        "ties": Ties.HEAP,  # schedule_one.go, nodeScoreHeap
        "preemption.waits_for_preempted_pods_only": True,  # podTerminatingByPreemption
        "preemption.excluded_is_unresolvable": True,  # framework/preemption, nodesWherePreemptionMightHelp
        "preemption.excluded_ends_wait": False,  # framework/preemption, Preempt
        "extending.dropped_is_unresolvable": True,  # framework/preemption, nodesWherePreemptionMightHelp
        # -- the loop
        "loop.extension_points": _QUEUEING,  # framework/interface.go
        "loop.rejecting_points": _REJECTING,  # framework/runtime
        "loop.marks_victims": True,  # framework/preemption, prepareCandidate
        "loop.cache.assumed_pod_ttl": 0,  # durationToExpireAssumedPod
        # -- messages
        "messages.reason_once": True,  # framework/types.go, FitError
        "messages.post_filter_end": ".",  # framework/types.go, SeparatorFormat
        "messages.post_filter_errors": True,  # schedule_one.go, schedulingCycle
        "messages.refused_on_node": "0/1 nodes are available: 1 {message}.",
        "messages.binding_failed": _SAME,  # schedule_one.go, handleBindingCycleError
        "messages.binding_event": _SAME,
    },
    "v1.30": {
        # -- decisions
        "api": api.API_1_30,  # the fields that the API server stores
        "sampling.one_node_if_no_scores": True,  # schedule_one.go, findNodesThatPassFilters
        "naming.conflict_is_unresolvable": True,  # framework/runtime/framework.go, RunPreFilterPlugins
        "preemption.victims.sorted_again": True,  # SelectVictimsOnNode
        "extending.binder": Binder.UNTIL_ONE_BINDS,  # schedule_one.go, extendersBinding
        # -- messages
        "messages.post_filter_end": "",  # framework/types.go, FitError
        "messages.volumes_late": "context deadline exceeded",  # volumebinding/binder.go, BindPodVolumes
        "messages.preempted": "Preempted by pod {uid} on node {node}",  # framework/preemption, prepareCandidate
    },
    "v1.32": {
        # -- decisions
        "preemption.excluded_ends_wait": True,  # framework/preemption, Preempt; framework/types.go, NodeToStatus
        "api": api.API_1_32,  # the fields that the API server stores
        "extending.sets_status": True,  # schedule_one.go, findNodesThatPassExtenders
        # -- the loop
        "queue": WITH_HINTS,  # backend/queue, the gate SchedulerQueueingHints
        "loop.cache.binder.translates": ALL_MIGRATED,  # the gate CSIMigrationPortworx
        # -- messages
        "messages.excluded_nodes": True,  # framework/types.go, FitError
    },
    "v1.34": {
        # -- decisions
        "api": api.API_1_34,  # the fields that the API server stores
        "preemption.after_dynamic_resources": True,  # apis/config/v1/default_plugins.go
        "extending.hides_pods": True,  # framework/interface.go, Score gets the node that the extender returned
        # -- the loop
        "queue": WITH_EVENTS,  # backend/queue, the gate SchedulerPopFromBackoffQ
        "loop.eviction": Eviction.ASYNC,  # prepareCandidateAsync, the gate SchedulerAsyncPreemption
        "loop.notes_generation": True,  # CalculatePodConditionObservedGeneration
        # -- messages
        "messages.no_claims": "no new claims to deallocate",  # dynamicresources/dynamicresources.go, PostFilter
        "messages.claims_kept": "still not schedulable",
    },
    "v1.35": {
        "api": api.API_1_35,  # the fields that the API server stores
        "loop.nominates_before_binding": True,  # the gate NominatedNodeNameForExpectation
    },
    "v1.36": {
        "api": api.API_1_36,  # the fields that the API server stores
        "preemption.victims.budgets.stops_at_first_violation": True,  # filterVictimsWithPDBViolation
        "loop.checks_uid": True,  # schedule_one.go, handleSchedulingFailure
    },
    "v1.37": {
        "api": api.API_1_37,  # the gate DRADeviceTaintRules
        "messages.no_claims": "",  # dynamicresources/dynamicresources.go, PostFilter
        "messages.claims_kept": "",
        "loop.cache.forgets_unknown_pods": True,  # backend/cache/cache.go, ForgetPod
    },
}
"""By version, what differs from the one before; the first has every rule."""

NAMES = tuple(CHANGES)

_RECORD_TYPES: dict[str, Any] = {
    "sampling": SamplingRules,
    "naming": NamingRules,
    "preemption.victims.budgets": BudgetRules,
    "preemption.victims": VictimRules,
    "preemption": PreemptionRules,
    "loop.cache.binder": BinderRules,
    "loop.cache": CacheRules,
    "loop": LoopRules,
    "messages": Messages,
    "extending": ExtenderRules,
}
"""The class of each record by its path; inner records come first."""


def rules_of(name: str) -> dict[str, Any]:
    """Every rule of the version by its path, such as ``preemption.ladder``."""
    rules: dict[str, Any] = {}
    for version, changes in CHANGES.items():
        rules |= changes
        if version == name:
            return rules
    raise KeyError(name)


def column(name: str) -> dict[str, Any]:
    """The version and its rules as fields of a Generation."""
    values = rules_of(name) | {"version": name}
    for record, record_type in _RECORD_TYPES.items():
        inside = [path for path in values if path.startswith(f"{record}.")]
        values[record] = record_type(**{path.removeprefix(f"{record}."): values.pop(path) for path in inside})
    return values
