"""One of the best nodes: a NodeScoreList -> how likely each node is held after each element."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np

from kschedlab.messages import later, say, sentences
from kschedlab.score.stage import select_host
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.layout import Part, padded, words
from kschedlab_lab.views.reservoir import Held, Reservoir
from kschedlab_lab.views.style import INK_2
from kschedlab_lab.views.tosses import press

MOST, MANY, SEED = 200, 20, 1
"""How many draws can be made one after the other, how many at a time, and the seed of the first."""
PARTS = 12
"""So many equally likely draws tell exactly whether one is below 1/2, 1/3 or 1/4."""
LISTS = ((9, 9, 9, 9), (5, 9, 9, 9), (9, 5, 9, 7))
FAIR, HALF = "1/k", "1/2"
"""With what probability the k-th of equals takes over: the scheduler's rule, and one to compare it with."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The list of scores, the rule of the draw, and how many draws were made."""

    scores: tuple[int, ...] = choice("sums", LISTS, LISTS[0], lambda scores: " ".join(map(str, scores)), folded=True)
    takes: str = choice("an equal takes over with", (FAIR, HALF), FAIR)
    draws: int = slider("draws", range(MOST + 1), 0)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another list or rule begins without draws: those that were made were of the last one."""
        found = super().at(indices)
        return found if (found.scores, found.takes) == (self.scores, self.takes) else replace(found, draws=0)


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
def likely(scores: tuple[int, ...], takes: str) -> dict[str, Fraction]:
    """How likely each node is held after these. For the scheduler's rule all outcomes of its draws are tried."""
    if takes == HALF:
        equals = [name for name, score in zip(names(scores), scores, strict=True) if score == max(scores)]
        return {name: Fraction(1, 2 ** min(len(equals) - i, len(equals) - 1)) for i, name in enumerate(equals)}
    best = np.array([i for i, score in enumerate(scores) if score == max(scores)])
    outcomes = list(product(range(PARTS), repeat=len(best) - 1))
    held = Counter(select_host(best, _Fixed(draws)) for draws in outcomes)
    return {name: Fraction(held[i], len(outcomes)) for i, name in enumerate(names(scores)) if held[i]}


def walk(scores: tuple[int, ...], takes: str = FAIR) -> list[Held]:
    """Walk the list element by element, with exact probabilities."""
    return [_step(scores[: end + 1], likely(scores[: end + 1], takes)) for end in range(len(scores))]


def _step(seen: tuple[int, ...], held: dict[str, Fraction]) -> Held:
    """What happens to the last of these."""
    node, score, k = names(seen)[-1], seen[-1], seen.count(max(seen))
    if score < max(seen):
        what, brief = say("{node} has less, and is passed over.", node=node), say("lower")
    elif k == 1:
        what = say("{node} has the highest sum so far, and is held: k = 1.", node=node)
        brief = say("higher") if seen[1:] else "k = 1"
    else:
        message = later("{node} is equal: k = {k}, so it takes over with probability {chance}.")
        what, brief = say(message, node=node, k=k, chance=held[node]), f"k = {k}"
    return Held(node, score, held, what, brief)


@lru_cache
def drawn(scores: tuple[int, ...], takes: str, draws: int) -> tuple[str, ...]:
    """The nodes of so many draws. Those by the scheduler's rule are its own."""
    rng, best = random.Random(SEED), np.array([i for i, score in enumerate(scores) if score == max(scores)])

    def held() -> int:
        if takes == FAIR:
            return select_host(best, rng)
        one = int(best[0])
        for other in best[1:].tolist():
            one = other if rng.random() < 1 / 2 else one
        return one

    return tuple(names(scores)[held()] for _ in range(draws))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps = walk(settings.scores, settings.takes)
    first, *_, last = (chances := list(steps[-1].likely.values()))
    if first == last:
        nodes = count(len(chances), "best node")
        said = say("Each of the {nodes} is drawn with probability {next}.", nodes=nodes, next=first)
    else:
        unfair = later("Of the best, the last is drawn with probability {last}, the first with {first}.")
        said = say(unfair, first=first, last=last)
    done = drawn(settings.scores, settings.takes, settings.draws)
    if done:
        draws = count(len(done), "draw")
        said = sentences((say("{draws} so far, the last one: {node}.", draws=draws, node=done[-1]), said))
    return View(Reservoir(steps, len(steps) + 1, said, done, _buttons(len(done))), said, Html(), said)


def _buttons(done: int) -> list[Part]:
    """What makes one draw more, and many; after the last one they rest, and it begins again."""
    if done == MOST:
        text = say("Start again")
        rest = padded(words(say("{number} draws are the most.", number=MOST), fill=INK_2), 4, 9)
        return [rest, press(text, "again", data_set="draws: 0", aria_label=text)]
    return [_draw(done, more) for more in sorted({1, min(MANY, MOST - done)})]


def _draw(done: int, more: int) -> Part:
    """The button for so many draws more."""
    text = say("Draw {number}", number=more)
    return press(text, f"draw {more}", data_set=f"draws: {done + more}", aria_label=text)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="select_host.panel()")


def first_stays() -> Question[Settings]:
    """How likely is the first of the list to stay?"""

    def right(settings: Settings) -> str:
        steps = walk(settings.scores, settings.takes)
        return str(steps[-1].likely[steps[0].name])

    def why(settings: Settings, answer: str) -> str:
        equals = settings.scores.count(settings.scores[0])
        stays = (f"{k - 1}/{k}" if settings.takes == FAIR else HALF for k in range(2, equals + 1))
        product = " × ".join(stays)
        return say("It must stay each time: {product} = {right}.", product=product, right=right(settings))

    asked = say("With what probability is the first node still held at the end?")
    return Question(asked, ("1", "1/2", "1/4", "1/8"), right, why, partial(_after, 1), way=_way)


def _after(come: int, settings: Settings) -> Reservoir:
    """The list after so many elements."""
    steps = walk(settings.scores, settings.takes)
    return Reservoir(steps, come, steps[come - 1].what)


def _way(settings: Settings) -> list[Reservoir]:
    """The list after the second element, the third ..."""
    return [_after(come, settings) for come in range(2, len(settings.scores) + 1)]
