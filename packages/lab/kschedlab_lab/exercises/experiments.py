"""Exercises of lesson 11: what chance explains, and what packing saves."""

from __future__ import annotations

import random
from functools import cache, partial
from itertools import product

from kschedlab.build import as_yaml, node
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_37, Generation
from kschedlab.manifests.loading import Objects
from kschedlab.messages import say
from kschedlab.scheduler import Scheduler
from kschedlab.text.html import Html
from kschedlab_configuration import load_configuration
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn, lines
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.views.picture import WAITING
from kschedlab_lab.views.two_runs import Moment, Placed, draw_runs, room_of, size_of

PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
  plugins:
    multiPoint: {disabled: [{name: NodeResourcesBalancedAllocation}]}
"""
"""A configuration that fills nodes up, as ``Experiment.example`` of kschedlab_experiments has it."""


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"experiments {seed}")
    return [by_chance(rng), packed(rng)]


def as_far(differences: list[int]) -> int:
    """In how many of all ways to set the signs of these numbers their sum is at least as far from 0."""
    signs = product((1, -1), repeat=len(differences))
    sums = (sum(sign * each for sign, each in zip(ways, differences, strict=True)) for ways in signs)
    return sum(abs(each) >= abs(sum(differences)) for each in sums)


def by_chance(rng: random.Random) -> Exercise:
    """The permutation test, by hand."""
    seeds = rng.choice([5, 6])

    def draw(rng: random.Random) -> list[int]:
        numbers = [rng.randint(2, 9) for _ in range(seeds - 1)]
        return rng.sample([*numbers, rng.choice([-1, 1])], seeds)

    differences = drawn(rng, draw, lambda each: as_far(each) <= 6)
    right, ways = as_far(differences), 2**seeds
    shown = "  ".join(f"{each:+d}" for each in differences)
    return Predict(
        say("By chance"),
        say(
            "These are the differences of {seeds} seeds. If neither scheduler is better, a coin could have drawn each "
            "sign. There are {ways} ways to set the signs. In how many of them is the sum at least as far from 0 as it "
            "is here, above or below?",
            seeds=seeds,
            ways=ways,
        ),
        str(right),
        say(
            "{right} of {ways}: coins alone move the sum so far in {share:.0f} % of all cases.",
            right=right,
            ways=ways,
            share=100 * right / ways,
        ),
        (
            say("Which signs make the sum largest? And smallest?"),
            say("Take the signs as they are, then change that of the smallest number; count both sides."),
        ),
        Instance(lines(shown), shown),
        remark=partial(_hint_at_signs, right),
    )


def _hint_at_signs(right: int, said: str) -> str:
    if not said.strip().lstrip("-").isdigit():
        return say('"{answer}" is not {numbers}', answer=said, numbers=say("a whole number, 0 or more"))
    if int(said) * 2 == right:
        return say("You counted one side only: each way has a mirror image, as far from 0 on the other side.")
    if int(said) % 2:
        return say("Each way has a mirror image, with all signs the other way round: the number is even.")
    return say("Begin with the largest sum: with which signs is it? Then turn one sign after the other.")


@cache
def packing() -> Generation:
    """v1.37 with a configuration that fills nodes up."""
    (made,) = load_configuration(PACKING, V1_37).values()
    return made


def placed(objects: Objects, generation: Generation) -> dict[str, str]:
    """The node of each pod that waits, by its name; "" if it stays pending. They are bound in the order of names."""
    cluster, found = Cluster(objects), dict[str, str]()
    scheduler = Scheduler(cluster, generation, rng=random.Random(1))
    for key in sorted(cluster.pending):
        decision = scheduler.cycle(cluster.pending[key])
        scheduler.commit(decision)
        found[decision.pod.pod.metadata.name] = decision.node or ""
    return found


def boards(objects: Objects) -> Html:
    """Where the pods are with the default, and below it with packing."""
    nodes = {node.metadata.name: room_of(node) for node in objects.nodes}
    runs = []
    for name, generation in (("default", V1_37), ("packing", packing())):
        where = placed(objects, generation)
        there = (Placed(pod.metadata.name, size_of(pod), where.get(pod.metadata.name, "")) for pod in objects.pods)
        runs.append(Moment(name, nodes, tuple(there)))
    alt = "; ".join(f"{pod.name}: {pod.node or say(WAITING)}" for run in runs for pod in run.pods)
    return fitting(lambda room: draw_runs(runs, room, alt), 440)


POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  containers: [{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}}}}}]
"""


def pods(*cpu: object) -> str:
    """The pods a, b and c with these requests."""
    return "---\n".join(POD.format(name=name, cpu=each) for name, each in zip("abc", cpu, strict=True))


def packed(rng: random.Random) -> Exercise:
    """Pods for which it matters how nodes are filled."""
    cpu = rng.choice([4, 6, 8, 10])
    base = as_yaml([node(name, cpu, "32Gi") for name in ("node-a", "node-b")])

    def goal(objects: Objects) -> str:
        if sorted(pod.metadata.name for pod in objects.pods) != ["a", "b", "c"] or len(objects.nodes) != 2:
            return say("Write the three pods a, b and c, and nothing else.")
        spread, full = placed(objects, V1_37), placed(objects, packing())
        if len(spread) < len(objects.pods):
            return say("The three pods wait: leave spec.nodeName out.")
        if spread["c"]:
            return say("With the default, c finds room on {node}.", node=spread["c"])
        return "" if full["c"] else say("With packing, c fits nowhere either.")

    return Build(
        say("Room for the large one"),
        say(
            "node-a and node-b have {cpu} CPU each. The pods a, b and c arrive in this order. Choose their requests: "
            "c must stay pending with v1.37's default, and get a node if nodes are filled up (MostAllocated).",
            cpu=cpu,
        ),
        goal,
        pods(1, 1, cpu),
        say("The default puts a and b on two nodes, and no node stays empty; packing puts both on one."),
        (say("Where does the default put a second small pod?"), say("Which request needs a whole node?")),
        base=base,
        start=pods("", "", ""),
        decided=boards,
    )
