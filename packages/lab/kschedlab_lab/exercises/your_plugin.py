"""Exercises of lesson 09: plugins of your own beside those that are there, and a label that is no number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_37, Generation
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import Pod
from kschedlab.plugins import NodeView, node_filter, node_score
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import pictured, scored
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.views.picture import decided_and_why
from kschedlab_lab.views.racks import Rack, stage, stage_before

NODES = ("node-a", "node-b", "node-c")
HOT = 60
"""Degrees at which ColdNode refuses a node."""


@node_filter("ColdNode", depends_on_pods=False)
def cold(pod: Pod, node: NodeView) -> str | None:
    """No node at 60 degrees or more."""
    return None if celsius(node) < HOT else "node(s) were too hot"


def celsius(node: NodeView) -> int:
    """The node's temperature by its label."""
    return int(node.metadata.labels.get("celsius", 0))


def generation(weight: int) -> Generation:
    """v1.37 with NodeResourcesFit alone, ColdNode, and Cooler with that weight: 100 - celsius."""
    cooler = node_score("Cooler", weight=weight)(lambda pod, node: max(0, 100 - celsius(node)))
    return V1_37.only("NodeResourcesFit").plus(cold, cooler)


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"your plugin {seed}")
    return [heavier(rng), known(seed), warmest(rng)]


@dataclass(frozen=True)
class Case:
    """Three nodes with temperatures, and the weight of Cooler."""

    manifests: list[Manifest]
    weight: int

    def decision(self, weight: int) -> Decision:
        """What is decided for ``default/web`` with that weight."""
        return decided(decode_objects(self.manifests), weight)


def decided(objects: Objects, weight: int) -> Decision:
    """The decision for ``default/web`` with that weight of Cooler."""
    return schedule("default/web", Cluster(objects), generation(weight))


def measured(decision: Decision, manifests: list[Manifest], pick: bool = False) -> Instance:
    """The nodes with thermometers before the decision, and all numbers. ``pick``: the answer is a node."""
    draw = partial(stage_before, decision, racks(decode_objects(manifests)), pick=pick)
    return pictured(decision, manifests, draw=draw)


def random_case(rng: random.Random) -> Case:
    """Three nodes of 8 CPU, on each a pod that takes some; a pod that requests 1 CPU."""
    made = []
    for name in NODES:
        made.append(node(name, 8, "32Gi", {"celsius": str(rng.randrange(20, 80, 5))}))
        made.append(pod(f"old-{name[-1]}", name, rng.choice([1, 2, 3, 4, 5, 6]), memory="4Gi"))
    return Case([*made, pod("web", "", 1, memory="1Gi")], rng.choice([1, 2, 3]))


def heavier(rng: random.Random) -> Exercise:
    """A weight counts only beside the other weights."""

    def wanted(case: Case) -> bool:
        light, heavy = case.decision(1), case.decision(case.weight)
        return light.node != heavy.node and len(heavy.best) == 1 and len(heavy.names) == 2

    case = drawn(rng, random_case, wanted)
    before, right = case.decision(1).node, case.decision(case.weight)
    counts = later("{node} is the answer for weight 1: now each point of Cooler counts {weight} times.")
    remarks = {}
    for name in NODES:
        out = say("{node} is out: {reason}.", node=name, reason=", ".join(right.verdict(name).reasons))
        remarks[name] = say(counts, node=name, weight=case.weight) if right.verdict(name).passes else out
    remarks[str(right.node)] = _sums(right)
    return Predict(
        say("Heavier"),
        say(
            "Two scores are added up: NodeResourcesFit, the percentage of CPU and memory that is free, averaged (all "
            "nodes have the same memory free), and Cooler, 100 - celsius. ColdNode refuses nodes at {hot} degrees or "
            "more. With both weights 1, web goes to {node}. Where does it go with Cooler at weight {weight}?",
            hot=HOT,
            node=before,
            weight=case.weight,
        ),
        str(right.node),
        _sums(right),
        (
            say("First the filter: which node is out, whatever it would score?"),
            say("NodeResourcesFit: the mean of (free CPU × 100 / CPU) and the same for memory, with web on the node."),
        ),
        measured(right, case.manifests, pick=True),
        remarks,
        solved=lambda: scored(right),
    )


def _sums(decision: Decision) -> str:
    """Each feasible node's scores, weighted."""
    scores = decision.scores
    assert scores is not None
    said = [
        say(
            "{node}: {said}",
            node=decision.cluster.names[place],
            said=f"{' + '.join(map(str, scores.results[:, i].tolist()))} = {scores.total[i]}",
        )
        for i, place in enumerate(scores.nodes.tolist())
    ]
    return say("{plugins} give {scores}.", plugins=say(" and ").join(scores.plugins), scores=say("; ").join(said))


def filter_broken(labels: dict[str, str]) -> str | None:
    """Why a node with these labels is refused, or None."""
    if int(labels.get("celsius", 0)) >= 60:
        return "node(s) were too hot"
    return None


def filter_mended(labels: dict[str, str]) -> str | None:
    """Why a node with these labels is refused, or None."""
    celsius = labels.get("celsius", "")
    if not celsius.isdecimal():
        return "node(s) had no temperature"
    if int(celsius) >= 60:
        return "node(s) were too hot"
    return None


