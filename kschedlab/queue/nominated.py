"""Nominated pods: each waits for a node whose victims are terminating.

v1.13, v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (nominatedPodMap). v1.37:
pkg/scheduler/backend/queue/nominator.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import OnNominated


@dataclass(frozen=True)
class NominationRules:
    """What differs between generations. The defaults are those of v1.13.

    ``survives_update``: an in-memory nomination survives a pod update that arrives before its status (since v1.14).
    ``only_known_pods``: a pod that the informer does not have is not nominated (since v1.20).
    ``only_unassigned_pods``: a pod that has been assigned to a node is not nominated (since v1.21).
    """

    survives_update: bool = False
    only_known_pods: bool = False
    only_unassigned_pods: bool = False


NOMINATIONS_1_16 = NominationRules(survives_update=True)
NOMINATIONS_1_20 = NominationRules(survives_update=True, only_known_pods=True)
NOMINATIONS_1_22 = NominationRules(survives_update=True, only_known_pods=True, only_unassigned_pods=True)


class NominatedPodMap:
    """The nominations in memory, at most one per pod; they may differ from ``status.nominatedNodeName``.

    ``nominated_pods``: by node, the pods by uid, in order of nomination. ``nominated_pod_to_node``: the node by the
    pod's uid. ``get_pod``: looks up a pod in the informer by ``namespace/name``. ``on_nominated``: see
    :data:`~kschedlab.queue.interface.OnNominated`.
    """

    def __init__(
        self,
        rules: NominationRules = NominationRules(),  # noqa: B008 (it is frozen)
        get_pod: Callable[[str], Pod | None] | None = None,
        on_nominated: OnNominated | None = None,
    ) -> None:
        self.nominated_pods: dict[str, dict[str, Pod]] = {}
        self.nominated_pod_to_node: dict[str, str] = {}
        self._rules = rules
        self._get_pod = get_pod if rules.only_known_pods else None
        self._on_nominated = on_nominated

    def add(self, pod: Pod, node: str | None = None) -> None:
        """Nominate the pod to the node ("": no node; None: the node in its status), replacing its nomination."""
        self.delete(pod)
        node = pod.status.nominatedNodeName if node is None else node
        if not node:
            return
        if self._get_pod is not None:
            current = self._get_pod(pod.key)
            if current is None or (self._rules.only_unassigned_pods and current.spec.nodeName):
                return
        uid = pod.metadata.uid
        self.nominated_pod_to_node[uid] = node
        self.nominated_pods.setdefault(node, {})[uid] = pod
        if self._on_nominated is not None:
            self._on_nominated(pod, node)

    def delete(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        node = self.nominated_pod_to_node.pop(uid, None)
        if node is None:
            return
        pods = self.nominated_pods[node]
        nominated = pods.pop(uid)
        if not pods:
            del self.nominated_pods[node]
        if self._on_nominated is not None:
            self._on_nominated(nominated, None)

    def update(self, old: Pod, new: Pod) -> None:
        """The pod changed; it moves to the end of its node's list.

        The new status names the node. If neither version's status does, v1.13 drops the nomination in memory, and later
        generations keep it.
        """
        node = None
        if self._rules.survives_update and not old.status.nominatedNodeName and not new.status.nominatedNodeName:
            node = self.nominated_pod_to_node.get(old.metadata.uid)
        self.delete(old)
        self.add(new, node)

    def pods_for_node(self, node: str) -> list[Pod]:
        """The pods nominated to the node, in the version that was nominated."""
        return list(self.nominated_pods.get(node, {}).values())
