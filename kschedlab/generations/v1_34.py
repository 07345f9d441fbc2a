"""v1.34. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.taint_toleration import UNTOLERATED
from kschedlab.filter.volumes.volume_binding import NODE_CONFLICT
from kschedlab.filter.volumes.volume_restrictions import CLAIM_TAKEN
from kschedlab.generations.steps import after
from kschedlab.generations.v1_32 import V1_32

V1_34 = after(
    V1_32,
    "v1.34",
    filters={
        "TaintToleration": {"reason": UNTOLERATED},  # tainttoleration/taint_toleration.go, Filter
        "NodePorts": {"counts_sidecars": True},  # util/utils.go, GetHostPorts
        "NodeResourcesFit": {"too_small_is_unresolvable": True},  # noderesources/fit.go, fitsRequest
        "VolumeRestrictions": {"claim_taken": CLAIM_TAKEN},  # volumerestrictions/volume_restrictions.go
        "VolumeBinding": {"conflict": NODE_CONFLICT},  # volumebinding/binder.go, ErrReasonNodeConflict
    },
    new_filters=(DynamicResources(),),  # the gate DynamicResourceAllocation
    scores={"NodeResourcesBalancedAllocation": {"skips_best_effort": True}},  # balanced_allocation.go, PreScore
)
