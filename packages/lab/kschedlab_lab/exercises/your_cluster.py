"""Exercises of lesson 07, on the bundled cluster: why pending, what would change it, how much is free."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kschedlab.build import as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.text.words import count
from kschedlab.whatif import Case
from kschedlab.whatif.thresholds import smaller
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import outcome
from kschedlab_lab.exercises.exercise import Exercise, drawn
from kschedlab_lab.exercises.pools import (
    POOL,
    TAINTS,
    Wish,
    cluster,
    decide,
    placed,
    pool_instance,
    wish_instance,
    with_pod,
)
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.views.your_cluster import by_pool

NAME = "default/mine"
CLEAR = 8
"""The least lead in points of one pool's best node, large enough to predict."""


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"your cluster {seed}")
    return [what_helps(rng), which_pool(rng), how_much(rng), only_there(rng), free_cpu_of_a_node(seed)]


# -- predict


def what_helps(rng: random.Random) -> Exercise:
    """One of three changes makes the pod fit."""

    def draw(rng: random.Random) -> Wish:
        selects = rng.choice(["general", *TAINTS])
        tolerates = (rng.choice([*TAINTS]),) if rng.random() < 0.6 else ()
        return Wish(rng.choice([500, 2000, 3000, 6000, 12000]), tolerates, selects)

    def variants(wish: Wish) -> dict[str, Wish]:
        tolerated = wish.selects if wish.selects in TAINTS else "spot"
        key, value = TAINTS[tolerated]
        return {
            say("ask for {cpu}m CPU", cpu=wish.cpu // 4): wish._replace(cpu=wish.cpu // 4),
            say("drop the nodeSelector"): wish._replace(selects=""),
            say("tolerate {key}={value}", key=key, value=value): wish._replace(
                tolerates=tuple(dict.fromkeys([*wish.tolerates, tolerated]))
            ),
        }

    def wanted(wish: Wish) -> bool:
        helping = [each for each in variants(wish).values() if decide(each.manifest).node]
        return decide(wish.manifest).node is None and len(helping) == 1

    wish = drawn(rng, draw, wanted)
    outcomes = {change: decide(each.manifest) for change, each in variants(wish).items()}
    right = next(change for change, decision in outcomes.items() if decision.node)
    said = {change: helped(decision) for change, decision in outcomes.items()}
    return Predict(
        say("What would change it?"),
        say("This pod is pending. Which of the three changes, alone, lets it fit without evicting anybody?"),
        right,
        said[right],
        (
            say("What does each pool ask of a pod? First its label, then its taint, then its room."),
            decide(wish.manifest).message,
        ),
        wish_instance(wish, folded=False),
        said,
        solved=lambda: outcome(outcomes[right]),
    )


def helped(decision: Decision) -> str:
    if decision.node is None:
        return say("It is still pending: {message}", message=decision.message)
    return say(
        "Then it fits on {nodes}: {pools}.",
        nodes=count(len(decision.feasible), "node"),
        pools=by_pool(decision.cluster, decision.names),
    )


def which_pool(rng: random.Random) -> Exercise:
    """Several pools admit it, and one has the best node."""

    def draw(rng: random.Random) -> Wish:
        return Wish(rng.choice([100, 250, 500, 1000]), tuple(rng.sample([*TAINTS], rng.choice([1, 2]))))

    def wanted(wish: Wish) -> bool:
        totals = sorted(best_of(decide(wish.manifest)).values())
        return len(totals) > 1 and totals[-1] >= totals[-2] + CLEAR

    wish = drawn(rng, draw, wanted)
    decision = decide(wish.manifest)
    totals = best_of(decision)
    right = max(totals, key=lambda name: totals[name])
    why = say("The best scores by pool: {scores}.", scores=listed(f"{name} {total}" for name, total in totals.items()))
    higher = later("The best node of {name} has {total} points, and another pool has a better one.")
    remarks = {
        name: (
            why
            if name == right
            else say(higher, name=name, total=totals[name])
            if name in totals
            else say("{name} refuses it: {refusal}.", name=name, refusal=refusal(decision, name))
        )
        for name in pools(cluster())
    }
    return Predict(
        say("Which pool?"),
        say("To which pool does this pod go?"),
        right,
        why,
        (
            say(
                "Where may it go at all? Of those nodes, the emptier ones score more, and so do those that use CPU "
                "and memory evenly."
            ),
            say("A toleration allows; it does not attract."),
        ),
        wish_instance(wish),
        remarks,
        solved=lambda: outcome(decision),
    )


def best_of(decision: Decision) -> dict[str, int]:
    """The highest total in each pool that has feasible nodes."""
    if decision.scores is None:
        return {}
    total = dict(zip(decision.scores.nodes.tolist(), decision.scores.total.tolist(), strict=True))
    found = {name: [total[p] for p in places if p in total] for name, places in pools(decision.cluster).items()}
    return {name: max(totals) for name, totals in found.items() if totals}


def refusal(decision: Decision, pool: str) -> str:
    """The plugin that refuses the pool's first node."""
    place = pools(decision.cluster)[pool][0]
    return str(decision.verdict(decision.cluster.names[place]).plugin)


def how_much(rng: random.Random) -> Exercise:
    """The largest request with which a pod fits."""

    def draw(rng: random.Random) -> Wish:
        tolerates = tuple(rng.sample([*TAINTS], rng.choice([1, 1, 2])))
        return Wish(rng.choice([11000, 13000, 15000]), tolerates, rng.choice(["", "", *tolerates]))

    def boundary(wish: Wish) -> int | None:
        case = Case(NAME, with_pod(decode_objects([wish.manifest])))
        return next((each.far for each in smaller(case) if each.name == "cpu"), None)

    wish = drawn(rng, draw, lambda wish: decide(wish.manifest).node is None and boundary(wish) is not None)
    right = boundary(wish)
    assert right is not None

    def remark(said: str) -> str:
        if (cores := re.fullmatch(r"(\d{1,3})\.(\d{1,3})", said)) is not None:
            milli = int(cores[1] + cores[2].ljust(3, "0"))
            return say("In milli, {said} CPU is {milli}m: answer so.", said=said, milli=milli)
        if not said.removesuffix("m").isdecimal() or len(said) > 9:
            return say("An amount in milli is expected, such as 250m.")
        amount = int(said.removesuffix("m"))
        decision = decide(wish._replace(cpu=amount).manifest)
        if decision.node is None:
            return say("With {amount}m it fits nowhere: {message}", amount=amount, message=decision.message)
        return say(
            "With {amount}m it fits on {nodes}; it may ask for more.",
            amount=amount,
            nodes=count(len(decision.feasible), "node"),
        )

    return Predict(
        say("How much may it ask for?"),
        say("This pod asks for too much CPU. What is the largest request with which it fits, in milli (such as 250m)?"),
        f"{right}m",
        say("{right}m is the most CPU that is free on a node that lets it in.", right=right),
        (
            say("Which pools let it in? Leave the others out of the table."),
            say("Its requests must fit on one node, not in a pool."),
        ),
        wish_instance(wish),
        remark=remark,
        unit="m",
        solved=lambda: outcome(decide(wish._replace(cpu=right).manifest)),
    )


# -- build


def only_there(rng: random.Random) -> Exercise:
    """A pod for one pool."""
    pool, cpu = rng.choice([*TAINTS]), rng.choice([200, 400, 600])
    example = Wish(cpu, (pool,), pool).manifest

    def goal(objects: Objects) -> str:
        if len(objects.pods) != 1 or sum(objects.report.counts.values()) != 1:
            return say("Give one pod, and nothing else.")
        if pods_cpu(objects) < cpu:
            return say(
                "The pod must ask for {cpu}m CPU at least; yours asks for {asked}m.",
                cpu=cpu,
                asked=pods_cpu(objects),
            )
        decision = placed(objects)
        if not len(decision.feasible):
            return say("It fits nowhere: {event}", event=decision.event)
        where = by_pool(decision.cluster, decision.names)
        if where == f"{pool} {len(decision.feasible)}":
            return ""
        refused = say("{name} refuses it: {refusal}.", name=pool, refusal=refusal(decision, pool))
        elsewhere = say("It fits elsewhere: {where}.", where=where)
        return elsewhere if pool in best_of(decision) else sentences((refused, elsewhere))

    return Build(
        say("Only there"),
        say(
            "Write a pod that asks for {cpu}m CPU and fits on nodes of the pool {pool} and nowhere else.",
            cpu=cpu,
            pool=pool,
        ),
        goal,
        as_yaml([example]),
        say("The toleration lets it in, the nodeSelector keeps it there. Each alone is not enough."),
        (
            say("Nodes of the pool have the label {label}: {pool}.", label=POOL, pool=pool),
            say("And they have the taint {taint}: without a toleration nobody gets in.", taint="=".join(TAINTS[pool])),
        ),
        pool_instance(),
        start=as_yaml([pod("mine", cpu=f"{cpu}m", priority=0)]),
        decided=lambda objects: outcome(placed(objects)),
    )


def pods_cpu(objects: Objects) -> int:
    return cluster().fork().info(objects.pods[0]).request.get("cpu", 0)


# -- repair

Pods = list[Mapping[str, Any]]


def free_cpu_broken(allocatable: int, pods: list[Mapping[str, Any]]) -> int:
    """Free CPU on a node, in milli. Each pod has a phase and the requests of its (init) containers."""
    return allocatable - sum(sum(pod["containers"]) for pod in pods)


def free_cpu(allocatable: int, pods: list[Mapping[str, Any]]) -> int:
    """Free CPU on a node, in milli. Each pod has a phase and the requests of its (init) containers."""
    used = 0
    for each in pods:
        if each["phase"] not in ("Succeeded", "Failed"):
            used += max([sum(each["containers"]), *each["initContainers"]])
    return allocatable - used


def by_engine(allocatable: int, pods: Pods) -> int:
    made = [node("node-a", f"{allocatable}m")]
    for number, each in enumerate(pods):
        manifest = pod(f"pod-{number}", "node-a")
        for field in ("containers", "initContainers"):
            manifest["spec"][field] = [
                {"name": f"{field[0]}{place}", "image": "i", "resources": {"requests": {"cpu": f"{cpu}m"}}}
                for place, cpu in enumerate(each[field])
            ]
        made.append({**manifest, "status": {"phase": each["phase"]}})
    world = Cluster(decode_objects(made))
    return int(world.allocatable[0, 0] - world.requested[0, 0])


def nodes_with_pods(rng: random.Random) -> Iterator[tuple[int, Pods]]:
    """A node's CPU and its pods; small and simple cases first."""
    for pods in (1, 2, 3):
        for init, phases in ((0, ["Running"]), (1, ["Running"]), (2, ["Running", "Pending", "Succeeded", "Failed"])):
            for _ in range(4):
                found: Pods = [
                    {
                        "phase": rng.choice(phases),
                        "containers": [rng.randrange(100, 600, 50) for _ in range(rng.choice([1, 2]))],
                        "initContainers": [rng.randrange(100, 1500, 50) for _ in range(init)],
                    }
                    for _ in range(pods)
                ]
                yield 8000, found


def free_cpu_of_a_node(seed: int) -> Exercise:
    return Repair(
        say("How much is free?"),
        say(
            "Many scripts add up requests like this, and disagree with the scheduler. Fix it. All amounts are "
            "milli CPU; init containers run one after the other, before the containers start."
        ),
        free_cpu_broken,
        free_cpu,
        by_engine,
        nodes_with_pods,
        say(
            "Pods that have ended count nothing. Any other pod counts its containers together or its largest init "
            "container, whichever is more."
        ),
        (
            say("Which pods no longer take up room?"),
            say("An init container runs alone: what if it needs more than all others together?"),
        ),
        seed,
        "from collections.abc import Mapping\nfrom typing import Any",
    )
