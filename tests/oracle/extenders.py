"""Random scenarios with extenders, seeded: a world of :mod:`tests.oracle.scenarios` with one to three of them.

python -m tests.oracle.extenders COUNT SEED > scenarios.jsonl
"""

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from tests.oracle.scenarios import Object, World, container

DEVICES = ("example.com/gpu", "example.com/fpga", "example.com/nic")
REASONS = ("no GPU", "rack is hot", "licence is taken", "too far away")


def scenarios(count: int, seed: int) -> Iterator[Object]:
    """So many scenarios. Half of the pods fit somewhere; the others may preempt."""
    for number in range(count):
        rng = random.Random(f"extenders-{seed}-{number}")
        world = World(rng)
        crowd(world)
        made = {"id": f"extenders-{seed}-{number}", "objects": world.objects}
        made["pod"] = f"{world.pending['metadata']['namespace']}/{world.pending['metadata']['name']}"
        yield made | {"extenders": [extender(world, i) for i in range(rng.choice([1, 1, 1, 2, 2, 3]))]}


def crowd(world: World) -> None:
    """The pending pod: often important, sometimes large, sometimes with an extended resource."""
    rng, pending = world.rng, world.pending
    pending["spec"]["priority"] = rng.choice([0, 4, 20, 20])
    if world.chance(0.5):
        container(pending)["resources"]["requests"]["cpu"] = rng.choice(["1500m", "3", "6"])
    for node in world.nodes:
        for part in ("allocatable", "capacity"):
            node["status"][part] |= dict.fromkeys(DEVICES, "8")
        if world.chance(0.4):
            node["status"]["images"] = [{"names": ["img:latest"], "sizeBytes": rng.randint(1, 900) << 20}]
    if world.chance(0.3):
        device = rng.choice(DEVICES)
        container(pending)["resources"] = {"requests": {device: "1"}, "limits": {device: "1"}}
    if world.chance(0.06):
        names = world.some([node["metadata"]["name"] for node in world.nodes], 1)
        matches = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
        terms = [{"matchFields": [match]} for match in matches]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        pending["spec"]["affinity"] = {"nodeAffinity": required}
    if world.chance(0.3):
        labels = world.pending["metadata"]["labels"]
        constraint = {"maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": labels}}
        keys = rng.choice([["kubernetes.io/hostname"], ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]])
        pending["spec"]["topologySpreadConstraints"] = [constraint | {"topologyKey": key} for key in keys]
    if world.chance(0.25):
        app = rng.choice(["web", "db"])
        world.add(
            "policy/v1",
            "PodDisruptionBudget",
            f"budget-{app}",
            "default",
            spec={"selector": {"matchLabels": {"app": app}}},
            status={"disruptionsAllowed": rng.choice([0, 0, 1])},
        )


def extender(world: World, number: int) -> Object:
    """One extender, which answers by tables."""
    rng, names = world.rng, [node["metadata"]["name"] for node in world.nodes]
    made: Object = {"name": f"http://x{number}.example", "weight": rng.choice([1, 1, 2, 5])}
    made |= {"ignorable": world.chance(0.3), "nodeCacheCapable": world.chance(0.6)}
    if world.chance(0.2):
        made["managedResources"] = [DEVICES[number]]
    if world.chance(0.7):
        made["filter"] = filtering(world, names)
    if world.chance(0.6):
        table: dict[str, Any] = {"scores": {name: rng.choice([*range(11), 10, 0, -2, 25]) for name in names}}
        if world.chance(0.3):
            del table["scores"][rng.choice(names)]
        made["prioritize"] = table | ({"status": 500} if world.chance(0.1) else {})
    if world.chance(0.6):
        made["preempt"] = preempting(world, names)
    return made


def filtering(world: World, names: list[str]) -> Object:
    rng = world.rng
    share = rng.choice([0.1, 0.3, 0.6, 1])
    table: Object = {"refuse": {name: rng.choice(REASONS) for name in names if world.chance(share)}}
    if world.chance(0.2):
        table["drop"] = world.some(names)
    if world.chance(0.25):
        table["unresolvable"] = {name: "never here" for name in world.some(names)}
    if world.chance(0.08):
        table["also"] = {name: "said about any node" for name in world.some(names)}
    if world.chance(0.06):
        table["error"] = "the extender is confused"
    elif world.chance(0.06):
        table["status"] = rng.choice([404, 500])
    return table


def preempting(world: World, names: list[str]) -> Object:
    rng = world.rng
    table: Object = {"drop": world.some(names)} if world.chance(0.4) else {}
    if world.chance(0.3):
        running = {name: [pod for pod in world.running if pod["spec"]["nodeName"] == name] for name in names}
        chosen = world.some([name for name in names if running[name]], 1, 2)
        table["victims"] = {
            name: [pod["metadata"]["uid"] for pod in world.some(running[name], rng.choice([0, 1, 1, 1]))]
            for name in chosen
        }
    if world.chance(0.2):
        table["violations"] = {name: rng.randint(0, 2) for name in world.some(names)}
    if world.chance(0.08):
        table["status"] = 500
    return table


if __name__ == "__main__":
    for scenario in scenarios(int(sys.argv[1]), int(sys.argv[2])):
        print(json.dumps(scenario))
