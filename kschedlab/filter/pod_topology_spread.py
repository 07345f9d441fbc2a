"""PodTopologySpread: would the pod's domain stay within ``maxSkew`` of the emptiest one?

v1.37: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go. For each DoNotSchedule constraint, the
pods that it matches are counted in every domain, on nodes that have all keys and that its inclusion policies admit. The
skew is that count, plus 1 if the constraint matches the pod itself, minus the smallest count of all domains (0 if there
are fewer than ``minDomains`` domains).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.spread_constraints import (
    DO_NOT_SCHEDULE,
    SYSTEM_DEFAULTS,
    Constraint,
    ConstraintRules,
    ConstraintSpecs,
    constraints,
    has_all_keys,
)
from kschedlab.cluster.topology import Topology
from kschedlab.filter.plugin import PodsFilter, Refusal, Refusals, SchedulingError, first_of
from kschedlab.objects.model import PodSpec

TOO_SKEWED = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{TOO_SKEWED} (missing required label)"
PANIC = "panic: runtime error: invalid memory address or nil pointer dereference"
NO_OTHER = np.iinfo(np.int32).max
"""The smallest count of the other domains if there are none."""


@dataclass(frozen=True)
class PodTopologySpread:
    """The filter. ``defaults``: constraints of pods that have none and belong to a Service or a controller.

    Named rules: ``rules``: how constraints are read. ``counts_pods_on_eligible_nodes_only``: a domain counts the pods
    on its eligible nodes; else, if it has any eligible node, all its pods. ``panics_on_new_domain``: pods that are
    nominated or evicted change the counts on every node that has all keys, not only on eligible ones, and the scheduler
    panics if the domain of such a node has no eligible one.
    """

    name: str = "PodTopologySpread"
    defaults: ConstraintSpecs = SYSTEM_DEFAULTS
    rules: ConstraintRules = ConstraintRules()
    counts_pods_on_eligible_nodes_only: bool = True
    panics_on_new_domain: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> SpreadCheck | None:
        hard = constraints(pod, cluster, DO_NOT_SCHEDULE, self.defaults, self.rules)
        if not hard:
            return None
        complete = has_all_keys(cluster, hard)
        return SpreadCheck(tuple(Skew(each, cluster, complete, pod.pod.spec, self) for each in hard))


@dataclass(frozen=True)
class SpreadCheck(PodsFilter):
    """``skews``: one for each constraint, in the pod's order."""

    skews: tuple[Skew, ...]

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes without a key, where evicting pods can't help, and those whose domain has too many pods.

        Terms: ``matching`` pods in the node's domain, ``self`` (1 if the constraint matches the pod itself),
        ``minimum`` of all domains, ``maxSkew``. SchedulingError where the real scheduler panics.
        """
        return first_of(part for skew in self.skews for part in skew.parts(snapshot))


class Skew:
    """A constraint with the counts of all domains, without overlays.

    ``complete``: bool[nodes], the nodes with all keys.
    ``matching``: int64[nodes], the matching pods in the node's domain. ``least``: the smallest count of any domain.
    ``enough_domains``: there are at least ``minDomains``.
    """

    def __init__(
        self, constraint: Constraint, cluster: Cluster, complete: BoolArray, spec: PodSpec, plugin: PodTopologySpread
    ) -> None:
        self.constraint = constraint
        eligible = constraint.counts_on(spec, cluster, complete)
        self._topology: Topology = cluster.topology(constraint.key)
        domain_counts = self._topology.total(eligible) > 0
        in_counted_domain = domain_counts.take(self._topology.domain)
        eligible_only = plugin.counts_pods_on_eligible_nodes_only
        counted = eligible if eligible_only else in_counted_domain
        total = self._topology.total(cluster.count(constraint.counted) * counted)
        self._changed_nodes = complete & in_counted_domain if plugin.panics_on_new_domain else eligible
        self._new_domain_nodes = complete & ~in_counted_domain if plugin.panics_on_new_domain else None
        self.matching: IntArray = total.take(self._topology.domain)
        self._counts = total[domain_counts]
        self.enough_domains = len(self._counts) >= constraint.min_domains
        self.least = int(self._counts.min()) if self.enough_domains else 0

    def parts(self, snapshot: Snapshot) -> Iterator[Refusal]:
        constraint, domain = self.constraint, self._topology.domain
        yield Refusal(domain < 0, NO_LABEL, True)
        matching, minimum = self.counts(snapshot)
        own, most = constraint.self_match, constraint.max_skew
        terms: dict[str, IntArray | int] = {"matching": matching, "self": own, "minimum": minimum, "maxSkew": most}
        yield Refusal(matching + own - minimum > most, TOO_SKEWED, terms=terms)

    def counts(self, snapshot: Snapshot) -> tuple[IntArray, IntArray | int]:
        """(matching pods in the node's domain, the smallest count of all domains), each in that node's snapshot."""
        if not snapshot.overlays:
            return self.matching, self.least
        change = snapshot.overlay_count(self.constraint.changes)
        if self._new_domain_nodes is not None and (self._new_domain_nodes * change).any():
            raise SchedulingError(PANIC)
        change = change * self._changed_nodes
        matching = self.matching + change
        if not self.enough_domains:
            return matching, 0
        return matching, np.where(change != 0, np.minimum(matching, self._least_elsewhere), self.least)

    @cached_property
    def _least_elsewhere(self) -> IntArray:
        """int64[nodes]: the smallest count of all domains except the node's own."""
        only_one = (self._counts == self.least).sum() == 1
        second = np.partition(self._counts, 1)[1] if len(self._counts) > 1 else NO_OTHER
        return np.where(only_one & (self.matching == self.least), second, self.least)
