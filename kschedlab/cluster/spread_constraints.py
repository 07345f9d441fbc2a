"""Topology spread constraints, ready to be asked, and those that a pod without any gets.

v1.37: pkg/scheduler/framework/plugins/podtopologyspread (common.go, plugin.go) and plugins/helper/spread.go; the same
files in v1.20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import OWNERS
from kschedlab.cluster.labels import required, required_terms, untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, Signature
from kschedlab.objects.model import (
    LabelSelector,
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
"""What a pod without constraints gets if something selects it (PodTopologySpreadArgs, defaultingType System)."""


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
    """PodQuery: does the constraint's selector mean the pod? ``selector`` None: it means none.

    ``counting``: as pods are counted at first, without those that terminate. Otherwise as the real scheduler counts
    pods that come or go in thought, where it looks at the selector alone.
    """

    namespace: str
    selector: Selector | None
    counting: bool

    def of(self, signature: Signature) -> int:
        """1 if it means pods of this signature."""
        if self.selector is None or signature.namespace != self.namespace or (self.counting and signature.terminating):
            return 0
        return int(self.selector.matches(signature.labels))


@dataclass(frozen=True)
class Constraint:
    """Pods that ``selector`` means are to be spread over the domains of ``key``.

    ``self_match``: 1 if it means the pod that has the constraint. ``counted``, ``changes``: the query about running
    pods, and about those that come or go in thought. ``affinity``, ``taints``: only nodes count that the pod's node
    affinity asks for, or whose taints it tolerates.
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
        cls, given: TopologySpreadConstraint, pod: Pod, selector: Selector | None, rules: ConstraintRules
    ) -> Constraint:
        """The constraint of that pod, with this selector."""
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        none = selector is not None and selector.empty and rules.empty_selector_counts_no_pods
        return cls(
            key=given.topologyKey,
            max_skew=given.maxSkew,
            min_domains=1 if given.minDomains is None else given.minDomains,
            self_match=int(selector is not None and selector.matches(labels)),
            counted=MatchesConstraint(namespace, None if none else selector, True),
            changes=MatchesConstraint(namespace, selector, False),
            affinity=given.nodeAffinityPolicy == "Honor",
            taints=given.nodeTaintsPolicy == "Honor",
        )

    def counts_on(self, spec: PodSpec, cluster: Cluster, mask: BoolArray) -> BoolArray:
        """bool[nodes]: the nodes of ``mask`` on which pods count, as far as the policies go."""
        if self.affinity and (spec.nodeSelector or required_terms(spec) is not None):
            mask = mask & required(cluster, spec)
        return mask & ~untolerated(cluster, spec.tolerations) if self.taints else mask


def constraints(
    pod: PodInfo, cluster: Cluster, action: str, defaults: ConstraintSpecs, rules: ConstraintRules
) -> tuple[Constraint, ...]:
    """The pod's constraints with that ``whenUnsatisfiable``; the defaults if it has no constraints of any sort.

    Prepared once for pods of one signature with the same constraints.
    """
    stated = pod.pod.spec.topologySpreadConstraints
    if stated:
        key = ("constraints", action, rules, pod.signature, msgspec.json.encode(stated))
        return cluster.derived(key, lambda: tuple(own(pod.pod, action, rules)))
    wanted = [given for given in defaults if given.whenUnsatisfiable == action]
    if not wanted:
        return ()
    owner = (
        next((o for o in pod.pod.metadata.ownerReferences if o.controller), None)
        if rules.defaults_follow_owner_reference
        else None
    )
    if rules.defaults_follow_owner_reference and owner is None and not cluster.objects_of(Service):
        return ()

    def prepare() -> tuple[Constraint, ...]:
        selects = owned_selector if rules.defaults_follow_owner_reference else matching_selector
        selector = selects(pod.pod, cluster)
        return () if selector.empty else tuple(Constraint.of(given, pod.pod, selector, rules) for given in wanted)

    return cluster.derived(("default constraints", action, defaults, rules, pod.signature, owner), prepare, *OWNERS)


def has_all_keys(cluster: Cluster, wanted: tuple[Constraint, ...]) -> BoolArray:
    """bool[nodes]: the nodes that have the labels of all constraints."""
    mask: BoolArray = cluster.topology(wanted[0].key).domain >= 0
    for constraint in wanted[1:]:
        mask = mask & (cluster.topology(constraint.key).domain >= 0)
    return mask


def own(pod: Pod, action: str, rules: ConstraintRules) -> Iterator[Constraint]:
    """The constraints that the pod self_match has with that ``whenUnsatisfiable``."""
    for given in pod.spec.topologySpreadConstraints:
        if given.whenUnsatisfiable == action:
            selector = _narrowed(given.labelSelector, given.matchLabelKeys, pod)
            yield Constraint.of(given, pod, selector, rules)


def _narrowed(selector: LabelSelector | None, keys: tuple[str, ...], pod: Pod) -> Selector | None:
    """The selector that must also meet the pod's own labels of these keys."""
    if selector is None:
        return None
    same = from_map({key: pod.metadata.labels[key] for key in keys if key in pod.metadata.labels})
    return _both(same, selector.compile())


def _both(one: Selector, other: Selector) -> Selector:
    return Selector((*one.requirements, *other.requirements))


def owned_selector(pod: Pod, cluster: Cluster) -> Selector:
    """What the pod's Services and its controller select; empty if there are none.

    v1.37: plugins/helper/spread.go, DefaultSelector.
    """
    labels = _of_services(pod, cluster)
    owner = next((o for o in pod.metadata.ownerReferences if o.controller), None)
    found = _controller(owner, pod.metadata.namespace, cluster) if owner is not None else None
    if isinstance(found, ReplicationController):
        return from_map(labels | found.spec.selector)
    if found is None or found.spec.selector is None:
        return from_map(labels)
    return _both(from_map(labels), found.spec.selector.compile())


def matching_selector(pod: Pod, cluster: Cluster) -> Selector:
    """What the pod's Services and all controllers that select the pod select; empty if there are none.

    v1.20: plugins/helper/spread.go, DefaultSelector.
    """
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
                selector = _both(selector, other)
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
    """The owner, if it is of a kind that counts and is there."""
    known: dict[tuple[str, str], type[Any]] = {
        ("v1", "ReplicationController"): ReplicationController,
        ("apps/v1", "ReplicaSet"): ReplicaSet,
        ("apps/v1", "StatefulSet"): StatefulSet,
    }
    kind = known.get((owner.apiVersion, owner.kind))
    return None if kind is None else cluster.find(kind, (namespace, owner.name))
