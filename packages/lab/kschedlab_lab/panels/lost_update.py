"""A lost update: settings -> when two workers read and write one total -> what is left of it, and which node wins.

Two priorities score node-b: each worker adds one of the scores to node-b's total. The engine computes the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, Picture, View
from kschedlab_lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.lost_update import Adding, by_write, draw_update, left, lost
from kschedlab_lab.views.score import together
from kschedlab_lab.views.svg import Room

DESIGNS = SHARED, LOCKED, OWN = later("no lock"), later("a lock"), later("own cells")
NODES, NODE = node_names(4), "node-b"
PRIORITIES = ("SelectorSpreadPriority", "TaintTolerationPriority")
"""By worker, the priority whose score it adds."""
FIRST, LONG = (6, 14), 4
"""When worker 1 reads and writes the total, and how much later worker 2 writes it than it has read it. No two moments
are the same."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Whether the workers share a total, with a lock or without, and when worker 2 begins."""

    design: str = choice("the workers have", DESIGNS, SHARED)
    start: int = slider("worker 2 begins", range(1, 16, 2), 7)


def rivals() -> dict[str, int]:
    """By node: its total, of node-b the right one."""
    return {node: sum(row[i] for row in amounts()) for i, node in enumerate(NODES)}


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


def additions(settings: Settings) -> tuple[Adding, Adding]:
    """Both workers' additions, the earlier one first; with a lock the later one waits until the other has written, and
    with cells of their own neither reads."""
    spans = FIRST, (settings.start, settings.start + LONG)
    scores = [row[NODES.index(NODE)] for row in amounts()]
    early, late = sorted((0, 1), key=lambda worker: spans[worker][0])
    own = settings.design == OWN
    first = Adding(early + 1, scores[early], *spans[early], seen=0, own=own)
    (read, write), waits = spans[late], None
    if settings.design == LOCKED and read < first.write:
        read, write, waits = first.write + 1, first.write + 1 + write - read, read
    seen = first.gives if first.write < read and not own else 0
    return first, Adding(late + 1, scores[late], read, write, seen, waits, own)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = describe(settings)
    return View(
        lambda room: draw(settings, None, room, said), said, Html(), said, story=lambda room: story(settings, room)
    )


def draw(settings: Settings, until: int | None, room: Room, alt: str) -> Html:
    """What happens until then, with a lock or without to choose from."""
    return draw_update(additions(settings), (DESIGNS, settings.design), until, rivals(), room, alt)


def story(settings: Settings, room: Room) -> Sequence[Frame]:
    """The events one by one, in the order of time."""
    both, events = additions(settings), list[tuple[int, str]]()
    gone = lost(both)
    for each in both:
        if not each.own:
            events.append((each.read, say("Worker {worker} reads {seen}.", worker=each.worker, seen=each.seen)))
        drops = say(", and {lost} is lost", lost=gone.score) if gone is not None and gone is not each else ""
        message = later("Worker {worker} writes {gives}{gone}.")
        events.append((each.write, say(message, worker=each.worker, gives=each.gives, gone=drops)))
    told = [
        (-1, say("The cells are empty.") if both[0].own else say("The total is 0.")),
        *sorted(events),
        (None, describe(settings)),
    ]
    return [Frame(draw(settings, until, room, caption), caption) for until, caption in told]


def describe(settings: Settings) -> str:
    """What is left of the total, why, and which node wins."""
    first, last = by_write(additions(settings))
    gone, sums = lost((first, last)), rivals()
    if gone is None:
        return sentences(
            (_safe(last), say("The total is {right}, and {node} wins.", right=left((first, last)), node=NODE))
        )
    ahead = [node for node, most in sums.items() if node != NODE and most >= last.gives]
    ties = all(sums[node] == last.gives for node in ahead)
    best = later("{node} only ties with {others}") if ties else later("{node} loses to {others}")
    return say(
        "Worker {worker} writes last and has not seen what worker {other} wrote: the {lost} is lost. "
        "The total is {total} instead of {right}, and {best}.",
        worker=last.worker,
        other=first.worker,
        lost=gone.score,
        total=last.gives,
        right=sums[NODE],
        best=say(best, node=NODE, others=together(ahead)),
    )


def _safe(last: Adding) -> str:
    """Why nothing is lost."""
    if last.own:
        return say("Each worker writes its own cell, and waits for nobody. Then one adds up.")
    if last.waits is not None:
        return say("Worker {worker} waits for the lock.", worker=last.worker)
    return say("One worker reads after the other has written.")


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "lost_update.panel()")


def what_is_left() -> Question[Settings]:
    """What is the total, once both have written?"""
    scores = [row[NODES.index(NODE)] for row in amounts()]

    def right(settings: Settings) -> str:
        return str(by_write(additions(settings))[1].gives)

    def why(settings: Settings, answer: str) -> str:
        if answer == str(sum(scores)):
            return say("{number} needs one worker to read after the other has written.", number=answer)
        last = by_write(additions(settings))[1]
        return say("The last write decides: worker {worker} writes {value}.", worker=last.worker, value=last.gives)

    def before(settings: Settings) -> Picture:
        alt = say("Both workers, before they begin.")
        return lambda room: draw_update(additions(settings), None, -1, rivals(), room, alt)

    asked = say(
        "Worker 1 adds {one}, worker 2 adds {other}, as drawn. What is the total?", one=scores[0], other=scores[1]
    )
    return Question(asked, (str(scores[0]), str(scores[1]), str(sum(scores))), right, why, before)