def labels_of_nodes(rng: random.Random) -> Iterator[tuple[dict[str, str]]]:
    """Labels as Kubernetes allows them on nodes: a temperature, none, and what is not digits alone."""
    for celsius in (75, 50, 60, rng.randrange(60), rng.randrange(60, 100)):
        yield ({"celsius": str(celsius)},)
    yield ({},)
    number = rng.randrange(20, 60)
    for text in ("warm", "", "40.5", "4_0", "nan", "1e1", f"{number}C", f"{number}.5", f"{number}_0", f"0x{number}"):
        yield ({"celsius": text},)


def known(seed: int) -> Exercise:
    """A filter that is asked about every node, also one with a label that nobody expected."""
    return Repair(
        say("Not a number"),
        say(
            "This filter lets in a node without a label `celsius`, and raises an error at one with `celsius: warm`, so "
            'that no pod gets a node. Mend it: refuse both with the reason "node(s) had no temperature". Only digits '
            "are a number: `40.5`, `4_0` and an empty text are none."
        ),
        filter_broken,
        filter_mended,
        filter_mended,
        labels_of_nodes,
        say("A label is a text that anyone may write. A filter decides what an unknown temperature means."),
        (
            say("What does `int()` do with `warm`, and what with `4_0`?"),
            say("`str.isdecimal` tells whether a text has digits alone; an empty one has none."),
        ),
        seed,
    )


START = """\
apiVersion: v1
kind: Node
metadata:
  name: node-x
  labels: {celsius: }
status:
  allocatable: {cpu: 8, memory: 32Gi, pods: 110}
"""
"""The beginning of a node."""


def warmest(rng: random.Random) -> Exercise:
    """A node that wins although it is the warmest."""
    weight = rng.choice([1, 2])

    def fits(case: Case) -> bool:
        warm = max(degrees(decode_objects(case.manifests)).values())
        answers = (example(warm, more) for more in (1, 3))
        return warm < HOT - 3 and all(goal(decode_objects([*case.manifests, *each])) == "" for each in answers)

    def example(warm: int, more: int = 1) -> list[Manifest]:
        return [node("node-x", 8, "32Gi", {"celsius": str(warm + more)})]

    def goal(objects: Objects) -> str:
        own = [each for each in objects.nodes if each.metadata.name not in NODES]
        if len(own) != 1 or len(objects.pods) != 4 or len(objects.nodes) != 4:
            return say("Add one node, with a name of its own, and nothing else.")
        name, measured = own[0].metadata.name, degrees(objects)
        if measured[name] < 0:
            return say('{node} needs a label celsius with whole degrees in quotes, such as "58".', node=name)
        if (cpu := own[0].status.allocatable.get("cpu")) is not None and cpu.milli() > 8000:
            return say("{node} has more CPU than the others. It may not: being empty is enough.", node=name)
        if any(measured[name] <= measured[other] for other in NODES):
            return say(
                "{node} has {degrees} degrees, but it must be warmer than all others.",
                node=name,
                degrees=measured[name],
            )
        decision = decided(objects, weight)
        verdict = decision.verdict(name)
        if not verdict.passes:
            return say("{node} is refused: {reason}.", node=name, reason=", ".join(verdict.reasons))
        if decision.best == [name]:
            return ""
        return sentences((decided_and_why(decision)[0], _sums(decision)))

    def why(objects: Objects) -> str:
        both = say("Below 60 degrees ColdNode refuses no node, and an empty node makes up for a few degrees.")
        return sentences((_sums(decided(objects, weight)), both))

    def outcome(objects: Objects) -> Html:
        decision = decided(objects, weight)
        alt = say("web goes to {node}.", node=decision.node)
        return fitting(partial(stage, decision, racks(objects), alt=alt))

    case = drawn(rng, random_case, fits)
    solution = as_yaml(example(max(degrees(decode_objects(case.manifests)).values())))
    return Build(
        say("The warmest wins"),
        say(
            "Add a node, no larger than the others, that is warmer than all of them and gets web nevertheless. A tie "
            "is not enough: then web may go to the other. The scores are NodeResourcesFit (percentage of CPU and "
            "memory free, averaged) and Cooler (100 - celsius) with weight {weight}; ColdNode refuses nodes at {hot} "
            "degrees or more. Every old pod requests 4Gi memory. (Write the label `celsius` in quotes.)",
            hot=HOT,
            weight=weight,
        ),
        goal,
        solution,
        why,
        (
            say("It must stay below the filter's limit."),
            say("What does NodeResourcesFit give an empty node, with web (1 CPU, 1Gi memory) on it?"),
        ),
        measured(case.decision(weight), case.manifests),
        as_yaml(case.manifests),
        START,
        outcome,
    )


def racks(objects: Objects) -> dict[str, Rack]:
    """The nodes with their thermometers."""
    return {name: Rack(celsius, "", 5, 90) for name, celsius in degrees(objects).items()}


def degrees(objects: Objects) -> dict[str, int]:
    """By node: its temperature; -1 if its label is not a number."""
    labels = {each.metadata.name: each.metadata.labels.get("celsius", "") for each in objects.nodes}
    return {name: int(label) if label.isascii() and label.isdigit() else -1 for name, label in labels.items()}
