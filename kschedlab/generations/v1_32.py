"""v1.32. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.filter.volumes.csi_migration import CINDER, CLOUD_DISKS, PORTWORX, Migration
from kschedlab.generations.steps import after
from kschedlab.generations.v1_30 import V1_30

V1_32 = after(
    V1_30,
    "v1.32",
    filters={
        "NodeVolumeLimits": {
            "counts_attachments": True,  # nodevolumelimits/csi.go, Filter
            "reads_allocatable": False,  # nodevolumelimits/csi.go, getVolumeLimits
            "migration": Migration((*CLOUD_DISKS, CINDER), where_listed=(PORTWORX,)),  # the gate CSIMigrationPortworx
        },
    },
    gone=("EBSLimits", "GCEPDLimits", "AzureDiskLimits"),
)
