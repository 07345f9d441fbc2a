"""NodeAffinity: does the node match the pod's nodeSelector and required node affinity?

v1.37: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (PreFilter, Filter). A term that names
nodes (matchFields) limits the search to them, but not in v1.20 (the same file). Evicting pods can't help.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS
from kschedlab.cluster.labels import required, required_terms, selected
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import PreFilterRejection, Refusal, Refusals, StaticFilter
from kschedlab.objects.model import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec

NO_MATCH = "node(s) didn't match Pod's node affinity/selector"
NO_MATCH_ADDED = "node(s) didn't match scheduler-enforced node affinity"
NO_MATCH_1_20 = "node(s) didn't match Pod's node affinity"
NO_MATCH_1_16 = "node(s) didn't match node selector"
CONFLICT = "pod affinity terms conflict"


@dataclass(frozen=True)
class NodeAffinity:
    """The filter. ``added``: node affinity that the scheduler requires of every pod (NodeAffinityArgs.addedAffinity).

    ``reason``: its reason for nodes that don't match the pod's own terms. Named rule ``returns_node_names``: if the pod
    requires nodes by name, PreFilter leaves all others out (PreFilterResult).
    """

    name: str = "NodeAffinity"
    added: NodeSelector | None = None
    reason: str = NO_MATCH
    returns_node_names: bool = True

    def __post_init__(self) -> None:
        """SelectorError if ``added`` has an invalid term."""
        for term in self.added.nodeSelectorTerms if self.added is not None else ():
            term.compile()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | PreFilterRejection | None:
        """Skips a pod without requirements. Rejects one whose every term requires two names at once."""
        spec = pod.pod.spec
        affinity = required_terms(spec)
        if affinity is None and self.added is None and not spec.nodeSelector:
            return None
        key: Hashable = ("NodeAffinity", self, tuple(sorted(spec.nodeSelector.items())), affinity)
        return cluster.derived(key, lambda: self._static_filter(spec, affinity, cluster), LABELS)

    def _static_filter(
        self, spec: PodSpec, affinity: NodeSelector | None, cluster: Cluster
    ) -> StaticFilter | PreFilterRejection:
        node_names = (
            nodes_by_name(affinity.nodeSelectorTerms) if self.returns_node_names and affinity is not None else None
        )
        if node_names is not None and not node_names:
            return PreFilterRejection(self.name, (CONFLICT,))
        match, parts = required(cluster, spec), []
        if self.added is not None:
            matches_added = selected(cluster, self.added)
            parts.append(Refusal(~matches_added, NO_MATCH_ADDED, True))
            match = match | ~matches_added
        parts.append(Refusal(~match, self.reason, True))
        return StaticFilter(Refusals(parts), node_names)


def nodes_by_name(terms: tuple[NodeSelectorTerm, ...]) -> frozenset[str] | None:
    """The names that the terms require; None if a term accepts any name, or there are no terms."""
    names: frozenset[str] = frozenset()
    for term in terms:
        required_names = common_values(term.matchFields, "metadata.name")
        if required_names is None:
            return None
        names |= required_names
    return names if terms else None


def common_values(requirements: Iterable[NodeSelectorRequirement], key: str) -> frozenset[str] | None:
    """The values that all requirements ``key In (...)`` allow; None if there are none."""
    allowed = [frozenset(each.values) for each in requirements if each.key == key and each.operator == "In"]
    return allowed[0].intersection(*allowed[1:]) if allowed else None
