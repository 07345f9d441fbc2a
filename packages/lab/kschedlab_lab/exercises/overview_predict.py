"""Lesson 01, exercise 1: which predicate refuses?"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from kschedlab.build import Manifest, node, pod
from kschedlab.messages import listed, say
from kschedlab.text.html import element
from kschedlab.text.words import listing
from kschedlab_lab.exercises.clusters import outcome
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.panels.overview_gate import judged, with_port

HOST = "kubernetes.io/hostname"
ASKED = (
    "CheckNodeUnschedulable",
    "GeneralPredicates",
    "NoDiskConflict",
    "PodToleratesNodeTaints",
    "MatchInterPodAffinity",
)


@dataclass
class Meeting:
    """A pod ``web``, ``node-a`` with a pod ``db``, and a line for each fact about them."""

    facts: list[str] = field(default_factory=list)
    harmless: dict[str, list[str]] = field(default_factory=dict)
    """By predicate: why the facts that it looks at are not in the way."""
    there: Manifest = field(default_factory=lambda: node("node-a", labels={HOST: "node-a", "disk": "hdd"}))
    db: Manifest = field(default_factory=lambda: pod("db", "node-a", 2, labels={"app": "db"}))
    web: Manifest = field(default_factory=lambda: pod("web", "", 1))

    @property
    def manifests(self) -> list[Manifest]:
        """The cluster; web comes last."""
        return [self.there, self.db, self.web]

    def passes(self, predicate: str, why: str) -> None:
        """This predicate lets web pass, and why."""
        self.harmless.setdefault(predicate, []).append(why)

    @property
    def instance(self) -> Instance:
        return Instance(element("ul", *(element("li", each) for each in self.facts)), "\n".join(self.facts))


def _cordon(met: Meeting, rng: random.Random) -> None:
    met.there.setdefault("spec", {})["unschedulable"] = True
    met.facts.append(say("node-a is cordoned."))
    if rng.random() < 0.5:
        _tolerate(met, "node.kubernetes.io/unschedulable")
        met.passes("CheckNodeUnschedulable", say("web tolerates the cordon"))


def _tolerate(met: Meeting, key: str) -> None:
    met.web["spec"].setdefault("tolerations", []).append({"key": key, "operator": "Exists"})
    met.facts.append(say("web tolerates {key}.", key=key))


def _size(met: Meeting, rng: random.Random) -> None:
    cpu = rng.choice([1, 2, 3])
    met.web["spec"]["containers"][0]["resources"] = {"requests": {"cpu": str(cpu)}}
    met.facts.append(say("node-a has 4 CPU, db has 2 of them, web asks for {cpu}.", cpu=cpu))
    if cpu <= 2:
        met.passes("GeneralPredicates", say("2 CPU are free, and web asks for {cpu}", cpu=cpu))


def _port(met: Meeting, rng: random.Random) -> None:
    taken, wanted = (rng.choice(["TCP", "UDP"]) for _ in range(2))
    for each, protocol in ((met.db, taken), (met.web, wanted)):
        with_port(each, protocol)
    met.facts.append(say("db has host port 8080/{taken}, web wants 8080/{wanted}.", taken=taken, wanted=wanted))
    if taken != wanted:
        met.passes("GeneralPredicates", say("8080/TCP and 8080/UDP are two ports"))


def _disk(met: Meeting, rng: random.Random) -> None:
    both = rng.random() < 0.5
    for each in (met.db, met.web):
        each["spec"]["volumes"] = [{"name": "d", "gcePersistentDisk": {"pdName": "disk-1", "readOnly": both}}]
    if both:
        met.facts.append(say("db and web use the GCE disk disk-1, both read-only."))
        met.passes("NoDiskConflict", say("two pods may share a GCE disk that both only read"))
    else:
        met.facts.append(say("db and web use the GCE disk disk-1, and write to it."))


def _taint(met: Meeting, rng: random.Random) -> None:
    effect = rng.choice(["NoSchedule", "NoSchedule", "PreferNoSchedule"])
    met.there.setdefault("spec", {})["taints"] = [{"key": "gpu", "effect": effect}]
    met.facts.append(say("node-a has the taint gpu:{effect}.", effect=effect))
    if effect == "PreferNoSchedule":
        met.passes("PodToleratesNodeTaints", say("PreferNoSchedule only lowers the score"))
    if rng.random() < 0.3:
        _tolerate(met, "gpu")
        met.passes("PodToleratesNodeTaints", say("web tolerates the taint"))


def _company(met: Meeting, rng: random.Random) -> None:
    app = rng.choice(["db", "cache"])
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    met.web["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    met.facts.append(say("db has the label app=db; web must not be on a node with a pod app={app}.", app=app))
    if app != "db":
        met.passes("MatchInterPodAffinity", say("no pod with app={app} is there", app=app))


def random_meeting(rng: random.Random) -> Meeting:
    """A pod and a node with three or four possible obstacles."""
    met = Meeting()
    for happen in rng.sample([_cordon, _size, _port, _disk, _taint, _company], rng.choice([3, 4])):
        happen(met, rng)
    return met


def who_refuses(rng: random.Random) -> Exercise:
    """The order of the predicates: at least two refuse, and the first one is reported."""

    def wanted(met: Meeting) -> bool:
        verdict = judged(met.manifests).verdict("node-a")
        return bool(verdict.also) and verdict.plugin in ASKED[1:]

    met = drawn(rng, random_meeting, wanted)
    decision = judged(met.manifests)
    verdict = decision.verdict("node-a")
    right, also = str(verdict.plugin), listing(verdict.also)
    why = say(
        "In v1.16's order, {predicate} is the first that refuses. It says: {reasons}. {also} would refuse too.",
        predicate=right,
        reasons=listed(verdict.reasons),
        also=also,
    )
    remarks = {
        name: why
        if name == right
        else say("{predicate} would refuse too, but another predicate before it refuses.", predicate=name)
        if name in verdict.also
        else say(
            "{predicate} lets web pass: {why}.",
            predicate=name,
            why=listed(met.harmless.get(name, [say("nothing here concerns it")])),
        )
        for name in ASKED
    }
    return Predict(
        say("Who refuses?"),
        say("v1.16 asks its default predicates in their order and stops at the first that refuses. Which one is it?"),
        right,
        why,
        (
            say("Which facts are harmless?"),
            say("The node's gate in the lesson shows their order; GeneralPredicates counts as one."),
        ),
        met.instance,
        remarks,
        solved=lambda: outcome(decision),
    )
