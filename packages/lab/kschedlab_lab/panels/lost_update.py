"""A lost update: settings -> the order in which two workers read and write one total -> what is left of it, and which
node wins.

Two priorities score node-b: each worker adds one of the scores to node-b's total. The engine computes the scores; who
looks at the picture says which worker takes the next step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, Picture, View
from kschedlab_lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.lost_update import STEP, Adding, Choices, by_write, draw_update, left, lost
from kschedlab_lab.views.score import together
from kschedlab_lab.views.svg import Room

DESIGNS = SHARED, LOCKED, WHOLE, OWN = later("no lock"), later("a lock"), later("one step"), later("own cells")
NODES, NODE = node_names(4), "node-b"
PRIORITIES = ("SelectorSpreadPriority", "TaintTolerationPriority")
"""By worker, the priority whose score it adds."""
EARLY, SOON = 2, 4
"""When the first step is, and how soon after its read a worker that has waited for the lock can write."""
NONE, STEPS = later("none"), 4
"""No step yet; how many there are: each worker reads and writes."""
SEQUENCES = sorted({"".join(each) for each in permutations("1122")})
"""The orders in which two workers can take their two steps each, by their numbers."""
ORDERS = (NONE, *sorted({" ".join(each[:n]) for each in SEQUENCES for n in range(1, STEPS + 1)}))
"""These orders, and how each begins."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What the workers share, and which of them took which step so far."""

    design: str = choice("cure", DESIGNS, SHARED)
    order: str = choice("worker of each step", ORDERS, NONE, folded=True)

    @property
    def taken(self) -> str:
        """The workers' numbers, in the order of their steps; a worker that adds in one step has no second one."""
        taken = "" if self.order == NONE else self.order.replace(" ", "")
        return "".join(dict.fromkeys(taken)) if self.design == WHOLE else taken

    @property
    def steps(self) -> int:
        """How many there are."""
        return STEPS // 2 if self.design == WHOLE else STEPS

    @property
    def pace(self) -> int:
        """How many moments it is from one step to the next."""
        return 2 * STEP - 2 if self.design == WHOLE else STEP

    @property
    def until(self) -> int | None:
        """Up to when something has happened; None: all has."""
        return None if len(self.taken) == self.steps else EARLY + self.pace * len(self.taken) - 1


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
    with cells of their own neither reads. Steps that are not taken yet come last."""
    whole = next(each for each in _sequences(settings.design) if each.startswith(settings.taken))
    pace = settings.pace
    more = pace - 2 if settings.design == WHOLE else 0
    spans = [(EARLY + pace * whole.index(each), EARLY + pace * whole.rindex(each) + more) for each in "12"]
    scores = [row[NODES.index(NODE)] for row in amounts()]
    early, late = sorted((0, 1), key=lambda worker: spans[worker][0])
    own = settings.design == OWN
    locks = settings.design == LOCKED
    first = Adding(early + 1, scores[early], *spans[early], 0, own, locks, whole=settings.design == WHOLE)
    (read, write), waits = spans[late], None
    if locks and read < first.write:
        read, write, waits = first.write + 1, max(write, first.write + 1 + SOON), read
    seen = first.gives if first.write < read and not own else 0
    return first, Adding(late + 1, scores[late], read, write, seen, own, locks, waits, first.whole)


def _sequences(design: str) -> list[str]:
    """The orders in which two workers can take all their steps."""
    return sorted({"".join(dict.fromkeys(each)) for each in SEQUENCES}) if design == WHOLE else SEQUENCES


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = describe(settings)
    return View(lambda room: draw(settings, room, said), said, Html(), said)


def draw(settings: Settings, room: Room, alt: str, asks: bool = False) -> Html:
    """What has happened so far, and unless the picture ``asks``, what one can click."""
    both, steps, taken = additions(settings), _steps(settings), settings.taken
    choices = None if asks else Choices(DESIGNS, settings.design, steps, f"order: {NONE}" if taken else "")
    return draw_update(both, choices, settings.until, rivals(), room, alt)


def _steps(settings: Settings) -> dict[int, str]:
    """By worker that can go on, what its next step sets."""
    taken, until = settings.taken, settings.until
    return {
        each.worker: "order: " + " ".join(f"{taken}{each.worker}")
        for each in additions(settings)
        if taken.count(str(each.worker)) < settings.steps / 2 and not (until is not None and each.is_waiting(until))
    }


def describe(settings: Settings) -> str:
    """What has happened last; in the end what is left of the total, why, and which node wins."""
    if settings.until is None:
        return _outcome(settings)
    is_open = len(_steps(settings)) > 1
    asked = say("Click a step: who takes the next one?") if is_open else say("Click the next step.")
    return sentences((_latest(settings, settings.until), asked))


def _latest(settings: Settings, until: int) -> str:
    """The last step that was taken."""
    both, events = additions(settings), list[tuple[int, str]]()
    for each in both:
        begins = later("Worker {worker} begins.") if each.own else later("Worker {worker} reads {seen}.")
        if each.whole:
            begins = later("Worker {worker} adds {score} in one step.")
        events.append((each.read, say(begins, worker=each.worker, seen=each.seen, score=each.score)))
        if not each.whole:
            events.append((each.write, say("Worker {worker} writes {gives}.", worker=each.worker, gives=each.gives)))
        if each.waits is not None:
            events.append((each.waits, say("Worker {worker} waits for the lock.", worker=each.worker)))
    start = say("The cells are empty.") if both[0].own else say("The total is 0.")
    return max([(-1, start), *(each for each in events if each[0] <= until)])[1]


def _outcome(settings: Settings) -> str:
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
        "The {lost} is lost: worker {worker} had not seen it. The total is {total} instead of {right}, and {best}.",
        worker=last.worker,
        lost=gone.score,
        total=last.gives,
        right=sums[NODE],
        best=say(best, node=NODE, others=together(ahead)),
    )


def _safe(last: Adding) -> str:
    """Why nothing is lost."""
    if last.own:
        return say("Each worker writes its own cell, and waits for nobody. Then one adds up.")
    if last.whole:
        return say("Nothing comes between a worker's read and its write.")
    if last.waits is not None:
        return say("Worker {worker} has waited for the lock.", worker=last.worker)
    return say("One worker reads after the other has written.")


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "lost_update.panel()")


def what_is_left() -> Question[Settings]:
    """What is the total, once both have written?"""
    scores = [row[NODES.index(NODE)] for row in amounts()]

    def written(settings: Settings) -> Settings:
        return settings.changed(order="1 2 1 2")

    def right(settings: Settings) -> str:
        return str(by_write(additions(written(settings)))[1].gives)

    def why(settings: Settings, answer: str) -> str:
        first, last = by_write(additions(written(settings)))
        if answer == str(first.gives):
            return say("Worker {worker} writes {value} over it.", worker=last.worker, value=last.gives)
        message = later("Worker {worker} has read {seen}, so it writes {value}, and the {lost} is lost.")
        return say(message, worker=last.worker, seen=last.seen, value=last.gives, lost=first.score)

    def before(settings: Settings) -> Picture:
        return lambda room: draw(settings, room, say("Both workers have read the total."), asks=True)

    asked = say("Both have read 0. Now worker 1 writes, then worker 2. What is the total?")
    return Question(asked, (str(scores[0]), str(scores[1]), str(sum(scores))), right, why, before, shows=written)
