"""Exercises of lesson 04: build a cluster in which Reduce swaps the order of two nodes, and a Policy for a node."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import product

import numpy as np

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.manifests.loading import ManifestError, Objects
from kschedlab.messages import listed, say
from kschedlab.objects.model import Service
from kschedlab.scheduler import schedule
from kschedlab_configuration import load_configuration
from kschedlab_lab.exercises.build import LONGEST, Build
from kschedlab_lab.exercises.clusters import scored, shown
from kschedlab_lab.exercises.exercise import Exercise, State, Verdict, drawn
from kschedlab_lab.exercises.map_reduce_clusters import (
    LEAST,
    NEW,
    NODES,
    PRIORITIES,
    SERVICE,
    SPREAD,
    decided,
    random_cluster,
    weighted,
)
from kschedlab_lab.views.score import result_list

TWO = weighted([1, 1], (LEAST, SPREAD))


def reduce_turns(rng: random.Random) -> Exercise:
    """A cluster in which Reduce changes the order of two nodes."""
    sizes = rng.sample([2, 3, 4, 6, 8], 2)
    base: list[Manifest] = [SERVICE, *(node(name, size, "16Gi") for name, size in zip(NODES, sizes, strict=False))]
    base.append(pod("web-new", "", "100m", labels={"app": "web"}, memory="128Mi"))
    crowd = [pod(f"web-{n}", "node-a", "1m", labels={"app": "web"}, memory="1Mi") for n in range(8)]
    return Build(
        say("Reduce turns the tables"),
        say(
            "v1.16 has two priorities, {least} and {spread}, with weight 1 each. Add running pods until Map's scores "
            "give one node the higher sum, and the scores after Reduce give it to the other.",
            least=LEAST,
            spread=SPREAD,
        ),
        turned,
        as_yaml(crowd),
        say(
            "After Map each pod of the Service is a point for its node. Reduce reverses that: the node with none "
            "gets ten points, the node with the most gets none."
        ),
        (
            say("What does {spread}'s Map count? Is more of it good or bad?", spread=SPREAD),
            say("Put several small pods with the label app=web on one node."),
        ),
        shown(base),
        as_yaml(base),
        as_yaml([pod("web-1", "node-a", "1m", memory="1Mi")]),
        lambda objects: scored(schedule(NEW, Cluster(objects, TWO.api), TWO)),
    )


def turned(objects: Objects) -> str:
    """Whether Reduce swaps the order of the two nodes; if not, the sums."""
    waiting = [each.metadata.name for each in objects.pods if not each.spec.nodeName]
    if len(objects.nodes) != 2 or len(objects.of(Service)) != 1 or waiting != ["web-new"]:
        return say("Add only running pods: spec.nodeName must be node-a or node-b.")
    scores = schedule(NEW, Cluster(objects, TWO.api), TWO).scores
    if scores is None:
        return say("web-new must fit on both nodes. Otherwise nothing is scored.")
    before = [int(sum(scored.raw[place] for scored in scores.rows)) for place in (0, 1)]
    after = scores.total.tolist()
    if (before[0] - before[1]) * (after[0] - after[1]) < 0:
        return ""
    return say(
        "As Map leaves them, node-a has {one} and node-b {other}; after Reduce {then} and "
        "{afterwards}: the order is not reversed.",
        one=before[0],
        other=before[1],
        then=after[0],
        afterwards=after[1],
    )


START = "kind: Policy\napiVersion: v1\npriorities:\n"
"""What stands in the editor at first."""


class PolicyBuild(Build):
    """A Policy to write. ``missing_in``: what a generation with this Policy fails to do, or ""."""

    missing_in: Callable[[Generation], str]

    def judge(self, answer: object) -> Verdict:
        text = str(answer)
        if len(text) > LONGEST:
            return Verdict(
                State.ERROR,
                say("The answer has {number} characters; {longest} are enough.", number=len(text), longest=LONGEST),
            )
        if not re.search(r"\bkind\W+Policy\b", text):
            return Verdict(State.ERROR, say("`{line}` is missing.", line="kind: Policy"), read=False)
        try:
            profiles = load_configuration(f"{text}\n", V1_16)
        except ManifestError as error:
            return Verdict(State.ERROR, say("The Policy can't be read."), str(error))
        (generation,) = profiles.values()
        missing, notes = self.missing_in(generation), "\n".join(profiles.warnings)
        return Verdict(State.WRONG, missing, notes) if missing else Verdict(State.RIGHT, self.why, notes)


def policy(weights: tuple[int, ...]) -> Manifest:
    """A Policy with the three priorities."""
    priorities = [{"name": name, "weight": weight} for name, weight in zip(PRIORITIES, weights, strict=True)]
    return {"kind": "Policy", "apiVersion": "v1", "priorities": priorities}


def weights_for(rng: random.Random) -> Exercise:
    """Weights with which another node wins."""

    def wanted(case: list[Manifest]) -> bool:
        decision = decided(case, weighted([1, 1, 1]))
        return len(decision.best) == 1 and len(smallest_weights(decision)) > 1

    case = drawn(rng, random_cluster, wanted)
    now = decided(case, weighted([1, 1, 1]))
    answers = smallest_weights(now)
    name = rng.choice(sorted(set(answers) - {str(now.node)}))

    def missing_in(generation: Generation) -> str:
        if sorted(plugin.name for plugin, _ in generation.scores) != sorted(PRIORITIES):
            return say("The Policy must name the priorities {names}, and no others.", names=listed(PRIORITIES))
        decision = decided(case, generation)
        if decision.best == [name]:
            return ""
        sums = listed(f"{each} {total}" for each, total in result_list(decision))
        return say(
            "With it the totals are {sums}: {node} is not alone at the top.", sums=sums or say("none"), node=name
        )

    built = PolicyBuild(
        say("Weights for a node"),
        say(
            "With weight 1 for each of {names}, {node} has the highest total for web-new. Write a Policy (kind: "
            "Policy, apiVersion: v1, priorities with name and weight) that gives it to {other} alone in v1.16.",
            names=listed(PRIORITIES),
            node=now.node,
            other=name,
        ),
        lambda _: "",
        as_yaml([policy(answers[name])]),
        say(
            "Weights apply when the reduced scores, 0 to 10, are added up: a row counts as many times as its weight "
            "says."
        ),
        (
            say(
                "In which row is {other} better than {node}? After Reduce, {node} and {other}: {rows}.",
                other=name,
                node=now.node,
                rows=_rows(now, name),
            ),
            say("Give that row a larger weight, such as 5."),
        ),
        shown(case),
        start=START,
    )
    built.missing_in = missing_in
    return built


def smallest_weights(decision: Decision) -> dict[str, tuple[int, ...]]:
    """By node: the smallest weights with which it alone has the highest total. Reduced scores don't depend on them."""
    scores, found = decision.scores, dict[str, tuple[int, ...]]()
    assert scores is not None
    reduced = np.array([scored.normalized for scored in scores.rows])
    for weights in sorted(product((1, 2, 3, 5, 9), repeat=len(reduced)), key=sum):
        totals = np.array(weights) @ reduced
        best = scores.nodes[totals == totals.max()].tolist()
        if len(best) == 1:
            found.setdefault(decision.cluster.names[best[0]], weights)
    return found


def _rows(decision: Decision, name: str) -> str:
    """The reduced scores of the node that wins and of another."""
    assert decision.scores is not None and decision.node is not None
    scored = [decision.cluster.names[n] for n in decision.scores.nodes.tolist()]
    first, second = (scored.index(each) for each in (decision.node, name))
    named = zip(decision.scores.plugins, decision.scores.rows, strict=True)
    return listed(
        say(
            "{row}: {one} and {other}",
            row=plugin,
            one=each.normalized[first],
            other=each.normalized[second],
        )
        for plugin, each in named
    )
