"""Topology spread constraints, compiled, and the defaults for pods without any.

v1.37: pkg/scheduler/framework/plugins/podtopologyspread (common.go, plugin.go) and plugins/helper/spread.go; the same
files in v1.20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from kschedlab.cluster.clues import Clue, clues_of
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import OWNERS
from kschedlab.cluster.labels import required, required_terms, untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, Signature
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import (
    OwnerReference,
    Pod,
    PodSpec,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
    TopologySpreadConstraint,
)
from kschedlab.objects.selectors import Selector, from_map

DO_NOT_SCHEDULE = "DoNotSchedule"
SCHEDULE_ANYWAY = "ScheduleAnyway"
HOSTNAME = "kubernetes.io/hostname"

ConstraintSpecs = tuple[TopologySpreadConstraint, ...]

SYSTEM_DEFAULTS: ConstraintSpecs = (
    TopologySpreadConstraint(maxSkew=3, topologyKey=HOSTNAME, whenUnsatisfiable=SCHEDULE_ANYWAY),
    TopologySpreadConstraint(maxSkew=5, topologyKey="topology.kubernetes.io/zone", whenUnsatisfiable=SCHEDULE_ANYWAY),
)
"""Constraints of a pod that has none and that something selects (PodTopologySpreadArgs, defaultingType System)."""


@dataclass(frozen=True)
class ConstraintRules:
    """How a generation reads constraints: named rules. The defaults are those of v1.37.

    ``empty_selector_counts_no_pods``: a constraint with an empty selector counts no pods; else all of the namespace.
    ``defaults_follow_owner_reference``: the default constraints spread the pods of the pod's owner; else the pods of
    every controller that selects the pod.
    """

    empty_selector_counts_no_pods: bool = True
    defaults_follow_owner_reference: bool = True


@dataclass(frozen=True)
class MatchesConstraint:
    """PodQuery: does the constraint's selector match the pod? ``selector`` None: it matches no pod.

    ``counting``: leave out terminating pods, as the real scheduler does when it counts pods; it does not when pods are
    hypothetically added or removed.
    """

    namespace: str
    selector: Selector | None
    counting: bool

    def of(self, signature: Signature) -> int:
        if self.selector is None or signature.namespace != self.namespace or (self.counting and signature.terminating):
            return 0
        return int(self.selector.matches(signature.labels))

    @property
    def clues(self) -> tuple[Clue, ...]:
        return clues_of(self.selector, [self.namespace])


@dataclass(frozen=True)
class Constraint:
    """Spread the pods that ``selector`` matches over the domains of ``key``.

    ``self_match``: 1 if it matches the pod that has the constraint. ``counted``, ``changes``: the query about running
    pods, and about hypothetically added or removed ones. ``affinity``, ``taints``: whether only nodes count that match
    the pod's node affinity, or whose taints it tolerates.
    """

    key: str
    max_skew: int
    min_domains: int
    self_match: int
    counted: MatchesConstraint
    changes: MatchesConstraint
    affinity: bool
    taints: bool

    @classmethod
    def of(
        cls, spec: TopologySpreadConstraint, pod: Pod, selector: Selector | None, rules: ConstraintRules
    ) -> Constraint:
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        matches_none = selector is not None and selector.empty and rules.empty_selector_counts_no_pods
        return cls(
            key=spec.topologyKey,
            max_skew=spec.maxSkew,
            min_domains=1 if spec.minDomains is None else spec.minDomains,
            self_match=int(selector is not None and selector.matches(labels)),
            counted=MatchesConstraint(namespace, None if matches_none else selector, True),
            changes=MatchesConstraint(namespace, selector, False),
            affinity=spec.nodeAffinityPolicy == "Honor",
            taints=spec.nodeTaintsPolicy == "Honor",
        )

    def counts_on(self, spec: PodSpec, cluster: Cluster, mask: BoolArray) -> BoolArray:
        """bool[nodes]: the nodes of ``mask`` that the constraint's node inclusion policies admit."""
        if self.affinity and (spec.nodeSelector or required_terms(spec) is not None):
            mask = mask & required(cluster, spec)
        return mask & ~untolerated(cluster, spec.tolerations) if self.taints else mask


