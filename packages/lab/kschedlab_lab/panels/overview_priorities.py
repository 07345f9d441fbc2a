"""The eight priorities of v1.16 for one pod and two nodes: facts about them that one switches on and off."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, meant, say, sentences
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
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ASKS: Mapping[str, str] = {
    "SelectorSpreadPriority": later("are its Service's pods elsewhere?"),
    "InterPodAffinityPriority": later("are the pods near that it likes?"),
    "LeastRequestedPriority": later("how much is free? CPU: 10 × (4 − taken − web's 1) / 4, cut; memory alike"),
    "BalancedResourceAllocation": later("are CPU and memory used alike?"),
    "NodePreferAvoidPodsPriority": later("does the node ask to be avoided?"),
    "NodeAffinityPriority": later("does it have the labels that the pod prefers?"),
    "TaintTolerationPriority": later("how many PreferNoSchedule taints hurt?"),
    "ImageLocalityPriority": later("is the image there?"),
}
"""In the document's order: what each measures."""
FACTS: Mapping[str, tuple[str, str, str]] = {
    "spread": ("SelectorSpreadPriority", "node-a", later("web-a, of web's Service")),
    "near": ("InterPodAffinityPriority", "node-a", later("cache-a, which web likes")),
    "busy": ("LeastRequestedPriority", "node-a", later("jobs-a takes half of it")),
    "full": ("BalancedResourceAllocation", "node-a", later("dump-a takes 2Gi of memory")),
    "avoid": ("NodePreferAvoidPodsPriority", "node-a", later("asks web's ReplicaSet to stay away")),
    "ssd": ("NodeAffinityPriority", "node-a", later("ssd (weight 80)")),
    "net": ("NodeAffinityPriority", "node-b", later("fast-net (weight 20)")),
    "taint": ("TaintTolerationPriority", "node-a", later("a PreferNoSchedule taint")),
    "image": ("ImageLocalityPriority", "node-a", later("web's image (900Mi)")),
}
"""By switch: the priority that looks at this fact, the node, and the fact."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Which priority is open, and what is true of the nodes, whichever is."""

    priority: str = choice(meant("priority", "algorithm"), ASKS, "NodeAffinityPriority")
    spread: bool = switch(FACTS["spread"][2], folded=True)
    near: bool = switch(FACTS["near"][2], folded=True)
    busy: bool = switch(FACTS["busy"][2], folded=True)
    full: bool = switch(FACTS["full"][2], folded=True)
    avoid: bool = switch(FACTS["avoid"][2], folded=True)
    ssd: bool = switch(FACTS["ssd"][2], True, folded=True)
    net: bool = switch(FACTS["net"][2], True, folded=True)
    taint: bool = switch(FACTS["taint"][2], folded=True)
    image: bool = switch(FACTS["image"][2], folded=True)


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them; the last one is the pod ``web``."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "uid-1", "controller": True}
    a = node("node-a", labels={HOST: "node-a"} | ({"ssd": "yes"} if settings.ssd else {}))
    b = node("node-b", labels={HOST: "node-b"} | ({"fast-net": "yes"} if settings.net else {}))
    if settings.avoid:
        avoided = {"preferAvoidPods": [{"podSignature": {"podController": owner}}]}
        a["metadata"]["annotations"] = {"scheduler.alpha.kubernetes.io/preferAvoidPods": json.dumps(avoided)}
    if settings.taint:
        a["spec"] = {"taints": [{"key": "old", "value": "disk", "effect": "PreferNoSchedule"}]}
    if settings.image:
        a["status"]["images"] = [{"names": [IMAGE], "sizeBytes": 900 * MEGABYTE}]
    there: Manifest = {"start": 8 * HOUR}
    ours = {"app": "web"}
    pods = [
        *([pod("web-a", "node-a", "125m", memory="512Mi", labels=ours, **there)] if settings.spread else []),
        *(
            [pod("cache-a", "node-a", "125m", memory="512Mi", labels={"app": "cache"}, **there)]
            if settings.near
            else []
        ),
        *([pod("jobs-a", "node-a", 2, memory="8Gi", **there)] if settings.busy else []),
        *([pod("dump-a", "node-a", 0, memory="2Gi", **there)] if settings.full else []),
    ]
    web = pod("web", "", 1, memory="4Gi", labels=ours, affinity=_likes())
    web["metadata"]["ownerReferences"] = [owner]
    return [a, b, service("web", ours), *pods, web]


def _likes() -> Manifest:
    """Two labels of nodes, and the pods of the cache."""
    labels = (("ssd", 80), ("fast-net", 20))
    near = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": HOST}
    terms = [{"weight": w, "preference": {"matchExpressions": [{"key": k, "operator": "Exists"}]}} for k, w in labels]
    return {
        "nodeAffinity": {PREFERRED: terms},
        "podAffinity": {PREFERRED: [{"weight": 50, "podAffinityTerm": near}]},
    }


@cache
def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    sentence = _sentence(settings.priority, decision)
    names = dict.fromkeys(decision.best, "chosen") if len(decision.best) == 1 else {}
    return View(partial(draw, settings, sentence), sentence, Html(), sentence, names=names)


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
    first = say("{priority} gives {scores}.", priority=name, scores=given)
    return sentences((first, say("By the sum of all eight, {goes}.", goes=goes)))


def _given(name: str, decision: Decision) -> tuple[int, ...]:
    """What the priority gives node-a and node-b."""
    scores = decision.scores
    assert scores is not None
    return tuple(scores.rows[scores.plugins.index(name)].normalized.tolist())


def draw(settings: Settings, alt: str, room: Room, scored: bool = True) -> Html:
    """What the eight priorities give the two nodes; ``scored``: with the scores."""
    decision = decide(settings)
    facts: dict[str, list[Fact]] = {"node-a": [], "node-b": []}
    for name, (priority, owner, text) in FACTS.items():
        if priority == settings.priority:
            on = getattr(settings, name)
            facts[owner].append(Fact(say(text), on, f"{name}: {'off' if on else 'on'}", key=name))
    scores = decision.scores
    assert scores is not None
    weights = dict(zip(scores.plugins, scores.weights, strict=True))
    rows = (
        Given(name, asks, weights[name] if scored else 1, _given(name, decision) if scored else ())
        for name, asks in ASKS.items()
    )
    sums = tuple(scores.total.tolist()) if scored else ()
    best = tuple(decision.best) if scored else ()
    return draw_card(
        ScoreCard(tuple(rows), settings.priority, facts, tuple(decision.cluster.names), sums, best), alt, room
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "priorities.panel()")


def how_much() -> Question[Settings]:
    """The question before two preferred labels are compared."""
    return Question(
        say("web prefers ssd (weight 80) and fast-net (20). node-a gets 10. What does node-b get?"),
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
