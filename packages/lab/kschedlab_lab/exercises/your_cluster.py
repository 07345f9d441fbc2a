"""Exercises of lesson 07, on the bundled cluster: what would change it, a pod for one pool, how much is free."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import yaml

from kschedlab.build import Manifest, as_yaml, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.generations import LATEST
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html, element, join
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab.text.words import count
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn, lines
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.views.cluster_picture import Asked, cluster_picture
from kschedlab_lab.views.picture import caption

POOL = "karpenter.sh/nodepool"
TAINTS = {
    "spot": ("spot", "true"),
    "data": ("dedicated", "data"),
    "gpu": ("nvidia.com/gpu", "present"),
    "ingress": ("dedicated", "ingress"),
}
"""The taints that protect the pools; the pool general has none."""
HEAD = (later("pool"), later("nodes"), later("taint"), later("most free CPU on a node"))


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"your cluster {seed}")
    return [what_helps(rng), only_there(rng), free_cpu_of_a_node(seed)]


# -- the pools


@cache
def _pool_rows() -> list[list[str]]:
    """The facts about each pool. Nodes whose taints differ from the pool's first node are ignored."""
    world, rows = bundled().cluster(LATEST), []
    for name, places in pools(world).items():
        well = [place for place in places if world.nodes[place].spec.taints == world.nodes[places[0]].spec.taints]
        free = (world.allocatable[0, well] - world.requested[0, well]).max()
        taint = f"{'='.join(TAINTS[name])}:NoSchedule" if name in TAINTS else ""
        rows.append([name, str(len(well)), taint, f"{free}m"])
    return rows


def _pool_table() -> Instance:
    """All pools in a table."""
    note = say("Nodes of a pool have the label {pool}. The three closed nodes of general are left out.", pool=POOL)
    head, rows = (
        terms(*HEAD),
        [[name, number, taint or say("none"), free] for name, number, taint, free in _pool_rows()],
    )
    whole = join([table(head, (row(*each) for each in rows)), element("p", note)])
    return Instance(whole, "\n".join([*aligned([head, *rows], ""), note]), common=whole)


def by_pool(cluster: Cluster, names: Iterable[str]) -> str:
    """ "general 95, spot 20": the pools of these nodes."""
    wanted = {cluster.index[name] for name in names}
    shares = {pool: len(wanted.intersection(places)) for pool, places in pools(cluster).items()}
    return listed(f"{pool} {number}" for pool, number in shares.items() if number)


def decide(manifest: Manifest) -> Decision:
    """The decision for the pod in the bundled cluster."""
    return placed(decode_objects([manifest]))


def placed(objects: Objects) -> Decision:
    """The decision for the only pod of these objects, pending in the bundled cluster."""
    world = bundled().cluster(LATEST).fork()
    info = world.info(objects.pods[0])
    world.withdraw(info.key)
    world.pending[info.key] = info
    return schedule(info.key, world)


def mapped(decision: Decision) -> Html:
    """The decision on the map of the lesson."""
    return fitting(lambda room: cluster_picture(decision, room, Asked(), caption(decision)), 380)


