"""Pods that are to come to a node once its victims are gone.

v1.13, v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (nominatedPodMap). v1.37:
pkg/scheduler/backend/queue/nominator.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import Told


@dataclass(frozen=True)
class NominationRules:
    """What differs between generations. The defaults are those of v1.13.

    ``kept``: a nomination made in memory stays when the pod is updated before its status has it (since v1.14).
    ``known_only``: a pod that the informer does not know is not nominated (since v1.20).
    ``waiting_only``: nor is one that is on a node by now (v1.37).
    """

    kept: bool = False
    known_only: bool = False
    waiting_only: bool = False


NOMINATIONS_1_16 = NominationRules(kept=True)
NOMINATIONS_1_20 = NominationRules(kept=True, known_only=True)
NOMINATIONS_1_37 = NominationRules(kept=True, known_only=True, waiting_only=True)


class NominatedPodMap:
    """Nominations, which may differ from the pods' own ``status.nominatedNodeName``; a pod has one at most.

    ``nominated_pods``: by node, the pods by uid, in the order in which they were nominated.
    ``nominated_pod_to_node``: the node, by the pod's uid. ``known``: the newest version of a pod by ``namespace/name``.
    ``told``: see :data:`~kschedlab.queue.interface.Told`.
    """

    def __init__(
        self,
        rules: NominationRules = NominationRules(),  # noqa: B008 (it is frozen)
        known: Callable[[str], Pod | None] | None = None,
        told: Told | None = None,
    ) -> None:
        self.nominated_pods: dict[str, dict[str, Pod]] = {}
        self.nominated_pod_to_node: dict[str, str] = {}
        self._rules = rules
        self._known = known if rules.known_only else None
        self._told = told

    def add(self, pod: Pod, node: str | None = None) -> None:
        """Nominate the pod to the node, "" for none, None for that of its status; it loses another one first."""
        self.delete(pod)
        node = pod.status.nominatedNodeName if node is None else node
        if not node or not self._may_be_nominated(pod):
            return
        uid = pod.metadata.uid
        self.nominated_pod_to_node[uid] = node
        self.nominated_pods.setdefault(node, {})[uid] = pod
        if self._told is not None:
            self._told(pod, node)

    def delete(self, pod: Pod) -> None:
        """Forget the pod's nomination, if it has one."""
        uid = pod.metadata.uid
        node = self.nominated_pod_to_node.pop(uid, None)
        if node is None:
            return
        pods = self.nominated_pods[node]
        nominated = pods.pop(uid)
        if not pods:
            del self.nominated_pods[node]
        if self._told is not None:
            self._told(nominated, None)

    def update(self, old: Pod, new: Pod) -> None:
        """The pod changed, and is the last on its node's list now.

        Its status says where it is nominated to; where neither version's does, v1.13 forgets what was nominated in
        memory, and later generations keep it.
        """
        node = None
        if self._rules.kept and not old.status.nominatedNodeName and not new.status.nominatedNodeName:
            node = self.nominated_pod_to_node.get(old.metadata.uid)
        self.delete(old)
        self.add(new, node)

    def pods_for_node(self, node: str) -> list[Pod]:
        """The pods nominated to the node, as they were when they were nominated."""
        return list(self.nominated_pods.get(node, {}).values())

    def _may_be_nominated(self, pod: Pod) -> bool:
        if self._known is None:
            return True
        newest = self._known(pod.key)
        return newest is not None and not (self._rules.waiting_only and newest.spec.nodeName)
