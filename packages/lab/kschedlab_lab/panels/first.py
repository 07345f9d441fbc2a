"""The first stage of the course: resize a pod, and another node is chosen.

Four nodes of different sizes, some with pods on them. A small pod fits everywhere; a large one fits nowhere, and its
priority decides whether others leave for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.first import draw_first
from kschedlab_lab.views.picture import colours, decided_and_why
from kschedlab_lab.views.score import together
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


WHICH = Settings(5000, 900)
"""Of these settings it is asked which node is taken."""


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
    idle = {} if decision.preemption is not None else {"priority": say("no effect: web fits")}
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


def where() -> Question[Settings]:
    """Where can others leave for web? A click on a node answers."""

    def right(settings: Settings) -> str:
        decision = decide(settings)
        return decision.node or decision.nominated_node or ""

    def why(settings: Settings, answer: str) -> str:
        decision = decide(settings)
        if decision.preemption is None or decision.nominated_node is None:
            return said(decision)
        node = decision.nominated_node
        gone = [each.pod.metadata.name for each in decision.preemption.victims]
        enough = say("On {node} it is enough that {pods} leave.", node=node, pods=_ranked(gone))
        stay = [name for name in PODS if _blocks(name, settings)]
        others = (say("On {node}, {pod} stays.", pod=_ranked([name]), node=PODS[name][0]) for name in stay)
        return sentences((enough, *others))

    def before(settings: Settings) -> Any:
        alone = replace(decide(settings), preemption=None)
        return lambda room: draw_first(alone, say("web waits, and no node has room."), room, STEP, {}, {}, NODES)

    asked = say("Where can enough pods leave to make room for web?")
    return Question(asked, tuple(NODES), right, why, before, drawn=True)


def best() -> Question[Settings]:
    """Which node with room gets the highest score? A click on it answers."""

    def right(settings: Settings) -> str:
        return decide(settings).node or ""

    def why(settings: Settings, answer: str) -> str:
        share = {name: say("{share} %", share=100 * free // NODES[name]) for name, free in _left(settings).items()}
        if answer not in share:
            return say("{node} has no room for web: it is filtered out.", node=answer)
        node = right(settings)
        other = next(name for name in (answer, *share) if name != node)
        stays = later("On {node} {share} of its CPU stay free, on {other} only {less}.")
        return say(stays, node=node, share=share[node], other=other, less=share[other])

    def before(settings: Settings) -> Any:
        open_yet = replace(decide(settings), scores=None, node=None)
        return lambda room: draw_first(open_yet, say("web waits for a node."), room, STEP, {}, {}, NODES)

    return Question(say("Which node has the highest score for web?"), tuple(NODES), right, why, before, drawn=True)


def which() -> Question[Settings]:
    """Which of the nodes where enough pods can leave is taken? A click on it answers."""

    def candidates(settings: Settings) -> dict[str, list[str]]:
        preemption = decide(settings).preemption
        there = {} if preemption is None else preemption.candidates
        return {name: [each.pod.metadata.name for each in found.victims] for name, found in there.items()}

    def why(settings: Settings, answer: str) -> str:
        found, node = candidates(settings), decide(settings).nominated_node
        if node is None or answer not in found:
            return said(decide(settings))
        leaves = later("On {node} the most important pod that would leave has priority {priority}.")
        told = [say(leaves, node=each, priority=max(PODS[name][2] for name in found[each])) for each in {answer, node}]
        return sentences(sorted(told))

    def before(settings: Settings) -> Any:
        preemption = decide(settings).preemption
        open_yet = replace(decide(settings), preemption=preemption and replace(preemption, chosen=None))
        names, told = tuple(candidates(settings)), say("web waits: these pods would leave for it.")
        return lambda room: draw_first(open_yet, told, room, STEP, {}, {}, names)

    asked = say("Several nodes can make room for web. Which one does it take?")
    names = tuple(candidates(WHICH))
    return Question(asked, names, lambda settings: decide(settings).nominated_node or "", why, before, drawn=True)


def _left(settings: Settings) -> dict[str, int]:
    """What stays free on each node that takes web, in milli CPU."""
    used = {name: sum(size for on, size, _ in PODS.values() if on == name) for name in NODES}
    left = {name: cpu - used[name] - settings.request for name, cpu in NODES.items()}
    return {name: free for name, free in left.items() if free >= 0}


def _ranked(names: Sequence[str]) -> str:
    """Pods with their priorities."""
    return together([f"{name} ({PODS[name][2]})" for name in names])


def _blocks(name: str, settings: Settings) -> bool:
    """Whether the pod is too important to leave, and without it web would have room on its node."""
    node, cpu, priority = PODS[name]
    rest = NODES[node] - sum(size for on, size, rank in PODS.values() if on == node and rank >= settings.priority)
    return priority >= settings.priority and rest < settings.request <= rest + cpu


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "first.panel()")
