"""The generations side by side: one row for each constant and rule, one column for each generation.

The modules ``v1_13`` to ``v1_37`` have the filters and scores. The class with the field documents each row. Sources are
below pkg/scheduler, in the first generation that differs from its predecessor.
"""

from __future__ import annotations

from typing import Any

from kschedlab.extenders.rules import Binder, ExtenderRules, FreeNode
from kschedlab.filter.stage import SamplingRules
from kschedlab.generations.messages import Messages
from kschedlab.generations.queues import WITH_BACKOFF, WITH_BACKOFF_1_16, WITH_EVENTS, WITHOUT_BACKOFF
from kschedlab.generations.rules import BinderRules, CacheRules, CycleOrder, Eviction, LoopRules, Skip
from kschedlab.objects.api import API_1_13, API_1_16, API_1_20, API_1_37
from kschedlab.objects.meta import SECOND
from kschedlab.preemption.ladder import RULES
from kschedlab.preemption.rules import BudgetRules, PreemptionRules, VictimRules
from kschedlab.score.stage import Ties

NAMES = ("v1.13", "v1.16", "v1.20", "v1.37")
Row = tuple[Any, Any, Any, Any]

_PREDICATES = ("filter", "score", "normalize")
_BINDING = ("reserve", "unreserve", "permit", "pre_bind", "bind", "post_bind")
_FRAMEWORK = (*_PREDICATES, "less", "pre_filter", "pre_score", *_BINDING)
_POST_FILTER = (*_FRAMEWORK, "post_filter")
_QUEUEING = (*_POST_FILTER, "pre_enqueue", "events_to_register")
_REJECTING = ("reserve", "permit", "pre_bind", "bind")
_SET_BY_SERVER = ("resourceVersion", "nodeName", "annotations")
_SET_BY_SERVER_1_20 = (*_SET_BY_SERVER, "finalizers", "conditions")
_AFTER, _INSIDE, _ASYNC, _ = Eviction
_RESERVE, _ASSUME = CycleOrder
_NONE, _UNCHANGED, _ASSUMED = Skip
_TAKEN, _PANIC, _NO_NODE = FreeNode
_FIRST, _INTERESTED, _UNTIL = Binder

