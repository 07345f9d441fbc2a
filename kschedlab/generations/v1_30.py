"""v1.30. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.generations.steps import after
from kschedlab.generations.v1_28 import V1_28

_LIMITS = {"missing_claim_is_error": False}  # nodevolumelimits/csi.go, non_csi.go: Filter

V1_30 = after(
    V1_28,
    "v1.30",
    filters={
        **dict.fromkeys(("EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits"), _LIMITS),
        "VolumeBinding": {"names_local_nodes": False},  # volumebinding/volume_binding.go, PreFilter
        "VolumeZone": {"accepts_newer_node_labels": True},  # volumezone/volume_zone.go, translateToGALabel
        "NodePorts": {"counts_sidecars": False},  # sidecars are new; schedutil.GetHostPorts does not know them
    },
    scores={
        "NodeAffinity": {"skips_in_pre_score": True},  # nodeaffinity/node_affinity.go, PreScore
        "ImageLocality": {"counts_init_containers": True},  # imagelocality/image_locality.go, sumImageScores
    },
    gone_scores=("VolumeBinding",),  # volumebinding/volume_binding.go, PreScore
)
