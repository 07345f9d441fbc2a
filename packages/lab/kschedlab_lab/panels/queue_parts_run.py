"""The queue of v1.13 with a clock, the pod web in it, and what may happen to both."""

from __future__ import annotations

from kschedlab import build
from kschedlab.build import Manifest
from kschedlab.messages import later
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab_lab.panels.queue_heap_watched import decoded

NOON = 1_772_452_800_000_000
"""2026-03-02T12:00:00Z, the time of web's attempt, in microseconds since 1970."""
NEVER, BEFORE, DURING, CHANGED = (
    later("nothing"),
    later("MoveAll before the pop"),
    later("MoveAll during the attempt"),
    later("Update meanwhile"),
)
UNSCHEDULABLE, ERROR = "Unschedulable", "SchedulerError"
PRIORITIES = {"mail": 0, "web": 100}


def manifest(labels: dict[str, str] | None = None, reason: str = "") -> Manifest:
    """The pod web, which requires a pod ``app: db`` nearby. ``reason``: why it was not scheduled at noon."""
    near = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    made = build.pod("web", priority=PRIORITIES["web"], labels=labels, affinity=affinity)
    made["metadata"] |= {"uid": "uid-web", "creationTimestamp": "2026-03-02T11:00:00Z"}
    if reason:
        noon = "2026-03-02T12:00:00Z"
        condition = {"type": "PodScheduled", "status": "False", "reason": reason, "lastProbeTime": noon}
        made["status"] = {"conditions": [condition]}
    return made


def neighbour(app: str) -> Pod:
    return decoded(build.pod(app, "node-a", labels={"app": app}))


class QueueRun:
    """The queue of v1.13 with a clock, and the pod web in it."""

    def __init__(self) -> None:
        self.now = NOON
        self.queue = WithoutBackoff(lambda: self.now)
        self.pod = decoded(manifest())
        mail = build.pod("mail", priority=PRIORITIES["mail"])
        mail["metadata"] |= {"uid": "uid-mail", "creationTimestamp": "2026-03-02T10:00:00Z"}
        self.queue.add(decoded(mail))
        self.queue.add(self.pod)

    def move(self) -> None:
        """An event of a node."""
        self.queue.move(NODE_ADD)

    def update(self, labels: dict[str, str] | None, reason: str = "") -> None:
        """An update of web."""
        old, self.pod = self.pod, decoded(manifest(labels, reason))
        self.queue.update(old, self.pod)

    def give_back(self, queued: QueuedPodInfo, labels: dict[str, str] | None, reason: str) -> None:
        """The attempt has failed. ValueError if the queue refuses the pod."""
        self.pod = decoded(manifest(labels, reason))
        queued.record_failure(self.pod)
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)

    def flush(self, seconds: int) -> None:
        """Advance the clock; the queue moves pods that have waited too long."""
        self.now += seconds * SECOND
        self.queue.flush_unschedulable()
