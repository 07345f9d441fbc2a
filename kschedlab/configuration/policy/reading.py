"""A Policy: the predicates and priorities of v1.13 and v1.16, chosen by their names.

v1.13: pkg/scheduler/factory/factory.go (CreateFromConfig), factory/plugins.go (RegisterCustomFitPredicate,
RegisterCustomPriorityFunction) and api/validation/validation.go; the same in v1.16.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from kschedlab.configuration.arguments import check_shape, corners, ignored_by, weighed
from kschedlab.configuration.faults import decoded
from kschedlab.configuration.policy.fields import Policy, PredicatePolicy, PriorityPolicy
from kschedlab.filter.node_resources import NodeResourcesFit
from kschedlab.filter.plugin import Filter
from kschedlab.filter.predicates.general import GeneralPredicates
from kschedlab.filter.predicates.node_label import NodeLabel
from kschedlab.filter.predicates.service_affinity import ServiceAffinity
from kschedlab.generations import Generation
from kschedlab.generations.registry import MAX_PRIORITY, REGISTRY_1_13, REGISTRY_1_16, Registry
from kschedlab.objects.api import API_1_13
from kschedlab.objects.model import DEFAULT_SCHEDULER
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab.objects.quantity import INT64_MAX
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from kschedlab.score.node_resources import NodeResourcesFitScore, RequestedToCapacityRatio
from kschedlab.score.plugin import Score
from kschedlab.score.priorities.node_label import NodeLabelScore
from kschedlab.score.priorities.service_anti_affinity import ServiceAntiAffinity

MANDATORY = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
"""Predicates that run whatever the Policy says."""
CONDITION = "CheckNodeCondition"
BY_CONDITION = (CONDITION, "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure")
"""Predicates that exist while the feature gate TaintNodesByCondition is off; the first is then mandatory instead."""
WITH_ARGUMENT_ONLY = frozenset({"CheckNodeLabelPresence", "CheckServiceAffinity", "NodeLabelPriority"})
"""Names that mean nothing unless an argument says what to do."""
OUT_OF_ORDER = frozenset({"PodFitsPorts"})
"""Predicates that exist, but have no place in the order."""
FOLLOWS = {"PodToleratesNodeTaints": "PodToleratesNodeNoExecuteTaints"}
"""Names in the order under which only a Policy can put a predicate, by the name before them."""
LIMITS = "ResourceLimitsPriority"
RATIO = "RequestedToCapacityRatioPriority"
MAX_WEIGHT = INT64_MAX // MAX_PRIORITY


class PolicyReading:
    """One Policy, as it is read. ``faults``: what the real scheduler refuses; ``notes``: what is not modelled."""

    def __init__(self, base: Generation) -> None:
        self.base = base
        self.registry: Registry = REGISTRY_1_13 if base.api == API_1_13 else REGISTRY_1_16
        self.faults: list[Fault] = []
        self.notes: list[Fault] = []
        names = ((name, FOLLOWS.get(name, name)) for name in self.registry.predicates)
        self._order = tuple(dict.fromkeys(name for pair in names for name in pair))

    def read(self, data: dict[str, Any]) -> dict[str, Generation]:
        """The one generation; nothing if there are faults."""
        strange: list[Fault] = []
        policy = decoded(data, Policy, (), self.faults, strange)
        self.notes += [Fault(fault.path, f"{fault.message}: it means nothing") for fault in strange]
        weight = policy.hardPodAffinitySymmetricWeight
        if not 0 <= weight <= 100:
            why = f"invalid hardPodAffinitySymmetricWeight: {weight}, must be in the range 1-100"
            self.faults.append(Fault(("hardPodAffinitySymmetricWeight",), why))
        if policy.extenders:
            why = "are not modelled: what they would say is left out of decisions"
            self.notes.append(Fault(("extenders",), why))
        delegated = [r.name for e in policy.extenders for r in e.managedResources if r.ignoredByScheduler]
        filters = self._predicates(policy.predicates, ignored_by(delegated))
        scores = self._priorities(policy.priorities)
        if self.faults:
            return {}
        if policy.alwaysCheckAllPredicates:
            filters = (GeneralPredicates("AllPredicates", filters),)
        if weight:
            scores = tuple((_pulled(score, weight), w) for score, w in scores)
        name = f"{DEFAULT_SCHEDULER} ({self.base.name})"
        return {DEFAULT_SCHEDULER: replace(self.base, name=name, filters=filters, scores=scores)}

    # -- predicates

    def _predicates(self, given: Iterable[PredicatePolicy] | None, ignored: frozenset[str]) -> tuple[Filter, ...]:
        """In the order in which the version asks them, which is fixed."""
        if given is None:
            return tuple(_ignoring(f, ignored) for f in self.base.filters)
        found: dict[str, Filter | None] = {}
        for i, predicate in enumerate(given):
            if predicate.argument is not None or predicate.name not in found:
                found[predicate.name] = self._predicate(predicate, ("predicates", i))
        gate_off = [name for name in BY_CONDITION if name in found]
        if gate_off:
            why = "is refused unless the feature gate TaintNodesByCondition is off: it is taken to be off"
            self.notes += [Fault(("predicates",), f"{quoted(name)} {why}") for name in gate_off]
        for name in (CONDITION,) if gate_off else MANDATORY:
            found.setdefault(name, self.registry.predicates[name]())
        ordered = (found.get(name) for name in self._order)
        return tuple(_ignoring(f, ignored) for f in ordered if f is not None)

    def _predicate(self, predicate: PredicatePolicy, path: Path) -> Filter | None:
        name, argument = predicate.name, predicate.argument
        if argument is not None:
            if not self._one_argument(argument, "predicate", name, path):
                return None
            if name not in self._order:
                why = f"{quoted(name)} has no place in the order of predicates, so it is never asked"
                self.notes.append(Fault((*path, "name"), why))
            if (wanted := argument.labelsPresence) is not None:
                labels = {"present" if wanted.presence else "absent": wanted.labels}
                return NodeLabel(name, **labels)
            assert argument.serviceAffinity is not None
            return ServiceAffinity(name, argument.serviceAffinity.labels)
        if name in OUT_OF_ORDER:
            why = f"{quoted(name)} has no place in the order of predicates, so it is never asked"
            self.notes.append(Fault((*path, "name"), why))
        elif name not in self.registry.predicates or name in WITH_ARGUMENT_ONLY:
            why = f"Invalid configuration: Predicate type not found for {name}"
            self.faults.append(Fault((*path, "name"), why))
        else:
            return self.registry.predicates[name]()
        return None

    # -- priorities

    def _priorities(self, given: Iterable[PriorityPolicy] | None) -> tuple[tuple[Score, int], ...]:
        """In the order of their names."""
        if given is None:
            return self.base.scores
        found: dict[str, tuple[Score, int]] = {}
        for i, priority in enumerate(given):
            path: Path = ("priorities", i)
            if not 0 < priority.weight < MAX_WEIGHT:
                why = f"Priority {priority.name} should have a positive weight applied to it or it has overflown"
                self.faults.append(Fault((*path, "weight"), why))
            again = found.get(priority.name) if priority.argument is None else None
            if (score := again[0] if again is not None else self._priority(priority, path)) is not None:
                found[priority.name] = (score, priority.weight)
        if sum(weight for _, weight in found.values()) > MAX_WEIGHT:
            self.faults.append(Fault(("priorities",), "Total priority of priority functions has overflown"))
        return tuple(found[name] for name in sorted(found))

    def _priority(self, priority: PriorityPolicy, path: Path) -> Score | None:
        name, argument = priority.name, priority.argument
        if argument is not None:
            return self._with_argument(priority, path)
        if name not in self.registry.priorities or name in WITH_ARGUMENT_ONLY:
            why = f"Invalid configuration: Priority type not found for {name}"
            self.faults.append(Fault((*path, "name"), why))
            return None
        if name == LIMITS:
            why = "is refused unless the feature gate ResourceLimitsPriorityFunction is on: it is taken to be on"
            self.notes.append(Fault((*path, "name"), f"{quoted(name)} {why}"))
        return self.registry.priorities[name]()

    def _with_argument(self, priority: PriorityPolicy, path: Path) -> Score | None:
        name, argument = priority.name, priority.argument
        assert argument is not None
        if not self._one_argument(argument, "priority", name, path):
            return None
        if (wanted := argument.labelPreference) is not None:
            labels = {"present" if wanted.presence else "absent": (wanted.label,)}
            return NodeLabelScore(name, highest=MAX_PRIORITY, **labels)
        if (service := argument.serviceAntiAffinity) is not None:
            return ServiceAntiAffinity(name, service.label, highest=MAX_PRIORITY)
        ratio = argument.requestedToCapacityRatioArguments
        assert ratio is not None
        here = (*path, "argument", "requestedToCapacityRatioArguments")
        check_shape(ratio.shape, (*here, "shape"), self.faults)
        score = self.registry.priorities[RATIO]()
        assert isinstance(score, NodeResourcesFitScore) and isinstance(score.strategy, RequestedToCapacityRatio)
        if ratio.resources and self.registry is REGISTRY_1_13:
            self.notes.append(Fault((*here, "resources"), "is not read by v1.13: it means nothing"))
            return replace(score, name=name, strategy=replace(score.strategy, shape=corners(ratio.shape)))
        strategy = replace(score.strategy, shape=corners(ratio.shape))
        return replace(score, name=name, strategy=strategy, resources=weighed(ratio.resources))

    def _one_argument(self, argument: msgspec.Struct, what: str, name: str, path: Path) -> bool:
        count = sum(value is not None for value in msgspec.structs.asdict(argument).values())
        if count != 1:
            why = f"Exactly 1 {what} argument is required, numArgs: {count}, {what.title()}: {name}"
            self.faults.append(Fault((*path, "argument"), why))
        return count == 1


def _ignoring(predicate: Filter, resources: frozenset[str]) -> Filter:
    """The predicate, without a look at these resources."""
    if isinstance(predicate, GeneralPredicates):
        return replace(predicate, filters=tuple(_ignoring(each, resources) for each in predicate.filters))
    return replace(predicate, ignored=resources) if isinstance(predicate, NodeResourcesFit) else predicate


def _pulled(score: Score, weight: int) -> Score:
    return replace(score, hard_pod_affinity_weight=weight) if isinstance(score, InterPodAffinityScore) else score
