"""Pods that are to come to a node once its victims are gone.

v1.37: pkg/scheduler/backend/queue/nominator.go.
"""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import Told


class Nominator:
    """Nominations by node, in the order in which they were made; a pod has one at most.

    ``known``: the newest version of a pod, by ``namespace/name``; a pod that is gone or on a node is not nominated.
    ``told``: see :data:`Told`.
    """

    def __init__(self, known: Callable[[str], Pod | None] | None = None, told: Told | None = None) -> None:
        self._known = known
        self._told = told
        self._node_of: dict[str, str] = {}
        self._pods: dict[str, dict[str, Pod]] = {}

    def add(self, pod: Pod, node: str) -> None:
        """Nominate the pod to the node, and to no other one; "" to none."""
        self.delete(pod)
        if not node or not self._waits(pod):
            return
        uid = pod.metadata.uid
        self._node_of[uid] = node
        self._pods.setdefault(node, {})[uid] = pod
        if self._told is not None:
            self._told(pod, node)

    def update(self, old: Pod, new: Pod) -> None:
        """The pod changed: follow its ``nominatedNodeName``; where neither version has one, the nomination stays."""
        node = new.status.nominatedNodeName
        if not node and not old.status.nominatedNodeName:
            node = self._node_of.get(old.metadata.uid, "")
        self.delete(old)
        self.add(new, node)

    def delete(self, pod: Pod) -> None:
        """Forget the pod's nomination, if it has one."""
        uid = pod.metadata.uid
        node = self._node_of.pop(uid, None)
        if node is None:
            return
        pods = self._pods[node]
        nominated = pods.pop(uid)
        if not pods:
            del self._pods[node]
        if self._told is not None:
            self._told(nominated, None)

    def pods(self, node: str) -> list[Pod]:
        """The pods nominated to the node, as they were when they were nominated."""
        return list(self._pods.get(node, {}).values())

    def _waits(self, pod: Pod) -> bool:
        if self._known is None:
            return True
        newest = self._known(pod.key)
        return newest is not None and not newest.spec.nodeName
