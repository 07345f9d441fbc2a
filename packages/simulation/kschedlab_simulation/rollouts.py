"""Workloads that do not have their pods when a run ends: rollouts that are stuck, by name, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kschedlab.objects.meta import SECOND, controller_of
from kschedlab.objects.model import Deployment, Pod
from kschedlab_simulation.controllers.replicas import REPLICA_FAILURE, replicas_of, template_of
from kschedlab_simulation.log import Changed
from kschedlab_simulation.pods import condition_of

ROLLOUTS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")


@dataclass(frozen=True)
class StuckRollout:
    """A workload that is not complete at the end of a run.

    ``name``: ``namespace/name``. ``wanted``, ``updated``, ``available``: numbers of pods: desired, with the newest
    template, and available. ``old``: pods with an older template. ``since``: seconds after the start at which its
    status last changed. ``deadline_exceeded``: of a Deployment, whether its progressDeadlineSeconds are over.
    ``pending``: its pods without a node, by cause. ``refused``: why the API server refused its last pod, or "".
    """

    kind: str
    name: str
    wanted: int
    updated: int
    available: int
    old: int
    since: float
    deadline_exceeded: bool
    pending: dict[str, int]
    refused: str


class Rollouts:
    """The workloads of a run as they are now, and when each last changed."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], tuple[int, Any]] = {}

    def take(self, entry: Changed) -> None:
        """Follow a change of a workload."""
        if entry.new is None:
            self._objects.pop((entry.kind, entry.key), None)
        else:
            self._objects[entry.kind, entry.key] = entry.at, entry.new

    def stuck(self, start: int, waiting: Mapping[str, tuple[Pod, str]]) -> tuple[StuckRollout, ...]:
        """Those that are not complete. ``waiting``: the pods without a node, with the cause."""
        causes: dict[tuple[str, str], Counter[str]] = {}
        for pod, cause in waiting.values():
            if (owner := self._top(pod)) is not None:
                causes.setdefault(owner, Counter())[cause] += 1
        found = []
        for (kind, name), (at, owner) in sorted(self._objects.items()):
            status = owner.status
            if template_of(owner) is None or not status.observedGeneration or controller_of(owner.metadata) is not None:
                continue
            wanted, available = replicas_of(owner), status.availableReplicas
            updated = getattr(status, "updatedReplicas", status.replicas)
            old = status.replicas - updated if isinstance(owner, Deployment) else 0
            if (updated >= wanted and available >= wanted and not old) or _is_paused(owner):
                continue
            pending = dict(causes.get((kind, name), Counter()).most_common())
            found.append(
                StuckRollout(
                    kind,
                    name,
                    wanted,
                    updated,
                    available,
                    old,
                    since=(at - start) / SECOND,
                    deadline_exceeded=_timed_out(owner),
                    pending=pending,
                    refused=_refusal(owner),
                )
            )
        return tuple(found)

    def _top(self, pod: Pod) -> tuple[str, str] | None:
        """The kind and name of the workload that the pod belongs to: a Deployment, if its ReplicaSet has one."""
        key, obj = None, pod
        while (owner := controller_of(obj.metadata)) is not None:
            key = owner.kind, f"{pod.metadata.namespace}/{owner.name}"
            if key not in self._objects:
                break
            obj = self._objects[key][1]
        return key


def _is_paused(owner: Any) -> bool:
    return isinstance(owner, Deployment) and owner.spec.paused


def _refusal(owner: Any) -> str:
    """What the condition ReplicaFailure says, which StatefulSets have not."""
    failure = condition_of(getattr(owner.status, "conditions", ()), REPLICA_FAILURE)
    return failure.message if failure is not None else ""


def _timed_out(owner: Any) -> bool:
    progress = condition_of(owner.status.conditions, "Progressing") if isinstance(owner, Deployment) else None
    return progress is not None and progress.reason == "ProgressDeadlineExceeded"
