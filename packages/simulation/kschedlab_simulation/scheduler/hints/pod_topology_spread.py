"""Hints of PodTopologySpread: does the event change how pods are spread over domains?

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
from kschedlab_simulation.scheduler.hints.pod_cache import PodCache
from kschedlab_simulation.scheduler.hints.resources import held_resources

RULES = ConstraintRules()


def _compute_hard_constraints(pod: Pod) -> tuple[Constraint, ...]:
    return tuple(own_constraints(pod, DO_NOT_SCHEDULE, RULES))


_hard_constraints = PodCache(_compute_hard_constraints)


class SpreadHints:
    """``defaults``: constraints for pods without their own; ``cluster``: to find the owners of such a pod."""

    def __init__(self, defaults: ConstraintSpecs = (), cluster: Callable[[], Cluster] | None = None) -> None:
        self._defaults = [constraint for constraint in defaults if constraint.whenUnsatisfiable == DO_NOT_SCHEDULE]
        self._cluster = cluster
        if self._defaults and cluster is None:
            raise ValueError("default constraints with DoNotSchedule need the cluster, to find the pods' owners")

    def after_assigned_pod(self, pod: Pod, old: Pod | None, new: Pod | None) -> bool:
        """A pod in the namespace was assigned, deleted or relabelled, and a constraint counts it."""
        if not all(self._is_counted(pod, changed) for changed in (old, new) if changed is not None):
            return False
        if old is not None and new is not None:
            return self._counts_differently(pod, old, new)
        changed = old or new
        return changed is not None and any(_selects(c, changed.metadata.labels) for c in self._constraints(pod))

    def after_itself(self, pod: Pod, old: Pod, new: Pod) -> bool:
        """The pod's tolerations changed and a constraint honours taints, or a constraint counts the pod differently."""
        if old.spec.tolerations != new.spec.tolerations and any(c.taints for c in self._constraints(pod)):
            return True
        return self._counts_differently(pod, old, new)

    def after_node(self, pod: Pod, old: Node | None, new: Node | None) -> bool:
        """A node with all topology keys was added or deleted, or its domains or taints changed."""
        constraints = self._constraints(pod)
        old_counts = old is not None and _has_all_keys(old, constraints)
        new_counts = new is not None and _has_all_keys(new, constraints)
        if old is None or new is None or old_counts != new_counts:
            return old_counts or new_counts
        return new_counts and (
            _domains(old, constraints) != _domains(new, constraints) or old.spec.taints != new.spec.taints
        )

    def _constraints(self, pod: Pod) -> tuple[Constraint, ...]:
        if pod.spec.topologySpreadConstraints or not self._defaults or self._cluster is None:
            return _hard_constraints(pod)
        selector = owned_selector(pod, self._cluster())
        return () if selector.empty else tuple(Constraint.of(g, pod, selector, RULES) for g in self._defaults)

    def _counts_differently(self, pod: Pod, old: Pod, new: Pod) -> bool:
        old_labels, new_labels = old.metadata.labels, new.metadata.labels
        return old_labels != new_labels and any(
            _selects(c, old_labels) != _selects(c, new_labels) for c in self._constraints(pod)
        )

    @staticmethod
    def _is_counted(pod: Pod, other: Pod) -> bool:
        return held_resources(other) and other.metadata.namespace == pod.metadata.namespace


def _selects(constraint: Constraint, labels: Mapping[str, str]) -> bool:
    selector = constraint.changes.selector
    return selector is not None and selector.matches(labels)


def _has_all_keys(node: Node, constraints: tuple[Constraint, ...]) -> bool:
    return all(constraint.key in node.metadata.labels for constraint in constraints)


def _domains(node: Node, constraints: tuple[Constraint, ...]) -> list[str | None]:
    return [node.metadata.labels.get(constraint.key) for constraint in constraints]
