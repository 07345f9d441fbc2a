"""The incoming pod as affinity terms see it: its own terms, and the labels that other pods' terms match.

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (GetNamespaceLabelsSnapshot).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import NAMESPACES
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.terms import AffinityTerm, Labels, PodTerms
from kschedlab.objects.model import Namespace


@dataclass(frozen=True, eq=False)
class Namespaces:
    """The labels of the namespaces, compared by identity: a hash of all labels would be slow."""

    labels: Mapping[str, Labels]

    @classmethod
    def of(cls, cluster: Cluster) -> Namespaces:
        """The namespaces of the cluster."""
        return cls({n.metadata.name: n.metadata.labels for n in cluster.objects_of(Namespace)})


@dataclass(frozen=True)
class IncomingPod:
    """The pod to be scheduled, as its signature describes it. ``signature_number`` and ``namespaces`` identify it.

    ``terms``: its own terms with namespace selectors resolved, so that matching needs no labels of other namespaces.
    """

    signature_number: int
    namespaces: Namespaces
    signature: Signature = field(compare=False)
    namespace_labels: Labels = field(compare=False)
    terms: PodTerms = field(compare=False)

    def matches(self, term: AffinityTerm, signature: Signature) -> bool:
        """Whether this term of the incoming pod matches pods of that signature."""
        return term.matches(signature.namespace, signature.labels, {})

    def matched_by(self, term: AffinityTerm) -> bool:
        """Whether the term of another pod matches the incoming pod."""
        return term.matches(self.signature.namespace, self.signature.labels, self.namespace_labels)


def incoming_pod(pod: PodInfo, cluster: Cluster) -> IncomingPod:
    """The IncomingPod, prepared once for each signature."""

    def prepare() -> IncomingPod:
        signature = cluster.signatures[pod.signature]
        namespaces = cluster.derived("namespaces", lambda: Namespaces.of(cluster), NAMESPACES)
        return IncomingPod(
            pod.signature,
            namespaces,
            signature,
            namespaces.labels.get(signature.namespace, {}),
            signature.terms.resolved(namespaces.labels),
        )

    return cluster.derived(("incoming", pod.signature), prepare, NAMESPACES)
