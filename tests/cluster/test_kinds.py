"""Clusters of many kinds of pods that come and go decide as fresh ones do, with and without labels of their own."""

from __future__ import annotations

import random

import pytest

from kschedlab.build import Manifest, budget, node, pod
from kschedlab.cluster import counts, interning
from kschedlab.cluster.cluster import Cluster
from kschedlab.scheduler import Scheduler
from tests.affinity import affinity, by, spread
from tests.cluster.checking import check

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
NAMESPACES = ["x", "y", "z"]


def some_namespace(name: str, draw: random.Random) -> Manifest:
    labels = {"team": draw.choice(["red", "green"])}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def some_node(name: str, draw: random.Random) -> Manifest:
    return node(
        name, labels={HOST: name, ZONE: draw.choice("abc")}, allocatable={"cpu": "4", "memory": "8Gi", "pods": "9"}
    )


def some_pod(name: str, draw: random.Random, own: float, on: str | None = None) -> Manifest:
    """``own``: the share of pods with their own name as a label, which terms of some others demand."""
    app = f"app-{draw.randrange(6)}"
    labels = {"app": app} | ({"name": name} if draw.random() < own else {})
    same = [f"app In {app}"] if draw.random() < 0.7 else [f"name In p{draw.randrange(60)}", "app Exists"]
    others = draw.choice([{}, {"namespaces": ["x"]}, {"namespaceSelector": {"matchLabels": {"team": "red"}}}])
    wanted = by(draw.choice([HOST, ZONE]), *same, **others)
    side = draw.choice(["near", "apart", "rather_near", "rather_apart", "apart", "rather_apart"])
    fields: Manifest = {"affinity": affinity(**{side: [(draw.randint(1, 9), wanted) if "rather" in side else wanted]})}
    if draw.random() < 0.4:
        fields["topologySpreadConstraints"] = [spread(ZONE, *same, soft=draw.random() < 0.5, skew=2)]
    if draw.random() < 0.2:
        fields["ports"] = [{"containerPort": 80, "hostPort": 8000 + draw.randrange(3)}]
    return pod(name, on, labels=labels, namespace=draw.choice(NAMESPACES), cpu=f"{draw.randint(1, 9)}00m", **fields)


def changed(world: Cluster, draw: random.Random, number: int, own: float) -> None:
    """One change: a pod is scheduled, comes, goes; a node, a namespace or a budget changes."""
    what = draw.random()
    running = [*world.pods.row_of, *world.without_node]
    if what < 0.5:
        made = world.info(world.read([some_pod(f"p{number}", draw, own)]).pods[0])
        Scheduler(world, rng=draw).commit(Scheduler(world, rng=draw).decide(made))
    elif what < 0.6:
        world.add(some_pod(f"p{number}", draw, own, on=draw.choice(world.names)))
    elif what < 0.85 and running:
        world.remove(draw.choice(running))
    elif what < 0.92:
        world.add(some_node(f"n{draw.randrange(8)}", draw))
    elif what < 0.96:
        world.add(some_namespace(draw.choice(NAMESPACES), draw))
    else:
        world.add(
            budget(f"b{draw.randrange(3)}", draw.randrange(2), {"app": f"app-{draw.randrange(6)}"}, namespace="x")
        )


@pytest.mark.parametrize("own", [0, 0.3, 1])
@pytest.mark.parametrize("few", [0, pytest.param(3, marks=pytest.mark.nightly), 64])
def test_after_long_sequences_a_cluster_decides_as_a_fresh_one(own: float, few: int, monkeypatch) -> None:
    """``few``: how many pods a query sums instead of keeping a column. Numbers of signatures are given again early."""
    monkeypatch.setattr(counts, "FEW", few)
    monkeypatch.setattr(interning, "FEW", 8)
    for seed in range(2):
        draw = random.Random(f"{seed}/{own}")
        world = Cluster.from_dicts([*(some_node(f"n{i}", draw) for i in range(6)), some_namespace("x", draw)])
        for number in range(150):
            changed(world, draw, number, own)
            if number % 10 == 0:
                check(world)
                fresh = Cluster(world.objects)
                probe = some_pod("probe", draw, own) | {}
                probe["spec"]["priority"] = 5
                decisions = [
                    Scheduler(each, exhaustive=True).decide(each.info(each.read([probe]).pods[0])).to_dict()
                    for each in (world, fresh)
                ]
                assert decisions[0] == decisions[1], (seed, number)
        assert world.signatures.sweeps > 0
