"""From Map's scores to sums: the table of one cluster at each stage, weights as handles, and a cell's arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.score.priorities.selector_spread import SelectorSpread
from kschedlab.text.html import Html, element
from kschedlab_lab.views.arithmetic import steps
from kschedlab_lab.views.cells import (
    HANDLE,
    STAR,
    UNCHANGED,
    Box,
    Cell,
    Columns,
    ScoreRow,
    brief,
    columns,
    draw_cell,
    middle,
    named,
    pills,
)
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.map_reduce import FUNCTIONS, short, sum_row
from kschedlab_lab.views.score_formulas import NORMALISED, RAW, WEIGHTED, Calculation
from kschedlab_lab.views.style import ACT_SOFT, INK, INK_3
from kschedlab_lab.views.svg import Room, label, svg

MAP, REDUCE, WEIGHT, SUM = "Map", "Reduce", later("× weight"), later("sum")
STAGES = (MAP, REDUCE, WEIGHT, SUM)
CHANGED = ACT_SOFT
LONGEST = 50
"""The value whose bar is as long as its cell."""
TOP, HEAD, LOWEST, HIGHEST, KNOB = 30, 22, 21, 30, 64
"""Height of the stages, of the heads, of the lowest and the highest row; width of a weight's handle."""


def stage_rows(decision: Decision, stage: str) -> list[ScoreRow]:
    """The table at one of the STAGES; cells that this stage has changed are coloured."""
    scores = decision.scores
    assert scores is not None
    rows = []
    for number, (name, weight, scored) in enumerate(zip(scores.plugins, scores.weights, scores.rows, strict=True)):
        values = scored.raw if stage == MAP else scored.normalized if stage == REDUCE else scores.results[number]
        before = scored.raw if stage == REDUCE else scored.normalized if stage == WEIGHT else values
        cells = [
            Cell(
                str(value),
                fill=CHANGED if value != old else UNCHANGED,
                marks={"data_key": f"cell/{number}/{node}"},
            )
            for node, (value, old) in enumerate(zip(values.tolist(), before.tolist(), strict=True))
        ]
        rows.append(ScoreRow(f"{short(name)} ×{weight}", cells))
    return [*rows, sum_row(scores)] if stage == SUM else rows


def draw_stage(
    decision: Decision, stage: str, selected: tuple[str, str] | None, fields: Mapping[str, str], room: Room, alt: str
) -> Html:
    """The table at one of the STAGES; a frame marks the cell of this priority and node.

    ``selected``: None while a question is open: then there is nothing to click but an answer. ``fields``: by priority,
    the setting of its weight.
    """
    scores = decision.scores
    assert scores is not None
    rows, names = stage_rows(decision, stage), [decision.cluster.names[n] for n in scores.nodes.tolist()]
    plugins = [*scores.plugins, SUM]
    at = columns(room.width - KNOB, [short(name) for name in plugins], len(names), 36, 110)
    at = at._replace(left=at.left + KNOB)
    high = min(max((room.height - TOP - HEAD) / len(plugins), LOWEST), HIGHEST)
    shapes, y = (
        [
            *(_stages(stage, room.width) if selected else []),
            *_heads(names, at, decision.best if stage == SUM else []),
        ],
        float(TOP + HEAD),
    )
    cells = []
    for name, each in zip(plugins, rows, strict=False):
        shapes.append(_name(name, each, at, y + high / 2, high))
        chosen = enumerate(_handles(each, name, names, selected, at.wide))
        cells += [draw_cell(cell, Box(at.x(i), y, at.wide, high)) for i, cell in chosen]
        y += high
    shapes.append(middle(cells))
    shapes += bars(rows[: len(scores.plugins)], at, TOP + HEAD, high)
    for i, (name, weight) in enumerate(zip(scores.plugins, scores.weights, strict=True)):
        field = fields.get(name, "") if selected else ""
        shapes.append(_weight(weight, field, at.left - KNOB, TOP + HEAD + (i + 0.5) * high))
    return svg(shapes, room.width, TOP + HEAD + high * len(plugins) + 2, alt)


def _name(name: str, row: ScoreRow, at: Columns, y: float, high: float) -> Html:
    """The name of a row, beside its weight; the row of sums needs no weight."""
    beside = at if name == SUM else at._replace(left=at.left - KNOB)
    return named(row.name.partition(" ×")[0], beside, y + 4.2, row.strong, high)


