"""One of the best nodes: a NodeScoreList and a rule -> the node held after each element, and 10,000 counted draws.

The scheduler's own function runs its rule; the broken rules differ from it in one probability.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from kschedlab.cluster.signatures import IntArray
from kschedlab.messages import later, listed, say, sentences
from kschedlab.score.stage import select_host
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.reservoir import Held, Reservoir, story
from kschedlab_lab.views.svg import Room

Chance = Callable[[int], Fraction]
"""From k to the probability with which the k-th of equal nodes is held from then on."""
DRAWS = 10_000
FAIR, HELD = "1/k", later("k = 1: held")
CHANCES: dict[str, Chance] = {
    FAIR: lambda k: Fraction(1, k),
    "1/2": lambda k: Fraction(1, 2),
    "1/(k+1)": lambda k: Fraction(1, k + 1),
}
LISTS = ((9, 9), (9, 9, 9, 9), (5, 9, 9, 9), (9, 5, 9, 7, 9), (9, 9, 9, 9, 9, 9, 9, 9))


@dataclass(frozen=True)
class Settings(Restorable):
    """The list of scores; the probability with which the k-th equal is taken; the seed of the draws."""

    scores: tuple[int, ...] = choice("sums", LISTS, LISTS[1], lambda scores: " ".join(map(str, scores)))
    rule: str = choice("chance of the k-th", CHANCES, FAIR)
    seed: int = slider("seed", range(1, 6), 1, folded=True)


def names(scores: Sequence[int]) -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord('a') + i)}" for i in range(len(scores))]


def best(scores: Sequence[int]) -> list[str]:
    """The nodes with the highest score, in the list's order."""
    return [name for name, score in zip(names(scores), scores, strict=True) if score == max(scores)]


def walk(scores: Sequence[int], chance: Chance) -> list[Held]:
    """Walk the list element by element, with exact probabilities."""
    highest, equals, likely = scores[0], 1, {names(scores)[0]: Fraction(1)}
    steps = [Held(names(scores)[0], highest, say("first: held to begin with"), Fraction(1), likely, HELD)]
    for name, score in zip(names(scores)[1:], scores[1:], strict=True):
        taken, what, brief = Fraction(0), say("lower: passed over"), later("lower")
        if score > highest:
            highest, equals, taken = score, 1, Fraction(1)
            what, brief = say("higher: held at once, k = 1"), later("higher")
        elif score == highest:
            equals += 1
            taken = chance(equals)
            what = say("equal: k = {equals}, taken with probability {taken}", equals=equals, taken=taken)
            brief = f"k = {equals}: {taken}"
        likely = {held: each * (1 - taken) for held, each in likely.items()} | {name: taken}
        steps.append(Held(name, score, what, taken, likely, brief))
    return steps


def draw(best: IntArray, rule: str, rng: random.Random) -> int:
    """One of the best nodes, drawn by the scheduler's function or with a wrong probability."""
    if rule == FAIR:
        return select_host(best, rng)
    held, *others = best.tolist()
    for node, chance in zip(others, _chances(rule, len(others)), strict=True):
        if rng.random() < chance:
            held = node
    return held


@lru_cache
def _chances(rule: str, number: int) -> tuple[float, ...]:
    """From the second equal on."""
    return tuple(float(CHANCES[rule](k)) for k in range(2, number + 2))


@lru_cache(512)
def drawn(settings: Settings) -> Counter[str]:
    """How often each node was drawn. Many draws take a moment, so they are kept."""
    rng, known = random.Random(settings.seed), names(settings.scores)
    places = np.array([known.index(name) for name in best(settings.scores)])
    counts = Counter(draw(places, settings.rule, rng) for _ in range(DRAWS))
    return Counter({known[place]: counts[place] for place in places.tolist()})


def example(settings: Settings) -> list[tuple[str, str]]:
    """The first of the draws, element by element: which node is held, and what happened."""
    rng, held, equals = random.Random(settings.seed), "", 1
    steps, found = walk(settings.scores, CHANCES[settings.rule]), []
    for name, score, step in zip(names(settings.scores), settings.scores, steps, strict=True):
        if step.brief == "lower":
            what = say("{name} has only {score}: {held} is still held.", name=name, score=score, held=held)
        elif step.brief in (HELD, "higher"):
            held, equals = name, 1
            first = step.brief == HELD
            what = say(
                "{node} comes first and is held, k = 1." if first else "{node} has more and is held, k = 1.", node=name
            )
        else:
            equals += 1
            held, what = _equal(settings.rule, rng, name, held, equals)
        found.append((held, what))
    return found


