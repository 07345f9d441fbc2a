"""A lost update: settings -> when two workers read and write one total -> what is left of it, and which node wins.

Two priorities score node-b: each worker adds one of the scores to node-b's total. The engine computes the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.lost_update import AXIS, SLOTS, Adding, Update, Write, draw_update
from kschedlab_lab.views.svg import Room

DESIGNS = (
    later("shared sum"),
    later("shared sum with a lock"),
    later("atomic addition"),
    later("cells of its own"),
)
SHARED, LOCKED, ATOMIC, OWN = DESIGNS
NODES, NODE = node_names(4), "node-b"
PRIORITIES = ("SelectorSpreadPriority", "TaintTolerationPriority")
"""By worker, the priority whose score it adds."""
NEVER_READ = later("a worker with a cell of its own reads no total")
AT_ONCE = later("an atomic addition reads and writes in one step")


@dataclass(frozen=True)
class Settings(Restorable):
    """How the workers add, and when each reads the total and writes it: a read comes before its write."""

    design: str = choice("each worker has", DESIGNS, SHARED)
    read1: int = slider("worker 1 reads", range(1, SLOTS), 1)
    write1: int = slider("worker 1 writes", range(2, SLOTS + 1), SLOTS)
    read2: int = slider("worker 2 reads", range(1, SLOTS), 2)
    write2: int = slider("worker 2 writes", range(2, SLOTS + 1), 4)

    def clamped(self) -> Self:
        """These settings, with each write after its read."""
        first, second = max(self.write1, self.read1 + 1), max(self.write2, self.read2 + 1)
        return replace(super().clamped(), write1=first, write2=second)


@lru_cache
def decide() -> Decision:
    """v1.16's decision with the two priorities alone."""
    few = replace(V1_16, scores=tuple(each for each in V1_16.scores if each[0].name in PRIORITIES))
    return schedule(NEW, Cluster(decode_objects(manifests()), few.api), few)


def amounts() -> list[list[int]]:
    """By worker and node, what is added: score × weight."""
    scores = decide().scores
    assert scores is not None
    return [scores.results[scores.plugins.index(name)].tolist() for name in PRIORITIES]


def times(settings: Settings) -> list[tuple[int, int]]:
    """By worker: the half slots of its read and its write. Worker 2's lie just after worker 1's."""
    first = 2 * (settings.read1 - 1), 2 * (settings.write1 - 1)
    second = 2 * (settings.read2 - 1) + 1, 2 * (settings.write2 - 1) + 1
    if settings.design == ATOMIC:
        return [(first[0], first[0]), (second[0], second[0])]
    if settings.design == OWN:
        return [(first[1], first[1]), (second[1], second[1])]
    return [first, second]


def waits(settings: Settings) -> tuple[int, int] | None:
    """The worker (by place) that waits for the lock, and since when; None if nobody waits."""
    both = times(settings)
    early = 0 if both[0][0] < both[1][0] else 1
    late = 1 - early
    return (late, both[late][0]) if settings.design == LOCKED and both[late][0] < both[early][1] else None


def update(settings: Settings) -> Update:
    """What happens: each read sees the latest write before it."""
    scores = [row[NODES.index(NODE)] for row in amounts()]
    both, waiting = times(settings), waits(settings)
    if waiting is not None:
        late = waiting[0]
        after, long = both[1 - late][1] + 1, both[late][1] - both[late][0]
        both[late] = after, min(after + long, AXIS - 3)
    events = [(time, worker, does) for worker, pair in enumerate(both) for time, does in zip(pair, (0, 1), strict=True)]
    total, parts, held, writes = 0, set[int](), dict[int, tuple[int, set[int]]](), list[Write]()
    for time, worker, does in sorted(events, key=lambda event: (event[0], event[2])):
        if does == 0:
            held[worker] = total, set(parts)
            continue
        seen, included = held[worker]
        lost = sum(scores[each] for each in parts - included)
        total, parts = seen + scores[worker], included | {worker}
        writes.append(Write(time, total, worker + 1, lost))
    own = settings.design == OWN
    addings = [
        Adding(
            worker + 1,
            score,
            *both[worker],
            None if own else held[worker][0],
            score if own else held[worker][0] + score,
            waiting[1] if waiting is not None and waiting[0] == worker else None,
        )
        for worker, score in enumerate(scores)
    ]
    others = [(node, sum(row[i] for row in amounts())) for i, node in enumerate(NODES) if node != NODE]
    return Update(addings, writes, NODE, others, own)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = describe(settings, update(settings))
    return View(
        lambda room: draw(settings, None, room, sentence),
        sentence,
        Html(),
        sentence,
        idle(settings),
        lambda room: story(settings, room),
    )


