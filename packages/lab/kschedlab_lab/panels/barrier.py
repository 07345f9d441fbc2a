"""Reduce too early: settings -> after how many nodes Reduce begins -> which numbers are wrong, and which node wins.

The engine computes Map's scores and the right ones. A Reduce that does not wait knows only the nodes that are mapped,
and what Map writes later stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from kschedlab.messages import later, say, sentences
from kschedlab.score.plugin import default_normalize
from kschedlab.score.stage import Scores
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.map_reduce import costs, decide, hand_out, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.views.barrier import (
    FILLED,
    MAPPED,
    REDUCED,
    SUMMED,
    Begins,
    Row,
    Score,
    Sheet,
    draw_barrier,
)
from kschedlab_lab.views.map_reduce import short
from kschedlab_lab.views.score import bare, lead, together, winners
from kschedlab_lab.views.svg import Room

NODES, WORKERS, TOP = 4, 2, 10
"""How many nodes and workers there are; Reduce's highest score in v1.16."""
WISH, SPREAD, TAINTS = "NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority"
CONSTANT = "NodePreferAvoidPodsPriority"
"""It gives the same to each node, and is not drawn."""


class Way(NamedTuple):
    """How a Reduce reads its row."""

    words: str
    is_reversed: bool


MORE, LESS = Way(later("more is better"), False), Way(later("more is worse"), True)
WAYS: Mapping[str, Way] = {WISH: MORE, SPREAD: LESS, TAINTS: LESS}
"""By priority with a Reduce that changes something."""


@dataclass(frozen=True)
class Settings(Restorable):
    """After how many nodes Reduce begins, and the current step."""

    first: ClassVar[str] = "a"
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


@dataclass(frozen=True)
class Others(Settings):
    """Another cluster, in which Reduce waits."""

    first: ClassVar[str] = "r"
    begins: int = choice("Reduce begins after nodes", tuple(range(1, NODES + 1)), NODES)
    step: int = steps("step", lambda settings: len(settings.stages) - 1, 2)


S = TypeVar("S", bound=Settings)


def reduce(name: str, raw: list[int]) -> list[int]:
    """What this priority's Reduce makes of a row. v1.16: core of ``NormalizeReduce`` (priorities/reduce.go) and, of the
    spread, ``CalculateSpreadPriorityReduce`` (priorities/selector_spreading.go), without zones."""
    most = max(raw)
    if name == SPREAD:
        return [(most - each) * TOP // most if most else TOP for each in raw]
    found: list[int] = default_normalize(np.array(raw), WAYS[name].is_reversed, TOP).tolist()
    return found


def _scores(settings: Settings) -> Scores:
    scores = decide(NODES, settings.first).scores
    assert scores is not None
    return scores


def row(settings: Settings, name: str) -> list[Score]:
    """The cells of a priority with a Reduce at this step."""
    scored = _scores(settings).rows[_scores(settings).plugins.index(name)]
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
    decision, scores = decide(NODES, settings.first), _scores(settings)
    rows = [Row(short(name), say(way.words), row(settings, name)) for name, way in WAYS.items()]
    rest = [each for name, each in zip(scores.plugins, scores.rows, strict=True) if name not in (*WAYS, CONSTANT)]
    others = [int(sum(each.normalized[place] for each in rest)) for place in range(NODES)]
    writers = [piece.worker for piece in hand_out(costs(NODES), WORKERS)]
    mapped = NODES if settings.stage >= FILLED else settings.begins
    return Sheet(node_names(NODES, settings.first), writers, mapped, rows, others, decision.best, settings.stage)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = describe(settings)
    return View(lambda room: draw(settings, room), sentence, Html(), sentence, names=_names(settings))


def draw(settings: Settings, room: Room, fixed: bool = False, asks: bool = False) -> Html:
    """The table. ``fixed``: nothing can be chosen; ``asks``: a node is the answer."""
    choices = {number: f"begins: {number}" for number in range(1, NODES + 1)}
    begins = None if fixed or asks else Begins(choices, settings.begins)
    return draw_barrier(replace(sheet(settings), asks=asks), begins, room, describe(settings))


def _names(settings: Settings) -> dict[str, str]:
    """The winner's colour in the headline."""
    now = sheet(settings)
    return winners(decide(NODES, settings.first)) if settings.stage == SUMMED and now.winners == now.best else {}


def describe(settings: Settings) -> str:
    """What has happened last; of a Reduce that was too early, how much is wrong."""
    now, is_early = sheet(settings), settings.begins < NODES
    if settings.stage == SUMMED:
        return _winner(settings, now)
    if settings.stage == FILLED:
        return say("Map fills the other columns after Reduce, and nobody reduces them: {wrong}.", wrong=_wrong(now))
    if settings.stage == REDUCED:
        if not is_early:
            done = say("Reduce changes {rows}.", rows=count(len(WAYS), "row"))
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
    right = bare(decide(NODES, settings.first))
    if settings.begins == NODES:
        return sentences((lead(right), say("One goroutine adds up, node by node.")))
    if now.winners == now.best:
        lucky = say("{node} wins, but only by luck.", node=together(now.winners))
        return sentences((lucky, say("Reduce began too early: {wrong}.", wrong=_wrong(now))))
    wins = say("{node} wins with {sum}, but should not.", node=together(now.winners), sum=max(now.sums))
    should = say("If Reduce waits for every node, {node} wins.", node=together(now.best))
    return sentences((wins, should))


def panel(**settings: Any) -> Panel[Settings]:
    """Four nodes; arguments override its default settings."""
    return _panel(Settings().changed(**settings), "barrier.panel()")


def others(**settings: Any) -> Panel[Others]:
    """Four other nodes, and a Reduce that waits."""
    return _panel(Others().changed(**settings), "barrier.others()")


def _panel(settings: S, code: str) -> Panel[S]:
    return Panel(settings, show, lambda now: manifests(NODES, now.first), code)


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
        lambda settings: lambda room: draw(settings, room, fixed=True),
        shows=early,
    )


def who_wins() -> Question[Others]:
    """The question before Reduce: whose sum is highest?"""

    def mapped(settings: Others) -> Sheet:
        return sheet(settings.changed(step=0))

    def right(settings: Others) -> str:
        return decide(NODES, settings.first).best[0]

    def why(settings: Others, answer: str) -> str:
        """How far behind the answer is; of the right one, how far the node that Map's scores prefer."""
        now, best, names = sheet(settings.changed(step=2)), right(settings), node_names(NODES, settings.first)
        before = mapped(settings).sums
        node = answer if answer != best else names[before.index(max(before))]
        place = names.index(node)
        behind = count(max(now.sums) - now.sums[place], "point")
        lost = say("{node} ends {behind} behind {best}.", node=node, behind=behind, best=best)
        if before[place] < max(before):
            return lost
        wish = row(settings.changed(step=1), WISH)[place]
        leads = say("Before Reduce {node} leads with {sum}.", node=node, sum=before[place])
        shrinks = say("Its {raw} for NodeAffinity becomes {marks}.", raw=wish.raw, marks=wish.now)
        return sentences((leads, shrinks, lost))

    return Question(
        say("Which node wins after Reduce and the sum?"),
        tuple(node_names(NODES, Others.first)),
        right,
        why,
        lambda settings: lambda room: draw(settings.changed(step=0), room, asks=True),
        drawn=True,
    )
