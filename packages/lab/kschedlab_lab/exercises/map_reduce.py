"""Exercises of lesson 04: Reduce, weights and sums; and a cluster in which Reduce swaps the order of two nodes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil

from kschedlab.build import Manifest, as_yaml, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.manifests.loading import Objects, decode_objects, loads
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import Service
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.clusters import outcome, shown
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.views.arithmetic import added
from kschedlab_lab.views.map_reduce import draw_turn, short
from kschedlab_lab.views.score import lead

NEW = "default/web-new"
NODES = ("node-a", "node-b", "node-c")
LEAST, SPREAD, TAINTS = PRIORITIES = ("LeastRequestedPriority", "SelectorSpreadPriority", "TaintTolerationPriority")


def taints(number: int) -> list[dict[str, str]]:
    """That many PreferNoSchedule taints."""
    return [{"key": f"trouble-{n}", "value": "yes", "effect": "PreferNoSchedule"} for n in range(number)]


def random_cluster(rng: random.Random) -> list[Manifest]:
    """Three nodes with different loads, numbers of web pods, and taints."""
    made = [service("web", {"app": "web"})]
    for name in NODES:
        made.append(node(name, 4, "8Gi", taints=taints(rng.randint(0, 3))))
        made.append(pod(f"other-{name[-1]}", name, f"{rng.randrange(500, 2501, 500)}m", memory="1Gi"))
        for number in range(rng.randint(0, 4)):
            made.append(pod(f"web-{name[-1]}{number}", name, "100m", labels={"app": "web"}, memory="128Mi"))
    return [*made, pod("web-new", "", "500m", labels={"app": "web"}, memory="1Gi")]


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"map_reduce {seed}")
    return [total_of_a_node(rng), reduce_turns(rng)]


# -- predict


def total_of_a_node(rng: random.Random) -> Exercise:
    """Reduce by hand, then weights, then the sum."""

    def draw(rng: random.Random) -> tuple[Decision, int]:
        weights = [rng.randint(1, 3) for _ in PRIORITIES]
        generation = weighted(dict(zip(PRIORITIES, weights, strict=True)))
        cluster = Cluster(decode_objects(random_cluster(rng)), generation.api)
        return schedule(NEW, cluster, generation), rng.randrange(len(NODES))

    def wanted(drawn: tuple[Decision, int]) -> bool:
        """Reduce changes both rows, and the wrong sums differ from the right one."""
        scores, place = drawn[0].scores, drawn[1]
        if scores is None or len(set(scores.weights)) < 2:
            return False
        sums = {int(scores.total[place]), _unweighted(drawn[0], place), _unreduced(drawn[0], place)}
        return len(sums) == 3 and all(0 < each.raw[place] < each.raw.max() for each in scores.rows[1:])

    decision, place = drawn(rng, draw, wanted)
    scores = decision.scores
    assert scores is not None
    rows = [
        [f"{short(name)} × {weight}", *map(str, scored.raw.tolist())]
        for name, weight, scored in zip(scores.plugins, scores.weights, scores.rows, strict=True)
    ]
    head = [say("priority × weight"), *NODES]
    products = scores.results[:, place].tolist()
    steps = [
        f"{short(name)}: {each.raw[place]} → {each.normalized[place]}, × {weight} = {product}"
        for name, each, weight, product in zip(scores.plugins, scores.rows, scores.weights, products, strict=True)
    ]
    total = int(scores.total[place])
    why = say("{steps}. The sum is {sum} = {total}.", steps=say("; ").join(steps), sum=added(products), total=total)

    def remark(said: str) -> str:
        known = _mistakes(decision, place)
        if said in known:
            return known[said]
        return (
            say("Begin with the two rows that have a Reduce.") if said.isdecimal() else say("Give the sum, a number.")
        )

    return Predict(
        say("The total of a node"),
        say(
            "These are scores right after Map, and the weights that will multiply them. What is the total of {node} "
            "in the end? As in the lesson, Reduce makes (max − n) × 10 / max of each number n of {spread}, and "
            "10 − n × 10 / max of {taints}. Go rounds each division down.",
            node=NODES[place],
            spread=short(SPREAD),
            taints=short(TAINTS),
        ),
        str(total),
        why,
        (say("{row} has no Reduce: its score stays as it is.", row=short(LEAST)), say("; ").join(steps[1:])),
        Instance(table(head, (row(*each) for each in rows)), "\n".join(aligned([head, *rows], ""))),
        remark=remark,
        solved=lambda: turn(decision),
    )


def _mistakes(decision: Decision, place: int) -> dict[str, str]:
    """By wrong total, the one step that leads to it."""
    scores = decision.scores
    assert scores is not None
    found, total = dict[str, str](), int(scores.total[place])
    for name, each, weight in list(zip(scores.plugins, scores.rows, scores.weights, strict=True))[1:]:
        raw, most, is_taint = int(each.raw[place]), int(each.raw.max()), name == TAINTS
        marks, part = int(each.normalized[place]), raw if is_taint else most - raw
        down, exact = part * 10 // most, Fraction(part * 10, most)
        before = total - weight * marks
        turns = say("{row}: more is worse, so Reduce turns the row round.", row=short(name))
        found[str(before + weight * (raw * 10 // most))] = turns
        message = later("{row}: {number} / {most} rounds down to {down}.")
        rounded = say(message, row=short(name), number=part * 10, most=most, down=down)
        if is_taint:
            rounded += say(" Subtract after that: 10 - {down} = {marks}.", down=down, marks=marks)
        for wrong in {exact, Fraction(ceil(exact)), Fraction(round(exact))} - {Fraction(down)}:
            score = before + weight * (10 - wrong if is_taint else wrong)
            found[f"{float(score):.6g}"] = rounded
    found[str(_unreduced(decision, place))] = say(
        "That is the sum without Reduce: two rows are not yet on the scale from 0 to 10."
    )
    found[str(_unweighted(decision, place))] = say("The weights are missing: each score is multiplied by its weight.")
    return found


def _unweighted(decision: Decision, place: int) -> int:
    assert decision.scores is not None
    return int(sum(scored.normalized[place] for scored in decision.scores.rows))


def _unreduced(decision: Decision, place: int) -> int:
    assert decision.scores is not None
    weights = zip(decision.scores.rows, decision.scores.weights, strict=True)
    return int(sum(scored.raw[place] * weight for scored, weight in weights))


# -- build


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
    if objects.report.lines():
        return say("One object is not written as Kubernetes expects it: see the line below.")
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
