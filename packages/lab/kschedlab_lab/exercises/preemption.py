"""Exercises of lesson 05: on which node are pods evicted? v1.20 decides."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kschedlab.build import HOUR, Manifest, as_yaml, budget, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.budgets import MatchesBudget
from kschedlab.preemption.evidence import Candidate, Preemption
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.ladder import steps
from kschedlab.text.preemption import evicted
from kschedlab.text.words import count
from kschedlab_lab.exercises.build import Build, budget_fault
from kschedlab_lab.exercises.clusters import pictured
from kschedlab_lab.exercises.exercise import Exercise, drawn, in_turn
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.views.picture import caption
from kschedlab_lab.views.preemption_scene import Scene, fate

Starts = dict[str, list[tuple[int, int]]]
NODES = ("node-a", "node-b", "node-c")
APPS = ("shop", "mail", "logs")
LADDER = 460
FEW = (1, 2)
"""Disruptions that a budget may allow, and still be broken: a node has three pods at most."""
V1BETA1 = {"apiVersion": "policy/v1beta1"}
"""What v1.16 and v1.20 read of budgets (the scheduler's imports); policy/v1 came with v1.21."""
START = """\
apiVersion: policy/v1beta1  # v1.21: policy/v1
kind: PodDisruptionBudget
metadata: {name: mine, namespace: default}
spec:
  selector: {matchLabels: {app: }}
status: {disruptionsAllowed: }
"""
"""The beginning of a budget, as v1.20 reads it: pkg/scheduler/framework/plugins/defaultpreemption."""


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"preemption {seed}")
    return [which_node(rng, seed), save_node(rng), latest_of_earliest(seed)]


@dataclass(frozen=True)
class Case:
    """A cluster in which ``default/urgent`` preempts."""

    manifests: list[Manifest]

    @cached_property
    def decision(self) -> Decision:
        """v1.20's decision."""
        return decided(decode_objects(self.manifests))

    @property
    def preemption(self) -> Preemption:
        """The preemption of the decision."""
        assert self.decision.preemption is not None
        return self.decision.preemption

    @property
    def deciding(self) -> int:
        """The number of the rule that left one candidate, 0 if none did."""
        return next((number for number, rung in enumerate(self.preemption.rungs, 1) if rung.decides), 0)

    def drawn(self) -> Html:
        return drawn_decision(self.decision)


def decided(objects: Objects) -> Decision:
    """v1.20's decision. KeyError if there is no ``default/urgent``."""
    return schedule("default/urgent", Cluster(objects, V1_20.api), V1_20)


def drawn_decision(decision: Decision, as_listed: bool = False) -> Html:
    return fitting(Scene(decision, as_listed=as_listed).picture, LADDER)


def random_case(rng: random.Random) -> Case:
    """Three full nodes of 4 CPU with two or three pods each, a pod of 3 CPU, and a budget if it covers any."""
    made, apps = [node(name) for name in NODES], set()
    for name in NODES:
        for number, cpu in enumerate(rng.choice([(2, 2), (2, 1, 1), (1, 2, 1), (3, 1)])):
            app = rng.choice(APPS)
            start = rng.randrange(7 * HOUR, 12 * HOUR, 30)
            own = f"{app}-{name[-1]}{number}"
            apps.add(app)
            made.append(pod(own, name, cpu, rng.choice([0, 50, 100, 100, 200]), start, labels={"app": app}))
    covered, allowed = rng.choice(APPS), rng.choice([0, 1, 1, 2])
    budgets = [budget(covered, allowed)] if covered in apps else []
    return Case([*made, pod("urgent", "", 3, 500), *budgets])


def all_candidates(case: Case) -> bool:
    """Whether urgent can make room on every node."""
    return len(case.preemption.candidates) == len(NODES)


def budget_counts(case: Case) -> bool:
    """Whether the scheduler would choose another node without the budget."""
    return without_budget(case).preemption.nominated_node != case.preemption.nominated_node


def without_budget(case: Case) -> Case:
    return Case([each for each in case.manifests if each["kind"] != "PodDisruptionBudget"])


def ladder_case(rng: random.Random, rule: int) -> Case:
    """A case that this rule decides, with a budget that counts."""
    return drawn(rng, random_case, lambda case: all_candidates(case) and case.deciding == rule and budget_counts(case))


def which_node(rng: random.Random, seed: int) -> Exercise:
    """The ladder."""
    rule = in_turn(seed, (1, 2, 3, 5))
    case = ladder_case(rng, rule)
    right = case.preemption.nominated_node
    assert right is not None
    why = caption(case.decision)
    return Predict(
        say("Which node?"),
        say("On which node does urgent make room?"),
        right,
        why,
        (
            say("Find each node's victims. Then the rules: violations, first victim, sum, victims, latest start."),
            say("Rule {number} decides.", number=rule),
        ),
        pictured(case.decision, case.manifests, pick=True),
        {name: why if name == right else fate(case.decision, name, compares=False) for name in NODES},
        solved=case.drawn,
    )


