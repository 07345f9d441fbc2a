"""The pod status that a kubelet reports in each phase: the fields that change.

v1.37: pkg/kubelet/kubelet_pods.go (generateAPIPodStatus, getPhase), status/generate.go (the conditions).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from kschedlab.objects.meta import Time
from kschedlab.objects.model import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    EnactedResources,
    Pod,
    PodCondition,
)

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


def finished_status(pod: Pod, now: int, code: int, reason: str = "", message: str = "") -> Fields:
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
