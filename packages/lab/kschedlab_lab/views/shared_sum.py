"""Workers that add to the same totals, step by step: which values they have read, which additions are lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kschedlab.messages import later, listed, say, sentences
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cells import (
    CROSS,
    STAR,
    UNCHANGED,
    WORKERS,
    Box,
    Cell,
    Columns,
    Dial,
    ScoreRow,
    best_cell,
    brief,
    columns,
    draw_cell,
    draw_rows,
    failed_cell,
    middle,
    named,
    pills,
    token,
)
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import CHOSEN, EVICTED, INK, TRAY
from kschedlab_lab.views.svg import Room, label, svg

RIGHT, LUCKY, TIED, WRONG = (
    later("right"),
    later("wrong totals, the right node"),
    later("a tie"),
    later("the wrong node"),
)
"""How an order of steps can end."""
SHORT = {
    "shared sum": later("shared"),
    "shared sum with a lock": later("locked"),
    "atomic addition": later("atomic"),
    "cells of its own": later("cells"),
}
PILLS, TWO_LINES, ONE_LINE, ORDER, TOKEN, SIGN = 30, 34, 24, 24, 24, 18
"""Height of the designs, of a row with two lines, of one with a single line, of the orders; width of a worker, and of a
sign in the legend."""


class Sum(NamedTuple):
    """A total, and the workers whose scores it includes."""

    value: int = 0
    parts: frozenset[int] = frozenset()

    def plus(self, me: int, score: int) -> Sum:
        """This sum plus one more worker's score."""
        return Sum(self.value + score, self.parts | {me})


@dataclass(frozen=True)
class Moment:
    """One step: worker ``who`` (None: all have ended) ``does`` something for a ``node``.

    After it: ``totals`` in memory, the value that each worker has read (``in_hand``, by worker: node and sum),
    and the cells (worker, node) already ``written``.
    """

    who: int | None
    does: str
    node: int
    value: int
    totals: tuple[Sum, ...]
    in_hand: Mapping[int, tuple[int, Sum]] = field(default_factory=dict)
    written: frozenset[tuple[int, int]] = frozenset()

    def lost(self) -> list[tuple[int, int]]:
        """The cells (worker, node) that were written to a total but overwritten since."""
        return sorted((who, node) for who, node in self.written if who not in self.totals[node].parts)


@dataclass(frozen=True)
class Race:
    """The additions: ``scores`` by worker and node. ``shares``: the workers add to one shared total."""

    names: Sequence[str]
    nodes: Sequence[str]
    scores: Sequence[Sequence[int]]
    shares: bool = True

    def right(self) -> list[int]:
        return [sum(column) for column in zip(*self.scores, strict=True)]

    def highest(self, totals: Sequence[int]) -> list[str]:
        """The nodes with the highest total."""
        return [node for node, total in zip(self.nodes, totals, strict=True) if total == max(totals)]


def fate(race: Race, end: Moment) -> str:
    """How this order of steps has ended: RIGHT, LUCKY, TIED or WRONG."""
    totals, right = [each.value for each in end.totals], race.right()
    if totals == right:
        return RIGHT
    best = race.highest(totals)
    return LUCKY if best == race.highest(right) else TIED if len(best) > 1 else WRONG


def designs(known: Sequence[str], chosen: str, wide: float) -> list[Html]:
    """How the workers add: a click takes another design."""
    choices = [(say(SHORT[name]), f"design: {name}", name == chosen) for name in known]
    return pills(choices, 0, 2, wide / len(known))


class Orders(NamedTuple):
    """What one can choose. ``fates``: by order of steps, from 1 on, how it ends, empty before the answer, when there is
    nothing to choose; ``seed``: the one shown."""

    workers: Dial
    designs: Sequence[str]
    design: str
    fates: Sequence[str]
    seed: int


def draw_moment(race: Race, moment: Moment, orders: Orders, room: Room, alt: str) -> Html:
    """Workers x nodes: each addition and its fate; below them the totals, and how each order of steps ends."""
    rows = moment_rows(race, moment)
    at = columns(room.width, [f"{each.name}      " for each in rows], len(race.nodes), 48, 150)
    part, workers, y = range(len(race.nodes)), len(race.names), float(PILLS + ONE_LINE)
    names = brief(race.nodes, at.wide - 4, "")
    heads = [element("text", name, x=round(at.x(i) + at.wide / 2), y=PILLS + 16) for i, name in enumerate(names)]
    grid, bottom = draw_rows(rows[:workers], part, at, y, TWO_LINES, TOKEN)
    sums, end = draw_rows(rows[workers:], part, at, bottom + 4, ONE_LINE)
    choices, end = _orders(orders.fates, orders.seed, at, end + 8, room.width) if orders.fates else ([], end)
    shapes = [
        *(designs(orders.designs, orders.design, min(room.width, 640)) if orders.fates else []),
        orders.workers.drawn(at.left - 6, PILLS + ONE_LINE / 2),
        element("g", *heads, font_weight="bold", text_anchor="middle"),
        *grid,
        *sums,
        *_workers(race, moment, at, y),
        *choices,
    ]
    return svg(shapes, room.width, end + 2, alt)


