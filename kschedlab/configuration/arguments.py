"""Arguments of plugins (``pluginConfig``): what may stand in them, and what they change about a plugin.

v1.37: pkg/scheduler/apis/config/validation/validation_pluginargs.go, apis/config/v1/defaults.go and the constructors in
framework/plugins. Faults are told as v1.37 tells them, for v1.20 too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kschedlab.cluster.spread_constraints import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, SYSTEM_DEFAULTS
from kschedlab.configuration import fields
from kschedlab.configuration.faults import duplicate, forbidden, invalid, required, unsupported
from kschedlab.configuration.fields import ResourceSpec, ScoringStrategy, UtilizationShapePoint
from kschedlab.manifests.pod_validation import check_node_term
from kschedlab.objects.meta import Part
from kschedlab.objects.model import NodeSelectorTerm, PreferredSchedulingTerm
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab.objects.requests import is_extended
from kschedlab.score.node_resources import (
    CPU_AND_MEMORY,
    RequestedToCapacityRatio,
    Resources,
    Strategy,
    least_allocated,
    most_allocated,
)

Faults = list[Fault]
HIGHEST_SCORE = 10
"""Of a corner of a shape; it is scaled to the score range."""


@dataclass(frozen=True)
class Change:
    """New values for fields of a plugin: of its filter, of its score, of the preemption."""

    filter: Mapping[str, Any] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    preemption: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Arguments:
    """A plugin's arguments. ``struct``: their fields; ``check``: finds what is wrong; ``change``: what they change."""

    struct: type[Part]
    check: Callable[[Any, Path, Faults], None]
    change: Callable[[Any], Change]


# -- NodeResourcesFit, NodeResourcesBalancedAllocation and their forerunners

LEAST, MOST, RATIO = "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"
STRATEGIES: Mapping[str, Strategy] = {LEAST: least_allocated, MOST: most_allocated}


def ignored_by(resources: Iterable[str], groups: Iterable[str] = ()) -> frozenset[str]:
    """What NodeResourcesFit ignores: only extended resources can be ignored by name."""
    return frozenset(resource for resource in resources if is_extended(resource)) | frozenset(groups)


def weighed(resources: tuple[ResourceSpec, ...]) -> Resources:
    """Resources with weights: 1 where none is given; cpu and memory if nothing is."""
    return tuple((resource.name, resource.weight or 1) for resource in resources) or CPU_AND_MEMORY


def corners(shape: tuple[UtilizationShapePoint, ...]) -> tuple[tuple[int, int], ...]:
    """The corners of a shape."""
    return tuple((point.utilization, point.score) for point in shape)


def _strategy(given: ScoringStrategy) -> Strategy:
    if given.type == RATIO and given.requestedToCapacityRatio is not None:
        return RequestedToCapacityRatio(corners(given.requestedToCapacityRatio.shape))
    return STRATEGIES[given.type]


def _change_old_fit(args: fields.OldNodeResourcesFitArgs) -> Change:
    return Change(filter={"ignored": ignored_by(args.ignoredResources, args.ignoredResourceGroups)})


def _change_fit(args: fields.NodeResourcesFitArgs) -> Change:
    strategy = args.scoringStrategy
    score = {"strategy": _strategy(strategy), "resources": weighed(strategy.resources)}
    return Change(filter=_change_old_fit(args).filter, score=score)


def _check_old_fit(args: fields.OldNodeResourcesFitArgs, path: Path, faults: Faults) -> None:
    for i, name in enumerate(args.ignoredResources):
        _check_key(name, (*path, "ignoredResources", i), faults)
    for i, group in enumerate(args.ignoredResourceGroups):
        here = (*path, "ignoredResourceGroups", i)
        if "/" in group:
            faults.append(invalid(here, group, "resource group name can't contain '/'"))
        _check_key(group, here, faults)


