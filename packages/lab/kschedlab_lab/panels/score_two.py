"""The smallest score: two nodes, two plugins, and a wish that is weighed against free room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score import arithmetic
from kschedlab_lab.panels.score_cluster import DISK
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.arithmetic import steps_html, steps_text
from kschedlab_lab.views.drawing import Block, Box
from kschedlab_lab.views.picture import caption, colours
from kschedlab_lab.views.score import STAGES, SUM, bare, number, score_map, total
from kschedlab_lab.views.score_map import Chip, ScoreMap, story
from kschedlab_lab.views.wishes import Wish, Wishes

NEW = "default/web"
NODES = ("node-a", "node-b")
ROOM, WISH = "NodeResourcesLeastAllocated", "NodeAffinity"
PLUGINS = (ROOM, WISH)
ROWS = (*PLUGINS, SUM)
WEIGHTS = (1, 2, 3)
CHOICE = later("free room counts")
LOOKS = ("stage", "plugin", "node")


@dataclass(frozen=True)
class Settings(Restorable):
    """The weight of free room, the stage shown, and the cell whose arithmetic is written out."""

    room: int = slider("weight of LeastAllocated", WEIGHTS, 1)
    stage: str = slider("stage", STAGES, STAGES[3])
    plugin: str = choice("plugin", ROWS, SUM)
    node: str = choice("node", NODES, "node-b")


def manifests(settings: Settings) -> list[Manifest]:
    """node-a is empty; node-b is half full, and has the fast disk that web would like."""
    term = {"matchExpressions": [{"key": DISK, "operator": "In", "values": ["fast"]}]}
    wish = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 40, "preference": term}]}
    return [
        node("node-a", 4, "8Gi", {DISK: "slow"}),
        node("node-b", 4, "8Gi", {DISK: "fast"}),
        pod("shop", "node-b", "2", memory="4Gi"),
        pod("web", "", "1", memory="2Gi", affinity={"nodeAffinity": wish}),
    ]


def generation(settings: Settings) -> Generation:
    """v1.20 with two of its plugins."""
    weights = {ROOM: settings.room, WISH: 1}
    scores = {plugin.name: plugin for plugin, _ in V1_20.scores}
    return replace(V1_20, scores=tuple((scores[name], weights[name]) for name in PLUGINS))


def decide(settings: Settings) -> Decision:
    """The scheduler's decision for web."""
    return schedule(NEW, Cluster(decode_objects(manifests(settings)), V1_20.api), generation(settings))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    cell = arithmetic(decision, settings.plugin, settings.node)
    sentence = sentences((caption(bare(decision)), _cell(settings, str(_wanted(settings, cell)))))
    chips = [Chip(f"× {each}", f"room: {each}", each == settings.room) for each in WEIGHTS]
    selected = settings.plugin, settings.node
    shown = ScoreMap(decision, PLUGINS, NODES, settings.stage, selected, sentence, chips=chips, choice=CHOICE)
    at = ROWS.index(settings.plugin), NODES.index(settings.node)
    text = "\n".join([sentence, score_map(decision, PLUGINS, NODES, settings.stage, at).text, steps_text(cell)])
    return View(
        shown,
        sentence,
        steps_html(cell),
        text,
        story=lambda room: [Frame(*each) for each in story(shown, room)],
        names=colours(decision),
    )


def _wanted(settings: Settings, cell: list[Any]) -> Any:
    return cell[-1] if settings.stage in STAGES[2:] else next(s for s in cell if s.what in (settings.stage, SUM))


def _cell(settings: Settings, wanted: str) -> str:
    return say("{plugin} on {node}: {wanted}.", plugin=say(settings.plugin), node=settings.node, wanted=wanted)


def before(settings: Settings) -> Wishes:
    """Web waits beside its two nodes: a click on a node picks it."""
    boxes = [
        Box("node-a", 4000, (), (say("slow disk"),), marks={"data_pick": "node-a"}),
        Box("node-b", 4000, (Block("shop", 2000, 0),), (say("fast disk"),), marks={"data_pick": "node-b"}),
    ]
    return Wishes(Block("web", 1000, 0), (Wish(later("a fast disk"), ""),), boxes, say("Two nodes, and a pod waits."))


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

    return Question(
        say("node-a is empty. node-b is half full, but has the fast disk that web would like. Where does web go?"),
        NODES,
        right,
        why,
        before,
        looks=LOOKS,
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. A click on a chip changes what free room counts."""
    return Panel(Settings().changed(**settings), show, manifests, "two.panel()")
