"""The score map as a stage: the stages as a rail, the nodes, and below them plugins x nodes as cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart import NOTHING, TIE, shade
from kschedlab_lab.views.chart_grid import Grid, GridCell, GridMeasures
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.score import DARKEST, STAGES, SUM, bare, lead, number, total
from kschedlab_lab.views.style import CHOSEN, EVICTED_SOFT, HAIR, INK, PANEL, TICK, priority_fill
from kschedlab_lab.views.svg import Room, label, svg

RAIL, RAIL_BESIDE, NARROW, LOW, ASKED_HIGH = 24, 340, 420, 380, 24
"""Height of the rail; the least width of a rail beside the names of the plugins; in a room that is narrower than the
third number the map is as low as the fourth; the least height between a rail and the map for the pod's request."""
NORMALISES = ("InterPodAffinity", "NodeAffinity", "PodTopologySpread", "TaintToleration")
"""The default plugins of v1.20 with a NormalizeScore."""
ASKED = 160
"""The least room for the names of plugins and the pod's request, in pixels."""
VETOES, MILLION = "NodePreferAvoidPods", 1_000_000
"""What NodePreferAvoidPods gives: 100 x 10000. It vetoes whom it does not give them."""
GAP, ROW = 10, 30
"""What parts the rail and the map; the greatest height of a row: there is as much room for it with a question as
beside the controls, so that the answer does not change the map's scale."""
BEFORE = dict(zip(STAGES, ("", *STAGES[:-1]), strict=True))


