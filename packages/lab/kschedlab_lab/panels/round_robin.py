"""Equal nodes: settings -> a scheduler that decides pod after pod -> round robin.

The nodes are equal and each pod ends before the next arrives, so all nodes always share the highest score.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import listed, say
from kschedlab.scheduler import Scheduler
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.map_reduce import node_names
from kschedlab_lab.panels.prediction import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, steps, switch
from kschedlab_lab.views.cells import Cell, Row, grid_text
from kschedlab_lab.views.round_robin import Turns, draw_turns
from kschedlab_lab.views.svg import Room

PODS = 12
KINDS = ("web", "job")
NODES = (2, 3, 4)


@dataclass(frozen=True)
class Settings(Restorable):
    """The scheduler, the number of equal nodes, whether a job follows each web pod, the seed of the draws.

    ``step``: how many pods have their node.
    """

    generation: str = choice("generation", ("v1.13", "v1.16"), "v1.13")
    equals: int = choice("equal nodes", NODES, 2)
    jobs: bool = switch("jobs between")
    seed: int = slider("draws", range(1, 6), 1)
    step: int = steps("pod", PODS, PODS)


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, and a pod of each kind."""
    return [*(node(name) for name in node_names(settings.equals)), *(pod(kind, "", 1) for kind in KINDS)]


def decisions(settings: Settings, plugins: Sequence[object] = ()) -> list[tuple[str, str]]:
    """All pods in order, each with its chosen node. ``plugins``: those that join the generation."""
    first = replace(settings, step=0)
    return _scheduled(first, plugins) if plugins else _remembered(first)


@lru_cache(maxsize=128)
def _remembered(settings: Settings) -> list[tuple[str, str]]:
    return _scheduled(settings)


def _scheduled(settings: Settings, plugins: Sequence[object] = ()) -> list[tuple[str, str]]:
    generation = GENERATIONS[settings.generation].plus(*plugins)
    cluster = Cluster(decode_objects(manifests(settings)), generation.api)
    scheduler = Scheduler(cluster, generation, rng=random.Random(settings.seed))
    found = []
    for number in range(PODS):
        kind = KINDS[number % 2 if settings.jobs else 0]
        found.append((kind, str(scheduler.cycle(cluster.pending[f"default/{kind}"]).node)))
    return found


def turns(settings: Settings, plugins: Sequence[object] = ()) -> Turns:
    """The pods that have arrived by this step."""
    names, counts = node_names(settings.equals), settings.generation == "v1.13"
    return Turns(names, decisions(settings, plugins), settings.step, KINDS, counts, NODES)


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    now = turns(settings, plugins)
    heads = [f"{kind} {number}" for number, (kind, _) in enumerate(now.pods[: now.placed], 1)]
    rows = [
        Row(name, [Cell("●" if name == chosen else "") for _, chosen in now.pods[: now.placed]]) for name in now.nodes
    ]
    sentence = describe(settings, now)

    def story(room: Room) -> list[Frame]:
        moments = [replace(settings, step=step) for step in range(settings.step + 1)]
        shown = [(turns(each, plugins), describe(each, turns(each, plugins))) for each in moments]
        return [Frame(draw_turns(each, room, caption), caption) for each, caption in shown]

    idle = {"seed": say("v1.13 counts and draws nothing")} if now.counts else {}
    text = f"{sentence}\n{grid_text(['', *heads], rows)}" if heads else sentence
    return View(lambda room: draw_turns(now, room, sentence), sentence, Html(), text, idle, story)


def describe(settings: Settings, now: Turns) -> str:
    """The latest pod; at the end, how the web pods are spread."""
    how = say("takes the best nodes in turn") if now.counts else say("draws one of the best")
    if settings.step == 0:
        return say(
            "{pods} arrive one after the other; {generation} {how}.",
            pods=count(PODS, "pod"),
            generation=settings.generation,
            how=how,
        )
    if settings.step < PODS:
        kind, node = now.pods[settings.step - 1]
        turn = settings.step - 1
        why = f"{turn} % {len(now.nodes)} = {turn % len(now.nodes)}" if now.counts else say("it is drawn")
        what = say("a web pod") if kind == KINDS[0] else say("a job")
        return say("Pod {step}, {what}, goes to {node}: {why}.", step=settings.step, what=what, node=node, why=why)
    webs = {node: sum(kind == KINDS[0] for _, kind in now.got(node)) for node in now.nodes}
    spread = listed(f"{name} {got}" for name, got in webs.items())
    return say(
        "{generation} {how}. The {pods} went to: {nodes}.",
        generation=settings.generation,
        how=how,
        pods=count(sum(webs.values()), "web pod"),
        nodes=spread,
    )


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join the generation."""
    return Panel(Settings().changed(**settings), lambda settings: show(settings, plugins), manifests, "turns.panel()")


def fair_turns() -> Question[Settings]:
    """The question before jobs are interleaved: how many web pods does the second node get?"""

    def right(settings: Settings) -> str:
        return str(sum(kind == KINDS[0] for _, kind in turns(settings.changed(step=PODS)).got("node-b")))

    def why(settings: Settings, answer: str) -> str:
        whose = say("One counter serves all pods, and each job moves it on, too")
        if answer == right(settings):
            return say("{whose}: the web pods get the turns 0, 2, 4 and so on, all on node-a.", whose=whose)
        return say(
            "{whose}. The web pods get the turns 0, 2, 4 and so on: node-b gets {number} of them.",
            whose=whose,
            number=right(settings),
        )

    arrive = say("Web pods (squares) and jobs (discs) arrive alternately, and v1.13 takes the two nodes in turn.")
    return Question(
        say("{arrive} How many of the 6 web pods go to node-b?", arrive=arrive),
        (),
        right,
        why,
        lambda settings: lambda room: draw_turns(turns(settings.changed(step=0)), room, say("twelve pods wait")),
        most=PODS // 2,
    )