def _equal(rule: str, rng: random.Random, name: str, held: str, k: int) -> tuple[str, str]:
    """One of equals comes up: which node is held then."""
    number = rng.random()
    if rule == FAIR:
        drawn = int(number * k)
        said = say("{name} is equal, k = {k}: intn({k}) gives {drawn}", name=name, k=k, drawn=drawn)
        taken = drawn == 0
    else:
        taken = number < CHANCES[rule](k)
        said = say("{name} is equal, k = {k}: taken with probability {chance}", name=name, k=k, chance=CHANCES[rule](k))
    if taken:
        return name, say("{said}, so it takes over.", said=said)
    return held, say("{said}, so {held} stays.", said=said, held=held)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps, counts = walk(settings.scores, CHANCES[settings.rule]), drawn(settings)
    likely = {name: steps[-1].likely[name] for name in best(settings.scores)}
    sentence = describe(settings, likely)
    once = example(settings)
    picture = Reservoir(steps, [held for held, _ in once], counts, sentence)

    def frames(room: Room) -> list[Frame]:
        return [Frame(*each) for each in story(picture, room, [what for _, what in once])]

    return View(picture, sentence, Html(), sentence, story=frames)


def describe(settings: Settings, likely: dict[str, Fraction]) -> str:
    """The probabilities in a sentence."""
    if len(set(likely.values())) == 1:
        return say(
            "Each of the {nodes} is drawn with probability {next}.",
            nodes=count(len(likely), "best node"),
            next=next(iter(likely.values())),
        )
    chances = listed(f"{name} {chance}" for name, chance in likely.items())
    gains = max(likely, key=lambda name: likely[name])
    first = next(iter(likely))
    unfair = say(
        "If the k-th equal is taken with probability {rule}, the draw is not fair: {chances}.",
        rule=say(settings.rule),
        chances=chances,
    )
    return sentences((say("The first one gains.") if gains == first else say("The last one gains."), unfair))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="select_host.panel()")


def first_stays() -> Question[Settings]:
    """How likely is the first of the list to stay?"""

    def right(settings: Settings) -> str:
        steps = walk(settings.scores, CHANCES[settings.rule])
        return str(steps[-1].likely[steps[0].name])

    def why(settings: Settings, answer: str) -> str:
        steps = walk(settings.scores, CHANCES[settings.rule])
        stays = [1 - step.chance for step in steps[1:]]
        product = " × ".join(map(str, stays))
        if answer == "1":
            return say(
                "Each equal may take its place, so it stays with {product} = {right}.",
                product=product,
                right=right(settings),
            )
        return say("It must stay each time: {product} = {right}.", product=product, right=right(settings))

    asked = say("The first node is held before the others are seen. With what probability is it held at the end?")
    return Question(asked, ("1", "1/2", "1/3", "1/4", "1/8"), right, why, _waiting)


def who_gains() -> Question[Settings]:
    """Whom does a wrong rule prefer?"""

    def right(settings: Settings) -> str:
        likely = walk(settings.scores, CHANCES[settings.rule])[-1].likely
        return max(likely, key=lambda name: likely[name])

    def why(settings: Settings, answer: str) -> str:
        likely = walk(settings.scores, CHANCES[settings.rule])[-1].likely
        best = right(settings)
        if answer == best:
            return say(
                "{best} is drawn with probability {likely}: nobody comes after it to take its place.",
                best=best,
                likely=likely[best],
            )
        return say(
            "{answer} is drawn with probability {likely} only; {best} comes last and has {likely2}.",
            answer=answer,
            likely=likely[answer],
            best=best,
            likely2=likely[best],
        )

    choices = tuple(names(LISTS[1]))
    return Question(say("Every equal is taken with probability 1/2. Which node gains?"), choices, right, why, _picked)


def _picked(settings: Settings) -> Reservoir:
    """The list, whose nodes can be picked."""
    return replace(_waiting(settings), picks=True)


def _waiting(settings: Settings) -> Reservoir:
    """The list before anyone comes up."""
    steps = walk(settings.scores, CHANCES[settings.rule])
    once = example(settings)[:1]
    return Reservoir(steps, [held for held, _ in once], {}, say("The list before the draw."), shown=1)
