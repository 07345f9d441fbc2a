"""The smallest score: two nodes, two plugins, and a wish that is weighed against free room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.preferences import labelled, preferring
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score_cluster import DISK
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.drawing import Box, arrange, shapes
from kschedlab_lab.views.layout import Part, column, padded, row, words
from kschedlab_lab.views.picture import Handles, boxes, boxes_before
from kschedlab_lab.views.score import STAGES, decided, number, total, winners
from kschedlab_lab.views.score_bars import fills, sum_bars, unknown
from kschedlab_lab.views.svg import Room, rect, svg

NEW = "default/web"
NODES = ("node-a", "node-b")
ROOM, WISH = "NodeResourcesLeastAllocated", "NodeAffinity"
WEIGHTS, MOST = (1, 2, 3), 225
"""Those of free room, and the highest sum that one of them leads to."""
NAMES, HIGH, GAP, KEY, WIDE = 90, 30, 8, 24, 320
"""The width of the bars' names, the height of a bar, what parts two, the height of what the colours mean, and the
greatest width of a node."""


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
    said, bars = decided(decision), sum_bars(decision, NODES, behind=False, most=MOST)
    return View(partial(draw, boxes(decision), bars, said), said, Html(), said, names=winners(decision))


def before(settings: Settings) -> Any:
    """Web waits beside its two nodes: a click on a node picks it."""
    decision = decide(settings)
    waiting = boxes_before(decision, Handles(nodes={name: {"data_pick": name} for name in NODES}))
    return partial(draw, waiting, unknown(NODES, MOST), say("Two nodes, and a pod waits."))


def draw(boxes: Sequence[Box], bars: Bars, alt: str, room: Room) -> Html:
    """The nodes with their disks, and below them the bars of their sums."""
    disks = {"node-a": (say("slow disk"),), "node-b": (say("fast disk"),)}
    named = [replace(box, captions=disks.get(box.name, ())) for box in boxes]
    asked = [replace(box, marks={"data_pick": box.name}, tied=True) for box in named]  # as large for all
    plan = arrange(asked, room, len(NODES) * (HIGH + GAP) + GAP + KEY, most=WIDE)
    sums = BarMeasures(bars, Room(room.width, 0), Fixed(NAMES, HIGH, GAP))
    nodes = Part(plan.width, plan.bottom, tuple(shapes(named, plan, "cpu")))
    whole = column([nodes, Part(sums.wide, sums.bottom, tuple(sums.shapes())), padded(_key(), GAP, 2)], 0)
    return svg(whole.shapes, room.width, whole.height, alt)


def _key() -> Part:
    """Which colour is whose."""
    meant = {ROOM: say("LeastAllocated: room"), WISH: say("NodeAffinity: disk")}
    colours = fills(meant)
    said = ((Part(10, 10, (rect(10, 10, 3, fill=colours[each]),)), words(meant[each])) for each in meant)
    return row([row(each, 6) for each in said], 20)


def which() -> Question[Settings]:
    """Room or the wish?"""

    def right(settings: Settings) -> str:
        return decide(settings).node or ""

    def why(settings: Settings, answer: str) -> str:
        decision = decide(settings)
        (more, most), (few, less) = ([number(decision, stage, ROOM, each) for stage in STAGES[1:3]] for each in NODES)
        return say(
            "node-a gets {most} for the {more} % that web leaves free. node-b gets {less} for its {few} %, and another "
            "100 for the fast disk: {a} against {b}.",
            more=more,
            most=most,
            few=few,
            less=less,
            a=total(decision, "node-a"),
            b=total(decision, "node-b"),
        )

    return Question(say("web would like a fast disk. Where does it go?"), NODES, right, why, before, drawn=True)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "two.panel()")
