"""Pods and a clock for tests of the queues before v1.37."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from kschedlab.objects.meta import Time
from kschedlab.objects.model import ObjectMeta, Pod, PodCondition, PodSpec, PodStatus
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.queue.queued_pod import QueuedPodInfo

SECOND = 1_000_000
START = 1_600_000_000 * SECOND


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


def pod(name: str, priority: int = 0, created: int = 0, **spec: Any) -> Pod:
    """``created``: seconds after the clock started."""
    metadata = ObjectMeta(name=name, namespace="default", uid=f"uid-{name}", creationTimestamp=moment(created))
    return Pod(metadata=metadata, spec=PodSpec(priority=priority, **spec))


def moment(seconds: float) -> Time:
    return Time(START + round(seconds * SECOND))


def labelled(pod: Pod, **labels: str) -> Pod:
    return replace(pod, metadata=replace(pod.metadata, labels=labels))


def nominated(pod: Pod, node: str) -> Pod:
    return replace(pod, status=replace(pod.status, nominatedNodeName=node))


def scheduled(pod: Pod, status: str = "False", reason: str = "Unschedulable", **times: Time) -> Pod:
    """The pod with the condition PodScheduled."""
    condition = PodCondition(type="PodScheduled", status=status, reason=reason, **times)
    return replace(pod, status=PodStatus(conditions=(condition,), nominatedNodeName=pod.status.nominatedNodeName))


def fail(queue: WithoutBackoff, at: int, reason: str = "Unschedulable", plugins: Sequence[str] = ()) -> QueuedPodInfo:
    """Pop a pod and return it as unschedulable; ``plugins`` rejected it."""
    queued = queue.pop()
    assert queued is not None
    queued.record_failure(scheduled(queued.pod, reason=reason, lastProbeTime=Time(at)), plugins)
    queue.add_unschedulable(queued, queue.scheduling_cycle)
    return queued


def names(queue: WithoutBackoff, part: str) -> list[str]:
    """Names of the pods in that part of the queue, sorted."""
    return sorted(key.removeprefix("default/") for key, place in queue.places().items() if place.part == part)


def popped(queue: WithoutBackoff) -> list[str]:
    """Pop all pods; their names."""
    found = []
    while (queued := queue.pop()) is not None:
        found.append(queued.pod.metadata.name)
    return found
