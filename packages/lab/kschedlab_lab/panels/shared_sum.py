"""A sum that workers share, simulated: settings -> scores and an order of steps -> lost updates and the winner.

Each worker is a goroutine with one priority: it adds its scores to the totals of all nodes. It is a generator that
yields wherever another one may run; a seed draws which one continues. The engine computes the scores.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, steps
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.shared_sum import (
    LUCKY,
    RIGHT,
    TIED,
    WRONG,
    Moment,
    Orders,
    Race,
    Sum,
    describe,
    draw_moment,
    fate,
)
from kschedlab_lab.views.svg import Room

NODES = tuple(node_names(4))
PRIORITIES = ("SelectorSpreadPriority", "TaintTolerationPriority", "NodeAffinityPriority", "LeastRequestedPriority")
WORKERS = range(2, len(PRIORITIES) + 1)
SEEDS = 20
"""Orders of steps that the panel offers."""
Steps: TypeAlias = Iterator[tuple[str, Sum]]
"""A worker's latest action and the sum that it holds; it yields here, and another one may continue."""


@dataclass
class Memory:
    """What all workers see. ``cells``: results[algorithm][node], where each has its own row."""

    totals: list[Sum]
    cells: dict[tuple[int, int], int] = field(default_factory=dict)
    locked: bool = False


def shared(memory: Memory, me: int, node: int, score: int) -> Steps:
    """``total[node] += score``, as a processor does it."""
    seen = memory.totals[node]
    yield "reads", seen
    new = seen.plus(me, score)
    yield "adds", new
    memory.totals[node] = new
    yield "writes", new


def locked(memory: Memory, me: int, node: int, score: int) -> Steps:
    """The same between Lock and Unlock (so v1.13: algorithm/priorities/interpod_affinity.go, processTerm)."""
    while memory.locked:
        yield "waits", Sum()
    memory.locked = True
    yield "locks", Sum()
    for does, value in shared(memory, me, node, score):
        memory.locked = does != "writes"
        yield does, value


def atomic(memory: Memory, me: int, node: int, score: int) -> Steps:
    """An atomic addition (so v1.16, in the same place: atomic.AddInt64)."""
    memory.totals[node] = memory.totals[node].plus(me, score)
    yield "adds at once", memory.totals[node]


def own_cells(memory: Memory, me: int, node: int, score: int) -> Steps:
    """No addition at all: ``results[me][node] = score`` (so PrioritizeNodes)."""
    memory.cells[me, node] = score
    yield "writes its cell", Sum(score)


DESIGNS: dict[str, Callable[[Memory, int, int, int], Steps]] = {
    later("shared sum"): shared,
    later("shared sum with a lock"): locked,
    later("atomic addition"): atomic,
    later("cells of its own"): own_cells,
}


@dataclass(frozen=True)
class Settings(Restorable):
    """How the workers add, their number, the order of steps (``seed``), and the current step."""

    design: str = choice("each worker has", DESIGNS, "shared sum")
    workers: int = slider("workers", WORKERS, 3)
    seed: int = slider("order of steps", range(1, SEEDS + 1), 1)
    step: int = steps("step", lambda settings: len(moments(settings)) - 1)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another design, number of workers or order is shown at its end."""
        found = super().at(indices)
        same = (found.design, found.workers, found.seed) == (self.design, self.workers, self.seed)
        return found if same else replace(found, step=len(moments(found)) - 1)


@lru_cache
def decide(workers: int) -> Decision:
    """v1.16's decision with the first priorities alone."""
    wanted = PRIORITIES[:workers]
    few = replace(V1_16, scores=tuple(each for each in V1_16.scores if each[0].name in wanted))
    return schedule(NEW, Cluster(decode_objects(manifests()), few.api), few)


@lru_cache
def race(workers: int, shares: bool = True) -> Race:
    """The amounts that each worker adds: score × weight."""
    scores = decide(workers).scores
    assert scores is not None
    rows = [scores.results[scores.plugins.index(name)].tolist() for name in PRIORITIES[:workers]]
    return Race([name.removesuffix("Priority") for name in PRIORITIES[:workers]], NODES, rows, shares)


