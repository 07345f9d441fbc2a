"""Hints of PodTopologySpread: does the event change how pods are spread?

v1.37: pkg/scheduler/framework/plugins/podtopologyspread/plugin.go (isSchedulableAfter...). Only DoNotSchedule
constraints count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.spread_constraints import (
    DO_NOT_SCHEDULE,
    Constraint,
    ConstraintRules,
    ConstraintSpecs,
    own_constraints,
    owned_selector,
)
from kschedlab.objects.model import Node, Pod
from kschedlab.queue.hints.prepared_pod import Prepared
from kschedlab.queue.hints.resources import held_room

RULES = ConstraintRules()


def _hard(pod: Pod) -> tuple[Constraint, ...]:
    return tuple(own_constraints(pod, DO_NOT_SCHEDULE, RULES))


_own = Prepared(_hard)


class SpreadHints:
    """The hints. ``defaults``: constraints of pods that have none; ``cluster`` tells who owns such a pod."""

    def __init__(self, defaults: ConstraintSpecs = (), cluster: Callable[[], Cluster] | None = None) -> None:
        self._defaults = [given for given in defaults if given.whenUnsatisfiable == DO_NOT_SCHEDULE]
        self._cluster = cluster
        if self._defaults and cluster is None:
            raise ValueError("default constraints with DoNotSchedule need the cluster, which tells the pods' owners")

    def after_assigned_pod(self, pod: Pod, old: Pod | None, new: Pod | None) -> bool:
        """A pod on a node of the namespace came, left or changed its labels, and a constraint counts it."""
        if not all(self._is_near(pod, changed) for changed in (old, new) if changed is not None):
            return False
        if old is not None and new is not None:
            return self._counts_differently(pod, old, new)
        changed = old or new
        return changed is not None and any(_means(c, changed.metadata.labels) for c in self._constraints(pod))

    def after_itself(self, pod: Pod, old: Pod, new: Pod) -> bool:
        """The pod tolerates other taints where a constraint looks at taints, or a constraint counts it differently."""
        if old.spec.tolerations != new.spec.tolerations and any(c.taints for c in self._constraints(pod)):
            return True
        return self._counts_differently(pod, old, new)

    def after_node(self, pod: Pod, old: Node | None, new: Node | None) -> bool:
        """A node with the labels of all constraints came, left, or changed its domain or its taints."""
        constraints = self._constraints(pod)
        before = old is not None and _has_all_keys(old, constraints)
        after = new is not None and _has_all_keys(new, constraints)
        if old is None or new is None or before != after:
            return before or after
        return after and (
            _domains(old, constraints) != _domains(new, constraints) or old.spec.taints != new.spec.taints
        )

    def _constraints(self, pod: Pod) -> tuple[Constraint, ...]:
        if pod.spec.topologySpreadConstraints or not self._defaults or self._cluster is None:
            return _own(pod)
        selector = owned_selector(pod, self._cluster())
        return () if selector.empty else tuple(Constraint.of(g, pod, selector, RULES) for g in self._defaults)

    def _counts_differently(self, pod: Pod, old: Pod, new: Pod) -> bool:
        before, after = old.metadata.labels, new.metadata.labels
        return before != after and any(_means(c, before) != _means(c, after) for c in self._constraints(pod))

    @staticmethod
    def _is_near(pod: Pod, other: Pod) -> bool:
        return held_room(other) and other.metadata.namespace == pod.metadata.namespace


def _means(constraint: Constraint, labels: Mapping[str, str]) -> bool:
    selector = constraint.changes.selector
    return selector is not None and selector.matches(labels)


def _has_all_keys(node: Node, constraints: tuple[Constraint, ...]) -> bool:
    return all(constraint.key in node.metadata.labels for constraint in constraints)


def _domains(node: Node, constraints: tuple[Constraint, ...]) -> list[str | None]:
    return [node.metadata.labels.get(constraint.key) for constraint in constraints]
