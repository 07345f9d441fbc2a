"""The kubelet's part of an in-place resize: it allocates the new resources if its node has room, and enacts them.

v1.37: pkg/kubelet/allocation/allocation_manager.go (handlePodResourcesResize, sortPendingResizes), events/resize.go,
status/status_manager.go. A resize without room is deferred until other pods on the node end or shrink.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    Container,
    ContainerStatus,
    EnactedResources,
    Node,
    Pod,
    PodCondition,
    PodSpec,
    PodStatus,
    ResourceList,
    ResourceRequirements,
)
from kschedlab.objects.requests import pod_requests
from kschedlab_simulation.clock import after
from kschedlab_simulation.controllers.ownership import NODE
from kschedlab_simulation.events import NORMAL, WARNING, Record
from kschedlab_simulation.informers import Informer
from kschedlab_simulation.pods import TERMINAL, condition_of, with_condition
from kschedlab_simulation.qos import GUARANTEED, qos_class
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

NAME = "kubelet"
PENDING, IN_PROGRESS, DEFERRED = "PodResizePending", "PodResizeInProgress", "Deferred"
NO_ROOM = "Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}"
ACTUATION = SECOND
"""Microseconds until the containers have their new resources, and the kubelet has seen it."""


class Resizes:
    """The kubelets' allocations to the pods that they run, and the resizes that wait for room."""

    def __init__(
        self, env: simpy.Environment, api: ApiServer, pods: Informer[Pod], nodes: Informer[Node], record: Record
    ) -> None:
        self._env = env
        self._api = api
        self._pods = pods
        self._nodes = nodes
        self._record = record
        self._allocated: dict[str, PodSpec] = {}
        self._pending: dict[str, tuple[str, int]] = {}  # by uid: why it waits, and the generation that asks

    def started(self, pod: Pod) -> None:
        """The pod's containers run: what it requests is allocated."""
        self._allocated[pod.metadata.uid] = allocated_spec(pod)
        self.changed(pod)

    def ended(self, pod: Pod) -> None:
        """The pod ended or is gone: there may be room for others."""
        if self._allocated.pop(pod.metadata.uid, None) is not None:
            self._pending.pop(pod.metadata.uid, None)
            self._retry(pod.spec.nodeName)

    def changed(self, pod: Pod) -> None:
        """A running pod changed; it may ask for other resources."""
        uid = pod.metadata.uid
        if uid in self._allocated and (uid in self._pending or not _is_same(self._allocated[uid], pod.spec)):
            self._pending.setdefault(uid, ("", 0))
            self._retry(pod.spec.nodeName)

    # -- allocation

    def _retry(self, node: str) -> None:
        """Try the node's pending resizes: those that need no more, then by priority, QoS class and age."""
        if not self._pending:
            return
        waiting = [pod for pod in self._pods.by_index(NODE, node) if pod.metadata.uid in self._pending]
        for pod in sorted(waiting, key=self._rank):
            self._allocate(pod)

    def _rank(self, pod: Pod) -> tuple[bool, int, bool, int]:
        before, after = self._requests(pod), _requested(pod.spec, pod)
        grows = any(after.get(name, 0) > before.get(name, 0) for name in ("cpu", "memory"))
        waiting = condition_of(pod.status.conditions, PENDING)
        since = waiting.lastTransitionTime if waiting is not None else None
        return grows, -(pod.spec.priority or 0), qos_class(pod) != GUARANTEED, since or self._api.now

    def _allocate(self, pod: Pod) -> None:
        uid, generation = pod.metadata.uid, pod.metadata.generation
        if _is_same(self._allocated[uid], pod.spec):
            del self._pending[uid]
            self._write(pod, lambda status, _: _without(status, PENDING))
            return
        if why := self._no_room(pod):
            condition = PodCondition(PENDING, "True", DEFERRED, why, generation)
            known, asked = self._pending[uid]
            self._pending[uid] = why, generation
            if (known, asked) != (why, generation):
                self._write(pod, lambda status, now: _with(status, condition, now))
            if asked != generation:
                self._report(pod, WARNING, "ResizeDeferred", f"Pod resize {DEFERRED}", why)
            return
        del self._pending[uid]
        self._allocated[uid] = pod.spec
        condition = PodCondition(IN_PROGRESS, "True", observedGeneration=generation)
        self._write(pod, lambda status, now: _with(_allocated(_without(status, PENDING), pod.spec), condition, now))
        self._report(pod, NORMAL, "ResizeStarted", "Pod resize started")
        after(self._env, ACTUATION, self._actuate, pod)

    def _actuate(self, pod: Pod) -> None:
        """The containers have what was allocated last."""
        spec = self._allocated.get(pod.metadata.uid)
        if spec is pod.spec:
            self._write(pod, lambda status, _: _enacted(_without(status, IN_PROGRESS), spec))
            self._report(pod, NORMAL, "ResizeCompleted", "Pod resize completed")
            self._retry(pod.spec.nodeName)

    def _no_room(self, pod: Pod) -> str:
        """Why the node cannot take the resized pod beside the others, or ""."""
        node = self._nodes.get(pod.spec.nodeName)
        wanted = _requested(pod.spec, pod)
        others = [
            self._requests(other)
            for other in self._pods.by_index(NODE, pod.spec.nodeName)
            if other.metadata.uid != pod.metadata.uid and other.status.phase not in TERMINAL
        ]
        for name in ("cpu", "memory"):
            amount = node.status.allocatable.get(name) if node is not None else None
            capacity = 0 if amount is None else amount.amount(name)
            used, more = sum(each.get(name, 0) for each in others), wanted.get(name, 0)
            if more > capacity - used:
                return NO_ROOM.format(name, more, used, capacity)
        return ""

    def _requests(self, pod: Pod) -> dict[str, int]:
        return _requested(self._allocated.get(pod.metadata.uid, pod.spec), pod)

    # -- what others see

    def _write(self, pod: Pod, change: Callable[[PodStatus, int], PodStatus]) -> None:
        with ignore_deleted():
            current = self._api.get(Pod, pod.metadata.namespace, pod.metadata.name)
            if current.metadata.uid == pod.metadata.uid:
                status = change(current.status, self._api.now)
                metadata = replace(current.metadata, resourceVersion="")
                self._api.update_status(replace(current, metadata=metadata, status=status), by=NAME)

    def _report(self, pod: Pod, type: str, reason: str, prefix: str, error: str = "") -> None:
        summary: dict[str, Any] = {}
        for field in ("initContainers", "containers"):
            if containers := getattr(pod.spec, field):
                summary[field] = [
                    {"name": container.name, "resources": _shown(container.resources)} for container in containers
                ]
        summary["generation"] = pod.metadata.generation
        if error:
            summary["error"] = error
        text = json.dumps(summary, separators=(",", ":"))
        self._record(pod, type, reason, f"{prefix}: {text}", NAME, pod.spec.nodeName)


