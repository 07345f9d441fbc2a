"""The taints that a node's conditions cause, and how long pods tolerate them.

v1.37: pkg/controller/nodelifecycle/node_lifecycle_controller.go (doNoScheduleTaintingPass, processTaintBaseEviction),
pkg/controller/tainteviction/taint_eviction.go (processPodOnNode, getMinTolerationTime).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import UNSCHEDULABLE_TAINT, Node, Taint, Toleration

NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"

_TAINT_OF_CONDITION = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}


def with_taints(node: Node, now: int) -> Node:
    """The node with the taints that its conditions require; the same object if nothing changes.

    Taints from other sources stay, as do taints of conditions that the node does not report.
    """
    conditions = {(condition.type, condition.status): None for condition in node.status.conditions}
    from_conditions = [_TAINT_OF_CONDITION[each] for each in conditions if each in _TAINT_OF_CONDITION]
    wanted = {(key, NO_SCHEDULE): None for key in from_conditions}
    if node.spec.unschedulable:
        wanted[UNSCHEDULABLE_TAINT.key, NO_SCHEDULE] = None
    wanted |= {(key, NO_EXECUTE): None for key in from_conditions if key in (NOT_READY, UNREACHABLE)}
    types = {type for type, _ in conditions}
    managed = {UNSCHEDULABLE_TAINT.key, *(key for (type, _), key in _TAINT_OF_CONDITION.items() if type in types)}
    kept = [taint for taint in node.spec.taints if not _is_managed(taint, managed) or _identity(taint) in wanted]
    present = set(map(_identity, kept))
    missing = [identity for identity in wanted if identity not in present]
    new = [Taint(key, effect=effect, timeAdded=Time.whole_second(now)) for key, effect in missing]
    if not new and len(kept) == len(node.spec.taints):
        return node
    return replace(node, spec=replace(node.spec, taints=(*kept, *new)))


def _identity(taint: Taint) -> tuple[str, str]:
    return taint.key, taint.effect


def _is_managed(taint: Taint, managed: set[str]) -> bool:
    evicts = taint.effect == NO_EXECUTE and taint.key in (NOT_READY, UNREACHABLE)
    return taint.key in managed and (evicts or taint.effect == NO_SCHEDULE)


def toleration_time(tolerations: Sequence[Toleration], taints: Iterable[Taint]) -> int | None:
    """Microseconds that the pod may stay: 0 if it must go at once, None if it may stay indefinitely.

    ``taints``: the node's taints with the effect NoExecute. The shortest toleration counts.
    """
    limits: list[int] = []
    for taint in taints:
        matching = [each for each in tolerations if each.tolerates(taint)]
        if not matching:
            return 0
        limits += [max(0, each.tolerationSeconds) for each in matching[:1] if each.tolerationSeconds is not None]
    return min(limits) * SECOND if limits else None
