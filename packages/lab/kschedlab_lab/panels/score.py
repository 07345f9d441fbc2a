"""The score map: settings -> Decision -> plugin x node by stage, and the arithmetic of one cell.

The cluster is that of :mod:`kschedlab_lab.panels.score_cluster`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kschedlab.decision import Decision
from kschedlab.generations import V1_20
from kschedlab.messages import say, sentences
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.score_cluster import NODES, Cause, decide, manifests, shop as shop
from kschedlab_lab.panels.settings import choice, slider
from kschedlab_lab.views.arithmetic import leading_to, steps, steps_html, summed
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import STAGES, SUM, bare, decided, number, winners
from kschedlab_lab.views.score_formulas import Calculation
from kschedlab_lab.views.score_map import Asked, ScoreMap, story
from kschedlab_lab.views.svg import Room

PLUGINS = tuple(plugin.name for plugin, _ in V1_20.scores)
ROWS = (*PLUGINS, SUM)


MOST = 600
"""No setting leads to a higher sum: the bars keep their scale."""
LOOKS = ("stage", "plugin", "node")
"""The controls that choose what is shown, and decide nothing."""
SWITCHES = dict(zip(STAGES, ((), ("fast",), ("avoided",), ("tainted",)), strict=True))
"""By the stage that a panel is about, the switches that it has."""


@dataclass(frozen=True)
class Settings(Cause):
    """The inputs, the stage shown, and the cell whose arithmetic is written out (``plugin`` or the sum)."""

    stage: str = slider("stage", STAGES, STAGES[0])
    plugin: str = choice("plugin", ROWS, SUM)
    node: str = choice("node", NODES, "node-c")


def arithmetic(decision: Decision, plugin: str, node: str) -> list[Calculation]:
    """The arithmetic of this cell, or of the sum; empty if there is no such score."""
    scores = decision.scores
    if scores is None or decision.cluster.index[node] not in scores.nodes:
        return []
    if plugin == SUM:
        return [summed(bare(decision), node)]
    return steps(decision, plugin, node) if plugin in scores.plugins else []


def show(settings: Settings, until: str = STAGES[-1]) -> View:
    """The panel's view for these settings. ``until``: the last stage that a click goes to."""
    decision = decide(settings)
    node = decision.node if settings.plugin == SUM and decision.node else settings.node
    cell = arithmetic(decision, settings.plugin, node)
    sentence = sentences(_sentences(settings, cell, decision))
    idle = {name: "" for name in ("fast", "tainted", "avoided") if name not in SWITCHES[until]}
    return replace(view(picture(settings, decision, PLUGINS, sentence, until=until), cell), idle=idle)


def view(shown: ScoreMap, cell: Sequence[Calculation]) -> View:
    """The map with the arithmetic of a cell."""

    def frames(room: Room) -> list[Frame]:
        return [Frame(*each) for each in story(shown, room)]

    table = steps_html(cell) if cell else Html()
    names = winners(shown.decision) if shown.stage == STAGES[-1] else {}
    return View(shown, shown.alt, table, shown.alt, story=frames, names=names)


def picture(settings: Settings, decision: Decision, plugins: Sequence[str], alt: str, **more: Any) -> ScoreMap:
    """The map as a stage. ``more``: other fields of the map."""
    values = settings.controls()["cpu"].values
    handle = {"data_drag": "cpu", "data_axis": "x", "aria_label": say("the pod's CPU request")}
    if settings.stage == STAGES[-1]:
        handle["data_grab"] = f"plugin: {SUM}"  # what was in the frame is not what the new sums are about
    asked = Asked(say("shop-new asks {cpu}m", cpu=settings.cpu), values.index(settings.cpu), len(values), handle)
    selected = settings.plugin, settings.node
    return ScoreMap(decision, plugins, NODES, settings.stage, selected, alt, asked, most=MOST, **more)


def _sentences(settings: Settings, cell: list[Calculation], decision: Decision) -> tuple[str, ...]:
    """What is decided in the last stage; and of a plugin, what is in its cell."""
    said, node = decided(bare(decision)), settings.node
    veto = say("node-c is vetoed: a million points less.") if settings.avoided and settings.stage in STAGES[2:] else ""
    if settings.plugin == SUM:
        return said, veto
    points, formula = in_cell(cell, settings.stage)
    name = short(settings.plugin)
    gives = say("{plugin} gives {node} {number}", plugin=name, node=node, number=points)
    against = _against(settings, decision) if settings.stage == STAGES[2] else ""
    gives = say("{gives}, {against}", gives=gives, against=against) if against else gives
    framed = say("In the frame: {gives} ({formula}).", gives=gives, formula=formula)
    if settings.stage == STAGES[-1]:
        return said, veto, framed
    return (veto, framed) if veto else (say("{gives}.", gives=gives), say("{formula}.", formula=formula))


def _against(settings: Settings, decision: Decision) -> str:
    """How much more this is than the plugin gives the last node, or less than it gives the first."""
    given = {node: number(decision, settings.stage, settings.plugin, node) or 0 for node in NODES}
    mine, low, high = given[settings.node], min(given, key=given.__getitem__), max(given, key=given.__getitem__)
    if mine > given[low]:
        return say("{points:,} more than {node}", points=mine - given[low], node=low)
    return say("{points:,} less than {node}", points=given[high] - mine, node=high) if given[high] > mine else ""


def in_cell(cell: Sequence[Calculation], stage: str) -> tuple[str, str]:
    """The number in a plugin's cell, and the steps of this stage that lead to it."""
    shown = stage if stage in STAGES[:3] else STAGES[2]
    at = next(i for i, step in enumerate(cell) if step.what in (shown, SUM))
    shown_steps = leading_to(cell, at, STAGES)
    written = (f"{step} ({step.remark})" if step.remark and _needs_words(step) else str(step) for step in shown_steps)
    return cell[at].result, say("; ").join(written)


def _needs_words(step: Calculation) -> bool:
    """Whether the formula alone doesn't say what its numbers are."""
    return step.formula == step.result or (step.what == STAGES[0] and "/" not in step.formula)


def panel(until: str = "", **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. A click selects a cell.

    ``until``: the stage to show, and the last one that a click goes to, where those after it would give something away.
    """
    first = Settings().changed(**({"stage": until} if until else {}), **settings)
    return Panel(first, partial(show, until=until or STAGES[-1]), manifests)
