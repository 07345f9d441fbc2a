"""Reads a Policy, which chooses the predicates and priorities of v1.13 and v1.16 by name.

v1.13: pkg/scheduler/factory/factory.go (CreateFromConfig), factory/plugins.go (RegisterCustomFitPredicate,
RegisterCustomPriorityFunction) and api/validation/validation.go; the same in v1.16.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from kschedlab.filter.general_predicates import GeneralPredicates
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.plugin import Filter
from kschedlab.generations import Generation
from kschedlab.messages import later
from kschedlab.objects.api import API_1_13
from kschedlab.objects.model import DEFAULT_SCHEDULER
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import Fault, Faults, Path, shortened
from kschedlab.objects.quantity import INT64_MAX
from kschedlab.objects.requests import is_extended
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_resources import NodeResourcesFitScore, RequestedToCapacityRatio
from kschedlab.score.plugin import Score
from kschedlab_configuration.arguments import check_shape, ignored_resources, shape_points, with_weights
from kschedlab_configuration.extender_settings import read_extenders
from kschedlab_configuration.faults import decoded
from kschedlab_configuration.older.node_label import NodeLabel, NodeLabelScore
from kschedlab_configuration.older.registry import MAX_PRIORITY, REGISTRY_1_13, REGISTRY_1_16, Registry
from kschedlab_configuration.older.service_affinity import ServiceAffinity
from kschedlab_configuration.older.service_anti_affinity import ServiceAntiAffinity
from kschedlab_configuration.policy.fields import Policy, PredicatePolicy, PriorityPolicy

MANDATORY = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
"""Predicates that every Policy runs."""
CONDITION = "CheckNodeCondition"
CONDITION_PREDICATES = (CONDITION, "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure")
"""Predicates that exist only while the feature gate TaintNodesByCondition is off.

