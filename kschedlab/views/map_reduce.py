"""results[algorithm][node] as a picture: which worker fills which cell when, what Reduce changes, how totals add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.score.priorities.selector_spread import SelectorSpread
from kschedlab.score.stage import Scores
from kschedlab.views.arithmetic import NORMALISED, RAW, WEIGHTED, Step, steps
from kschedlab.views.html import Html, element
from kschedlab.views.style import CHOSEN, EVICTED, KINDS, ink
from kschedlab.views.svg import label, svg
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned

FUNCTIONS = tuple(plugin.name for plugin, _ in V1_16.scores if not getattr(plugin, "has_normalize_step", True))
"""Priorities with a Function instead of Map and Reduce: it computes all nodes' final scores at once."""
MAP, REDUCE, WEIGHT, SUM = "Map", "Reduce", "× weight", "sum"
STAGES = (MAP, REDUCE, WEIGHT, SUM)
BY_FUNCTION = "F"
LEFT, HIGH, LANE, GAP, LETTER = 238, 28, 16, 8, 7
"""Width of the row names; height of a row and of a worker's lane; gap between parts; width of a letter."""
INK = "currentColor"
UNCHANGED, CHANGED = "#DDDDDD", KINDS[1]


@dataclass(frozen=True)
class Piece:
    """A worker (1, 2, ...) works on the node with this index, from the end of tick ``start`` to that of ``end``."""

    node: int
    worker: int
    start: int
    end: int


@dataclass(frozen=True)
class Cell:
    """``text``: its content; ``small``: the text in its corner; ``fill``: its colour, "" if nobody has written it."""

    text: str = ""
    small: str = ""
    fill: str = ""
    frame: str = ""


@dataclass(frozen=True)
class Row:
    """A row of the grid. ``strong``: its name is bold."""

    name: str
    cells: Sequence[Cell]
    strong: bool = False


def worker_fill(worker: int) -> str:
    """A worker's colour; from the ninth on colours repeat, and the number in the corner identifies the worker."""
    return KINDS[(worker - 1) % len(KINDS)]


def done_at(piece: Piece, tick: int, cells: int) -> int:
    """How many of the node's cells are written after this tick: in the algorithms' order, at an even pace."""
    return cells * max(min(tick, piece.end) - piece.start, 0) // (piece.end - piece.start)


def reduced(scores: Scores) -> list[str]:
    """The priorities whose scores Reduce has changed."""
    named = zip(scores.plugins, scores.rows, strict=True)
    return [name for name, scored in named if (scored.raw != scored.normalized).any()]


# -- Map: nodes handed out to workers


