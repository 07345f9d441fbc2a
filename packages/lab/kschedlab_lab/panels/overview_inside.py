"""Filter, score, select: v1.16 and a pod to make larger, on three nodes of 4 CPU of which 1, 2 and 3 are taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.bench import TALLEST
from kschedlab_lab.views.drawing import Block, Box, Number, draw as draw_boxes
from kschedlab_lab.views.picture import WAITING, colours
from kschedlab_lab.views.score_bars import points
from kschedlab_lab.views.svg import Room

CPU = 4
USED = {"node-a": 1, "node-b": 2, "node-c": 3}
ASKS, FILTER, SCORE, CHOSEN = range(4)
"""What is known so far."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What the pod asks for."""

    cpu: int = slider("web asks for", range(1, 5), 1, lambda cpu: f"{cpu} CPU")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    others = (pod(f"jobs-{name[-1]}", name, cpu, start=8 * HOUR) for name, cpu in USED.items())
    return [*map(node, USED), *others, pod("web", "", settings.cpu)]


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
    """The pod beside the nodes, or on its node. ``asks``: the nodes are answers, and nothing can be changed."""
    decision = decide(settings)
    about = {
        "data_drag": "cpu",
        "data_axis": "x",
        "data_step": "16",
        "aria_label": say("request of {name}", name="web"),
    }
    web = Block("web", settings.cpu * 1000, 0, (Number(f"{settings.cpu} CPU", {} if asks else about, "cpu"),))
    nodes = [_box(settings, name, known) for name in USED]
    if known == CHOSEN and decision.node is not None:
        web = replace(web, mark="placed")
        nodes = [replace(each, blocks=(*each.blocks, web)) if each.chosen else each for each in nodes]
    if asks:
        nodes = [replace(each, marks={"data_pick": each.name}) for each in nodes]
    waiting = () if any(each.chosen for each in nodes) else (web,)
    return draw_boxes([Box(WAITING, 0, waiting), *nodes], alt or sentence(settings), "cpu", room, _sums(), TALLEST)


def _sums() -> str:
    """What a score is."""
    return say("score: a sum of {number} functions, each 0 to 10", number=len(V1_16.scores) - 1)


def _box(settings: Settings, name: str, known: int) -> Box:
    """The node, with what is known of it."""
    decision, lacks = decide(settings), settings.cpu + USED[name] - CPU
    there = (Block(f"jobs-{name[-1]}", USED[name] * 1000, 0, (Number(f"{USED[name]} CPU"),)),)
    if known == ASKS:
        return Box(name, CPU * 1000, there)
    if lacks > 0:
        return Box(name, CPU * 1000, there, refused=say("lacks {cpu}", cpu=f"{lacks} CPU"))
    score = points(decision, name)
    says = say("fits") if known == FILTER or score is None else say("score {number}", number=score)
    return Box(name, CPU * 1000, there, (says,), known == CHOSEN and name == decision.node)


def story(settings: Settings, room: Room) -> list[Frame]:
    """The filters answer, the nodes with room get a score, and the best is selected."""
    told = {ASKS: say("web waits for a node."), FILTER: say("Filter: which nodes have room?")}
    if decide(settings).scores is not None:
        told[SCORE] = say("Score: which of them is best?")
    told[CHOSEN] = sentence(settings)
    return [Frame(draw(settings, room, known), words) for known, words in told.items()]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "inside.panel()")


def where_to() -> Question[Settings]:
    return Question(
        say("web fits on all three nodes. Where does it go?"),
        tuple(USED),
        lambda settings: str(decide(settings).node),
        lambda settings, answer: say("The emptiest node gets the highest score."),
        lambda settings: partial(draw, settings, known=ASKS, alt=say("web waits for a node."), asks=True),
    )
