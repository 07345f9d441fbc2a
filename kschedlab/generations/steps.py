"""Most generations, each as what it changed in the filters and scores of the one before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kschedlab.cluster.spread_constraints import ConstraintRules
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.node import WRONG_NAME
from kschedlab.filter.node_affinity import NO_MATCH
from kschedlab.filter.node_declared_features import NodeDeclaredFeatures
from kschedlab.filter.plugin import Filter
from kschedlab.filter.taint_toleration import UNTOLERATED, UNTOLERATED_TAINT
from kschedlab.filter.volumes.csi_migration import CINDER, CLOUD_DISKS, PORTWORX, Migration
from kschedlab.filter.volumes.older_limits import StepsAside
from kschedlab.filter.volumes.volume_binding import NODE_CONFLICT, VOLUME_MISSING
from kschedlab.filter.volumes.volume_restrictions import CLAIM_TAKEN
from kschedlab.generations.changes import column
from kschedlab.score.dynamic_resources import DynamicResourcesScore
from kschedlab.score.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFitScore
from kschedlab.score.plugin import Score
from kschedlab.score.volume_binding import VolumeBindingScore

Settings = Mapping[str, Mapping[str, Any]]
"""By name of a plugin: fields and their new values."""
Plugins = tuple[tuple[Filter, ...], tuple[tuple[Score, int], ...]]
"""The filters, and the scores with their weights, of a generation."""


@dataclass(frozen=True)
class Step:
    """``filters``, ``scores``: what changed in plugins of the generation before.

    A new plugin takes the place of one of the same name, or comes last. ``weights``: of scores; a new one has 1.
    ``gone``: names of filters and scores that are no more; ``gone_scores``: of scores alone.
    """

    filters: Settings = field(default_factory=dict)
    new_filters: tuple[Filter, ...] = ()
    scores: Settings = field(default_factory=dict)
    new_scores: tuple[Score, ...] = ()
    weights: Mapping[str, int] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    gone_scores: tuple[str, ...] = ()


_ANY_CLASS = {"counts_claims_of_any_class": False}  # algorithm/predicates/predicates.go, filterVolumes
_CONSTRAINTS = ConstraintRules(empty_selector_counts_no_pods=False)  # helper/spread.go, DefaultSelector
# nodevolumelimits/non_csi.go, filterVolumes; utils.go, the gates CSIMigrationAWS, CSIMigrationGCE, ...
_WHERE_LISTED = {"checks_claims": True, "steps_aside": StepsAside.WHERE_LISTED}
_WITH_CSI_NODE = {"steps_aside": StepsAside.WITH_CSI_NODE}  # nodevolumelimits/utils.go, isCSIMigrationOn
_NO_ERROR = {"missing_claim_is_error": False}  # nodevolumelimits/csi.go, non_csi.go: Filter

STEPS: dict[str, Step] = {
    # pkg/scheduler/algorithmprovider/defaults/defaults.go, with the feature gate TaintNodesByCondition
    "v1.16": Step(
        filters={
            **dict.fromkeys(("MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount"), _ANY_CLASS),
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
    ),
    # pkg/scheduler/apis/config/v1beta2/default_plugins.go
    "v1.22": Step(
        filters={
            "NodeName": {"reason": WRONG_NAME},  # nodename/node_name.go, ErrReason
            "NodeAffinity": {"reason": NO_MATCH},  # nodeaffinity/node_affinity.go, ErrReasonPod
            "NodeVolumeLimits": {"migration": Migration((), where_listed=(CINDER,))},  # the gate CSIMigrationOpenStack
            "VolumeBinding": {
                "checks_storage_capacity": True,  # volumebinding, the gate CSIStorageCapacity
                "translates": (CINDER,),  # the gate CSIMigrationOpenStack
            },
            "PodTopologySpread": {
                "rules": _CONSTRAINTS,
                "panics_on_new_domain": False,  # podtopologyspread/filtering.go, updateWithPod
            },
            "InterPodAffinity": {"common_reason": ""},  # interpodaffinity/filtering.go, Filter
        },
        gone=("NodeResourcesLeastAllocated", "NodePreferAvoidPods"),
        scores={
            "InterPodAffinity": {"range_includes_zero": False},  # interpodaffinity/scoring.go, NormalizeScore
            "PodTopologySpread": {"rules": _CONSTRAINTS},
        },
        new_scores=(
            NodeResourcesFitScore(),  # noderesources/fit.go, with least_allocated.go
            NodeResourcesBalancedAllocation(  # noderesources/balanced_allocation.go, balancedResourceScorer
                measures_gain=False, skips_best_effort=False, counts_overhead_in_millis=False
            ),
        ),
    ),
    # pkg/scheduler/apis/config/v1beta3/default_plugins.go
    "v1.24": Step(
        filters={
            "TaintToleration": {"reason": UNTOLERATED_TAINT},  # tainttoleration/taint_toleration.go, Filter
            "NodeAffinity": {"returns_node_names": True},  # nodeaffinity/node_affinity.go, PreFilter
            **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits"), _WHERE_LISTED),
            "NodeVolumeLimits": {
                "checks_claims": True,  # nodevolumelimits/csi.go, filterAttachableVolumes
                "migration": Migration((CINDER,), where_listed=CLOUD_DISKS),  # the gates CSIMigrationAWS, ...
            },
            "VolumeBinding": {
                "translates": (*CLOUD_DISKS, CINDER),  # the gates CSIMigrationAWS, CSIMigrationGCE, ...
                "explains_ephemeral_claims": True,  # volumebinding/volume_binding.go, podHasPVCs
                "rejects_lost_claims": True,  # volumebinding/volume_binding.go, podHasPVCs
                "missing": VOLUME_MISSING,  # volumebinding/binder.go, ErrReasonPVNotExist
            },
            "PodTopologySpread": {"counts_pods_on_eligible_nodes_only": True},  # podtopologyspread/filtering.go
        },
        scores={"PodTopologySpread": {"rounds_sum": True}},  # podtopologyspread/scoring.go, Score
        new_scores=(VolumeBindingScore(scores_capacity=False),),
        weights={"TaintToleration": 3, "NodeAffinity": 2, "InterPodAffinity": 2},
    ),
    # pkg/scheduler/apis/config/v1/default_plugins.go
    "v1.28": Step(
        filters={
            "NodeResourcesFit": {"checks_requested_resources_only": True},  # noderesources/fit.go, fitsRequest
            "VolumeRestrictions": {"checks_read_write_once_pod": True},  # the gate ReadWriteOncePod
            **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits"), _WITH_CSI_NODE),
            "NodeVolumeLimits": {
                "counts_inline": True,  # nodevolumelimits/csi.go, filterAttachableVolumes
                "migration": Migration((*CLOUD_DISKS, CINDER)),  # nodevolumelimits/utils.go, isCSIMigrationOn
            },
            "VolumeBinding": {"names_local_nodes": True},  # volumebinding/binder.go, GetEligibleNodes
            "VolumeZone": {"finds_volumes_in_pre_filter": True},  # volumezone/volume_zone.go, PreFilter, getPVbyPod
            "PodTopologySpread": {"rules": ConstraintRules()},  # podtopologyspread/common.go, countPodsMatchSelector
            "InterPodAffinity": {"skips_in_pre_filter": True},  # interpodaffinity/filtering.go, PreFilter
        },
        scores={
            "NodeResourcesBalancedAllocation": {"counts_overhead_in_millis": True},  # resource_allocation.go
            "InterPodAffinity": {"skips_in_pre_score": True},  # interpodaffinity/scoring.go, PreScore
            "PodTopologySpread": {"rules": ConstraintRules(), "skips_in_pre_score": True},
        },
    ),
    # pkg/scheduler/apis/config/v1/default_plugins.go
    "v1.30": Step(
        filters={
            **dict.fromkeys(("EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits"), _NO_ERROR),
            "VolumeBinding": {"names_local_nodes": False},  # volumebinding/volume_binding.go, PreFilter
            "VolumeZone": {"accepts_newer_node_labels": True},  # volumezone/volume_zone.go, translateToGALabel
            "NodePorts": {"counts_sidecars": False},  # sidecars are new; schedutil.GetHostPorts does not know them
        },
        scores={
            "NodeAffinity": {"skips_in_pre_score": True},  # nodeaffinity/node_affinity.go, PreScore
            "ImageLocality": {"counts_init_containers": True},  # imagelocality/image_locality.go, sumImageScores
        },
        gone_scores=("VolumeBinding",),  # volumebinding/volume_binding.go, PreScore
    ),
    # pkg/scheduler/apis/config/v1/default_plugins.go
    "v1.32": Step(
        filters={
            "NodeVolumeLimits": {
                "counts_attachments": True,  # nodevolumelimits/csi.go, Filter
                "reads_allocatable": False,  # nodevolumelimits/csi.go, getVolumeLimits
                # the gate CSIMigrationPortworx
                "migration": Migration((*CLOUD_DISKS, CINDER), where_listed=(PORTWORX,)),
            },
        },
        gone=("EBSLimits", "GCEPDLimits", "AzureDiskLimits"),
    ),
    # pkg/scheduler/apis/config/v1/default_plugins.go
    "v1.34": Step(
        filters={
            "TaintToleration": {"reason": UNTOLERATED},  # tainttoleration/taint_toleration.go, Filter
            "NodePorts": {"counts_sidecars": True},  # util/utils.go, GetHostPorts
            "NodeResourcesFit": {"too_small_is_unresolvable": True},  # noderesources/fit.go, fitsRequest
            "VolumeRestrictions": {"claim_taken": CLAIM_TAKEN},  # volumerestrictions/volume_restrictions.go
            "VolumeBinding": {"conflict": NODE_CONFLICT},  # volumebinding/binder.go, ErrReasonNodeConflict
        },
        new_filters=(DynamicResources(),),  # the gate DynamicResourceAllocation
        scores={"NodeResourcesBalancedAllocation": {"skips_best_effort": True}},  # balanced_allocation.go, PreScore
    ),
    # pkg/scheduler/apis/config/v1/default_plugins.go
    "v1.35": Step(
        new_scores=(DynamicResourcesScore(),),  # dynamicresources/dynamicresources.go, Score
        weights={"DynamicResources": 2},
    ),
    # pkg/scheduler/apis/config/v1/default_plugins.go
    "v1.36": Step(
        filters={
            "NodeResourcesFit": {"leaves_devices_out": True},  # noderesources/fit.go, the gate DRAExtendedResource
            "NodeVolumeLimits": {"migration": Migration()},  # nodevolumelimits/utils.go, isCSIMigrationOn
        },
        new_filters=(NodeDeclaredFeatures(),),  # the gate NodeDeclaredFeatures
        scores={
            "ImageLocality": {"counts_image_volumes": True},  # imagelocality/image_locality.go, sumImageScores
            "NodeResourcesBalancedAllocation": {"measures_gain": True},  # balanced_allocation.go
        },
    ),
}


def stepped(name: str, before: Plugins) -> dict[str, Any]:
    """The fields of the generation of that name, with its column of :mod:`kschedlab.generations.changes`."""
    step, (filters_before, scores_before) = STEPS[name], before
    filters = _changed((each for each in filters_before if each.name not in step.gone), step.filters)
    pairs = [pair for pair in scores_before if pair[0].name not in (*step.gone, *step.gone_scores)]
    scores = _changed((score for score, _ in pairs), step.scores)
    weights = {**{score.name: weight for score, weight in pairs}, **step.weights}
    return {
        "filters": tuple((filters | {each.name: each for each in step.new_filters}).values()),
        "scores": tuple(
            (score, weights.get(score.name, 1))
            for score in (scores | {each.name: each for each in step.new_scores}).values()
        ),
        **column(name),
    }


def _changed(plugins: Iterable[Any], settings: Settings) -> dict[str, Any]:
    return {each.name: replace(each, **settings.get(each.name, {})) for each in plugins}
