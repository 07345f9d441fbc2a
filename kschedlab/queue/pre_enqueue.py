"""Plugins that keep a pod out of the active queue and out of backoff: PreEnqueue.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (runPreEnqueuePlugins);
pkg/scheduler/framework/plugins: schedulinggates/scheduling_gates.go, defaultpreemption/default_preemption.go
(PreEnqueue: the pod's victims are being deleted; whoever deletes them gives that gate).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kschedlab.objects.model import Pod

if TYPE_CHECKING:
    from kschedlab.queue.queued_pod import WaitingPod

Gate = Callable[[Pod], bool]
"""Whether the plugin keeps the pod out."""


def gates_of(pod: Pod) -> tuple[str, ...]:
    """The names of the pod's scheduling gates, in its order."""
    return tuple(gate.name for gate in pod.spec.schedulingGates)


def has_gates(pod: Pod) -> bool:
    """SchedulingGates: the pod has gates left."""
    return bool(pod.spec.schedulingGates)


def waiting_for(gates: tuple[str, ...]) -> str:
    """What the scheduler says of a pod that these gates hold back."""
    return f"waiting for scheduling gates: [{' '.join(gates)}]"


GATES: Mapping[str, Gate] = {"SchedulingGates": has_gates}


def is_gated(waiting: WaitingPod, gates: Mapping[str, Gate]) -> bool:
    """Ask the gates, first the one that kept the pod out before, and note the one that does now."""
    before = waiting.gate
    order = (before, *(name for name in gates if name != before)) if before else gates
    for name in order:
        if gates[name](waiting.pod):
            waiting.unschedulable_plugins.add(name)
            waiting.gate = name
            return True
    waiting.gate = ""
    return False
