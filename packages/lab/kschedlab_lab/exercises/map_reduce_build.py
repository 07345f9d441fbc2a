"""An exercise of lesson 04: build a cluster in which Reduce swaps the order of two nodes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from kschedlab.build import Manifest, as_yaml, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.manifests.loading import Objects, loads
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import Service
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import outcome, shown
from kschedlab_lab.exercises.exercise import Exercise, drawn
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.views.map_reduce import draw_turn, short
from kschedlab_lab.views.score import lead

NEW = "default/web-new"
NODES = ("node-a", "node-b", "node-c")
LEAST, SPREAD = "LeastRequestedPriority", "SelectorSpreadPriority"


def weighted(weights: Mapping[str, int]) -> Generation:
    """v1.16 with these priorities alone."""
    made = {plugin.name: plugin for plugin, _ in V1_16.scores}
    return replace(V1_16, scores=tuple((made[name], weight) for name, weight in weights.items()))


TWO = weighted({LEAST: 1, SPREAD: 1})
PODS, FEWER = 4, 2
"""How many pods of the Service there are to be moved; so many of them are not enough."""
RUNNING = """\
apiVersion: v1
kind: Pod
metadata: {{name: web-{number}, labels: {{app: web}}}}
spec:
  nodeName: {node}
  containers:
  - {{name: web, image: example/app:1, resources: {{requests: {{cpu: 100m, memory: 1Mi}}}}}}
"""
"""A running pod of the Service, as short as one writes it."""


def reduce_turns(rng: random.Random) -> Exercise:
    """A cluster in which Reduce changes the order of two nodes."""
    sizes, ahead = drawn(rng, _draw, _wanted)
    base = _base(sizes)
    return Build(
        say("Reduce turns the tables"),
        say(
            "Here only two algorithms of v1.16 score, {least} and {spread}, with weight 1 each. web-new belongs to the "
            "Service web, which selects app=web. In the field are {pods} running pods of it, all on node-b. Move them, "
            "or add more, until Map's scores put node-a at least {ahead} points ahead, and the scores after Reduce put "
            "node-b ahead.",
            pods=PODS,
            least=short(LEAST),
            spread=short(SPREAD),
            ahead=ahead,
        ),
        partial(turned, ahead=ahead),
        written(PODS, "node-a"),
        say(
            "After Map each pod of the Service is a point for its node. Reduce reverses that: the node with none "
            "gets ten points, the node with the most gets none."
        ),
        (
            say("What does {spread}'s Map count? Is more of it good or bad?", spread=short(SPREAD)),
            say("Change nodeName of some pods, press Check, and read the scores."),
        ),
        shown(base, with_pods=False),
        as_yaml(base),
        written(PODS, "node-b"),
        lambda objects: turn(schedule(NEW, Cluster(objects, TWO.api), TWO)),
    )


def written(pods: int, node: str) -> str:
    """So many running pods of the Service."""
    return "---\n".join(RUNNING.format(number=n + 1, node=node) for n in range(pods))


def _base(sizes: Sequence[int]) -> list[Manifest]:
    """The Service, two nodes with so many CPU, and the pod that waits."""
    nodes = (node(name, size, "16Gi") for name, size in zip(NODES, sizes, strict=False))
    return [service("web", {"app": "web"}), *nodes, pod("web-new", "", "1", labels={"app": "web"}, memory="128Mi")]


def _draw(rng: random.Random) -> tuple[list[int], int]:
    return rng.sample([2, 3, 4, 6, 8], 2), rng.randint(2, 4)


def _wanted(found: tuple[list[int], int]) -> bool:
    """All pods on node-a are enough, and fewer are not."""
    sizes, ahead = found
    text = as_yaml(_base(sizes))
    few, all_of_them = (loads(f"{written(pods, NODES[0])}\n---\n{text}", "draw") for pods in (FEWER, PODS))
    return turned(few, ahead) != "" and turned(all_of_them, ahead) == ""


def turn(decision: Decision) -> Html:
    """The scores after Map and after Reduce."""
    return outcome(decision) if decision.scores is None else fitting(partial(draw_turn, decision, alt=lead(decision)))


def turned(objects: Objects, ahead: int) -> str:
    """Whether Map puts node-a so far ahead, and Reduce node-b; if not, the sums."""
    waiting = [each.metadata.name for each in objects.pods if not each.spec.nodeName]
    if len(objects.nodes) != 2 or len(objects.of(Service)) != 1 or waiting != ["web-new"]:
        return say("Add only running pods: spec.nodeName must be node-a or node-b.")
    scores = schedule(NEW, Cluster(objects, TWO.api), TWO).scores
    if scores is None:
        return say("web-new must fit on both nodes. Otherwise nothing is scored.")
    before = [int(sum(scored.raw[place] for scored in scores.rows)) for place in (0, 1)]
    after = scores.total.tolist()
    if before[0] - before[1] < ahead:
        behind = say(
            "As Map leaves them, node-a has {one} and node-b {other}: node-a is not {ahead} points ahead.",
            one=before[0],
            other=before[1],
            ahead=ahead,
        )
        return sentences((behind, _uncounted(objects)))
    if after[0] >= after[1]:
        return say(
            "After Reduce node-a has {one} and node-b {other}: node-b is not ahead.", one=after[0], other=after[1]
        )
    return ""


def _uncounted(objects: Objects) -> str:
    """The first running pod that the Service does not select, if there is one."""
    running = (each for each in objects.pods if each.spec.nodeName)
    name = next((each.metadata.name for each in running if each.metadata.labels.get("app") != "web"), "")
    message = later("{pod} has no label app: web, so {spread} does not count it.")
    return say(message, pod=name, spread=short(SPREAD)) if name else ""
