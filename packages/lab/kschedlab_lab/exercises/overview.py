"""Exercises of lesson 01: which predicate refuses, what does a FitError say, how many nodes are enough?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.filter.stage import nodes_to_find
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import say
from kschedlab.scheduler import schedule
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import outcome, shown
from kschedlab_lab.exercises.exercise import Exercise, drawn
from kschedlab_lab.exercises.overview_predict import who_refuses
from kschedlab_lab.exercises.repair import Repair


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"overview {seed}")
    return [who_refuses(rng), same_message(rng), bounds(seed)]


# -- build


def random_nodes(rng: random.Random) -> list[Manifest]:
    """Four nodes that differ in size, label and taint, and a pod without constraints."""
    made = [
        node(
            f"node-{letter}",
            rng.choice([2, 4, 8]),
            labels={"disk": rng.choice(["ssd", "hdd"])},
            taints=[{"key": "gpu", "effect": "NoSchedule"}] if rng.random() < 0.4 else [],
        )
        for letter in "abcd"
    ]
    wants: dict[str, Any] = {"nodeSelector": {"disk": "ssd"}} if rng.random() < 0.7 else {}
    if rng.random() < 0.3:
        wants["tolerations"] = [{"key": "gpu", "operator": "Exists"}]
    return [*made, pod("web", "", rng.choice([1, 3, 6]), **wants)]


def decided(objects: Objects) -> Decision:
    """v1.16's decision for web."""
    return schedule("default/web", Cluster(objects, V1_16.api), V1_16)


def same_message(rng: random.Random) -> Exercise:
    """A pod that gets a given FitError."""
    manifests = drawn(rng, random_nodes, lambda made: decided(decode_objects(made)).message.count(",") >= 1)
    base, message = manifests[:-1], decided(decode_objects(manifests)).message

    def goal(objects: Objects) -> str:
        if sum(objects.report.counts.values()) != len(base) + 1:
            return say("Add one pod, and nothing else.")
        if [each.spec.nodeName for each in objects.pods if each.metadata.name == "web"] != [""]:
            return say("Name the pod web, and give it no spec.nodeName.")
        decision = decided(objects)
        if decision.node is not None:
            return say("web fits: it goes to {node}.", node=decision.node)
        if decision.message != message:
            return say("v1.16 says something else: {message}", message=decision.message)
        return ""

    return Build(
        say("The same FitError"),
        say("Write a pod web about which v1.16 says:\n{message}", message=message),
        goal,
        as_yaml(manifests[-1:]),
        say(
            "A FitError counts the nodes for each reason, and sorts the parts as text. Each node gives the reasons "
            "of the first predicate that refuses."
        ),
        (
            say("GeneralPredicates comes before taints and gives all of its reasons at once."),
            say("For each node: which reasons does it give to your pod? Then count."),
        ),
        shown(base),
        as_yaml(base),
        as_yaml([pod("web", "", "500m")]),
        lambda objects: outcome(decided(objects)),
    )


# -- repair


def nodes_to_find_broken(nodes: int, percentage: int) -> int:
    """How many feasible nodes are enough for v1.16. ``percentage``: percentageOfNodesToScore, 0 if unset."""
    if percentage == 0:
        percentage = min(5, 50 - nodes // 125)
    return max(100, nodes * percentage // 100)


def nodes_to_find_mended(nodes: int, percentage: int) -> int:
    """How many feasible nodes are enough for v1.16. ``percentage``: percentageOfNodesToScore, 0 if unset."""
    if nodes < 100:
        return nodes
    if percentage == 0:
        percentage = max(5, 50 - nodes // 125)
    return max(100, nodes * percentage // 100)


def sizes(rng: random.Random) -> Iterator[tuple[int, int]]:
    """Small clusters first; 100 nodes and the ends of the adaptive percentage among them."""
    yield from ((nodes, 0) for nodes in (1, 99, 100, 101, 250, 1000, 5625, 8000))
    yield from ((rng.randrange(1, 9000), rng.choice([0, 5, 30, 50, 99])) for _ in range(60))


def bounds(seed: int) -> Exercise:
    """The function numFeasibleNodesToFind with two of its bounds wrong."""
    return Repair(
        say("Two bounds"),
        say(
            "This function should say how many feasible nodes are enough, but one of its bounds is wrong, and one is "
            "missing. Fix it."
        ),
        nodes_to_find_broken,
        nodes_to_find_mended,
        lambda nodes, percentage: nodes_to_find(nodes, percentage, V1_16.sampling),
        sizes,
        say(
            "All of fewer than 100 nodes; else the percentage, which is adaptive but at least 5; and at least 100 "
            "nodes."
        ),
        (say("Can one find 100 nodes in a cluster of 50?"), say("At least 5: is that min or max?")),
        seed,
    )
