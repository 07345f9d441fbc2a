"""v1.24. Source: pkg/scheduler/apis/config/v1beta3/default_plugins.go."""

from __future__ import annotations

from kschedlab.filter.taint_toleration import UNTOLERATED_TAINT
from kschedlab.filter.volumes.csi_migration import CINDER, CLOUD_DISKS, Migration
from kschedlab.filter.volumes.older_limits import StepsAside
from kschedlab.filter.volumes.volume_binding import VOLUME_MISSING
from kschedlab.generations.steps import after
from kschedlab.generations.v1_22 import V1_22
from kschedlab.score.volume_binding import VolumeBindingScore

# nodevolumelimits/non_csi.go, filterVolumes; utils.go, the gates CSIMigrationAWS, CSIMigrationGCE, ...
_DISKS = {"checks_claims": True, "steps_aside": StepsAside.WHERE_LISTED}

V1_24 = after(
    V1_22,
    "v1.24",
    filters={
        "TaintToleration": {"reason": UNTOLERATED_TAINT},  # tainttoleration/taint_toleration.go, Filter
        "NodeAffinity": {"returns_node_names": True},  # nodeaffinity/node_affinity.go, PreFilter
        **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits"), _DISKS),
        "NodeVolumeLimits": {
            "checks_claims": True,  # nodevolumelimits/csi.go, filterAttachableVolumes
            "migration": Migration(everywhere=(CINDER,), where_listed=CLOUD_DISKS),  # the gates CSIMigrationAWS, ...
        },
        "VolumeBinding": {
            "translates": (*CLOUD_DISKS, CINDER),  # the gates CSIMigrationAWS, CSIMigrationGCE, ...
            "explains_ephemeral_claims": True,  # volumebinding/volume_binding.go, podHasPVCs
            "rejects_lost_claims": True,  # volumebinding/volume_binding.go, podHasPVCs
            "missing": VOLUME_MISSING,  # volumebinding/binder.go, ErrReasonPVNotExist
        },
        "PodTopologySpread": {"counts_pods_on_eligible_nodes_only": True},  # podtopologyspread/filtering.go
    },
    scores={"PodTopologySpread": {"rounds_sum": True}},  # podtopologyspread/scoring.go, Score
    new_scores=(VolumeBindingScore(scores_capacity=False),),
    weights={"TaintToleration": 3, "NodeAffinity": 2, "InterPodAffinity": 2},
)
