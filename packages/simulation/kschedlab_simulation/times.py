"""The newest time in objects, at which the clock of a simulation starts: an exported cluster has no later one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedlab.objects.meta import Time
from kschedlab.objects.model import ApiObject, ContainerState, Job, Node, ObjectMeta, Pod


def newest_time(objects: Iterable[ApiObject]) -> Time | None:
    """The newest moment at which something happened to one of the objects; None if they have no times.

    A deletionTimestamp is left out: it may lie ahead, at the end of the pod's grace period.
    """
    return max((moment for obj in objects for moment in _moments(obj) if moment is not None), default=None)


def _moments(obj: ApiObject) -> Iterator[Time | None]:
    metadata: ObjectMeta = obj.metadata  # type: ignore[attr-defined]  # every kind has it
    yield metadata.creationTimestamp
    if isinstance(obj, Node):
        yield from (taint.timeAdded for taint in obj.spec.taints)
    elif isinstance(obj, Job):
        yield from (obj.status.startTime, obj.status.completionTime)
    elif isinstance(obj, Pod):
        yield obj.status.startTime
        yield from (condition.lastTransitionTime for condition in obj.status.conditions)
        for container in (*obj.status.containerStatuses, *obj.status.initContainerStatuses):
            yield from _of_state(container.state)
            yield from _of_state(container.lastState)


def _of_state(state: ContainerState) -> Iterator[Time | None]:
    if state.running is not None:
        yield state.running.startedAt
    if state.terminated is not None:
        yield from (state.terminated.startedAt, state.terminated.finishedAt)
