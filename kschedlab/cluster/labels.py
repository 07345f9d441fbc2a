"""The nodes that match label selectors and taints, evaluated once for each distinct value instead of each node.

Thousands of nodes share a handful of zones and lists of taints. The cluster keeps every result
(:meth:`Cluster.derived`); callers must not write to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, TAINTS, derived
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.objects.model import NodeSelector, NodeSelectorTerm, PodSpec, Taint, Toleration
from kschedlab.objects.selectors import NAME, NodeTerm, Requirement, from_map

FORBIDDING_EFFECTS = ("NoSchedule", "NoExecute")
PREFER_NO_SCHEDULE = "PreferNoSchedule"
"""Effects of taints: pods that don't tolerate them must not, or preferably should not, run on the node."""


def required(cluster: Cluster, spec: PodSpec) -> BoolArray:
    """bool[nodes]: those that nodeSelector and required affinity match. v1.37: nodeaffinity, RequiredNodeAffinity."""
    labels, affinity = tuple(sorted(spec.nodeSelector.items())), required_terms(spec)

    def compute() -> BoolArray:
        masks = [meets(cluster, requirement) for requirement in from_map(spec.nodeSelector).requirements]
        return _all(cluster, masks if affinity is None else [*masks, selected(cluster, affinity)])

    return cluster.derived(("required", labels, affinity), compute, LABELS)


def required_terms(spec: PodSpec) -> NodeSelector | None:
    affinity = spec.affinity.nodeAffinity if spec.affinity is not None else None
    return affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity is not None else None


@derived(LABELS)
def selected(cluster: Cluster, selector: NodeSelector) -> BoolArray:
    """bool[nodes]: the nodes that match one of the selector's terms. An invalid term matches none."""
    mask = np.zeros(len(cluster.nodes), np.bool_)
    for term in selector.compile().terms:
        mask |= _matches(cluster, term)
    return mask


@derived(LABELS)
def matches(cluster: Cluster, term: NodeSelectorTerm) -> BoolArray:
    """bool[nodes]: the nodes that match the term; an empty term matches none. SelectorError if it is invalid."""
    return _matches(cluster, term.compile())


@derived(LABELS)
def meets(cluster: Cluster, requirement: Requirement) -> BoolArray:
    return meets_uncached(cluster, requirement)


def meets_uncached(cluster: Cluster, requirement: Requirement) -> BoolArray:
    """Like :func:`meets`, but not kept. O(nodes) for ``In``; else each distinct value of the key is evaluated."""
    topology, key = cluster.topology(requirement.key), requirement.key
    if requirement.operator == "In":
        return topology.in_domains_of(requirement.values)
    answers = [requirement.matches({key: value}) for value in topology.values]
    return np.array([*answers, requirement.matches({})], np.bool_)[topology.domain]


def _matches(cluster: Cluster, term: NodeTerm) -> BoolArray:
    if term.empty:
        return np.zeros(len(cluster.nodes), np.bool_)
    masks = [meets(cluster, requirement) for requirement in term.labels.requirements]
    return _all(cluster, [*masks, *(_named(cluster, field) for field in term.fields.requirements)])


def _named(cluster: Cluster, requirement: Requirement) -> BoolArray:
    if requirement.key != NAME:
        return np.full(len(cluster.nodes), requirement.matches({requirement.key: ""}))
    mask = np.full(len(cluster.nodes), requirement.operator == "NotIn")
    for name in requirement.values & cluster.index.keys():
        mask[cluster.index[name]] = requirement.operator == "In"
    return mask


def _all(cluster: Cluster, masks: Iterable[BoolArray]) -> BoolArray:
    result = np.ones(len(cluster.nodes), np.bool_)
    for mask in masks:
        result &= mask
    return result


@derived(TAINTS)
def taints(cluster: Cluster) -> tuple[IntArray, tuple[tuple[Taint, ...], ...]]:
    """(int64[nodes], the distinct lists of taints): the number of each node's list."""
    numbers: dict[tuple[Taint, ...], int] = {}
    number_of_list = [numbers.setdefault(node.spec.taints, len(numbers)) for node in cluster.nodes]
    return np.array(number_of_list, np.int64), tuple(numbers)


@derived(TAINTS)
def untolerated(cluster: Cluster, tolerations: tuple[Toleration, ...]) -> BoolArray:
    """bool[nodes]: the nodes with a NoSchedule or NoExecute taint that none of the tolerations tolerates."""
    number_of_list, lists = taints(cluster)
    return np.array([first_untolerated(t, tolerations) is not None for t in lists], np.bool_)[number_of_list]


@derived(TAINTS)
def intolerable_prefer_no_schedule_taints(cluster: Cluster, tolerations: tuple[Toleration, ...]) -> IntArray:
    """int64[nodes]: how many PreferNoSchedule taints of each node none of the tolerations tolerates."""
    number_of_list, lists = taints(cluster)
    counts = [sum(t.effect == PREFER_NO_SCHEDULE and not tolerated(t, tolerations) for t in taints) for taints in lists]
    return np.array(counts, np.int64)[number_of_list]


def first_untolerated(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> Taint | None:
    """The first taint that forbids the node to the pod. v1.37: component-helpers/scheduling/corev1/helpers.go."""
    return next((t for t in taints if t.effect in FORBIDDING_EFFECTS and not tolerated(t, tolerations)), None)


def tolerated(taint: Taint, tolerations: Sequence[Toleration]) -> bool:
    return any(toleration.tolerates(taint) for toleration in tolerations)
