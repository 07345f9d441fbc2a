"""ServiceAffinity: do the node's labels agree with those of the node where the pod's service runs already?

v1.13, v1.16: pkg/scheduler/algorithm/predicates/predicates.go (checkServiceAffinity) and metadata.go. Only a Policy can
ask for it, and it says for which labels. The first pod of a service chooses their values, unless its own nodeSelector
does; the others must follow. Evicting the pod that is followed helps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.labels import meets
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import Refusal, Refusals
from kschedlab.objects.model import Service
from kschedlab.objects.selectors import Selector, from_map

VIOLATED = "node(s) didn't match service affinity"
NOWHERE = 'node "" not found'


@dataclass(frozen=True, slots=True)
class HasSameLabels:
    """PodQuery: is it a pod of the namespace that has all the labels of the incoming pod?"""

    namespace: str
    labels: Selector

    def of(self, signature: Signature) -> int:
        """1 if pods of this signature are."""
        return int(signature.namespace == self.namespace and self.labels.matches(signature.labels))


@dataclass(frozen=True)
class ServiceAffinity:
    """The filter. ``labels``: keys of labels.

    The pod that is followed is the one that came first of those that have all the labels of the incoming pod. (The real
    scheduler takes any: it is the first of a Go map.)
    """

    name: str = "CheckServiceAffinity"
    labels: tuple[str, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> ServiceAffinityCheck | None:
        """Skips if no labels must agree."""
        signature, chosen = cluster.signatures[pod.signature], pod.pod.spec.nodeSelector
        fixed = {key: chosen[key] for key in self.labels if key in chosen}
        open_keys = tuple(key for key in self.labels if key not in fixed) if has_service(signature, cluster) else ()
        if not fixed and not open_keys:
            return None
        return ServiceAffinityCheck(HasSameLabels(signature.namespace, from_map(signature.labels)), fixed, open_keys)


def has_service(signature: Signature, cluster: Cluster) -> bool:
    """Whether a service of the namespace selects such pods."""
    selectors = (
        from_map(s.spec.selector) for s in cluster.objects_of(Service) if s.metadata.namespace == signature.namespace
    )
    return any(not selector.empty and selector.matches(signature.labels) for selector in selectors)


@dataclass(frozen=True)
class ServiceAffinityCheck:
    """``fixed``: the labels that the pod itself asks for. ``open_keys``: those that the pod followed gives."""

    alike: HasSameLabels
    fixed: Mapping[str, str]
    open_keys: tuple[str, ...]
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True
    monotonic: bool = True

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes whose labels differ. On the node where the pod followed has left in thought, the next is followed.

        With only a nominated pod to follow, which is on no node so far, the real scheduler fails.
        """
        cluster, pods = snapshot.cluster, snapshot.cluster.pods
        alike = np.flatnonzero(pods.live() & (cluster.signatures.evaluate(self.alike)[pods.signature] > 0))
        followed = alike[np.argsort(pods.arrival[alike])]
        differs, alone = self._differs(cluster, followed), np.full(len(cluster.nodes), not len(followed))
        for node in np.unique(pods.node[followed[:1]]).tolist() if snapshot.overlays else ():
            left = followed[~(np.isin(followed, snapshot.removed()) & (pods.node[followed] == node))]
            differs[node], alone[node] = self._differs(cluster, left)[node], not len(left)
        failing = alone & (self._nominated(snapshot) > 0) if self.open_keys else np.zeros_like(alone)
        return Refusals([Refusal(differs & ~failing, VIOLATED), Refusal(failing, NOWHERE, error=True)])

    def _differs(self, cluster: Cluster, followed: IntArray) -> BoolArray:
        """bool[nodes]: the nodes without the labels that the first of these pods gives."""
        labels = cluster.nodes[cluster.pods.node[followed[0]]].metadata.labels if len(followed) else {}
        wanted = from_map({**{key: labels[key] for key in self.open_keys if key in labels}, **self.fixed})
        differs = np.zeros(len(cluster.nodes), np.bool_)
        for requirement in wanted.requirements:
            differs |= ~meets(cluster, requirement)
        return differs

    def _nominated(self, snapshot: Snapshot) -> IntArray | int:
        return sum((overlay.count(self.alike) for overlay in snapshot.overlays if not overlay.runs), start=0)
