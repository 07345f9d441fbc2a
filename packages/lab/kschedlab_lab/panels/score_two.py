"""The smallest score: two nodes, two plugins, and a wish that is weighed against free room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.preferences import labelled, preferring
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score_cluster import DISK
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.drawing import Block, Box, Number
from kschedlab_lab.views.score import decided, number, total, winners
from kschedlab_lab.views.score_bars import sum_bars
from kschedlab_lab.views.wishes import Wish, Wishes, arriving

NEW = "default/web"
NODES = ("node-a", "node-b")
ROOM, WISH = "NodeResourcesLeastAllocated", "NodeAffinity"
WEIGHTS, MOST = (1, 2, 3), 225
"""Those of free room, and the highest sum that one of them leads to."""
WEB, WISHES = Block("web", 1000, 0), (Wish(later("fast disk"), ""),)


@dataclass(frozen=True)
class Settings(Restorable):
    """The weight of free room."""

    room: int = choice("free room counts ×", WEIGHTS, 1)


def manifests(settings: Settings) -> list[Manifest]:
    """node-a is empty; node-b is half full, and has the fast disk that web would like."""
    return [
        node("node-a", 4, "8Gi", {DISK: "slow"}),
        node("node-b", 4, "8Gi", {DISK: "fast"}),
        pod("shop", "node-b", "2", memory="4Gi"),
        pod("web", "", "1", memory="2Gi", affinity=preferring([labelled(40, DISK, "fast")])),
    ]


def generation(settings: Settings) -> Generation:
    """v1.20 with two of its plugins."""
    weights = {ROOM: settings.room, WISH: 1}
    scores = {plugin.name: plugin for plugin, _ in V1_20.scores}
    return replace(V1_20, scores=tuple((scores[name], weights[name]) for name in (ROOM, WISH)))


def decide(settings: Settings) -> Decision:
    """The scheduler's decision for web."""
    return schedule(NEW, Cluster(decode_objects(manifests(settings)), V1_20.api), generation(settings))


def show(settings: Settings) -> View:
    """Web on its node, and what the plugins give each."""
    decision = decide(settings)
    sentence = decided(decision)
    boxes = [_box(name, decision) for name in NODES]
    picture = Wishes(WEB, WISHES, boxes, sentence, sum_bars(decision, NODES, behind=False, most=MOST))
    return View(picture, sentence, Html(), sentence, names=winners(decision))


def _box(name: str, decision: Decision | None) -> Box:
    """A node with its disk and its pods, and after the decision with web, if it is there."""
    fast = name == "node-b"
    blocks = [Block("shop", 2000, 0, (Number("2 CPU"),))] if fast else []
    here = decision is not None and decision.node == name
    if here:
        blocks.append(arriving(WEB))
    tied = decision is not None and name in decision.best and len(decision.best) > 1
    lines = (say("fast disk") if fast else say("slow disk"),)
    marks = {"data_pick": name} if decision is None else {}
    return Box(name, 4000, tuple(blocks), lines, chosen=here, tied=tied, marks=marks)


def before(settings: Settings) -> Wishes:
    """Web waits beside its two nodes: a click on a node picks it."""
    boxes = [_box(name, None) for name in NODES]
    return Wishes(WEB, WISHES, boxes, say("Two nodes, and a pod waits."))


def which() -> Question[Settings]:
    """Room or the wish?"""

    def right(settings: Settings) -> str:
        return decide(settings).node or ""

    def why(settings: Settings, answer: str) -> str:
        decision = decide(settings)
        rooms = {each: number(decision, "weighted", ROOM, each) for each in NODES}
        return say(
            "node-a gets {most} for its free room. node-b gets {less}, and another 100 for the fast disk: "
            "{a} against {b}.",
            most=rooms["node-a"],
            less=rooms["node-b"],
            a=total(decision, "node-a"),
            b=total(decision, "node-b"),
        )

    return Question(say("Where does web go?"), NODES, right, why, before)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "two.panel()")
