"""Lesson 01, exercises of the kind build: a pod that one predicate refuses, a pod that gets a given FitError."""

from __future__ import annotations

import random
from typing import Any

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, listed, say
from kschedlab.scheduler import Scheduler, schedule
from kschedlab.text.html import element
from kschedlab_configuration.older.registry import DEFAULT_PREDICATES
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import outcome, shown
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.overview_ports import with_port
from kschedlab_lab.panels.overview_trials import only

HOST = "kubernetes.io/hostname"


BASE = (
    node("node-a", labels={HOST: "node-a", "disk": "hdd"}, taints=[{"key": "gpu", "effect": "NoSchedule"}]),
    with_port(
        pod(
            "db", "node-a", 3, labels={"app": "db"}, volumes=[{"name": "d", "gcePersistentDisk": {"pdName": "disk-1"}}]
        ),
        ("", "TCP", 8080),
    ),
)
ALONE = (
    "PodFitsHostPorts",
    "MatchNodeSelector",
    "PodFitsResources",
    "NoDiskConflict",
    "PodToleratesNodeTaints",
    "MatchInterPodAffinity",
)
TELLS = (*ALONE, *(name for name in DEFAULT_PREDICATES if name not in (*ALONE, "GeneralPredicates")))


def exactly_one(rng: random.Random) -> Exercise:
    """A pod that only one predicate refuses."""
    name = rng.choice(ALONE)

    def goal(objects: Objects) -> str:
        missing = _one_pod(objects, len(BASE) + 1)
        if missing:
            return missing
        web = next(each for each in objects.pods if each.metadata.name == "web")
        kept = Cluster(decode_objects(BASE), V1_16.api)
        said = {each: Scheduler(kept, only(each)).cycle(kept.info(web)) for each in TELLS}
        if errors := [decision.error for decision in said.values() if decision.error]:
            return say("The scheduler gives an error: {error}.", error=errors[0])
        refusing = {each: d.verdict("node-a").reasons for each, d in said.items() if d.node is None}
        if others := [each for each in refusing if each != name]:
            return say(
                "{predicate} refuses node-a, too: {reasons}.", predicate=others[0], reasons=listed(refusing[others[0]])
            )
        return "" if refusing else say("{predicate} lets web onto node-a, and so do all others.", predicate=name)

    return Build(
        say("Only one says no"),
        say("Write a pod web that {predicate} keeps off node-a, and no other predicate does.", predicate=name),
        goal,
        as_yaml([_refused_by(name)]),
        say("Asked one by one, {predicate} alone refuses.", predicate=name),
        (
            say("First a pod that fits: small, and with the toleration {key: gpu, operator: Exists}."),
            say(
                "Then break the one thing that {predicate} checks.",
                predicate=name,
            ),
        ),
        Instance(
            element("div", shown(BASE).picture, element("p", say(DB))),
            f"{shown(BASE).text}\n{say(DB)}",
        ),
        as_yaml(list(BASE)),
        _start(name),
        lambda objects: outcome(schedule("default/web", Cluster(objects, V1_16.api), V1_16)),
    )


START = as_yaml([pod("web", "", "500m")])
"""A pod that asks for little."""
TOLERATIONS = [{"key": "gpu", "operator": "Exists"}]
TOLERANT = as_yaml([pod("web", "", "500m", tolerations=TOLERATIONS)])
DB = later("db has host port 8080/TCP and writes to the GCE disk disk-1. The taint's effect is NoSchedule.")


def _one_pod(objects: Objects, expected: int) -> str:
    """The error unless exactly the pod ``web`` was added."""
    if sum(objects.report.counts.values()) != expected:
        return say("Add one pod, and nothing else.")
    if [each.spec.nodeName for each in objects.pods if each.metadata.name == "web"] != [""]:
        return say("Name the pod web, and give it no spec.nodeName.")
    return ""


def _start(name: str) -> str:
    """A pod that is not the answer yet: without a toleration, the taint alone refuses the small one."""
    return TOLERANT if name == "PodToleratesNodeTaints" else START


def _refused_by(name: str) -> Manifest:
    """A pod that this predicate alone refuses on the base's node."""
    made = pod("web", "", "500m", tolerations=[] if name == "PodToleratesNodeTaints" else TOLERATIONS)
    container, spec = made["spec"]["containers"][0], made["spec"]
    if name == "PodFitsHostPorts":
        with_port(made, ("", "TCP", 8080))
    elif name == "MatchNodeSelector":
        spec["nodeSelector"] = {"disk": "ssd"}
    elif name == "PodFitsResources":
        container["resources"]["requests"]["cpu"] = "2"
    elif name == "NoDiskConflict":
        spec["volumes"] = [{"name": "d", "gcePersistentDisk": {"pdName": "disk-1"}}]
    elif name == "MatchInterPodAffinity":
        term = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": HOST}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return made


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
        wants["tolerations"] = TOLERATIONS
    return [*made, pod("web", "", rng.choice([1, 3, 6]), **wants)]


def decided(manifests: list[Manifest]) -> Decision:
    """v1.16's decision for web."""
    return schedule("default/web", Cluster(decode_objects(manifests), V1_16.api), V1_16)


def same_message(rng: random.Random) -> Exercise:
    """A pod that gets a given FitError."""
    manifests = drawn(rng, random_nodes, lambda made: decided(made).message.count(",") >= 1)
    base, message = manifests[:-1], decided(manifests).message

    def goal(objects: Objects) -> str:
        if missing := _one_pod(objects, len(base) + 1):
            return missing
        decision = schedule("default/web", Cluster(objects, V1_16.api), V1_16)
        if decision.node is not None:
            return say("web fits: it goes to {node}.", node=decision.node)
        return (
            "" if decision.message == message else say("v1.16 says something else: {message}", message=decision.message)
        )

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
        START,
        lambda objects: outcome(schedule("default/web", Cluster(objects, V1_16.api), V1_16)),
    )
