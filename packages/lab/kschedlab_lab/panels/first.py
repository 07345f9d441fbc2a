"""The first stage of the course: resize a pod, and another node is chosen.

Four nodes of different sizes, some with pods on them. A small pod fits everywhere; a large one fits nowhere, and its
priority decides whether others leave for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences, terms
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.words import cpus
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.first import draw_first
from kschedlab_lab.views.picture import colours, decided_and_why
from kschedlab_lab.views.svg import Room

GENERATION = GENERATIONS["v1.37"]
NODES = {"node-a": 1500, "node-b": 5000, "node-c": 8000, "node-d": 8000}
"""Milli CPU of each node. Its score is 375 and the share of its CPU that stays free, in per cent."""
PODS = {
    "mail": ("node-b", 1500, 300),
    "db": ("node-c", 2000, 800),
    "shop": ("node-c", 2000, 100),
    "logs": ("node-d", 1500, 400),
    "report": ("node-d", 2000, 300),
    "batch": ("node-d", 3000, 0),
}
"""By name: the node, the request in milli CPU, the priority."""
STEP = 500
MEMORY = 4
"""MiB for each milli CPU, everywhere: the share of memory that stays free is that of CPU, so it isn't drawn."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What the pod ``web`` asks for, in milli CPU, and its priority."""

    request: int = slider("web asks for", range(STEP, 7000, STEP), 1500, cpus)
    priority: int = slider("web's priority", range(0, 1100, 100), 0)


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, their pods, and web."""
    return [
        *(node(name, f"{cpu}m", _memory(cpu)) for name, cpu in NODES.items()),
        *(_pod(name, on, cpu, priority, 8 * HOUR) for name, (on, cpu, priority) in PODS.items()),
        _pod("web", "", settings.request, settings.priority),
    ]


def _pod(name: str, on: str, cpu: int, priority: int, start: int | None = None) -> Manifest:
    return pod(name, on, f"{cpu}m", priority, start, memory=_memory(cpu))


def _memory(cpu: int) -> str:
    return f"{MEMORY * cpu}Mi"


def decide(settings: Settings) -> Decision:
    """The decision of v1.37 for web."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), GENERATION.api), GENERATION)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    sentence = said(decision)
    idle = {} if decision.preemption is not None else {"priority": say("not asked: web fits without evicting anybody")}
    return View(
        lambda room: picture(decision, sentence, room), sentence, Html(), sentence, idle=idle, names=colours(decision)
    )


def said(decision: Decision) -> str:
    """What was decided, and why, for somebody who has met no rule yet."""
    what, why = decided_and_why(decision)
    preemption, chosen = decision.preemption, decision.nominated_node
    if preemption is None:
        return sentences((what, why))
    if chosen is None:
        request = cpus(decision.pod.request["cpu"])
        none = say("No node has {cpu} free, and none has enough pods of lower priority.", cpu=request)
        return sentences((what, none))
    highest = {name: max(each.priority for each in found.victims) for name, found in preemption.candidates.items()}
    others = [(priority, name) for name, priority in highest.items() if priority > highest[chosen]]
    if len(highest) == 1:
        why = say("Only {node} can make enough room.", node=chosen)
    elif others:
        most, other = min(others)
        there = later("There the most important pod to leave has priority {least}; on {other} it would have {most}.")
        why = say(there, least=highest[chosen], other=other, most=most)
    return sentences((what, why))


def picture(decision: Decision, alt: str, room: Room) -> Html:
    """The pod and the nodes; the pod's edge and the knob of its priority are handles."""
    request, priority = terms("drag it: what web asks for", "drag it: web's priority")
    resize = {"data_drag": "request", "data_tip": request, "aria_label": "web"}
    rank = {"data_drag": "priority", "data_axis": "x", "data_tip": priority, "aria_label": say("priority")}
    return draw_first(decision, alt, room, STEP, resize, rank)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "first.panel()")
