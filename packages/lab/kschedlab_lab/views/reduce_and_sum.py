"""From Map's scores to sums: the table of one cluster at each stage, weights as handles, and the sums as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.score.priorities.selector_spread import SelectorSpread
from kschedlab.text.html import Html, element
from kschedlab_lab.views.arithmetic import steps
from kschedlab_lab.views.cells import Dial, pills
from kschedlab_lab.views.chart_bars import BarMeasures, Fixed
from kschedlab_lab.views.chart_grid import Grid, GridCell, GridMeasures
from kschedlab_lab.views.map_reduce import FUNCTIONS, reduced, row_name
from kschedlab_lab.views.score_bars import fills, heights, sum_bars
from kschedlab_lab.views.score_formulas import NORMALISED, RAW, WEIGHTED, Calculation
from kschedlab_lab.views.style import TICK
from kschedlab_lab.views.svg import Room, label, svg

MAP, REDUCE, WEIGHT, SUM = "Map", "Reduce", later("× weight"), later("sum")
STAGES = (MAP, REDUCE, WEIGHT, SUM)
FULL = 30
"""The points that fill a cell: three times what Reduce gives at most. A bar is as long at one stage as at another."""
STEPS, KNOB, NAMES = 30, 64, 214
"""Height of the stages; width of a weight's handle, and of it with the rows' names; in pixels."""


def draw_stage(
    decision: Decision, stage: str, selected: tuple[str, str] | None, dials: Mapping[str, Dial], room: Room, alt: str
) -> Html:
    """The table at one of the STAGES; a frame marks the cell of this priority and node.

    ``selected``: None while a question is open: then there is nothing to click but an answer. ``dials``: by priority,
    its weight if one can change it.
    """
    scores = decision.scores
    assert scores is not None
    high, bar, gap = heights(room, STEPS + 32, len(scores.plugins), len(scores.nodes))
    plan = GridMeasures(_grid(decision, stage, selected, min(NAMES, 0.55 * room.width)), room, high)
    shapes = [*(_stages(stage, room.width) if selected else [])]
    shapes.append(element("g", *plan.shapes(), transform=f"translate(0,{STEPS})"))
    for i, (name, weight) in enumerate(zip(scores.plugins, scores.weights, strict=True)):
        dial = dials.get(name, Dial(f"×{weight:,}"))
        shapes.append(dial.drawn(plan.left - 4, STEPS + plan.top + (i + 0.5) * high))
    names, down = plan.grid.columns, STEPS + plan.end + 4
    sets = {node: f"priority: {SUM}, node: {node}" for node in names}
    sums = sum_bars(decision, names, sets=sets if selected else {})
    bars = BarMeasures(sums, Room(round(plan.width), 0), Fixed(plan.left, bar, gap))
    if stage == SUM:
        shapes.append(element("g", *bars.shapes(), transform=f"translate(0,{down:g})"))
    return svg(shapes, room.width, down + bars.bottom, alt)


def _grid(decision: Decision, stage: str, selected: tuple[str, str] | None, left: float) -> Grid:
    """The numbers of this stage; frames mark the rows that Reduce has changed."""
    scores = decision.scores
    assert scores is not None
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    colours, rows = fills(scores.plugins), list(map(row_name, scores.plugins))
    cells = [
        [
            _cell(name, node, value, colours.get(name), clicks=selected is not None)
            for node, value in zip(names, _values(decision, stage, i), strict=True)
        ]
        for i, name in enumerate(scores.plugins)
    ]
    here = selected if selected is not None and selected[0] in scores.plugins else None
    return Grid(
        cells,
        rows,
        names,
        "",
        (scores.plugins.index(here[0]), names.index(here[1])) if here else None,
        left=left,
        swatches={row_name(name): colour for name, colour in colours.items()},
        between=KNOB,
        picks=selected is None,
        framed=[row_name(name) for name in reduced(scores)] if stage == REDUCE else (),
    )


def _values(decision: Decision, stage: str, row: int) -> Sequence[int]:
    """The row's numbers at this stage."""
    scores = decision.scores
    assert scores is not None
    scored = scores.rows[row]
    values = scored.raw if stage == MAP else scored.normalized if stage == REDUCE else scores.results[row]
    found: list[int] = values.tolist()
    return found


def _cell(priority: str, node: str, value: int, colour: str | None, clicks: bool) -> GridCell:
    """A number, and its bar if it counts as points: a click writes out its arithmetic."""
    tip = say("{row} on {node}: {value}", row=say(priority), node=node, value=value)
    share = max(min(value / FULL, 1), 0) if colour else 0
    sets = f"priority: {priority}, node: {node}" if clicks else ""
    short_number = f"{value // 1000}k" if value >= 1000 else str(value)
    return GridCell(f"{value:,}", colour or TICK, tip, short_number, sets=sets, share=min(share, 0.99))


def _stages(stage: str, wide: float) -> list[Html]:
    """The stages in their order; a click goes there."""
    each = min(wide / len(STAGES), 130)
    shapes = pills([(say(name), f"stage: {name}", name == stage) for name in STAGES], 0, 3, each)
    return [*shapes, *(label("›", place * each - 4, 18, "middle") for place in range(1, len(STAGES)))]


def arithmetic(decision: Decision, priority: str, node: str) -> list[Calculation]:
    """The steps to a weighted score, in v1.13's and v1.16's terms. KeyError if there is no such score."""
    arithmetic_steps = _spread(decision, priority, node) or steps(decision, priority, node)
    first, second = (say("pull"), "Function") if priority in FUNCTIONS else (MAP, REDUCE)
    names = {RAW: first, NORMALISED: second, WEIGHTED: WEIGHT}
    remarks = {"it has no NormalizeScore": say("it has no Reduce")}
    return [
        replace(s, what=names.get(s.what, s.what), remark=remarks.get(s.remark, s.remark)) for s in arithmetic_steps
    ]


def _spread(decision: Decision, priority: str, node: str) -> list[Calculation]:
    """SelectorSpread without zones: the node's count of pods relative to the maximum."""
    scores = decision.scores
    (plugin,) = (each for each, _ in decision.generation.scores if each.name == priority)
    if scores is None or not isinstance(plugin, SelectorSpread):
        return []
    scored = scores.rows[scores.plugins.index(priority)]
    if max(scored.terms["in zone"]) >= 0:  # type: ignore[call-overload]  # int64[nodes given]
        return []
    place = scores.nodes.tolist().index(decision.cluster.index[node])
    pods, most = int(scored.raw[place]), int(scored.raw.max())
    share = plugin.highest * (most - pods) / most if most else float(plugin.highest)
    formula = f"{plugin.highest} × ({most} - {pods}) / {most}" if most else str(plugin.highest)
    counted = Calculation(RAW, str(pods), str(pods), say("pods of the same Service on the node"))
    score = str(scored.normalized[place])
    if not share.is_integer():
        score = say("{exact}, rounded down {score}", exact=f"{share:.2f}", score=score)
    turned = Calculation(NORMALISED, formula, score, say("{most} is the largest; reversed", most=most))
    return [counted, turned, steps(decision, priority, node)[-1]]
