"""An exercise of lesson 03: repair a drawing function, which is checked by exact probabilities."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod

from kschedlab.messages import say
from kschedlab.objects.problems import InputValueError
from kschedlab_lab.exercises.exercise import Exercise, Verdict
from kschedlab_lab.exercises.repair import Repair

Draw = Callable[[int], int]
"""As Go's rand.Intn: a number from 0 to k - 1."""
Scored = list[tuple[str, int]]
LARGEST_DRAW = 100
"""Every outcome of a draw is tried."""


def select_host_broken(scores: list[tuple[str, int]], intn: Callable[[int], int]) -> str:
    """selectHost: one of the nodes with the highest score, each equally likely."""
    (selected, highest), count = scores[0], 1
    for name, score in scores[1:]:
        if score > highest:
            selected, highest = name, score
        elif score == highest:
            if intn(count) == 0:
                selected = name
            count += 1
    return selected


def select_host(scores: list[tuple[str, int]], intn: Callable[[int], int]) -> str:
    """selectHost: one of the nodes with the highest score, each equally likely."""
    (selected, highest), count = scores[0], 1
    for name, score in scores[1:]:
        if score > highest:
            selected, highest, count = name, score, 1
        elif score == highest:
            count += 1
            if intn(count) == 0:
                selected = name
    return selected


def fair(scores: Scored) -> dict[str, str]:
    """The probability of each node that can be drawn."""
    highest = max(score for _, score in scores)
    best = [name for name, score in scores if score == highest]
    return {name: str(Fraction(1, len(best))) for name in best}


class Drawn:
    """The exact probabilities of a function's results: it runs once for each outcome of its draws."""

    def __init__(self, function: Callable[[Scored, Draw], object]) -> None:
        self.function, self.__code__ = function, getattr(function, "__code__", None)

    def __call__(self, scores: Scored) -> dict[object, str]:
        """The probability of each result."""
        found: dict[object, Fraction] = {}
        left: list[list[int]] = [[]]
        while left:
            path = left.pop()
            sizes: list[int] = []
            result = self.function(list(scores), _following(path, sizes))
            for place in range(len(path), len(sizes)):
                left += [[*path, *[0] * (place - len(path)), other] for other in range(1, sizes[place])]
            found[result] = found.get(result, Fraction(0)) + Fraction(1, prod(sizes))
        return {name: str(found[name]) for name in sorted(found, key=str)}


def _following(path: list[int], sizes: list[int]) -> Draw:
    """Draw along the path, then always 0; ``sizes`` records the requested ranges."""

    def intn(k: int) -> int:
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= LARGEST_DRAW:
            raise InputValueError("intn({k}): a whole number from 1 to {most} is needed", k=repr(k), most=LARGEST_DRAW)
        sizes.append(k)
        return path[len(sizes) - 1] if len(sizes) <= len(path) else 0

    return intn


class RepairDraw(Repair):
    """A drawing function, checked by the exact probabilities of its results instead of by sampling."""

    def judge(self, answer: object) -> Verdict:
        return super().judge(Drawn(answer) if callable(answer) else answer)


def score_lists(rng: random.Random) -> Iterator[tuple[Scored]]:
    """Lists of scores; short ones first."""
    lists = [[9], [9, 9], [5, 9], [9, 5], [9, 9, 9], [5, 9, 9], [5, 5, 9, 9], [9, 5, 9, 9]]
    lists += [[rng.choice([5, 7, 9]) for _ in range(length)] for length in (3, 4, 5) for _ in range(4)]
    for scores in lists:
        yield ([(f"node-{chr(ord('a') + i)}", score) for i, score in enumerate(scores)],)


def fair_draw(seed: int) -> Exercise:
    """A reservoir sampler that is not uniform."""
    return RepairDraw(
        say("A fair draw"),
        say(
            "This selectHost is not fair. Fix it; `intn(k)` draws a number from 0 to k - 1. The check is exact: it "
            "tries all outcomes of the draws and adds up each node's probability."
        ),
        select_host_broken,
        select_host,
        fair,
        score_lists,
        say(
            "The k-th of equal nodes replaces the one held with probability 1/k, and a higher score begins with k = 1."
        ),
        (
            say("With what probability must the second of two equals be drawn?"),
            say("What must happen to count when a higher score comes?"),
        ),
        seed,
        "from collections.abc import Callable",
    )
