"""ServiceAffinity: does the node have the same labels as the node where the pod's Service already runs?

v1.13, v1.16: pkg/scheduler/algorithm/predicates/predicates.go (checkServiceAffinity) and metadata.go. Only a Policy can
enable it, and names the labels. The first pod of a Service determines their values, unless the pod's own nodeSelector
does. Evicting that first pod helps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.clues import Clue, clues_of
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.labels import meets
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import PodsFilter, Refusal, Refusals
from kschedlab.objects.model import Service
from kschedlab.objects.selectors import Selector, from_map

VIOLATED = "node(s) didn't match service affinity"
NO_NODE = 'node "" not found'


@dataclass(frozen=True, slots=True)
class HasSameLabels:
    """PodQuery: is it a pod of the namespace with all the labels of the incoming pod?"""

    namespace: str
    labels: Selector

    def of(self, signature: Signature) -> int:
        """1 if pods of this signature are."""
        return int(signature.namespace == self.namespace and self.labels.matches(signature.labels))

    @property
    def clues(self) -> tuple[Clue, ...]:
        """The labels, and the namespace."""
        return clues_of(self.labels, [self.namespace])


@dataclass(frozen=True)
class ServiceAffinity:
    """The filter. ``labels``: keys of labels.

    The first pod is the oldest by arrival with all the labels of the incoming pod. (The real scheduler takes a random
    one, the first of a Go map.)
    """

    name: str = "CheckServiceAffinity"
    labels: tuple[str, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> ServiceAffinityCheck | None:
        """Skips if no labels must agree."""
        signature, node_selector = pod.signature, pod.pod.spec.nodeSelector
        fixed = {key: node_selector[key] for key in self.labels if key in node_selector}
        open_keys = tuple(key for key in self.labels if key not in fixed) if has_service(signature, cluster) else ()
        if not fixed and not open_keys:
            return None
        return ServiceAffinityCheck(HasSameLabels(signature.namespace, from_map(signature.labels)), fixed, open_keys)


def has_service(signature: Signature, cluster: Cluster) -> bool:
    """Whether a Service of the namespace selects pods with the signature."""
    selectors = (
        from_map(s.spec.selector) for s in cluster.objects_of(Service) if s.metadata.namespace == signature.namespace
    )
    return any(not selector.empty and selector.matches(signature.labels) for selector in selectors)


@dataclass(frozen=True)
class ServiceAffinityCheck(PodsFilter):
    """``fixed``: the labels in the pod's own nodeSelector. ``open_keys``: keys whose value the first pod determines."""

    same_labels: HasSameLabels
    fixed: Mapping[str, str]
    open_keys: tuple[str, ...]

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes whose labels differ. Where the first pod is hypothetically removed, the next one takes its place.

        If the only such pod is nominated, and so on no node, the real scheduler fails.
        """
        cluster, pods = snapshot.cluster, snapshot.cluster.pods
        rows = np.flatnonzero(pods.live() & (cluster.signatures.evaluate(self.same_labels)[pods.signature] > 0))
        rows = rows[np.argsort(pods.arrival[rows])]
        differs, none_left = self._differs(cluster, rows), np.full(len(cluster.nodes), not len(rows))
        removed = np.isin(rows, snapshot.removed())
        for node in np.unique(pods.node[rows[:1]]).tolist() if snapshot.overlays else ():
            remaining = rows[~(removed & (pods.node[rows] == node))]
            differs[node], none_left[node] = self._differs(cluster, remaining)[node], not len(remaining)
        failing = none_left & (self._nominated(snapshot) > 0) if self.open_keys else np.zeros_like(none_left)
        return Refusals([Refusal(differs & ~failing, VIOLATED), Refusal(failing, NO_NODE, error=True)])

    def _differs(self, cluster: Cluster, rows: IntArray) -> BoolArray:
        """bool[nodes]: the nodes without the labels that the first of these pods determines."""
        labels = cluster.nodes[cluster.pods.node[rows[0]]].metadata.labels if len(rows) else {}
        required = from_map({**{key: labels[key] for key in self.open_keys if key in labels}, **self.fixed})
        differs = np.zeros(len(cluster.nodes), np.bool_)
        for requirement in required.requirements:
            differs |= ~meets(cluster, requirement)
        return differs

    def _nominated(self, snapshot: Snapshot) -> IntArray | int:
        return sum((overlay.count(self.same_labels) for overlay in snapshot.overlays if not overlay.runs), start=0)
