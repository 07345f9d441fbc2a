"""Exercises of lesson 06: which generation decides differently, and by which change?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from kschedlab.build import HOUR, Manifest, as_yaml, budget, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, V1_20, V1_37, Generation
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, element, join
from kschedlab.text.ladder import steps
from kschedlab_lab.exercises.build import Build, budget_fault
from kschedlab_lab.exercises.clusters import pictured
from kschedlab_lab.exercises.exercise import Exercise, drawn, in_turn
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.preemption import START, V1BETA1, drawn_decision
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.named_rules import NAMED_RULES, switched

NODES = ("node-a", "node-b", "node-c")
BLAMED, ELSEWHERE = ("start_times", "counted_down", "sorted_again"), "hundred_points"
"""Changes in preemption, and one that never makes a difference to it."""
APPS = ("shop", "mail", "logs")
THREE = (
    (200, 100, 50),
    (200, 50, 50),
    (150, 150, 0),
    (150, 100, 0),
    (150, 50, 0),
    (100, 100, 50),
    (100, 100, 0),
    (100, 50, 50),
)
"""The priorities of three pods of a node."""
LADDER = later(
    "The rules, until one node is left: 1 fewest budget violations, 2 lowest first victim, 3 lowest sum of priorities "
    "(each victim counts 2³¹, too: lesson 05), 4 fewest victims, 5 latest start."
)
CHANGES = {rule.name: rule for rule in NAMED_RULES if rule.name in (*BLAMED, ELSEWHERE)}


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"generations {seed}")
    return [culprit(rng, seed), divide(rng, seed), count_down(seed)]


def decided(objects: Objects, generation: Generation) -> Decision:
    """The generation's decision for ``default/urgent``."""
    return schedule("default/urgent", Cluster(objects, generation.api), generation)


def with_rules(question: str) -> str:
    """The question, and the rules of lesson 05 that it takes."""
    return f"{question}\n{say(LADDER)}"


def chosen_by(objects: Objects, generation: Generation) -> str:
    """The node that the generation chooses, or the tied ones."""
    preemption = decided(objects, generation).preemption
    return say(" or ").join(preemption.tied) if preemption is not None else ""


def beside(objects: Objects, *generations: Generation) -> Html:
    """Their decisions below each other, each under its generation's name."""
    pictures = (drawn_decision(decided(objects, each), as_listed=True) for each in generations)
    titles = (element("p", element("b", each.name)) for each in generations)
    return join(part for parts in zip(titles, pictures, strict=True) for part in parts)


def random_cluster(rng: random.Random) -> list[Manifest]:
    """Three nodes of 5 CPU with two pods each; a budget for most of them; a pod that requests 4 CPU."""
    made = [node(name, 5) for name in NODES]
    for name in NODES:
        start = rng.randrange(7 * HOUR, 12 * HOUR, 60)
        priorities = rng.choice([(100, 50), (150, 0), (50, 100), (100, 100), (150, 50)])
        for number, priority in enumerate(priorities):
            app = rng.choice(["shop", "shop", "mail"])
            made.append(pod(f"{app}-{name[-1]}{number}", name, 2, priority, start, labels={"app": app}))
    return [*made, pod("urgent", "", 4, 500), budget("shop", rng.choice([0, 1, 1]))]


def culprit(rng: random.Random, seed: int) -> Exercise:
    """Only one of the changes matters to v1.37's choice."""
    right = CHANGES[in_turn(seed, BLAMED)]
    less = {name: switched(V1_37.name, frozenset([name])) for name in CHANGES}

    def is_the_cause(manifests: list[Manifest]) -> bool:
        objects = decode_objects(manifests)
        chosen = chosen_by(objects, V1_37)
        differ = [name for name, each in less.items() if chosen_by(objects, each) != chosen]
        return chosen in NODES and differ == [right.name]

    manifests = drawn(rng, random_cluster, is_the_cause)
    objects = decode_objects(manifests)
    chosen, other = chosen_by(objects, V1_37), chosen_by(objects, less[right.name])
    named = replace(less[right.name], name=say("v1.37 without “{change}”", change=say(right.title)))
    alone = say(
        "Without it v1.37 would choose {other}; without any of the others still {node}.", other=other, node=chosen
    )
    whys = {
        say(rule.title): alone if rule is right else still(decided(objects, less[name]), chosen)
        for name, rule in CHANGES.items()
    }
    return Predict(
        say("Who is to blame?"),
        with_rules(say("v1.37 chooses {node}. It would not without one of these changes. Which one?", node=chosen)),
        say(right.title),
        alone,
        (
            say("Find each node's victims in v1.37, in their order. Which of them break the budget?"),
            say(
                "Which rule chooses {node}? Which change alters what it, or an earlier rule, reads?",
                node=chosen,
            ),
        ),
        pictured(decided(objects, V1_37), manifests, as_listed=True),
        whys,
        solved=lambda: beside(objects, V1_37, named),
    )


def still(decision: Decision, node: str) -> str:
    """What decides for this node without a change that doesn't matter."""
    assert decision.preemption is not None
    rule = next(each for each in steps(decision.preemption, list(NODES)) if each.decides)
    return say("Without it v1.37 still chooses {node}, by rule {number}.", node=node, number=rule.number)


