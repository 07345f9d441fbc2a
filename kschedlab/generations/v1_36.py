"""v1.36. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.filter.node_declared_features import NodeDeclaredFeatures
from kschedlab.filter.volumes.csi_migration import Migration
from kschedlab.generations.steps import after
from kschedlab.generations.v1_35 import V1_35

V1_36 = after(
    V1_35,
    "v1.36",
    filters={
        "NodeResourcesFit": {"leaves_devices_out": True},  # noderesources/fit.go, the gate DRAExtendedResource
        "NodeVolumeLimits": {"migration": Migration()},  # nodevolumelimits/utils.go, isCSIMigrationOn
    },
    new_filters=(NodeDeclaredFeatures(),),  # the gate NodeDeclaredFeatures
    scores={
        "ImageLocality": {"counts_image_volumes": True},  # imagelocality/image_locality.go, sumImageScores
        "NodeResourcesBalancedAllocation": {"measures_gain": True},  # balanced_allocation.go, balancedResourceScorer
    },
)
