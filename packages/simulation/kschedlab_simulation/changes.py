"""The changes of pods during a run: which pods are new, bound, moved or gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kschedlab.objects.model import Pod
from kschedlab_simulation.log import Changed, Log
from kschedlab_simulation.pods import DISRUPTION_TARGET

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
"""The kinds of changes, in listing order. ``moved``, ``replaced``: a new pod has the same name, on a different or the
same node; ``changed``: its phase has changed."""


@dataclass(frozen=True)
class PodChange:
    """The change of one pod. ``pod``: its last state; ``origin``: its node at the start, or before its deletion."""

    what: str
    pod: Pod
    origin: str

    @property
    def departed(self) -> bool:
        """Whether the pod no longer exists."""
        return self.what in (EVICTED, PREEMPTED, GONE)


def pod_changes(before: Iterable[Pod], after: Iterable[Pod], log: Log) -> list[PodChange]:
    """All pods at the start, at the end or in between, in the order of :data:`ORDER`, then by key."""
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
    """The deleted pods, except for initial pods that have been replaced."""
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