def constraints(
    pod: PodInfo, cluster: Cluster, action: str, defaults: ConstraintSpecs, rules: ConstraintRules
) -> tuple[Constraint, ...]:
    """The pod's constraints with that ``whenUnsatisfiable``, compiled once; the defaults if the pod has none at all."""
    own = pod.pod.spec.topologySpreadConstraints
    if own:
        key = ("constraints", action, rules, pod.signature, msgspec.json.encode(own))
        return cluster.derived(key, lambda: tuple(own_constraints(pod.pod, action, rules)))
    default_specs = [spec for spec in defaults if spec.whenUnsatisfiable == action]
    if not default_specs:
        return ()
    owner = controller_of(pod.pod.metadata) if rules.defaults_follow_owner_reference else None
    if rules.defaults_follow_owner_reference and owner is None and not cluster.objects_of(Service):
        return ()

    def prepare() -> tuple[Constraint, ...]:
        selects = owned_selector if rules.defaults_follow_owner_reference else matching_selector
        selector = selects(pod.pod, cluster)
        return () if selector.empty else tuple(Constraint.of(spec, pod.pod, selector, rules) for spec in default_specs)

    return cluster.derived(("default constraints", action, defaults, rules, pod.signature, owner), prepare, *OWNERS)


def has_all_keys(cluster: Cluster, wanted: tuple[Constraint, ...]) -> BoolArray:
    """bool[nodes]: the nodes with the labels of all constraints."""
    masks = [cluster.topology(constraint.key).domain >= 0 for constraint in wanted]
    return masks[0] if len(masks) == 1 else np.logical_and.reduce(masks)


def own_constraints(pod: Pod, action: str, rules: ConstraintRules) -> Iterator[Constraint]:
    for spec in pod.spec.topologySpreadConstraints:
        if spec.whenUnsatisfiable == action:
            labels, selector = pod.metadata.labels, None
            if spec.labelSelector is not None:
                same = from_map({key: labels[key] for key in spec.matchLabelKeys if key in labels})
                selector = _combined(same, spec.labelSelector.compile())
            yield Constraint.of(spec, pod, selector, rules)


def _combined(one: Selector, other: Selector) -> Selector:
    return Selector((*one.requirements, *other.requirements))


def owned_selector(pod: Pod, cluster: Cluster) -> Selector:
    """That of the pod's Services and controller, or an empty one. v1.37: plugins/helper/spread.go, DefaultSelector."""
    labels = _of_services(pod, cluster)
    owner = controller_of(pod.metadata)
    controller = _controller(owner, pod.metadata.namespace, cluster) if owner is not None else None
    if isinstance(controller, ReplicationController):
        return from_map(labels | controller.spec.selector)
    if controller is None or controller.spec.selector is None:
        return from_map(labels)
    return _combined(from_map(labels), controller.spec.selector.compile())


def matching_selector(pod: Pod, cluster: Cluster) -> Selector:
    """Those of Services and controllers that select it, combined. v1.20: plugins/helper/spread.go, DefaultSelector."""
    namespace, labels = pod.metadata.namespace, _of_services(pod, cluster)
    for controller in cluster.objects_of(ReplicationController):
        chosen = controller.spec.selector
        if controller.metadata.namespace == namespace and chosen and from_map(chosen).matches(pod.metadata.labels):
            labels |= chosen
    selector = from_map(labels)
    owners: list[ReplicaSet | StatefulSet] = [*cluster.objects_of(ReplicaSet), *cluster.objects_of(StatefulSet)]
    for owner in owners:
        if owner.metadata.namespace == namespace and owner.spec.selector is not None:
            other = owner.spec.selector.compile()
            if not other.empty and pod.metadata.labels and other.matches(pod.metadata.labels):
                selector = _combined(selector, other)
    return selector


def _of_services(pod: Pod, cluster: Cluster) -> dict[str, str]:
    labels: dict[str, str] = {}
    for service in cluster.objects_of(Service):
        chosen = service.spec.selector
        if service.metadata.namespace == pod.metadata.namespace and from_map(chosen).matches(pod.metadata.labels):
            labels |= chosen
    return labels


def _controller(
    owner: OwnerReference, namespace: str, cluster: Cluster
) -> ReplicationController | ReplicaSet | StatefulSet | None:
    """The owner, if it exists and is of a kind that counts."""
    kinds: tuple[type[Any], ...] = (ReplicationController, ReplicaSet, StatefulSet)
    by_name = {(kind().apiVersion, kind.__name__): kind for kind in kinds}
    kind = by_name.get((owner.apiVersion, owner.kind))
    return None if kind is None else cluster.find(kind, (namespace, owner.name))
