"""The score map: settings -> Decision -> plugin x node by stage, and the arithmetic of one cell.

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
from kschedlab_lab.panels.score_cluster import NODES, PLUGINS, Cause, decide, manifests
from kschedlab_lab.panels.score_sights import CAUSES, EXAMPLES, sights
from kschedlab_lab.panels.settings import choice, steps
from kschedlab_lab.views import arithmetic
from kschedlab_lab.views.lettering import short, with_minus
from kschedlab_lab.views.score import STAGES, SUM, bare, decided, number, signed, winners
from kschedlab_lab.views.score_bars import points
from kschedlab_lab.views.score_map import REWARDS, ScoreMap

MOST = 500
"""No setting leads to a higher sum: the bars keep their scale."""
NORMALISING = PLUGINS[1:]
"""The plugins with a NormalizeScore, in the order of the rows."""
SIGHTS = 2
"""How many lines there are for what a plugin looks at."""


@dataclass(frozen=True)
class Settings(Cause):
    """The inputs, the cell whose arithmetic is written out (``plugin`` or the sum), and the pass shown.

    ``LAST``: the last pass that the panel comes to; ``SHOWN``: the controls that it has; ``FULL``: the points that
    fill a cell, what a plugin gives at most in that pass.
    """

    LAST: ClassVar[int] = 3
    FULL: ClassVar[int] = 200
    SHOWN: ClassVar[tuple[str, ...]] = ("tainted",)
    plugin: str = choice("plugin", (*PLUGINS, SUM), SUM)
    node: str = choice("node", NODES, "node-c")
    step: int = steps("pass", 3, 3)

    @property
    def stage(self) -> str:
        return STAGES[self.step]

    @property
    def rows(self) -> list[str]:
        """The rows that are normalised one after the other up to this step, if they are."""
        return []

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

    LAST, FULL = 0, 100
    SHOWN = ("step",)
    plugin: str = choice("plugin", PLUGINS, PLUGINS[0], folded=True)
    step: int = steps("rows", len(PLUGINS) - 1, 0)

    @property
    def stage(self) -> str:
        return STAGES[0]

    @property
    def plugins(self) -> tuple[str, ...]:
        return PLUGINS[: self.step + 1]

    @property
    def looked(self) -> str:
        return self.plugin if self.plugin in self.plugins else PLUGINS[self.step]

    def at(self, indices: Mapping[str, Any]) -> Raw:
        found = super().at(indices)
        plugin = PLUGINS[found.step]
        is_same = found.step == self.step
        return found if is_same else replace(found, plugin=plugin, node=EXAMPLES.get(plugin, "node-b"))


@dataclass(frozen=True)
class Normalised(Settings):
    """The first two passes. The second has a step for each row, and one more for the cell that is written out."""

    LAST, FULL = 1, 100
    SHOWN = ("step", "fast")
    step: int = steps("step", len(NORMALISING) + 1, len(NORMALISING) + 1)

    @property
    def stage(self) -> str:
        return STAGES[min(self.step, 1)]

    @property
    def rows(self) -> list[str]:
        return list(NORMALISING[: self.step]) if self.step <= len(NORMALISING) else []


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
    """The map at the stage of the settings; where it has no sums, with what its plugin looks at."""
    rows, decision = settings.rows, decide(settings)
    looked, has_sums = rows[-1] if rows else settings.looked, settings.LAST == 3
    return ScoreMap(
        decision,
        settings.plugins,
        NODES,
        settings.stage,
        (looked, settings.node),
        alt,
        most=MOST,
        full=settings.FULL,
        bars=has_sums,
        pending=NORMALISING[len(rows) :] if rows else (),
        sights=() if has_sums else sights(settings, decision, looked),
        sight_lines=0 if has_sums else SIGHTS,
        rows=len(PLUGINS),
    )


def _sentences(settings: Settings, decision: Decision) -> tuple[str, ...]:
    """What is decided in the last stage; and of a plugin, what is in its cell."""
    said, node = decided(bare(decision)), settings.node
    if settings.rows:
        plugin = settings.rows[-1]
        brings = say("{plugin} brings its row to 0 … 100.", plugin=plugin)
        formula = in_cell(settings.changed(plugin=plugin))[1]
        return brings, say("{node}: {formula}.", node=node, formula=formula)
    plugin = settings.looked
    if plugin == SUM:
        return (said,)
    points, formula = in_cell(settings)
    gives = say("{plugin} gives {node} {number}", plugin=short(plugin), node=node, number=points)
    if settings.stage == STAGES[-1]:
        because = say("{gives}: {formula}", gives=gives, formula=formula) if formula else gives
        return said, say("In the frame: {because}.", because=because)
    all_there = say("Now all rows are 0 … 100.") if settings.stage == STAGES[1] else ""
    if settings.LAST == 0:
        gives = say("It gives {node} {number}", node=node, number=points)
    if " = " in formula:
        gives, formula = say("{gives}: {formula}", gives=gives, formula=formula), ""
    how = say("{formula}.", formula=formula[:1].upper() + formula[1:]) if formula else ""
    if settings.LAST == 0:
        return say(REWARDS[plugin]), say(CAUSES.get(plugin, "")), say("{gives}.", gives=gives), how
    return all_there, say("{gives}.", gives=gives), how


def in_cell(settings: Settings) -> tuple[str, str]:
    """The number in a plugin's cell, and the steps that lead to it: those of this stage, or the last that count."""
    plugin = settings.looked
    found = arithmetic.steps(decide(settings), plugin, settings.node)
    raw, normalised, weighted = (i for i, step in enumerate(found) if step.what in STAGES)
    passes = STAGES.index(settings.stage)
    led = found[raw + 1 : normalised + 1] if passes and plugin in NORMALISING else found[: raw + 1]
    if passes > 1 and not found[weighted].formula.endswith(" × 1"):
        led += found[weighted:]
    return led[-1].result, say("; ").join(filter(None, map(_written, led)))


