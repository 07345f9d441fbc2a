"""The score map: settings -> Decision -> plugin x node by stage below the nodes, and the arithmetic of one cell.

The cluster is that of :mod:`kschedlab_lab.panels.score_cluster`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score_cluster import NODES, PLUGINS, WISHES, Cause, decide, manifests
from kschedlab_lab.panels.score_sights import FREE, NAMES, TAINTS, WISH, cards, fulfilled, shares
from kschedlab_lab.panels.settings import choice, steps
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import STAGES, SUM, bare, decided, number, signed, winners
from kschedlab_lab.views.score_bars import points
from kschedlab_lab.views.score_map import REWARDS, ScoreMap

MOST = 300
"""No setting leads to a higher sum: the bars keep their scale."""
NORMALISING = PLUGINS[1:]
"""The plugins with a NormalizeScore, in the order of the rows."""
EXAMPLES = {WISH: "node-c", TAINTS: "node-d"}
"""By plugin: the node whose cell is looked at when its row is normalised."""
COUNTS = REWARDS | {TAINTS: later("TaintToleration counts taints: the fewer, the better.")}
"""By plugin: what its raw scores are."""
BRINGS = {
    FREE: later("LeastAllocated gives 0 … 100 from the start."),
    WISH: later("NodeAffinity: the largest becomes 100."),
    TAINTS: later("TaintToleration is turned round: no taint becomes 100."),
}
"""By plugin: what normalising does to its row."""


@dataclass(frozen=True)
class Settings(Cause):
    """The inputs, the cell whose arithmetic is written out (``plugin`` or the sum), and the pass shown.

    ``LAST``: the last pass that the panel comes to; ``SHOWN``: the controls that it has.
    """

    LAST: ClassVar[int] = 3
    SHOWN: ClassVar[tuple[str, ...]] = ("tainted",)
    plugin: str = choice("plugin", (*PLUGINS, SUM), SUM)
    node: str = choice("node", NODES, "node-c")
    step: int = steps("pass", 3, 3)

    @property
    def stage(self) -> str:
        return STAGES[self.step]

    @property
    def pending(self) -> tuple[str, ...]:
        """The rows that are still raw, though others may have been normalised."""
        return () if self.step else NORMALISING

    @property
    def plugins(self) -> tuple[str, ...]:
        """The rows of the map."""
        return PLUGINS

    @property
    def looked(self) -> str:
        """The plugin whose cell is written out, or the sum."""
        return self.plugin


@dataclass(frozen=True)
class Raw(Settings):
    """The first pass alone. Each step brings one more row, which is looked at."""

    LAST = 0
    SHOWN = ("step",)
    plugin: str = choice("plugin", PLUGINS, PLUGINS[0], folded=True)
    step: int = steps("rows", len(PLUGINS) - 1, 0)

    @property
    def stage(self) -> str:
        return STAGES[0]

    @property
    def pending(self) -> tuple[str, ...]:
        return NORMALISING

    @property
    def plugins(self) -> tuple[str, ...]:
        return PLUGINS[: self.step + 1]

    @property
    def looked(self) -> str:
        return self.plugin if self.plugin in self.plugins else PLUGINS[self.step]

    def at(self, indices: Mapping[str, Any]) -> Raw:
        found = super().at(indices)
        if found.step == self.step:
            return found
        return replace(found, plugin=PLUGINS[found.step], node="node-d" if found.step else "node-b")


@dataclass(frozen=True)
class Normalised(Settings):
    """The first two passes. The second has a step for each row that it changes, which is looked at."""

    LAST = 1
    SHOWN = ("step", "fast")
    step: int = steps("step", len(NORMALISING), 1)

    @property
    def stage(self) -> str:
        return STAGES[min(self.step, 1)]

    @property
    def pending(self) -> tuple[str, ...]:
        return NORMALISING[self.step :]

    def at(self, indices: Mapping[str, Any]) -> Normalised:
        found = super().at(indices)
        plugin = NORMALISING[max(found.step - 1, 0)]
        return found if found.step == self.step else replace(found, plugin=plugin, node=EXAMPLES[plugin])


UP_TO = {STAGES[each.LAST]: each for each in (Raw, Normalised, Settings)}
"""By the last stage of a panel, its settings."""


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = sentences(_sentences(settings, decide(settings)))
    return View(
        picture(settings, said),
        said,
        Html(),
        said,
        idle={name: "" for name in ("fast", "step", "tainted") if name not in settings.SHOWN},
        names=winners(decide(settings)) if settings.stage == STAGES[-1] else {},
    )


def picture(settings: Settings, alt: str) -> ScoreMap:
    """The map at the stage of the settings, below the nodes."""
    decision = decide(settings)
    return ScoreMap(
        decision,
        settings.plugins,
        NODES,
        settings.stage,
        (settings.looked, settings.node),
        alt,
        most=MOST,
        full=decision.generation.max_node_score,
        bars=settings.LAST == 3,
        pending=settings.pending,
        cards=cards(settings, decision, settings.looked),
        rows=len(PLUGINS),
    )


def _sentences(settings: Settings, decision: Decision) -> tuple[str, ...]:
    """What is decided in the last stage; and of a plugin, what is in its cell."""
    plugin = settings.looked
    if settings.stage == STAGES[-1]:
        said = decided(bare(decision))
        return (said,) if plugin == SUM else (said, in_cell(settings))
    if plugin == SUM:
        return (say("The scores, before they are added up."),)
    return say((COUNTS if plugin in settings.pending or settings.LAST == 0 else BRINGS)[plugin]), in_cell(settings)


def in_cell(settings: Settings) -> str:
    """How the number in a plugin's cell came about, in words that name what the picture shows."""
    plugin, node = settings.looked, settings.node
    if plugin == FREE:
        return _mean(settings, node)
    raw, points = (_number(settings, stage, plugin, node) for stage in STAGES[:2])
    if plugin in settings.pending:
        return _wishes(settings, node, raw) if plugin == WISH else _taints(node, raw)
    most = max(_number(settings, STAGES[0], plugin, each) for each in NODES)
    if plugin == WISH:
        formula = later("{node}: {raw} × 100 / {most} = {points}, as {most} is the largest of the row.")
        return say(formula, node=node, raw=raw, most=most, points=points)
    if not most:
        return say("No node has a taint, so each of them gets 100.")
    return say("{node}: 100 − {raw} × 100 / {most} = {points}.", node=node, raw=raw, most=most, points=points)


