"""A pod at the gate of a node: five things that can be in its way, and v1.16's predicates asked in their order.

web asks for 2 CPU, host port 8080 and the GCE disk disk-1 (to write). node-a has 4 CPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision, NodeVerdict
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import Scheduler
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, switch
from kschedlab_lab.views.drawing import Block, Box, Number
from kschedlab_lab.views.gate import Fact, Gate, Lock, draw_gate
from kschedlab_lab.views.svg import Room

NODE = "node-a"
ORDER = tuple(each.name for each in V1_16.filters)
"""v1.16's predicates in the order in which they are asked."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What is in the way on node-a."""

    cordon: bool = switch("node-a is cordoned")
    busy: bool = switch("busy takes 2.5 CPU", True)
    port: bool = switch("proxy uses port 8080")
    disk: bool = switch("db writes to disk-1")
    taint: bool = switch("node-a is tainted")


class Obstacle(NamedTuple):
    """``by``: the predicate that sees it; ``kind``: its icon; ``wants``: what web wants; ``has``: what is on node-a."""

    by: str
    kind: str
    wants: str
    has: str


OBSTACLES: Mapping[str, Obstacle] = {
    "cordon": Obstacle("CheckNodeUnschedulable", "host", later("any node"), later("cordoned")),
    "busy": Obstacle("GeneralPredicates", "cpu", "2 CPU", later("busy: 2.5 CPU")),
    "port": Obstacle("GeneralPredicates", "port", later("host port 8080"), "proxy: 8080"),
    "disk": Obstacle("NoDiskConflict", "disk", later("writes disk-1"), "db: disk-1"),
    "taint": Obstacle("PodToleratesNodeTaints", "taint", later("tolerates nothing"), later("taint gpu")),
}
"""By name."""
SEEN = tuple(dict.fromkeys(each.by for each in OBSTACLES.values()))
"""The predicates that see an obstacle."""


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests; the last one is the pod ``web``."""
    taints = [{"key": "gpu", "effect": "NoSchedule"}] if settings.taint else []
    there = node(NODE, taints=taints)
    there.setdefault("spec", {})["unschedulable"] = settings.cordon
    disk = {"name": "disk", "gcePersistentDisk": {"pdName": "disk-1"}}
    pods = [
        *([pod("busy", NODE, "2500m", start=8 * HOUR)] if settings.busy else []),
        *([with_port(pod("proxy", NODE, 0, start=8 * HOUR))] if settings.port else []),
        *([pod("db", NODE, 0, volumes=[disk], start=8 * HOUR)] if settings.disk else []),
    ]
    return [there, *pods, with_port(pod("web", "", 2, volumes=[disk]))]


def with_port(made: Manifest, protocol: str = "TCP") -> Manifest:
    """The pod, which requests (or uses) host port 8080."""
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080, "protocol": protocol}]
    return made


def judged(made: list[Manifest]) -> Decision:
    """v1.16's decision for the last pod, without preemption; every predicate is asked."""
    cluster = Cluster(decode_objects(made[:-1]), V1_16.api)
    (web,) = decode_objects(made[-1:]).pods
    return Scheduler(cluster, V1_16, exhaustive=True).cycle(cluster.info(web))


@cache
def decide(settings: Settings) -> NodeVerdict:
    """v1.16's verdict on node-a."""
    return judged(manifests(settings)).verdict(NODE)


def asked(settings: Settings) -> Sequence[str]:
    """Of the predicates that are drawn, those that are asked: the first that refuses is the last."""
    refuses = decide(settings).plugin
    return SEEN if refuses is None else SEEN[: SEEN.index(refuses) + 1]


def draw(settings: Settings, room: Room, upto: int | None = None, alt: str = "", asks: bool = False) -> Html:
    """The pod, the predicates and the node, after ``upto`` predicates were asked; None: after the decision.

    ``asks``: nothing can be changed.
    """
    verdict = decide(settings)
    done = asked(settings)[:upto]
    there = upto is None and verdict.passes
    web = Block("web", 2000, 0, (Number("2 CPU"),), "placed" if there else "")
    busy = (Block("busy", 2500, 0, (Number("2.5 CPU"),)),) if settings.busy else ()
    refused = listed(verdict.reasons) if upto is None else ""
    gate = Gate(
        tuple(_lock(settings, predicate, predicate in done, asks) for predicate in SEEN),
        () if there else (web,),
        Box(NODE, 4000, (*busy, web) if there else busy, chosen=there, refused=refused),
    )
    return draw_gate(gate, alt or sentence(settings), room)


def _lock(settings: Settings, predicate: str, done: bool, asks: bool) -> Lock:
    """A predicate's row. ``done``: it has been asked."""
    refuses = done and predicate == decide(settings).plugin
    facts = []
    for name, each in OBSTACLES.items():
        if each.by == predicate:
            there = getattr(settings, name)
            sets = f"{name}: {'off' if there else 'on'}"
            facts.append(Fact(name, each.kind, say(each.wants), say(each.has), there, there and refuses, sets))
    return Lock(predicate, "✕" if refuses else "✓" if done else "", tuple(facts), asks)


def sentence(settings: Settings) -> str:
    """Who refuses, and why."""
    verdict = decide(settings)
    if verdict.plugin is None:
        return say("All {number} predicates let web onto {node}.", number=len(ORDER), node=NODE)
    first = say("{predicate} refuses {node}.", predicate=verdict.plugin, node=NODE)
    reason = say("The reason: “{reasons}”.", reasons=listed(verdict.reasons))
    also = say("Not asked, but would refuse too: {predicates}.", predicates=listed(verdict.also))
    return sentences((first, reason, also if verdict.also else ""))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = sentence(settings)
    return View(partial(draw, settings), said, Html(), said, story=partial(story, settings))


def story(settings: Settings, room: Room) -> list[Frame]:
    """One predicate after the other is asked."""
    first = later("podFitsOnNode has {number} predicates to ask about {node}; the first {drawn} are drawn.")
    told = [say(first, number=len(ORDER), node=NODE, drawn=len(SEEN))]
    told += [say("{predicate}: nothing is in the way.", predicate=each) for each in asked(settings)]
    if not decide(settings).passes:
        told.pop()
    frames = [Frame(draw(settings, room, upto), said) for upto, said in enumerate(told)]
    return [*frames, Frame(draw(settings, room), sentence(settings))]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "gate.panel()")


def how_many_reasons() -> Question[Settings]:
    """The question before the panel: how many of the things in the way are named."""
    waits = say("web waits, and no predicate has been asked yet.")
    return Question(
        say("Three things on node-a are in web's way. How many does its FitError name?"),
        ("1", "2", "3"),
        lambda settings: str(len(decide(settings).reasons)),
        _why,
        lambda settings: partial(draw, settings, upto=0, alt=waits, asks=True),
        way=lambda settings: [partial(draw, settings, upto=upto) for upto in range(1, len(asked(settings)))],
    )


def _why(settings: Settings, answer: str) -> str:
    error = say("The error: “{reasons}”.", reasons=listed(decide(settings).reasons))
    if answer == "1":
        return sentences((say("GeneralPredicates is the first that refuses, but it asks all its parts."), error))
    return sentences(
        (say("GeneralPredicates refuses, so no predicate below it is asked: the taint isn't named."), error)
    )
