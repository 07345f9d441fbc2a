"""Plugin arguments (``pluginConfig``): how they are validated, and what they change in a plugin.

v1.37: pkg/scheduler/apis/config/validation/validation_pluginargs.go, apis/config/v1/defaults.go and the constructors in
framework/plugins. Faults have v1.37's wording, for v1.20 too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from kschedlab.cluster.signatures import IntArray
from kschedlab.cluster.spread_constraints import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, SYSTEM_DEFAULTS
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.plugin import SchedulingError
from kschedlab.manifests.placement import check_node_term
from kschedlab.messages import later
from kschedlab.objects.meta import SECOND, Part
from kschedlab.objects.model import NodeSelectorTerm, PreferredSchedulingTerm
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import Fault, Faults, Path, shortened
from kschedlab.objects.requests import is_extended
from kschedlab.score.node_resources import (
    CPU_AND_MEMORY,
    RequestedToCapacityRatio,
    Resources,
    Strategy,
    least_allocated,
    most_allocated,
)
from kschedlab_configuration import fields
from kschedlab_configuration.durations import seconds_of
from kschedlab_configuration.faults import duplicate, forbidden, invalid, required, unsupported
from kschedlab_configuration.fields import ResourceSpec, ScoringStrategy, UtilizationShapePoint

HIGHEST_SCORE = 10
"""The highest score of a shape's point; it is scaled to the score range."""


@dataclass(frozen=True)
class NewValues:
    """New values for fields of a plugin's filter, of its score, and of the preemption rules."""

    filter: Mapping[str, Any] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    preemption: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ArgumentsSpec:
    """A plugin's arguments. ``struct``: their fields; ``check`` finds faults; ``change`` applies them to the plugin."""

    struct: type[Part]
    check: Callable[[Any, Path, Faults], None]
    change: Callable[[Any], NewValues]


# -- NodeResourcesFit, NodeResourcesBalancedAllocation and their predecessors

LEAST, MOST, RATIO = "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"
STRATEGIES: Mapping[str, Strategy] = {LEAST: least_allocated, MOST: most_allocated}


def ignored_resources(resources: Iterable[str], groups: Iterable[str] = ()) -> frozenset[str]:
    """The resources that NodeResourcesFit ignores. Only extended resources can be ignored by name."""
    return frozenset(resource for resource in resources if is_extended(resource)) | frozenset(groups)


def with_weights(resources: tuple[ResourceSpec, ...]) -> Resources:
    """The resources with their weights, by default 1; cpu and memory if there are no resources."""
    return tuple((resource.name, resource.weight or 1) for resource in resources) or CPU_AND_MEMORY


def shape_points(shape: tuple[UtilizationShapePoint, ...]) -> tuple[tuple[int, int], ...]:
    """(utilization, score) of each point of the shape."""
    return tuple((point.utilization, point.score) for point in shape)


def _strategy(strategy: ScoringStrategy) -> Strategy:
    if strategy.type == RATIO and strategy.requestedToCapacityRatio is not None:
        points = shape_points(strategy.requestedToCapacityRatio.shape)
        return RequestedToCapacityRatio(points) if points else without_points
    return STRATEGIES[strategy.type]


def without_points(requested: IntArray, capacity: IntArray, highest: int) -> IntArray:
    """SchedulingError where v1.22 panics because the shape is empty (helper/shape_score.go): at any capacity."""
    if capacity.any():
        raise SchedulingError("panic: runtime error: index out of range [-1]")
    return np.zeros_like(capacity)


def _change_old_fit(args: fields.OldNodeResourcesFitArgs) -> NewValues:
    return NewValues(filter={"ignored": ignored_resources(args.ignoredResources, args.ignoredResourceGroups)})


def _change_fit(args: fields.NodeResourcesFitArgs) -> NewValues:
    strategy = args.scoringStrategy
    score = {"strategy": _strategy(strategy), "resources": with_weights(strategy.resources)}
    return NewValues(filter=_change_old_fit(args).filter, score=score)


def _check_old_fit(args: fields.OldNodeResourcesFitArgs, path: Path, faults: Faults) -> None:
    for i, name in enumerate(args.ignoredResources):
        _check_key(name, (*path, "ignoredResources", i), faults)
    for i, group in enumerate(args.ignoredResourceGroups):
        group_path = (*path, "ignoredResourceGroups", i)
        if "/" in group:
            faults.append(invalid(group_path, group, "resource group name can't contain '/'"))
        _check_key(group, group_path, faults)


