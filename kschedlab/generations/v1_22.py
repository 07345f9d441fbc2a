"""v1.22. Source: pkg/scheduler/apis/config/v1beta2/default_plugins.go."""

from __future__ import annotations

from dataclasses import replace

from kschedlab.filter.node import WRONG_NAME
from kschedlab.filter.node_affinity import NO_MATCH
from kschedlab.filter.volumes.csi_migration import CINDER, Migration
from kschedlab.generations.steps import after
from kschedlab.generations.v1_20 import CONSTRAINTS_1_20, V1_20
from kschedlab.score.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFitScore

CONSTRAINTS_1_22 = replace(CONSTRAINTS_1_20, defaults_follow_owner_reference=True)

V1_22 = after(
    V1_20,
    "v1.22",
    filters={
        "NodeName": {"reason": WRONG_NAME},  # nodename/node_name.go, ErrReason
        "NodeAffinity": {"reason": NO_MATCH},  # nodeaffinity/node_affinity.go, ErrReasonPod
        "NodeVolumeLimits": {"migration": Migration((), where_listed=(CINDER,))},  # the gate CSIMigrationOpenStack
        "VolumeBinding": {
            "checks_storage_capacity": True,  # volumebinding, the gate CSIStorageCapacity
            "translates": (CINDER,),  # the gate CSIMigrationOpenStack
        },
        "PodTopologySpread": {
            "rules": CONSTRAINTS_1_22,  # helper/spread.go, DefaultSelector
            "panics_on_new_domain": False,  # podtopologyspread/filtering.go, updateWithPod
        },
        "InterPodAffinity": {"common_reason": ""},  # interpodaffinity/filtering.go, Filter
    },
    gone=("NodeResourcesLeastAllocated", "NodePreferAvoidPods"),
    scores={
        "InterPodAffinity": {"range_includes_zero": False},  # interpodaffinity/scoring.go, NormalizeScore
        "PodTopologySpread": {"rules": CONSTRAINTS_1_22},
    },
    new_scores=(
        NodeResourcesFitScore(),  # noderesources/fit.go, with least_allocated.go
        NodeResourcesBalancedAllocation(  # noderesources/balanced_allocation.go, balancedResourceScorer
            measures_gain=False, skips_best_effort=False, counts_overhead_in_millis=False
        ),
    ),
)
