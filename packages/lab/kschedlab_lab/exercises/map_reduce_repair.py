"""Exercises of lesson 04: repair a Reduce that starts too early, and a sum that comes too early."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from kschedlab import build
from kschedlab.messages import say
from kschedlab.score.plugin import default_normalize
from kschedlab_configuration.older.registry import MAX_PRIORITY
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.map_reduce_clusters import AFFINITY, TAINTS, decided, taints, weighted
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.preferences import labelled, preferring

# -- Reduce


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


# -- sum


def totals_broken(affinity: list[int], taints: list[int], weights: tuple[int, int]) -> list[int]:
    """Totals of v1.16 with two priorities, NodeAffinity and TaintToleration, from Map's scores for each node."""
    sums = [a * weights[0] - t * weights[1] for a, t in zip(affinity, taints, strict=True)]
    largest = max(sums)
    return [10 * total // largest if largest > 0 else 0 for total in sums]


def totals_mended(affinity: list[int], taints: list[int], weights: tuple[int, int]) -> list[int]:
    """Totals of v1.16 with two priorities, NodeAffinity and TaintToleration, from Map's scores for each node."""
    most_wanted, most_taints = max(affinity), max(taints)
    totals = []
    for a, t in zip(affinity, taints, strict=True):
        for_affinity = 10 * a // most_wanted if most_wanted else 0
        for_taints = 10 - (10 * t // most_taints if most_taints else 0)
        totals.append(for_affinity * weights[0] + for_taints * weights[1])
    return totals


def totals(affinity: list[int], number: list[int], weights: tuple[int, int]) -> list[int]:
    """The engine's answer for nodes with these numbers of taints and a pod with these preference weights."""
    names = [f"node-{place}" for place in range(len(affinity))]
    tainted = enumerate(zip(names, number, strict=True))
    made: list[build.Manifest] = [
        build.node(name, labels={"place": str(i)}, taints=taints(count)) for i, (name, count) in tainted
    ]
    wish = preferring([labelled(weight, "place", str(place)) for place, weight in enumerate(affinity) if weight])
    scores = decided([*made, build.pod("web-new", affinity=wish)], weighted(weights, (AFFINITY, TAINTS))).scores
    assert scores is not None
    found: list[int] = scores.total.tolist()
    return found


def mapped(rng: random.Random) -> Iterator[tuple[list[int], list[int], tuple[int, int]]]:
    """Two nodes first."""
    for number in (2, 2, 3, 4):
        for _ in range(4):
            wishes = [rng.choice([0, 10, 20, 50]) for _ in range(number)]
            yield wishes, [rng.randint(0, 3) for _ in range(number)], (rng.randint(1, 3), rng.randint(1, 3))


def sum_too_early(seed: int) -> Exercise:
    """A prioritize that sums before it normalises."""
    return Repair(
        say("Too early"),
        say(
            "This function adds up first and brings the sums to 0 to 10 afterwards. Fix it: Reduce each "
            "priority's row, then multiply by its weight, then add up. Remember that taints put pods off."
        ),
        totals_broken,
        totals_mended,
        totals,
        mapped,
        say("Each row is reduced by itself; otherwise a row of large numbers, weights up to 100, drowns the others."),
        (
            say("There are two divisions, one for each row."),
            say("Without any taint every node gets 10 for TaintToleration."),
        ),
        seed,
    )