def draw_handing_out(
    decision: Decision, work: Sequence[Piece], tick: int, stage: int, function: bool, alt: str
) -> Html:
    """The channel, a lane for each worker, and the grid. ``stage``: 0 Map, 1 Reduce, 2 sum.

    ``function``: whether the Functions have run.
    """
    wide = max(40, min(62, 760 // len(work)))
    channel, y = _channel(work, tick, wide)
    lanes, y = _lanes(work, tick, wide * len(work), y + GAP)
    rows = handing_out(decision, work, tick, stage, function)
    grid, y = _grid(_heads(decision, work), rows, wide, y + GAP)
    return svg([*channel, *lanes, *grid], LEFT + wide * len(work) + 4, y + 2, alt)


def handing_out(decision: Decision, work: Sequence[Piece], tick: int, stage: int, function: bool) -> list[Row]:
    """The rows of results[algorithm][node], followed by the totals in the last stage."""
    scores, own = decision.scores, mapped(decision)
    assert scores is not None
    rows, written = [], [done_at(piece, tick, len(own)) for piece in work]
    for number, (name, scored) in enumerate(zip(scores.plugins, scores.rows, strict=True)):
        values = (scored.normalized if stage else scored.raw).tolist()
        if name in FUNCTIONS:
            cells = [_by_function(value) if function else Cell() for value in values]
        else:
            place = own.index(name)
            cells = [
                _by_worker(value, piece) if done > place else Cell()
                for value, piece, done in zip(values, work, written, strict=True)
            ]
        if stage:
            moved = (scored.raw != scored.normalized).tolist()
            cells = [replace(c, frame=INK) if other else c for c, other in zip(cells, moved, strict=True)]
        rows.append(Row(f"{name} [{number}]", cells))
    return [*rows, total_row(decision, [piece.node for piece in work])] if stage == 2 else rows


def _by_worker(value: int, piece: Piece) -> Cell:
    return Cell(str(value), str(piece.worker), worker_fill(piece.worker))


def _by_function(value: int) -> Cell:
    return Cell(str(value), BY_FUNCTION, UNCHANGED)


def total_row(decision: Decision, places: Iterable[int]) -> Row:
    """The row of totals; the highest are coloured."""
    scores = decision.scores
    assert scores is not None
    totals, best = scores.total.tolist(), int(scores.total.max())
    cells = [Cell(str(totals[i]), fill=CHOSEN if totals[i] == best else "") for i in places]
    return Row("sum of score × weight", cells, strong=True)


def _heads(decision: Decision, work: Sequence[Piece]) -> list[str]:
    names = [decision.cluster.names[n].removeprefix("node-") for n in _positions(decision)]
    return [f"{names[piece.node]} [{piece.node}]" for piece in work]


def _positions(decision: Decision) -> list[int]:
    assert decision.scores is not None
    return list(decision.scores.nodes.tolist())


def _channel(work: Sequence[Piece], tick: int, wide: int) -> tuple[list[Html], float]:
    """The channel: node indices that no worker has taken yet."""
    shapes = [label("channel: indices not taken", LEFT - 8, 18, "end")]
    for place, piece in enumerate(work):
        taken = piece.start < tick or tick >= work[-1].end
        x = LEFT + place * wide
        box = {"x": x + 4, "y": 4, "width": wide - 8, "height": 20, "rx": 4}
        shapes.append(element("rect", fill="none", stroke="currentColor", opacity=0.25 if taken else 1, **box))
        if not taken:
            shapes.append(label(str(piece.node), x + wide / 2, 18, "middle", font_weight="bold"))
    return shapes, 26.0


def _lanes(work: Sequence[Piece], tick: int, wide: int, y: float) -> tuple[list[Html], float]:
    """A lane for each worker with the nodes that it has taken by this tick."""
    last = max(piece.end for piece in work)
    workers, scale = max(piece.worker for piece in work), wide / last
    shapes = []
    for piece in work:
        lane = y + (piece.worker - 1) * LANE
        if piece.start == 0:
            shapes.append(label(f"W{piece.worker}", LEFT - 8, lane + 13, "end"))
        if piece.start < tick:
            seen = min(piece.end, tick)
            x, long = LEFT + scale * piece.start, scale * (seen - piece.start)
            fill = worker_fill(piece.worker)
            box = {"x": x, "y": lane + 1, "width": long, "height": LANE - 2}
            shapes.append(element("rect", fill=fill, stroke="currentColor", stroke_width=0.75, **box))
            shapes.append(label(str(piece.node), x + long / 2, lane + 13, "middle", fill=ink(fill)))
    bottom = y + workers * LANE
    x = LEFT + scale * tick
    shapes.append(element("path", d=f"M{x:.1f} {y:.1f}V{bottom:.1f}", stroke=EVICTED, stroke_width=2))
    caption = label(f"time in ticks: {tick} of {last}", LEFT, bottom + 14, "start")
    return [*shapes, caption], bottom + 20


def writers(work: Sequence[Piece], cells: int, tick: int) -> dict[tuple[int, int], list[int]]:
    """The workers that have written each cell (index of the algorithm, node) by this tick."""
    found: dict[tuple[int, int], list[int]] = {}
    for piece in work:
        for place in range(done_at(piece, tick, cells)):
            found.setdefault((place, piece.node), []).append(piece.worker)
    return found


def workers_table(decision: Decision, work: Sequence[Piece], tick: int) -> tuple[Html, str]:
    """What each worker has done, as a table and as text; the last line counts cells with more than one writer."""
    cells = len(mapped(decision))
    written = writers(work, cells, tick)
    rows = [["worker", "nodes taken", "cells written"]]
    for worker in sorted({piece.worker for piece in work}):
        taken = [str(piece.node) for piece in work if piece.worker == worker and piece.start < tick]
        rows.append([f"W{worker}", ", ".join(taken) or "-", str(sum(who == [worker] for who in written.values()))])
    rows.append(["cells with two writers", "", str(sum(len(who) > 1 for who in written.values()))])
    return table(rows[0], (row(*each) for each in rows[1:])), "\n".join(aligned(rows))


def mapped(decision: Decision) -> list[str]:
    """The priorities with a Map, in order."""
    assert decision.scores is not None
    return [name for name in decision.scores.plugins if name not in FUNCTIONS]


def handing_out_text(decision: Decision, work: Sequence[Piece], tick: int, stage: int, function: bool) -> str:
    """The grid as text: each score with the worker that wrote it."""
    return grid_text(["results", *_heads(decision, work)], handing_out(decision, work, tick, stage, function))


def grid_text(head: Sequence[str], rows: Sequence[Row]) -> str:
    """A grid as text; the text of a cell's corner follows a colon."""
    cells = [[each.name, *(_written(cell) for cell in each.cells)] for each in rows]
    return "\n".join(aligned([list(head), *cells]))


def _written(cell: Cell) -> str:
    return f"{cell.text}:{cell.small}" if cell.small else cell.text or "-"


# -- Reduce, weights, sum


def stage_rows(decision: Decision, stage: str) -> list[Row]:
    """The grid in one of the STAGES; cells that this stage changed are coloured."""
    scores = decision.scores
    assert scores is not None
    rows = []
    for number, (name, weight, scored) in enumerate(zip(scores.plugins, scores.weights, scores.rows, strict=True)):
        values = scored.raw if stage == MAP else scored.normalized if stage == REDUCE else scores.results[number]
        before = scored.raw if stage == REDUCE else scored.normalized if stage == WEIGHT else values
        cells = [
            Cell(str(value), BY_FUNCTION if name in FUNCTIONS else "", CHANGED if value != old else UNCHANGED)
            for value, old in zip(values.tolist(), before.tolist(), strict=True)
        ]
        rows.append(Row(f"{name} ×{weight}", cells))
    return [*rows, total_row(decision, range(len(scores.total)))] if stage == SUM else rows


def draw_stage(decision: Decision, stage: str, selected: tuple[int, int], alt: str) -> Html:
    """The grid in one of the STAGES, with a frame around one cell (row, column)."""
    rows = stage_rows(decision, stage)
    at, column = min(selected[0], len(rows) - 1), selected[1]
    framed = [replace(cell, frame=INK) if place == column else cell for place, cell in enumerate(rows[at].cells)]
    if at == selected[0]:
        rows[at] = replace(rows[at], cells=framed)
    names = [decision.cluster.names[n] for n in _positions(decision)]
    return draw_grid(names, rows, 96, alt, LEFT + 14)


def arithmetic(decision: Decision, priority: str, node: str) -> list[Step]:
    """The steps to a weighted score, in v1.13's and v1.16's terms. KeyError if there is no such score."""
    arithmetic_steps = _spread(decision, priority, node) or steps(decision, priority, node)
    first, second = ("pull", "Function") if priority in FUNCTIONS else (MAP, REDUCE)
    names = {RAW: first, NORMALISED: second, WEIGHTED: WEIGHT}
    remarks = {"it has no NormalizeScore": "it has no Reduce"}
    return [
        replace(s, what=names.get(s.what, s.what), remark=remarks.get(s.remark, s.remark)) for s in arithmetic_steps
    ]


def _spread(decision: Decision, priority: str, node: str) -> list[Step]:
    """SelectorSpread without zones: the node's count of pods relative to the maximum."""
    scores = decision.scores
    (plugin,) = (each for each, _ in decision.generation.scores if each.name == priority)
    if scores is None or not isinstance(plugin, SelectorSpread):
        return []
    scored = scores.rows[scores.plugins.index(priority)]
    if max(scored.terms["in zone"]) >= 0:  # type: ignore[call-overload]  # int64[nodes given]
        return []
    pods, most = int(scored.raw[place := _place(decision, node)]), int(scored.raw.max())
    formula = f"{plugin.highest} × ({most} - {pods}) / {most}" if most else str(plugin.highest)
    counted = Step(RAW, str(pods), str(pods), "pods of the same Service on the node")
    turned = Step(NORMALISED, formula, str(scored.normalized[place]), f"{most} is the largest; turned round")
    return [counted, turned, steps(decision, priority, node)[-1]]


def _place(decision: Decision, node: str) -> int:
    return _positions(decision).index(decision.cluster.index[node])


# -- grids


def _grid(heads: Sequence[str], rows: Sequence[Row], wide: int, y: float, left: int = LEFT) -> tuple[list[Html], float]:
    """Headings and rows from ``y`` down, and the ``y`` below them."""
    shapes = []
    for i, (head, _, below) in enumerate(each.partition(" ") for each in heads):
        shapes.append(label(head, left + (i + 0.5) * wide, y + 15, "middle", font_weight="bold"))
        shapes += [label(below, left + (i + 0.5) * wide, y + 29, "middle", font_size=10.5)] if below else []
    y += 34 if any(" " in head for head in heads) else 20
    for each in rows:
        shapes.append(label(each.name, left - 8, y + 19, "end", font_weight="bold" if each.strong else None))
        for i, cell in enumerate(each.cells):
            shapes += _cell(cell, left + i * wide, y, wide, each.strong)
        y += HIGH
    return shapes, y


def _cell(cell: Cell, x: float, y: float, wide: int, strong: bool) -> list[Html]:
    box = {"x": x + 1, "y": y + 1, "width": wide - 2, "height": HIGH - 2}
    fill, colour = cell.fill or "none", ink(cell.fill) if cell.fill else None
    line: dict[str, str | float | None] = {
        "stroke": INK,
        "stroke_width": 0.75,
        "stroke_dasharray": None if cell.text else "2 3",
    }
    shapes = [element("rect", fill=fill, **line, **box)]
    if cell.frame:
        shapes.append(element("rect", fill="none", stroke=cell.frame, stroke_width=3, **box))
    bold = "bold" if strong or cell.frame else None
    small = 10 if LETTER * len(cell.text) > wide - 4 else None
    middle = x + wide / 2 - (5 if cell.small and wide < 48 else 0)
    shapes.append(label(cell.text, middle, y + 19, "middle", fill=colour, font_weight=bold, font_size=small))
    if cell.small:
        shapes.append(label(cell.small, x + wide - 4, y + 11, "end", fill=colour, font_size=9))
    return shapes


def draw_grid(heads: Sequence[str], rows: Sequence[Row], wide: int, alt: str, left: int = LEFT) -> Html:
    """A grid on its own, with columns of this width."""
    shapes, y = _grid(heads, rows, wide, 0, left)
    return svg(shapes, left + wide * len(heads) + 4, y + 2, alt)
