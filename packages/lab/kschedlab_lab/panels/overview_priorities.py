"""Every priority of the overview, tried on a pod and two nodes: a difference, and a counterweight.

v1.16 computes the scores and sums.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, meant, say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, switch
from kschedlab_lab.views.pieces import Fact
from kschedlab_lab.views.score_card import Given, ScoreCard, draw_card
from kschedlab_lab.views.svg import Room

HOST = "kubernetes.io/hostname"
IMAGE = "example/app:1"
MEGABYTE = 1024 * 1024

Make = Callable[[bool, bool], list[Manifest]]
"""From (with the difference, with the counterweight) to the manifests; the last one is the pod ``web``."""


@dataclass(frozen=True)
class Trial:
    """A pod and two nodes for one priority. ``asks``: what it measures; then the labels of the two switches."""

    asks: str
    difference: str
    counterweight: str
    make: Make


def _nodes(a: Manifest | None = None, b: Manifest | None = None) -> list[Manifest]:
    """node-a and node-b with these labels."""
    return [node(name, labels={HOST: name} | (more or {})) for name, more in (("node-a", a), ("node-b", b))]


def _others(name: str, there: Sequence[bool], cpu: int = 1, **more: Any) -> list[Manifest]:
    """A pod on node-a, on node-b, or on both."""
    letters = (letter for letter, on in zip("ab", there, strict=True) if on)
    return [pod(f"{name}-{each}", f"node-{each}", cpu, start=8 * HOUR, **more) for each in letters]


def _spread(*there: bool) -> list[Manifest]:
    labels = {"app": "web"}
    return [*_nodes(), service("web", labels), *_others("web", there, labels=labels), pod("web", "", 1, labels=labels)]


def _affinity(*there: bool) -> list[Manifest]:
    near = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": HOST}
    rule = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 50, "podAffinityTerm": near}]}
    web = pod("web", "", 1, affinity={"podAffinity": rule})
    return [*_nodes(), *_others("cache", there, labels={"app": "cache"}), web]


def _least(*there: bool) -> list[Manifest]:
    return [*_nodes(), *_others("jobs", there, 2, memory="8Gi"), pod("web", "", 1, memory="4Gi")]


def _balanced(difference: bool, counterweight: bool) -> list[Manifest]:
    memory = "8Gi" if counterweight else "0"
    others = [pod("jobs-a", "node-a", 2, start=8 * HOUR, memory=memory)] if difference else []
    return [*_nodes(), *others, pod("web", "", 1, memory="4Gi")]


def _avoid(difference: bool, counterweight: bool) -> list[Manifest]:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "uid-1", "controller": True}
    avoided = {"preferAvoidPods": [{"podSignature": {"podController": owner}}]}
    made = _nodes()
    if difference:
        made[0]["metadata"]["annotations"] = {"scheduler.alpha.kubernetes.io/preferAvoidPods": json.dumps(avoided)}
    web = pod("web", "", 1)
    web["metadata"]["ownerReferences"] = [owner | ({"uid": "uid-2"} if counterweight else {})]
    return [*made, web]


def _node_affinity(difference: bool, counterweight: bool) -> list[Manifest]:
    terms = [
        {"weight": weight, "preference": {"matchExpressions": [{"key": key, "operator": "Exists"}]}}
        for key, weight in (("ssd", 80), ("fast-net", 20))
    ]
    rule = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}
    made = _nodes({"ssd": "yes"} if difference else None, {"fast-net": "yes"} if counterweight else None)
    return [*made, pod("web", "", 1, affinity=rule)]


def _taints(difference: bool, counterweight: bool) -> list[Manifest]:
    made = _nodes()
    if difference:
        made[0]["spec"] = {"taints": [{"key": "old", "value": "disk", "effect": "PreferNoSchedule"}]}
    tolerations = [{"key": "old", "operator": "Exists"}] if counterweight else []
    return [*made, pod("web", "", 1, tolerations=tolerations)]


def _images(difference: bool, counterweight: bool) -> list[Manifest]:
    made = _nodes()
    for there, on in zip(made, (difference, counterweight), strict=True):
        if on:
            there["status"]["images"] = [{"names": [IMAGE], "sizeBytes": 900 * MEGABYTE}]
    return [*made, pod("web", "", 1)]


TRIALS: Mapping[str, Trial] = {
    "SelectorSpreadPriority": Trial(
        later("are its Service's pods elsewhere?"), later("web-a is on node-a"), later("web-b is on node-b"), _spread
    ),
    "InterPodAffinityPriority": Trial(
        later("are the pods near that it likes?"),
        later("cache-a is on node-a"),
        later("cache-b is on node-b"),
        _affinity,
    ),
    "LeastRequestedPriority": Trial(
        later("how much is free? CPU: 10 × (4 − taken − web's 1) / 4, cut; memory alike"),
        later("half of node-a is taken"),
        later("half of node-b is taken"),
        _least,
    ),
    "BalancedResourceAllocation": Trial(
        later("are CPU and memory used alike?"),
        later("2 CPU of node-a are taken"),
        later("so are 8Gi of its memory"),
        _balanced,
    ),
    "NodePreferAvoidPodsPriority": Trial(
        later("does the node ask to be avoided?"),
        later("node-a asks web's ReplicaSet to stay away"),
        later("web is of another ReplicaSet"),
        _avoid,
    ),
    "NodeAffinityPriority": Trial(
        later("does it have the labels that the pod prefers?"),
        later("node-a has ssd (weight 80)"),
        later("node-b has fast-net (weight 20)"),
        _node_affinity,
    ),
    "TaintTolerationPriority": Trial(
        later("how many PreferNoSchedule taints hurt?"),
        later("node-a has such a taint"),
        later("web tolerates it"),
        _taints,
    ),
    "ImageLocalityPriority": Trial(
        later("is the image there?"), later("node-a has web's image (900Mi)"), later("node-b has it too"), _images
    ),
}
"""In the document's order."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Which priority, and the two switches."""

    priority: str = choice(meant("priority", "algorithm"), TRIALS, "SelectorSpreadPriority")
    difference: bool = switch(meant("difference", "trial"), True)
    counterweight: bool = switch("counterweight")

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another priority begins with its difference alone."""
        there = super().at(indices)
        return there if there.priority == self.priority else Settings(there.priority)


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    return TRIALS[settings.priority].make(settings.difference, settings.counterweight)


@cache
def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = _sentence(settings.priority, decide(settings))
    return View(partial(draw, settings, sentence), sentence, Html(), sentence)


def _sentence(name: str, decision: Decision) -> str:
    """The scores that the priority gives, and where the pod goes by the sum of all priorities."""
    best = decision.best
    goes = (
        say("web goes to {node}", node=best[0])
        if len(best) == 1
        else say("{nodes} are equal: one of them is drawn", nodes=say(" and ").join(best))
    )
    given = listed(
        f"{node} {score}" for node, score in zip(decision.cluster.names, _given(name, decision), strict=True)
    )
    message = later("{priority} gives {scores} of 10; summed over all eight, {goes}.")
    return say(message, priority=name, scores=given, goes=goes)


def _given(name: str, decision: Decision) -> tuple[int, ...]:
    """What the priority gives node-a and node-b."""
    scores = decision.scores
    assert scores is not None
    return tuple(scores.rows[scores.plugins.index(name)].normalized.tolist())


def draw(settings: Settings, alt: str, room: Room, scored: bool = True) -> Html:
    """What the eight priorities give the two nodes; ``scored``: with the scores."""
    trial, decision = TRIALS[settings.priority], decide(settings)
    facts: dict[str, list[Fact]] = {"node-a": [], "node-b": [], "web": []}
    for name, text in (("difference", trial.difference), ("counterweight", trial.counterweight)):
        on = getattr(settings, name)
        facts[_owner(text)].append(Fact(say(text), on, f"{name}: {'off' if on else 'on'}", key=name))
    scores = decision.scores
    assert scores is not None
    weights = dict(zip(scores.plugins, scores.weights, strict=True))
    rows = (
        Given(name, each.asks, weights[name] if scored else 1, _given(name, decision) if scored else ())
        for name, each in TRIALS.items()
    )
    sums = tuple(scores.total.tolist()) if scored else ()
    best = tuple(decision.best) if scored else ()
    return draw_card(
        ScoreCard(tuple(rows), settings.priority, facts, tuple(decision.cluster.names), sums, best), alt, room
    )


def _owner(text: str) -> str:
    """The thing that this fact is about."""
    return "web" if text.startswith("web ") else "node-b" if "node-b" in text else "node-a"


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "priorities.panel()")


def how_much() -> Question[Settings]:
    """The question before two preferred labels are compared."""
    return Question(
        say(
            "web prefers node-a's label with weight 80, node-b's with weight 20. Scaled to whole numbers, node-a gets "
            "10. What does node-b get?"
        ),
        (),
        lambda settings: str(_given(settings.priority, decide(settings))[1]),
        _why,
        before=lambda settings: partial(draw, settings, say("Two nodes wait for their scores."), scored=False),
        most=10,
    )


def _why(settings: Settings, answer: str) -> str:
    return say(
        "The raw scores are 80 and 20. Reduce scales them, so that the best node has 10: 20 x 10 / 80 = 2.5. Go's "
        "integers cut that to 2."
    )
