"""Exercises of lesson 04: repair a Reduce that starts too early."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from kschedlab.messages import say
from kschedlab.score.plugin import default_normalize
from kschedlab_configuration.older.registry import MAX_PRIORITY
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.repair import Repair


def normalize_broken(scores: list[int], reverse: bool) -> list[int]:
    """NormalizeReduce of v1.16: the scores of all nodes, scaled to 0..10; ``reverse`` inverts them."""
    largest, reduced = 0, []
    for score in scores:
        largest = max(largest, score)
        share = 10 * score // largest if largest else 0
        reduced.append(10 - share if reverse else share)
    return reduced


def normalize_mended(scores: list[int], reverse: bool) -> list[int]:
    """NormalizeReduce of v1.16: the scores of all nodes, scaled to 0..10; ``reverse`` inverts them."""
    largest = max(scores)
    shares = [10 * score // largest if largest else 0 for score in scores]
    return [10 - share if reverse else share for share in shares]


def normalized(scores: list[int], reverse: bool) -> list[int]:
    found: list[int] = default_normalize(np.array(scores), reverse, MAX_PRIORITY).tolist()
    return found


def raw_scores(rng: random.Random) -> Iterator[tuple[list[int], bool]]:
    """Few nodes first; all 0 as well."""
    yield [1, 2], False
    yield [0, 0], True
    for number in (2, 3, 4):
        for reverse in (False, True):
            for _ in range(4):
                yield [rng.randint(0, 9) for _ in range(number)], reverse


def wrong_maximum(seed: int) -> Exercise:
    """A Reduce that divides by the largest score so far."""
    return Repair(
        say("The wrong maximum"),
        say("Somebody thought that Reduce needs only one pass, like Map. Fix the function to give what v1.16 gives."),
        normalize_broken,
        normalize_mended,
        normalized,
        raw_scores,
        say("The largest score is known only when all nodes are mapped. That is why Reduce is a step of its own."),
        (
            say("By which number is the first node's score divided?"),
            say("Find the largest score before the first division."),
        ),
        seed,
    )
