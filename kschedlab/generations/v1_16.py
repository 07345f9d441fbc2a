"""v1.16. Source: pkg/scheduler/algorithmprovider/defaults/defaults.go, with the feature gate TaintNodesByCondition."""

from __future__ import annotations

from kschedlab.generations.steps import after
from kschedlab.generations.v1_13 import V1_13

_DISKS = {"counts_claims_of_any_class": False}  # algorithm/predicates/predicates.go, filterVolumes

V1_16 = after(
    V1_13,
    "v1.16",
    filters={
        **dict.fromkeys(("MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount"), _DISKS),
        "MaxCSIVolumeCountPred": {
            "counts_unbound_claims": True,  # algorithm/predicates/csi_volume_predicate.go, getCSIDriverInfoFromSC
            "reads_csi_nodes": True,  # algorithm/predicates/csi_volume_predicate.go, getVolumeLimits
        },
        # pkg/controller/volume/persistentvolume/util/util.go, IsDelayBindingMode
        "CheckVolumeBinding": {"claims_with_selected_node_wait": True},
    },
    scores={
        "SelectorSpreadPriority": {"requires_all_selectors": True},  # algorithm/priorities/selector_spreading.go
    },
)