def _written(step: arithmetic.Calculation) -> str:
    """The formula, in words if it is no more than a number, and with them if it doesn't say what its numbers are."""
    if step.formula == step.result:
        return step.remark
    needs_words = step.remark and step.what == STAGES[0] and "/" not in step.formula
    written = with_minus(str(step))
    return f"{written} ({step.remark})" if needs_words else written


def panel(last: str = STAGES[-1], **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. A click selects a cell.

    ``last``: the stage to show, and the last one that it comes to, where those after it would give something away.
    """
    return Panel(UP_TO[last]().changed(**settings), show, manifests)


def the_least() -> Question[Settings]:
    """Which node the selected row gives least, its raw scores."""

    def scores(settings: Settings) -> dict[str, int]:
        found = {node: number(decide(settings), STAGES[0], settings.plugin, node) for node in NODES}
        return {node: points for node, points in found.items() if points is not None}

    def right(settings: Settings) -> str:
        given = scores(settings)
        return min(given, key=given.__getitem__)

    def why(settings: Settings, answer: str) -> str:
        return sentences(mean(settings, node) for node in dict.fromkeys((answer, right(settings))))

    def mean(settings: Settings, node: str) -> str:
        found = arithmetic.steps(decide(settings), settings.plugin, node)
        mean = next(step for step in found if step.what == STAGES[0])
        shares = [int(share.result) for share in found[: found.index(mean)]]
        gets = later("{node} gets {mean}, rounded down.") if sum(shares) % len(shares) else later("{node} gets {mean}.")
        return say(gets, node=node, mean=mean)

    def asked(settings: Settings) -> ScoreMap:
        sheet = _sheet(settings, say("Which node gets the fewest points?"), STAGES[0])
        return replace(sheet, selected=None, asks=NODES, unknown=settings.plugin)

    return Question(say("Which node gets the fewest points?"), NODES, right, why, asked, drawn=True)


def _sheet(settings: Settings, alt: str, stage: str) -> ScoreMap:
    """The map at this stage, on which an answer is looked for."""
    return replace(picture(settings, alt), stage=stage)


def without_the_disk() -> Question[Settings]:
    """What normalising makes of the same raw score, once the largest of the row is another one."""

    def slow(settings: Settings) -> Settings:
        return settings.changed(fast=False)

    def points(settings: Settings, stage: str, node: str) -> int:
        return number(decide(settings), stage, settings.plugin, node) or 0

    def right(settings: Settings) -> str:
        return str(points(slow(settings), STAGES[1], settings.node))

    def why(settings: Settings, answer: str) -> str:
        most = max(points(slow(settings), STAGES[0], each) for each in NODES)
        raw, found = points(settings, STAGES[0], settings.node), right(settings)
        slips = {
            str(points(settings, STAGES[1], settings.node)): later("{answer} is with the fast disk."),
            str(raw): later("{answer} is the raw score."),
        }
        known = say(slips[answer], answer=answer) if answer in slips else ""
        largest = say(
            "{most} is the largest of the row now: {raw} × 100 / {most} = {points}.", most=most, raw=raw, points=found
        )
        return sentences((known, largest))

    def raw(settings: Settings) -> ScoreMap:
        """The raw scores before the change: those of which the lesson computes an example."""
        return _sheet(settings, say("The raw scores"), STAGES[0])

    asked = say("node-d's fast disk fails: its 60 becomes 20. Normalised, node-c's 20 was 33. What is it now?")
    return Question(asked, (), right, why, raw, most=100, shows=slow, moment=True)


def who_wins() -> Question[Settings]:
    """Which of two nodes has the higher sum? Asked beside the weighted scores."""
    two = NODES[2:]

    def sums_of(settings: Settings) -> dict[str, int]:
        return {node: points(decide(settings), node) or 0 for node in two}

    def right(settings: Settings) -> str:
        return max(two, key=sums_of(settings).__getitem__)

    def why(settings: Settings, answer: str) -> str:
        sums, best = sums_of(settings), right(settings)
        other = next(node for node in two if node != best)
        return say(
            "{best} has {most}, {other} {less}. What {best} has more or less, row by row: {rows}. Together {more}.",
            best=best,
            most=sums[best],
            other=other,
            less=sums[other],
            rows=listed(ahead_by(settings, best, other)),
            more=signed(sums[best] - sums[other]),
        )

    def ahead_by(settings: Settings, node: str, other: str) -> list[str]:
        decision = decide(settings)
        given = [[number(decision, STAGES[2], plugin, each) or 0 for plugin in PLUGINS] for each in (node, other)]
        rows = zip(PLUGINS, *given, strict=True)
        return [f"{short(plugin)} {signed(more - less)}" for plugin, more, less in rows if more != less]

    def weighted(settings: Settings) -> ScoreMap:
        return replace(_sheet(settings, say("The weighted scores."), STAGES[2]), selected=None, asks=two)

    asked = say("Which has the higher sum, {one} or {other}?", one=two[0], other=two[1])
    return Question(asked, two, right, why, weighted, drawn=True)
