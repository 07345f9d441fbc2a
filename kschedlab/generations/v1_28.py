"""v1.28. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.cluster.spread_constraints import ConstraintRules
from kschedlab.filter.volumes.csi_migration import CINDER, CLOUD_DISKS, Migration
from kschedlab.filter.volumes.older_limits import StepsAside
from kschedlab.generations.steps import after
from kschedlab.generations.v1_24 import V1_24

_DISKS = {"steps_aside": StepsAside.WITH_CSI_NODE}  # nodevolumelimits/utils.go, isCSIMigrationOn

V1_28 = after(
    V1_24,
    "v1.28",
    filters={
        "NodeResourcesFit": {"checks_requested_resources_only": True},  # noderesources/fit.go, fitsRequest
        "VolumeRestrictions": {"checks_read_write_once_pod": True},  # the gate ReadWriteOncePod
        **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits"), _DISKS),
        "NodeVolumeLimits": {
            "counts_inline": True,  # nodevolumelimits/csi.go, filterAttachableVolumes
            "migration": Migration((*CLOUD_DISKS, CINDER)),  # nodevolumelimits/utils.go, isCSIMigrationOn
        },
        "VolumeBinding": {"names_local_nodes": True},  # volumebinding/binder.go, GetEligibleNodes
        "VolumeZone": {"finds_volumes_in_pre_filter": True},  # volumezone/volume_zone.go, PreFilter, getPVbyPod
        "PodTopologySpread": {"rules": ConstraintRules()},  # podtopologyspread/common.go, countPodsMatchSelector
        "InterPodAffinity": {"skips_in_pre_filter": True},  # interpodaffinity/filtering.go, PreFilter
    },
    scores={
        "NodeResourcesBalancedAllocation": {"counts_overhead_in_millis": True},  # resource_allocation.go
        "InterPodAffinity": {"skips_in_pre_score": True},  # interpodaffinity/scoring.go, PreScore
        "PodTopologySpread": {"rules": ConstraintRules(), "skips_in_pre_score": True},
    },
)