DECISION: dict[str, Row] = {
    "api": (API_1_13, API_1_16, API_1_20, API_1_37),  # the fields that the API server stores
    "percentage": (0, 0, 0, 0),  # apis/config/v1/defaults.go; v1.13: 50, which is min_percentage here
    "sampling.min_percentage": (50, 5, 5, 5),  # v1.16: core/generic_scheduler.go, numFeasibleNodesToFind
    "sampling.counts_surplus_node": (True, True, False, False),  # v1.20: core/generic_scheduler.go
    "sampling.one_node_if_no_scores": (False, False, False, True),  # v1.37: schedule_one.go, findNodesThatPassFilters
    "nominated_node_first": (False, False, False, True),  # v1.37: schedule_one.go, evaluateNominatedNode
    "checks_claims_first": (True, True, False, False),  # v1.16: core/generic_scheduler.go, podPassesBasicChecks
    "obeys_scheduling_gates": (True, True, True, True),  # v1.37: framework/plugins/schedulinggates; before: no field
    "ties": (Ties.IN_TURN, Ties.DRAWN, Ties.DRAWN, Ties.HEAP),  # v1.16: selectHost; v1.37: framework/sorted_nodes.go
    "max_node_score": (10, 10, 100, 100),  # v1.20: framework/interface.go, MaxNodeScore
    "preemption.after_dynamic_resources": (False, False, False, True),  # v1.37: apis/config/v1/default_plugins.go
    "preemption.min_candidate_percentage": (100, 100, 10, 10),  # v1.20: framework/plugins/defaultpreemption
    "preemption.obeys_preemption_policy": (False, False, True, True),  # v1.20: PodEligibleToPreemptOthers
    "preemption.unresolvable_node_ends_wait": (False, False, True, True),  # v1.20: PodEligibleToPreemptOthers
    "preemption.waits_for_preempted_pods_only": (False, False, False, True),  # v1.37: PodTerminatingByPreemption
    "preemption.reports_ineligibility": (False, False, False, True),  # v1.37: defaultpreemption/default_preemption.go
    "preemption.fails_with_its_filters": (False, False, False, True),  # v1.37: framework/preemption, DryRunPreemption
    "preemption.ladder": (RULES[:-1], RULES, RULES, RULES),  # v1.16: pickOneNodeForPreemption, GetEarliestPodStartTime
    "preemption.victims.older_is_more_important": (False, True, True, True),  # v1.16: util/utils.go, MoreImportantPod
    "preemption.victims.sorted_again": (False, False, False, True),  # v1.37: SelectVictimsOnNode
    "preemption.victims.budgets.counted_down": (False, False, True, True),  # v1.20: filterPodsWithPDBViolation
    "preemption.victims.budgets.disrupted_pods_exempt": (False, False, True, True),  # v1.20: DisruptedPods
    "preemption.victims.budgets.stops_at_first_violation": (True, True, False, True),  # v1.20, v1.37: the same function
    "extending.ignorable_last": (False, True, True, True),  # v1.16: factory/factory.go, CreateFromConfig
    "extending.sets_status": (False, False, False, True),  # v1.37: schedule_one.go, findNodesThatPassExtenders
    "extending.refuses_other_nodes": (False, False, True, True),  # v1.20: core/extender.go, Filter
    "extending.keeps_violations": (False, False, False, True),  # v1.37: extender.go, convertToVictims
    "extending.hides_pods": (False, False, False, True),  # v1.37: extender.go, Filter
    "extending.starts_upper_case": (True, True, False, False),  # v1.20: core/extender.go, send
    "extending.free_node": (_TAKEN, _TAKEN, _PANIC, _NO_NODE),  # v1.20, v1.37: pickOneNodeForPreemption
    "extending.binder": (_FIRST, _INTERESTED, _INTERESTED, _UNTIL),  # scheduler.go, schedule_one.go, extendersBinding
}

