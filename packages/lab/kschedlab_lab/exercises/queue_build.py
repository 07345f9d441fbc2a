"""The manifests to write in lesson 02: of two pods, the later one comes first."""

from __future__ import annotations

import random

from kschedlab.build import HOUR, as_yaml
from kschedlab.manifests.loading import Objects
from kschedlab.messages import listed, say
from kschedlab.objects.model import Pod
from kschedlab.queue.order import active_q_comp
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.panels.queue_order import UNSET, field_of, waiting

START = """\
apiVersion: v1
kind: Pod
metadata: {{name: {elder}, creationTimestamp: }}
spec: {{priority: 100, containers: [{{name: main, image: app}}]}}
status:
  conditions:
  - type: PodScheduled
    status: "False"
    reason: Unschedulable
    lastTransitionTime:
    lastProbeTime:
---
apiVersion: v1
kind: Pod
metadata: {{name: {younger}, creationTimestamp: "2026-03-02T08:10:00Z"}}
spec: {{priority: 100, containers: [{{name: main, image: app}}]}}
"""
"""The pods, without their times."""
NAMES = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu")


def later_but_first(rng: random.Random) -> Exercise:
    """Two pods of equal priority: the one that was created later is popped first."""
    elder, younger = rng.sample(NAMES, 2)
    field = rng.choice(["lastProbeTime", "lastTransitionTime"])

    def goal(objects: Objects) -> str:
        pods = {pod.metadata.name: pod for pod in objects.pods}
        if set(pods) != {elder, younger} or len(objects.pods) != 2:
            return say(
                "There must be two pods, {elder} and {younger}; you gave {given}.",
                elder=elder,
                younger=younger,
                given=listed(sorted(pods)) or say("none"),
            )
        old, young = pods[elder], pods[younger]
        return wrong_order(old, young, field)

    probe = 8 * HOUR + 40 if field == "lastProbeTime" else UNSET
    transition = 8 * HOUR + 20
    example = [waiting(elder, 100, 8 * HOUR, transition, probe), waiting(younger, 100, 8 * HOUR + 10)]
    return Build(
        say("Later, but first"),
        say(
            "Two pods of equal priority wait. Fill in the times: {elder} is created first, and yet v1.13 pops "
            "{younger} first, because of {elder}'s {field}.",
            elder=elder,
            younger=younger,
            field=field,
        ),
        goal,
        as_yaml(example),
        say(
            "{elder} was tried already: podTimestamp reads its {field}, and that is after {younger}'s creation.",
            elder=elder,
            field=field,
            younger=younger,
        ),
        (
            say("A time is written as 2026-03-02T08:00:00Z. A condition without a time may leave it blank."),
            say("podTimestamp reads lastProbeTime, and lastTransitionTime only if that is blank."),
        ),
        start=START.format(elder=elder, younger=younger),
    )


def wrong_order(old: Pod, young: Pod, field: str) -> str:
    """What is missing, "" if the answer is right."""
    elder, younger = old.metadata.name, young.metadata.name
    if old.spec.nodeName or young.spec.nodeName:
        return say("A pod with spec.nodeName does not wait: it is on a node already.")
    if (old.spec.priority or 0) != (young.spec.priority or 0):
        return say(
            "The priorities differ: {elder} has {one}, {younger} {other}.",
            elder=elder,
            one=old.spec.priority or 0,
            younger=younger,
            other=young.spec.priority or 0,
        )
    created = [pod.metadata.creationTimestamp for pod in (old, young)]
    if None in created or created[0] >= created[1]:  # type: ignore[operator]  # None was seen to
        return say(
            "{elder}'s metadata.creationTimestamp has to be before {younger}'s; both need one.",
            elder=elder,
            younger=younger,
        )
    if not active_q_comp(young, old):
        return say(
            "{elder} is still popped first, or neither comes first: podTimestamp reads its {field}.",
            elder=elder,
            field=field_of(old),
        )
    if field_of(old) != field:
        return say(
            "{younger} is popped first, but because of {elder}'s {field}.",
            younger=younger,
            elder=elder,
            field=field_of(old),
        )
    return ""
