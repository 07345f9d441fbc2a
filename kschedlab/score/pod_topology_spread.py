"""PodTopologySpread: the fewer matching pods in the node's domains, the better.

v1.37: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go. For each ScheduleAnyway constraint
``count * log(domains + 2) + maxSkew - 1``, so that keys with many and with few domains have similar weight; the sum is
rounded and reversed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.spread_constraints import (
    HOSTNAME,
    SCHEDULE_ANYWAY,
    SYSTEM_DEFAULTS,
    Constraint,
    ConstraintRules,
    ConstraintSpecs,
    constraints,
    has_all_keys,
)
from kschedlab.cluster.topology import Topology
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored, rounded


@dataclass(frozen=True)
class PodTopologySpreadScore:
    """The score. ``defaults``: constraints of pods that have none and belong to a Service or a controller.

    A node without one of the keys gets 0. ``system_defaulted``: the defaults are the system's, which need only the keys
    that the node has; a user's own defaults need all of them. Named rules:

    ``rules``: how constraints are read.
    ``skips_in_pre_score``: PreScore skips a pod without constraints; else all nodes get 100.
    ``rounds_sum``: the sum is rounded; else truncated (v1.20: the same file).
    ``empty_hosts``: not a rule: nodes count no pods of their own, as for an extender that gets nodes without pods.
    """

    name: str = "PodTopologySpread"
    defaults: ConstraintSpecs = SYSTEM_DEFAULTS
    system_defaulted: bool = True
    rules: ConstraintRules = ConstraintRules()
    skips_in_pre_score: bool = True
    rounds_sum: bool = True
    empty_hosts: bool = False

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        """Skips a pod without ScheduleAnyway constraints.

        Terms for each topology key: the matching ``pods``, int64[nodes given], the ``domains`` and ``maxSkew``.
        """
        soft = constraints(pod, cluster, SCHEDULE_ANYWAY, self.defaults, self.rules)
        if not soft:
            everywhere = Scored(np.zeros_like(nodes), np.full_like(nodes, MAX_NODE_SCORE))
            return None if self.skips_in_pre_score else everywhere
        spec = pod.pod.spec
        lenient = self.system_defaulted and not spec.topologySpreadConstraints
        complete = np.ones(len(cluster.nodes), np.bool_) if lenient else has_all_keys(cluster, soft)
        scored = complete.take(nodes)
        scored_nodes = nodes if scored.all() else nodes[scored]
        exact, terms = np.zeros(len(nodes)), {}
        for constraint in soft:
            key = constraint.key
            topology = topology_with_empty_label(cluster, key) if lenient else cluster.topology(key)
            count = matching(constraint, cluster, topology, constraint.counts_on(spec, cluster, complete)).take(nodes)
            if key == HOSTNAME and self.empty_hosts:
                count = np.zeros_like(count)
            number = domains(key, topology, scored_nodes)
            term = count * log(number + 2) + (constraint.max_skew - 1)
            exact += np.where(cluster.topology(key).domain.take(nodes) >= 0, term, 0) if lenient else term
            terms[key] = {"pods": count, "domains": number, "maxSkew": constraint.max_skew}
        raw = np.where(scored, rounded(exact) if self.rounds_sum else exact.astype(np.int64), 0)
        return Scored(raw, reversed_scores(raw, scored), terms)


def matching(constraint: Constraint, cluster: Cluster, topology: Topology, eligible: BoolArray) -> IntArray:
    """int64[nodes]: the matching pods in the node's domain, on ``eligible`` nodes. For hostnames, all pods count."""
    count = cluster.count(constraint.counted)
    if constraint.key == HOSTNAME:
        return count
    return topology.total(count if eligible.all() else count * eligible).take(topology.domain)


def domains(key: str, topology: Topology, nodes: IntArray) -> int:
    """The number of domains of these nodes. For hostnames, every node counts as a domain."""
    return len(nodes) if key == HOSTNAME else int(np.count_nonzero(np.bincount(topology.domain.take(nodes))))


@derived(LABELS)
def topology_with_empty_label(cluster: Cluster, key: str) -> Topology:
    """The domains of the key, where a node without the label counts as if its label were empty."""
    return Topology.of(key, [{key: node.metadata.labels.get(key, "")} for node in cluster.nodes])


def reversed_scores(raw: IntArray, scored: BoolArray) -> IntArray:
    """``100 * (highest + lowest - raw) / highest`` in integers, 100 for all if the highest is 0.

    Nodes that are not ``scored`` have raw score 0, and get 0.
    """
    highest = int(raw.max(initial=0))
    if highest == 0:
        return np.where(scored, MAX_NODE_SCORE, 0)
    lowest = int(raw.min(initial=highest, where=scored))
    return np.where(scored, MAX_NODE_SCORE * (highest + lowest - raw) // highest, 0)


def log(number: int) -> float:
    """The natural logarithm as Go computes it, which differs in the last bit from C's for 1 % of numbers.

    Go 1.26: src/math/log.go (FreeBSD's algorithm); log_amd64.s computes the same.
    """
    fraction, exponent = math.frexp(number)
    if fraction < math.sqrt(2) / 2:
        fraction, exponent = 2 * fraction, exponent - 1
    f = fraction - 1
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    odd = s2 * (0.6666666666666735 + s4 * (0.2857142874366239 + s4 * (0.1818357216161805 + s4 * 0.14798198605116586)))
    even = s4 * (0.3999999999940942 + s4 * (0.22222198432149784 + s4 * 0.15313837699209373))
    half = 0.5 * f * f
    low = s * (half + (odd + even)) + exponent * 1.9082149292705877e-10
    return exponent * 0.6931471803691238 - ((half - low) - f)
