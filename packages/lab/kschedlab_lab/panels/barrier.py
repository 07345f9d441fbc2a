"""Reduce too early: settings -> after how many nodes Reduce begins -> which numbers are wrong, and which node wins.

The engine computes Map's scores and the right ones. A Reduce that does not wait knows only the nodes that are mapped,
and what Map writes later stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kschedlab.messages import say, sentences
from kschedlab.score.plugin import default_normalize
from kschedlab.score.stage import Scores
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.map_reduce import costs, decide, hand_out, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.views.barrier import FILLED, MAPPED, REDUCED, SUMMED, Begins, Row, Score, Sheet, draw_barrier
from kschedlab_lab.views.map_reduce import mapped, row_name, short
from kschedlab_lab.views.score import bare, lead, together, winners
from kschedlab_lab.views.svg import Room

NODES, WORKERS, TOP = 4, 2, 10
"""How many nodes and workers there are; Reduce's highest score in v1.16."""
WISH, SPREAD, TAINTS = "NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority"

FORMULAS: Mapping[str, str] = {
    WISH: "n × 10 / max",
    SPREAD: "(max − n) × 10 / max",
    TAINTS: "10 − n × 10 / max",
}
"""By priority with a Reduce that changes something: what it makes of a number n of its row."""


@dataclass(frozen=True)
class Settings(Restorable):
    """After how many nodes Reduce begins, and the current step."""

    begins: int = choice("Reduce begins after nodes", tuple(range(1, NODES + 1)), 2)
    step: int = steps("step", lambda settings: len(settings.stages) - 1)

    @property
    def stages(self) -> tuple[int, ...]:
        """What happens, step by step: after an early Reduce, Map goes on."""
        return MAPPED, REDUCED, *((FILLED,) if self.begins < NODES else ()), SUMMED

    @property
    def stage(self) -> int:
        return self.stages[self.step]

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always; but where the sums are shown, they are shown for any beginning of Reduce."""
        found = super().at(indices)
        is_summed = self.stage == SUMMED and found.begins != self.begins
        return replace(found, step=len(found.stages) - 1) if is_summed else found


def reduce(name: str, raw: list[int]) -> list[int]:
    """What this priority's Reduce makes of a row. v1.16: core of ``NormalizeReduce`` (priorities/reduce.go) and, of the
    spread, ``CalculateSpreadPriorityReduce`` (priorities/selector_spreading.go), without zones."""
    most = max(raw)
    if name == SPREAD:
        return [(most - each) * TOP // most if most else TOP for each in raw]
    found: list[int] = default_normalize(np.array(raw), name == TAINTS, TOP).tolist()
    return found


def _scores() -> Scores:
    scores = decide(NODES).scores
    assert scores is not None
    return scores


def row(settings: Settings, name: str) -> list[Score]:
    """The cells of a priority with a Reduce at this step."""
    scored = _scores().rows[_scores().plugins.index(name)]
    raw, right = scored.raw.tolist(), scored.normalized.tolist()
    known = settings.begins
    changed = reduce(name, [*raw[:known], *[0] * (NODES - known)])
    cells = []
    for place, (given, should) in enumerate(zip(raw, right, strict=True)):
        is_known, is_reduced = place < known, settings.stage >= REDUCED
        now = given if is_known or settings.stage >= FILLED else None
        if is_known and is_reduced:
            now = changed[place]
        is_wrong = is_reduced and now is not None and now != should
        cells.append(Score(given, now, is_known and is_reduced, is_wrong))
    return cells


def sheet(settings: Settings) -> Sheet:
    """The table at this step."""
    decision, scores = decide(NODES), _scores()
    rows = [Row(short(name), formula, row(settings, name)) for name, formula in FORMULAS.items()]
    rest = [name for name in mapped(decision) if name not in FORMULAS]
    columns = zip(*(scores.rows[scores.plugins.index(name)].normalized.tolist() for name in rest), strict=True)
    others = [sum(column) for column in columns]
    writers = [piece.worker for piece in hand_out(costs(NODES), WORKERS)]
    filled = NODES if settings.stage >= FILLED else settings.begins
    names = [*map(row_name, rest)]
    return Sheet(node_names(NODES), writers, filled, rows, names, others, decision.best, settings.stage)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = describe(settings)
    return View(lambda room: draw(settings, room), sentence, Html(), sentence, names=_names(settings))


def draw(settings: Settings, room: Room, asks: bool = False) -> Html:
    """The table. ``asks``: what becomes of node-b's wish is the answer, and nothing can be chosen."""
    choices = {number: f"begins: {number}" for number in range(1, NODES + 1)}
    begins, asked = (None, (0, 1)) if asks else (Begins(choices, settings.begins), None)
    return draw_barrier(replace(sheet(settings), asked=asked), begins, room, describe(settings))