def three_each(rng: random.Random, app: str) -> list[Manifest]:
    """Three nodes of 7 CPU with three pods each, most of them of this app; a pod that requests 6 CPU."""
    made = [node(name, 7) for name in NODES]
    for name in NODES:
        start, other = rng.randrange(7 * HOUR, 12 * HOUR, HOUR // 2), rng.choice((0, 1, 2, None))
        for number, priority in enumerate(rng.choice(THREE)):
            label = rng.choice(APPS) if number == other else app
            made.append(pod(f"{label}-{name[-1]}{number}", name, 2, priority, start, labels={"app": label}))
    return [*made, pod("urgent", "", 6, 500)]


def divide(rng: random.Random, seed: int) -> Exercise:
    """The one budget with which v1.16 stays and v1.20 chooses this other node."""
    allowed = in_turn(seed, (1, 2))

    def under(manifests: list[Manifest], app: str, allowed: int) -> str:
        return chosen_by(decode_objects([*manifests, budget(app, allowed)]), V1_20)

    def is_the_one(drawn: tuple[str, list[Manifest]]) -> bool:
        app, manifests = drawn
        to = under(manifests, app, allowed)
        if to not in NODES or under(manifests, app, 3 - allowed) == to:
            return False
        others = ((other, number) for other in APPS if other != app for number in (1, 2))
        return chosen_by(decode_objects(manifests), V1_16) in {*NODES} - {to} and all(
            under(manifests, *other) != to for other in others
        )

    def draw(rng: random.Random) -> tuple[str, list[Manifest]]:
        app = rng.choice(APPS)
        return app, three_each(rng, app)

    app, manifests = drawn(rng, draw, is_the_one)
    objects, found = decode_objects(manifests), budget(app, allowed)
    here, there = chosen_by(objects, V1_16), under(manifests, app, allowed)

    def goal(objects: Objects) -> str:
        if fault := budget_fault(objects, len(manifests)):
            return fault
        for each, wanted in ((V1_16, here), (V1_20, there)):
            if (node := chosen_by(objects, each)) != wanted:
                return say("{version} chooses {node}, not {wanted}.", version=each.name, node=node, wanted=wanted)
        return ""

    return Build(
        say("Divide them"),
        with_rules(
            say(
                "Without a budget both v1.16 and v1.20 choose {here}. Add one PodDisruptionBudget (with its status): "
                "v1.16 stays with {here}, and v1.20 chooses {there}. The name of each pod begins with its label app.",
                here=here,
                there=there,
            )
        ),
        goal,
        as_yaml([found | V1BETA1]),
        say("v1.16 asks the budget about each victim alone. v1.20 counts down; who finds none left goes first."),
        (
            say("If the budget allows at least one disruption, v1.16 chooses as if there were none."),
            say("Try each app with 1 and with 2: which victims break v1.20's budget, and who is first on each node?"),
        ),
        pictured(decided(objects, V1_16), manifests, as_listed=True),
        as_yaml(manifests),
        START,
        lambda objects: beside(objects, V1_16, V1_20),
    )


def victims_broken(priorities: list[int], allowed: int) -> list[int]:
    """v1.20's list of a node's victims, under one budget. `priorities`: the highest first."""
    breaking, others = [], []
    for priority in priorities:
        if allowed <= 0:
            breaking.append(priority)
        else:
            others.append(priority)
    return breaking + others


def victims_mended(priorities: list[int], allowed: int) -> list[int]:
    """v1.20's list of a node's victims, under one budget. `priorities`: the highest first."""
    breaking, others = [], []
    for priority in priorities:
        if allowed <= 0:
            breaking.append(priority)
        else:
            others.append(priority)
        allowed -= 1
    return breaking + others


def by_engine(priorities: list[int], allowed: int) -> list[int]:
    """The priorities of v1.20's victims if all pods of a node must leave."""
    labels = {"app": "shop"}
    pods = [pod(f"shop-{i}", "node-a", 1, each, 8 * HOUR, labels) for i, each in enumerate(priorities)]
    number = len(pods)
    made = [node("node-a", number), *pods, budget("shop", allowed), pod("urgent", "", number, 5000)]
    preemption = decided(decode_objects(made), V1_20).preemption
    return [each.priority for each in preemption.victims] if preemption is not None else []


def victims_of_budgets(rng: random.Random) -> Iterator[tuple[list[int], int]]:
    """Priorities and what the budget allows; two victims first."""
    yield [100, 50], 1
    for number in (2, 3, 4, 5):
        for allowed in range(number + 1):
            yield sorted((rng.randrange(0, 1000, 50) for _ in range(number)), reverse=True), allowed


def count_down(seed: int) -> Exercise:
    """A budget that every victim may ask alone."""
    return Repair(
        say("One line of v1.18"),
        say("This function lists victims as v1.16 does: it asks the budget about each of them alone. Make it v1.20's."),
        victims_broken,
        victims_mended,
        by_engine,
        victims_of_budgets,
        say(
            "One new line is enough: each victim uses up one of the disruptions that the budget allows. The Go source "
            "counts before its test, so there the test becomes < 0."
        ),
        (
            say("How many disruptions are left after the first victim?"),
            say("In this code the number never changes. Where should it?"),
        ),
        seed,
    )
