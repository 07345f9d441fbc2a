"""v1.16. Source: pkg/scheduler/algorithmprovider/defaults/defaults.go."""

from __future__ import annotations

from kschedlab.generations.changes import column
from kschedlab.generations.generation import Generation
from kschedlab.generations.registry import REGISTRY_1_16

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
"""The default provider's predicates in v1.13 and v1.16, with the feature gate TaintNodesByCondition."""

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
    filters=REGISTRY_1_16.filters(*DEFAULT_PREDICATES),
    scores=REGISTRY_1_16.scores(**DEFAULT_PRIORITIES),
    **column("v1.16"),
)