def interleave(scores: Sequence[Sequence[int]], design: str, seed: int) -> list[Moment]:
    """All steps in an order drawn from the seed. ``scores``: by worker and node."""
    rng, memory = random.Random(seed), Memory([Sum()] * len(scores[0]))
    running = {me: _worker(memory, design, me, row) for me, row in enumerate(scores)}
    found = [Moment(None, "starts", 0, 0, tuple(memory.totals))]
    while running:
        waiting = [me for me in running if memory.locked and _last(found, me) == "waits"]
        me = rng.choice([each for each in running if each not in waiting])
        step = next(running[me], None)
        if step is None:
            del running[me]
            continue
        found.append(_after(found[-1], memory, me, *step))
    if memory.cells:
        for node, scored in enumerate(zip(*scores, strict=True)):
            memory.totals[node] = Sum(sum(scored), frozenset(range(len(scores))))
            found.append(replace(_after(found[-1], memory, 0, node, "sums", memory.totals[node]), who=None))
    return [*found, replace(found[-1], who=None, does="ends")]


def _worker(memory: Memory, design: str, me: int, scores: Sequence[int]) -> Iterator[tuple[int, str, Sum]]:
    for node, score in enumerate(scores):
        for does, value in DESIGNS[design](memory, me, node, score):
            yield node, does, value


def _last(found: Sequence[Moment], me: int) -> str:
    return next((moment.does for moment in reversed(found) if moment.who == me), "")


def _after(before: Moment, memory: Memory, me: int, node: int, does: str, value: Sum) -> Moment:
    ended = does in ("writes", "adds at once", "writes its cell")
    in_hand = {who: held for who, held in before.in_hand.items() if who != me}
    if does in ("reads", "adds"):
        in_hand[me] = node, value
    written = before.written | {(me, node)} if ended else before.written
    return Moment(me, does, node, value.value, tuple(memory.totals), in_hand, written)


def moments(settings: Settings) -> tuple[Moment, ...]:
    """The steps that others can see: an addition in a worker's hand is no step of its own."""
    return _moments(settings.workers, settings.design, settings.seed)


@lru_cache(maxsize=512)
def _moments(workers: int, design: str, seed: int) -> tuple[Moment, ...]:
    return tuple(each for each in interleave(race(workers).scores, design, seed) if each.does != "adds")


def fates(settings: Settings) -> list[str]:
    """By seed: how that order of steps ends."""
    adding = race(settings.workers)
    return [fate(adding, moments(settings.changed(seed=seed, step=0))[-1]) for seed in range(1, SEEDS + 1)]


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    all_of_them, adding = moments(settings), race(settings.workers, settings.design != "cells of its own")
    moment, ends = all_of_them[settings.step], fates(settings)
    orders = Orders(dial(settings), tuple(DESIGNS), settings.design, ends, settings.seed)
    sentence = describe(adding, all_of_them, settings.step)

    def picture(room: Room) -> Html:
        return draw_moment(adding, moment, orders, room, sentence)

    return View(picture, sentence, Html(), sentence)


def dial(settings: Settings) -> Dial:
    return Dial.among(WORKERS, settings.workers, count(settings.workers, "worker"), "workers")


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: manifests(), "shared_sum.panel()")


def wrong_node() -> Question[Settings]:
    """The question about all orders of steps."""
    choices = (say("one or none"), say("about half"), say("nearly all"))

    def right(settings: Settings) -> str:
        number = fates(settings).count(RIGHT)
        return choices[0 if number < 2 else 2 if number > SEEDS - 4 else 1]

    def why(settings: Settings, _: str) -> str:
        found = Counter(fates(settings))
        return say(
            "{right} of {all} orders give the right totals. Of the others, node-b still wins in {lucky}; "
            "there is a tie in {tied}, and a wrong node wins in {wrong}.",
            right=found[RIGHT],
            all=SEEDS,
            lucky=found[LUCKY],
            tied=found[TIED],
            wrong=found[WRONG],
        )

    text = say(
        "This is how one shuffle of all reads and writes ends. In how many of {number} are all totals right?",
        number=SEEDS,
    )

    def before(settings: Settings, room: Room) -> Html:
        fixed = Dial(count(settings.workers, "worker"))
        adding, orders = race(settings.workers), Orders(fixed, tuple(DESIGNS), settings.design, (), settings.seed)
        return draw_moment(adding, moments(settings)[settings.step], orders, room, text)

    return Question(text, choices, right, why, lambda settings: partial(before, settings))
