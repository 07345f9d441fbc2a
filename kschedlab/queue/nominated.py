"""Pods that are to come to a node once its victims are gone, as v1.13, v1.16 and v1.20 keep them.

v1.13, v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (nominatedPodMap).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import Told


@dataclass(frozen=True)
class NominationRules:
    """What differs between generations.

    ``kept``: a nomination made in memory stays when the pod is updated before its status has it (since v1.14).
    ``known_only``: a pod that the informer does not know is not nominated (since v1.20).
    """

    kept: bool = False
    known_only: bool = False


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
        self._kept = rules.kept
        self._known = known if rules.known_only else None
        self._told = told

    def add(self, pod: Pod, node: str = "") -> None:
        """Nominate the pod to the node, by default to that of its status; it loses another nomination first."""
        self.delete(pod)
        node = node or pod.status.nominatedNodeName
        if not node or (self._known is not None and self._known(pod.key) is None):
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
        node = ""
        if self._kept and not old.status.nominatedNodeName and not new.status.nominatedNodeName:
            node = self.nominated_pod_to_node.get(old.metadata.uid, "")
        self.delete(old)
        self.add(new, node)

    def pods_for_node(self, node: str) -> list[Pod]:
        """The pods nominated to the node, as they were when they were nominated."""
        return list(self.nominated_pods.get(node, {}).values())
