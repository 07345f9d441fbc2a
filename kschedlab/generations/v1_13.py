"""v1.13. Source: pkg/scheduler/algorithmprovider/defaults/defaults.go."""

from __future__ import annotations

from kschedlab.generations.changes import column
from kschedlab.generations.generation import Generation
from kschedlab.generations.registry import REGISTRY_1_13
from kschedlab.generations.v1_16 import DEFAULT_PREDICATES, DEFAULT_PRIORITIES

V1_13 = Generation(
    name="v1.13",
    filters=REGISTRY_1_13.filters(*DEFAULT_PREDICATES),
    scores=REGISTRY_1_13.scores(**DEFAULT_PRIORITIES),
    **column("v1.13"),
)