def _check_fit(args: fields.NodeResourcesFitArgs, path: Path, faults: Faults) -> None:
    _check_old_fit(args, path, faults)
    strategy, here = args.scoringStrategy, (*path, "scoringStrategy")
    if strategy.type not in (LEAST, MOST, RATIO):
        faults.append(unsupported((*here, "type"), strategy.type, (LEAST, MOST, RATIO)))
    _check_weights(strategy.resources, (*here, "resources"), faults)
    ratio, here = strategy.requestedToCapacityRatio, (*here, "requestedToCapacityRatio")
    if strategy.type != RATIO:
        if ratio is not None:
            faults.append(forbidden(here, f"must be nil when type is not {RATIO}"))
    elif ratio is None:
        faults.append(required(here, f"must be specified when type is {RATIO}"))
    else:
        check_shape(ratio.shape, (*here, "shape"), faults)


def _check_key(key: str, path: Path, faults: Faults) -> None:
    if fault := label_key_fault(key):
        faults.append(Fault(path, f"Invalid value: {fault}"))


def _check_weights(resources: tuple[ResourceSpec, ...], path: Path, faults: Faults) -> None:
    for i, resource in enumerate(resources):
        if not 1 <= (resource.weight or 1) <= 100:
            why = f"resource weight of {resource.name} not in valid range (0, 100]"
            faults.append(invalid((*path, i, "weight"), resource.weight, why))


def check_shape(shape: tuple[UtilizationShapePoint, ...], path: Path, faults: Faults) -> None:
    """A shape needs corners from left to right, from 0 to 100 and from 0 to 10."""
    if not shape:
        faults.append(required(path, "at least one point must be specified"))
    at = [point.utilization for point in shape]
    if unsorted := [i for i in range(1, len(at)) if at[i - 1] >= at[i]]:
        here = (*path, unsorted[0], "utilization")
        faults.append(invalid(here, at[unsorted[0]], "values must be sorted in increasing order"))
    for i, point in enumerate(shape):
        _check_range(point.utilization, 100, (*path, i, "utilization"), faults)
        _check_range(point.score, HIGHEST_SCORE, (*path, i, "score"), faults)


def _check_range(value: int, highest: int, path: Path, faults: Faults) -> None:
    if not 0 <= value <= highest:
        faults.append(invalid(path, value, f"not in valid range [0, {highest}]"))


def _check_balanced(args: fields.ResourcesArgs, path: Path, faults: Faults) -> None:
    for i, resource in enumerate(args.resources):
        here = (*path, "resources", i)
        if resource.name in (other.name for other in args.resources[:i]):
            faults.append(duplicate((*here, "name"), resource.name))
        if resource.weight not in (0, 1):
            faults.append(invalid((*here, "weight"), resource.weight, "must be 1"))


def _check_resources(args: fields.ResourcesArgs, path: Path, faults: Faults) -> None:
    _check_weights(args.resources, (*path, "resources"), faults)
    for i, resource in enumerate(args.resources):
        if resource.weight == 0:
            here = (*path, "resources", i, "weight")
            faults.append(invalid(here, 0, f"resource weight of {resource.name} should be a positive value"))


def _check_ratio(args: fields.RequestedToCapacityRatioArgs, path: Path, faults: Faults) -> None:
    check_shape(args.shape, (*path, "shape"), faults)
    for i, resource in enumerate(args.resources):
        if resource.weight < 1:
            why = f"resource {resource.name} weight {resource.weight} must not be less than 1"
            faults.append(invalid((*path, "resources", i, "weight"), resource.weight, why))


def _change_resources(args: fields.ResourcesArgs) -> Change:
    return Change(score={"resources": weighed(args.resources)})


def _change_ratio(args: fields.RequestedToCapacityRatioArgs) -> Change:
    strategy = RequestedToCapacityRatio(corners(args.shape), rounds_utilization_up=True)
    return Change(score={"strategy": strategy, "resources": weighed(args.resources)})


# -- NodeAffinity, NodeLabel


