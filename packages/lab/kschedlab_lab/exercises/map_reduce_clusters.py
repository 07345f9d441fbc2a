"""Clusters for the exercises of lesson 04: three nodes that differ in load, web pods and taints; v1.16 with weights."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from kschedlab.build import Manifest, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule

NEW = "default/web-new"
NODES = ("node-a", "node-b", "node-c")
LEAST, SPREAD, TAINTS = "LeastRequestedPriority", "SelectorSpreadPriority", "TaintTolerationPriority"
PRIORITIES = (LEAST, SPREAD, TAINTS)
SERVICE = service("web", {"app": "web"})


def weighted(weights: Sequence[int], priorities: Sequence[str] = PRIORITIES) -> Generation:
    """v1.16 with these priorities alone."""
    made = {plugin.name: plugin for plugin, _ in V1_16.scores}
    return replace(V1_16, scores=tuple((made[name], weight) for name, weight in zip(priorities, weights, strict=True)))


def decided(manifests: list[Manifest], generation: Generation) -> Decision:
    """What the generation decides for the new pod."""
    return schedule(NEW, Cluster(decode_objects(manifests), generation.api), generation)


def taints(number: int) -> list[dict[str, str]]:
    """That many PreferNoSchedule taints."""
    return [{"key": f"trouble-{n}", "value": "yes", "effect": "PreferNoSchedule"} for n in range(number)]


def random_cluster(rng: random.Random) -> list[Manifest]:
    """Three nodes with different loads, numbers of web pods, and taints."""
    made: list[Manifest] = [SERVICE]
    for name in NODES:
        made.append(node(name, 4, "8Gi", taints=taints(rng.randint(0, 3))))
        made.append(pod(f"other-{name[-1]}", name, f"{rng.randrange(500, 2501, 500)}m", memory="1Gi"))
        for number in range(rng.randint(0, 4)):
            made.append(pod(f"web-{name[-1]}{number}", name, "100m", labels={"app": "web"}, memory="128Mi"))
    return [*made, pod("web-new", "", "500m", labels={"app": "web"}, memory="1Gi")]
