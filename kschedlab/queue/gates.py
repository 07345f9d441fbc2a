"""SchedulingGates: a pod with gates does not enter the active queue until the last one is removed.

v1.37: pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go (PreEnqueue).
"""

from __future__ import annotations

from kschedlab.cluster.pods import PodInfo

NAME = "SchedulingGates"


def gates_of(pod: PodInfo) -> tuple[str, ...]:
    """The names of the pod's gates, in its order."""
    return tuple(gate.name for gate in pod.pod.spec.schedulingGates)


def message(gates: tuple[str, ...]) -> str:
    """What the scheduler says of a pod that these gates hold back."""
    return f"waiting for scheduling gates: [{' '.join(gates)}]"
