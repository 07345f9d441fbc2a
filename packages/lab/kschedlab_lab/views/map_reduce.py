"""results[algorithm][node] as rows: which worker fills which cell when, and what Reduce changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.messages import say
from kschedlab.score.stage import Scores
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import UNCHANGED, Cell, ScoreRow, columns, draw_rows, middle, named, worker_cell
from kschedlab_lab.views.style import CHOSEN, TRAY
from kschedlab_lab.views.svg import Room, svg

FUNCTIONS = tuple(plugin.name for plugin, _ in V1_16.scores if not getattr(plugin, "has_normalize_step", True))
"""Priorities with a Function instead of Map and Reduce: it computes all nodes' final scores at once."""
MAPPING, REDUCED, SUMMED, TURN = 0, 1, 2, 22
"""The stages; the height of a row in an exercise's picture, in pixels."""


@dataclass(frozen=True)
class Piece:
    """A worker (1, 2, ...) works on the node with this index, from the end of tick ``start`` to that of ``end``."""

    node: int
    worker: int
    start: int
    end: int


@dataclass(frozen=True)
class Handout:
    """Work handed out, up to a tick. ``stage``: MAPPING, REDUCED or SUMMED.

    ``asks``: what is an answer: a "worker", or a "node"; ``plain``: whether the table is drawn alone; ``idle``: how
    many workers do not start, because there are no more nodes; ``times``: by any number of workers the ticks that
    Map takes, once it has ended.
    """

    decision: Decision
    work: Sequence[Piece]
    tick: int
    stage: int = MAPPING
    asks: str = ""
    plain: bool = False
    idle: int = 0
    times: Mapping[int, int] = field(default_factory=dict)

    @property
    def scores(self) -> Scores:
        assert self.decision.scores is not None
        return self.decision.scores

    @property
    def waits(self) -> bool:
        """Whether a Function may still run. It starts before Map and ends at any time before the sums, in a plain table
        before Reduce (v1.16: core/generic_scheduler.go, PrioritizeNodes: one wg.Wait() for it and for Reduce).
        """
        return self.stage == MAPPING and not self.plain

    @property
    def names(self) -> list[str]:
        """The nodes' names without "node-"."""
        return [self.decision.cluster.names[n].removeprefix("node-") for n in self.scores.nodes.tolist()]

    def done(self, piece: Piece) -> int:
        """How many cells of the node are written by now."""
        return done_at(piece, self.tick, len(mapped(self.decision)))


def done_at(piece: Piece, tick: int, cells: int) -> int:
    """How many of the node's cells are written after this tick: in the algorithms' order, at an even pace."""
    return cells * max(min(tick, piece.end) - piece.start, 0) // (piece.end - piece.start)


def mapped(decision: Decision) -> list[str]:
    """The priorities with a Map, in order."""
    assert decision.scores is not None
    return [name for name in decision.scores.plugins if name not in FUNCTIONS]


def reduced(scores: Scores) -> list[str]:
    """The priorities whose scores Reduce has changed."""
    named = zip(scores.plugins, scores.rows, strict=True)
    return [name for name, scored in named if (scored.raw != scored.normalized).any()]


def short(priority: str) -> str:
    """The priority's name in sentences."""
    return priority.removesuffix("Priority")


def row_name(priority: str) -> str:
    """The name before a row of numbers, which need the room."""
    name = short(priority)
    return {"BalancedResourceAllocation": "Balanced", "NodePreferAvoidPods": "AvoidPods"}.get(name, name)


def handing_out(now: Handout) -> list[ScoreRow]:
    """The rows of results[algorithm][node], followed by the sums in the last stage."""
    own, written = mapped(now.decision), [now.done(piece) for piece in now.work]
    changed = reduced(now.scores) if now.stage else []
    rows = []
    for number, (name, scored) in enumerate(zip(now.scores.plugins, now.scores.rows, strict=True)):
        values = (scored.normalized if now.stage else scored.raw).tolist()
        cells = []
        for piece, done, value, raw in zip(now.work, written, values, scored.raw.tolist(), strict=True):
            mark = {"data_key": f"cell/{number}/{piece.node}"}
            is_missing = now.waits if name in FUNCTIONS else done <= own.index(name)
            if is_missing:
                cells.append(Cell(marks=mark))
            elif name in FUNCTIONS or name in changed:
                before = f"{raw}→" if name in changed else ""
                cells.append(Cell(str(value), fill=UNCHANGED, marks=mark, before=before))
            else:
                cells.append(worker_cell(str(value), piece.worker, mark))
        rows.append(ScoreRow(row_name(name), cells))
    return [*rows, sum_row(now.scores)] if now.stage == SUMMED else rows


def sum_row(scores: Scores) -> ScoreRow:
    """The sums, with the best in green; what all of them have in common is said once, in the row's name."""
    totals = scores.total.tolist()
    common = min(totals) // 1000 * 1000
    cells = [
        Cell(
            str(total - common),
            fill=CHOSEN if total == max(totals) else TRAY,
            marks={"data_key": f"sum/{node}", "data_tip": f"{total:,}"},
        )
        for node, total in enumerate(totals)
    ]
    return ScoreRow(say("sum: {common:,} +", common=common), cells, strong=True)


def draw_turn(decision: Decision, room: Room, alt: str) -> Html:
    """The scores as Map leaves them, and below them after Reduce, each times its weight, and their sums."""
    scores = decision.scores
    assert scores is not None
    names, tables = [decision.cluster.names[node] for node in scores.nodes.tolist()], list[Html]()
    weights = [f" ×{weight}" if weight != 1 else "" for weight in scores.weights]
    heads = [row_name(name) + weight for name, weight in zip(scores.plugins, weights, strict=True)]
    titles = (say("Map × weight"), say("Reduce × weight")) if any(weights) else (say("after Map"), say("after Reduce"))
    at, y = columns(room.width, heads, len(names), 16, 90, strong=titles), 0.0
    for is_reduced, title in enumerate(titles):
        weighted = zip(scores.rows, scores.weights, strict=True)
        found = [((row.normalized if is_reduced else row.raw) * weight).tolist() for row, weight in weighted]
        sums = [sum(each) for each in zip(*found, strict=True)]
        rows = [
            ScoreRow(head, [Cell(str(value), UNCHANGED) for value in row])
            for head, row in zip(heads, found, strict=True)
        ]
        best = [Cell(str(each), CHOSEN if is_reduced and each == max(sums) else TRAY) for each in sums]
        heads_of = (element("text", name, x=round(at.x(i) + at.wide / 2), y=y + 15) for i, name in enumerate(names))
        tables += [named(title, at, y + 15, strong=True), middle(heads_of)]
        tables += draw_rows([*rows, ScoreRow(say("sum"), best, strong=True)], at, y + TURN, TURN)
        y += TURN * (len(rows) + 2) + 10
    return svg(tables, room.width, y - 6, alt)
