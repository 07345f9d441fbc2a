"""The node lifecycle controller: taints nodes by their conditions, and evicts pods that do not tolerate the taints.

v1.37: pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go. The
scenario sets the conditions: there are no heartbeats, and evictions do not slow down when many nodes of a zone fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import UNSCHEDULABLE_TAINT, Node, Pod, PodCondition, Taint, Toleration
from kschedlab_simulation.clock import after
from kschedlab_simulation.controllers.ownership import NODE, pods_by_node
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue, at_once
from kschedlab_simulation.events import Record
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.pods import DISRUPTION_TARGET, READY, is_ready
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"

_TAINT_OF_CONDITION = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}


def with_taints(node: Node, now: int) -> Node:
    """The node with the taints that its conditions require; the same object if nothing changes.

    Taints from other sources stay, as do taints of conditions that the node does not report.
    """
    conditions = {(condition.type, condition.status): None for condition in node.status.conditions}
    from_conditions = [_TAINT_OF_CONDITION[each] for each in conditions if each in _TAINT_OF_CONDITION]
    wanted = {(key, NO_SCHEDULE): None for key in from_conditions}
    if node.spec.unschedulable:
        wanted[UNSCHEDULABLE_TAINT.key, NO_SCHEDULE] = None
    wanted |= {(key, NO_EXECUTE): None for key in from_conditions if key in (NOT_READY, UNREACHABLE)}
    types = {type for type, _ in conditions}
    managed = {UNSCHEDULABLE_TAINT.key, *(key for (type, _), key in _TAINT_OF_CONDITION.items() if type in types)}
    kept = [taint for taint in node.spec.taints if not _is_managed(taint, managed) or _identity(taint) in wanted]
    present = set(map(_identity, kept))
    missing = [identity for identity in wanted if identity not in present]
    new = [Taint(key, effect=effect, timeAdded=Time.whole_second(now)) for key, effect in missing]
    if not new and len(kept) == len(node.spec.taints):
        return node
    return replace(node, spec=replace(node.spec, taints=(*kept, *new)))


def _identity(taint: Taint) -> tuple[str, str]:
    return taint.key, taint.effect


def _is_managed(taint: Taint, managed: set[str]) -> bool:
    evicts = taint.effect == NO_EXECUTE and taint.key in (NOT_READY, UNREACHABLE)
    return taint.key in managed and (evicts or taint.effect == NO_SCHEDULE)


def toleration_time(tolerations: Sequence[Toleration], taints: Iterable[Taint]) -> int | None:
    """Microseconds that the pod may stay: 0 if it must go at once, None if it may stay indefinitely.

    ``taints``: the node's taints with the effect NoExecute. The shortest toleration counts.
    """
    limits: list[int] = []
    for taint in taints:
        matching = [toleration for toleration in tolerations if toleration.tolerates(taint)]
        if not matching:
            return 0
        limits += [max(0, each.tolerationSeconds) for each in matching[:1] if each.tolerationSeconds is not None]
    return min(limits) * SECOND if limits else None


NAME, EVICTOR = "node-controller", "taint-eviction-controller"
MONITOR_PERIOD = 5 * SECOND
"""Microseconds between two looks at all nodes (nodeMonitorPeriod)."""

NODE_NOT_READY, EVICTION = "NodeNotReady", "TaintManagerEviction"
"""Reasons of events."""

EVICTION_CONDITION = PodCondition(
    DISRUPTION_TARGET,
    "True",
    "DeletionByTaintManager",
    "Taint manager: deleting due to NoExecute taint",
)
NOT_READY_CONDITION = PodCondition(READY, "False")


class NodeLifecycle:
    """Maintains the taints of nodes, and deletes pods when their toleration ends."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        record: Record,
        latency: Latency = at_once,
    ) -> None:
        self._env = env
        self._api = api
        self._record = record
        self._started_at = api.now
        self._synced = False
        self._shared_informers = informers
        self._nodes = informers.of(Node)
        self._pods = pods_by_node(informers)
        self._tainted_since: dict[str, int] = {}
        self._taints: WorkQueue[str] = WorkQueue(env, self._taint, latency)
        self._evictions: WorkQueue[str] = WorkQueue(env, self._evict, latency)

    def start(self) -> None:
        self._nodes.add_handler(self._node_added, self._node_changed, self._node_deleted)
        self._pods.add_handler(self._pod_added, self._pod_changed, self._pod_deleted)
        synced = self._shared_informers.synced
        synced.callbacks.append(lambda _: self._begin())
        for queue in (self._taints, self._evictions):
            queue.start(synced)

    def _begin(self) -> None:
        self._synced = True

    def _node_added(self, node: Node) -> None:
        self._taints.add(node.metadata.name)
        if _no_execute(node):
            self._enqueue_pods(node)
        if self._synced:
            self._tell(node, "RegisteredNode", f"Registered Node {node.metadata.name} in Controller")

    def _node_deleted(self, node: Node) -> None:
        self._tell(node, "RemovingNode", f"Removing Node {node.metadata.name} from Controller")

    def _tell(self, node: Node, reason: str, what: str) -> None:
        """Record the event when the controller looks at all nodes the next time."""
        wait = -(self._api.now - self._started_at) % MONITOR_PERIOD
        message = f"Node {node.metadata.name} event: {what}"
        after(self._env, wait, self._record, node, "Normal", reason, message, NAME, idle=True)

    def _node_changed(self, old: Node, new: Node) -> None:
        self._taints.add(new.metadata.name)
        if _no_execute(old) != _no_execute(new):
            self._enqueue_pods(new)
        status = _ready_status(new)
        if _ready_status(old) == "True" != status:
            message = f"Node {new.metadata.name} status is now: {NODE_NOT_READY}"
            self._record(new, "Normal", NODE_NOT_READY, message, NAME if status == "Unknown" else "kubelet")

    def _enqueue_pods(self, node: Node) -> None:
        for pod in self._pods.by_index(NODE, node.metadata.name):
            self._evictions.add(pod.key)

    def _pod_added(self, pod: Pod) -> None:
        if pod.spec.nodeName:
            node = self._nodes.get(pod.spec.nodeName)
            if node is None or _no_execute(node):
                self._evictions.add(pod.key)

    def _pod_changed(self, old: Pod, new: Pod) -> None:
        if old.spec.nodeName != new.spec.nodeName or old.spec.tolerations != new.spec.tolerations:
            self._pod_added(new)

    def _pod_deleted(self, pod: Pod) -> None:
        self._cancel(pod.key, pod)

    def _cancel(self, key: str, pod: Pod | None) -> None:
        """Forget the pod's eviction, if one is planned."""
        if self._tainted_since.pop(key, None) is not None and pod is not None:
            self._record(pod, "Normal", EVICTION, f"Cancelling deletion of Pod {key}", EVICTOR)

    def _taint(self, name: str) -> None:
        node = self._nodes.get(name)
        if node is None:
            return
        tainted = with_taints(node, self._api.now)
        if tainted is not node:
            self._api.update(tainted, by=NAME)
        if any(condition.type == READY and condition.status != "True" for condition in node.status.conditions):
            self._mark_unready(name)

    def _mark_unready(self, name: str) -> None:
        """Mark the pods of a node that is not ready as not ready (MarkPodsNotReady)."""
        for pod in self._pods.by_index(NODE, name):
            if is_ready(pod):
                metadata = pod.metadata
                self._api.patch_status(
                    Pod, metadata.namespace, metadata.name, metadata.uid, by=NAME, conditions=[NOT_READY_CONDITION]
                )
                self._record(pod, "Warning", NODE_NOT_READY, "Node is not ready", NAME)

    def _evict(self, key: str) -> None:
        """Delete the pod if its toleration has run out since the taints appeared; otherwise requeue it."""
        pod = self._pods.get(key)
        node = self._nodes.get(pod.spec.nodeName) if pod is not None else None
        taints = _no_execute(node) if node is not None else []
        if pod is None or not taints or pod.metadata.deletionTimestamp is not None:
            self._cancel(key, pod)
            return
        tolerated = toleration_time(pod.spec.tolerations, taints)
        if tolerated is None:
            self._cancel(key, pod)
        elif (remaining := self._tainted_since.setdefault(key, self._api.now) + tolerated - self._api.now) > 0:
            self._evictions.add(key, remaining)
        else:
            self._tainted_since.pop(key)
            self._delete(pod)

    def _delete(self, pod: Pod) -> None:
        namespace, name, uid = pod.metadata.namespace, pod.metadata.name, pod.metadata.uid
        condition = replace(EVICTION_CONDITION, observedGeneration=pod.metadata.generation)
        self._record(pod, "Normal", EVICTION, f"Marking for deletion Pod {pod.key}", EVICTOR)
        with ignore_deleted():
            self._api.patch_status(Pod, namespace, name, uid, by=NAME, conditions=[condition])
            self._api.delete(Pod, namespace, name, uid=uid, by=NAME)


def _ready_status(node: Node) -> str:
    return next((condition.status for condition in node.status.conditions if condition.type == READY), "")


def _no_execute(node: Node) -> list[Taint]:
    return [taint for taint in node.spec.taints if taint.effect == NO_EXECUTE]
