"""results[algorithm][node]: which cells are filled when; and a table of Map's scores and Reduce's for an exercise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.score.stage import Scores
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cards import Piece, last_tick
from kschedlab_lab.views.cells import UNCHANGED, Cell, ScoreRow, columns, draw_rows, middle, named
from kschedlab_lab.views.style import CHOSEN, TRAY
from kschedlab_lab.views.svg import Room, svg

TURN = 22
"""The height of a row in an exercise's picture, in pixels."""


@dataclass(frozen=True)
class Handout:
    """Work handed out, up to a tick. ``asks``: whether a worker is an answer."""

    decision: Decision
    work: Sequence[Piece]
    tick: int
    asks: bool = False

    @property
    def scores(self) -> Scores:
        assert self.decision.scores is not None
        return self.decision.scores

    @property
    def names(self) -> list[str]:
        """The nodes' names without "node-"."""
        return [self.decision.cluster.names[n].removeprefix("node-") for n in self.scores.nodes.tolist()]

    @property
    def last(self) -> int:
        """The tick after which Map has ended."""
        return last_tick(self.work)

    def raw(self, name: str) -> list[int]:
        """What this priority's Map gives, by node."""
        found: list[int] = self.scores.rows[self.scores.plugins.index(name)].raw.tolist()
        return found

    def done(self, piece: Piece) -> int:
        """How many cells of the node are written by now."""
        return done_at(piece, self.tick, len(mapped(self.decision)))


def done_at(piece: Piece, tick: int, cells: int) -> int:
    """How many of the node's cells are written after this tick: in the algorithms' order, at an even pace."""
    return cells * max(min(tick, piece.end) - piece.start, 0) // (piece.end - piece.start)


def mapped(decision: Decision) -> list[str]:
    """The priorities that don't give the same to all nodes, in order."""
    assert decision.scores is not None
    scores = zip(decision.scores.plugins, decision.scores.rows, strict=True)
    return [name for name, row in scores if row.raw.min() < row.raw.max()]


def short(priority: str) -> str:
    """The priority's name in sentences."""
    return priority.removesuffix("Priority")


def row_name(priority: str) -> str:
    """The name before a row of numbers, which need the room."""
    return short(priority).removesuffix("ResourceAllocation")


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