The first is then the mandatory one, instead of ``MANDATORY``.
"""
NEED_ARGUMENT = frozenset({"CheckNodeLabelPresence", "CheckServiceAffinity", "NodeLabelPriority"})
"""Names that are valid only with an argument."""
NEVER_RUN = frozenset({"PodFitsPorts"})
"""Predicates that exist but are missing from the order, so that they never run."""
POLICY_ONLY_AFTER = {"PodToleratesNodeTaints": "PodToleratesNodeNoExecuteTaints"}
"""Names in the order that only a Policy can use for a predicate, by the name that precedes them."""
LIMITS = "ResourceLimitsPriority"
RATIO = "RequestedToCapacityRatioPriority"
MAX_WEIGHT = INT64_MAX // MAX_PRIORITY


class PolicyReader:
    """Reads one Policy. ``faults``: what the real scheduler refuses. ``warnings``: what is not modelled."""

    def __init__(self, base: Generation) -> None:
        self.base = base
        self.registry: Registry = REGISTRY_1_13 if base.api == API_1_13 else REGISTRY_1_16
        self.faults = Faults()
        self.warnings: list[Fault] = []
        names = ((name, POLICY_ONLY_AFTER.get(name, name)) for name in self.registry.predicates)
        self._order = tuple(dict.fromkeys(name for pair in names for name in pair))

    def read(self, data: dict[str, Any]) -> dict[str, Generation]:
        """The generation for the default scheduler; empty if there are faults."""
        unknown: list[Fault] = []
        policy = decoded(data, Policy, (), self.faults, unknown)
        self.warnings += [
            Fault(fault.path, later("{message}: it is ignored", message=fault.message)) for fault in unknown
        ]
        weight = policy.hardPodAffinitySymmetricWeight
        if not 0 <= weight <= 100:
            why = later("invalid hardPodAffinitySymmetricWeight: {weight}, must be in the range 1-100", weight=weight)
            self.faults.append(Fault(("hardPodAffinitySymmetricWeight",), why))
        self._check_extenders(policy)
        extenders = () if self.faults else read_extenders(policy.extenders, self.faults)
        ignored = [r.name for e in policy.extenders for r in e.managedResources if r.ignoredByScheduler]
        filters = self._predicates(policy.predicates, ignored_resources(ignored))
        scores = self._priorities(policy.priorities)
        if self.faults:
            return {}
        if policy.alwaysCheckAllPredicates:
            filters = (GeneralPredicates("AllPredicates", filters),)
        if weight:
            scores = tuple((_with_hard_pod_affinity(score, weight), w) for score, w in scores)
        name = f"{DEFAULT_SCHEDULER} ({self.base.name})"
        return {DEFAULT_SCHEDULER: replace(self.base, name=name, filters=filters, scores=scores, extenders=extenders)}

    def _check_extenders(self, policy: Policy) -> None:
        """v1.16: api/validation/validation.go, ValidatePolicy, validateExtendedResourceName."""
        seen: set[str] = set()
        for i, extender in enumerate(policy.extenders):
            path: Path = ("extenders", i)
            if extender.prioritizeVerb and extender.weight <= 0:
                why = later(
                    "Priority for extender {urlPrefix} should have a positive weight applied to it",
                    urlPrefix=extender.urlPrefix,
                )
                self.faults.append(Fault((*path, "weight"), why))
            for j, resource in enumerate(extender.managedResources):
                name_path: Path = (*path, "managedResources", j, "name")
                if fault := label_key_fault(resource.name):
                    self.faults.append(Fault(name_path, fault))
                elif not is_extended(resource.name):
                    self.faults.append(
                        Fault(name_path, later("{name} is an invalid extended resource name", name=resource.name))
                    )
                if resource.name in seen:
                    why = later("Duplicate extender managed resource name {name}", name=resource.name)
                    self.faults.append(Fault(name_path, why))
                seen.add(resource.name)
        if (binders := sum(bool(each.bindVerb or each.BindVerb) for each in policy.extenders)) > 1:
            why = later("Only one extender can implement bind, found {binders}", binders=binders)
            self.faults.append(Fault(("extenders",), why))

    # -- predicates

    def _predicates(self, policies: Iterable[PredicatePolicy] | None, ignored: frozenset[str]) -> tuple[Filter, ...]:
        """The predicates in the version's fixed order."""
        if policies is None:
            return tuple(_ignoring(f, ignored) for f in self.base.filters)
        by_name: dict[str, Filter | None] = {}
        for i, predicate in enumerate(policies):
            if predicate.argument is not None or predicate.name not in by_name:
                by_name[predicate.name] = self._predicate(predicate, ("predicates", i))
        gate_off = [name for name in CONDITION_PREDICATES if name in by_name]
        if gate_off:
            message = later(
                '"{name}" exists only while the feature gate TaintNodesByCondition is off, as is assumed here'
            )
            self.warnings += [Fault(("predicates",), later(message, name=shortened(name))) for name in gate_off]
        for name in (CONDITION,) if gate_off else MANDATORY:
            by_name.setdefault(name, self.registry.predicates[name])
        ordered = (by_name.get(name) for name in self._order)
        return tuple(_ignoring(f, ignored) for f in ordered if f is not None)

    def _predicate(self, predicate: PredicatePolicy, path: Path) -> Filter | None:
        name, argument = predicate.name, predicate.argument
        if argument is not None:
            if not self._one_argument(argument, "predicate", name, path):
                return None
            if name not in self._order:
                why = later('"{name}" is missing from the order of predicates, so it never runs', name=shortened(name))
                self.warnings.append(Fault((*path, "name"), why))
            if (presence := argument.labelsPresence) is not None:
                labels = {"present" if presence.presence else "absent": presence.labels}
                return NodeLabel(name, **labels)
            assert argument.serviceAffinity is not None
            return ServiceAffinity(name, argument.serviceAffinity.labels)
        if name in NEVER_RUN:
            why = later('"{name}" is missing from the order of predicates, so it never runs', name=shortened(name))
            self.warnings.append(Fault((*path, "name"), why))
        elif name not in self.registry.predicates or name in NEED_ARGUMENT:
            why = later("Invalid configuration: Predicate type not found for {name}", name=name)
            self.faults.append(Fault((*path, "name"), why))
        else:
            return self.registry.predicates[name]
        return None

    # -- priorities

    def _priorities(self, policies: Iterable[PriorityPolicy] | None) -> tuple[tuple[Score, int], ...]:
        """The priorities with their weights, sorted by name."""
        if policies is None:
            return self.base.scores
        by_name: dict[str, tuple[Score, int]] = {}
        for i, priority in enumerate(policies):
            path: Path = ("priorities", i)
            if not 0 < priority.weight < MAX_WEIGHT:
                why = later(
                    "Priority {name} should have a positive weight applied to it or it has overflown",
                    name=priority.name,
                )
                self.faults.append(Fault((*path, "weight"), why))
            earlier = by_name.get(priority.name) if priority.argument is None else None
            if (score := earlier[0] if earlier is not None else self._priority(priority, path)) is not None:
                by_name[priority.name] = (score, priority.weight)
        if sum(weight for _, weight in by_name.values()) > MAX_WEIGHT:
            self.faults.append(Fault(("priorities",), "Total priority of priority functions has overflown"))
        return tuple(by_name[name] for name in sorted(by_name))

    def _priority(self, priority: PriorityPolicy, path: Path) -> Score | None:
        name, argument = priority.name, priority.argument
        if argument is not None:
            return self._with_argument(priority, path)
        if name not in self.registry.priorities or name in NEED_ARGUMENT:
            why = later("Invalid configuration: Priority type not found for {name}", name=name)
            self.faults.append(Fault((*path, "name"), why))
            return None
        if name == LIMITS:
            message = later(
                '"{name}" exists only while the feature gate ResourceLimitsPriorityFunction is on, as is assumed here'
            )
            self.warnings.append(Fault((*path, "name"), later(message, name=shortened(name))))
        return self.registry.priorities[name]

    def _with_argument(self, priority: PriorityPolicy, path: Path) -> Score | None:
        name, argument = priority.name, priority.argument
        assert argument is not None
        if not self._one_argument(argument, "priority", name, path):
            return None
        if (preference := argument.labelPreference) is not None:
            label = (preference.label,)
            present, absent = (label, ()) if preference.presence else ((), label)
            return NodeLabelScore(name, present, absent, highest=MAX_PRIORITY)
        if (service := argument.serviceAntiAffinity) is not None:
            return ServiceAntiAffinity(name, service.label, highest=MAX_PRIORITY)
        ratio = argument.requestedToCapacityRatioArguments
        assert ratio is not None
        ratio_path = (*path, "argument", "requestedToCapacityRatioArguments")
        check_shape(ratio.shape, (*ratio_path, "shape"), self.faults)
        score = self.registry.priorities[RATIO]
        assert isinstance(score, NodeResourcesFitScore) and isinstance(score.strategy, RequestedToCapacityRatio)
        if ratio.resources and self.registry is REGISTRY_1_13:
            self.warnings.append(Fault((*ratio_path, "resources"), "is ignored by v1.13"))
            return replace(score, name=name, strategy=replace(score.strategy, shape=shape_points(ratio.shape)))
        strategy = replace(score.strategy, shape=shape_points(ratio.shape))
        return replace(score, name=name, strategy=strategy, resources=with_weights(ratio.resources))

    def _one_argument(self, argument: msgspec.Struct, kind: str, name: str, path: Path) -> bool:
        count = sum(value is not None for value in msgspec.structs.asdict(argument).values())
        if count != 1:
            why = later(
                "Exactly 1 {kind} argument is required, numArgs: {count}, {title}: {name}",
                kind=kind,
                count=count,
                title=kind.title(),
                name=name,
            )
            self.faults.append(Fault((*path, "argument"), why))
        return count == 1


def _ignoring(predicate: Filter, resources: frozenset[str]) -> Filter:
    """The predicate, ignoring these resources."""
    if isinstance(predicate, GeneralPredicates):
        return replace(predicate, filters=tuple(_ignoring(part, resources) for part in predicate.filters))
    return replace(predicate, ignored=resources) if isinstance(predicate, NodeResourcesFit) else predicate


def _with_hard_pod_affinity(score: Score, weight: int) -> Score:
    return replace(score, hard_pod_affinity_weight=weight) if isinstance(score, InterPodAffinityScore) else score
