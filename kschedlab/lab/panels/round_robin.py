"""Equal nodes: settings -> a scheduler that decides pod after pod -> round robin.

The nodes are equal and each pod ends before the next arrives, so all nodes always share the highest score.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.map_reduce import node_names
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import Scheduler
from kschedlab.testing import Manifest, node, pod
from kschedlab.views.html import Html
from kschedlab.views.map_reduce import UNCHANGED, Cell, Row, draw_grid, grid_text, worker_fill
from kschedlab.views.words import count

PODS = 12
KINDS = ("web", "job")


@dataclass(frozen=True)
class Settings(Restorable):
    """The scheduler, the number of equal nodes, whether a job follows each web pod, and the seed of the draws."""

    generation: str = choice("generation", ("v1.13", "v1.16"), "v1.13")
    equals: int = choice("equal nodes", (2, 3, 4), 2)
    jobs: bool = switch("a job after each web pod")
    seed: int = slider("seed of the draws", range(1, 6), 1)


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, and a pod of each kind."""
    return [*(node(name) for name in node_names(settings.equals)), *(pod(kind, "", 1) for kind in KINDS)]


def as_yaml(settings: Settings) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    return testing.as_yaml(manifests(settings))


def decisions(settings: Settings) -> list[tuple[str, str]]:
    """The pods in order, each with its chosen node."""
    generation = GENERATIONS[settings.generation]
    cluster = Cluster(decode_objects(manifests(settings)), generation.api)
    scheduler = Scheduler(cluster, generation, rng=random.Random(settings.seed))
    found = []
    for number in range(PODS):
        kind = KINDS[number % 2 if settings.jobs else 0]
        found.append((kind, str(scheduler.cycle(cluster.pending[f"default/{kind}"]).node)))
    return found


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    found, names = decisions(settings), node_names(settings.equals)
    heads = [f"{kind} {number}" for number, (kind, _) in enumerate(found, 1)]
    rows = [Row(name, [_cell(kind, name == chosen) for kind, chosen in found]) for name in names]
    counts = Counter(node for kind, node in found if kind == KINDS[0])
    listed = ", ".join(f"{name} {counts[name]}" for name in names)
    how = "takes the best nodes in turn" if settings.generation == "v1.13" else "draws one of the best"
    webs = count(counts.total(), "web pod")
    sentence = f"{settings.generation} {how}; the {webs} went to: {listed}."
    return View(
        draw_grid(heads, rows, 50, sentence, 90), sentence, Html(), f"{sentence}\n{grid_text(['', *heads], rows)}"
    )


def _cell(kind: str, chosen: bool) -> Cell:
    if not chosen:
        return Cell()
    return Cell("●", "", worker_fill(1) if kind == KINDS[0] else UNCHANGED)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "turns.panel()")


def fair_turns() -> Prediction:
    """The prediction before jobs are interleaved."""
    return Prediction(
        "v1.13, two equal nodes: web pods and jobs come alternately. How are the web pods spread?",
        {
            "half and half": "That would be so if web pods had a counter for themselves. Whose counter is it? Look.",
            "all on one node": "Yes: the counter belongs to the scheduler, and the jobs move it on, too.",
            "at random": "That is how v1.16 does it. v1.13 counts.",
        },
    )
