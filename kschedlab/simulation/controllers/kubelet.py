"""The kubelets of all nodes: pods start, run, end and go.

v1.37: pkg/kubelet/pod_workers.go (UpdatePod, completeTerminating), status/status_manager.go (syncPod: a pod that has
ended is deleted with a grace period of 0). Containers never crash by themselves, and a pod that is deleted while it
runs does not pass through Succeeded or Failed.
"""

from __future__ import annotations

from dataclasses import dataclass

import simpy

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.quantity import Quantity, QuantityError
from kschedlab.simulation.clock import after
from kschedlab.simulation.controllers.kubelet_status import Fields, finished, running, taken_up
from kschedlab.simulation.controllers.ownership import NODE, pods_by_node
from kschedlab.simulation.events import Record, silent
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.pods import NODE_NOT_READY, READY, TERMINAL, condition_of, controller_of
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.status import ignore_deleted

RUN_SECONDS, EXIT_CODE = "kschedlab.io/run-seconds", "kschedlab.io/exit-code"
"""Annotations: how long a pod runs before it ends by itself, and with which exit code (0 if nothing is said)."""

NAME = "kubelet"


@dataclass(frozen=True)
class KubeletSettings:
    """Delays in microseconds.

    ``start``: from the moment a pod is taken up until its containers run and are ready. ``stop``: how long containers
    take to stop, at most the pod's grace period; None: all of it. ``run``: how long the pods of Jobs run that do not
    say it in an annotation; None: for ever.
    """

    start: int = 2 * SECOND
    stop: int | None = None
    run: int | None = 60 * SECOND


