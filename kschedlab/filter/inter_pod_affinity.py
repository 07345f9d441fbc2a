"""InterPodAffinity: are the pods near that the pod wants near, and those far that want it, or that it wants, far?

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go. Near means: on nodes with the same value of the
term's topology key. Required affinity asks for pods that match *all* terms at once; the first pod of a group that
wants only its like passes where the nodes have the keys. Evicting pods can't help where affinity is missing.
v1.16, v1.13: pkg/scheduler/algorithm/predicates/predicates.go (InterPodAffinityMatches) and metadata.go (AddPod).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, Kind
from kschedlab.cluster.snapshot import World
from kschedlab.cluster.terms import Incoming, incoming
from kschedlab.filter.plugin import Part, Refused, first_of

NO_AFFINITY_OR_ANTI_AFFINITY = "node(s) didn't match pod affinity/anti-affinity"
NO_AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
OTHERS_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Question: does the pod match all terms of the incoming pod's required affinity?"""

    by: Incoming

    def of(self, kind: Kind) -> int:
        """1 if pods of this kind do."""
        return int(all(self.by.means(term, kind) for term in self.by.terms.affinity))


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Question: how many terms of the incoming pod's required anti-affinity with that key mean the pod?"""

    by: Incoming
    key: str

    def of(self, kind: Kind) -> int:
        """The number of terms that mean pods of this kind."""
        return sum(term.key == self.key and self.by.means(term, kind) for term in self.by.terms.anti_affinity)


@dataclass(frozen=True, slots=True)
class UnwantedElsewhere:
    """Question: is the pod meant by a term of the incoming pod's required anti-affinity, but by none with that key?"""

    by: Incoming
    key: str

    def of(self, kind: Kind) -> int:
        """1 if pods of this kind are."""
        keys = {term.key for term in self.by.terms.anti_affinity if self.by.means(term, kind)}
        return int(bool(keys) and self.key not in keys)


@dataclass(frozen=True, slots=True)
class Repels:
    """Question: how many terms with that key of the pod's required anti-affinity mean the incoming pod?"""

    whom: Incoming
    key: str

    def of(self, kind: Kind) -> int:
        """The number of such terms of pods of this kind."""
        return sum(term.key == self.key and self.whom.meant_by(term) for term in kind.terms.anti_affinity)


def anti_affinity_keys(kind: Kind) -> tuple[str, ...]:
    """The topology keys of the kind's required anti-affinity."""
    return tuple(term.key for term in kind.terms.anti_affinity)


@dataclass(frozen=True)
class InterPodAffinity:
    """The filter.

    ``common_reason``: said of every refused node, before the reason itself. Named rules:

    ``skips``: a pod without required terms that no *running* pod's anti-affinity means is skipped.
    ``others_first``: other pods' anti-affinity is looked at before the pod's own terms.
    ``first_needs_keys``: the first pod of a group passes only where the nodes have the topology keys.
    ``nominated_seen``: the pod's own terms see nominated pods; else only those pods' terms see the pod.
    ``put_back_exactly``: a victim that is put back counts for the terms that mean it; else for the topology keys of all
    terms of the pod's anti-affinity if one means it.
    """

    name: str = "InterPodAffinity"
    common_reason: str = ""
    skips: bool = True
    others_first: bool = False
    first_needs_keys: bool = True
    nominated_seen: bool = True
    put_back_exactly: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> AffinityCheck | None:
        """Skips a pod that no term can concern; by the rule ``skips`` also one that nominated pods' terms alone do."""
        kinds = cluster.kinds
        keys = kinds.found(anti_affinity_keys)
        if not keys and not kinds[pod.kind].terms.affinity:
            return None
        asked = incoming(pod, cluster)
        repels = tuple(r for key in keys if kinds.answers(r := Repels(asked, key)).any())
        concerned = asked.terms.affinity or asked.terms.anti_affinity or (repels and not self.skips)
        if concerned or any(_asked_somewhere(r, cluster) for r in repels):
            return AffinityCheck(asked, repels, cluster, self)
        return None


def _asked_somewhere(repels: Repels, cluster: Cluster) -> bool:
    return bool((cluster.count(repels)[cluster.topology(repels.key).domain >= 0] > 0).any())


class AffinityCheck:
    """``repels``: questions about those topology keys of other pods' anti-affinity that can concern the pod."""

    only: frozenset[str] | None = None
    reacts: bool = True

    def __init__(self, asked: Incoming, repels: tuple[Repels, ...], cluster: Cluster, rules: InterPodAffinity) -> None:
        terms = asked.terms
        self._rules = rules
        self.monotone = not terms.affinity
        self._repels = repels
        self._unwanted = tuple(Unwanted(asked, key) for key in dict.fromkeys(t.key for t in terms.anti_affinity))
        self._wanted = Wanted(asked)
        self._near = tuple(dict.fromkeys(t.key for t in terms.affinity))
        self._likes_itself = all(asked.means(term, asked.kind) for term in terms.affinity)
        labelled = [cluster.topology(key).domain >= 0 for key in self._near]
        self._labelled: BoolArray = np.logical_and.reduce(labelled)
        self._nearby: BoolArray = np.logical_or.reduce(labelled)

    def refuses(self, world: World) -> Refused | None:
        """The nodes without the affinity that the pod requires, and those with anti-affinity on either side.

        Terms: for each topology key, how many pods (or their terms) there are in the node's domain.
        """
        refused = first_of(self._parts(world))
        if refused is None or not self._rules.common_reason:
            return refused
        return Refused([Part(refused.mask, self._rules.common_reason), *refused.parts])

    def _parts(self, world: World) -> Iterator[Part]:
        own = world if self._rules.nominated_seen else world.of_running()
        if self._rules.others_first:
            yield from self._others(world)
        if self._near:
            yield self._affinity(own)
        for question in self._unwanted:
            count = own.count_in_domain(question, question.key)
            if not self._rules.put_back_exactly:
                labelled = own.cluster.topology(question.key).domain >= 0
                count = count + labelled * own.put_back(UnwantedElsewhere(question.by, question.key))
            yield Part(count > 0, ANTI_AFFINITY, terms={question.key: count})
        if not self._rules.others_first:
            yield from self._others(world)

    def _affinity(self, world: World) -> Part:
        near = {key: world.count_in_domain(self._wanted, key) for key in self._near}
        found = np.logical_and.reduce([count > 0 for count in near.values()])
        if self._rules.first_needs_keys:
            fits = self._labelled & (found | self._first(world))
        else:
            fits = (self._labelled & found) | self._first(world)
        return Part(~fits, NO_AFFINITY, True, near)

    def _others(self, world: World) -> Iterator[Part]:
        for question in self._repels:
            count = world.count_in_domain(question, question.key)
            yield Part(count > 0, OTHERS_ANTI_AFFINITY, terms={question.key: count})

    def _first(self, world: World) -> BoolArray:
        """bool[nodes]: the pod wants its like near, and there is none so far on any node that has one of the keys."""
        if not self._likes_itself:
            return np.zeros(len(world.cluster.nodes), np.bool_)
        known = world.cluster.count(self._wanted)[self._nearby].sum()
        return known + world.change(self._wanted) * self._nearby == 0
