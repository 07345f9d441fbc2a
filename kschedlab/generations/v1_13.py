"""v1.13. Source: pkg/scheduler/algorithmprovider/defaults/defaults.go, with the feature gate TaintNodesByCondition."""

from __future__ import annotations

from dataclasses import replace

from kschedlab.filter.general_predicates import GeneralPredicates
from kschedlab.filter.inter_pod_affinity import NO_AFFINITY_OR_ANTI_AFFINITY, InterPodAffinity
from kschedlab.filter.node import WRONG_HOSTNAME, NodeName, NodeUnschedulable
from kschedlab.filter.node_affinity import NO_MATCH_1_16, NodeAffinity
from kschedlab.filter.node_ports import NodePorts
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.taint_toleration import NOT_TOLERATED, TaintToleration
from kschedlab.filter.volumes.csi_limits import CSI_LIMITS_1_20
from kschedlab.filter.volumes.older_limits import AZURE_DISK, EBS, GCE_PD, INSTANCE_TYPE, DiskLimits
from kschedlab.filter.volumes.volume_binding import VOLUME_BINDING_1_20
from kschedlab.filter.volumes.volume_restrictions import CLAIM_TAKEN_BEFORE, VolumeRestrictions
from kschedlab.filter.volumes.volume_zone import VolumeZone
from kschedlab.generations.changes import column
from kschedlab.generations.generation import Generation
from kschedlab.score.image_locality import ImageLocality
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore
from kschedlab.score.node_resources import BalancedResourceAllocation, NodeResourcesFitScore
from kschedlab.score.priorities.node_prefer_avoid_pods import NodePreferAvoidPods
from kschedlab.score.priorities.selector_spread import SelectorSpread
from kschedlab.score.taint_toleration import TaintTolerationScore

_RESOURCES = NodeResourcesFit(
    "PodFitsResources",
    checks_requested_resources_only=False,
    too_small_is_unresolvable=False,
    leaves_devices_out=False,
    too_many_pods="Insufficient pods",
)
_HOST = NodeName("HostName", returns_node_names=False, reason=WRONG_HOSTNAME)
_SELECTOR = NodeAffinity("MatchNodeSelector", reason=NO_MATCH_1_16, returns_node_names=False)
_EBS = replace(EBS, machine_labels=INSTANCE_TYPE[:1])

V1_13 = Generation(
    name="v1.13",
    filters=(
        NodeUnschedulable("CheckNodeUnschedulable"),
        GeneralPredicates(filters=(_RESOURCES, _HOST, NodePorts("PodFitsHostPorts"), _SELECTOR)),
        VolumeRestrictions("NoDiskConflict", checks_read_write_once_pod=False, claim_taken=CLAIM_TAKEN_BEFORE),
        TaintToleration("PodToleratesNodeTaints", reason=NOT_TOLERATED),
        DiskLimits("MaxEBSVolumeCount", _EBS, counts_claims_of_any_class=True),
        DiskLimits("MaxGCEPDVolumeCount", GCE_PD, counts_claims_of_any_class=True),
        replace(CSI_LIMITS_1_20, name="MaxCSIVolumeCountPred", counts_unbound_claims=False, reads_csi_nodes=False),
        DiskLimits("MaxAzureDiskVolumeCount", AZURE_DISK, counts_claims_of_any_class=True),
        replace(
            VOLUME_BINDING_1_20,
            name="CheckVolumeBinding",
            checks_claims_in_pre_filter=False,
            claims_with_selected_node_wait=False,
        ),
        VolumeZone(
            "NoVolumeZoneConflict",
            finds_volumes_in_pre_filter=False,
            missing_volume_is_error=True,
            accepts_newer_node_labels=False,
            older_labels_only=True,
        ),
        InterPodAffinity(
            "MatchInterPodAffinity",
            common_reason=NO_AFFINITY_OR_ANTI_AFFINITY,
            skips_in_pre_filter=False,
            existing_anti_affinity_first=True,
            first_pod_needs_topology_keys=False,
            own_terms_see_nominated_pods=False,
            reprieved_pods_count_per_term=False,
        ),
    ),
    scores=(
        (BalancedResourceAllocation("BalancedResourceAllocation", highest=10), 1),
        (
            ImageLocality(
                "ImageLocalityPriority",
                counts_init_containers=False,
                counts_image_volumes=False,
                image_volumes_raise_limit=False,
                highest=10,
                limits_size_per_image=False,
            ),
            1,
        ),
        (
            InterPodAffinityScore(
                "InterPodAffinityPriority",
                skips_in_pre_score=False,
                range_includes_zero=True,
                highest=10,
                has_normalize_step=False,
            ),
            1,
        ),
        (NodeResourcesFitScore("LeastRequestedPriority", highest=10, ignores_absent_resources=False), 1),
        (NodeAffinityScore("NodeAffinityPriority", skips_in_pre_score=False, highest=10, reads_match_fields=False), 1),
        (NodePreferAvoidPods("NodePreferAvoidPodsPriority", highest=10), 10000),
        (SelectorSpread("SelectorSpreadPriority", highest=10, requires_all_selectors=False), 1),
        (TaintTolerationScore("TaintTolerationPriority", highest=10), 1),
    ),
    **column("v1.13"),
)
