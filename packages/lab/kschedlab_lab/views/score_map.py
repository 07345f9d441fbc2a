"""The score map as a stage: the stages as a rail, plugins x nodes as cells, and at the end the sums as stacked bars.

A plugin has one colour, in its cells and in the bars.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle, product
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.arithmetic import steps
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.chart_grid import Grid, GridCell, GridMeasures
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.score import STAGES, SUM, bare, lead, number, total
from kschedlab_lab.views.score_bars import NARROW, VETOES, fills, heights, sum_bars, vetoed
from kschedlab_lab.views.style import EVICTED_SOFT, HAIR, INK, PANEL, TICK, priority_fill
from kschedlab_lab.views.svg import Room, label, rect, svg

RAIL, RAIL_BESIDE, ASKED_HIGH, GAP, TOP = 24, 320, 24, 10, 32
"""Height of the rail; the least width of a rail beside the names of the plugins; the least height between a rail and
the map for the pod's request; what parts the rail and the map; the height of the nodes' names and of what is below the
map."""
NORMALISES = ("InterPodAffinity", "NodeAffinity", "PodTopologySpread", "TaintToleration")
"""The default plugins of v1.20 with a NormalizeScore."""
ASKED, NARROW_ASKED = 198, 160
"""The room for the names of plugins and the pod's request, in pixels; in a narrow room, too."""
FULL = 200
"""The points that fill a cell, at least: twice what a plugin gives at most, so that one sees a weight of 2."""
PACES = ((0, 0, 0, 0), (5, 2, 4, 3), (8, 5, 7, 6))
"""How far the workers have come in three moments, in eighths of their columns."""
BEFORE = dict(zip(STAGES, ("", *STAGES[:-1]), strict=True))


