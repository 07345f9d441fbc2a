"""The planner against brute force on small random clusters: the numbers must be equal wherever it says "proven"."""

import random
from itertools import product

import pytest

from kschedlab import Cluster, schedule
from kschedlab.build import budget, cluster as made, node, pod
from kschedlab_planning import plan_add, plan_drain, plan_fit
from tests.samples import sampled

FIT, ADD, DRAIN = 150, 250, 100
"""The number of random clusters: 500 in all."""
POOLS = {"small": (2, "4Gi"), "large": (5, "8Gi")}


def owned(manifest, owner):
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    manifest["metadata"]["ownerReferences"] = [reference]
    return manifest


def a_pod(rng, name, on=""):
    app = rng.choice(["web", "db"])
    spec = {}
    if rng.random() < 0.2:
        term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if rng.random() < 0.2:
        spec["nodeSelector"] = {"pool": rng.choice(list(POOLS))}
    cpu, memory = rng.choice(["500m", "1", "1500m"]), rng.choice(["512Mi", "1Gi", "3Gi"])
    return pod(name, on=on, cpu=cpu, memory=memory, labels={"app": app}, **spec)


def nodes(rng, number):
    for i in range(number):
        pool = rng.choice(list(POOLS))
        cpu, memory = POOLS[pool]
        yield node(f"n{i}", cpu=cpu, memory=memory, labels={"pool": pool, "kubernetes.io/hostname": f"n{i}"})


def a_cluster(rng, number, running, pending=0):
    """A cluster whose running pods have been placed by the scheduler."""
    world = made(*nodes(rng, number))
    for i in range(running):
        manifest = owned(a_pod(rng, f"r{i}"), f"of-{i}")
        place = schedule(manifest, world).node
        if place is not None:
            manifest["spec"]["nodeName"] = place
            manifest["status"] = {"phase": "Running"}
            world.add(manifest)
    return world.add(*(a_pod(rng, f"q{i}") for i in range(pending)))


def filled(world: Cluster, keys):
    """A fork where these pending pods have nodes, and how many found none."""
    fork, left = world.fork(), 0
    for key in keys:
        decision = schedule(key, fork)
        if decision.node is None:
            left += 1
        else:
            fork.bind(fork.pending[key], decision.node)
    return fork, left


@pytest.mark.parametrize("part", sampled(range(5), 1))
def test_fit_counts_what_the_scheduler_places_one_by_one(part):
    for seed in range(part, FIT, 5):
        rng = random.Random(f"fit {seed}")
        world = a_cluster(rng, rng.randint(1, 4), rng.randint(0, 5))
        template = a_pod(rng, "more")
        plan = plan_fit(template, world, seed=None)
        fork, number = world.fork(), 0
        while True:
            each = pod(f"x{number}", labels=template["metadata"]["labels"]) | {"spec": template["spec"]}
            decision = schedule(each, fork)
            if decision.node is None:
                break
            fork.add(each | {"spec": template["spec"] | {"nodeName": decision.node}})
            number += 1
        assert plan.replicas == number, seed
        assert plan.stop is not None and plan.stop.message == decision.message, seed


def extra(kind, number):
    cpu, memory = POOLS[kind]
    for i in range(number):
        name = f"{kind}-extra-{i}"
        yield node(name, cpu=cpu, memory=memory, labels={"pool": kind, "kubernetes.io/hostname": name})


@pytest.mark.parametrize("part", sampled(range(5), 1))
def test_add_finds_the_cheapest_nodes(part):
    for seed in range(part, ADD, 5):
        rng = random.Random(f"add {seed}")
        world = a_cluster(rng, rng.randint(2, 3), 3, rng.randint(1, 6))
        present = sorted({each.metadata.labels["pool"] for each in world.nodes})
        prices = {pool: rng.choice([1, 2, 3]) for pool in present} if rng.random() < 0.5 else None
        plan = plan_add(world, prices=prices, seed=None)
        base, _ = filled(world, list(world.pending))
        waiting = [key for key in base.pending if key not in plan.stuck]
        cost = prices or dict.fromkeys(present, 1)
        tried = sorted(product(range(7), repeat=len(present)), key=lambda ns: (price(ns, present, cost), sum(ns)))
        for numbers in tried:
            more = [each for pool, n in zip(present, numbers, strict=True) for each in extra(pool, n)]
            if not filled(base.fork().add(*more), waiting)[1]:
                break
        else:
            pytest.fail(f"seed {seed}: nothing fits, but the plan says {plan.best}")
        best = plan.best
        assert plan.proven, seed
        assert (0, 0) if best is None else (best.price, best.nodes) == (price(numbers, present, cost), sum(numbers))
        if best is None:
            assert not waiting, seed


def price(numbers, pools, prices):
    return sum(number * prices[pool] for number, pool in zip(numbers, pools, strict=True))


def goes(world, name, allowed):
    """The cluster without this node, or None: every pod must be allowed to go, and find another node."""
    fork = world.fork()
    keys = [each.key for each in fork.objects.pods if each.spec.nodeName == name]
    fork.add({"apiVersion": "v1", "kind": "Node", **shown(fork, name)})
    for key in keys:
        info = fork.on_node(key)
        if not all(left > 0 for app, left in allowed.items() if info.pod.metadata.labels.get("app") == app):
            return None
        fork.evict(key)
        decision = schedule(as_dict(info.pod), fork)
        if decision.node is None:
            return None
        fork.bind(decision.pod, decision.node)
    return fork.remove(name)


def shown(world, name):
    each = world.nodes[world.index[name]]
    room = {key: str(value) for key, value in each.status.allocatable.items()}
    labels = dict(each.metadata.labels)
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"unschedulable": True},
        "status": {"allocatable": room},
    }


def as_dict(one):
    import msgspec

    data = msgspec.to_builtins(one, enc_hook=str)
    data["spec"].pop("nodeName", None)
    return {"kind": "Pod"} | {key: value for key, value in data.items() if key in ("apiVersion", "metadata", "spec")}


@pytest.mark.parametrize("part", sampled(range(5), 1))
def test_drain_finds_the_most_nodes(part):
    for seed in range(part, DRAIN, 5):
        rng = random.Random(f"drain {seed}")
        world = a_cluster(rng, rng.randint(2, 4), rng.randint(1, 6))
        running = [each.metadata.labels["app"] for each in world.objects.pods]
        allowed = {app: rng.randint(0, 2) for app in ("web", "db") if rng.random() < 0.3}
        for app, left in allowed.items():
            world.add(budget(app, 0, minAvailable=max(0, running.count(app) - left)))
        allowed = {app: min(left, running.count(app)) for app, left in allowed.items()}
        plan = plan_drain(world, seed=None)
        most = longest(world, allowed)
        assert plan.proven and len(plan.steps) == most, seed


def longest(world, allowed):
    """The most drains one after the other, by trying every order."""
    best = 0
    for name in list(world.names):
        after = goes(world, name, allowed)
        if after is not None:
            best = max(best, 1 + longest(after, allowed))
        if best == len(world.names):
            break
    return best