def _handles(
    row: ScoreRow, plugin: str, names: Sequence[str], selected: tuple[str, str] | None, wide: float
) -> list[Cell]:
    """The row's cells: a click on one writes out its arithmetic. A number that is too wide is given in thousands."""
    cells = []
    for name, cell in zip(names, row.cells, strict=True):
        sets = selected and {
            "data_set": f"priority: {plugin}, node: {name}",
            "aria_label": say("{row} on {node}: {value}", row=say(plugin), node=name, value=cell.text),
        }
        frame = INK if (plugin, name) == selected else cell.frame if cell.frame != INK else ""
        number = cell.text if text_width(cell.text) <= wide - 6 else f"{int(cell.text) // 1000}k"
        cells.append(replace(cell, text=number, frame=frame, marks={**cell.marks, **(sets or {})}))
    return cells


def _stages(stage: str, wide: float) -> list[Html]:
    """The stages in their order; a click goes there."""
    each = min(wide / len(STAGES), 130)
    shapes = pills([(say(name), f"stage: {name}", name == stage) for name in STAGES], 0, 3, each)
    return [*shapes, *(label("›", place * each - 4, 18, "middle") for place in range(1, len(STAGES)))]


def _heads(names: Sequence[str], at: Columns, best: Sequence[str]) -> list[Html]:
    """The nodes, the winner with a star: while the question is open, a click on one is the answer."""
    shapes = []
    for i, (name, said) in enumerate(zip(names, brief(names, at.wide - 4), strict=True)):
        box = element("rect", x=at.x(i) + 1, y=TOP, width=at.wide - 2, height=HEAD - 2, rx=4, fill="transparent")
        star = f"{STAR} {said}" if best == [name] else said
        text = label(star, at.x(i) + at.wide / 2, TOP + 15, "middle", font_weight="bold")
        shapes.append(element("g", box, text, data_key=f"node/{name}", data_pick=name))
    return shapes


def _weight(weight: int, field: str, x: float, y: float) -> Html:
    """The weight of a row. One with a setting (``field``) is a handle that is dragged sideways."""
    if not field:
        return label(f"×{weight:,}", x + KNOB / 2, y + 4.2, "middle")
    box = element("rect", x=x + 6, y=y - 9, width=KNOB - 12, height=18, rx=9, fill=HANDLE, stroke="none")
    text = label(f"‹ ×{weight} ›", x + KNOB / 2, y + 4.2, "middle", font_weight="bold")
    marks = {"data_drag": field, "data_axis": "x", "data_step": "16", "data_key": f"weight/{field}"}
    return element("g", box, text, aria_label=say("weight of {field}: {weight}", field=field, weight=weight), **marks)


def bars(rows: Sequence[ScoreRow], at: Columns, y: float, high: float) -> list[Html]:
    """A bar in each cell: its value, with a break if it is above LONGEST.

    Before Reduce one kind of number dwarfs the others.
    """
    shapes = []
    for place, each in enumerate(rows):
        for column, cell in enumerate(each.cells):
            value = int(cell.text)
            box = {"x": at.x(column) + 2, "y": y + (place + 1) * high - 6, "height": 4}
            wide = max((at.wide - 4) * min(value, LONGEST) / LONGEST, 0)
            key = f"bar/{place}/{column}"
            shapes.append(element("rect", width=wide, fill=INK_3, data_key=key, **box))
            if value > LONGEST:
                shapes.append(_break(box["x"] + wide * 0.8, box["y"], cell.fill))
    return shapes


def _break(x: float, y: float, fill: str) -> Html:
    """Two slanted strokes with a gap between them, over a bar that is shorter than its value."""
    gap = element("path", d=f"M{x:.0f} {y + 6:.0f}l4 -8h5l-4 8z", fill=fill)
    strokes = element(
        "path", d=f"M{x:.0f} {y + 6:.0f}l4 -8m5 0l-4 8", fill="none", stroke="currentColor", stroke_width=1.2
    )
    return element("g", gap, strokes)


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
    formula = f"{plugin.highest} × ({most} - {pods}) / {most}" if most else str(plugin.highest)
    counted = Calculation(RAW, str(pods), str(pods), say("pods of the same Service on the node"))
    turned = Calculation(
        NORMALISED, formula, str(scored.normalized[place]), say("{most} is the largest; reversed", most=most)
    )
    return [counted, turned, steps(decision, priority, node)[-1]]