LOOP: dict[str, Row] = {
    "queue": (WITHOUT_BACKOFF, WITH_BACKOFF_1_16, WITH_BACKOFF, WITH_EVENTS),  # internal/queue, backend/queue
    "loop.extension_points": (_PREDICATES, _FRAMEWORK, _POST_FILTER, _QUEUEING),  # framework/interface.go
    "loop.rejecting_points": ((), ("permit", "pre_bind"), ("permit",), _REJECTING),  # framework/runtime
    "loop.cycle": (_RESERVE, _RESERVE, _ASSUME, _ASSUME),  # v1.20: scheduler.go, scheduleOne
    "loop.eviction": (_AFTER, _AFTER, _INSIDE, _ASYNC),  # v1.20: PrepareCandidate; v1.37: prepareCandidateAsync
    "loop.skips": (_NONE, _NONE, _UNCHANGED, _ASSUMED),  # v1.20: scheduler.go, skipPodSchedule
    "loop.ignored_changes": (_SET_BY_SERVER, _SET_BY_SERVER_1_20, _SET_BY_SERVER_1_20, ()),  # v1.16: skipPodUpdate
    "loop.ignores_identical_updates": (False, False, True, True),  # v1.20: eventhandlers.go, updatePodInSchedulingQueue
    "loop.rejects_deleted_waiting_pods": (False, False, True, True),  # v1.20: eventhandlers.go, RejectWaitingPod
    "loop.reads_api": (True, True, False, False),  # v1.16: factory/factory.go, MakeDefaultErrorFunc
    "loop.checks_uid": (False, False, False, True),  # v1.37: schedule_one.go, handleSchedulingFailure
    "loop.reports_newest_pod": (False, False, True, True),  # v1.20: factory.go, MakeDefaultErrorFunc
    "loop.queues_nomination": (False, False, True, True),  # v1.20: scheduler.go, recordSchedulingFailure
    "loop.clears_nomination": (False, False, False, True),  # v1.37: schedule_one.go, clearNominatedNode
    "loop.nominates_before_binding": (False, False, False, True),  # v1.37: schedule_one.go, bindingCycle
    "loop.patches_status": (False, False, True, True),  # v1.20: util/utils.go, PatchPodStatus
    "loop.sets_probe_time": (True, False, False, False),  # v1.13: scheduler.go, schedule
    "loop.names_actions": (False, True, True, True),  # v1.16: client-go tools/events in place of tools/record
    "loop.notes_generation": (False, False, False, True),  # v1.37: CalculatePodConditionObservedGeneration
    "loop.marks_victims": (False, False, False, True),  # v1.37: framework/preemption/executor.go
    "loop.one_permit_timer": (True, True, False, False),  # v1.20: framework/runtime/waiting_pods_map.go
    "loop.moves_pods_after_failed_binding": (False, False, False, True),  # v1.37: handleBindingCycleError
    "loop.sees_terminating_pods": (True, True, True, True),  # scheduler.go, NewInformerFactory: the phase alone counts
    "loop.cache.assumed_pod_ttl": (30 * SECOND, 30 * SECOND, 120 * SECOND, 0),  # durationToExpireAssumedPod
    "loop.cache.removes_assumed_pods": (False, False, True, True),  # v1.20: internal/cache/cache.go, RemovePod
    "loop.cache.forgets_unknown_pods": (False, False, False, True),  # v1.37: backend/cache/cache.go, ForgetPod
    "loop.cache.binder.checks_storage_capacity": (False, False, False, True),  # v1.37: volumebinding/binder.go
    "loop.cache.binder.translates_migrated_volumes": (False, False, False, True),  # v1.37: volumebinding/binder.go
    "loop.cache.binder.waits_for_informer": (
        False,
        True,
        True,
        True,
    ),  # v1.16: pkg/controller/volume/scheduling, checkBindings
    "loop.cache.binder.reverts_assumed_volumes": (False, False, True, True),  # v1.20: RevertAssumedPodVolumes
}

_OLD_FAILED = 'error while running "{plugin}" {point} plugin for pod "{pod}": {message}'
_FAILED = 'running {Point} plugin "{plugin}": {message}'
_OLD_BIND = 'Bind failure, code: 1: bind plugin "{plugin}" failed to bind pod "{namespace}/{pod}": {message}'
_OLD_PRE_SCORE = 'error while running "{plugin}" postfilter plugin for pod "{pod}"'
_PRE_SCORE = 'running PreScore plugin "{plugin}"'
_OLD_REJECTED = 'rejected by "{plugin}" at {point}: {message}'
_REJECTED_1_20 = 'rejected pod "{pod}" by {point} plugin "{plugin}": {message}'
_OLD_TIMEOUT = 'pod "{pod}" rejected due to timeout after waiting {wait} at permit'
_TIMEOUT = "rejected due to timeout after waiting {wait} at plugin {plugin}"
_OLD_REJECTED_WAITING = "rejected while waiting at permit: {message}"
_REJECTED_WAITING_1_20 = 'pod "{pod}" rejected while waiting on permit: {message}'
_OLD_FAILED_WAITING = 'error received while waiting at permit for pod "{pod}": {message}'
_FAILED_WAITING = "waiting on permit for pod: {message}"
_FIT_ERROR = "0/1 nodes are available: 1 {message}."
_BINDER = 'running Bind plugin "DefaultBinder": {message}'
_OLD_BINDING, _BINDING_1_20 = "Binding rejected: {message}", "binding rejected: {message}"
_VOLUMES = "binding volumes: {message}"
_OLD_LATE, _LATE = "timed out waiting for the condition", "context deadline exceeded"
_OLD_PROVISIONING = 'selectedNode annotation value "{selected}" not set to scheduled node "{node}"'
_PROVISIONING = 'provisioning failed for PVC "{name}"'
_PREEMPTED_1_13 = "by {namespace}/{name} on node {node}"
_PREEMPTED_1_20 = "Preempted by {namespace}/{name} on node {node}"
_PREEMPTED = "Preempted by pod {uid} on node {node}"
_SAME = "{message}"
_UNSCHEDULABLE, _ERROR = "Unschedulable", "SchedulerError"

