"""One of the best nodes: a NodeScoreList -> how likely each node is held after each element."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from kschedlab.messages import later, say
from kschedlab.score.stage import select_host
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.reservoir import Held, Reservoir
from kschedlab_lab.views.svg import Room

PARTS = 12
"""So many equally likely draws tell exactly whether one is below 1/2, 1/3 or 1/4."""
LISTS = ((9, 9, 9, 9), (5, 9, 9, 9), (9, 5, 9, 7))


@dataclass(frozen=True)
class Settings(Restorable):
    """The list of scores."""

    scores: tuple[int, ...] = choice("sums", LISTS, LISTS[0], lambda scores: " ".join(map(str, scores)))


def names(scores: Sequence[int]) -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord('a') + i)}" for i in range(len(scores))]


class _Fixed(random.Random):
    """Draws that are given."""

    def __init__(self, draws: Sequence[int]) -> None:
        super().__init__()
        self.draws = iter(draws)

    def random(self) -> float:
        """The next one, in the middle of its part between 0 and 1."""
        return (next(self.draws) + 0.5) / PARTS


@lru_cache
def likely(scores: tuple[int, ...]) -> dict[str, Fraction]:
    """How likely the scheduler holds each node after these: all outcomes of its draws are tried."""
    best = np.array([i for i, score in enumerate(scores) if score == max(scores)])
    outcomes = list(product(range(PARTS), repeat=len(best) - 1))
    held = Counter(select_host(best, _Fixed(draws)) for draws in outcomes)
    return {name: Fraction(held[i], len(outcomes)) for i, name in enumerate(names(scores)) if held[i]}


def walk(scores: tuple[int, ...]) -> list[Held]:
    """Walk the list element by element, with exact probabilities."""
    return [_step(scores[: end + 1]) for end in range(len(scores))]


def _step(seen: tuple[int, ...]) -> Held:
    """What happens to the last of these."""
    node, score, k = names(seen)[-1], seen[-1], seen.count(max(seen))
    if score < max(seen):
        what, brief = say("{node} has less, and is passed over.", node=node), say("lower")
    elif k == 1:
        what = say("{node} has the highest sum so far, and is held: k = 1.", node=node)
        brief = say("higher") if seen[1:] else "k = 1"
    else:
        message = later("{node} is equal: k = {k}, so it takes over with probability {chance}.")
        what, brief = say(message, node=node, k=k, chance=likely(seen)[node]), f"k = {k}"
    return Held(node, score, likely(seen), what, brief)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps = walk(settings.scores)
    nodes = count(len(steps[-1].likely), "best node")
    chance = max(steps[-1].likely.values())
    said = say("Each of the {nodes} is drawn with probability {next}.", nodes=nodes, next=chance)

    def frames(room: Room) -> list[Frame]:
        each = [Frame(Reservoir(steps, come, step.what)(room), step.what) for come, step in enumerate(steps, start=1)]
        return [*each, Frame(picture(room), said)]

    picture = Reservoir(steps, len(steps) + 1, said)
    return View(picture, said, Html(), said, story=frames)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="select_host.panel()")


def first_stays() -> Question[Settings]:
    """How likely is the first of the list to stay?"""

    def right(settings: Settings) -> str:
        steps = walk(settings.scores)
        return str(steps[-1].likely[steps[0].name])

    def why(settings: Settings, answer: str) -> str:
        equals = settings.scores.count(settings.scores[0])
        product = " × ".join(f"{k - 1}/{k}" for k in range(2, equals + 1))
        return say("It must stay each time: {product} = {right}.", product=product, right=right(settings))

    asked = say("With what probability is the first node still held at the end?")
    return Question(asked, ("1", "1/2", "1/4", "1/8"), right, why, _waiting)


def _waiting(settings: Settings) -> Reservoir:
    """The list after the first element."""
    return Reservoir(walk(settings.scores), 1, say("The list before the draw."))
