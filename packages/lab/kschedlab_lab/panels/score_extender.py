"""The score map with an extender beside the scheduler: it scores one node more, or refuses one.

The cluster is that of :mod:`kschedlab_lab.panels.score_cluster`, the generation v1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import Node, Pod
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_configuration.extenders.extender import Extender
from kschedlab_configuration.extenders.plain import as_extender
from kschedlab_lab.panels import score
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score_cluster import NEW, NODES, Cause, cluster, manifests
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.score import STAGES, SUM, bare, decided, number
from kschedlab_lab.views.score_map import ScoreMap
from kschedlab_lab.views.svg import Room

OFF, SCORES, REFUSES = later("off"), later("scores"), later("refuses")


class Thermometer:
    """An extender that knows which racks are cool: it gives node-a 1 point of 10."""

    weight = 1

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, int]:
        """Node-a's rack is the coolest."""
        return {"node-a": 1}


class TooHot:
    """An extender that lets nothing more into node-c's rack."""

    name = "Thermometer"

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, str]:
        """The refused nodes, with the reason."""
        return {"node-c": "rack is too hot"}


EXTENDERS: dict[str, tuple[Extender, ...]] = {
    OFF: (),
    SCORES: (as_extender(Thermometer()),),
    REFUSES: (as_extender(TooHot()),),
}
NAME, AFFINITY = Thermometer.__name__, "InterPodAffinity"
ROWS = (*score.PLUGINS, NAME, SUM)


@dataclass(frozen=True)
class Settings(Restorable):
    """What the extender does, the stage shown, and the cell whose arithmetic is written out."""

    extender: str = choice("extender", (*EXTENDERS,), OFF)
    stage: str = slider("stage", STAGES, STAGES[3])
    plugin: str = choice("plugin", ROWS, SUM)
    node: str = choice("node", NODES, "node-a")


def decide(settings: Settings) -> Decision:
    """The decision of a scheduler with this extender."""
    return schedule(NEW, cluster(Cause()), V1_20.extended_by(*EXTENDERS[settings.extender]))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    cell = score.arithmetic(decision, settings.plugin, settings.node)
    sentence = sentences((decided(bare(decision)), _effect(settings, decision)))
    plain = decide(settings.changed(extender=OFF)) if settings.extender == REFUSES else None
    framed = AFFINITY if plain is not None and settings.plugin == SUM else ""
    return score.view(_map(settings, decision, sentence, before=plain, framed=framed), cell)


def _map(settings: Settings, decision: Decision, alt: str, **more: Any) -> ScoreMap:
    """The map with a row for the extender, which is empty while it gives no points."""
    selected = settings.plugin, settings.node
    return ScoreMap(decision, (*score.PLUGINS, NAME), NODES, settings.stage, selected, alt, most=score.MOST, **more)


def _effect(settings: Settings, decision: Decision) -> str:
    """What the extender does, in words."""
    if settings.extender == OFF:
        return say("No extender is asked.")
    if settings.extender == REFUSES:
        reasons = "; ".join(decision.verdict("node-c").reasons)
        return say('{name} refuses node-c after all filters accepted it: "{reasons}".', name=NAME, reasons=reasons)
    raw, points = number(decision, "raw", NAME, "node-a"), number(decision, "weighted", NAME, "node-a")
    return say(
        "{name} gives node-a {raw} of 10: {raw} × 10 × weight 1 = {points} points in the sum.",
        name=NAME,
        raw=raw,
        points=points,
    )


def who_is_left() -> Question[Settings]:
    """Which node wins if the extender refuses the best one?"""

    def right(settings: Settings) -> str:
        return decide(settings).node or ""

    def why(settings: Settings, answer: str) -> str:
        ours, before = decide(settings), decide(settings.changed(extender=OFF))
        was, now = (number(each, "normalised", AFFINITY, "node-d") for each in (before, ours))
        return say(
            "Normalising compares only the three that are left: node-d has the lowest {affinity} now, so its {was} "
            "becomes {now}.",
            affinity=AFFINITY,
            was=was,
            now=now,
        )

    return Question(
        say("The extender {name} refuses node-c. Where does shop-new go?", name=NAME),
        tuple(node for node in NODES if node != "node-c"),
        right,
        why,
        _before,
        looks=score.LOOKS,
    )


def _before(settings: Settings) -> Callable[[Room], Html]:
    """The map as it is without the extender."""
    plain = settings.changed(extender=OFF)
    drawn = _map(plain, decide(plain), say("The scores without the extender."), rail=False, won=False)
    return replace(drawn, selected=None)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: manifests(Cause()), "extender.panel()")
