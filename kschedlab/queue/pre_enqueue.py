"""PreEnqueue: plugins that keep a pod out of the active queue and out of backoff.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (runPreEnqueuePlugins);
pkg/scheduler/framework/plugins: schedulinggates/scheduling_gates.go, defaultpreemption/default_preemption.go
(PreEnqueue: the pod's victims are being deleted; the simulation's preemption passes that gate).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kschedlab.objects.model import Pod

if TYPE_CHECKING:
    from kschedlab.queue.queued_pod import QueuedPodInfo

Gate = Callable[[Pod], bool]
"""Whether the plugin blocks the pod."""


def gate_names(pod: Pod) -> tuple[str, ...]:
    return tuple(gate.name for gate in pod.spec.schedulingGates)


def has_scheduling_gates(pod: Pod) -> bool:
    return bool(pod.spec.schedulingGates)


def gated_message(gates: tuple[str, ...]) -> str:
    return f"waiting for scheduling gates: [{' '.join(gates)}]"


SCHEDULING_GATES = "SchedulingGates"
GATES: Mapping[str, Gate] = {SCHEDULING_GATES: has_scheduling_gates}


def is_gated(queued: QueuedPodInfo, gates: Mapping[str, Gate]) -> bool:
    """Run the gates, starting with the one that blocked the pod last, and record the one that blocks it now."""
    last_gate = queued.gate
    order = (last_gate, *(name for name in gates if name != last_gate)) if last_gate else gates
    for name in order:
        if gates[name](queued.pod):
            queued.unschedulable_plugins.add(name)
            queued.gate = name
            return True
    queued.gate = ""
    return False
