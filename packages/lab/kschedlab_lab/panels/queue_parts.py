"""The parts of v1.13's queue: where a failed pod goes.

The pod ``mail`` was refused before ``web`` came. An attempt to schedule ``web`` fails. A node joins before the attempt,
during it or afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from kschedlab.build import HOUR, Manifest
from kschedlab.messages import later, listed, say
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_waiting import NOON, UNSET, decoded, waiting
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.queue_parts import ACTIVE, TRYING, WAITING, Parts, Slot, draw_parts, slot_width
from kschedlab_lab.views.svg import Room, dragged

BEFORE, DURING, AFTER = WHEN = (later("before"), later("during"), later("after"))
PODS, PRIORITY = ("mail", "web"), 100


@dataclass(frozen=True)
class Settings(Restorable):
    """When a node joins."""

    when: str = choice("a node joins", WHEN, DURING, folded=True)


class Call(NamedTuple):
    """The queue after one call. ``said``: what the call did; ``pods``: by part; ``note``: what the queue counts."""

    said: str
    pods: dict[str, tuple[str, ...]]
    note: str

    @property
    def where(self) -> str:
        """The part that web is in."""
        return next(part for part, names in self.pods.items() if "web" in names)


class QueueRun:
    """The queue of v1.13. web arrived while mail was tried; mail waits, and web is ready.

    ``compared``: moveRequestCycle when web failed.
    """

    def __init__(self) -> None:
        self.queue = WithoutBackoff(lambda: NOON)
        self.compared: int | None = None
        self.queue.add(decoded(manifest("mail")))
        mail = self.pop()
        self.queue.add(decoded(manifest("web")))
        self.give_back(mail)

    def pop(self) -> QueuedPodInfo:
        queued = self.queue.pop()
        assert queued is not None
        return queued

    def give_back(self, queued: QueuedPodInfo, cycle: int = 1) -> None:
        """The attempt has failed, and the pod's condition says why."""
        queued.record_failure(decoded(manifest(queued.pod.metadata.name, failed=True)))
        self.queue.add_unschedulable(queued, cycle)

    def call(self, said: str, trying: str = "", web: int = 0) -> Call:
        """The queue after this call. ``web``: the number of web's Pop, once it is known."""
        queue = self.queue
        parts = {ACTIVE: queue.active_q.data.queue, WAITING: queue.unschedulable_q.pods}
        pods = {part: tuple(key.partition("/")[2] for key in keys) for part, keys in parts.items()}
        pods[TRYING] = (trying,) if trying else ()
        so_far = say("so far: Pop {cycle}", cycle=queue.scheduling_cycle)
        popped = say("Pop {cycle} took web", cycle=web) if web else so_far
        return Call(said, pods, f"{popped} · {self._event()}")

    def _event(self) -> str:
        """The last event; once web has failed, the one that decided where it went."""
        if self.compared is None:
            moved = self.queue.move_request_cycle
            return say("last event: after Pop {cycle}", cycle=moved) if moved >= 0 else say("last event: none yet")
        if self.compared >= 0:
            return say("last event before it failed: after Pop {cycle}", cycle=self.compared)
        return say("last event before it failed: none")


def manifest(name: str, failed: bool = False) -> Manifest:
    """One of the two pods, before or after an attempt."""
    tried = 12 * HOUR if failed else UNSET
    return waiting(name, PRIORITY, 11 * HOUR, tried, tried)


def calls(settings: Settings) -> list[Call]:
    """The story, call by call."""
    return [*_calls(settings.when)]


def _calls(when: str) -> Iterator[Call]:
    run = QueueRun()
    yield run.call(say("Pop 1 took mail. While it was tried, web arrived. mail fits nowhere and waits."))
    if when == BEFORE:
        yield _node_joins(run)
    queued, cycle = run.pop(), run.queue.scheduling_cycle
    yield run.call(say("Pop {cycle} takes web.", cycle=cycle), "web", cycle)
    if when == DURING:
        yield _node_joins(run, "web", cycle)
    run.give_back(queued, cycle)
    run.compared = run.queue.move_request_cycle
    if run.queue.unschedulable_q.get(queued.key) is not None:
        said = say("web fits nowhere and has missed no event: it waits in unschedulableQ.")
    else:
        said = say("web fits nowhere but may have missed an event: it goes back to activeQ.")
    yield run.call(said, web=cycle)
    if when == AFTER:
        yield _node_joins(run, web=cycle)


def _node_joins(run: QueueRun, trying: str = "", web: int = 0) -> Call:
    names = [each.pod.metadata.name for each in run.queue.unschedulable_q]
    run.queue.move(NODE_ADD)
    return run.call(say("A node joins and moves {pods} to activeQ.", pods=listed(names)), trying, web)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    seen = calls(settings)
    said = seen[-1].said

    def story(room: Room) -> list[Frame]:
        frames = [Frame(drawn(settings, seen, step, room, fixed=True), each.said) for step, each in enumerate(seen)]
        return [*frames[:-1], Frame(drawn(settings, seen, -1, room), said)]

    return View(lambda room: drawn(settings, seen, -1, room), said, Html(), said, story=story)


def drawn(
    settings: Settings, seen: list[Call], step: int, room: Room, *, fixed: bool = False, picks: bool = False
) -> Html:
    """The queue after a call. ``fixed``: the event can't be dragged; ``picks``: the parts are answers."""
    here, before = seen[step], seen[step - 1] if step else seen[0]
    said, wide = say("a node joins {when}", when=say(settings.when)), round(slot_width(len(WHEN), room), 1)
    parts = Parts(
        here.pods,
        PRIORITY,
        "" if picks else here.note,
        (before.where, here.where),
        tuple(Slot(say(at), {} if fixed else {"data_set": f"when: {at}", "aria_label": say(at)}) for at in WHEN),
        WHEN.index(settings.when),
        say("a node joins"),
        {} if fixed else dragged("when", "x", wide, said, say("drag the event")),
        picks,
    )
    return draw_parts(parts, say("The queue while web is being tried.") if picks else here.said, room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: [*map(manifest, PODS)], "queue_parts.panel()")


def where_to() -> Question[Settings]:
    """Where a pod goes that failed although an event came during its attempt."""

    def why(settings: Settings, answer: str) -> str:
        if answer == say("both"):
            return say("A pod is never in two parts: each call looks into both first.")
        return say(
            "web was in no part of the queue, so the event could not move it. The attempt may have looked at the "
            "cluster before the event: in unschedulableQ web would miss it."
        )

    def during(settings: Settings, room: Room) -> Html:
        seen = calls(settings)
        step = [each.where for each in seen].index(TRYING)
        return drawn(settings, seen, step, room, fixed=True, picks=True)

    return Question(
        say("v1.13 is trying web when a node joins. The try finds no node for web. Where does web go?"),
        (ACTIVE, WAITING, say("both")),
        lambda settings: calls(settings)[-1].where,
        why,
        lambda settings: partial(during, settings),
    )