class Kubelet:
    """One process for all nodes. Pods on nodes that are gone, or whose Ready is Unknown, are left as they are."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: KubeletSettings = KubeletSettings(),
        record: Record = silent,
    ) -> None:
        self._env = env
        self._api = api
        self._settings = settings
        self._record = record
        self._pods = pods_by_node(informers)
        self._nodes = informers.of(Node)
        self._stages: dict[str, str] = {}
        self._stops: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._addresses: dict[str, int] = {}

    def start(self) -> None:
        """Begin to watch."""
        self._nodes.add_handler(on_add=self._node_is_back, on_update=self._node_changed)
        self._pods.add_handler(on_add=self._see, on_update=lambda _, pod: self._see(pod), on_delete=self._forget)

    # -- what the watch tells

    def _see(self, pod: Pod) -> None:
        node = pod.spec.nodeName
        if not node:
            return
        uid = pod.metadata.uid
        if self._is_dead(node):
            return
        if pod.metadata.deletionTimestamp is not None:
            self._stop(pod)
        elif uid not in self._stages:
            self._take_up(pod)

    def _forget(self, pod: Pod) -> None:
        self._stages.pop(pod.metadata.uid, None)
        self._stops.pop(pod.metadata.uid, None)

    def _node_changed(self, old: Node, new: Node) -> None:
        if not _is_ready(old) and not _is_silent(new):
            self._node_is_back(new)

    def _node_is_back(self, node: Node) -> None:
        """What happened meanwhile is seen now, and what was due is due again."""
        for pod in self._pods.by_index(NODE, node.metadata.name):
            self._stages.pop(pod.metadata.uid, None)
            self._stops.pop(pod.metadata.uid, None)
            self._see(pod)

    def _is_dead(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is None or _is_silent(node)

    # -- a pod's life

    def _take_up(self, pod: Pod) -> None:
        uid, phase = pod.metadata.uid, pod.status.phase
        if phase in TERMINAL:
            self._stages[uid] = "ended"
        elif phase == "Running":
            self._stages[uid] = "running"
            found = condition_of(pod.status.conditions, READY)
            if found is None or found.reason == NODE_NOT_READY:
                self._write(pod, running(pod, self._api.now, self._host(pod), self._address(pod)))
            self._ends(pod, _running_since(pod, self._api.now))
        else:
            self._stages[uid] = "starting"
            if self._settings.start:
                self._write(pod, taken_up(pod, self._api.now, self._host(pod)))
            after(self._env, self._settings.start, self._run, pod)

    def _run(self, pod: Pod) -> None:
        if self._stages.get(pod.metadata.uid) != "starting" or self._is_dead(pod.spec.nodeName):
            return
        live = self._live(pod)
        if live is not None and live.metadata.deletionTimestamp is None:
            self._stages[pod.metadata.uid] = "running"
            runs = self._write(pod, running(live, self._api.now, self._host(pod), self._address(pod)))
            self._ends(runs or live, self._api.now)

    def _ends(self, pod: Pod, since: int) -> None:
        """Sees to it that a pod whose containers run ``since`` then ends, if it is one that does."""
        deadline, run = pod.spec.activeDeadlineSeconds, self._duration(pod)
        ends = None if run is None else since + run
        limit = None if deadline is None else (pod.status.startTime or since) + deadline * SECOND
        if limit is not None and (ends is None or limit < ends):
            message = "Pod was active on the node longer than the specified deadline"
            after(self._env, max(0, limit - self._api.now), self._end, pod, 137, "DeadlineExceeded", message)
        elif ends is not None:
            after(self._env, max(0, ends - self._api.now), self._end, pod, self._exit_code(pod), "", "")

    def _end(self, pod: Pod, code: int, reason: str, message: str) -> None:
        if self._stages.get(pod.metadata.uid) != "running" or self._is_dead(pod.spec.nodeName):
            return
        live = self._live(pod)
        if live is not None and live.status.phase not in TERMINAL:
            self._stages[pod.metadata.uid] = "ended"
            self._write(pod, finished(live, self._api.now, code, reason, message))

    def _stop(self, pod: Pod) -> None:
        """Only containers that run need time; a grace period that was shortened counts at once."""
        uid, grace = pod.metadata.uid, (pod.metadata.deletionGracePeriodSeconds or 0) * SECOND
        runs = pod.status.phase == "Running"
        wait = min(grace, grace if self._settings.stop is None else self._settings.stop) if runs else 0
        due = self._api.now + wait
        if uid not in self._stops or due < self._stops[uid]:
            self._stops[uid] = due
            self._stages[uid] = "stopping"
            after(self._env, wait, self._confirm, pod, due)

    def _confirm(self, pod: Pod, due: int) -> None:
        metadata = pod.metadata
        if self._stops.get(metadata.uid) != due or self._is_dead(pod.spec.nodeName):
            return
        with ignore_deleted():
            self._api.delete(Pod, metadata.namespace, metadata.name, grace_seconds=0, uid=metadata.uid, by=NAME)

    # -- what is written

    def _write(self, pod: Pod, fields: Fields) -> Pod | None:
        """Patch the pod's status. None if the pod is gone."""
        metadata = pod.metadata
        written = None
        with ignore_deleted():
            written = self._api.patch_status(Pod, metadata.namespace, metadata.name, metadata.uid, by=NAME, **fields)
        return written

    def _live(self, pod: Pod) -> Pod | None:
        """The pod as the API server has it now; None if it is gone."""
        live = self._api.find(Pod, pod.metadata.namespace, pod.metadata.name)
        return live if live is not None and live.metadata.uid == pod.metadata.uid else None

    def _duration(self, pod: Pod) -> int | None:
        text = pod.metadata.annotations.get(RUN_SECONDS)
        if text is not None:
            try:
                return max(0, Quantity(text).nanos // 1000)
            except QuantityError as error:
                self._record(pod, "Warning", "InvalidAnnotation", f"{RUN_SECONDS}: {error}; the pod runs for ever")
                return None
        owner = controller_of(pod.metadata)
        return self._settings.run if owner is not None and owner.kind == "Job" else None

    def _exit_code(self, pod: Pod) -> int:
        text = pod.metadata.annotations.get(EXIT_CODE, "0")
        if text.isdecimal() and len(text) <= 3:
            return int(text)
        self._record(pod, "Warning", "InvalidAnnotation", f"{EXIT_CODE}: not a number from 0 to 999; 1 is taken")
        return 1

    # -- addresses

    def _host(self, pod: Pod) -> str:
        """The node's address: nodes are numbered as their first pods come, from 172.18.0.2."""
        number = self._number(pod) + 2
        return f"172.18.{number >> 8 & 255}.{number & 255}"

    def _address(self, pod: Pod) -> str:
        """The pod's address: each node has 256, from 10.244.0.0, the first of them for itself."""
        number = (244 << 8) + self._number(pod) & 0xFFFF
        count = self._addresses[pod.spec.nodeName] = self._addresses.get(pod.spec.nodeName, 0) + 1
        return f"10.{number >> 8}.{number & 255}.{1 + count % 254}"

    def _number(self, pod: Pod) -> int:
        return self._numbers.setdefault(pod.spec.nodeName, len(self._numbers))


def _is_silent(node: Node) -> bool:
    """Whether nothing has been heard of the node's kubelet."""
    return any(each.type == "Ready" and each.status == "Unknown" for each in node.status.conditions)


def _is_ready(node: Node) -> bool:
    return all(each.status == "True" for each in node.status.conditions if each.type == READY)


def _running_since(pod: Pod, now: int) -> int:
    """When the pod's containers began to run, as far as it is known."""
    for status in pod.status.containerStatuses:
        if status.state.running is not None and status.state.running.startedAt is not None:
            return status.state.running.startedAt
    return pod.status.startTime or now
