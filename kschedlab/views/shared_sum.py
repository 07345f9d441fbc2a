"""Goroutines that add to the same totals, step by step: which values they have read, which additions are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kschedlab.views.html import Html
from kschedlab.views.map_reduce import INK, LEFT, UNCHANGED, Cell, Row, draw_grid, grid_text
from kschedlab.views.style import CHOSEN, EVICTED, KINDS
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, count

LATEST = 8
"""Maximum number of recent steps listed."""
IN_HAND = KINDS[3]


class Sum(NamedTuple):
    """A total, and the goroutines whose scores it includes."""

    value: int = 0
    parts: frozenset[int] = frozenset()

    def plus(self, me: int, score: int) -> Sum:
        """This sum plus one more goroutine's score."""
        return Sum(self.value + score, self.parts | {me})


@dataclass(frozen=True)
class Moment:
    """One step: goroutine ``who`` (None: all have ended) ``does`` something for a ``node``.

    After it: ``totals`` in memory, the value that each goroutine has read (``in_hand``, by goroutine: node and sum),
    and the cells (goroutine, node) already ``written``.
    """

    who: int | None
    does: str
    node: int
    value: int
    totals: tuple[Sum, ...]
    in_hand: Mapping[int, tuple[int, Sum]] = field(default_factory=dict)
    written: frozenset[tuple[int, int]] = frozenset()

    def lost(self) -> list[tuple[int, int]]:
        """The cells (goroutine, node) that were written to a total but overwritten since."""
        return sorted((who, node) for who, node in self.written if who not in self.totals[node].parts)


@dataclass(frozen=True)
class Race:
    """The additions: ``scores`` by goroutine and node. ``shares``: the goroutines add to one shared total."""

    names: Sequence[str]
    nodes: Sequence[str]
    scores: Sequence[Sequence[int]]
    shares: bool = True

    def right(self) -> list[int]:
        """The correct totals."""
        return [sum(column) for column in zip(*self.scores, strict=True)]

    def highest(self, totals: Sequence[int]) -> list[str]:
        """The nodes with the highest total."""
        return [node for node, total in zip(self.nodes, totals, strict=True) if total == max(totals)]


def draw_moment(race: Race, moment: Moment, alt: str) -> Html:
    """Goroutines x nodes: each addition and its fate; below them the totals and the correct totals."""
    return draw_grid(race.nodes, moment_rows(race, moment), 110, alt, LEFT)


def moment_rows(race: Race, moment: Moment) -> list[Row]:
    """The rows of :func:`draw_moment`."""
    rows = []
    for who, (name, scores) in enumerate(zip(race.names, race.scores, strict=True)):
        cells = [_cell(race, moment, who, node, score) for node, score in enumerate(scores)]
        rows.append(Row(f"G{who + 1} {name}", cells))
    totals, right = [each.value for each in moment.totals], race.right()
    wrong = [moment.does == "ends" and total != good for total, good in zip(totals, right, strict=True)]
    shown = [Cell(str(total), frame=EVICTED if bad else "") for total, bad in zip(totals, wrong, strict=True)]
    best = race.highest(right)
    good = [
        Cell(str(total), fill=CHOSEN if node in best else "") for node, total in zip(race.nodes, right, strict=True)
    ]
    return [*rows, Row("total in memory", shown, strong=True), Row("right", good)]


def _cell(race: Race, moment: Moment, who: int, node: int, score: int) -> Cell:
    fate, fill = "", ""
    held = moment.in_hand.get(who)
    if who in moment.totals[node].parts:
        fate, fill = "in", UNCHANGED
    elif (who, node) in moment.written:
        fate, fill = ("lost", EVICTED) if race.shares else ("own", UNCHANGED)
    elif held is not None and held[0] == node:
        fate, fill = f"has {held[1].value}", IN_HAND
    elif (moment.who, moment.node, moment.does) == (who, node, "waits"):
        fate = "waits"
    return Cell(f"+{score}", fate, fill, INK if (moment.who, moment.node) == (who, node) else "")


def describe(race: Race, moments: Sequence[Moment], step: int) -> str:
    """What has happened by this step, in a sentence."""
    moment = moments[step]
    if moment.does == "starts":
        return f"{count(len(race.names), 'goroutine')} are ready; all totals are 0."
    if moment.does == "ends":
        return result(race, moment)
    before = moments[step - 1].lost()
    gone = [each for each in moment.lost() if each not in before] if race.shares else []
    losses = [f"G{who + 1}'s {race.scores[who][node]} for {race.nodes[node]}" for who, node in gone]
    fate = f"{'is' if len(losses) == 1 else 'are'} lost: G{(moment.who or 0) + 1} had read the total before"
    more = f" {' and '.join(losses)} {fate}." if losses else ""
    return f"Step {step}: {sentence(race, moment)}{more}"


def sentence(race: Race, moment: Moment) -> str:
    """One step in words."""
    node, value = race.nodes[moment.node], moment.value
    if moment.who is None:
        return f"after all have ended, one goroutine adds up {node}: {value}."
    texts = {
        "reads": f"reads the total of {node}, {value}",
        "adds": f"adds its own score, which makes {value}",
        "writes": f"writes {value} to {node}",
        "locks": f"takes the lock for {node}",
        "waits": f"waits for the lock to come to {node}",
        "adds at once": f"adds to {node} in one step that nothing can come into: {value}",
        "writes its cell": f"writes {value} into its own cell for {node}",
    }
    return f"G{moment.who + 1} {texts[moment.does]}."


def result(race: Race, moment: Moment) -> str:
    """The outcome, in a sentence."""
    totals, right = [each.value for each in moment.totals], race.right()
    lost = len(moment.lost())
    best, chosen = race.highest(right), race.highest(totals)
    listed = ", ".join(f"{node} {total}" for node, total in zip(race.nodes, totals, strict=True))
    if totals == right:
        return f"All is added up rightly: {listed}. The highest has {' or '.join(best)}."
    wins = f"{' or '.join(chosen)} wins instead of {' or '.join(best)}" if chosen != best else "the same node wins"
    return f"{lost} of {len(race.names) * len(race.nodes)} additions are lost: {listed}; {wins}."


def moments_table(race: Race, moments: Sequence[Moment], step: int) -> tuple[Html, str]:
    """The latest steps, as a table and as text."""
    rows = [["step", "what happens", "totals afterwards"]]
    for number in range(max(step - LATEST + 1, 1), step + 1):
        moment = moments[number]
        what = sentence(race, moment) if moment.does != "ends" else "all have ended"
        rows.append([str(number), what, ", ".join(str(each.value) for each in moment.totals)])
    if len(rows) == 1:
        return Html(), ""
    return table(rows[0], (row(*each) for each in rows[1:])), "\n".join(aligned(rows))


def moment_text(race: Race, moment: Moment) -> str:
    """The picture as text."""
    return grid_text(["", *race.nodes], moment_rows(race, moment))
