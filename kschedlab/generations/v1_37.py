"""v1.37. Source: pkg/scheduler/apis/config/v1/default_plugins.go, with the features that are on by default."""

from __future__ import annotations

from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.inter_pod_affinity import InterPodAffinity
from kschedlab.filter.node import NodeName, NodeUnschedulable
from kschedlab.filter.node_affinity import NodeAffinity
from kschedlab.filter.node_declared_features import NodeDeclaredFeatures
from kschedlab.filter.node_ports import NodePorts
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.pod_topology_spread import PodTopologySpread
from kschedlab.filter.taint_toleration import TaintToleration
from kschedlab.filter.volumes.csi_limits import NodeVolumeLimits
from kschedlab.filter.volumes.volume_binding import VolumeBinding
from kschedlab.filter.volumes.volume_restrictions import VolumeRestrictions
from kschedlab.filter.volumes.volume_zone import VolumeZone
from kschedlab.generations.changes import column
from kschedlab.generations.generation import Generation
from kschedlab.score.dynamic_resources import DynamicResourcesScore
from kschedlab.score.image_locality import ImageLocality
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore
from kschedlab.score.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFitScore
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore
from kschedlab.score.taint_toleration import TaintTolerationScore
from kschedlab.score.volume_binding import VolumeBindingScore

V1_37 = Generation(
    name="v1.37",
    filters=(
        NodeName(),
        NodeUnschedulable(),
        TaintToleration(),
        NodeAffinity(),
        NodePorts(),
        NodeResourcesFit(),
        VolumeRestrictions(),
        NodeVolumeLimits(),
        VolumeBinding(),
        VolumeZone(),
        PodTopologySpread(),
        InterPodAffinity(),
        DynamicResources(),
        NodeDeclaredFeatures(),
    ),
    scores=(
        (TaintTolerationScore(), 3),
        (NodeAffinityScore(), 2),
        (NodeResourcesFitScore(), 1),
        (VolumeBindingScore(), 1),
        (PodTopologySpreadScore(), 2),
        (InterPodAffinityScore(), 2),
        (DynamicResourcesScore(), 2),
        (NodeResourcesBalancedAllocation(), 1),
        (ImageLocality(), 1),
    ),
    **column("v1.37"),
)
