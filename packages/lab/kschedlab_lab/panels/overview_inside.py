"""Filter, score, select: v1.16 and a pod to make larger, on three nodes of 5 CPU of which 1, 2 and 3 are taken.

Of each node's memory the same share is taken as of its CPU, so only one priority tells the nodes apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.drawing import EDGE, Block, Box, Number, remark
from kschedlab_lab.views.first import Pull, lacks
from kschedlab_lab.views.layout import moved
from kschedlab_lab.views.picture import colours
from kschedlab_lab.views.score import STAGES, number
from kschedlab_lab.views.score_bars import points
from kschedlab_lab.views.svg import Room, svg

CPU, MEMORY = 5, 20
"""What a node has; memory in GiB."""
USED = {"node-a": 1, "node-b": 2, "node-c": 3}
FREE, MOST = "LeastRequestedPriority", 10
"""The priority that tells these nodes apart, and the points of an empty node."""
NAMES = 64
"""The height of what stands below a node; in pixels."""
ASKS, FILTER, SCORE, CHOSEN = range(4)
"""What is known so far."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What the pod asks for."""

    cpu: int = slider("web asks for", range(1, CPU + 1), 1, lambda cpu: f"{cpu} CPU")


LONGEST = Settings(2)
"""Of these settings the picture says most about the scores."""


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them; a pod that fits nowhere lacks CPU alone."""
    nodes = (node(name, CPU, f"{MEMORY}Gi") for name in USED)
    others = (pod(f"jobs-{name[-1]}", name, cpu, start=8 * HOUR, memory=_memory(cpu)) for name, cpu in USED.items())
    return [*nodes, *others, pod("web", "", settings.cpu, memory=_memory(settings.cpu) if settings.cpu < CPU else None)]


def _memory(cpu: int) -> str:
    """As large a share of a node's memory as this is of its CPU."""
    return f"{MEMORY // CPU * cpu}Gi"


@cache
def decide(settings: Settings) -> Decision:
    """v1.16's decision for the pod ``web``."""
    return schedule("default/web", Cluster(decode_objects(manifests(settings)), V1_16.api), V1_16)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision, said = decide(settings), sentence(settings)
    return View(partial(draw, settings), said, Html(), said, names=colours(decision), story=partial(story, settings))


def sentence(settings: Settings) -> str:
    """The outcome, and why."""
    decision = decide(settings)
    if decision.node is None:
        return sentences((say("web fits on no node, and stays Pending."), decision.message))
    score = points(decision, decision.node)
    if score is None:
        return say("web goes to {node}: it fits on no other.", node=decision.node)
    return say("web goes to {node}: the highest score, {score}.", node=decision.node, score=score)


def draw(settings: Settings, room: Room, known: int = CHOSEN, alt: str = "", asks: bool = False) -> Html:
    """The pod beside the nodes, and on its node. ``asks``: the nodes are answers, and nothing can be changed."""
    edge = {"data_drag": "cpu", "aria_label": "web", "data_tip": say("drag it: what web asks for")}
    pod = Block("web", settings.cpu * 1000, 0, marks={} if asks else edge)
    sums = {shown: remark(_sums(shown), room.width - 2 * EDGE) for shown in (settings, LONGEST)}
    below = NAMES + sums[LONGEST].height + 6  # in every state
    most = 1000 * (CPU + max(USED.values()))
    plan = Pull(pod, 1000, [_box(settings, name, known, asks) for name in USED], room, below, 1000, most)
    more = [moved(sums[settings], EDGE, plan.base + NAMES)] if known >= SCORE else []
    return svg([*plan.drawn(tried=known > ASKS), *more], room.width, plan.base + below, alt or sentence(settings))


def _sums(settings: Settings) -> str:
    """What the score of the chosen node adds up; "" if there are no scores."""
    decision = decide(settings)
    if decision.scores is None or decision.node is None:
        return ""
    free, rest = _parts(decision, decision.node)
    full = min(_parts(decision, name)[1] for name in decision.names)
    summed = say(
        "{free}+{rest}: {left} of {cpu} CPU free gives {free} of {most} points; other rules give {rest}.",
        free=free,
        rest=rest,
        most=MOST,
        left=CPU - USED[decision.node] - settings.cpu,
        cpu=CPU,
    )
    return sentences(
        (summed, say("A full node gets {rest}, because it gets none for balance.", rest=full) if full < rest else "")
    )


def _parts(decision: Decision, node: str) -> tuple[int, int]:
    """The points for free room, and those of all other priorities."""
    free = int(number(decision, STAGES[2], FREE, node) or 0)
    return free, (points(decision, node) or 0) - free


def _box(settings: Settings, name: str, known: int, asks: bool) -> Box:
    """The node, with what is known of it."""
    decision, less = decide(settings), settings.cpu + USED[name] - CPU
    there: tuple[Block, ...] = (Block(f"jobs-{name[-1]}", USED[name] * 1000, 0, (Number(f"{USED[name]} CPU"),)),)
    if known == ASKS:
        return Box(name, CPU * 1000, there, marks={"data_pick": name} if asks else {})
    if less > 0:
        return Box(name, CPU * 1000, there, refused=lacks(less * 1000))
    chosen, score = known == CHOSEN and name == decision.node, points(decision, name)
    if chosen:
        web = Block("web", settings.cpu * 1000, 0, (Number(f"{settings.cpu} CPU"),), "placed", origin="ask")
        there = (*there, web)
    tried = 0 if chosen else settings.cpu * 1000
    if known == FILTER or score is None:
        return Box(name, CPU * 1000, there, (say("fits"),), chosen, tried=tried)
    says = (say("score {number}", number=score), "+".join(map(str, _parts(decision, name))))
    return Box(name, CPU * 1000, there, says, chosen, tried=tried)


def story(settings: Settings, room: Room) -> list[Frame]:
    """The filters answer, the nodes with room get a score, and the best is selected."""
    fits = listed(name for name, used in USED.items() if used + settings.cpu <= CPU) or say("none")
    passed = say("Filter: a node with less free CPU than web asks for is out. Still in: {nodes}.", nodes=fits)
    told = {ASKS: say("web waits for a node."), FILTER: passed}
    if decide(settings).scores is not None:
        told[SCORE] = say("Score: below each node you see its score, and below that the points that it adds up.")
    told[CHOSEN] = sentence(settings)
    return [Frame(draw(settings, room, known), words) for known, words in told.items()]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "inside.panel()")


def _why(settings: Settings, answer: str) -> str:
    node = str(decide(settings).node)
    free = {name: CPU - used - settings.cpu for name, used in USED.items()}
    if answer == node:
        message = later("On {node} the most CPU stays free, {free} of {cpu}: that gives the highest score.")
        return say(message, node=node, free=free[node], cpu=CPU)
    message = later(
        "There only {less} of {cpu} CPU would stay free. On {node} it is {free}: that gives the highest score."
    )
    return say(message, less=free[answer], node=node, free=free[node], cpu=CPU)


def where_to() -> Question[Settings]:
    return Question(
        say("web fits on all three nodes. Where does it go?"),
        tuple(USED),
        lambda settings: str(decide(settings).node),
        _why,
        lambda settings: partial(draw, settings, known=ASKS, alt=say("web waits for a node."), asks=True),
        way=lambda settings: [partial(draw, settings, known=known) for known in (FILTER, SCORE)],
    )