def save_node(rng: random.Random) -> Exercise:
    """One budget that moves the preemptor to another node."""

    def wanted(case: Case) -> bool:
        return all_candidates(case) and case.deciding > 0 and saving(case) is not None

    case = drawn(rng, lambda rng: without_budget(random_case(rng)), wanted)
    app, spared = saving(case), case.preemption.nominated_node
    assert app is not None and spared is not None

    def goal(objects: Objects) -> str:
        if fault := budget_fault(objects, len(case.manifests)):
            return fault
        decision = decided(objects)
        if decision.preemption is None or decision.nominated_node != spared:
            return ""
        return unspared_why(objects, decision.preemption.candidates[spared])

    return Build(
        say("Spare a node"),
        say(
            "Without a budget the scheduler chooses {node}. Add one PodDisruptionBudget (with its status) that makes "
            "it choose another node. The name of each pod begins with its label app.",
            node=spared,
        ),
        goal,
        as_yaml([budget(app, 0) | V1BETA1]),
        lambda objects: spared_why(case, decided(objects)),
        (
            say("Which apps do the victims on {node} belong to?", node=spared),
            say("A budget needs spec.selector.matchLabels, and status.disruptionsAllowed: 0."),
        ),
        pictured(case.decision, case.manifests),
        as_yaml(case.manifests),
        START,
        lambda objects: drawn_decision(decided(objects)),
        lambda: [
            allowed
            for allowed in FEW
            if Case([*case.manifests, budget(app, allowed)]).preemption.nominated_node != spared
        ],
    )


def unspared_why(objects: Objects, candidate: Candidate) -> str:
    """Why the only budget does not keep the scheduler from this node."""
    (budget,) = objects.of(PodDisruptionBudget)
    about = MatchesBudget.of_budget(budget)
    labelled = ((each, each.pod.metadata) for each in candidate.victims)
    covered = [each for each, meta in labelled if about.covers(meta.namespace, meta.labels)]
    if not covered:
        message = later("{node} is still chosen: it would lose {victims}, which the budget does not cover.")
    elif candidate.violations:
        message = later("{node} is still chosen: evicting {covered} breaks the budget, but no node breaks it less.")
    else:
        message = later("{node} is still chosen: the budget lets {pods} go, so evicting {covered} breaks nothing.")
    pods, victims = count(budget.status.disruptionsAllowed, "pod"), evicted(candidate.victims)
    return say(message, node=candidate.node, victims=victims, covered=evicted(covered), pods=pods)


def spared_why(case: Case, decision: Decision) -> str:
    """What is decided with a budget, and how the budget helps the node that the ``case`` without one chooses."""
    before, now, spared = case.preemption, decision.preemption, case.preemption.nominated_node
    assert now is not None and now.nominated_node is not None and spared is not None
    fell = next((step for step in steps(now, [spared]) if spared in step.standing and spared not in step.kept), None)
    said = [caption(decision), "" if fell is not None and fell.decides else fate(decision, spared, compares=False)]
    if fell is None or fell.number > 1:
        message = later(
            "In step 1, the budget changes the order of the tries: without it, {node} would lose {before}; "
            "with it, {now}."
        )
        pairs = {
            name: [evicted(each.candidates[name].victims) for each in (before, now)]
            for name in (spared, now.nominated_node)
        }
        said += [say(message, node=name, before=old, now=new) for name, (old, new) in pairs.items() if old != new]
    return sentences(said)


def saving(case: Case) -> str | None:
    """The first app whose budget, with no disruption allowed, moves the preemptor to another node."""
    return next(
        (
            app
            for app in APPS
            if Case([*case.manifests, budget(app, 0)]).preemption.nominated_node != case.preemption.nominated_node
        ),
        None,
    )


def latest_start_broken(starts: dict[str, list[tuple[int, int]]]) -> str:
    """Rule 5: the node to preempt on. ``starts``: for each node its victims as (priority, start)."""
    times = {node: min(start for _, start in victims) for node, victims in starts.items()}
    return min(times, key=lambda node: (times[node], node))


def latest_start(starts: dict[str, list[tuple[int, int]]]) -> str:
    """Rule 5: the node to preempt on. ``starts``: for each node its victims as (priority, start)."""
    times = {}
    for name, victims in starts.items():
        highest = max(priority for priority, _ in victims)
        times[name] = min(start for priority, start in victims if priority == highest)
    return min(times, key=lambda node: (-times[node], node))


def by_engine(starts: Starts) -> str:
    """The scheduler's choice: all pods on each node are victims, and rules 1 to 4 leave all nodes."""
    room = max(map(len, starts.values()))
    made = [node(name, room) for name in starts]
    for name, victims in starts.items():
        made += [pod(f"{name}-{n}", name, 1, priority, start) for n, (priority, start) in enumerate(victims)]
    return str(Case([*made, pod("urgent", "", room, 500)]).decision.nominated_node)


def equal_in_four_rules(rng: random.Random) -> Iterator[tuple[Starts]]:
    """Nodes with as many victims of the same priorities and other start times; few and small ones first."""
    for victims in (1, 2, 3):
        for nodes in (2, 3):
            for _ in range(6):
                priorities = [rng.choice([0, 50, 100]) for _ in range(victims)]
                times = rng.sample(range(7 * HOUR, 12 * HOUR, 15), victims * nodes)
                yield (
                    {
                        name: list(zip(priorities, times[place * victims :], strict=False))
                        for place, name in enumerate(NODES[:nodes])
                    },
                )


def latest_of_earliest(seed: int) -> Exercise:
    """The fifth rule: it takes the latest of the earliest start times."""
    return Repair(
        say("The fifth rule"),
        say(
            "This function should choose between nodes that are equal in rules 1 to 4. It takes the node with the "
            "earliest time. Fix it to do what the scheduler does. Times are minutes after midnight."
        ),
        latest_start_broken,
        latest_start,
        by_engine,
        equal_in_four_rules,
        say(
            "For each node, take the earliest start among its victims of the highest priority. The latest of these "
            "times wins."
        ),
        (say("Which of two nodes loses less work?"), say("This rule ignores victims of lower priority.")),
        seed,
    )
