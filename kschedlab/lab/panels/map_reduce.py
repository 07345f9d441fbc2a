"""Map: settings -> a cluster, its scores, and when each worker fills each cell of results[algorithm][node].

A new pod of the web service is scheduled. The engine computes the scores; the times are drawn from a seed.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, steps
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import Manifest, node, pod, service
from kschedlab.views.map_reduce import (
    Piece,
    draw_handing_out,
    handing_out_text,
    mapped,
    reduced,
    workers_table,
    writers,
)
from kschedlab.views.words import count, listing, outcome

NEW = "default/web-new"
MIB = 1 << 20
MOST_WORKERS = 16
"""The number of workers given to ParallelizeUntil (v1.13 to v1.16: core/generic_scheduler.go, PrioritizeNodes)."""
FUNCTION_TICKS = 3
"""Ticks that the goroutine of a priority with a Function takes for its row."""
TAINT = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}
OLD = {"key": "old-disk", "value": "yes", "effect": "PreferNoSchedule"}
RUNNING = (  # CPU (milli) and memory (MiB) of other pods; web's pods; taints; disk; rack; has the image
    (500, 1024, 3, 0, "hdd", "r1", True),
    (1000, 4096, 1, 0, "ssd", "r2", False),
    (500, 2048, 2, 1, "nvme", "r2", False),
    (2000, 4096, 0, 2, "hdd", "r1", True),
    (1500, 8192, 1, 0, "ssd", "r1", False),
    (250, 1024, 2, 1, "hdd", "r2", True),
    (3000, 2048, 0, 0, "nvme", "r1", False),
    (1000, 1024, 3, 0, "hdd", "r2", True),
)


@dataclass(frozen=True)
class Settings(Restorable):
    """The numbers of nodes and workers, and the current step; ``seed`` draws the time that each node takes."""

    nodes: int = choice("nodes", (4, 12, 20), 12)
    workers: int = slider("workers", range(1, MOST_WORKERS + 1), 4)
    seed: int = slider("seed of the times", range(1, 4), 1)
    step: int = steps("step", lambda settings: ends(settings) + 2)


def manifests(number: int = 4) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    names = node_names(number)
    made = [service("web", {"app": "web"}), *(_node(i, name) for i, name in enumerate(names))]
    for i, name in enumerate(names):
        cpu, memory, web, *_ = RUNNING[i % len(RUNNING)]
        letter = name.removeprefix("node-")
        made.append(pod(f"other-{letter}", name, f"{cpu}m", labels={"app": "other"}, memory=f"{memory}Mi"))
        made += [pod(f"web-{letter}{n + 1}", name, "250m", labels={"app": "web"}, memory="512Mi") for n in range(web)]
    made.append(pod("cache", names[0], "250m", labels={"app": "cache"}, memory="256Mi"))
    return [*made, pod("web-new", "", "500m", labels={"app": "web"}, memory="1Gi", affinity=wishes())]


def node_names(number: int) -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord('a') + i)}" for i in range(number)]


def _node(i: int, name: str) -> Manifest:
    *_, taints, disk, rack, image = RUNNING[i % len(RUNNING)]
    made = node(name, 4, "16Gi", {"disk": disk, "rack": rack}, [TAINT, OLD][:taints])
    if image:
        made["status"]["images"] = [{"names": ["example/app:1"], "sizeBytes": 600 * MIB}]
    return made


def wishes() -> dict[str, Any]:
    """The pod's preferences: fast disks, and the rack of the cache."""
    disks = [(20, "ssd"), (50, "nvme")]
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    near = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "rack"}
    return {
        "nodeAffinity": {
            preferred: [
                {
                    "weight": weight,
                    "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": [disk]}]},
                }
                for weight, disk in disks
            ]
        },
        "podAffinity": {preferred: [{"weight": 10, "podAffinityTerm": near}]},
    }


def as_yaml(settings: Settings) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return testing.as_yaml(manifests(settings.nodes))


@lru_cache
def decide(nodes: int = 4) -> Decision:
    """v1.16's decision for the new pod."""
    return schedule(NEW, Cluster(decode_objects(manifests(nodes)), V1_16.api), V1_16)


def costs(nodes: int, seed: int) -> list[int]:
    """Ticks that Map takes for each node: 1 to 4."""
    rng = random.Random(f"{nodes} nodes, seed {seed}")
    return [rng.randint(1, 4) for _ in range(nodes)]


def hand_out(costs: Sequence[int], workers: int) -> list[Piece]:
    """The worker of each node, with its first and last tick. The first free worker takes the next index."""
    free = [(0, worker) for worker in range(1, min(workers, len(costs)) + 1)]
    pieces = []
    for index, cost in enumerate(costs):
        tick, worker = heapq.heappop(free)
        pieces.append(Piece(index, worker, tick, tick + cost))
        heapq.heappush(free, (tick + cost, worker))
    return pieces


def pieces(settings: Settings) -> list[Piece]:
    """The spans of work with these settings."""
    return hand_out(costs(settings.nodes, settings.seed), settings.workers)


def written(settings: Settings) -> dict[tuple[int, int], list[int]]:
    """By (position of the algorithm, node): the workers that have written this cell so far."""
    return writers(pieces(settings), len(mapped(decide(settings.nodes))), settings.step)


def ends(settings: Settings) -> int:
    """The tick after which Map ends and ParallelizeUntil returns."""
    return max(piece.end for piece in pieces(settings))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision, work, last = decide(settings.nodes), pieces(settings), ends(settings)
    stage = max(settings.step - last, 0)
    tick = min(settings.step, last)
    there = settings.step >= FUNCTION_TICKS or stage > 0
    sentence = describe(settings, decision, work)
    picture = draw_handing_out(decision, work, tick, stage, there, sentence)
    table, text = workers_table(decision, work, tick)
    grid = handing_out_text(decision, work, tick, stage, there)
    return View(picture, sentence, table, f"{sentence}\n{grid}\n{text}")


def describe(settings: Settings, decision: Decision, work: Sequence[Piece]) -> str:
    """The latest step as a sentence."""
    last, step = ends(settings), settings.step
    assert decision.scores is not None
    if step == 0:
        started = min(settings.workers, settings.nodes)
        few = "" if started == settings.workers else f", for there are no more nodes than {started}"
        holds = f"The channel holds the indices 0 to {settings.nodes - 1} and is closed"
        return f"{holds}; {count(started, 'worker')} will take them{few}."
    if step == last + 1:
        names = reduced(decision.scores)
        return f"After the last Map, Reduce has changed {count(len(names), 'row')}: {listing(names)}."
    if step == last + 2:
        return f"Scores × weights are added up, node by node, in one goroutine. {outcome(decision)}"
    taken = [f"W{piece.worker} takes {piece.node}" for piece in work if piece.start == step - 1]
    done = sum(piece.end <= step for piece in work)
    cells = f"{len(written(settings))} of {len(mapped(decision)) * settings.nodes} cells written"
    end = " The channel is empty and all workers are done: ParallelizeUntil returns." if step == last else ""
    news = ", ".join(taken) or "nobody takes a new node"
    return f"Tick {step}: {news}; {done} of {settings.nodes} nodes done, {cells}.{end}"


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml)


def which_worker() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "Four workers, twelve nodes. Who fills the cells of node 8, the ninth?",
        {
            "worker 1: the nodes go round": "Only if all nodes took equally long. Nobody deals them out. Look.",
            "whoever is done first": "Yes: an index lies in the channel until a free worker takes it.",
            "all four together": "They would have to share a column. Each worker has a node for itself. Look.",
        },
    )
