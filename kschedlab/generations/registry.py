"""The plugins of older generations by name, including those that their default providers omit.

Predicates and priorities: v1.16: pkg/scheduler/algorithmprovider/defaults (register_predicates.go,
register_priorities.go) and algorithm/predicates/predicates.go (predicatesOrdering); v1.13:
algorithmprovider/defaults/defaults.go. Plugins: v1.20 to v1.30: pkg/scheduler/framework/plugins/registry.go: those that
the default table omits, except ServiceAffinity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from kschedlab.filter.inter_pod_affinity import NO_AFFINITY_OR_ANTI_AFFINITY, InterPodAffinity
from kschedlab.filter.node import WRONG_HOSTNAME, NodeName, NodeUnschedulable
from kschedlab.filter.node_affinity import NO_MATCH_1_16, NodeAffinity
from kschedlab.filter.node_ports import NodePorts
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.plugin import Filter
from kschedlab.filter.predicates.general import GeneralPredicates
from kschedlab.filter.predicates.node_conditions import (
    DISK_PRESSURE,
    MEMORY_PRESSURE,
    PID_PRESSURE,
    CheckNodeCondition,
    NodePressure,
)
from kschedlab.filter.predicates.node_label import NodeLabel
from kschedlab.filter.predicates.service_affinity import ServiceAffinity
from kschedlab.filter.taint_toleration import NOT_TOLERATED, TaintToleration
from kschedlab.filter.volumes.csi_limits import CSI_LIMITS_1_20
from kschedlab.filter.volumes.older_limits import AZURE_DISK, CINDER, EBS, GCE_PD, INSTANCE_TYPE, DiskLimits, StepsAside
from kschedlab.filter.volumes.volume_binding import NODE_CONFLICT_BEFORE, VOLUME_MISSING_BEFORE, VolumeBinding
from kschedlab.filter.volumes.volume_restrictions import CLAIM_TAKEN_BEFORE, VolumeRestrictions
from kschedlab.filter.volumes.volume_zone import VolumeZone
from kschedlab.score.image_locality import ImageLocality
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore
from kschedlab.score.node_resources import (
    BalancedResourceAllocation,
    NodeResourcesFitScore,
    RequestedToCapacityRatio,
    least_allocated,
    most_allocated,
    most_requested,
)
from kschedlab.score.plugin import Score
from kschedlab.score.priorities.node_label import NodeLabelScore
from kschedlab.score.priorities.node_prefer_avoid_pods import NodePreferAvoidPods
from kschedlab.score.priorities.resource_limits import EqualPriority, ResourceLimits
from kschedlab.score.priorities.selector_spread import SelectorSpread
from kschedlab.score.taint_toleration import TaintTolerationScore
from kschedlab.score.volume_binding import VolumeBindingScore

MAX_PRIORITY = 10
"""The highest score of v1.13 and v1.16."""

Predicates = Mapping[str, Callable[..., Filter]]
Priorities = Mapping[str, Callable[..., Score]]


@dataclass(frozen=True)
class Registry:
    """Plugin factories by name. Their arguments are the plugin's fields, e.g. the labels of NodeLabel.

    ``predicates``: in the order in which they run, regardless of the order of names in a configuration.
    """

    predicates: Predicates
    priorities: Priorities

    def filters(self, *names: str) -> tuple[Filter, ...]:
        """These predicates in the order in which they run. KeyError for an unknown name."""
        chosen = {name: self.predicates[name]() for name in names}
        return tuple(chosen[name] for name in self.predicates if name in chosen)

    def scores(self, **weights: int) -> tuple[tuple[Score, int], ...]:
        """These priorities with their weights. KeyError for an unknown name."""
        return tuple((self.priorities[name](), weight) for name, weight in weights.items())


_RESOURCES = partial(
    NodeResourcesFit,
    "PodFitsResources",
    checks_requested_resources_only=False,
    too_small_is_unresolvable=False,
    leaves_devices_out=False,
    too_many_pods="Insufficient pods",
)
_HOST = partial(NodeName, "HostName", returns_node_names=False, reason=WRONG_HOSTNAME)
_PORTS = partial(NodePorts, "PodFitsHostPorts")
_SELECTOR = partial(NodeAffinity, "MatchNodeSelector", reason=NO_MATCH_1_16, returns_node_names=False)

_CSI_LIMITS = partial(replace, CSI_LIMITS_1_20, name="MaxCSIVolumeCountPred")

_PREDICATES: Predicates = {
    "CheckNodeCondition": CheckNodeCondition,
    "CheckNodeUnschedulable": partial(NodeUnschedulable, "CheckNodeUnschedulable"),
    "GeneralPredicates": lambda: GeneralPredicates(filters=(_RESOURCES(), _HOST(), _PORTS(), _SELECTOR())),
    "HostName": _HOST,
    "PodFitsHostPorts": _PORTS,
    "MatchNodeSelector": _SELECTOR,
    "PodFitsResources": _RESOURCES,
    "NoDiskConflict": partial(
        VolumeRestrictions, "NoDiskConflict", checks_read_write_once_pod=False, claim_taken=CLAIM_TAKEN_BEFORE
    ),
    "PodToleratesNodeTaints": partial(TaintToleration, "PodToleratesNodeTaints", reason=NOT_TOLERATED),
    "CheckNodeLabelPresence": partial(NodeLabel, "CheckNodeLabelPresence"),
    "CheckServiceAffinity": ServiceAffinity,
    "MaxEBSVolumeCount": partial(DiskLimits, "MaxEBSVolumeCount", replace(EBS, machine_labels=INSTANCE_TYPE[:1])),
    "MaxGCEPDVolumeCount": partial(DiskLimits, "MaxGCEPDVolumeCount", GCE_PD),
    "MaxCSIVolumeCountPred": _CSI_LIMITS,
    "MaxAzureDiskVolumeCount": partial(DiskLimits, "MaxAzureDiskVolumeCount", AZURE_DISK),
    "MaxCinderVolumeCount": partial(DiskLimits, "MaxCinderVolumeCount", CINDER),
    "CheckVolumeBinding": partial(
        VolumeBinding,
        "CheckVolumeBinding",
        translates=(),
        checks_storage_capacity=False,
        rejects_lost_claims=False,
        explains_ephemeral_claims=False,
        checks_claims_in_pre_filter=False,
        conflict=NODE_CONFLICT_BEFORE,
        missing=VOLUME_MISSING_BEFORE,
    ),
    "NoVolumeZoneConflict": partial(
        VolumeZone,
        "NoVolumeZoneConflict",
        finds_volumes_in_pre_filter=False,
        missing_volume_is_error=True,
        accepts_newer_node_labels=False,
        older_labels_only=True,
    ),
    "CheckNodeMemoryPressure": partial(
        NodePressure, "CheckNodeMemoryPressure", "MemoryPressure", MEMORY_PRESSURE, best_effort_only=True
    ),
    "CheckNodePIDPressure": partial(NodePressure, "CheckNodePIDPressure", "PIDPressure", PID_PRESSURE),
    "CheckNodeDiskPressure": partial(NodePressure, "CheckNodeDiskPressure", "DiskPressure", DISK_PRESSURE),
    "MatchInterPodAffinity": partial(
        InterPodAffinity,
        "MatchInterPodAffinity",
        common_reason=NO_AFFINITY_OR_ANTI_AFFINITY,
        skips_in_pre_filter=False,
        existing_anti_affinity_first=True,
        first_pod_needs_topology_keys=False,
        own_terms_see_nominated_pods=False,
        reprieved_pods_count_per_term=False,
    ),
}

_REQUESTED = partial(NodeResourcesFitScore, highest=MAX_PRIORITY, ignores_absent_resources=False)
_SPREAD = partial(SelectorSpread, highest=MAX_PRIORITY)
_IDLE_FIRST = ((0, 10), (100, 0))

_PRIORITIES: Priorities = {
    "SelectorSpreadPriority": partial(_SPREAD, "SelectorSpreadPriority"),
    "InterPodAffinityPriority": partial(
        InterPodAffinityScore,
        "InterPodAffinityPriority",
        skips_in_pre_score=False,
        range_includes_zero=True,
        highest=MAX_PRIORITY,
        has_normalize_step=False,
    ),
    "LeastRequestedPriority": partial(_REQUESTED, "LeastRequestedPriority", least_allocated),
    "BalancedResourceAllocation": partial(
        BalancedResourceAllocation, "BalancedResourceAllocation", highest=MAX_PRIORITY
    ),
    "NodePreferAvoidPodsPriority": partial(NodePreferAvoidPods, "NodePreferAvoidPodsPriority", highest=MAX_PRIORITY),
    "NodeAffinityPriority": partial(
        NodeAffinityScore,
        "NodeAffinityPriority",
        skips_in_pre_score=False,
        highest=MAX_PRIORITY,
        reads_match_fields=False,
    ),
    "TaintTolerationPriority": partial(TaintTolerationScore, "TaintTolerationPriority", highest=MAX_PRIORITY),
    "ImageLocalityPriority": partial(
        ImageLocality,
        "ImageLocalityPriority",
        counts_init_containers=False,
        counts_image_volumes=False,
        image_volumes_raise_limit=False,
        highest=MAX_PRIORITY,
        limits_size_per_image=False,
    ),
    "MostRequestedPriority": partial(_REQUESTED, "MostRequestedPriority", most_requested),
    "RequestedToCapacityRatioPriority": partial(
        _REQUESTED,
        "RequestedToCapacityRatioPriority",
        RequestedToCapacityRatio(_IDLE_FIRST, rounds_utilization_up=True),
    ),
    "NodeLabelPriority": partial(NodeLabelScore, "NodeLabelPriority", highest=MAX_PRIORITY),
    # named after Services, but its selectors come from the shared priority metadata, which includes controllers
    "ServiceSpreadingPriority": partial(_SPREAD, "ServiceSpreadingPriority"),
    "EqualPriority": EqualPriority,
    "ResourceLimitsPriority": ResourceLimits,
}

REGISTRY_1_16 = Registry(_PREDICATES, _PRIORITIES)

_MAX_COUNTS = ("MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount")

REGISTRY_1_13 = Registry(
    {
        **{name: make for name, make in _PREDICATES.items() if name != "MaxCinderVolumeCount"},
        **{name: partial(_PREDICATES[name], counts_claims_of_any_class=True) for name in _MAX_COUNTS},
        "MaxCSIVolumeCountPred": partial(_CSI_LIMITS, counts_unbound_claims=False, reads_csi_nodes=False),
        "CheckVolumeBinding": partial(_PREDICATES["CheckVolumeBinding"], claims_with_selected_node_wait=False),
        "CheckNodeCondition": partial(CheckNodeCondition, checks_out_of_disk=True),
        "CheckNodeMemoryPressure": partial(_PREDICATES["CheckNodeMemoryPressure"], counts_init_containers=False),
    },
    {
        **_PRIORITIES,
        "SelectorSpreadPriority": partial(_PRIORITIES["SelectorSpreadPriority"], requires_all_selectors=False),
        "ServiceSpreadingPriority": partial(_PRIORITIES["ServiceSpreadingPriority"], requires_all_selectors=False),
        "RequestedToCapacityRatioPriority": partial(
            _REQUESTED,
            "RequestedToCapacityRatioPriority",
            RequestedToCapacityRatio(_IDLE_FIRST, rounds_utilization_up=True, ignores_zero_scores=False),
        ),
    },
)

REGISTRY_1_20 = Registry(
    {
        "NodeLabel": NodeLabel,
        "CinderLimits": partial(DiskLimits, "CinderLimits", CINDER),
    },
    {
        "NodeLabel": NodeLabelScore,
        "NodeResourcesMostAllocated": partial(
            NodeResourcesFitScore, "NodeResourcesMostAllocated", most_allocated, ignores_absent_resources=False
        ),
        "RequestedToCapacityRatio": partial(
            NodeResourcesFitScore,
            "RequestedToCapacityRatio",
            RequestedToCapacityRatio(rounds_utilization_up=True),
            ignores_absent_resources=False,
        ),
        "SelectorSpread": partial(SelectorSpread, yields_to_spread_constraints=True),
    },
)

_ALLOCATED = partial(NodeResourcesFitScore, adds_overhead=True)

REGISTRY_1_22 = Registry(
    {
        **REGISTRY_1_20.predicates,
        "CinderLimits": partial(DiskLimits, "CinderLimits", CINDER, steps_aside=StepsAside.WHERE_LISTED),
    },
    {
        "NodeLabel": partial(NodeLabelScore, panics_without_labels=False),
        "NodePreferAvoidPods": NodePreferAvoidPods,
        "NodeResourcesLeastAllocated": partial(_ALLOCATED, "NodeResourcesLeastAllocated"),
        "NodeResourcesMostAllocated": partial(_ALLOCATED, "NodeResourcesMostAllocated", most_allocated),
        "RequestedToCapacityRatio": partial(_ALLOCATED, "RequestedToCapacityRatio", RequestedToCapacityRatio()),
        "SelectorSpread": REGISTRY_1_20.priorities["SelectorSpread"],
        "VolumeBinding": partial(VolumeBindingScore, scores_capacity=False),
    },
)
"""Those that configurations of v1.22 may name."""

_CINDER = partial(DiskLimits, "CinderLimits", CINDER, checks_claims=True, steps_aside=StepsAside.WITH_CSI_NODE)

REGISTRY_1_24 = Registry({"CinderLimits": _CINDER}, {"SelectorSpread": REGISTRY_1_22.priorities["SelectorSpread"]})
"""v1.24 and v1.28: nodevolumelimits/utils.go, isCSIMigrationOn does not ask for Cinder's annotation."""

REGISTRY_1_30 = Registry({"CinderLimits": partial(_CINDER, missing_claim_is_error=False)}, {})
