"""Exercises of lesson 04: Reduce, weights and sums."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil

from kschedlab.build import Manifest, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say
from kschedlab.scheduler import schedule
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.map_reduce_build import LEAST, NEW, NODES, SPREAD, reduce_turns, turn, weighted
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.views.arithmetic import added
from kschedlab_lab.views.map_reduce import short

TAINTS = "TaintTolerationPriority"
PRIORITIES = (LEAST, SPREAD, TAINTS)


def taints(number: int) -> list[dict[str, str]]:
    """That many PreferNoSchedule taints."""
    return [{"key": f"trouble-{n}", "value": "yes", "effect": "PreferNoSchedule"} for n in range(number)]


def random_cluster(rng: random.Random) -> list[Manifest]:
    """Three nodes with different loads, numbers of web pods, and taints."""
    made = [service("web", {"app": "web"})]
    for name in NODES:
        made.append(node(name, 4, "8Gi", taints=taints(rng.randint(0, 3))))
        made.append(pod(f"other-{name[-1]}", name, f"{rng.randrange(500, 2501, 500)}m", memory="1Gi"))
        for number in range(rng.randint(0, 4)):
            made.append(pod(f"web-{name[-1]}{number}", name, "100m", labels={"app": "web"}, memory="128Mi"))
    return [*made, pod("web-new", "", "500m", labels={"app": "web"}, memory="1Gi")]


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"map_reduce {seed}")
    return [total_of_a_node(rng), reduce_turns(rng)]


def total_of_a_node(rng: random.Random) -> Exercise:
    """Reduce by hand, then weights, then the sum."""

    def draw(rng: random.Random) -> tuple[Decision, int]:
        weights = [rng.randint(1, 3) for _ in PRIORITIES]
        generation = weighted(dict(zip(PRIORITIES, weights, strict=True)))
        cluster = Cluster(decode_objects(random_cluster(rng)), generation.api)
        return schedule(NEW, cluster, generation), rng.randrange(len(NODES))

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
        [f"{short(name)} × {weight}", *map(str, scored.raw.tolist())]
        for name, weight, scored in zip(scores.plugins, scores.weights, scores.rows, strict=True)
    ]
    head = [say("priority × weight"), *NODES]
    products = scores.results[:, place].tolist()
    steps = [
        f"{short(name)}: {each.raw[place]} → {each.normalized[place]}, × {weight} = {product}"
        for name, each, weight, product in zip(scores.plugins, scores.rows, scores.weights, products, strict=True)
    ]
    total = int(scores.total[place])
    why = say("{steps}. The sum is {sum} = {total}.", steps=say("; ").join(steps), sum=added(products), total=total)

    def remark(said: str) -> str:
        known = _mistakes(decision, place)
        if said in known:
            return known[said]
        return (
            say("Begin with the two rows that have a Reduce.") if said.isdecimal() else say("Give the sum, a number.")
        )

    return Predict(
        say("The total of a node"),
        say(
            "These are scores right after Map, and the weights that will multiply them. What is the total of {node} "
            "in the end? Reduce reverses {spread} and {taints}: 10 - (score × 10 / largest) for the taints, 10 × "
            "(largest - score) / largest for the pods. Go rounds each division down.",
            node=NODES[place],
            spread=short(SPREAD),
            taints=short(TAINTS),
        ),
        str(total),
        why,
        (say("{row} has no Reduce: its score stays as it is.", row=short(LEAST)), say("; ").join(steps[1:])),
        Instance(table(head, (row(*each) for each in rows)), "\n".join(aligned([head, *rows], ""))),
        remark=remark,
        solved=lambda: turn(decision),
    )


def _mistakes(decision: Decision, place: int) -> dict[str, str]:
    """By wrong total, the one step that leads to it."""
    scores = decision.scores
    assert scores is not None
    found, total = dict[str, str](), int(scores.total[place])
    for name, each, weight in list(zip(scores.plugins, scores.rows, scores.weights, strict=True))[1:]:
        raw, most, is_taint = int(each.raw[place]), int(each.raw.max()), name == TAINTS
        marks, part = int(each.normalized[place]), raw if is_taint else most - raw
        down, exact = part * 10 // most, Fraction(part * 10, most)
        before = total - weight * marks
        turns = say("{row}: more is worse, so Reduce turns the row round.", row=short(name))
        found[str(before + weight * (raw * 10 // most))] = turns
        message = later("{row}: {number} / {most} rounds down to {down}.")
        rounded = say(message, row=short(name), number=part * 10, most=most, down=down)
        if is_taint:
            rounded += say(" Subtract after that: 10 - {down} = {marks}.", down=down, marks=marks)
        for wrong in {exact, Fraction(ceil(exact)), Fraction(round(exact))} - {Fraction(down)}:
            score = before + weight * (10 - wrong if is_taint else wrong)
            found[f"{float(score):.6g}"] = rounded
    found[str(_unreduced(decision, place))] = say(
        "That is the sum without Reduce: two rows are not yet on the scale from 0 to 10."
    )
    found[str(_unweighted(decision, place))] = say("The weights are missing: each score is multiplied by its weight.")
    return found


def _unweighted(decision: Decision, place: int) -> int:
    assert decision.scores is not None
    return int(sum(scored.normalized[place] for scored in decision.scores.rows))


def _unreduced(decision: Decision, place: int) -> int:
    assert decision.scores is not None
    weights = zip(decision.scores.rows, decision.scores.weights, strict=True)
    return int(sum(scored.raw[place] * weight for scored, weight in weights))
