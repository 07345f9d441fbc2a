"""Exercises of lesson 01: which predicate refuses, what does a FitError say, how many nodes are enough?"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.filter.stage import nodes_to_find
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import element
from kschedlab.text.words import listing
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import outcome, shown
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.overview_gate import SEEN, judged, with_port


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"overview {seed}")
    return [who_refuses(rng), same_message(rng), bounds(seed)]


# -- predict


CORDON, SIZE, DISK, TAINTS = SEEN


class Fact(NamedTuple):
    """``by``: the predicate that looks at it; ``harmless``: why it is not in the way, "" if it is."""

    by: str
    text: str
    harmless: str = ""


@dataclass
class Meeting:
    """A pod ``web``, ``node-a`` with a pod ``db``, and the facts about them."""

    facts: list[Fact] = field(default_factory=list)
    there: Manifest = field(default_factory=lambda: node("node-a"))
    db: Manifest = field(default_factory=lambda: pod("db", "node-a", 2))
    web: Manifest = field(default_factory=lambda: pod("web", "", 1))

    @property
    def manifests(self) -> list[Manifest]:
        """The cluster; web comes last."""
        return [self.there, self.db, self.web]

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.facts]

    def why_not(self, predicate: str) -> str:
        """Why this predicate lets web pass."""
        found = [each.harmless for each in self.facts if each.by == predicate]
        return listed(found or [say("nothing here concerns it")])


def _cordon(met: Meeting, rng: random.Random) -> Fact:
    met.there.setdefault("spec", {})["unschedulable"] = True
    if rng.random() < 0.5:
        return Fact(CORDON, say("node-a is cordoned."))
    met.web["spec"]["tolerations"] = [{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]
    tolerated = say("node-a is cordoned, and web tolerates node.kubernetes.io/unschedulable.")
    return Fact(CORDON, tolerated, say("web tolerates the cordon"))


def _size(met: Meeting, rng: random.Random) -> Fact:
    cpu = rng.choice([1, 2, 3])
    met.web["spec"]["containers"][0]["resources"] = {"requests": {"cpu": str(cpu)}}
    fits = say("2 CPU are free, and web asks for {cpu}", cpu=cpu) if cpu <= 2 else ""
    return Fact(SIZE, say("node-a has 4 CPU, db has 2 of them, web asks for {cpu}.", cpu=cpu), fits)


def _port(met: Meeting, rng: random.Random) -> Fact:
    taken, wanted = (rng.choice(["TCP", "UDP"]) for _ in range(2))
    for each, protocol in ((met.db, taken), (met.web, wanted)):
        with_port(each, protocol)
    text = say("db has host port 8080/{taken}, web wants 8080/{wanted}.", taken=taken, wanted=wanted)
    return Fact(SIZE, text, say("8080/TCP and 8080/UDP are two ports") if taken != wanted else "")


def _disk(met: Meeting, rng: random.Random) -> Fact:
    both = rng.random() < 0.5
    for each in (met.db, met.web):
        each["spec"]["volumes"] = [{"name": "d", "gcePersistentDisk": {"pdName": "disk-1", "readOnly": both}}]
    if not both:
        return Fact(DISK, say("db and web use the GCE disk disk-1, and write to it."))
    text = say("db and web use the GCE disk disk-1, both read-only.")
    return Fact(DISK, text, say("two pods may share a GCE disk that both only read"))


def _taint(met: Meeting, rng: random.Random) -> Fact:
    effect = rng.choice(["NoSchedule", "NoSchedule", "PreferNoSchedule"])
    met.there.setdefault("spec", {})["taints"] = [{"key": "gpu", "effect": effect}]
    harmless = say("PreferNoSchedule only lowers the score") if effect == "PreferNoSchedule" else ""
    return Fact(
        TAINTS, say("node-a has the taint gpu:{effect}, and web has no toleration for it.", effect=effect), harmless
    )


def random_meeting(rng: random.Random) -> Meeting:
    """A pod and a node with three possible obstacles."""
    met = Meeting()
    met.facts = [happen(met, rng) for happen in rng.sample([_cordon, _size, _port, _disk, _taint], 3)]
    return met


def who_refuses(rng: random.Random) -> Exercise:
    """The order of the predicates: each is as often the first that refuses, and all but the last have one after it."""
    right = rng.choice(SEEN)
    met = drawn(rng, random_meeting, lambda met: _is_first(right, met))
    decision = judged(met.manifests)
    verdict = decision.verdict("node-a")
    first = later("In v1.16's order, {predicate} is the first that refuses. It says: {reasons}.")
    also = say("{also} would refuse too.", also=listing(verdict.also)) if verdict.also else ""
    why = sentences((say(first, predicate=right, reasons=listed(verdict.reasons)), also))
    return Predict(
        say("Who refuses?"),
        say("v1.16 asks its default predicates in their order and stops at the first that refuses. Which one is it?"),
        right,
        why,
        (
            say("Which predicate looks at each fact, and does it refuse?"),
            say("The lesson lists the order; GeneralPredicates counts as one."),
        ),
        Instance(element("ul", *(element("li", each) for each in met.texts)), "\n".join(met.texts)),
        {name: why if name == right else _remark(met, name, verdict.also) for name in rng.sample(SEEN, len(SEEN))},
        solved=lambda: outcome(decision),
    )


def _is_first(predicate: str, met: Meeting) -> bool:
    """Whether this predicate refuses first; one after it refuses too, if there can be one."""
    verdict = judged(met.manifests).verdict("node-a")
    return verdict.plugin == predicate and (bool(verdict.also) or predicate == SEEN[-1])


def _remark(met: Meeting, name: str, also: Sequence[str]) -> str:
    """What is said to another answer."""
    if name in also:
        return say("{predicate} would refuse too, but another predicate before it refuses.", predicate=name)
    return say("{predicate} lets web pass: {why}.", predicate=name, why=met.why_not(name))


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
    yield from ((nodes, 0) for nodes in (50, 99, 1, 1000, 100, 101, 250, 5625, 8000))
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
        theme=_about,
    )


def _about(nodes: int, percentage: int) -> str:
    """Which rule decides for these arguments."""
    if nodes < 100:
        return say("fewer than 100 nodes")
    return say("a percentage that is set") if percentage else say("no percentage")