@dataclass(frozen=True)
class Asked:
    """The pod's request, drawn as a bar with a handle. ``place``: 0 to 1 of its range; ``marks``: the handle's."""

    text: str
    place: float
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreMap:
    """``decision``'s scores. ``stage``: one of STAGES; ``selected``: a plugin (or SUM) and a node.

    ``asked``: the pod's request; ``question``: the cell whose number is not shown; ``only``: the row that shows alone.
    While cells change: ``filled``, the nodes (raw) or the plugins that have come to ``stage``; the others show the
    stage before. ``sums`` and ``won``: whether sums and winner show, if other than in the last stage; ``weights``:
    whether they show, if before the third stage; ``rail``: whether the stages show; without it its place stays empty,
    so that the map does not move.
    """

    decision: Decision
    plugins: Sequence[str]
    nodes: Sequence[str]
    stage: str
    selected: tuple[str, str] | None
    alt: str
    asked: Asked | None = None
    question: tuple[str, str] | None = None
    filled: frozenset[str] | None = None
    sums: bool | None = None
    won: bool | None = None
    only: str = ""
    weights: bool = False
    rail: bool = True

    def __call__(self, room: Room) -> Html:
        grid, wide = self.grid(), room.width
        most = room.height if wide >= NARROW else min(room.height, LOW)
        plan = GridMeasures(grid, Room(wide, most - RAIL - GAP))
        is_beside = plan.width - plan.left >= RAIL_BESIDE
        head = RAIL + GAP + (0 if is_beside else ASKED_HIGH)
        high = min(most - head, plan.top + plan.bottom - plan.end + ROW * len(grid.rows))
        plan, start = GridMeasures(grid, Room(wide, round(high))), plan.left if is_beside else 0
        shapes = [*self._rail(start, plan.width - start)] if self.rail else []
        shapes.append(element("g", *self._asked(plan), transform=f"translate(0,{0 if is_beside else RAIL + GAP})"))
        shapes.append(element("g", *plan.shapes(), transform=f"translate(0,{head:g})"))
        return svg(shapes, plan.width, plan.bottom + head, self.alt)

    def _at_end(self, flag: bool | None) -> bool:
        """Whether this shows: in the last stage, unless the flag says otherwise."""
        return self.stage == STAGES[-1] if flag is None else flag

    def grid(self) -> Grid:
        rows = [*self.plugins, SUM]
        sums, won = map(self._at_end, (self.sums, self.won))
        cells = [[self._cell(plugin, node, i) for node in self.nodes] for i, plugin in enumerate(self.plugins)]
        cells.append([self._sum(node, sums, won) for node in self.nodes])
        chosen = self.decision.node if won else None
        tied = self.decision.best if won and len(self.decision.best) > 1 else ()
        here = self.selected if self.selected is not None and self.selected[0] in rows else None
        selected = (rows.index(here[0]), self.nodes.index(here[1])) if here else None
        return Grid(
            cells,
            [*self.plugins, say(SUM)],
            self.nodes,
            self.alt,
            selected,
            self.nodes.index(chosen) if chosen else None,
            remark=say("drawn here: {node}", node=chosen) if tied else "",
            left=ASKED,
            tied=[self.nodes.index(node) for node in tied if node != chosen],
            refused=[i for i, node in enumerate(self.nodes) if self.decision.verdict(node).plugin],
            notes=self._weights() if self.weights or self.stage in STAGES[2:] else {},
        )

    def _weights(self) -> Mapping[str, str]:
        """The weights other than 1, by plugin."""
        scores = self.decision.scores
        named = zip(scores.plugins, scores.weights, strict=True) if scores is not None else ()
        return {plugin: "×10⁴" if weight == 10_000 else f"×{weight}" for plugin, weight in named if weight != 1}

    def _points(self, node: str) -> int | None:
        """The node's sum without NodePreferAvoidPods's million."""
        found = total(self.decision, node)
        return found if found is None or self.vetoed is None else found % MILLION

    @property
    def vetoed(self) -> frozenset[str] | None:
        """The nodes without NodePreferAvoidPods's million; None where no node has it."""
        sums = {node: total(self.decision, node) or 0 for node in self.nodes}
        high = max(sums.values(), default=0) >= MILLION
        return frozenset(node for node, found in sums.items() if found < MILLION) if high else None

    def _cell(self, plugin: str, node: str, turn: int) -> GridCell:
        come = self.filled is None or (node if self.stage == STAGES[0] else plugin) in self.filled
        stage = self.stage if come else BEFORE[self.stage]
        found = number(self.decision, stage, plugin, node) if stage else None
        sets = f"plugin: {plugin}, node: {node}"
        if (plugin, node) == self.question:
            text = f"{number(self.decision, 'raw', plugin, node)} → ?" if self.stage == "normalised" else "?"
            return GridCell(text, None, _tip(plugin, node, text), text)
        if self.only not in ("", plugin):
            return GridCell("", None, _tip(plugin, node, ""))
        if found is None:
            there = number(self.decision, "raw", plugin, node) is not None
            return GridCell(
                nothing := "" if there else NOTHING, None, _tip(plugin, node, say("none")), nothing, sets=sets
            )
        tip = _tip(plugin, node, say("{score} ({stage})", score=found, stage=say(stage)))
        if plugin.startswith(VETOES) and stage in STAGES[2:]:
            said = "✓" if found >= MILLION else say("veto")
            return GridCell(said, None if found else EVICTED_SOFT, tip, "✓" if found else "✕", sets=sets, order=turn)
        fill = shade(max(min(found, DARKEST), 0), 0, DARKEST)
        return GridCell(str(found), fill, tip, str(found), sets=sets, order=turn)

    def _sum(self, node: str, sums: bool, won: bool) -> GridCell:
        found = total(self.decision, node) if sums else None
        sets = f"plugin: {SUM}, node: {node}"
        if (SUM, node) == self.question:
            return GridCell("?", None, _tip(SUM, node, "?"), "?")
        if found is None:
            there = total(self.decision, node) is not None
            return GridCell(nothing := "" if there else NOTHING, None, _tip(SUM, node, say("none")), nothing, sets=sets)
        best, tie = won and node in self.decision.best, won and len(self.decision.best) > 1
        points = self._points(node)
        if self.vetoed and node in self.vetoed:
            return GridCell(say("veto"), EVICTED_SOFT, _tip(SUM, node, str(points)), "✕", sets=sets)
        behind = max(self._points(each) or 0 for each in self.decision.best) - (points or 0)
        text, short = (str(points),) * 2 if best or not won else (f"{points} (−{behind})", f"−{behind}")
        fill = shade(60, 0, DARKEST) if best and tie else CHOSEN if best else None
        if best and tie:
            text = say("{sum} ({tie})", sum=points, tie=say(TIE))
        return GridCell(text, fill, _tip(SUM, node, str(points)), short, [CHOSEN] if best and tie else (), sets=sets)

    def _rail(self, start: float, wide: float) -> Iterable[Html]:
        """The four stages, the shown one filled; a click goes to a stage."""
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
            marks: dict[str, Any] = {
                "data_set": f"stage: {stage}",
                "aria_label": say("stage {stage}", stage=say(stage)),
            }
            yield element("g", shape, words, data_key=f"stage/{stage}", transform=f"translate({x:g},0)", **marks)

    def _asked(self, plan: GridMeasures) -> Iterable[Html]:
        if self.asked is None:
            return
        wide = 24 + (plan.left - 40) * self.asked.place
        box: dict[str, Any] = {
            "width": wide,
            "height": RAIL - 2,
            "rx": 3,
            "stroke_width": 0.75,
            "data_key": "asked/box",
        }
        grip: dict[str, Any] = {
            "x": wide - 5,
            "y": -2,
            "width": 10,
            "height": RAIL + 2,
            "rx": 4,
            "data_key": "asked/grip",
        }
        pod = element("rect", fill=priority_fill(0), stroke=HAIR, **box)
        shapes = [pod, element("rect", fill="currentColor", **grip)]
        yield label(self.asked.text, 8, RAIL + 17)
        yield element("g", *shapes, data_key="asked", transform="translate(8,2)", **self.asked.marks)