def _check_affinity(args: fields.NodeAffinityArgs, path: Path, faults: Faults) -> None:
    added, here = args.addedAffinity, (*path, "addedAffinity")
    if (selector := added.requiredDuringSchedulingIgnoredDuringExecution) is not None:
        for i, term in enumerate(selector.nodeSelectorTerms):
            where = (*here, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", i)
            check_node_term(term, where, faults)
    for i, preferred in enumerate(added.preferredDuringSchedulingIgnoredDuringExecution):
        if preferred.weight:
            where = (*here, "preferredDuringSchedulingIgnoredDuringExecution", i, "preference")
            check_node_term(preferred.preference, where, faults)


def _change_affinity(args: fields.NodeAffinityArgs) -> Change:
    """Terms of weight 0 are not even read."""
    added = args.addedAffinity
    preferred = tuple(
        term if term.weight else PreferredSchedulingTerm(0, NodeSelectorTerm())
        for term in added.preferredDuringSchedulingIgnoredDuringExecution
    )
    return Change({"added": added.requiredDuringSchedulingIgnoredDuringExecution}, {"added": preferred})


def _check_label(args: fields.NodeLabelArgs, path: Path, faults: Faults) -> None:
    for wanted, unwanted in (
        (args.presentLabels, args.absentLabels),
        (args.presentLabelsPreference, args.absentLabelsPreference),
    ):
        for label in unwanted:
            if label in wanted:
                faults.append(Fault(path, f"{quoted(label)} is in both the present and the absent label list"))


def _change_label(args: fields.NodeLabelArgs) -> Change:
    preferred = {"present": args.presentLabelsPreference, "absent": args.absentLabelsPreference}
    return Change({"present": args.presentLabels, "absent": args.absentLabels}, preferred)


# -- PodTopologySpread, InterPodAffinity

ACTIONS = (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)
SYSTEM, LIST = "System", "List"


def _check_spread(args: fields.PodTopologySpreadArgs, path: Path, faults: Faults) -> None:
    here: Path = (*path, "defaultingType")
    if args.defaultingType not in ("", SYSTEM, LIST):
        faults.append(unsupported(here, args.defaultingType, (SYSTEM, LIST)))
    elif args.defaultingType != LIST and args.defaultConstraints:
        faults.append(invalid(here, SYSTEM, "when .defaultConstraints are not empty"))
    _check_constraints(args, path, faults)


def _check_old_spread(args: fields.PodTopologySpreadArgs, path: Path, faults: Faults) -> None:
    """In v1.20 constraints are a List unless something else is said."""
    if not args.defaultingType:
        return _check_constraints(args, path, faults)
    return _check_spread(args, path, faults)


def _check_constraints(args: fields.PodTopologySpreadArgs, path: Path, faults: Faults) -> None:
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(args.defaultConstraints):
        here: Path = (*path, "defaultConstraints", i)
        key, action = constraint.topologyKey, constraint.whenUnsatisfiable
        if constraint.maxSkew <= 0:
            faults.append(invalid((*here, "maxSkew"), constraint.maxSkew, "not in valid range (0, inf)"))
        if not key:
            faults.append(required((*here, "topologyKey"), "can not be empty"))
        else:
            _check_key(key, (*here, "topologyKey"), faults)
        if not action:
            faults.append(required((*here, "whenUnsatisfiable"), "can not be empty"))
        elif action not in ACTIONS:
            faults.append(unsupported((*here, "whenUnsatisfiable"), action, ACTIONS))
        if constraint.labelSelector is not None:
            why = "constraint must not define a selector, as they deduced for each pod"
            faults.append(forbidden((*here, "labelSelector"), why))
        if (key, action) in seen:
            faults.append(duplicate(here, f"{{{key}, {action}}}"))
        seen.add((key, action))


def _change_spread(args: fields.PodTopologySpreadArgs) -> Change:
    if args.defaultingType == LIST or args.defaultConstraints:
        own = {"defaults": args.defaultConstraints}
        return Change(own, {**own, "system_defaulted": False})
    return Change({"defaults": SYSTEM_DEFAULTS}, {"defaults": SYSTEM_DEFAULTS})


def _check_interpod(args: fields.OldInterPodAffinityArgs, path: Path, faults: Faults) -> None:
    _check_range(args.hardPodAffinityWeight, 100, (*path, "hardPodAffinityWeight"), faults)


def _change_interpod(args: fields.OldInterPodAffinityArgs) -> Change:
    score: dict[str, Any] = {"hard_pod_affinity_weight": args.hardPodAffinityWeight}
    if isinstance(args, fields.InterPodAffinityArgs):
        score["others_count_always"] = not args.ignorePreferredTermsOfExistingPods
    return Change(score=score)


# -- DefaultPreemption, VolumeBinding


def _check_preemption(args: fields.DefaultPreemptionArgs, path: Path, faults: Faults) -> None:
    percentage, absolute = args.minCandidateNodesPercentage, args.minCandidateNodesAbsolute
    names = ("minCandidateNodesPercentage", "minCandidateNodesAbsolute")
    _check_range(percentage, 100, (*path, names[0]), faults)
    if absolute < 0:
        faults.append(invalid((*path, names[1]), absolute, "not in valid range [0, inf)"))
    if percentage == absolute == 0:
        for name, other in (names, names[::-1]):
            faults.append(invalid((*path, name), 0, f"cannot be zero at the same time as {other}"))


def _change_preemption(args: fields.DefaultPreemptionArgs) -> Change:
    percentage, absolute = args.minCandidateNodesPercentage, args.minCandidateNodesAbsolute
    return Change(preemption={"min_candidate_percentage": percentage, "min_candidates": absolute})


def _check_old_binding(args: fields.OldVolumeBindingArgs, path: Path, faults: Faults) -> None:
    if args.bindTimeoutSeconds < 0:
        why = "invalid BindTimeoutSeconds, should not be a negative value"
        faults.append(invalid((*path, "bindTimeoutSeconds"), args.bindTimeoutSeconds, why))


def _check_binding(args: fields.VolumeBindingArgs, path: Path, faults: Faults) -> None:
    _check_old_binding(args, path, faults)
    if args.shape:
        check_shape(args.shape, (*path, "shape"), faults)


def _change_binding(args: fields.VolumeBindingArgs) -> Change:
    return Change(score={"shape": RequestedToCapacityRatio(corners(args.shape))}) if args.shape else Change()


def _nothing(args: Part) -> Change:
    return Change()


def _anything(args: Part, path: Path, faults: Faults) -> None:
    return None


# -- by version

_BOTH = {
    "DefaultPreemption": Arguments(fields.DefaultPreemptionArgs, _check_preemption, _change_preemption),
    "NodeAffinity": Arguments(fields.NodeAffinityArgs, _check_affinity, _change_affinity),
}

V1_ARGUMENTS = {
    **_BOTH,
    "DynamicResources": Arguments(fields.DynamicResourcesArgs, _anything, _nothing),
    "InterPodAffinity": Arguments(fields.InterPodAffinityArgs, _check_interpod, _change_interpod),
    "NodeResourcesBalancedAllocation": Arguments(fields.ResourcesArgs, _check_balanced, _change_resources),
    "NodeResourcesFit": Arguments(fields.NodeResourcesFitArgs, _check_fit, _change_fit),
    "PodTopologySpread": Arguments(fields.PodTopologySpreadArgs, _check_spread, _change_spread),
    "VolumeBinding": Arguments(fields.VolumeBindingArgs, _check_binding, _change_binding),
}

V1BETA1_ARGUMENTS = {
    **_BOTH,
    "InterPodAffinity": Arguments(fields.OldInterPodAffinityArgs, _check_interpod, _change_interpod),
    "NodeLabel": Arguments(fields.NodeLabelArgs, _check_label, _change_label),
    "NodeResourcesFit": Arguments(fields.OldNodeResourcesFitArgs, _check_old_fit, _change_old_fit),
    "NodeResourcesLeastAllocated": Arguments(fields.ResourcesArgs, _check_resources, _change_resources),
    "NodeResourcesMostAllocated": Arguments(fields.ResourcesArgs, _check_resources, _change_resources),
    "PodTopologySpread": Arguments(fields.PodTopologySpreadArgs, _check_old_spread, _change_spread),
    "RequestedToCapacityRatio": Arguments(fields.RequestedToCapacityRatioArgs, _check_ratio, _change_ratio),
    "ServiceAffinity": Arguments(fields.ServiceAffinityArgs, _anything, _nothing),
    "VolumeBinding": Arguments(fields.OldVolumeBindingArgs, _check_old_binding, _nothing),
}