@dataclass(frozen=True)
class Asked:
    """The pod's request, drawn as a bar with a handle. ``at``: its place among ``count`` values; ``marks``: the
    handle's."""

    text: str
    at: int
    count: int
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreMap:
    """``decision``'s scores. ``stage``: one of STAGES; ``selected``: a plugin (or SUM) and a node.

    ``asked``: the pod's request; ``question``: whether the selected cell is asked for. ``before``: another decision,
    whose numbers are struck out where they were others. While cells change: ``filled``, those that have come
    to ``stage``; the others show the stage before; ``workers``: by node, what its worker asks, or "". ``framed``: the
    plugin whose row has a frame. ``sums`` and ``won``: whether sums and winner show, if other than in the last stage;
    ``most``: the sum that fills the width; ``weights``: whether they show, if before the third stage; ``rail``: whether
    the stages show, and ``until``: the last one that a click goes to. The place of a rail and of sums that do not show
    yet stays empty, so that the map does not move, unless there is no place ``above`` the map.
    """

    decision: Decision
    plugins: Sequence[str]
    nodes: Sequence[str]
    stage: str
    selected: tuple[str, str] | None
    alt: str
    asked: Asked | None = None
    question: bool = False
    before: Decision | None = None
    filled: frozenset[tuple[str, str]] | None = None
    workers: Mapping[str, str] = field(default_factory=dict)
    framed: str = ""
    sums: bool | None = None
    won: bool | None = None
    most: float = 0
    weights: bool = False
    rail: bool = True
    until: str = STAGES[-1]
    above: bool = True

    def __call__(self, room: Room) -> Html:
        left = NARROW_ASKED if room.width < NARROW else ASKED
        is_beside = room.width - left - 6 >= RAIL_BESIDE
        head = (RAIL + GAP + (0 if is_beside else ASKED_HIGH)) if self.above else 0
        sums = len(self.nodes) if self.until == STAGES[-1] else 0
        high, bar, gap = heights(room, head + TOP, len(self.plugins), sums)
        plan = GridMeasures(replace(self.grid(), left=left), room, high)
        start = plan.left if is_beside else 0
        shapes = [*self._rail(start, plan.width - start)] if self.rail and self.above else []
        shapes.append(element("g", *self._asked(plan), transform=f"translate(0,{0 if is_beside else RAIL + GAP})"))
        shapes.append(element("g", *plan.shapes(), *self._workers(plan), transform=f"translate(0,{head:g})"))
        down = head + plan.end + 4
        bars = BarMeasures(self._bars(), Room(round(plan.width), 0), Fixed(plan.left, bar, gap))
        if self._at_end(self.sums):
            shapes.append(element("g", *bars.shapes(), transform=f"translate(0,{down:g})"))
        return svg(shapes, plan.width, down + bars.bottom * bool(sums), self.alt)

    @cached_property
    def _fills(self) -> Mapping[str, str]:
        return fills(self.plugins)

    @cached_property
    def _vetoed(self) -> frozenset[str]:
        return vetoed(self.decision, self.nodes)

    @cached_property
    def _full(self) -> int:
        """The points that fill a cell."""
        given = (number(self.decision, STAGES[2], plugin, node) for plugin in self._fills for node in self.nodes)
        return max(FULL * self.decision.generation.max_node_score // 100, *(each or 0 for each in given))

    def _bars(self) -> Bars:
        """The sums of the nodes."""
        return sum_bars(self.decision, self.nodes, self._at_end(self.won), most=self.most)

    def _at_end(self, flag: bool | None) -> bool:
        """Whether this shows: in the last stage, unless the flag says otherwise."""
        return self.stage == STAGES[-1] if flag is None else flag

    def grid(self) -> Grid:
        cells = [[self._cell(plugin, node, i) for node in self.nodes] for i, plugin in enumerate(self.plugins)]
        here = self.selected if self.selected is not None and self.selected[0] in self.plugins else None
        return Grid(
            cells,
            self.plugins,
            self.nodes,
            self.alt,
            (list(self.plugins).index(here[0]), list(self.nodes).index(here[1])) if here else None,
            refused=[
                i for i, node in enumerate(self.nodes) if self.decision.verdict(node).plugin or self._is_out(node)
            ],
            notes=self._weights() if self.weights or self.stage in STAGES[2:] else {},
            swatches=self._fills,
            framed=[self.framed] if self.framed else (),
        )

    def _is_out(self, node: str) -> bool:
        """Whether the veto shows that this node loses."""
        return self.stage in STAGES[2:] and node in self._vetoed

    def _weights(self) -> Mapping[str, str]:
        """The weights other than 1, by plugin."""
        scores = self.decision.scores
        named = zip(scores.plugins, scores.weights, strict=True) if scores is not None else ()
        return {plugin: "×10⁴" if weight == 10_000 else f"×{weight}" for plugin, weight in named if weight != 1}

    def _cell(self, plugin: str, node: str, turn: int) -> GridCell:
        come = self.filled is None or (plugin, node) in self.filled
        stage = self.stage if come else BEFORE[self.stage]
        found = number(self.decision, stage, plugin, node) if stage else None
        sets = f"plugin: {plugin}, node: {node}"
        if self.question and (plugin, node) == self.selected:
            return GridCell(text := "?" if found is None else f"{found} → ?", None, _tip(plugin, node, text), text)
        if found is None:
            there = number(self.decision, "raw", plugin, node) is not None
            return GridCell(nothing := "" if there else "–", None, _tip(plugin, node, say("none")), nothing, sets=sets)
        tip = _tip(plugin, node, say("{score} ({stage})", score=found, stage=say(stage)))
        if plugin.startswith(VETOES) and stage in STAGES[2:]:
            lacks = node in self._vetoed
            said = say("veto") if lacks else "✓"
            return GridCell(said, EVICTED_SOFT if lacks else None, tip, "✕" if lacks else "✓", sets=sets, order=turn)
        was = number(self.before, stage, plugin, node) if self.before is not None else found
        past = "" if was in (None, found) else str(was)
        share = 0.99 * max(found, 0) / self._full
        fill = self._fills.get(plugin, TICK)
        return GridCell(
            str(found), fill, tip, str(found), sets=sets, order=turn, share=share, past=past, pale=self._is_out(node)
        )

    def _workers(self, plan: GridMeasures) -> Iterable[Html]:
        """Each worker on the cell whose plugin it asks."""
        for i, (node, plugin) in enumerate(self.workers.items(), start=1):
            if not plugin:
                continue
            text = fitting((say("worker {number}", number=i), str(i)), plan.wide - 16)
            wide = text_width(text) + 12
            x = plan.left + plan.wide * (self.nodes.index(node) + 0.5)
            y = plan.top + plan.high * (self.plugins.index(plugin) + 0.5)
            box = element("rect", x=-wide / 2, y=-8, width=wide, height=16, rx=8, fill=INK)
            words = label(text, 0, 4.5, "middle", fill=PANEL)
            yield element("g", box, words, data_key=f"worker/{node}", transform=f"translate({x:g},{y:g})")

    def _rail(self, start: float, wide: float) -> Iterable[Html]:
        """The four stages, the shown one filled; a click goes to a stage, and to the sums without a framed cell."""
        step, tip = (wide - 4) / len(STAGES), 9
        for i, stage in enumerate(STAGES):
            x, here = start + step * i, stage == self.stage
            path = f"M0 0H{step - tip:g}L{step - 2:g} {RAIL / 2:g}L{step - tip:g} {RAIL:g}H0" + (
                f"L{tip - 2:g} {RAIL / 2:g}Z" if i else "Z"
            )
            shape = element("path", d=path, fill=INK if here else TICK)
            fits = text_width(say(stage), bold=True) < step - 2 * tip
            weight, colour = ("bold" if fits else None, PANEL) if here else (None, None)
            words = label(
                say(stage), (step + 5 * bool(i)) / 2, RAIL / 2 + 4.5, "middle", font_weight=weight, fill=colour
            )
            sets = f"stage: {stage}" + (f", plugin: {SUM}" if stage == STAGES[-1] else "")
            marks: dict[str, Any] = {"data_set": sets, "aria_label": say("stage {stage}", stage=say(stage))}
            if i > STAGES.index(self.until):
                marks = {"opacity": 0.4}
            yield element("g", shape, words, data_key=f"stage/{stage}", transform=f"translate({x:g},0)", **marks)

    def _asked(self, plan: GridMeasures) -> Iterable[Html]:
        if self.asked is None:
            return
        step = (plan.left - 40) / (self.asked.count - 1)
        wide = 24 + step * self.asked.at
        look: dict[str, Any] = {"fill": priority_fill(0), "stroke": HAIR, "stroke_width": 0.75}
        handle = rect(10, RAIL + 2, 4, wide - 5, -2, fill="currentColor", data_key="asked/grip")
        track = rect(step * (self.asked.count - 1) + 24, 6, 3, 0, 8, fill=TICK)
        shapes = [track, rect(wide, 6, 3, 0, 8, **look, data_key="asked/box"), handle]
        yield label(self.asked.text, 8, RAIL + 17)
        yield element(
            "g", *shapes, data_key="asked", transform="translate(8,2)", data_step=f"{step:.1f}", **self.asked.marks
        )


def _tip(plugin: str, node: str, found: str) -> str:
    return say("{plugin}, {node}: {score}", plugin=say(plugin), node=node, score=found)


def story(shown: ScoreMap, room: Room) -> list[tuple[Html, str]]:
    """The pass that leads to the shown stage, as pictures with captions; for the sums also who wins.

    Score runs node by node, NormalizeScore and the weights plugin by plugin (v1.20: framework/runtime/framework.go,
    RunScorePlugins).
    """
    start = replace(shown, selected=None, framed="", sums=False, won=False)
    passes = dict(zip(STAGES, (_raw, _normalised, _weighted, _summed), strict=True))
    frames = [*passes[shown.stage](start)]
    decides = shown.stage == STAGES[3] and len(shown.nodes) > 1
    end = lead(bare(shown.decision)) if decides else shown.alt
    return [*((each(room), caption) for each, caption in frames), (shown(room), end)]


def _summed(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    """The columns, and their sums."""
    yield start, say("Each column holds what one node has been given: laid end to end, that is its sum.")
    yield replace(start, sums=True), say("prioritizeNodes adds up the numbers of each node.")


def _scored(shown: ScoreMap, node: str) -> bool:
    return total(shown.decision, node) is not None


def _raw(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    """The workers go down their columns, each at its own pace."""
    nodes, plugins = [node for node in start.nodes if _scored(start, node)], start.plugins
    captions = (
        say(
            "{nodes} workers, one for each node. Each asks all {plugins} plugins about its node.",
            nodes=len(nodes),
            plugins=len(plugins),
        ),
        say("Side by side, each at its own pace: no worker waits for another."),
        say("A row is whole once the slowest worker has passed it. Only then can it be normalised."),
    )
    for pace, caption in zip(PACES, captions, strict=True):
        down = {node: len(plugins) * part // 8 for node, part in zip(nodes, cycle(pace))}
        filled = frozenset((plugin, node) for node, deep in down.items() for plugin in plugins[:deep])
        workers = {node: plugins[deep] if deep < len(plugins) else "" for node, deep in down.items()}
        yield replace(start, stage="raw", filled=filled, workers=workers), caption


def _normalised(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    """A row for each step, with the arithmetic of the cell that says most: neither the least nor the full score."""
    names = [plugin for plugin in start.plugins if _changes(start, plugin, "raw", "normalised")]
    first = say("The raw scores: each row has a scale of its own.")
    yield replace(start, stage="raw"), first
    for i, here in enumerate(names, start=1):
        scored = [node for node in start.nodes if _scored(start, node)]
        given = {node: number(start.decision, "normalised", here, node) or 0 for node in scored}
        node = max(scored, key=lambda node: (given[node] % 100, number(start.decision, "raw", here, node)))  # noqa: B023
        (step,) = (each for each in steps(start.decision, here, node) if each.what == "normalised")
        caption = say(
            "{plugin}, {node}: {step}. The row becomes {row}.",
            plugin=here,
            node=node,
            step=step,
            row=_row(start, here, "normalised"),
        )
        shown = replace(start, selected=(here, node), framed=here)
        yield replace(shown, stage="normalised", filled=_cells(start, names[:i])), caption


def _cells(start: ScoreMap, plugins: Sequence[str]) -> frozenset[tuple[str, str]]:
    """All cells of these rows."""
    return frozenset(product(plugins, start.nodes))


def _weighted(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    scores = start.decision.scores
    assert scores is not None
    weights = dict(zip(scores.plugins, scores.weights, strict=True))
    names = [plugin for plugin in start.plugins if weights[plugin] != 1]
    yield replace(start, stage="normalised", weights=True), say("The normalised scores, and the weights.")
    for i, here in enumerate(names, start=1):
        caption = say(
            "{plugin} has weight {weight}: each of its numbers is multiplied by {weight}.",
            plugin=here,
            weight=weights[here],
        )
        yield replace(start, stage="weighted", filled=_cells(start, names[:i]), framed=here), caption


def _changes(start: ScoreMap, plugin: str, before: str, after: str) -> bool:
    return plugin in NORMALISES or _row(start, plugin, before) != _row(start, plugin, after)


def _row(start: ScoreMap, plugin: str, stage: str) -> str:
    found = (number(start.decision, stage, plugin, node) for node in start.nodes)
    return listed(str(each) for each in found if each is not None)
