"""Exercises of lesson 03: which of the feasible nodes is best? v1.20 decides."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import NamedTuple

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import say
from kschedlab.scheduler import schedule
from kschedlab_lab.exercises.clusters import scored, shown
from kschedlab_lab.exercises.exercise import Exercise, drawn
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.score_build import LEAST, NEW, NODES, favourites, overrule
from kschedlab_lab.views.arithmetic import summed
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import number, result_list

TAINTS = "TaintToleration"


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"score {seed}")
    return [which_node(rng), overrule(rng)]


class Case(NamedTuple):
    """A cluster and the decision for ``default/new``."""

    manifests: list[Manifest]
    decision: Decision

    @property
    def scored(self) -> bool:
        """Whether all nodes were scored."""
        scores = self.decision.scores
        return scores is not None and len(scores.nodes) == len(NODES)

    def sums(self) -> dict[str, int]:
        return dict(result_list(self.decision))


def decided(manifests: list[Manifest], weight: int) -> Case:
    """What v1.20 decides with two score plugins alone; ``weight``: that of the first, the other one has 1."""
    known = {plugin.name: plugin for plugin, _ in V1_20.scores}
    rules = replace(V1_20, scores=((known[LEAST], weight), (known[TAINTS], 1)))
    return Case(manifests, schedule(NEW, Cluster(decode_objects(manifests), V1_20.api), rules))


def random_cluster(rng: random.Random) -> list[Manifest]:
    """Three nodes with a pod each; one has a PreferNoSchedule taint."""
    tainted = rng.choice(NODES)
    taint = {"key": "busy", "value": "true", "effect": "PreferNoSchedule"}
    made = []
    for name in NODES:
        made.append(
            node(name, rng.choice([8, 16]), f"{rng.choice([8, 16])}Gi", taints=[taint] if name == tainted else ())
        )
        made.append(pod(f"old-{name[-1]}", name, str(rng.randint(1, 5)), memory=f"{rng.randint(1, 5)}Gi"))
    return [*made, pod("new", "", str(rng.randint(1, 2)), memory="1Gi")]


def which_node(rng: random.Random) -> Exercise:
    """Two plugins that disagree, summed by hand."""
    weight = rng.choice([2, 3])

    def wanted(case: Case) -> bool:
        if not case.scored or len(case.decision.best) > 1:
            return False
        tainted = [name for name in NODES if number(case.decision, "raw", TAINTS, name)]
        return bool(favourites(case.decision, LEAST) == tainted) and margin(case) >= 5

    case = drawn(rng, lambda rng: decided(random_cluster(rng), weight), wanted)
    return Predict(
        say("Which node?"),
        say(
            "Here the scheduler's profile, its list of plugins, has two score plugins: {least} (weight {weight}) and "
            "{taints} (weight 1). To which node does the pod new go?",
            least=short(LEAST),
            weight=weight,
            taints=TAINTS,
        ),
        str(case.decision.node),
        sums_words(case),
        (
            say(
                "LeastAllocated: for CPU and for memory (allocatable − requested) × 100 / allocatable, new included; "
                "then take the mean. Round down after each division."
            ),
            say(
                "TaintToleration: 100 on nodes without the taint, 0 with it. Then multiply and add: {least} × "
                "{weight} + {taints} × 1.",
                least=short(LEAST),
                weight=weight,
                taints=TAINTS,
            ),
        ),
        shown(case.manifests),
        {name: node_words(case, name) for name in NODES},
        solved=lambda: scored(case.decision),
    )


def margin(case: Case) -> int:
    """By how much the first sum is above the second."""
    first, second, *_ = sorted(case.sums().values(), reverse=True)
    return first - second


def node_words(case: Case, name: str) -> str:
    """The node's sum; of a wrong one, that another has more."""
    if name == case.decision.node:
        return sums_words(case)
    weight = dict((each.name, times) for each, times in case.decision.generation.scores)[LEAST]
    return say(
        "LeastAllocated gives {node} {room}, which counts × {weight}, and TaintToleration {taint}. That makes {sum}, "
        "and another node has more.",
        node=name,
        weight=weight,
        room=number(case.decision, "normalised", LEAST, name),
        taint=number(case.decision, "normalised", TAINTS, name),
        sum=case.sums()[name],
    )


def sums_words(case: Case) -> str:
    return say("The sums: {sums}.", sums=say("; ").join(f"{name} {summed(case.decision, name)}" for name in NODES))
