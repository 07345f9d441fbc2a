"""Waiting pods of lesson 02, as manifests and as objects."""

from __future__ import annotations

from kschedlab import build
from kschedlab.build import Manifest, clock_time
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod

UNSET = -1
NOON = 1_772_452_800_000_000
"""2026-03-02T12:00:00Z, in microseconds since 1970."""


def waiting(
    name: str, priority: int, created: int, transition: int = UNSET, probe: int = UNSET, cpu: int | None = None
) -> Manifest:
    """A waiting pod; a transition or a probe means that an attempt failed. Times are minutes after midnight."""
    made = build.pod(name, cpu=cpu, priority=priority)
    made["metadata"] |= {"uid": f"uid-{name}", "creationTimestamp": stamp(created)}
    if transition != UNSET or probe != UNSET:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
        times = {"lastTransitionTime": transition, "lastProbeTime": probe}
        condition |= {field: stamp(minutes) for field, minutes in times.items() if minutes != UNSET}
        made["status"] = {"conditions": [condition]}
    return made


def stamp(minutes: int) -> str:
    """The time as it is written in a manifest."""
    return f"2026-03-02T{clock_time(minutes)}:00Z"


def decoded(made: Manifest) -> Pod:
    """The pod of a manifest."""
    (pod,) = decode_objects([made]).pods
    return pod
