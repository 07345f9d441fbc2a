"""Exercises of lesson 01: which predicate refuses, how many nodes are enough, where does the pod go? v1.16 decides."""

from __future__ import annotations

import random

from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.overview_build import exactly_one, same_message
from kschedlab_lab.exercises.overview_predict import how_many, what_kubectl_shows, who_refuses
from kschedlab_lab.exercises.overview_repair import bounds, ports


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"overview {seed}")
    return [
        who_refuses(rng),
        how_many(rng),
        what_kubectl_shows(rng),
        exactly_one(rng),
        same_message(rng),
        bounds(seed),
        ports(seed),
    ]
