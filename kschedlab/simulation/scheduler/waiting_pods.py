"""Pods that Permit lets wait until they are approved, rejected or out of time.

v1.37: pkg/scheduler/framework/runtime/waiting_pods_map.go.
"""

from __future__ import annotations

from collections.abc import Iterator

import simpy

from kschedlab.generations.rules import LoopRules
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import ERROR, UNSCHEDULABLE, Status
from kschedlab.simulation.clock import after
from kschedlab.simulation.durations import duration

LATE = "timeout"


class WaitingPod:
    """One such pod. ``pending``: the plugins that have not allowed it yet, each with how long it may take.

    ``decided``: happens when it is; its value is None, or why the pod is not to be bound. Before v1.17 there is one
    wait for all plugins, the shortest, and whoever allows it allows it for all.
    """

    def __init__(self, env: simpy.Environment, pod: Pod, waits: dict[str, int], rules: LoopRules) -> None:
        self.pod = pod
        self.pending = {"": min(waits.values())} if rules.old_words else dict(waits)
        self.decided: simpy.Event = env.event()
        self._together = rules.old_words
        for plugin, wait in self.pending.items():
            after(env, wait, self._late, plugin, wait)

    def allow(self, plugin: str) -> None:
        """The plugin has nothing against the pod any more; when none has, it goes on."""
        self.pending.pop("" if self._together else plugin, None)
        if not self.pending and not self.decided.triggered:
            self.decided.succeed(None)

    def reject(self, plugin: str, message: str) -> bool:
        """The pod must not be bound. False if it was decided before."""
        return self._stop(Status(UNSCHEDULABLE, message, plugin))

    def preempt(self, plugin: str, message: str) -> bool:
        """The pod must give way to another; it counts as an error, so it is tried again soon."""
        return self._stop(Status(ERROR, message, plugin))

    def _late(self, plugin: str, wait: int) -> None:
        if plugin not in self.pending:
            return
        late = f"rejected due to timeout after waiting {duration(wait)} at"
        if self._together:
            self._stop(Status(UNSCHEDULABLE, f'pod "{self.pod.metadata.name}" {late} permit', LATE))
        else:
            self.reject(plugin, f"{late} plugin {plugin}")

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


def told(status: Status, pod: Pod, rules: LoopRules) -> Status:
    """What became of the wait, as the framework passes it on."""
    name = pod.metadata.name
    if rules.old_words:
        if status.plugin == LATE:
            return status
        if status.rejected:
            return status._replace(message=f"rejected while waiting at permit: {status.message}")
        return status._replace(message=f'error received while waiting at permit for pod "{name}": {status.message}')
    if not status.rejected:
        return status._replace(message=f"waiting on permit for pod: {status.message}")
    if rules.hints:
        return status
    return status._replace(message=f'pod "{name}" rejected while waiting on permit: {status.message}')
