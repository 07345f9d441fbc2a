"""The score map: plugins x nodes as cells, stage by stage, and at the end the sums as stacked bars.

A plugin has one colour, in its cells and in the bars.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.chart_bars import BarMeasures, Fixed
from kschedlab_lab.views.chart_grid import Grid, GridCell, GridMeasures
from kschedlab_lab.views.lettering import text_width, with_minus
from kschedlab_lab.views.score import STAGES, number
from kschedlab_lab.views.score_bars import VETOES, fills, sum_bars, unknown
from kschedlab_lab.views.score_nodes import HIGH, Cards
from kschedlab_lab.views.style import CHOSEN, INK, INK_2, TICK, TRAY, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

NAMES, NARROW_NAMES, NARROW, BARS = 160, 146, 420, 76
"""The room for the names of plugins, in a broad and in a narrow room, and the width of the latter; the room for names
before the bars. In pixels."""
TOP, LEAST, MOST = 38, 17, 52
"""The height of the nodes' names and of what parts map and bars; limits of a row's height."""
PASSED = "✓"
"""For the million points of a plugin that gives them to all nodes."""
POD, HEAD = 19, 16
"""The height of the pod, and the room for it above the columns."""
MILLION = 1_000_000
"""What one of VETOES gives a node that nothing speaks against."""

REWARDS = {
    "NodeResourcesBalancedAllocation": later(
        "BalancedAllocation rewards nodes whose CPU and memory are in use equally."
    ),
    "ImageLocality": later("ImageLocality rewards nodes that already have the pod's image."),
    "InterPodAffinity": later(
        "InterPodAffinity rewards nodes near pods that the new pod likes, far from those it dislikes."
    ),
    "NodeResourcesLeastAllocated": later("LeastAllocated rewards nodes with much room left."),
    "NodeAffinity": later("NodeAffinity rewards nodes with labels that the pod would like."),
    "NodePreferAvoidPods": later("NodePreferAvoidPods gives 0 where an annotation asks to keep the pod away."),
    "PodTopologySpread": later("PodTopologySpread rewards zones with few pods of the same app."),
    "TaintToleration": later("TaintToleration rewards nodes without taints that put the pod off."),
}
"""By plugin, what it rewards."""


@dataclass(frozen=True)
class ScoreMap:
    """``decision``'s scores. ``stage``: one of STAGES; ``selected``: a plugin (or SUM) and a node.

    ``unknown``: the plugin whose scores are asked for; ``asks``: the nodes of which one is asked for, before the last
    stage without their sums; ``most``: the sum that fills the width; ``bars``: whether sums have a place; ``full``: the
    points that fill a cell, 0 for the most that a plugin gives; ``pending``: the plugins whose rows are still raw, so
    that no bar compares them with the others; ``cards``: the nodes, if they are drawn; ``dials``: by plugin, its
    weight to be changed; then no cell can be selected; ``rows``: for how many plugins there is a place, if there are
    more to come.
    """

    decision: Decision
    plugins: Sequence[str]
    nodes: Sequence[str]
    stage: str
    selected: tuple[str, str] | None
    alt: str
    unknown: str = ""
    rows: int = 0
    asks: Sequence[str] = ()
    most: float = 0
    bars: bool = True
    full: int = 0
    pending: Sequence[str] = ()
    cards: Cards | None = None
    dials: Mapping[str, Dial] = field(default_factory=dict)

    def __call__(self, room: Room) -> Html:
        """The map, and below it as many bars as there are nodes; a narrow room has the highest rows, whose names may
        break into two lines."""
        bars, rows = len(self.nodes) if self.bars else 0, max(self.rows, len(self.plugins))
        is_narrow = room.width < NARROW
        grid = self.grid(NARROW_NAMES if is_narrow else NAMES + (20 if self.dials else 0))
        fair = int((room.height - TOP - grid.above) / (rows + bars))
        high = 30 if is_narrow else min(max(fair, LEAST), MOST)
        plan = GridMeasures(grid, room, high)
        more = rows - len(self.plugins)
        shapes, bottom = [*plan.empty(more), *plan.shapes()], plan.end + 4 + high * more
        if bars:
            bar = high - 7
            known = self.stage == STAGES[-1]
            given = unknown(self.nodes, self.most)
            if known:
                given = sum_bars(self.decision, self.nodes, most=self.most, order=self.plugins)
            sums = BarMeasures(given, Room(round(plan.width), 0), Fixed(BARS, bar, high - bar))
            if self.asks or known:
                shapes.append(element("g", *sums.shapes(), transform=f"translate(0,{bottom:g})"))
            bottom += sums.bottom
        lands = self.decision.node if self.stage == STAGES[-1] else None
        if self.cards is not None:
            shapes += self.cards.drawn(plan.left, plan.wide, HEAD + 26, lands)
        picks = plan.picks(self.asks, "pick" if self.unknown else "node")
        return svg([*shapes, *picks, self._pod(plan)], plan.width, bottom, self.alt)

    def _pod(self, plan: GridMeasures) -> Html:
        """The pod, beside the columns until the last stage; then above that of its node."""
        name, node = self.decision.pod.pod.metadata.name, self.decision.node
        lands = node in self.nodes and self.stage == STAGES[-1]
        wide = text_width(name, bold=True) + 18
        x = plan.left - wide - 8
        if lands:
            x = min(plan.left + plan.wide * (list(self.nodes).index(str(node)) + 0.5) - wide / 2, plan.width - wide)
        fill = CHOSEN if lands else TRAY
        box = rect(wide, POD, 9, fill=fill, stroke=CHOSEN if lands else INK_2, data_key=f"pod/{name}/box")
        words = label(name, wide / 2, 14, "middle", font_weight="bold", fill=ink(fill) if lands else INK)
        return element("g", box, words, data_key=f"pod/{name}", transform=f"translate({x:.0f},1)")

    @cached_property
    def _fills(self) -> Mapping[str, str]:
        return fills(self.plugins)

    @cached_property
    def _full(self) -> int:
        """The points that fill a cell."""
        weights = (weight for plugin, weight in self._weighed if plugin in self._fills)
        return self.full or self.decision.generation.max_node_score * max(weights, default=1)

    def grid(self, left: float) -> Grid:
        cells = [[self._cell(plugin, node) for node in self.nodes] for plugin in self.plugins]
        here = self.selected if self.selected is not None and self.selected[0] in self.plugins else None
        return Grid(
            cells,
            self.plugins,
            self.nodes,
            left,
            (list(self.plugins).index(here[0]), list(self.nodes).index(here[1])) if here else None,
            refused=[i for i, node in enumerate(self.nodes) if self.decision.verdict(node).plugin],
            notes=self._weights() if self.stage in STAGES[2:] and not self.dials else {},
            dials=self.dials,
            tips={plugin: say(REWARDS[plugin]) for plugin in self.plugins if plugin in REWARDS},
            sets={} if self.dials else {plugin: f"plugin: {plugin}" for plugin in self.plugins},
            head=HEAD,
            below=HIGH + 6 if self.cards is not None else 0,
        )

    @cached_property
    def _left_out(self) -> Sequence[str]:
        """Those of VETOES that give their million to all nodes, which sums and bars leave out."""
        vetoes = [plugin for plugin in self.plugins if plugin.startswith(VETOES)] if self.stage in STAGES[2:] else []
        given = {each: {number(self.decision, STAGES[2], each, node) for node in self.nodes} for each in vetoes}
        return [plugin for plugin, points in given.items() if points - {None} == {MILLION}]

    def _weights(self) -> Mapping[str, str]:
        """The weights other than 1, by plugin; without that of VETOES, whose points sums and bars leave out."""
        notes = ((plugin, weight) for plugin, weight in self._weighed if not plugin.startswith(VETOES))
        return {plugin: f"×{weight}" for plugin, weight in notes if weight != 1}

    @property
    def _weighed(self) -> Sequence[tuple[str, int]]:
        """The plugins with their weights."""
        scores = self.decision.scores
        return [*zip(scores.plugins, scores.weights, strict=True)] if scores is not None else []

    def _cell(self, plugin: str, node: str) -> GridCell:
        stage = STAGES[0] if plugin in self.pending else self.stage
        found = number(self.decision, stage, plugin, node)
        sets = "" if self.dials else f"plugin: {plugin}, node: {node}"
        if plugin == self.unknown:
            return GridCell("?", None, _tip(plugin, node, "?"))
        if found is None:
            return GridCell("–", None, _tip(plugin, node, say("none")), sets=sets)
        tip = _tip(plugin, node, say("{score} ({stage})", score=found, stage=say(stage)))
        if plugin in self._left_out:
            return GridCell(PASSED, None, tip, sets=sets)
        if plugin in self.pending:
            return GridCell(with_minus(str(found)), None, tip, sets)
        fill = self._fills.get(plugin, TICK)
        return GridCell(with_minus(str(found)), fill, tip, sets, min(found / self._full, 1))


def _tip(plugin: str, node: str, found: str) -> str:
    return say("{plugin}, {node}: {score}", plugin=say(plugin), node=node, score=found)
