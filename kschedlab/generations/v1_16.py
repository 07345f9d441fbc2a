"""v1.16. Source: pkg/scheduler/algorithmprovider/defaults/defaults.go."""

from __future__ import annotations

from dataclasses import replace

from kschedlab.filter.stage import SamplingRules
from kschedlab.generations.generation import Generation
from kschedlab.generations.queues import WITH_BACKOFF_1_16
from kschedlab.generations.registry import REGISTRY_1_16
from kschedlab.generations.rules import POINTS_1_16, BinderRules, CacheRules
from kschedlab.generations.v1_20 import V1_20
from kschedlab.objects.api import API_1_16
from kschedlab.objects.meta import SECOND
from kschedlab.preemption.rules import BudgetRules, PreemptionRules, VictimRules

DEFAULT_PREDICATES = (
    "CheckNodeUnschedulable",
    "GeneralPredicates",
    "NoDiskConflict",
    "PodToleratesNodeTaints",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxCSIVolumeCountPred",
    "MaxAzureDiskVolumeCount",
    "CheckVolumeBinding",
    "NoVolumeZoneConflict",
    "MatchInterPodAffinity",
)
"""Of v1.13 and v1.16: what is left of the default provider's predicates once TaintNodesByCondition is on."""

DEFAULT_PRIORITIES = {
    "BalancedResourceAllocation": 1,
    "ImageLocalityPriority": 1,
    "InterPodAffinityPriority": 1,
    "LeastRequestedPriority": 1,
    "NodeAffinityPriority": 1,
    "NodePreferAvoidPodsPriority": 10000,
    "SelectorSpreadPriority": 1,
    "TaintTolerationPriority": 1,
}

V1_16 = Generation(
    name="v1.16",
    api=API_1_16,
    filters=REGISTRY_1_16.filters(*DEFAULT_PREDICATES),
    scores=REGISTRY_1_16.scores(**DEFAULT_PRIORITIES),
    sampling=SamplingRules(one_node_if_no_scores=False, counts_surplus_node=True),
    preemption=PreemptionRules(
        min_candidate_percentage=100,
        obeys_preemption_policy=False,
        unresolvable_node_ends_wait=False,
        waits_for_preempted_pods_only=False,
        reports_ineligibility=False,
        victims=VictimRules(BudgetRules(counted_down=False, disrupted_pods_exempt=False), sorted_again=False),
    ),
    nominated_node_first=False,
    rejection_told_once=False,
    claims_checked_first=True,
    errors_added_up=True,
    loop=replace(
        V1_20.loop,
        points=POINTS_1_16,
        skips="",
        recorded_first=True,
        reserves_first=True,
        undoes_backwards=False,
        permits_before_binding=False,
        reads_api=True,
        patches=False,
        old_words=True,
        cache=CacheRules(
            expires=30 * SECOND,
            removes_assumed=False,
            forgets_unknown=False,
            binder=BinderRules(
                checks_storage_capacity=False,
                translates_migrated_volumes=False,
                provisioning_failed='selectedNode annotation value "{selected}" not set to scheduled node "{node}"',
            ),
        ),
    ),
    queue=WITH_BACKOFF_1_16,
)
