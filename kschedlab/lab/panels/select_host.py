"""One of the best nodes: a NodeScoreList and a rule -> the node held after each element, and 10,000 counted draws.

The scheduler's own function runs its rule; the broken rules differ from it in one probability.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.settings import Restorable, choice, slider
from kschedlab.score.stage import select_host
from kschedlab.views.chart_bars import Bars
from kschedlab.views.score import Held, walk_lines, walk_table
from kschedlab.views.svg import Room
from kschedlab.views.words import aligned, count

Chance = Callable[[int], Fraction]
"""From k to the probability with which the k-th of equal nodes replaces the one held."""
DRAWS = 10_000
FAIR = "1/k"
CHANCES: dict[str, Chance] = {
    FAIR: lambda k: Fraction(1, k),
    "1/2": lambda k: Fraction(1, 2),
    "1/(k+1)": lambda k: Fraction(1, k + 1),
    "0 (first wins)": lambda k: Fraction(0),
    "1 (last wins)": lambda k: Fraction(1),
}
LISTS = ((9, 9), (9, 9, 9, 9), (5, 9, 9, 9), (9, 5, 9, 7, 9), (9, 9, 9, 9, 9, 9, 9, 9))


@dataclass(frozen=True)
class Settings(Restorable):
    """The list of scores; the probability that the k-th equal replaces the one held; the seed of the draws."""

    scores: tuple[int, ...] = choice("scores in the list", LISTS, LISTS[1], lambda scores: " ".join(map(str, scores)))
    rule: str = choice("the k-th equal replaces", CHANCES, FAIR)
    seed: int = slider("seed", range(1, 6), 1)


def names(scores: Sequence[int]) -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord('a') + i)}" for i in range(len(scores))]


def best(scores: Sequence[int]) -> list[str]:
    """The nodes with the highest score, in the list's order."""
    return [name for name, score in zip(names(scores), scores, strict=True) if score == max(scores)]


def walk(scores: Sequence[int], chance: Chance) -> list[Held]:
    """Walk the list element by element, with exact probabilities."""
    highest, equals, likely = scores[0], 1, {names(scores)[0]: Fraction(1)}
    steps = [Held(names(scores)[0], highest, "selected to begin with", Fraction(1), likely)]
    for name, score in zip(names(scores)[1:], scores[1:], strict=True):
        replaces, what = Fraction(0), "lower: passed over"
        if score > highest:
            highest, equals, replaces, what = score, 1, Fraction(1), "higher: selected, k = 1"
        elif score == highest:
            equals += 1
            replaces = chance(equals)
            what = f"equal: k = {equals}, replaces with chance {replaces}"
        likely = {held: each * (1 - replaces) for held, each in likely.items()} | {name: replaces}
        steps.append(Held(name, score, what, replaces, likely))
    return steps


def draw(best: Sequence[int], rule: str, rng: random.Random) -> int:
    """One of the best nodes, drawn by the scheduler's function or with a wrong probability."""
    if rule == FAIR:
        return select_host(np.array(best), rng)
    held = best[0]
    for k, node in enumerate(best[1:], start=2):
        if rng.random() < float(CHANCES[rule](k)):
            held = node
    return held


def drawn(settings: Settings) -> Counter[str]:
    """How often each node was drawn."""
    rng, known = random.Random(settings.seed), names(settings.scores)
    places = [known.index(name) for name in best(settings.scores)]
    counts = Counter(draw(places, settings.rule, rng) for _ in range(DRAWS))
    return Counter({known[place]: counts[place] for place in places})


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps, counts = walk(settings.scores, CHANCES[settings.rule]), drawn(settings)
    likely = {name: steps[-1].likely[name] for name in best(settings.scores)}
    fair = DRAWS / len(likely)
    ends = [f"{counts[name]:,}" for name in likely]
    sentence = describe(settings, likely)
    parts = {"draws": [counts[name] for name in likely]}
    words = f"{fair:,.0f} if all were equal"
    picture = Bars(list(likely), parts, ends, sentence, line=fair, line_words=words)(Room())
    lines = aligned([["drawn", "times", "probability"], *([n, f"{counts[n]:,}", str(p)] for n, p in likely.items())])
    return View(picture, sentence, walk_table(steps), "\n".join([sentence, *lines, walk_lines(steps)]))


def describe(settings: Settings, likely: dict[str, Fraction]) -> str:
    """The probabilities in a sentence."""
    if len(set(likely.values())) == 1:
        return f"Each of the {count(len(likely), 'best node')} is drawn with probability {next(iter(likely.values()))}."
    chances = ", ".join(f"{name} {chance}" for name, chance in likely.items())
    return f"If the k-th equal replaces with chance {settings.rule}, the draw is not fair: {chances}."


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="select_host.panel()")
