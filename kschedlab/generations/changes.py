"""The changes of each version: its constants, rules and messages, as differences from the version before.

The class with the field documents each rule. Sources are below pkg/scheduler, in the version that has the line. The
rules of the scheduling loop, which no decision reads, are a table of the same shape in kschedlab-simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kschedlab.extenders import Binder, ExtenderRules, FreeNode
from kschedlab.filter.stage import NamingRules, SamplingRules
from kschedlab.generations.messages import Messages
from kschedlab.generations.queues import (
    WITH_BACKOFF,
    WITH_BACKOFF_1_16,
    WITH_BACKOFF_1_22,
    WITH_BACKOFF_1_24,
    WITH_BACKOFF_1_28,
    WITH_BACKOFF_1_30,
    WITH_EVENTS,
    WITH_HINTS,
    WITHOUT_BACKOFF,
)
from kschedlab.objects import api
from kschedlab.preemption.ladder import RULES
from kschedlab.preemption.rules import BudgetRules, PreemptionRules, VictimRules
from kschedlab.score.stage import Ties

_PREDICATES = ("filter", "score", "normalize")
_BINDING = ("reserve", "unreserve", "permit", "pre_bind", "bind", "post_bind")
_FRAMEWORK = (*_PREDICATES, "less", "pre_filter", "pre_score", *_BINDING)
_POST_FILTER = (*_FRAMEWORK, "post_filter")
_REGISTERING = (*_POST_FILTER, "events_to_register")
_QUEUEING = (*_POST_FILTER, "pre_enqueue", "events_to_register")

CHANGES: dict[str, dict[str, Any]] = {
    "v1.13": {
        "api": api.API_1_13,  # the fields that the API server stores
        "percentage": 0,  # its 50 is min_percentage here
        "sampling.min_percentage": 50,
        "sampling.counts_surplus_node": True,
        "sampling.counts_among_searched_nodes": False,
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
        "queue": WITHOUT_BACKOFF,  # internal/queue, backend/queue
        "extension_points": _PREDICATES,  # framework/interface.go
        # FailedScheduling: scheduler.go, schedule_one.go, framework/types.go
        "messages.reason_once": False,
        "messages.all_errors": True,
        "messages.excluded_nodes": False,
        "messages.post_filter": False,
        "messages.post_filter_end": "",
        "messages.post_filter_errors": False,
        "messages.post_filter_nominates": False,
        "messages.no_claims": "",
        "messages.claims_kept": "",
        # framework/v1alpha1/framework.go, framework/runtime/framework.go
        "messages.pre_score_failed": 'error while running "{plugin}" postfilter plugin for pod "{pod}"',
    },
    "v1.16": {
        "api": api.API_1_16,  # the fields that the API server stores
        "sampling.min_percentage": 5,  # core/generic_scheduler.go, numFeasibleNodesToFind
        "ties": Ties.DRAWN,  # selectHost
        "preemption.ladder": RULES,  # pickOneNodeForPreemption, GetEarliestPodStartTime
        "preemption.victims.older_is_more_important": True,  # util/utils.go, MoreImportantPod
        "extending.ignorable_last": True,  # factory/factory.go, CreateFromConfig
        "extending.binder": Binder.FIRST_INTERESTED,  # scheduler.go, schedule_one.go, extendersBinding
        "queue": WITH_BACKOFF_1_16,  # internal/queue, backend/queue
        "extension_points": _FRAMEWORK,  # framework/interface.go
    },
    "v1.20": {
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
        "queue": WITH_BACKOFF,  # internal/queue, backend/queue
        "extension_points": _POST_FILTER,  # framework/interface.go
        "messages.all_errors": False,  # scheduler.go, schedule_one.go
        "messages.pre_score_failed": 'running PreScore plugin "{plugin}"',  # framework/v1alpha1/framework.go
    },
    "v1.22": {
        "api": api.API_1_22,  # the fields that the API server stores
        "sampling.counts_among_searched_nodes": True,  # generic_scheduler.go, findNodesThatPassFilters
        "nominated_node_first": True,  # generic_scheduler.go, the gate PreferNominatedNode
        "extending.heeds_unresolvable": True,  # generic_scheduler.go, findNodesThatPassExtenders
        "extending.free_node": FreeNode.ERROR,  # defaultpreemption/default_preemption.go, CallExtenders
        "queue": WITH_BACKOFF_1_22,  # internal/queue, Update
        "extension_points": _REGISTERING,  # framework/interface.go, EnqueueExtensions
    },
    "v1.24": {
        "api": api.API_1_24,  # noderesources/fit.go, the score of a pod with overhead
        "naming.missing_is_error": True,  # schedule_one.go, findNodesThatFitPod
        "preemption.reports_ineligibility": True,  # framework/preemption, Preempt
        "preemption.fails_with_its_filters": True,  # framework/preemption, DryRunPreemption
        "extending.keeps_violations": True,  # extender.go, convertToVictims
        "queue": WITH_BACKOFF_1_24,  # internal/queue, DefaultPodMaxInUnschedulablePodsDuration
        "messages.post_filter": True,  # framework/types.go, FitError
    },
    "v1.28": {
        "api": api.API_1_28,  # the fields that the API server stores
        "sampling.counts_among_searched_nodes": False,  # schedule_one.go, findNodesThatFitPod
        "naming.missing_is_error": False,  # schedule_one.go, findNodesThatFitPod
        "preemption.waits_for_preempted_pods_only": True,  # podTerminatingByPreemption
        "preemption.excluded_is_unresolvable": True,  # framework/preemption, nodesWherePreemptionMightHelp
        "preemption.excluded_ends_wait": False,  # framework/preemption, Preempt
        "extending.dropped_is_unresolvable": True,  # framework/preemption, nodesWherePreemptionMightHelp
        "queue": WITH_BACKOFF_1_28,  # internal/queue, runPreEnqueuePlugins
        "extension_points": _QUEUEING,  # framework/interface.go
        "messages.reason_once": True,  # framework/types.go, FitError
        "messages.post_filter_end": ".",  # framework/types.go, SeparatorFormat
        "messages.post_filter_errors": True,  # schedule_one.go, schedulingCycle
    },
    "v1.30": {
        "api": api.API_1_30,  # the fields that the API server stores
        "sampling.one_node_if_no_scores": True,  # schedule_one.go, findNodesThatPassFilters
        "naming.conflict_is_unresolvable": True,  # framework/runtime/framework.go, RunPreFilterPlugins
        "preemption.victims.sorted_again": True,  # SelectVictimsOnNode
        "extending.binder": Binder.UNTIL_ONE_BINDS,  # schedule_one.go, extendersBinding
        "queue": WITH_BACKOFF_1_30,  # internal/queue, addUnschedulableWithoutQueueingHint
        "messages.post_filter_end": "",  # framework/types.go, FitError
    },
    "v1.32": {
        "preemption.excluded_ends_wait": True,  # framework/preemption, Preempt; framework/types.go, NodeToStatus
        "api": api.API_1_32,  # the fields that the API server stores
        "extending.sets_status": True,  # schedule_one.go, findNodesThatPassExtenders
        "queue": WITH_HINTS,  # backend/queue, the gate SchedulerQueueingHints
        "messages.excluded_nodes": True,  # framework/types.go, FitError
    },
    "v1.34": {
        "api": api.API_1_34,  # the fields that the API server stores
        "preemption.after_dynamic_resources": True,  # apis/config/v1/default_plugins.go
        "extending.hides_pods": True,  # framework/interface.go, Score gets the node that the extender returned
        "queue": WITH_EVENTS,  # backend/queue, the gate SchedulerPopFromBackoffQ
        "messages.no_claims": "no new claims to deallocate",  # dynamicresources/dynamicresources.go, PostFilter
        "messages.claims_kept": "still not schedulable",
    },
    "v1.35": {
        "api": api.API_1_35,  # the fields that the API server stores
        "ties": Ties.HEAP,  # schedule_one.go, prioritizeNodes (Randomizer)
    },
    "v1.36": {
        "api": api.API_1_36,  # the fields that the API server stores
        "preemption.victims.budgets.stops_at_first_violation": True,  # filterVictimsWithPDBViolation
    },
    "v1.37": {
        "api": api.API_1_37,  # the gate DRADeviceTaintRules
        "messages.post_filter_nominates": True,  # framework/preemption/preemption.go, Preempt
        "messages.no_claims": "",  # dynamicresources/dynamicresources.go, PostFilter
        "messages.claims_kept": "",
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
    "messages": Messages,
    "extending": ExtenderRules,
}
"""The class of each record by its path; inner records come first."""


def rules_of(name: str, changes: Mapping[str, Mapping[str, Any]] = CHANGES) -> dict[str, Any]:
    """Every rule of the version by its path, such as ``preemption.ladder``."""
    rules: dict[str, Any] = {}
    for version in NAMES[: NAMES.index(name) + 1]:
        rules |= changes.get(version, {})
    return rules


def in_records(rules: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """The rules with those at paths inside a record put into it. ``types``: as ``_RECORD_TYPES``."""
    values = dict(rules)
    for record, record_type in types.items():
        inside = [path for path in values if path.startswith(f"{record}.")]
        values[record] = record_type(**{path.removeprefix(f"{record}."): values.pop(path) for path in inside})
    return values


def column(name: str) -> dict[str, Any]:
    """The version and its rules as fields of a Generation."""
    return in_records(rules_of(name), _RECORD_TYPES) | {"version": name}
