"""The unschedulable pods of v1.13, v1.16 and v1.20.

v1.13, v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (UnschedulablePodsMap).
"""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.cluster.terms import AffinityTerm
from kschedlab.objects.model import Pod
from kschedlab.queue.older.queued_pod import QueuedPodInfo


class UnschedulablePodsMap:
    """The pods by ``namespace/name``. ``pods``: in insertion order, where the real map has Go's random order.

    Required affinity terms are stored parsed: every newly assigned pod is matched against them.
    """

    def __init__(self) -> None:
        self.pods: dict[str, QueuedPodInfo] = {}
        self._terms: dict[str, tuple[AffinityTerm, ...]] = {}

    def __len__(self) -> int:
        return len(self.pods)

    def __contains__(self, key: str) -> bool:
        return key in self.pods

    def __iter__(self) -> Iterator[QueuedPodInfo]:
        return iter(self.pods.values())

    def add_or_update(self, queued: QueuedPodInfo) -> None:
        """Add the pod, or replace it."""
        self.pods[queued.key] = queued
        self._terms.pop(queued.key, None)
        if terms := _required_affinity(queued.pod):
            self._terms[queued.key] = terms

    def delete(self, key: str) -> QueuedPodInfo | None:
        """Remove and return the pod, or None."""
        self._terms.pop(key, None)
        return self.pods.pop(key, None)

    def get(self, key: str) -> QueuedPodInfo | None:
        """The pod, or None."""
        return self.pods.get(key)

    def with_matching_affinity_term(self, pod: Pod) -> list[QueuedPodInfo]:
        """The pods with a required affinity term that matches this pod.

        (getUnschedulablePodsWithMatchingAffinityTerm.)
        """
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        return [
            self.pods[key]
            for key, terms in self._terms.items()
            if any(term.matches(namespace, labels, {}) for term in terms)
        ]


def _required_affinity(pod: Pod) -> tuple[AffinityTerm, ...]:
    affinity = pod.spec.affinity
    if affinity is None or affinity.podAffinity is None:
        return ()
    terms = affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
    return tuple(AffinityTerm.of(term, pod.metadata.namespace) for term in terms)
