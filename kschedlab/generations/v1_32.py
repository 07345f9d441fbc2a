"""v1.32. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.generations.steps import after
from kschedlab.generations.v1_30 import V1_30

V1_32 = after(
    V1_30,
    "v1.32",
    filters={  # nodevolumelimits/csi.go, Filter, getVolumeLimits
        "NodeVolumeLimits": {"counts_attachments": True, "reads_allocatable": False},
    },
    gone=("EBSLimits", "GCEPDLimits", "AzureDiskLimits"),
)
