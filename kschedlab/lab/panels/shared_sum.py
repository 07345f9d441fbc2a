"""A sum that goroutines share, simulated: settings -> scores and an order of steps -> lost updates and the winner.

Each goroutine has one priority and adds its scores to the totals of all nodes. It is a generator that yields wherever
another one may run; a seed draws which one continues. The engine computes the scores.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, steps
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.views.shared_sum import Moment, Race, Sum, describe, draw_moment, moment_text, moments_table
from kschedlab.views.words import listing

NODES = tuple(node_names(4))
PRIORITIES = ("SelectorSpreadPriority", "TaintTolerationPriority", "NodeAffinityPriority", "LeastRequestedPriority")
Steps: TypeAlias = Iterator[tuple[str, Sum]]
"""A goroutine's latest action and the sum that it holds; it yields here, and another one may continue."""


@dataclass
class Memory:
    """What all goroutines see. ``cells``: results[algorithm][node], where each has its own row."""

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
    "shared sum": shared,
    "shared sum with a lock": locked,
    "atomic addition": atomic,
    "cells of its own": own_cells,
}


@dataclass(frozen=True)
class Settings(Restorable):
    """How the goroutines add, their number, the order of steps (``seed``), and the current step."""

    design: str = choice("each goroutine has", DESIGNS, "shared sum")
    goroutines: int = slider("goroutines", range(2, len(PRIORITIES) + 1), 3)
    seed: int = slider("seed of the order", range(1, 21), 1)
    step: int = steps("step", lambda settings: len(moments(settings)) - 1)


@lru_cache
def decide(goroutines: int) -> Decision:
    """v1.16's decision with the first priorities alone."""
    wanted = PRIORITIES[:goroutines]
    few = replace(V1_16, scores=tuple(each for each in V1_16.scores if each[0].name in wanted))
    return schedule(NEW, Cluster(decode_objects(manifests()), few.api), few)


@lru_cache
def race(goroutines: int, shares: bool = True) -> Race:
    """The amounts that each goroutine adds: score × weight."""
    scores = decide(goroutines).scores
    assert scores is not None
    rows = [scores.results[scores.plugins.index(name)].tolist() for name in PRIORITIES[:goroutines]]
    return Race([name.removesuffix("Priority") for name in PRIORITIES[:goroutines]], NODES, rows, shares)


def interleave(scores: Sequence[Sequence[int]], design: str, seed: int) -> list[Moment]:
    """All steps in an order drawn from the seed. ``scores``: by goroutine and node."""
    rng, memory = random.Random(seed), Memory([Sum()] * len(scores[0]))
    running = {me: _goroutine(memory, design, me, row) for me, row in enumerate(scores)}
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


def _goroutine(memory: Memory, design: str, me: int, scores: Sequence[int]) -> Iterator[tuple[int, str, Sum]]:
    for node, score in enumerate(scores):
        for does, value in DESIGNS[design](memory, me, node, score):
            yield node, does, value


def _last(found: Sequence[Moment], me: int) -> str:
    return next((moment.does for moment in reversed(found) if moment.who == me), "")


def _after(before: Moment, memory: Memory, me: int, node: int, does: str, value: Sum) -> Moment:
    """The moment after this step."""
    ended = does in ("writes", "adds at once", "writes its cell")
    in_hand = {who: held for who, held in before.in_hand.items() if who != me}
    if does in ("reads", "adds"):
        in_hand[me] = node, value
    written = before.written | {(me, node)} if ended else before.written
    return Moment(me, does, node, value.value, tuple(memory.totals), in_hand, written)


def moments(settings: Settings) -> tuple[Moment, ...]:
    """The steps with these settings."""
    return _moments(settings.goroutines, settings.design, settings.seed)


@lru_cache(maxsize=512)
def _moments(goroutines: int, design: str, seed: int) -> tuple[Moment, ...]:
    return tuple(interleave(race(goroutines).scores, design, seed))


def outcomes(design: str, goroutines: int = 3, orders: int = 200) -> dict[str, int]:
    """Over that many orders of steps: how often each set of nodes ends with the highest total."""
    adding = race(goroutines)
    last = [interleave(adding.scores, design, seed)[-1].totals for seed in range(1, orders + 1)]
    counts = Counter(listing(adding.highest([each.value for each in totals])) for totals in last)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    all_of_them, adding = moments(settings), race(settings.goroutines, settings.design != "cells of its own")
    moment = all_of_them[settings.step]
    sentence = describe(adding, all_of_them, settings.step)
    table, text = moments_table(adding, all_of_them, settings.step)
    picture = draw_moment(adding, moment, sentence)
    lines = [sentence, moment_text(adding, moment), text]
    return View(picture, sentence, table, "\n".join(filter(None, lines)))


def as_yaml(settings: Settings) -> str:
    """The cluster of the scores, as YAML documents."""
    return testing.as_yaml(manifests())


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "shared_sum.panel()")


def what_is_left() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "A total is 0. One goroutine adds 6 and another 10, without a lock. What can the total be afterwards?",
        {
            "16": "If one of them begins after the other has written. That is one order of many. Look.",
            "6 or 10": "That happens too. But if one begins after the other has written, nothing is lost.",
            "6, 10 or 16": "Yes. It depends on who reads, and who writes, in which order.",
        },
    )