def _workers(race: Race, moment: Moment, at: Columns, y: float) -> list[Html]:
    """Each worker on the addition at hand; before and between them beside the name of its row."""
    shapes = []
    for who in range(len(race.names)):
        held = moment.in_hand.get(who)
        node = held[0] if held is not None else moment.node if moment.who == who else None
        top = y + who * TWO_LINES
        place = (at.left - 14, top + TWO_LINES / 2) if node is None else (at.x(node) + 9, top + 10)
        shapes.append(token(who + 1, *place, data_key=f"worker/{who + 1}"))
    return shapes


def _orders(fates: Sequence[str], seed: int, at: Columns, y: float, wide: float) -> tuple[list[Html], float]:
    """A cell for each seed, which says how that order of steps ends, and where they end; a click takes it."""
    lines = 1 if (wide - at.left - 2) / len(fates) >= ONE_LINE else 2
    per = -(-len(fates) // lines)
    each = min((wide - at.left - 2) / per, 40)
    shapes = [named(say("orders of steps"), at, y + ORDER / 2 + 4)]
    for place, ends in enumerate(fates):
        number = str(place + 1)
        marks = {
            "data_set": f"seed: {number}",
            "aria_label": say("seed {number}: {fate}", number=number, fate=say(ends)),
            "data_tip": say("seed {number}: {fate}", number=number, fate=say(ends)),
        }
        cell = _sign(ends, marks)
        if place + 1 == seed:
            cell = replace(cell, frame=INK)
        box = Box(at.left + place % per * each, y + place // per * ORDER, each, ORDER)
        shapes.append(middle([draw_cell(cell, box)]))
    key, y = _legend(fates, at, y + lines * ORDER + 6, wide)
    return [*shapes, *key], y


def _sign(ends: str, marks: Mapping[str, str]) -> Cell:
    """The cell of an order that ends so."""
    return {
        RIGHT: Cell(STAR, fill=CHOSEN, marks=marks),
        LUCKY: Cell(STAR, fill=UNCHANGED, marks=marks),
        TIED: best_cell("=", True, marks),
        WRONG: failed_cell(marks),
    }[ends]


def _legend(fates: Sequence[str], at: Columns, y: float, wide: float) -> tuple[list[Html], float]:
    """What the signs of these orders say, and where they end: room for all signs, so that no cure moves the picture."""
    signs = (RIGHT, LUCKY, TIED, WRONG)
    shapes = []
    for ends, x, down in _in_lines([end for end in signs if end in fates], at.left, wide):
        shapes.append(middle([draw_cell(_sign(ends, {}), Box(x, y + down, SIGN, SIGN))]))
        shapes.append(label(say(ends), x + SIGN + 6, y + down + SIGN / 2 + 4.2))
    *_, (_, _, low) = _in_lines(signs, at.left, wide)
    return shapes, y + low + SIGN + 4


def _in_lines(signs: Sequence[str], left: float, wide: float) -> Iterator[tuple[str, float, float]]:
    """Each sign with its place, in as many lines as it takes."""
    x, y = left, 0.0
    for ends in signs:
        long = SIGN + 6 + text_width(say(ends)) + 16
        if x + long > wide and x > left:
            x, y = left, y + SIGN + 6
        yield ends, x, y
        x += long


def moment_rows(race: Race, moment: Moment) -> list[ScoreRow]:
    """The rows of :func:`draw_moment`."""
    rows = []
    for who, (name, scores) in enumerate(zip(race.names, race.scores, strict=True)):
        cells = [_cell(race, moment, who, node, score) for node, score in enumerate(scores)]
        rows.append(ScoreRow(name, cells))
    totals, right = [each.value for each in moment.totals], race.right()
    ended = moment.does == "ends"
    return [
        *rows,
        ScoreRow(
            say("total in memory") if race.shares else say("sum at the end"),
            _totals(race, totals, right if ended else totals, "total"),
            strong=True,
        ),
        ScoreRow(say("right"), _totals(race, right, right, "right")),
    ]


def _totals(race: Race, totals: Sequence[int], right: Sequence[int], key: str) -> list[Cell]:
    """The totals; those that are not right are orange, and of the right ones the highest are green."""
    cells = []
    best = race.highest(right) if key == "right" else []
    for node, (total, good) in enumerate(zip(totals, right, strict=True)):
        marks = {"data_key": f"{key}/{node}"}
        if race.nodes[node] in best:
            cells.append(best_cell(f"{STAR} {total}" if len(best) == 1 else str(total), len(best) > 1, marks))
        elif total != good:
            cells.append(Cell(f"{total} {CROSS}", fill=EVICTED, marks=marks))
        else:
            cells.append(Cell(str(total), fill=TRAY, marks=marks))
    return cells


def _cell(race: Race, moment: Moment, who: int, node: int, score: int) -> Cell:
    doing = "", ""
    held = moment.in_hand.get(who)
    if who in moment.totals[node].parts:
        doing = say("in"), UNCHANGED
    elif (who, node) in moment.written:
        doing = say("own") if not race.shares else "", UNCHANGED
        if race.shares and score:
            doing = say("lost"), EVICTED
    elif held is not None and held[0] == node:
        doing = say("has {value}", value=held[1].value), WORKERS[who]
    elif (moment.who, moment.node, moment.does) == (who, node, "waits"):
        doing = say("waits"), ""
    frame = INK if (moment.who, moment.node) == (who, node) else ""
    return Cell(f"+{score}", doing[0], doing[1], frame=frame, marks={"data_key": f"cell/{who}/{node}"})


def describe(race: Race, moments: Sequence[Moment], step: int) -> str:
    """What has happened by this step, in a sentence."""
    moment = moments[step]
    if moment.does == "starts":
        return say("{workers} are ready; all totals are 0.", workers=count(len(race.names), "worker"))
    if moment.does == "ends":
        return result(race, moment)
    before = moments[step - 1].lost()
    gone = [(w, n) for w, n in moment.lost() if race.shares and race.scores[w][n] and (w, n) not in before]
    losses = [
        say(
            "worker {worker}'s {score} for {node}",
            worker=who + 1,
            score=race.scores[who][node],
            node=race.nodes[node],
        )
        for who, node in gone
    ]
    fate = say(
        "is lost: worker {worker} had read the total before"
        if len(losses) == 1
        else "are lost: worker {worker} had read the total before",
        worker=(moment.who or 0) + 1,
    )
    more = say("{losses} {fate}.", losses=_capital(say(" and ").join(losses)), fate=fate) if losses else ""
    return sentences([sentence(race, moment), more])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(race: Race, moment: Moment) -> str:
    """One step in words."""
    node, value = race.nodes[moment.node], moment.value
    if moment.who is None:
        return say("After all have ended, one worker adds up {node}: {value}.", node=node, value=value)
    texts = {
        "reads": say("reads the total of {node}, {value}", node=node, value=value),
        "writes": say("writes {value} to {node}", value=value, node=node),
        "locks": say("takes the lock for {node}", node=node),
        "waits": say("waits for the lock to come to {node}", node=node),
        "adds at once": say("adds to {node} in one step that nothing can come into: {value}", node=node, value=value),
        "writes its cell": say("writes {value} into its own cell for {node}", value=value, node=node),
    }
    return say("Worker {worker} {does}.", worker=moment.who + 1, does=texts[moment.does])


def result(race: Race, moment: Moment) -> str:
    """The outcome, in a sentence."""
    totals, right = [each.value for each in moment.totals], race.right()
    lost = len([1 for who, node in moment.lost() if race.scores[who][node]])
    best, chosen = race.highest(right), race.highest(totals)
    sums = listed(f"{node} {total}" for node, total in zip(race.nodes, totals, strict=True))
    if totals == right:
        return say("Every sum is right: {sums}. {best} has the highest.", sums=sums, best=say(" or ").join(best))
    wins = say("{one} wins instead of {other}", one=say(" or ").join(chosen), other=say(" or ").join(best))
    if chosen == best:
        wins = say("the same node wins")
    elif set(best) < set(chosen):
        others = say(" and ").join(node for node in chosen if node not in best)
        wins = say("{node} only ties with {others}", node=say(" and ").join(best), others=others)
    return say(
        "{lost} of {all} scores above 0 are lost, and {wins}. The sums: {sums}.",
        lost=lost,
        all=sum(score > 0 for scores in race.scores for score in scores),
        sums=sums,
        wins=wins,
    )