def _tip(plugin: str, node: str, found: str) -> str:
    return say("{plugin}, {node}: {score}", plugin=say(plugin), node=node, score=found)


def story(shown: ScoreMap, room: Room) -> list[tuple[Html, str]]:
    """The pass that leads to the shown stage, as pictures with captions; for the sums also who wins.

    Score runs node by node, NormalizeScore and the weights plugin by plugin (v1.20: framework/runtime/framework.go,
    RunScorePlugins).
    """
    own = {score.name for score, _ in shown.decision.generation.scores}
    plugins = [name for name in shown.plugins if name in own]
    start = replace(shown, plugins=plugins, selected=None, sums=False, won=False)
    passes = dict(zip(STAGES, (_raw, _normalised, _weighted, _summed), strict=True))
    frames = [*passes[shown.stage](start if shown.stage != STAGES[3] else replace(start, plugins=shown.plugins))]
    decides = shown.stage == STAGES[3] and len(shown.nodes) > 1
    end = say("selectHost: {lead}", lead=lead(bare(shown.decision))) if decides else shown.alt
    return [*((each(room), caption) for each, caption in frames), (shown(room), end)]


def _summed(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    """The rows of extenders, if there are any, and the sums."""
    decision = bare(start.decision)
    own = {score.name for score, _ in decision.generation.scores}
    extenders = [name for name in start.plugins if name not in own]
    plain = replace(start, plugins=[name for name in start.plugins if name in own])
    yield plain, say("Each column holds what one node has been given.")
    yield from ((start, _extended(start, name)) for name in extenders)
    names = listed(f"{node} {total(decision, node)}" for node in start.nodes if _scored(start, node))
    yield replace(start, sums=True), say("prioritizeNodes adds up the numbers of each node: {names}.", names=names)


def _extended(start: ScoreMap, name: str) -> str:
    raw, result = _row(start, name, "raw"), _row(start, name, "weighted")
    return say(
        "prioritizeNodes asks {name}, an extender: {raw}. Scaled and weighted, that is {result}.",
        name=name,
        raw=raw,
        result=result,
    )


def _scored(shown: ScoreMap, node: str) -> bool:
    return total(shown.decision, node) is not None


def _raw(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    nodes = [node for node in start.nodes if _scored(start, node)]
    numbers = len(nodes) * len(start.plugins)
    caption = say(
        "{nodes} feasible nodes and {plugins} score plugins: {numbers} numbers to find.",
        nodes=len(nodes),
        plugins=len(start.plugins),
        numbers=numbers,
    )
    yield replace(start, stage="raw", filled=frozenset[str]()), caption
    for i, here in enumerate(nodes, start=1):
        caption = say("Score: a worker takes {here} and asks every plugin about it.", here=here)
        yield replace(start, stage="raw", filled=frozenset(nodes[:i])), caption


def _normalised(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    names = [plugin for plugin in start.plugins if _changes(start, plugin, "raw", "normalised")]
    yield (
        replace(start, stage="normalised", filled=frozenset[str]()),
        say("The raw scores: each row has a scale of its own."),
    )
    for i, here in enumerate(names, start=1):
        caption = say(
            "NormalizeScore of {plugin}: {raw} becomes {normalised}.",
            plugin=here,
            raw=_row(start, here, "raw"),
            normalised=_row(start, here, "normalised"),
        )
        yield replace(start, stage="normalised", filled=frozenset(names[:i])), caption


def _weighted(start: ScoreMap) -> Iterable[tuple[ScoreMap, str]]:
    scores = start.decision.scores
    assert scores is not None
    weights = dict(zip(scores.plugins, scores.weights, strict=True))
    names = [plugin for plugin in start.plugins if weights.get(plugin, 1) != 1]
    yield replace(start, stage="weighted", filled=frozenset[str]()), say("The normalised scores, and the weights.")
    for i, here in enumerate(names, start=1):
        caption = say(
            "{plugin} has weight {weight}: each of its numbers is multiplied by {weight}.",
            plugin=here,
            weight=weights[here],
        )
        yield replace(start, stage="weighted", filled=frozenset(names[:i])), caption


def _changes(start: ScoreMap, plugin: str, before: str, after: str) -> bool:
    return plugin in NORMALISES or _row(start, plugin, before) != _row(start, plugin, after)


def _row(start: ScoreMap, plugin: str, stage: str) -> str:
    found = (number(start.decision, stage, plugin, node) for node in start.nodes)
    return listed(str(each) for each in found if each is not None)
