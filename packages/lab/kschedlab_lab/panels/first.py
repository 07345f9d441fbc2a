"""The first stage of the course: resize a pod, and another node is chosen.

Four nodes of different sizes, some with pods on them. A small pod fits everywhere; a large one fits nowhere, and its
priority decides whether others leave for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences, terms
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.words import amount
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.first import PHASES, Running, Scene, Target, draw_first
from kschedlab_lab.views.picture import colours, decided_and_why
from kschedlab_lab.views.svg import Room

GENERATION = GENERATIONS["v1.37"]
NODES = {"node-a": 2000, "node-b": 4000, "node-c": 8000, "node-d": 8000}
"""Milli CPU of each node."""
PODS = {
    "mail": ("node-b", 800, 300),
    "db": ("node-c", 2000, 800),
    "shop": ("node-c", 2000, 100),
    "logs": ("node-d", 1500, 400),
    "report": ("node-d", 2000, 300),
    "batch": ("node-d", 3000, 0),
}
"""By name: the node, the request in milli CPU, the priority."""
milli = partial(amount, "cpu")


@dataclass(frozen=True)
class Settings(Restorable):
    """What the pod ``web`` asks for, in milli CPU, and its priority."""

    request: int = slider("web asks for", range(500, 7001, 500), 1500, milli)
    priority: int = slider("web's priority", range(0, 1001, 100), 200)


def manifests(settings: Settings) -> list[Manifest]:
    """The nodes, their pods, and web."""
    return [
        *(node(name, f"{cpu}m", "8Gi") for name, cpu in NODES.items()),
        *(pod(name, on, f"{cpu}m", priority, 8 * HOUR) for name, (on, cpu, priority) in PODS.items()),
        pod("web", "", f"{settings.request}m", settings.priority),
    ]


def decide(settings: Settings, plugins: Sequence[object] = ()) -> Decision:
    """The decision of v1.37 for web. ``plugins``: those that join it."""
    cluster = Cluster(decode_objects(manifests(settings)), GENERATION.api)
    return schedule("default/web", cluster, GENERATION.plus(*plugins))


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    decision = decide(settings, plugins)
    sentence = said(decision)
    idle = {} if decision.preemption is not None else {"priority": say("not asked: web fits without evicting anybody")}
    return View(
        lambda room: picture(settings, decision, room),
        sentence,
        Html(),
        sentence,
        idle=idle,
        names=colours(decision),
        story=lambda room: story(settings, decision, room),
    )


def said(decision: Decision) -> str:
    """What was decided, and why, for somebody who has met no rule yet."""
    what, why = decided_and_why(decision)
    preemption = decision.preemption
    if preemption is None:
        return sentences((what, why))
    if decision.nominated_node is None:
        request = milli(decision.pod.request["cpu"])
        none = say("No node has {cpu} free, and none has enough pods of lower priority.", cpu=request)
        return sentences((what, none))
    highest = {name: max(each.priority for each in found.victims) for name, found in preemption.candidates.items()}
    chosen = decision.nominated_node
    others = [(priority, name) for name, priority in highest.items() if priority > highest[chosen]]
    if len(highest) == 1:
        why = say("Only {node} can make enough room.", node=chosen)
    elif others:
        most, other = min(others)
        there = later("There the most important pod to leave has {least}; on {other} it would have {most}.")
        why = say(there, least=highest[chosen], other=other, most=most)
    return sentences((what, why))


def chosen_by(decision: Decision) -> str:
    """The node that web goes to, or waits for; "" if there is none."""
    return decision.node or decision.nominated_node or ""


def targets(decision: Decision) -> tuple[Target, ...]:
    """The nodes as the decision sees them."""
    scores = decision.scores
    names = decision.cluster.names
    total = {} if scores is None else {names[n]: int(t) for n, t in zip(scores.nodes, scores.total, strict=True)}
    preemption = decision.preemption
    candidates = preemption.candidates if preemption is not None else {}
    return tuple(
        Target(
            name,
            cpu,
            tuple(Running(each, size, priority) for each, (on, size, priority) in PODS.items() if on == name),
            total.get(name),
            next(iter(decision.verdict(name).reasons), ""),
            tuple(victim.pod.metadata.name for victim in candidates[name].victims) if name in candidates else (),
        )
        for name, cpu in NODES.items()
    )


def picture(settings: Settings, decision: Decision, room: Room, phase: str = "chosen", handles: bool = True) -> Html:
    """The pod and the nodes. ``phase``: how much is known; ``handles``: whether the pod is a control."""
    request, priority = terms("drag it: what web asks for", "drag it: web's priority")
    asks = {"data_drag": "request", "data_axis": "y", "data_tip": request, "aria_label": "web"}
    ranks = {"data_drag": "priority", "data_axis": "x", "data_tip": priority, "aria_label": say("priority")}
    scene = Scene(
        Running("web", settings.request, settings.priority),
        targets(decision),
        chosen_by(decision),
        phase,
        asks if handles else {},
        ranks if handles else {},
    )
    return draw_first(scene, told(settings, decision)[phase], room)


def story(settings: Settings, decision: Decision, room: Room) -> list[Frame]:
    """The pod asks, the filters answer, scores or victims follow, and the pod goes to its node."""
    return [
        Frame(picture(settings, decision, room, phase, handles=phase == PHASES[-1]), words)
        for phase, words in told(settings, decision).items()
    ]


def told(settings: Settings, decision: Decision) -> dict[str, str]:
    """By phase: what happens in it."""
    preempts = decision.node is None and bool(decision.nominated_node)
    words = {
        "asks": say("web asks for {cpu}. Where does it go?", cpu=milli(settings.request)),
        "filter": say("Filter: which nodes have room?"),
        "score": say("No node has room, so pods of lower priority leave." if preempts else "Score: which is best?"),
        "chosen": said(decision),
    }
    if decision.scores is None and not preempts:
        del words["score"]
    return words


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join v1.37."""
    return Panel(Settings().changed(**settings), lambda each: show(each, plugins), manifests, "first.panel()")
