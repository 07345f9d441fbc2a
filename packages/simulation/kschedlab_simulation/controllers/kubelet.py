"""The kubelets of all nodes: start, run, finish and terminate pods.

v1.37: pkg/kubelet/pod_workers.go (UpdatePod, completeTerminating), status/status_manager.go (syncPod: a terminated
pod is deleted with a grace period of 0). Containers do not crash by themselves, and a pod that is deleted while it
runs does not pass through Succeeded or Failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time, controller_of
from kschedlab.objects.model import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    EnactedResources,
    Node,
    Pod,
    PodCondition,
    ResourceClaim,
)
from kschedlab.objects.quantity import Quantity, QuantityError
from kschedlab_devices.claims import ClaimError, Find, claim_names, is_reserved_for, owner_fault
from kschedlab_simulation.clock import after
from kschedlab_simulation.controllers.kubelet_resize import Resizes
from kschedlab_simulation.controllers.ownership import NODE, pods_by_node
from kschedlab_simulation.events import Record
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.pods import READY, TERMINAL, is_ready
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

Fields: TypeAlias = dict[str, Any]

_INITIALIZED = PodCondition("Initialized", "True")
_WITHOUT_SANDBOX = PodCondition("PodReadyToStartContainers", "False")
_RUNNING_CONDITIONS = (
    PodCondition("PodReadyToStartContainers", "True"),
    _INITIALIZED,
    PodCondition("Ready", "True"),
    PodCondition("ContainersReady", "True"),
)
_CONTAINER_CREATING = ContainerState(waiting=ContainerStateWaiting(reason="ContainerCreating"))


def starting_status(pod: Pod, now: int, host: str) -> Fields:
    """The kubelet has observed the pod and creates its containers."""
    containers = pod.spec.containers
    why = f"containers with unready status: [{' '.join([container.name for container in containers])}]"
    return {
        "startTime": pod.status.startTime or Time.whole_second(now),
        "hostIP": host,
        "conditions": (_WITHOUT_SANDBOX, _INITIALIZED, *_unready("ContainersNotReady", why)),
        "containerStatuses": _containers(containers, pod.status.containerStatuses, _CONTAINER_CREATING, ready=False),
    }


def running_status(pod: Pod, now: int, host: str, address: str) -> Fields:
    """All containers are running and ready; init containers have completed, sidecars keep running."""
    moment = Time.whole_second(now)
    old = next((each.state.running for each in pod.status.containerStatuses if each.state.running), None)
    started = ContainerState(running=old or ContainerStateRunning(moment))
    fields = {
        "phase": "Running",
        "startTime": pod.status.startTime or moment,
        "hostIP": host,
        "podIP": pod.status.podIP or (host if pod.spec.hostNetwork else address),
        "conditions": _RUNNING_CONDITIONS,
        "containerStatuses": _containers(pod.spec.containers, pod.status.containerStatuses, started, ready=True),
    }
    if pod.spec.initContainers:
        ended = ContainerState(
            terminated=ContainerStateTerminated(exitCode=0, reason="Completed", startedAt=moment, finishedAt=moment)
        )
        old_statuses = pod.status.initContainerStatuses
        fields["initContainerStatuses"] = tuple(
            _containers([each], old_statuses, started if each.restartPolicy == "Always" else ended, ready=True)[0]
            for each in pod.spec.initContainers
        )
    return fields


def finished_status(pod: Pod, now: int, code: int, reason: str, message: str) -> Fields:
    """The containers have terminated with this exit code, and the pod with this reason."""
    succeeded = code == 0 and not reason
    why = "PodCompleted" if succeeded else "PodFailed"
    running_status = next((each.state.running for each in pod.status.containerStatuses if each.state.running), None)
    started = running_status.startedAt if running_status is not None else None
    end = ContainerStateTerminated(
        exitCode=code, reason="Error" if code else "Completed", startedAt=started, finishedAt=Time.whole_second(now)
    )
    ended = ContainerState(terminated=end)
    return {
        "phase": "Succeeded" if succeeded else "Failed",
        "reason": reason,
        "message": message,
        "conditions": (
            _WITHOUT_SANDBOX,
            replace(_INITIALIZED, reason=why) if succeeded else _INITIALIZED,
            *_unready(why),
        ),
        "containerStatuses": _containers(pod.spec.containers, pod.status.containerStatuses, ended, ready=False),
    }


def _unready(reason: str, message: str = "") -> tuple[PodCondition, PodCondition]:
    return PodCondition("Ready", "False", reason, message), PodCondition("ContainersReady", "False", reason, message)


def _containers(
    containers: Sequence[Container], old: Sequence[ContainerStatus], state: ContainerState, ready: bool
) -> tuple[ContainerStatus, ...]:
    """All containers in this state; the other fields stay. One that ran has the resources that it was started with."""
    old_statuses = {status.name: status for status in old}
    statuses = []
    for container in containers:
        status = old_statuses.get(container.name) or ContainerStatus(container.name)
        if status.resources is None and state.waiting is None:
            requests = container.resources.requests
            status = replace(status, resources=EnactedResources(requests), allocatedResources=requests)
        statuses.append(replace(status, ready=ready, state=state))
    return tuple(statuses)


FAILED = "Failed to prepare dynamic resources: prepare dynamic resources: {}"
NOT_FOUND = 'fetch ResourceClaim {name}: resourceclaims.resource.k8s.io "{name}" not found'
NOT_RESERVED = "pod {pod} ({uid}) is not allowed to use ResourceClaim {name} ({claim})"
NOT_ALLOCATED = "ResourceClaim {name}: not allocated"


def unprepared(pod: Pod, find: Find, for_group: bool) -> str:
    """The kubelet's message about the first claim that is not ready for the pod; "" if all are.

    ``for_group``: see :mod:`kschedlab_devices.claims`.
    """
    try:
        names = list(claim_names(pod))
    except ClaimError as error:
        return FAILED.format(error)
    if (extended := pod.status.extendedResourceClaimStatus) is not None:
        names.append((extended.resourceClaimName, False))
    for name, own in names:
        if why := _fault(pod, name, own, find, for_group):
            return FAILED.format(why)
    return ""


def _fault(pod: Pod, name: str, own: bool, find: Find, for_group: bool) -> str:
    metadata = pod.metadata
    claim = find((metadata.namespace, name))
    if claim is None:
        return NOT_FOUND.format(name=name)
    if own and (why := owner_fault(claim, pod, for_group)):
        return why
    if not is_reserved_for(claim, pod, for_group):
        return NOT_RESERVED.format(pod=metadata.name, uid=metadata.uid, name=name, claim=claim.metadata.uid)
    return "" if claim.status.allocation is not None else NOT_ALLOCATED.format(name=name)


RUN_SECONDS, EXIT_CODE = "kschedlab.io/run-seconds", "kschedlab.io/exit-code"
"""Annotations: how long a pod runs before it finishes, and its exit code (default 0)."""

NAME = "kubelet"
RETRY = 10 * SECOND
"""Microseconds until a kubelet tries again what failed (v1.37: pod_workers.go, without the jitter)."""
PULLED = 'Container image "{}" already present on machine and can be accessed by the pod'


@dataclass(frozen=True)
class KubeletSettings:
    """Delays in microseconds.

    ``start``: until the containers of a new pod run and are ready. ``stop``: how long containers take to stop, at most
    the pod's grace period; None: the whole grace period. ``run``: how long Job pods without the annotation run; None:
    indefinitely. ``jitter``: up to how much longer each start and stop takes, drawn from the seed.
    """

    start: int = 2 * SECOND
    stop: int | None = None
    run: int | None = 60 * SECOND
    jitter: int = 0


class Kubelet:
    """One kubelet for all nodes. It leaves pods alone whose node is deleted or has the Ready status Unknown."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: KubeletSettings,
        record: Record,
        seed: int,
    ) -> None:
        self._env = env
        self._api = api
        self._settings = settings
        self._random = Random(f"{seed}/kubelet")
        self._record = record
        self._pods = pods_by_node(informers)
        self._nodes = informers.of(Node)
        self._stages: dict[str, str] = {}
        self._stops: dict[str, int] = {}
        self._node_numbers: dict[str, int] = {}
        self._pod_counts: dict[str, int] = {}
        self._resizes = Resizes(env, api, self._pods, self._nodes, record)

    def start(self) -> None:
        self._nodes.add_handler(on_add=self._node_recovered, on_update=self._node_changed)
        self._pods.add_handler(
            on_add=self._pod_changed, on_update=lambda _, pod: self._pod_changed(pod), on_delete=self._pod_deleted
        )

    # -- event handlers

    def _pod_changed(self, pod: Pod) -> None:
        node = pod.spec.nodeName
        if not node:
            return
        uid = pod.metadata.uid
        if self._is_unreachable(node):
            return
        if pod.metadata.deletionTimestamp is not None:
            self._terminate(pod)
        elif uid not in self._stages:
            self._start_pod(pod)
        elif self._stages[uid] == "running":
            self._resizes.changed(pod)

    def _pod_deleted(self, pod: Pod) -> None:
        self._stages.pop(pod.metadata.uid, None)
        self._stops.pop(pod.metadata.uid, None)
        self._resizes.ended(pod)

    def _node_changed(self, old: Node, new: Node) -> None:
        if not _is_ready(old) and not _is_unknown(new):
            self._node_recovered(new)

    def _node_recovered(self, node: Node) -> None:
        """Reprocess the node's pods and restart their timers."""
        for pod in self._pods.by_index(NODE, node.metadata.name):
            self._stages.pop(pod.metadata.uid, None)
            self._stops.pop(pod.metadata.uid, None)
            self._pod_changed(pod)

    def _is_unreachable(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is None or _is_unknown(node)

    # -- pod lifecycle

    def _start_pod(self, pod: Pod) -> None:
        uid, phase = pod.metadata.uid, pod.status.phase
        if phase in TERMINAL:
            self._stages[uid] = "ended"
        elif phase == "Running":
            self._stages[uid] = "running"
            if not is_ready(pod):
                self._write(pod, running_status(pod, self._api.now, self._host_ip(pod), self._pod_ip(pod)))
            self._resizes.started(pod)
            self._schedule_end(pod, _running_since(pod, self._api.now))
        else:
            self._stages[uid] = "starting"
            if self._settings.start:
                self._write(pod, starting_status(pod, self._api.now, self._host_ip(pod)))
            after(self._env, self._settings.start + self._jitter(), self._run, pod)

    def _jitter(self) -> int:
        """Microseconds that a start or a stop takes longer."""
        return int(self._random.random() * self._settings.jitter) if self._settings.jitter else 0

    def _run(self, pod: Pod) -> None:
        if self._stages.get(pod.metadata.uid) != "starting" or self._is_unreachable(pod.spec.nodeName):
            return
        current = self._current(pod)
        if current is not None and (why := self._unprepared(current)):
            self._warn(pod, "FailedPrepareDynamicResources", why)
            after(self._env, RETRY, self._run, pod, idle=True)
        elif current is not None and current.metadata.deletionTimestamp is None:
            self._stages[pod.metadata.uid] = "running"
            updated = self._write(pod, running_status(current, self._api.now, self._host_ip(pod), self._pod_ip(pod)))
            for container in (*current.spec.initContainers, *current.spec.containers):
                self._report(pod, "Pulled", PULLED.format(container.image))
                self._report(pod, "Created", "Container created")
                self._report(pod, "Started", "Container started")
            self._resizes.started(updated or current)
            self._schedule_end(updated or current, self._api.now)

    def _unprepared(self, pod: Pod) -> str:
        """Why the pod's devices are not ready, or ""."""
        if not pod.spec.resourceClaims and pod.status.extendedResourceClaimStatus is None:
            return ""
        return unprepared(pod, lambda key: self._api.find(ResourceClaim, *key), self._api.generation_api.group_claims)

    def _schedule_end(self, pod: Pod, since: int) -> None:
        """Schedule the end of a pod running ``since`` that moment: its run duration or its active deadline."""
        deadline, run = pod.spec.activeDeadlineSeconds, self._run_duration(pod)
        end = None if run is None else since + run
        deadline_at = None if deadline is None else (pod.status.startTime or since) + deadline * SECOND
        if deadline_at is not None and (end is None or deadline_at < end):
            message = "Pod was active on the node longer than the specified deadline"
            after(self._env, max(0, deadline_at - self._api.now), self._end, pod, 137, "DeadlineExceeded", message)
        elif end is not None:
            after(self._env, max(0, end - self._api.now), self._end, pod, self._exit_code(pod), "", "")

    def _end(self, pod: Pod, code: int, reason: str, message: str) -> None:
        if self._stages.get(pod.metadata.uid) != "running" or self._is_unreachable(pod.spec.nodeName):
            return
        current = self._current(pod)
        if current is not None and current.status.phase not in TERMINAL:
            self._stages[pod.metadata.uid] = "ended"
            self._write(pod, finished_status(current, self._api.now, code, reason, message))
            self._resizes.ended(current)

    def _terminate(self, pod: Pod) -> None:
        """Only running containers take time to stop; a shortened grace period takes effect at once."""
        uid, grace = pod.metadata.uid, (pod.metadata.deletionGracePeriodSeconds or 0) * SECOND
        is_running = pod.status.phase == "Running"
        stop = grace if self._settings.stop is None else self._settings.stop + self._jitter()
        wait = min(grace, stop) if is_running else 0
        due = self._api.now + wait
        if is_running and uid not in self._stops:
            for container in pod.spec.containers:
                self._report(pod, "Killing", f"Stopping container {container.name}")
        if uid not in self._stops or due < self._stops[uid]:
            self._stops[uid] = due
            self._stages[uid] = "stopping"
            after(self._env, wait, self._confirm_deletion, pod, due)

    def _confirm_deletion(self, pod: Pod, due: int) -> None:
        metadata = pod.metadata
        if self._stops.get(metadata.uid) != due or self._is_unreachable(pod.spec.nodeName):
            return
        with ignore_deleted():
            self._api.delete(Pod, metadata.namespace, metadata.name, grace_seconds=0, uid=metadata.uid, by=NAME)

    # -- status updates

    def _write(self, pod: Pod, fields: Fields) -> Pod | None:
        """Patch the pod's status, for its generation. None if the pod is deleted."""
        metadata = pod.metadata
        generation, updated = metadata.generation, None
        if generation:
            conditions = [replace(condition, observedGeneration=generation) for condition in fields["conditions"]]
            fields |= {"conditions": conditions, "observedGeneration": generation}
        with ignore_deleted():
            updated = self._api.patch_status(Pod, metadata.namespace, metadata.name, metadata.uid, by=NAME, **fields)
        return updated

    def _current(self, pod: Pod) -> Pod | None:
        """The pod as the API server has it now; None if it is deleted."""
        current = self._api.find(Pod, pod.metadata.namespace, pod.metadata.name)
        return current if current is not None and current.metadata.uid == pod.metadata.uid else None

    def _run_duration(self, pod: Pod) -> int | None:
        text = pod.metadata.annotations.get(RUN_SECONDS)
        if text is not None:
            try:
                return max(0, Quantity(text).nanos // 1000)
            except QuantityError as error:
                self._warn(pod, "InvalidAnnotation", f"{RUN_SECONDS}: {error}; the pod runs indefinitely")
                return None
        owner = controller_of(pod.metadata)
        return self._settings.run if owner is not None and owner.kind == "Job" else None

    def _exit_code(self, pod: Pod) -> int:
        text = pod.metadata.annotations.get(EXIT_CODE, "0")
        if text.isdecimal() and len(text) <= 3:
            return int(text)
        self._warn(pod, "InvalidAnnotation", f"{EXIT_CODE}: not a number from 0 to 999; using 1")
        return 1

    def _warn(self, pod: Pod, reason: str, message: str) -> None:
        self._record(pod, "Warning", reason, message, NAME, pod.spec.nodeName)

    def _report(self, pod: Pod, reason: str, message: str) -> None:
        self._record(pod, "Normal", reason, message, NAME, pod.spec.nodeName)

    # -- addresses

    def _host_ip(self, pod: Pod) -> str:
        """The node's address, from 172.18.0.2 upwards, in the order in which nodes get their first pod."""
        number = self._node_number(pod) + 2
        return f"172.18.{number >> 8 & 255}.{number & 255}"

    def _pod_ip(self, pod: Pod) -> str:
        """The pod's address: each node has a /24, from 10.244.0.0, whose first address is its own."""
        number = (244 << 8) + self._node_number(pod) & 0xFFFF
        count = self._pod_counts.get(pod.spec.nodeName, 0)
        self._pod_counts[pod.spec.nodeName] = count + 1
        return f"10.{number >> 8}.{number & 255}.{2 + count % 253}"

    def _node_number(self, pod: Pod) -> int:
        return self._node_numbers.setdefault(pod.spec.nodeName, len(self._node_numbers))


def _is_unknown(node: Node) -> bool:
    """Whether the node's Ready condition is Unknown: its kubelet does not report."""
    return any(condition.type == "Ready" and condition.status == "Unknown" for condition in node.status.conditions)


def _is_ready(node: Node) -> bool:
    return all(condition.status == "True" for condition in node.status.conditions if condition.type == READY)


def _running_since(pod: Pod, now: int) -> int:
    """When the pod's containers started, by its status; else its start time, or now."""
    for status in pod.status.containerStatuses:
        if status.state.running is not None and status.state.running.startedAt is not None:
            return status.state.running.startedAt
    return pod.status.startTime or now
