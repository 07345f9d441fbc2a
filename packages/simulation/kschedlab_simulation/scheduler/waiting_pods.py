"""Pods that wait on Permit until they are allowed, rejected or time out.

v1.37: pkg/scheduler/framework/runtime/waiting_pods_map.go.
"""

from __future__ import annotations

from collections.abc import Iterator

import simpy

from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import ERROR, UNSCHEDULABLE, Status
from kschedlab_simulation.clock import after
from kschedlab_simulation.durations import duration
from kschedlab_simulation.scheduler.rules import LoopMessages


class WaitingPod:
    """A pod that waits on Permit. ``pending``: the timeout of each plugin that has not allowed it yet, in microseconds.

    ``decided``: triggers when the wait ends; its value is None if the pod is allowed, otherwise a status.
    ``timed_out``: whether a timer expired. ``one_timer``: one timer for all plugins, the shortest; the first plugin
    that allows the pod ends the wait.
    """

    def __init__(
        self, env: simpy.Environment, pod: Pod, waits: dict[str, int], one_timer: bool, messages: LoopMessages
    ) -> None:
        self.pod = pod
        self._shortest = min(waits, key=waits.__getitem__)
        self.pending = {"": waits[self._shortest]} if one_timer else dict(waits)
        self.decided: simpy.Event = env.event()
        self.timed_out = False
        self._one_timer = one_timer
        self._messages = messages
        self._timers = [after(env, wait, self._time_out, plugin, wait) for plugin, wait in self.pending.items()]
        self.decided.callbacks.append(self._stop_timers)

    def allow(self, plugin: str) -> None:
        """The plugin allows the pod; the wait ends once all plugins do."""
        self.pending.pop("" if self._one_timer else plugin, None)
        if not self.pending and not self.decided.triggered:
            self.decided.succeed(None)

    def reject(self, plugin: str, message: str) -> bool:
        """Reject the pod. False if the wait has already ended."""
        return self._stop(Status(UNSCHEDULABLE, message, plugin))

    def preempt(self, plugin: str, message: str) -> bool:
        """Preempt the pod, with an error status so that it is retried soon. False if the wait has already ended."""
        return self._stop(Status(ERROR, message, plugin))

    def formatted(self, status: Status) -> Status:
        """The status with the message that the framework returns."""
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

    def _stop_timers(self, _: simpy.Event) -> None:
        for timer in self._timers:
            if timer.callbacks is not None:  # it has not run out
                timer.callbacks.clear()

    def _stop(self, status: Status) -> bool:
        if self.decided.triggered:
            return False
        self.decided.succeed(status)
        return True


class WaitingPods:
    """The waiting pods by uid, in the order of arrival."""

    def __init__(self) -> None:
        self._pods: dict[str, WaitingPod] = {}

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(list(self._pods.values()))

    def get(self, pod: Pod) -> WaitingPod | None:
        """The waiting pod, or None."""
        return self._pods.get(pod.metadata.uid)

    def add(self, waiting: WaitingPod) -> None:
        self._pods[waiting.pod.metadata.uid] = waiting

    def remove(self, pod: Pod) -> None:
        self._pods.pop(pod.metadata.uid, None)

    def reject(self, pod: Pod, message: str = "removed") -> bool:
        """Reject the pod if it waits. v1.37: framework.go, RejectWaitingPod."""
        waiting = self.get(pod)
        return waiting is not None and waiting.reject("", message)
