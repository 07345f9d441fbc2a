"""The incoming pod as affinity terms see it: its own terms, and what the terms of other pods match it by.

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
    """The labels of the namespaces. Not equal to any others, not even if no label differs."""

    labels: Mapping[str, Labels]

    @classmethod
    def of(cls, cluster: Cluster) -> Namespaces:
        """Those of the cluster."""
        return cls({n.metadata.name: n.metadata.labels for n in cluster.every(Namespace)})


@dataclass(frozen=True)
class Incoming:
    """The pod that is to be scheduled. ``number``: that of its signature, which with ``among`` tells it from others.

    ``terms``: its own, with the namespaces listed, so that they need no labels of other pods' namespaces.
    """

    number: int
    among: Namespaces
    signature: Signature = field(compare=False)
    namespace_labels: Labels = field(compare=False)
    terms: PodTerms = field(compare=False)

    def means(self, term: AffinityTerm, signature: Signature) -> bool:
        """Whether this term of the pod's own means pods of that signature."""
        return term.matches(signature.namespace, signature.labels, {})

    def meant_by(self, term: AffinityTerm) -> bool:
        """Whether the term of another pod means this one."""
        return term.matches(self.signature.namespace, self.signature.labels, self.namespace_labels)


def incoming(pod: PodInfo, cluster: Cluster) -> Incoming:
    """The pod as terms see it, prepared once for each signature."""

    def prepare() -> Incoming:
        signature = cluster.signatures[pod.signature]
        among = cluster.derived("namespaces", lambda: Namespaces.of(cluster), NAMESPACES)
        return Incoming(
            pod.signature,
            among,
            signature,
            among.labels.get(signature.namespace, {}),
            signature.terms.listing(among.labels),
        )

    return cluster.derived(("incoming", pod.signature), prepare, NAMESPACES)
