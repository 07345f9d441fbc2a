"""Every priority of the overview, tried on a pod and two nodes: a difference, and a counterweight.

v1.16 computes the scores and sums.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.settings import Restorable, choice, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import HOUR, Manifest, node, pod, service
from kschedlab.views.catalogue import score_sentence, score_table
from kschedlab.views.picture import picture

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


def _spread(difference: bool, counterweight: bool) -> list[Manifest]:
    twins = [("a", "node-a")] * difference + [("b", "node-b")] * counterweight
    others = [pod(f"web-{name}", on, 1, start=8 * HOUR, labels={"app": "web"}) for name, on in twins]
    return [*_nodes(), service("web", {"app": "web"}), *others, pod("web", "", 1, labels={"app": "web"})]


def _affinity(difference: bool, counterweight: bool) -> list[Manifest]:
    near = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": HOST}
    rule = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 50, "podAffinityTerm": near}]}
    caches = [("a", "node-a")] * difference + [("b", "node-b")] * counterweight
    others = [pod(f"cache-{name}", on, 1, start=8 * HOUR, labels={"app": "cache"}) for name, on in caches]
    return [*_nodes(), *others, pod("web", "", 1, affinity={"podAffinity": rule})]


def _least(difference: bool, counterweight: bool) -> list[Manifest]:
    sizes = [("a", "node-a")] * difference + [("b", "node-b")] * counterweight
    others = [pod(f"jobs-{name}", on, 2, start=8 * HOUR, memory="8Gi") for name, on in sizes]
    return [*_nodes(), *others, pod("web", "", 1, memory="4Gi")]


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
        "are its Service's pods elsewhere?", "web-a is on node-a", "web-b is on node-b", _spread
    ),
    "InterPodAffinityPriority": Trial(
        "are the pods near that it likes?", "cache-a is on node-a", "cache-b is on node-b", _affinity
    ),
    "LeastRequestedPriority": Trial("how much is free?", "half of node-a is taken", "half of node-b is taken", _least),
    "BalancedResourceAllocation": Trial(
        "are CPU and memory used alike?", "2 CPU of node-a are taken", "so are 8Gi of its memory", _balanced
    ),
    "NodePreferAvoidPodsPriority": Trial(
        "does the node ask to be avoided?", "node-a asks web's ReplicaSet to stay away", "web has another", _avoid
    ),
    "NodeAffinityPriority": Trial(
        "does it have the labels that the pod prefers?",
        "node-a has ssd (weight 80)",
        "node-b has fast-net (weight 20)",
        _node_affinity,
    ),
    "TaintTolerationPriority": Trial(
        "how many PreferNoSchedule taints hurt?", "node-a has such a taint", "web tolerates it", _taints
    ),
    "ImageLocalityPriority": Trial(
        "is the image there?", "node-a has web's image (900Mi)", "node-b has it too", _images
    ),
}
"""In the document's order."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Which priority, and the two switches."""

    priority: str = choice("priority", TRIALS, "SelectorSpreadPriority")
    difference: bool = switch("difference", True)
    counterweight: bool = switch("counterweight")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    return TRIALS[settings.priority].make(settings.difference, settings.counterweight)


def as_yaml(settings: Settings) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return testing.as_yaml(manifests(settings))


def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision, trial = decide(settings), TRIALS[settings.priority]
    facts = ((trial.difference, settings.difference), (trial.counterweight, settings.counterweight))
    sentence = score_sentence(settings.priority, decision)
    numbers = score_table(settings.priority, trial.asks, facts, decision)
    return View(picture(decision), sentence, numbers.html(), f"{sentence}\n{numbers!r}")


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "priorities.panel()")
