"""One of the best nodes: a NodeScoreList -> the node held after each element, and 10,000 draws by the scheduler."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from kschedlab.messages import later, say
from kschedlab.score.stage import select_host
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.reservoir import Held, Reservoir, story
from kschedlab_lab.views.svg import Room

DRAWS, SEED = 10_000, 1
"""How many draws are counted, and the seed of them all."""
HELD = later("k = 1: held")
LISTS = ((9, 9), (9, 9, 9, 9), (5, 9, 9, 9), (9, 5, 9, 7, 9), (9, 9, 9, 9, 9, 9, 9, 9))


@dataclass(frozen=True)
class Settings(Restorable):
    """The list of scores."""

    scores: tuple[int, ...] = choice("sums", LISTS, LISTS[1], lambda scores: " ".join(map(str, scores)))


def names(scores: Sequence[int]) -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord('a') + i)}" for i in range(len(scores))]


def best(scores: Sequence[int]) -> list[str]:
    """The nodes with the highest score, in the list's order."""
    return [name for name, score in zip(names(scores), scores, strict=True) if score == max(scores)]


def walk(scores: Sequence[int]) -> list[Held]:
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
            taken = Fraction(1, equals)
            what = say("equal: k = {equals}, taken with probability {taken}", equals=equals, taken=taken)
            brief = f"k = {equals}: {taken}"
        likely = {held: each * (1 - taken) for held, each in likely.items()} | {name: taken}
        steps.append(Held(name, score, what, taken, likely, brief))
    return steps


@lru_cache
def drawn(settings: Settings) -> Counter[str]:
    """How often the scheduler's function draws each node. Many draws take a moment, so they are kept."""
    rng, known = random.Random(SEED), names(settings.scores)
    places = np.array([known.index(name) for name in best(settings.scores)])
    return Counter(known[select_host(places, rng)] for _ in range(DRAWS))


def example(settings: Settings) -> list[tuple[str, str]]:
    """The first of the draws, element by element: which node is held, and what happened."""
    rng, held, equals, found = random.Random(SEED), "", 1, list[tuple[str, str]]()
    for name, score, step in zip(names(settings.scores), settings.scores, walk(settings.scores), strict=True):
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
            drawn = int(rng.random() * equals)
            said = say("{name} is equal, k = {k}: intn({k}) gives {drawn}", name=name, k=equals, drawn=drawn)
            stays = say("{said}, so {held} stays.", said=said, held=held)
            held, what = (name, say("{said}, so it takes over.", said=said)) if drawn == 0 else (held, stays)
        found.append((held, what))
    return found


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps, equals, once = walk(settings.scores), best(settings.scores), example(settings)
    sentence = say(
        "Each of the {nodes} is drawn with probability {next}.",
        nodes=count(len(equals), "best node"),
        next=steps[-1].likely[equals[0]],
    )
    picture = Reservoir(steps, [held for held, _ in once], drawn(settings), sentence)

    def frames(room: Room) -> list[Frame]:
        return [Frame(*each) for each in story(picture, room, [what for _, what in once])]

    return View(picture, sentence, Html(), sentence, story=frames)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="select_host.panel()")


def first_stays() -> Question[Settings]:
    """How likely is the first of the list to stay?"""

    def right(settings: Settings) -> str:
        steps = walk(settings.scores)
        return str(steps[-1].likely[steps[0].name])

    def why(settings: Settings, answer: str) -> str:
        steps = walk(settings.scores)
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


def _waiting(settings: Settings) -> Reservoir:
    """The list before anyone comes up."""
    steps = walk(settings.scores)
    once = example(settings)[:1]
    return Reservoir(steps, [held for held, _ in once], {}, say("The list before the draw."), shown=1)