def allocated_spec(pod: Pod) -> PodSpec:
    """The pod's spec with the requests that its status reports as allocated."""
    known = {status.name: status.allocatedResources for status in pod.status.containerStatuses}

    def container(each: Container) -> Container:
        allocated = known.get(each.name)
        return each if allocated is None else replace(each, resources=replace(each.resources, requests=allocated))

    return replace(pod.spec, containers=tuple(map(container, pod.spec.containers)))


def _requested(spec: PodSpec, pod: Pod) -> dict[str, int]:
    return pod_requests(replace(pod, spec=spec, status=PodStatus()))


def _resources(spec: PodSpec) -> list[tuple[ResourceList, ResourceList]]:
    pod_level = spec.resources or ResourceRequirements()
    every = [pod_level, *(each.resources for each in (*spec.initContainers, *spec.containers))]
    return [(each.requests, each.limits) for each in every]


def _is_same(allocated: PodSpec, wanted: PodSpec) -> bool:
    return _resources(allocated) == _resources(wanted)


def _without(status: PodStatus, type: str) -> PodStatus:
    return replace(status, conditions=tuple(condition for condition in status.conditions if condition.type != type))


def _with(status: PodStatus, condition: PodCondition, now: int) -> PodStatus:
    return replace(status, conditions=with_condition(status.conditions, condition, now))


def _allocated(status: PodStatus, spec: PodSpec) -> PodStatus:
    def allocated(each: ContainerStatus, container: Container) -> ContainerStatus:
        return replace(each, allocatedResources=container.resources.requests)

    return _each(status, spec, allocated)


def _enacted(status: PodStatus, spec: PodSpec) -> PodStatus:
    def enacted(each: ContainerStatus, container: Container) -> ContainerStatus:
        return replace(each, resources=EnactedResources(container.resources.requests))

    return _each(status, spec, enacted)


def _each(
    status: PodStatus, spec: PodSpec, change: Callable[[ContainerStatus, Container], ContainerStatus]
) -> PodStatus:
    containers = {each.name: each for each in (*spec.initContainers, *spec.containers)}

    def changed(statuses: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
        return tuple(
            change(status, containers[status.name]) if status.name in containers else status for status in statuses
        )

    return replace(
        status,
        containerStatuses=changed(status.containerStatuses),
        initContainerStatuses=changed(status.initContainerStatuses),
    )


def _shown(resources: ResourceRequirements) -> dict[str, dict[str, str]]:
    lists = {"limits": resources.limits, "requests": resources.requests}
    return {part: {n: str(amounts[n]) for n in sorted(amounts)} for part, amounts in lists.items() if amounts}