def _names(settings: Settings) -> dict[str, str]:
    """The winner's colour in the headline."""
    now = sheet(settings)
    return winners(decide(NODES)) if settings.stage == SUMMED and now.winners == now.best else {}


def describe(settings: Settings) -> str:
    """What has happened last; of a Reduce that was too early, how much is wrong."""
    now, is_early = sheet(settings), settings.begins < NODES
    if settings.stage == SUMMED:
        return _winner(settings, now)
    if settings.stage == FILLED:
        return say("Map fills the other columns after Reduce, and nobody reduces them: {wrong}.", wrong=_wrong(now))
    if settings.stage == REDUCED:
        if not is_early:
            done = say("Reduce changes {rows}.", rows=count(len(FORMULAS), "row"))
            return sentences((done, say("One goroutine takes each row, and every node is mapped.")))
        early = say("Reduce began too early: {wrong}.", wrong=_wrong(now))
        return sentences((early, say("It took the largest number so far for the largest of all.")))
    if not is_early:
        return sentences((say("Map is done: each column has one writer."), say("Reduce comes next.")))
    mapped = say("{mapped} of {nodes} nodes are mapped.", mapped=settings.begins, nodes=NODES)
    return sentences((mapped, say("Reduce does not wait for the others.")))


def _wrong(now: Sheet) -> str:
    if now.wrong == 1:
        return say("1 number is wrong")
    return say("{wrong} numbers are wrong", wrong=now.wrong) if now.wrong else say("no number is wrong yet")


def _winner(settings: Settings, now: Sheet) -> str:
    right = bare(decide(NODES))
    if settings.begins == NODES:
        return sentences((lead(right), say("One goroutine adds up, node by node.")))
    if now.winners == now.best:
        lucky = say("{node} wins, but only by luck.", node=together(now.winners))
        return sentences((lucky, say("Reduce began too early: {wrong}.", wrong=_wrong(now))))
    wins = say("{node} wins with {sum}, but should not.", node=together(now.winners), sum=max(now.sums))
    should = say("If Reduce waits for every node, {node} wins.", node=together(now.best))
    return sentences((wins, should))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: manifests(NODES), "barrier.panel()")


def too_soon() -> Question[Settings]:
    """The question before Reduce: what would it make of node-b's wish, before node-c is mapped?"""

    def early(settings: Settings) -> Settings:
        return settings.changed(step=1)

    def right(settings: Settings) -> str:
        return str(row(early(settings), WISH)[1].now)

    def why(settings: Settings, answer: str) -> str:
        late = row(settings.changed(begins=NODES, step=1), WISH)[1].now
        return say(
            "20 is the largest so far: 20 × 10 / 20 = {soon}. But node-c's 50 is still to come, and 20 × 10 / 50 = "
            "{late} is right.",
            soon=right(settings),
            late=late,
        )

    return Question(
        say("Two nodes are mapped. If Reduce began now, what would NodeAffinity's 20 become?"),
        ("4", "10", "20"),
        right,
        why,
        lambda settings: lambda room: draw(settings, room, asks=True),
        shows=early,
    )