MESSAGES: dict[str, Row] = {
    # FailedScheduling: scheduler.go, schedule_one.go, framework/types.go
    "messages.reason_once": (False, False, False, True),
    "messages.all_errors": (True, True, False, False),
    "messages.post_filter": (False, False, False, True),
    "messages.error_reason": (_UNSCHEDULABLE, _UNSCHEDULABLE, _UNSCHEDULABLE, _ERROR),
    # plugins: framework/v1alpha1/framework.go, framework/runtime/framework.go
    "messages.rejected": (_OLD_REJECTED, _OLD_REJECTED, _REJECTED_1_20, _SAME),
    "messages.failed": (_OLD_FAILED, _OLD_FAILED, _FAILED, _FAILED),
    "messages.bind_failed": (_OLD_BIND, _OLD_BIND, _FAILED, _FAILED),
    "messages.pre_score_failed": (_OLD_PRE_SCORE, _OLD_PRE_SCORE, _PRE_SCORE, _PRE_SCORE),
    "messages.refused_on_node": (_SAME, _SAME, _SAME, _FIT_ERROR),
    "messages.timeout": (_OLD_TIMEOUT, _OLD_TIMEOUT, _TIMEOUT, _TIMEOUT),
    "messages.timed_out": (_SAME, _SAME, _REJECTED_WAITING_1_20, _SAME),
    "messages.rejected_waiting": (_OLD_REJECTED_WAITING, _OLD_REJECTED_WAITING, _REJECTED_WAITING_1_20, _SAME),
    "messages.failed_waiting": (_OLD_FAILED_WAITING, _OLD_FAILED_WAITING, _FAILED_WAITING, _FAILED_WAITING),
    # binding: scheduler.go, schedule_one.go; volumebinding/binder.go
    "messages.default_binder": (_SAME, _SAME, _BINDER, _BINDER),
    "messages.binding_failed": (_SAME, _SAME, _BINDING_1_20, _SAME),
    "messages.binding_event": (_OLD_BINDING, _OLD_BINDING, _BINDING_1_20, _SAME),
    "messages.binding_reason": ("BindingRejected", _ERROR, _ERROR, _ERROR),
    "messages.volumes_failed": (_SAME, _SAME, _VOLUMES, _VOLUMES),
    "messages.volumes_late": (_OLD_LATE, _OLD_LATE, _OLD_LATE, _LATE),
    "messages.provisioning_failed": (_OLD_PROVISIONING, _OLD_PROVISIONING, _PROVISIONING, _PROVISIONING),
    # the victim's event: scheduler.go, framework/preemption/executor.go
    "messages.preempted": (_PREEMPTED_1_13, _PREEMPTED_1_20, _PREEMPTED_1_20, _PREEMPTED),
}

_RECORD_TYPES: dict[str, Any] = {
    "sampling": SamplingRules,
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


def column(name: str) -> dict[str, Any]:
    """The column of the generation with this name, as fields of a Generation."""
    place = NAMES.index(name)
    values = {path: row[place] for path, row in (DECISION | LOOP | MESSAGES).items()}
    for record, record_type in _RECORD_TYPES.items():
        inside = [path for path in values if path.startswith(f"{record}.")]
        values[record] = record_type(**{path.removeprefix(f"{record}."): values.pop(path) for path in inside})
    return values
