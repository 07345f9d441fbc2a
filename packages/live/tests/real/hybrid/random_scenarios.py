"""Random scenarios from a seed, in which our scheduler decides the same whatever its random choices are.

Where several nodes are equally good, the real scheduler chooses one at random: such scenarios are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from packages.live.tests.real.hybrid.outcome import differences
from packages.live.tests.real.hybrid.play import ours
from packages.live.tests.real.hybrid.themes import PREFERRED, REQUIRED, Data, at, node, owner, pod, priority, scenario

_SEEDS = 5
_APPS = ("web", "db", "job")


def random_scenarios(first: int) -> Iterator[tuple[int, str]]:
    """(seed, scenario), from this seed on."""
    seed = first
    while True:
        text = _scenario(random.Random(seed))
        if _is_decided(text):
            yield seed, text
        seed += 1


def _is_decided(text: str) -> bool:
    """Whether every seed of ours leads to the same outcome."""
    outcome, _ = ours(text, 0)
    return not any(differences(ours(text, seed)[0], outcome) for seed in range(1, _SEEDS))


def _scenario(rng: random.Random) -> str:
    nodes = [_node(rng, f"n{i}") for i in range(rng.randint(2, 4))]
    classes = [priority("low", 10), priority("middle", 500), priority("high", 1000)]
    never = {"preemptionPolicy": "Never"}
    objects = [*nodes, *classes, priority("patient", 800, **never)]
    timeline: list[Data] = []
    for i in range(rng.randint(7, 11)):
        timeline.append(at(round(0.7 * i, 1), create=_pod(rng, f"p{i}")))
    for i, change in enumerate(rng.sample(_changes(rng, f"n{rng.randrange(len(nodes))}"), rng.randint(1, 4))):
        timeline.append(at(round(8.35 + 0.7 * i, 2), **change))
    return scenario(objects, timeline, "18s")


def _node(rng: random.Random, name: str) -> Data:
    labels = {"zone": rng.choice("xyz"), "disk": rng.choice(["ssd", "hdd"])}
    effect = rng.choice(["NoSchedule", "PreferNoSchedule"])
    taints = [{"key": "busy", "value": "yes", "effect": effect}] if rng.random() < 0.25 else []
    return node(name, str(rng.randint(2, 7)), f"{rng.randint(3, 12)}Gi", labels, taints)


def _pod(rng: random.Random, name: str) -> Data:
    spec: dict[str, Any] = {}
    app = rng.choice(_APPS)
    if rng.random() < 0.7:
        spec["priorityClassName"] = rng.choice(["low", "low", "middle", "high", "patient"])
    if rng.random() < 0.25:
        spec["nodeSelector"] = {"disk": rng.choice(["ssd", "hdd"])}
    if rng.random() < 0.3:
        spec["tolerations"] = [{"key": "busy", "operator": "Exists"}]
    if rng.random() < 0.35:
        spec["affinity"] = _affinity(rng)
    if rng.random() < 0.2:
        selector = {"matchLabels": {"app": app}}
        when = rng.choice(["DoNotSchedule", "ScheduleAnyway"])
        spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": when, "labelSelector": selector}
        spec["topologySpreadConstraints"] = [spread]
    if rng.random() < 0.1:
        spec["schedulingGates"] = [{"name": "example.com/gate"}]
    ports = [{"containerPort": 80, "hostPort": 80}] if rng.random() < 0.15 else []
    more = {"memory": f"{rng.randint(1, 4)}Gi"} if rng.random() < 0.5 else None
    return pod(name, f"{rng.randint(2, 16) * 250}m", {"app": app}, ports, more, **spec)


def _affinity(rng: random.Random) -> Data:
    labels = {"matchLabels": {"app": rng.choice(_APPS)}}
    term = {"labelSelector": labels, "topologyKey": rng.choice(["zone", "kubernetes.io/hostname"])}
    kind = rng.choice(["podAffinity", "podAntiAffinity"])
    if rng.random() < 0.5:
        return {kind: {REQUIRED: [term]}}
    return {kind: {PREFERRED: [{"weight": rng.randint(1, 100), "podAffinityTerm": term}]}}


def _changes(rng: random.Random, name: str) -> list[Data]:
    """What may happen to a cluster, and to this node."""
    return [
        {"delete": f"pod/p{rng.randrange(7)}"},
        {"label": f"node/{name}", "labels": {"disk": rng.choice(["ssd", "hdd"])}},
        {"cordon": name},
        {"uncordon": name},
        {"taint": name, "taints": ["busy=yes:NoSchedule"]},
        {"create": _node(rng, "late")},
        {"create": owner("ReplicaSet", "set", 1, pod("x", "1500m"))},
    ]
