"""The taints that a node gets for its conditions, and how long pods stay in spite of them.

v1.37: pkg/controller/nodelifecycle/node_lifecycle_controller.go (doNoScheduleTaintingPass, processTaintBaseEviction),
pkg/controller/tainteviction/taint_eviction.go (processPodOnNode, getMinTolerationTime),
plugin/pkg/admission/defaulttolerationseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import Node, Taint, Toleration

NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
DEFAULT_TOLERATION = 300
"""Seconds for which a pod that says nothing of it stays on a node that is not ready or not reachable."""

_OF_CONDITION = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}


def tainted(node: Node, now: int) -> Node:
    """The node with the taints that it should have; the same node if it has them.

    Others' taints stay, and so do those of conditions of which the node says nothing.
    """
    said = [taint for each in node.status.conditions if (taint := _OF_CONDITION.get((each.type, each.status)))]
    wanted = {(key, NO_SCHEDULE): None for key in said}
    if node.spec.unschedulable:
        wanted[UNSCHEDULABLE, NO_SCHEDULE] = None
    wanted |= {(key, NO_EXECUTE): None for key in said if key in (NOT_READY, UNREACHABLE)}
    types = {each.type for each in node.status.conditions}
    own = {UNSCHEDULABLE, *(key for (type, _), key in _OF_CONDITION.items() if type in types)}
    kept = [each for each in node.spec.taints if not _is_own(each, own) or (each.key, each.effect) in wanted]
    there = {(taint.key, taint.effect) for taint in kept}
    new = [
        Taint(key, effect=effect, timeAdded=Time.second(now)) for key, effect in wanted if (key, effect) not in there
    ]
    if not new and len(kept) == len(node.spec.taints):
        return node
    return replace(node, spec=replace(node.spec, taints=(*kept, *new)))


def _is_own(taint: Taint, own: set[str]) -> bool:
    executed = taint.effect == NO_EXECUTE and taint.key in (NOT_READY, UNREACHABLE)
    return taint.key in own and (executed or taint.effect == NO_SCHEDULE)


def stays_for(tolerations: Sequence[Toleration], taints: Iterable[Taint]) -> int | None:
    """Microseconds for which a pod may stay: 0 if it has to go at once; None: for ever.

    ``taints``: those of its node with the effect NoExecute. Of what it tolerates, the shortest time counts.
    """
    times: list[int] = []
    for taint in taints:
        used = [each for each in _with_defaults(tolerations) if each.tolerates(taint)]
        if not used:
            return 0
        times += [max(0, each.tolerationSeconds) for each in used[:1] if each.tolerationSeconds is not None]
    return min(times) * SECOND if times else None


def _with_defaults(tolerations: Sequence[Toleration]) -> list[Toleration]:
    """What admission adds to pods that say nothing of nodes that are not ready, or not reachable."""
    added = [
        Toleration(key, "Exists", "", NO_EXECUTE, DEFAULT_TOLERATION)
        for key in (NOT_READY, UNREACHABLE)
        if not any(each.key in ("", key) and each.effect in ("", NO_EXECUTE) for each in tolerations)
    ]
    return [*tolerations, *added]
