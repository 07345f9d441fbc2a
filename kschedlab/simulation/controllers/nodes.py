"""What becomes of nodes that are not ready, and of the pods on them.

v1.37: pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go. The
conditions are the scenario's to set: no heartbeats are sent or missed, and evictions are not slowed down when many
nodes of a zone fail.
"""

from __future__ import annotations

import simpy

from kschedlab.objects.model import Node, Pod, PodCondition, Taint
from kschedlab.simulation.controllers.ownership import NODE, pods_by_node
from kschedlab.simulation.controllers.taints import NO_EXECUTE, stays_for, tainted
from kschedlab.simulation.controllers.work_queue import Work
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.pods import DISRUPTION_TARGET, NODE_NOT_READY, READY, is_ready
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.status import ignore_deleted

NAME = "node-controller"
EVICTED = PodCondition(
    DISRUPTION_TARGET,
    "True",
    "DeletionByTaintManager",
    "Taint manager: deleting due to NoExecute taint",
)
NOT_READY = PodCondition(READY, "False", NODE_NOT_READY)


class Nodes:
    """Keeps the taints of nodes, and deletes the pods that do not tolerate them (any longer)."""

    def __init__(self, env: simpy.Environment, api: ApiServer, informers: Informers) -> None:
        self._api = api
        self._shared = informers
        self._nodes = informers.of(Node)
        self._pods = pods_by_node(informers)
        self._since: dict[str, int] = {}
        self._taints: Work[str] = Work(env, self._taint)
        self._evictions: Work[str] = Work(env, self._evict)

    def start(self) -> None:
        """Begin to watch."""
        self._nodes.add_handler(self._node_came, self._node_changed)
        self._pods.add_handler(self._pod_came, self._pod_changed, self._pod_gone)
        for work in (self._taints, self._evictions):
            work.begin(self._shared.synced)

    def _node_came(self, node: Node) -> None:
        self._taints.add(node.metadata.name)
        if _no_execute(node):
            self._look_at_pods(node)

    def _node_changed(self, old: Node, new: Node) -> None:
        self._taints.add(new.metadata.name)
        if _no_execute(old) != _no_execute(new):
            self._look_at_pods(new)

    def _look_at_pods(self, node: Node) -> None:
        for pod in self._pods.by_index(NODE, node.metadata.name):
            self._evictions.add(pod.key)

    def _pod_came(self, pod: Pod) -> None:
        if pod.spec.nodeName:
            node = self._nodes.get(pod.spec.nodeName)
            if node is None or _no_execute(node):
                self._evictions.add(pod.key)

    def _pod_changed(self, old: Pod, new: Pod) -> None:
        if old.spec.nodeName != new.spec.nodeName or old.spec.tolerations != new.spec.tolerations:
            self._pod_came(new)

    def _pod_gone(self, pod: Pod) -> None:
        self._since.pop(pod.key, None)

    def _taint(self, name: str) -> None:
        node = self._nodes.get(name)
        if node is None:
            return
        wanted = tainted(node, self._api.now)
        if wanted is not node:
            self._api.update(wanted, by=NAME)
        if any(each.type == READY and each.status != "True" for each in node.status.conditions):
            self._mark_unready(name)

    def _mark_unready(self, name: str) -> None:
        """The pods of a node that is not ready are not ready either (MarkPodsNotReady)."""
        for pod in self._pods.by_index(NODE, name):
            if is_ready(pod):
                metadata = pod.metadata
                self._api.patch_status(
                    Pod, metadata.namespace, metadata.name, metadata.uid, by=NAME, conditions=[NOT_READY]
                )

    def _evict(self, key: str) -> None:
        """Delete the pod if its time has come; else look again then. The time runs from when the taints came."""
        pod = self._pods.get(key)
        node = self._nodes.get(pod.spec.nodeName) if pod is not None else None
        taints = _no_execute(node) if node is not None else []
        if pod is None or not taints or pod.metadata.deletionTimestamp is not None:
            self._since.pop(key, None)
            return
        stays = stays_for(pod.spec.tolerations, taints)
        if stays is None:
            self._since.pop(key, None)
        elif (left := self._since.setdefault(key, self._api.now) + stays - self._api.now) > 0:
            self._evictions.add(key, left)
        else:
            self._delete(pod)

    def _delete(self, pod: Pod) -> None:
        namespace, name, uid = pod.metadata.namespace, pod.metadata.name, pod.metadata.uid
        with ignore_deleted():
            self._api.patch_status(Pod, namespace, name, uid, by=NAME, conditions=[EVICTED])
            self._api.delete(Pod, namespace, name, uid=uid, by=NAME)


def _no_execute(node: Node) -> list[Taint]:
    return [taint for taint in node.spec.taints if taint.effect == NO_EXECUTE]