def draw(settings: Settings, until: int | None, room: Room, alt: str) -> Html:
    """What happens until then, with the designs to choose from."""
    return draw_update(update(settings), (tuple(DESIGNS), settings.design), until, room, alt)


def idle(settings: Settings) -> dict[str, str]:
    """The moments that do not matter with this design."""
    if settings.design == ATOMIC:
        return dict.fromkeys(("write1", "write2"), say(AT_ONCE))
    return dict.fromkeys(("read1", "read2"), say(NEVER_READ)) if settings.design == OWN else {}


def story(settings: Settings, room: Room) -> Sequence[Frame]:
    """The events one by one, in the order of time."""
    happens = update(settings)
    moments = sorted({time for each in happens.addings for time in (each.read, each.write)})
    told: list[tuple[int | None, str]] = [(-1, say("The total is 0."))]
    told += [(moment, sentences(_events(happens, moment))) for moment in moments]
    told.append((None, describe(settings, happens)))
    return [Frame(draw(settings, until, room, caption), caption) for until, caption in told]


def _events(happens: Update, moment: int) -> list[str]:
    """What is read and written at this moment."""
    found = []
    for each in happens.addings:
        if each.read == moment and each.seen is not None and each.read < each.write:
            found.append(say("Worker {worker} reads {seen}.", worker=each.worker, seen=each.seen))
        if each.write == moment:
            lost = next((write.lost for write in happens.writes if write.worker == each.worker), 0)
            gone = say(", and {lost} is lost", lost=lost) if lost and not happens.cells else ""
            found.append(say("Worker {worker} writes {gives}{gone}.", worker=each.worker, gives=each.gives, gone=gone))
    return found


def describe(settings: Settings, happens: Update) -> str:
    """What is left of the total, why, and which node wins."""
    right = sum(each.score for each in happens.addings)
    if happens.total == right:
        return say("{safe} The total is {right}, and {node} wins.", safe=_safe(settings), right=right, node=NODE)
    last = happens.writes[-1]
    other = 3 - last.worker
    how = say(
        "Worker {worker} reads the total before worker {other} writes it, and writes it after worker {other}",
        worker=last.worker,
        other=other,
    )
    best = say("{node} loses to {others}", node=NODE, others=say(" and ").join(happens.best))
    if NODE in happens.best:
        best = say(
            "{node} only ties with {others}",
            node=NODE,
            others=say(" and ").join(node for node in happens.best if node != NODE),
        )
    return say(
        "{how}: the {lost} is lost. The total is {total} instead of {right}, and {best}.",
        how=how,
        lost=last.lost,
        total=happens.total,
        right=right,
        best=best,
    )


def _safe(settings: Settings) -> str:
    """Why nothing is lost."""
    waiting = waits(settings)
    if settings.design == LOCKED:
        return (
            say("Worker {worker} waits for the lock.", worker=waiting[0] + 1)
            if waiting
            else say("Nobody has to wait for the lock.")
        )
    return {
        SHARED: say("One worker reads after the other has written."),
        ATOMIC: say("Nothing can come between the read and the write of an atomic addition."),
        OWN: say("Each worker writes a cell of its own; the sum comes when both have ended."),
    }[settings.design]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "lost_update.panel()")


def what_is_left() -> Question[Settings]:
    scores = [each.score for each in update(Settings()).addings]

    def why(settings: Settings, answer: str) -> str:
        happens = update(settings)
        if answer == str(sum(scores)):
            return say("{number} needs one worker to read after the other has written.", number=answer)
        last = happens.writes[-1]
        return say("The last write decides: worker {worker} writes {value}.", worker=last.worker, value=last.value)

    both = say("Worker 1 adds {one} and worker 2 adds {other}.", one=scores[0], other=scores[1])
    return Question(
        say("The total of {node} is 0. {both} What is the total at the end?", node=NODE, both=both),
        (str(scores[0]), str(scores[1]), str(sum(scores))),
        lambda settings: str(update(settings).total),
        why,
        lambda settings: (
            lambda room: draw_update(update(settings), None, -1, room, say("Both workers, before they begin."))
        ),
    )
