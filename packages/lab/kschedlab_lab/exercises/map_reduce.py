"""Exercises of lesson 04: weighted sums, lost updates of a shared sum, and Reduce."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from kschedlab.decision import Decision
from kschedlab.messages import later, meant, say, terms
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.clusters import scored
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.map_reduce_build import reduce_turns
from kschedlab_lab.exercises.map_reduce_clusters import (
    LEAST,
    NODES,
    PRIORITIES,
    SPREAD,
    TAINTS,
    decided,
    random_cluster,
    weighted,
)
from kschedlab_lab.exercises.map_reduce_repair import wrong_maximum
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.views.score_formulas import added


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"map_reduce {seed}")
    return [total_of_a_node(rng), what_is_left(rng), reduce_turns(rng), wrong_maximum(seed)]


def table_instance(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Instance:
    """A table, and the same as text."""
    cells = [list(each) for each in rows]
    return Instance(table(head, (row(*each) for each in cells)), "\n".join(aligned([list(head), *cells], "")))


def total_of_a_node(rng: random.Random) -> Exercise:
    """Reduce by hand, then weights, then the sum."""

    def draw(rng: random.Random) -> tuple[Decision, int]:
        weights = [rng.randint(1, 3) for _ in PRIORITIES]
        return decided(random_cluster(rng), weighted(weights)), rng.randrange(len(NODES))

    def wanted(drawn: tuple[Decision, int]) -> bool:
        """Reduce changes both rows, and the wrong sums differ from the right one."""
        scores, place = drawn[0].scores, drawn[1]
        if scores is None or len(set(scores.weights)) < 2:
            return False
        sums = {int(scores.total[place]), _unweighted(drawn[0], place), _unreduced(drawn[0], place)}
        return len(sums) == 3 and all(0 < each.raw[place] < each.raw.max() for each in scores.rows[1:])

    decision, place = drawn(rng, draw, wanted)
    scores = decision.scores
    assert scores is not None
    rows = [
        [name, str(weight), *map(str, scored.raw.tolist())]
        for name, weight, scored in zip(scores.plugins, scores.weights, scores.rows, strict=True)
    ]
    products = scores.results[:, place].tolist()
    steps = [
        f"{name}: {each.raw[place]} → {each.normalized[place]}, × {weight} = {product}"
        for name, each, weight, product in zip(scores.plugins, scores.rows, scores.weights, products, strict=True)
    ]
    total = int(scores.total[place])
    why = say("{steps}. The sum is {sum} = {total}.", steps=say("; ").join(steps), sum=added(products), total=total)

    def remark(said: str) -> str:
        known = {
            str(_unreduced(decision, place)): say(
                "That is the sum without Reduce: two rows are not yet on the scale from 0 to 10."
            )
        }
        known[str(_unweighted(decision, place))] = say(
            "The weights are missing: each score is multiplied by its weight."
        )
        if said in known:
            return known[said]
        return (
            say("Begin with the rows that have a Reduce. {step}.", step=steps[1])
            if said.isdecimal()
            else say("Give the sum, a number.")
        )

    return Predict(
        say("The total of a node"),
        say(
            "These are the scores after Map, in v1.16. What is the total of {node} in the end? Reduce "
            "reverses {spread} and {taints}: 10 - score × 10 / largest for the taints, 10 × (largest - "
            "score) / largest for the pods. Go's integer division rounds down.",
            node=NODES[place],
            spread=SPREAD,
            taints=TAINTS,
        ),
        str(total),
        why,
        (say("{row} has no Reduce: its score stays as it is.", row=LEAST), say("; ").join(steps[1:])),
        table_instance([*terms(meant("priority", "algorithm"), "weight"), *NODES], rows),
        remark=remark,
        solved=lambda: scored(decision),
    )


def _unweighted(decision: Decision, place: int) -> int:
    assert decision.scores is not None
    return int(sum(scored.normalized[place] for scored in decision.scores.rows))


def _unreduced(decision: Decision, place: int) -> int:
    assert decision.scores is not None
    weights = zip(decision.scores.rows, decision.scores.weights, strict=True)
    return int(sum(scored.raw[place] * weight for scored, weight in weights))


STEPS = later("worker {worker} reads the total"), later("worker {worker} writes the total")
"""What the question says of a step: of a worker's first, and of its second."""


def replayed(scores: Sequence[int], order: Sequence[int]) -> tuple[list[tuple[str, int]], set[int]]:
    """Each step in words, with the total after it; and the workers whose scores are lost.

    ``order``: whose turn it is. A worker reads in its first turn and writes in its second.
    """
    total, included, steps = 0, frozenset[int](), list[tuple[str, int]]()
    held = dict[int, tuple[int, frozenset[int]]]()
    for worker in order:
        writes = worker in held
        if writes:
            seen, known = held[worker]
            total, included = seen + scores[worker], known | {worker}
        else:
            held[worker] = total, included
        steps.append((say(STEPS[writes], worker=worker + 1), total))
    return steps, {*range(len(scores))} - included


def what_is_left(rng: random.Random) -> Exercise:
    """One total, three workers, one order of reads and writes."""

    def draw(rng: random.Random) -> tuple[list[int], list[int]]:
        order = [0, 1, 2] * 2
        rng.shuffle(order)
        return rng.sample(range(1, 11), 3), order

    def wanted(drawn: tuple[list[int], list[int]]) -> bool:
        """Some updates are lost and some are not; the last writer is not merely the last that read 0."""
        steps, lost = replayed(*drawn)
        return len(lost) == 1 and steps[-1][1] not in drawn[0]

    scores, order = drawn(rng, draw, wanted)
    steps, (who,) = replayed(scores, order)
    rows = [[str(n), text] for n, (text, _) in enumerate(steps, 1)]
    known = [[*asked, str(total)] for asked, (_, total) in zip(rows, steps, strict=True)]
    right, whole = str(steps[-1][1]), str(sum(scores))

    def remark(said: str) -> str:
        if said == whole:
            unseen = say("Who writes after worker {worker} without having read its sum?", worker=who + 1)
            return say("That would be right if nothing were lost. {question}", question=unseen)
        return say("Note what each worker has read; it writes that plus its own score.")

    adds = say(", ").join(
        say("worker {number} adds {score}", number=n, score=score) for n, score in enumerate(scores, 1)
    )
    return Predict(
        say("What is left of the sum?"),
        say(
            "The total is 0. {adds}: each reads the total, adds its own score, and writes the result, in this order. "
            "What is the total at the end?",
            adds=adds[:1].upper() + adds[1:],
        ),
        right,
        say("Worker {worker}'s {score} is lost.", worker=who + 1, score=scores[who]),
        (say("Write beside each read what is read."), say("A write does not add: it replaces the total.")),
        table_instance(terms("step", "what happens"), rows),
        remark=remark,
        solved=lambda: table_instance([*terms("step", "what happens"), say("total")], known).picture,
    )