class Wish(NamedTuple):
    """A pod: its request, the pools that it tolerates, and the one that it selects ("" for any)."""

    cpu: int
    tolerates: tuple[str, ...]
    selects: str = ""

    @property
    def manifest(self) -> Manifest:
        spec: dict[str, Any] = {}
        if self.selects:
            spec["nodeSelector"] = {POOL: self.selects}
        if self.tolerates:
            taints = (TAINTS[pool] for pool in self.tolerates)
            spec["tolerations"] = [
                {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"} for key, value in taints
            ]
        return pod("mine", cpu=f"{self.cpu}m", memory="1Gi", priority=0, **spec)

    @property
    def instance(self) -> Instance:
        """What decides about it, in a few lines of its YAML, beside the pools."""
        spec = self.manifest["spec"]
        asks = {"requests": spec["containers"][0]["resources"]["requests"]}
        wishes = {name: spec[name] for name in ("nodeSelector", "tolerations") if name in spec}
        text = "".join(
            yaml.safe_dump({name: each}, default_flow_style=None, sort_keys=False, width=200)
            for name, each in (asks | wishes).items()
        )
        beside, manifest = _pool_table(), lines(text)
        whole = f"{text}\n{beside.text}"
        return replace(beside, picture=join([manifest, beside.picture]), text=whole, printed=manifest)


# -- predict


def what_helps(rng: random.Random) -> Exercise:
    """One of three changes makes the pod fit."""

    def draw(rng: random.Random) -> Wish:
        selects = rng.choice(["general", *TAINTS])
        tolerates = tuple(rng.sample([*TAINTS], rng.choice([0, 1, 2])))
        return Wish(rng.choice([500, 2000, 3000, 6000, 12000]), tolerates, selects)

    def variants(wish: Wish) -> dict[str, Wish]:
        tolerated = next(each for each in (wish.selects, *TAINTS) if each in TAINTS and each not in wish.tolerates)
        key, value = TAINTS[tolerated]
        return {
            say("ask for {cpu}m CPU", cpu=wish.cpu // 4): wish._replace(cpu=wish.cpu // 4),
            say("drop the nodeSelector"): wish._replace(selects=""),
            say("tolerate {key}={value}", key=key, value=value): wish._replace(tolerates=(*wish.tolerates, tolerated)),
        }

    def wanted(wish: Wish) -> bool:
        helping = [at for at, each in enumerate(variants(wish).values()) if decide(each.manifest).node]
        return decide(wish.manifest).node is None and helping == [helps]

    helps = rng.choice(range(3))
    wish = drawn(rng, draw, wanted)
    outcomes = {change: decide(each.manifest) for change, each in variants(wish).items()}
    right = next(change for change, decision in outcomes.items() if decision.node)
    said = {change: helped(decision) for change, decision in outcomes.items()}
    return Predict(
        say("What would change it?"),
        say("This pod is pending. Which of the three changes, alone, lets it fit without evicting anybody?"),
        right,
        said[right],
        (
            say("What does each pool ask of a pod? First its label, then its taint, then its room."),
            decide(wish.manifest).message,
        ),
        wish.instance,
        said,
        solved=lambda: mapped(outcomes[right]),
    )


def helped(decision: Decision) -> str:
    if decision.node is None:
        return say("It is still pending: {message}", message=decision.message)
    return say(
        "Then it fits on {nodes}: {pools}.",
        nodes=count(len(decision.feasible), "node"),
        pools=by_pool(decision.cluster, decision.names),
    )


# -- build


def only_there(rng: random.Random) -> Exercise:
    """A pod for one pool."""
    pool, cpu = rng.choice([*TAINTS]), rng.choice([200, 400, 600])
    example = Wish(cpu, (pool,), pool).manifest

    def goal(objects: Objects) -> str:
        if len(objects.pods) != 1 or sum(objects.report.counts.values()) != 1:
            return say("Give one pod, and nothing else.")
        decision = placed(objects)
        if (asked := decision.pod.request.get("cpu", 0)) < cpu:
            return say("The pod must ask for {cpu}m CPU at least; yours asks for {asked}m.", cpu=cpu, asked=asked)
        if not len(decision.feasible):
            return say("It fits nowhere: {event}", event=decision.event)
        own = {decision.cluster.names[place] for place in pools(decision.cluster)[pool]}
        others = [name for name in decision.names if name not in own]
        if not others:
            return ""
        first = decision.cluster.names[pools(decision.cluster)[pool][0]]
        refused = say("{name} refuses it: {refusal}.", name=pool, refusal=decision.verdict(first).plugin)
        elsewhere = say("It fits elsewhere: {where}.", where=by_pool(decision.cluster, others))
        return elsewhere if len(others) < len(decision.names) else sentences((refused, elsewhere))

    return Build(
        say("Only there"),
        say(
            "Write a pod that asks for {cpu}m CPU and fits on nodes of the pool {pool} and nowhere else.",
            cpu=cpu,
            pool=pool,
        ),
        goal,
        as_yaml([example]),
        say("The toleration lets it in, the nodeSelector keeps it there. Each alone is not enough."),
        (
            say("Nodes of the pool have the label {label}: {pool}.", label=POOL, pool=pool),
            say("And they have the taint {taint}: without a toleration nobody gets in.", taint="=".join(TAINTS[pool])),
        ),
        start=as_yaml([pod("mine", cpu=f"{cpu}m", priority=0)]),
        decided=lambda objects: mapped(placed(objects)),
    )


# -- repair

Pods = list[Mapping[str, Any]]


def free_cpu_broken(allocatable: int, pods: list[Mapping[str, Any]]) -> int:
    """Free CPU on a node, in milli.

    Each pod has a phase, and the requests of its
    containers and initContainers.
    """
    return allocatable - sum(sum(pod["containers"]) for pod in pods)


def free_cpu(allocatable: int, pods: list[Mapping[str, Any]]) -> int:
    """Free CPU on a node, in milli.

    Each pod has a phase, and the requests of its
    containers and initContainers.
    """
    used = 0
    for each in pods:
        if each["phase"] not in ("Succeeded", "Failed"):
            used += max([sum(each["containers"]), *each["initContainers"]])
    return allocatable - used


def by_engine(allocatable: int, pods: Pods) -> int:
    made = [node("node-a", f"{allocatable}m")]
    for number, each in enumerate(pods):
        manifest = pod(f"pod-{number}", "node-a")
        for field in ("containers", "initContainers"):
            manifest["spec"][field] = [
                {"name": f"{field[0]}{place}", "image": "i", "resources": {"requests": {"cpu": f"{cpu}m"}}}
                for place, cpu in enumerate(each[field])
            ]
        made.append({**manifest, "status": {"phase": each["phase"]}})
    world = Cluster(decode_objects(made))
    return int(world.allocatable[0, 0] - world.requested[0, 0])


def nodes_with_pods(rng: random.Random) -> Iterator[tuple[int, Pods]]:
    """A node's CPU and its pods; small and simple cases first."""
    for pods in (1, 2, 3):
        for init, phases in ((0, ["Running"]), (1, ["Running"]), (2, ["Running", "Pending", "Succeeded", "Failed"])):
            for _ in range(4):
                found: Pods = [
                    {
                        "phase": rng.choice(phases),
                        "containers": [rng.randrange(100, 600, 50) for _ in range(rng.choice([1, 2]))],
                        "initContainers": [rng.randrange(100, 1500, 50) for _ in range(init)],
                    }
                    for _ in range(pods)
                ]
                yield 8000, found


def free_cpu_of_a_node(seed: int) -> Exercise:
    return Repair(
        say("How much is free?"),
        say(
            "Many scripts add up requests like this, and disagree with the scheduler. Fix it. All amounts are "
            "milli CPU; init containers run one after the other, before the containers start."
        ),
        free_cpu_broken,
        free_cpu,
        by_engine,
        nodes_with_pods,
        say(
            "Pods that have ended count nothing. Any other pod without sidecars and overhead counts its containers "
            "together or its largest init container, whichever is more."
        ),
        (
            say("Which pods no longer take up room?"),
            say("An init container runs alone: what if it needs more than all others together?"),
        ),
        seed,
        "from collections.abc import Mapping\nfrom typing import Any",
    )