def _check_fit(
    args: fields.NodeResourcesFitArgs, path: Path, faults: Faults, shape_of_any: bool = False, empty_shape: bool = False
) -> None:
    """``shape_of_any``: a strategy that does not use the shape may have one. ``empty_shape``: it needs no point."""
    _check_old_fit(args, path, faults)
    strategy, strategy_path = args.scoringStrategy, (*path, "scoringStrategy")
    if strategy.type not in (LEAST, MOST, RATIO):
        faults.append(unsupported((*strategy_path, "type"), strategy.type, (LEAST, MOST, RATIO)))
    _check_weights(strategy.resources, (*strategy_path, "resources"), faults)
    ratio, ratio_path = strategy.requestedToCapacityRatio, (*strategy_path, "requestedToCapacityRatio")
    if ratio is None:
        if strategy.type == RATIO:
            faults.append(required(ratio_path, later("must be specified when type is {ratio}", ratio=RATIO)))
    elif strategy.type != RATIO and not shape_of_any:
        faults.append(forbidden(ratio_path, later("must be nil when type is not {ratio}", ratio=RATIO)))
    elif ratio.shape or not empty_shape:
        check_shape(ratio.shape, (*ratio_path, "shape"), faults)


def _check_key(key: str, path: Path, faults: Faults) -> None:
    if fault := label_key_fault(key):
        faults.append(Fault(path, later("Invalid value: {fault}", fault=fault)))


def _check_weights(resources: tuple[ResourceSpec, ...], path: Path, faults: Faults) -> None:
    for i, resource in enumerate(resources):
        if not 1 <= (resource.weight or 1) <= 100:
            why = later("resource weight of {name} not in valid range (0, 100]", name=resource.name)
            faults.append(invalid((*path, i, "weight"), resource.weight, why))


def check_shape(shape: tuple[UtilizationShapePoint, ...], path: Path, faults: Faults) -> None:
    """Check that a shape has points in increasing order, with utilization 0 to 100 and score 0 to 10."""
    if not shape:
        faults.append(required(path, "at least one point must be specified"))
    utilizations = [point.utilization for point in shape]
    for i in range(1, len(utilizations)):
        if utilizations[i - 1] >= utilizations[i]:
            why = later("values must be sorted in increasing order")
            faults.append(invalid((*path, i, "utilization"), utilizations[i], why))
            break
    for i, point in enumerate(shape):
        _check_range(point.utilization, 100, (*path, i, "utilization"), faults)
        _check_range(point.score, HIGHEST_SCORE, (*path, i, "score"), faults)


def _check_range(value: int, highest: int, path: Path, faults: Faults) -> None:
    if not 0 <= value <= highest:
        faults.append(invalid(path, value, later("not in valid range [0, {highest}]", highest=highest)))


def _check_balanced(args: fields.ResourcesArgs, path: Path, faults: Faults) -> None:
    for i, resource in enumerate(args.resources):
        resource_path = (*path, "resources", i)
        if resource.name in (earlier.name for earlier in args.resources[:i]):
            faults.append(duplicate((*resource_path, "name"), resource.name))
        if resource.weight not in (0, 1):
            faults.append(invalid((*resource_path, "weight"), resource.weight, "must be 1"))


def _check_resources(args: fields.ResourcesArgs, path: Path, faults: Faults) -> None:
    _check_weights(args.resources, (*path, "resources"), faults)
    for i, resource in enumerate(args.resources):
        if resource.weight == 0:
            weight_path = (*path, "resources", i, "weight")
            faults.append(
                invalid(
                    weight_path, 0, later("resource weight of {name} should be a positive value", name=resource.name)
                )
            )


def _check_ratio(args: fields.RequestedToCapacityRatioArgs, path: Path, faults: Faults, default: int = 0) -> None:
    check_shape(args.shape, (*path, "shape"), faults)
    for i, resource in enumerate(args.resources):
        if (resource.weight or default) < 1:
            why = later(
                "resource {name} weight {weight} must not be less than 1", name=resource.name, weight=resource.weight
            )
            faults.append(invalid((*path, "resources", i, "weight"), resource.weight, why))


def _change_resources(args: fields.ResourcesArgs) -> NewValues:
    return NewValues(score={"resources": with_weights(args.resources)})


def _change_ratio(args: fields.RequestedToCapacityRatioArgs, rounds_up: bool = True) -> NewValues:
    strategy = RequestedToCapacityRatio(shape_points(args.shape), rounds_utilization_up=rounds_up)
    return NewValues(score={"strategy": strategy, "resources": with_weights(args.resources)})


# -- NodeAffinity, NodeLabel


