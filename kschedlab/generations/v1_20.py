"""v1.20. Source: pkg/scheduler/algorithmprovider/registry.go, getDefaultConfig."""

from __future__ import annotations

from kschedlab.cluster.spread_constraints import ConstraintRules
from kschedlab.filter.inter_pod_affinity import NO_AFFINITY_OR_ANTI_AFFINITY, InterPodAffinity
from kschedlab.filter.node import WRONG_HOSTNAME, NodeName, NodeUnschedulable
from kschedlab.filter.node_affinity import NO_MATCH_1_20, NodeAffinity
from kschedlab.filter.node_ports import NodePorts
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.filter.taint_toleration import UNTOLERATED_BY_NAME, TaintToleration
from kschedlab.filter.volumes.csi_limits import CSI_LIMITS_1_20
from kschedlab.filter.volumes.older_limits import AZURE_DISK, EBS, GCE_PD, DiskLimits
from kschedlab.filter.volumes.volume_binding import VOLUME_BINDING_1_20
from kschedlab.filter.volumes.volume_restrictions import CLAIM_TAKEN_BEFORE, VolumeRestrictions
from kschedlab.filter.volumes.volume_zone import VolumeZone
from kschedlab.generations.changes import column
from kschedlab.generations.generation import Generation
from kschedlab.score.image_locality import ImageLocality
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore
from kschedlab.score.node_resources import BalancedResourceAllocation, NodeResourcesFitScore
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore
from kschedlab.score.priorities.node_prefer_avoid_pods import NodePreferAvoidPods
from kschedlab.score.taint_toleration import TaintTolerationScore

CONSTRAINTS_1_20 = ConstraintRules(empty_selector_counts_no_pods=False, defaults_follow_owner_reference=False)

V1_20 = Generation(
    name="v1.20",
    filters=(
        NodeUnschedulable(),
        NodeName(returns_node_names=False, reason=WRONG_HOSTNAME),
        TaintToleration(reason=UNTOLERATED_BY_NAME),
        NodeAffinity(reason=NO_MATCH_1_20, returns_node_names=False),
        NodePorts(),
        NodeResourcesFit(
            checks_requested_resources_only=False, too_small_is_unresolvable=False, leaves_devices_out=False
        ),
        VolumeRestrictions(checks_read_write_once_pod=False, claim_taken=CLAIM_TAKEN_BEFORE),
        DiskLimits("EBSLimits", EBS),
        DiskLimits("GCEPDLimits", GCE_PD),
        CSI_LIMITS_1_20,
        DiskLimits("AzureDiskLimits", AZURE_DISK),
        VOLUME_BINDING_1_20,
        VolumeZone(finds_volumes_in_pre_filter=False, accepts_newer_node_labels=False),
        PodTopologySpread(rules=CONSTRAINTS_1_20, counts_pods_on_eligible_nodes_only=False, panics_on_new_domain=True),
        InterPodAffinity(common_reason=NO_AFFINITY_OR_ANTI_AFFINITY, skips_in_pre_filter=False),
    ),
    scores=(
        (BalancedResourceAllocation(), 1),
        (ImageLocality(counts_init_containers=False, counts_image_volumes=False, image_volumes_raise_limit=False), 1),
        (InterPodAffinityScore(skips_in_pre_score=False, range_includes_zero=True), 1),
        (NodeResourcesFitScore("NodeResourcesLeastAllocated", ignores_absent_resources=False), 1),
        (NodeAffinityScore(skips_in_pre_score=False), 1),
        (NodePreferAvoidPods(), 10000),
        (PodTopologySpreadScore(rules=CONSTRAINTS_1_20, skips_in_pre_score=False, rounds_sum=False), 2),
        (TaintTolerationScore(), 1),
    ),
    **column("v1.20"),
)
