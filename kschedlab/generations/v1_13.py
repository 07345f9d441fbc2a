"""v1.13. Source: pkg/scheduler/algorithmprovider/defaults/defaults.go."""

from __future__ import annotations

from dataclasses import replace

from kschedlab.generations.queues import WITHOUT_BACKOFF
from kschedlab.generations.registry import REGISTRY_1_13
from kschedlab.generations.rules import POINTS_1_13
from kschedlab.generations.v1_16 import DEFAULT_PREDICATES, DEFAULT_PRIORITIES, V1_16
from kschedlab.objects.api import API_1_13
from kschedlab.preemption.ladder import RULES

V1_13 = replace(
    V1_16,
    name="v1.13",
    api=API_1_13,
    filters=REGISTRY_1_13.filters(*DEFAULT_PREDICATES),
    scores=REGISTRY_1_13.scores(**DEFAULT_PRIORITIES),
    sampling=replace(V1_16.sampling, min_percentage=50),
    preemption=replace(
        V1_16.preemption,
        victims=replace(V1_16.preemption.victims, older_is_more_important=False),
        ladder=RULES[:-1],
    ),
    host_drawn=False,
    queue=WITHOUT_BACKOFF,
    loop=replace(
        V1_16.loop,
        points=POINTS_1_13,
        update_ignores=("resourceVersion", "nodeName", "annotations"),
        probe_time=True,
        preempted="by {namespace}/{name} on node {node}",
        cache=replace(V1_16.loop.cache, binder=replace(V1_16.loop.cache.binder, told_only=False)),
    ),
)
