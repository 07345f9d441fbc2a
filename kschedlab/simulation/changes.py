"""What a run did to the pods: which are new, bound, moved or gone since its beginning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kschedlab.objects.model import Pod
from kschedlab.simulation.log import Changed, Log
from kschedlab.simulation.pods import DISRUPTION_TARGET

EVICTED, PREEMPTED, GONE, MOVED, REPLACED, NEW, BOUND, CHANGED, SAME = ORDER = (
    "evicted",
    "preempted",
    "gone",
    "moved",
    "replaced",
    "new",
    "bound",
    "changed",
    "",
)
"""What can happen to a pod, in the order in which the changes are listed. ``moved``, ``replaced``: a pod of the same
name took its place, on another node or on the same one; ``changed``: it has another phase."""


@dataclass(frozen=True)
class PodChange:
    """What happened to one pod. ``pod``: as it was last; ``origin``: its node at the start, or before it went."""

    what: str
    pod: Pod
    origin: str

    @property
    def departed(self) -> bool:
        """Whether the pod is not there any more."""
        return self.what in (EVICTED, PREEMPTED, GONE)


def pod_changes(before: Iterable[Pod], after: Iterable[Pod], log: Log) -> list[PodChange]:
    """Every pod at the start, at the end or between, in the order of :data:`ORDER`, then by key."""
    start, end = ({_key(pod): pod for pod in pods} for pods in (before, after))
    changes = [_change(start.get(key), pod) for key, pod in end.items()]
    changes += _departed(start, end, log)
    return sorted(changes, key=lambda change: (ORDER.index(change.what), _key(change.pod)))


def _change(old: Pod | None, pod: Pod) -> PodChange:
    if old is None:
        return PodChange(NEW, pod, "")
    origin, node = old.spec.nodeName, pod.spec.nodeName
    if old.metadata.uid != pod.metadata.uid:
        return PodChange(REPLACED if origin == node else MOVED, pod, origin)
    if origin != node:
        return PodChange(BOUND, pod, origin)
    return PodChange(SAME if old.status.phase == pod.status.phase else CHANGED, pod, origin)


def _departed(start: dict[str, Pod], end: dict[str, Pod], log: Log) -> Iterator[PodChange]:
    """The pods that were deleted, but for those at the start whose place another one took."""
    for entry in log:
        if isinstance(entry, Changed) and entry.kind == "Pod" and entry.new is None:
            pod: Pod = entry.old
            first = start.get(entry.key)
            replaced = first is not None and first.metadata.uid == pod.metadata.uid and entry.key in end
            if not replaced:
                yield PodChange(_why(pod), pod, pod.spec.nodeName)


def _why(pod: Pod) -> str:
    for condition in pod.status.conditions:
        if condition.type == DISRUPTION_TARGET and condition.status == "True":
            return PREEMPTED if condition.reason == "PreemptionByScheduler" else EVICTED
    return GONE


def _key(pod: Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"
