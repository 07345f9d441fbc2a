"""Pods that Permit lets wait until they are approved, rejected or out of time.

v1.37: pkg/scheduler/framework/runtime/waiting_pods_map.go.
"""

from __future__ import annotations

from collections.abc import Iterator

import simpy

from kschedlab.generations.messages import Messages
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import ERROR, UNSCHEDULABLE, Status
from kschedlab.simulation.clock import after
from kschedlab.simulation.durations import duration


class WaitingPod:
    """A pod that waits on Permit. ``pending``: how long each plugin that has not allowed it yet lets it wait at most.

    ``decided``: triggers when the wait ends; its value is None, or why the pod is not bound. ``timed_out``: whether it
    took too long. ``one_timer``: one wait for all plugins, the shortest; the first plugin to allow the pod allows it
    for all.
    """

    def __init__(
        self, env: simpy.Environment, pod: Pod, waits: dict[str, int], one_timer: bool, messages: Messages
    ) -> None:
        self.pod = pod
        self._shortest = min(waits, key=waits.__getitem__)
        self.pending = {"": waits[self._shortest]} if one_timer else dict(waits)
        self.decided: simpy.Event = env.event()
        self.timed_out = False
        self._one_timer = one_timer
        self._messages = messages
        for plugin, wait in self.pending.items():
            after(env, wait, self._time_out, plugin, wait)

    def allow(self, plugin: str) -> None:
        """The plugin allows the pod; once all plugins do, it goes on."""
        self.pending.pop("" if self._one_timer else plugin, None)
        if not self.pending and not self.decided.triggered:
            self.decided.succeed(None)

    def reject(self, plugin: str, message: str) -> bool:
        """The pod must not be bound. False if it was decided before."""
        return self._stop(Status(UNSCHEDULABLE, message, plugin))

    def preempt(self, plugin: str, message: str) -> bool:
        """The pod must give way to another; it counts as an error, so it is tried again soon."""
        return self._stop(Status(ERROR, message, plugin))

    def formatted(self, status: Status) -> Status:
        """How the wait ended, as the framework passes it on."""
        messages = self._messages
        if self.timed_out:
            template = messages.timed_out
        else:
            template = messages.rejected_waiting if status.rejected else messages.failed_waiting
        return status._replace(message=template.format(pod=self.pod.metadata.name, message=status.message))

    def _time_out(self, plugin: str, wait: int) -> None:
        if plugin not in self.pending:
            return
        name = plugin or self._shortest
        text = self._messages.timeout.format(pod=self.pod.metadata.name, wait=duration(wait), plugin=name)
        self.timed_out = self.reject(name, text) or self.timed_out

    def _stop(self, status: Status) -> bool:
        if self.decided.triggered:
            return False
        self.decided.succeed(status)
        return True


class WaitingPods:
    """The pods that wait, by uid, in the order in which they came."""

    def __init__(self) -> None:
        self._pods: dict[str, WaitingPod] = {}

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(list(self._pods.values()))

    def get(self, pod: Pod) -> WaitingPod | None:
        """The pod, if it waits."""
        return self._pods.get(pod.metadata.uid)

    def add(self, waiting: WaitingPod) -> None:
        """The pod begins to wait."""
        self._pods[waiting.pod.metadata.uid] = waiting

    def remove(self, pod: Pod) -> None:
        """The pod does not wait any more."""
        self._pods.pop(pod.metadata.uid, None)

    def reject(self, pod: Pod, message: str = "removed") -> bool:
        """Reject the pod if it waits. v1.37: framework.go, RejectWaitingPod."""
        waiting = self.get(pod)
        return waiting is not None and waiting.reject("", message)