def _check_affinity(args: fields.NodeAffinityArgs, path: Path, faults: Faults) -> None:
    added, added_path = args.addedAffinity, (*path, "addedAffinity")
    if (selector := added.requiredDuringSchedulingIgnoredDuringExecution) is not None:
        for i, term in enumerate(selector.nodeSelectorTerms):
            term_path = (*added_path, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", i)
            check_node_term(term, term_path, faults, free_fields=True)
    for i, preferred in enumerate(added.preferredDuringSchedulingIgnoredDuringExecution):
        if preferred.weight:
            term_path = (*added_path, "preferredDuringSchedulingIgnoredDuringExecution", i, "preference")
            check_node_term(preferred.preference, term_path, faults, free_fields=True)


def _change_affinity(args: fields.NodeAffinityArgs) -> NewValues:
    """A preferred term of weight 0 is not read: it is replaced by an empty one."""
    added = args.addedAffinity
    preferred = tuple(
        term if term.weight else PreferredSchedulingTerm(0, NodeSelectorTerm())
        for term in added.preferredDuringSchedulingIgnoredDuringExecution
    )
    return NewValues({"added": added.requiredDuringSchedulingIgnoredDuringExecution}, {"added": preferred})


def _check_label(args: fields.NodeLabelArgs, path: Path, faults: Faults) -> None:
    for present, absent in (
        (args.presentLabels, args.absentLabels),
        (args.presentLabelsPreference, args.absentLabelsPreference),
    ):
        for label in absent:
            if label in present:
                faults.append(
                    Fault(
                        path,
                        later('"{label}" is in both the present and the absent label list', label=shortened(label)),
                    )
                )


def _change_label(args: fields.NodeLabelArgs) -> NewValues:
    preferred = {"present": args.presentLabelsPreference, "absent": args.absentLabelsPreference}
    return NewValues({"present": args.presentLabels, "absent": args.absentLabels}, preferred)


# -- PodTopologySpread, InterPodAffinity

ACTIONS = (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)
SYSTEM, LIST = "System", "List"


def _check_spread(args: fields.PodTopologySpreadArgs, path: Path, faults: Faults) -> None:
    type_path: Path = (*path, "defaultingType")
    if args.defaultingType not in ("", SYSTEM, LIST):
        faults.append(unsupported(type_path, args.defaultingType, (SYSTEM, LIST)))
    elif args.defaultingType != LIST and args.defaultConstraints:
        faults.append(invalid(type_path, SYSTEM, "when .defaultConstraints are not empty"))
    _check_constraints(args, path, faults)


def _check_old_spread(args: fields.PodTopologySpreadArgs, path: Path, faults: Faults) -> None:
    """In v1.20 the defaultingType is List unless it is set."""
    if not args.defaultingType:
        return _check_constraints(args, path, faults)
    return _check_spread(args, path, faults)


def _check_constraints(args: fields.PodTopologySpreadArgs, path: Path, faults: Faults) -> None:
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(args.defaultConstraints):
        constraint_path: Path = (*path, "defaultConstraints", i)
        key, action = constraint.topologyKey, constraint.whenUnsatisfiable
        if constraint.maxSkew <= 0:
            faults.append(invalid((*constraint_path, "maxSkew"), constraint.maxSkew, "not in valid range (0, inf)"))
        if not key:
            faults.append(required((*constraint_path, "topologyKey"), "can not be empty"))
        else:
            _check_key(key, (*constraint_path, "topologyKey"), faults)
        if not action:
            faults.append(required((*constraint_path, "whenUnsatisfiable"), "can not be empty"))
        elif action not in ACTIONS:
            faults.append(unsupported((*constraint_path, "whenUnsatisfiable"), action, ACTIONS))
        if constraint.labelSelector is not None:
            why = later("constraint must not define a selector, as they deduced for each pod")
            faults.append(forbidden((*constraint_path, "labelSelector"), why))
        if (key, action) in seen:
            faults.append(duplicate(constraint_path, f"{{{key}, {action}}}"))
        seen.add((key, action))


def _change_spread(args: fields.PodTopologySpreadArgs) -> NewValues:
    if args.defaultingType == LIST or args.defaultConstraints:
        defaults = {"defaults": args.defaultConstraints}
        return NewValues(defaults, {**defaults, "system_defaulted": False})
    return NewValues({"defaults": SYSTEM_DEFAULTS}, {"defaults": SYSTEM_DEFAULTS})


def _check_interpod(args: fields.OldInterPodAffinityArgs, path: Path, faults: Faults) -> None:
    _check_range(args.hardPodAffinityWeight, 100, (*path, "hardPodAffinityWeight"), faults)


def _change_interpod(args: fields.OldInterPodAffinityArgs) -> NewValues:
    score: dict[str, Any] = {"hard_pod_affinity_weight": args.hardPodAffinityWeight}
    if isinstance(args, fields.InterPodAffinityArgs):
        score["ignores_preferred_terms_of_existing_pods"] = args.ignorePreferredTermsOfExistingPods
    return NewValues(score=score)


# -- DefaultPreemption, VolumeBinding


def _check_preemption(args: fields.DefaultPreemptionArgs, path: Path, faults: Faults) -> None:
    percentage, absolute = args.minCandidateNodesPercentage, args.minCandidateNodesAbsolute
    names = ("minCandidateNodesPercentage", "minCandidateNodesAbsolute")
    _check_range(percentage, 100, (*path, names[0]), faults)
    if absolute < 0:
        faults.append(invalid((*path, names[1]), absolute, "not in valid range [0, inf)"))
    if percentage == absolute == 0:
        for name, other_name in (names, names[::-1]):
            faults.append(
                invalid(
                    (*path, name), 0, later("cannot be zero at the same time as {other_name}", other_name=other_name)
                )
            )


def _change_preemption(args: fields.DefaultPreemptionArgs) -> NewValues:
    percentage, absolute = args.minCandidateNodesPercentage, args.minCandidateNodesAbsolute
    return NewValues(preemption={"min_candidate_percentage": percentage, "min_candidates": absolute})


def _check_old_binding(args: fields.OldVolumeBindingArgs, path: Path, faults: Faults) -> None:
    if args.bindTimeoutSeconds < 0:
        why = later("invalid BindTimeoutSeconds, should not be a negative value")
        faults.append(invalid((*path, "bindTimeoutSeconds"), args.bindTimeoutSeconds, why))


def _check_binding(args: fields.VolumeBindingArgs, path: Path, faults: Faults) -> None:
    _check_old_binding(args, path, faults)
    if args.shape:
        check_shape(args.shape, (*path, "shape"), faults)


def _check_ungated_binding(args: fields.UngatedVolumeBindingArgs, path: Path, faults: Faults, gate: str) -> None:
    _check_old_binding(args, path, faults)
    if args.shape is not None:
        why = later("Invalid value: unexpected field `shape`, remove it or turn on the feature gate {gate}", gate=gate)
        faults.append(Fault((*path, "shape"), why))


def _change_binding(args: fields.VolumeBindingArgs) -> NewValues:
    return NewValues(score={"shape": RequestedToCapacityRatio(shape_points(args.shape))}) if args.shape else NewValues()


def _check_filter_timeout(args: fields.OldDynamicResourcesArgs, path: Path, faults: Faults) -> None:
    filter_path = (*path, "filterTimeout")
    if args.filterTimeout is not None and seconds_of(args.filterTimeout, filter_path, faults) < 0:
        faults.append(invalid(filter_path, args.filterTimeout, "must be zero or positive"))


def _check_devices(args: fields.DynamicResourcesArgs, path: Path, faults: Faults) -> None:
    _check_filter_timeout(args, path, faults)
    binding_path, unreadable = (*path, "bindingTimeout"), list[Fault]()
    if args.bindingTimeout is not None:
        short = seconds_of(args.bindingTimeout, binding_path, unreadable) < 1
        faults += unreadable or (
            [invalid(binding_path, args.bindingTimeout, "must be at least 1 second")] if short else []
        )


def _change_devices(args: fields.OldDynamicResourcesArgs) -> NewValues:
    texts = {"filter_timeout": args.filterTimeout}
    if isinstance(args, fields.DynamicResourcesArgs):
        texts["binding_timeout"] = args.bindingTimeout
    timeouts: dict[str, Any] = {
        name: int(seconds_of(text, (), []) * SECOND) for name, text in texts.items() if text is not None
    }
    return NewValues(filter=timeouts, score={"filter": replace(DynamicResources(), **timeouts)})


def _change_nothing(args: Part) -> NewValues:
    return NewValues()


def _accept_all(args: Part, path: Path, faults: Faults) -> None:
    return None


# -- by version

_COMMON = {
    "DefaultPreemption": ArgumentsSpec(fields.DefaultPreemptionArgs, _check_preemption, _change_preemption),
    "NodeAffinity": ArgumentsSpec(fields.NodeAffinityArgs, _check_affinity, _change_affinity),
}

V1_ARGUMENTS = {
    **_COMMON,
    "DynamicResources": ArgumentsSpec(fields.DynamicResourcesArgs, _check_devices, _change_devices),
    "InterPodAffinity": ArgumentsSpec(fields.InterPodAffinityArgs, _check_interpod, _change_interpod),
    "NodeResourcesBalancedAllocation": ArgumentsSpec(fields.ResourcesArgs, _check_balanced, _change_resources),
    "NodeResourcesFit": ArgumentsSpec(fields.NodeResourcesFitArgs, _check_fit, _change_fit),
    "PodTopologySpread": ArgumentsSpec(fields.PodTopologySpreadArgs, _check_spread, _change_spread),
    "VolumeBinding": ArgumentsSpec(fields.VolumeBindingArgs, _check_binding, _change_binding),
}

_CAPACITY = "StorageCapacityScoring"


def _without_gate(name: str) -> ArgumentsSpec:
    check = partial(_check_ungated_binding, gate=name)
    return ArgumentsSpec(fields.UngatedVolumeBindingArgs, check, _change_nothing)


V1_ARGUMENTS_36 = {**V1_ARGUMENTS, "VolumeBinding": _without_gate(_CAPACITY)}
"""Until v1.36, the gate that ``shape`` needs is off."""

V1_ARGUMENTS_TO_35 = {
    **V1_ARGUMENTS_36,
    "DynamicResources": ArgumentsSpec(fields.OldDynamicResourcesArgs, _check_filter_timeout, _change_devices),
    "NodeResourcesFit": ArgumentsSpec(fields.NodeResourcesFitArgs, partial(_check_fit, shape_of_any=True), _change_fit),
}
"""``bindingTimeout`` is unknown to v1.34, and needs the gate DRADeviceBindingConditions in v1.35, which is off."""

V1_ARGUMENTS_TO_32 = {
    **{name: spec for name, spec in V1_ARGUMENTS_TO_35.items() if name != "DynamicResources"},
    "VolumeBinding": _without_gate("VolumeCapacityPriority"),
}

V1BETA1_ARGUMENTS = {
    **_COMMON,
    "InterPodAffinity": ArgumentsSpec(fields.OldInterPodAffinityArgs, _check_interpod, _change_interpod),
    "NodeLabel": ArgumentsSpec(fields.NodeLabelArgs, _check_label, _change_label),
    "NodeResourcesFit": ArgumentsSpec(fields.OldNodeResourcesFitArgs, _check_old_fit, _change_old_fit),
    "NodeResourcesLeastAllocated": ArgumentsSpec(fields.ResourcesArgs, _check_resources, _change_resources),
    "NodeResourcesMostAllocated": ArgumentsSpec(fields.ResourcesArgs, _check_resources, _change_resources),
    "PodTopologySpread": ArgumentsSpec(fields.PodTopologySpreadArgs, _check_old_spread, _change_spread),
    "RequestedToCapacityRatio": ArgumentsSpec(fields.RequestedToCapacityRatioArgs, _check_ratio, _change_ratio),
    "ServiceAffinity": ArgumentsSpec(fields.ServiceAffinityArgs, _accept_all, _change_nothing),
    "VolumeBinding": ArgumentsSpec(fields.OldVolumeBindingArgs, _check_old_binding, _change_nothing),
}

V1BETA2_ARGUMENTS = {**V1_ARGUMENTS_TO_32, "InterPodAffinity": V1BETA1_ARGUMENTS["InterPodAffinity"]}
"""Of v1.24."""

V1BETA2_22_ARGUMENTS = {
    **V1BETA2_ARGUMENTS,
    "NodeResourcesFit": ArgumentsSpec(
        fields.NodeResourcesFitArgs, partial(_check_fit, shape_of_any=True, empty_shape=True), _change_fit
    ),
}

V1BETA1_22_ARGUMENTS = {
    **V1BETA1_ARGUMENTS,
    **V1BETA2_22_ARGUMENTS,
    "PodTopologySpread": V1BETA1_ARGUMENTS["PodTopologySpread"],
    "RequestedToCapacityRatio": ArgumentsSpec(
        fields.RequestedToCapacityRatioArgs, partial(_check_ratio, default=1), partial(_change_ratio, rounds_up=False)
    ),
}


def gated(arguments: Mapping[str, ArgumentsSpec], gates: Mapping[str, bool]) -> Mapping[str, ArgumentsSpec]:
    """The arguments with these feature gates of v1.37 (validation_pluginargs.go, ValidateVolumeBindingArgs)."""
    return arguments if gates.get(_CAPACITY, True) else {**arguments, "VolumeBinding": _without_gate(_CAPACITY)}