def _number(settings: Settings, stage: str, plugin: str, node: str) -> int:
    return number(decide(settings), stage, plugin, node) or 0


def _mean(settings: Settings, node: str) -> str:
    """What LeastAllocated gives the node."""
    cpu, memory = shares(decide(settings), node)
    return say(
        "{node} gets ({cpu} + {memory}) / 2 = {points}.",
        node=node,
        cpu=cpu,
        memory=memory,
        points=_number(settings, STAGES[0], FREE, node),
    )


def _wishes(settings: Settings, node: str, raw: int) -> str:
    has = [say("{points} for {wish}", points=WISHES[wish], wish=say(NAMES[wish])) for wish in fulfilled(settings, node)]
    if not has:
        return say("{node} fulfils no wish and gets 0.", node=node)
    return say("{node} gets {raw}: {wishes}.", node=node, raw=raw, wishes=say(" and ").join(has))


def _taints(node: str, raw: int) -> str:
    return say("{node} has 1 taint." if raw else "{node} has no taint.", node=node)


def panel(last: str = STAGES[-1], **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. A click selects a cell.

    ``last``: the stage to show, and the last one that it comes to, where those after it would give something away.
    """
    return Panel(UP_TO[last]().changed(**settings), show, manifests)


def the_least() -> Question[Settings]:
    """Which node LeastAllocated gives least."""

    def right(settings: Settings) -> str:
        return min(NODES, key=lambda node: _number(settings, STAGES[0], FREE, node))

    def why(settings: Settings, answer: str) -> str:
        return sentences(_mean(settings, node) for node in dict.fromkeys((answer, right(settings))))

    def asked(settings: Settings) -> ScoreMap:
        sheet = _sheet(settings, say("Which node gets the fewest points?"), STAGES[0])
        return replace(sheet, selected=None, asks=NODES, unknown=FREE)

    return Question(say("Which node gets the fewest points?"), NODES, right, why, asked, drawn=True)


def _sheet(settings: Settings, alt: str, stage: str) -> ScoreMap:
    """The map at this stage, on which an answer is looked for."""
    return replace(picture(settings, alt), stage=stage)


def without_the_disk() -> Question[Settings]:
    """What normalising makes of the same raw score, once the largest of the row is another one."""

    def slow(settings: Settings) -> Settings:
        return settings.changed(fast=False)

    def right(settings: Settings) -> str:
        return str(_number(slow(settings), STAGES[1], WISH, settings.node))

    def why(settings: Settings, answer: str) -> str:
        most = max(_number(slow(settings), STAGES[0], WISH, each) for each in NODES)
        raw, points = _number(settings, STAGES[0], WISH, settings.node), right(settings)
        slips = {
            str(_number(settings, STAGES[1], WISH, settings.node)): later("{answer} was with the fast disk."),
            str(raw): later("{answer} is the raw score."),
        }
        known = say(slips[answer], answer=answer) if answer in slips else ""
        largest = say(
            "{most} is the largest of the row now: {raw} × 100 / {most} = {points}.", most=most, raw=raw, points=points
        )
        return sentences((known, largest))

    def raw(settings: Settings) -> ScoreMap:
        """The raw scores without the disk."""
        sheet = _sheet(slow(settings), say("The raw scores without the fast disk"), STAGES[0])
        return replace(sheet, pending=NORMALISING)

    asked = say("node-d's fast disk fails. node-c's 20 was worth 33. What is it now?")
    return Question(asked, (), right, why, raw, most=100, shows=slow, moment=True)


def who_wins() -> Question[Settings]:
    """Which node has the highest sum? Asked beside the scores."""

    def sum_of(settings: Settings, node: str) -> int:
        return points(decide(settings), node) or 0

    def right(settings: Settings) -> str:
        return max(NODES, key=lambda node: sum_of(settings, node))

    def why(settings: Settings, answer: str) -> str:
        best = right(settings)
        others = [node for node in NODES if node != best]
        if answer == best and not any(all(scores(settings, node)) for node in others):
            return say("{node} is the only one with points in every row.", node=best)
        other = max(others, key=lambda node: sum_of(settings, node)) if answer == best else answer
        return say(
            "{other} against {best}, row by row: {rows}. Together {more}.",
            best=best,
            other=other,
            rows=listed(ahead_by(settings, other, best)),
            more=signed(sum_of(settings, other) - sum_of(settings, best)),
        )

    def scores(settings: Settings, node: str) -> list[int]:
        return [_number(settings, STAGES[2], plugin, node) for plugin in PLUGINS]

    def ahead_by(settings: Settings, node: str, other: str) -> list[str]:
        rows = zip(PLUGINS, scores(settings, node), scores(settings, other), strict=True)
        return [f"{short(plugin)} {signed(more - less)}" for plugin, more, less in rows if more != less]

    def weighted(settings: Settings) -> ScoreMap:
        return replace(_sheet(settings, say("The scores of four nodes."), STAGES[2]), selected=None, asks=NODES)

    asked = say("All three rows are added up. Where does shop-new go?")
    return Question(asked, NODES, right, why, weighted, drawn=True)
