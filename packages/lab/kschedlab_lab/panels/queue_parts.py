"""The parts of the queue of v1.13 and of v1.37: where a failed pod goes.

An attempt to schedule ``web`` fails. An event happens before the attempt, during it or afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from kschedlab import build
from kschedlab.build import HOUR, Manifest
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.queue.events import ASSIGNED_POD_DELETE, NODE, event
from kschedlab.queue.interface import ClusterEvent
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.queue.with_events import WithEvents
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_waiting import NOON, UNSET, decoded, waiting
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.lettering import with_minus
from kschedlab_lab.views.queue_parts import (
    ACTIVE,
    ASLEEP,
    BACKOFF,
    TRYING,
    WAITING,
    Parts,
    Slot,
    draw_parts,
    slot_width,
)
from kschedlab_lab.views.svg import Room, dragged
from kschedlab_simulation.scheduler.hints.table import queueing_hints

OLD, NEW = VERSIONS = ("v1.13", "v1.37")
BEFORE, DURING, AFTER = WHEN = (later("before"), later("during"), later("after"))
ENDS, LABEL = EVENTS = (later("a pod ends"), later("a new label"))
HAPPENS = {ENDS: later("A pod ends on a node."), LABEL: later("A node gets a label.")}
PRIORITY, CPU = 100, 3
Queue = TypeVar("Queue", WithoutBackoff, WithEvents)
Happened: TypeAlias = tuple[ClusterEvent, Any, Any]
"""An event, and the object before it and after it."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What happens in the cluster, when, and in which version."""

    version: str = choice("version", VERSIONS, OLD)
    event: str = choice("event", EVENTS, ENDS)
    when: str = choice("when", WHEN, DURING, folded=True)


class Call(NamedTuple):
    """The queue after one call. ``said``: what the call did; ``pods``: by part; ``notes``: what the queue counts, and
    what it compares.
    """

    said: str
    pods: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]

    @property
    def where(self) -> str:
        """The part that web is in."""
        return next(part for part, names in self.pods.items() if "web" in names)


class Run(Generic[Queue]):
    """web is ready. ``event``: what happens in the cluster; ``web``: the number of web's Pop, 0 before it."""

    def __init__(self, queue: Queue, event: str) -> None:
        self.queue: Queue = queue
        self.event, self.web = event, 0
        self.queue.add(decoded(manifest()))

    def take_web(self) -> QueuedPodInfo:
        queued = self.queue.pop()
        assert queued is not None
        self.web = self.queue.scheduling_cycle
        return queued


class OldRun(Run[WithoutBackoff]):
    """The queue of v1.13. ``compared``: moveRequestCycle when web failed; ``moved``: an event came after that."""

    def __init__(self, event: str) -> None:
        super().__init__(WithoutBackoff(lambda: NOON), event)
        self.compared: int | None = None
        self.moved = False

    def happens(self, trying: str = "") -> Call:
        self.moved = "web" in names(self.queue.unschedulable_q)
        self.queue.move(*happened(self.event))
        moves = say("It moves web to activeQ.") if self.moved else say("It moves nobody: unschedulableQ is empty.")
        return self.call(sentences([say(HAPPENS[self.event]), moves]), trying)

    def fails(self, queued: QueuedPodInfo) -> Call:
        """The attempt has failed; the pod's condition says why."""
        queued.record_failure(decoded(manifest(failed=True)))
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)
        self.compared = self.queue.move_request_cycle
        if self.queue.unschedulable_q.get(queued.key) is not None:
            said = say("web fits nowhere and has missed no event: it waits in unschedulableQ.")
        else:
            said = say("web fits nowhere but may have missed an event: it goes back to activeQ.")
        return self.call(said)

    def call(self, said: str, trying: str = "") -> Call:
        """The queue after this call."""
        queue = self.queue
        pods = {ACTIVE: names(queue.active_q), WAITING: names(queue.unschedulable_q)}
        pods[TRYING] = (trying,) if trying else ()
        popped = [say("web: Pop {cycle}", cycle=self.web)] if self.web else []
        compared = () if self.compared is None else (_answer(self.web, self.compared, self.moved),)
        return Call(said, pods, (" · ".join([*popped, self._event()]), *compared))

    def _event(self) -> str:
        """The last event; once web has failed, the one that decided where it went."""
        before = self.queue.move_request_cycle if self.compared is None else self.compared
        if before >= 0:
            return say("Pops before the event: {cycle}", cycle=before)
        return say("no event so far: −1") if self.compared is None else say("no event before it failed: −1")


def _answer(pop: int, event: int, moved: bool) -> str:
    """What v1.13 compares when a pod fails: its Pop's number with the Pops before the last event.

    ``moved``: an event that came later has moved the pod.
    """
    waits, back, after = (
        later("Popped after the event ({pop} > {event})? Yes: to unschedulableQ"),
        later("Popped after the event ({pop} > {event})? No: to activeQ"),
        later("{pop} > {event}: to unschedulableQ; then the event moved it"),
    )
    return say(after if moved else waits if pop > event else back, pop=pop, event=with_minus(str(event)))


class NewRun(Run[WithEvents]):
    """The queue of v1.37. ``note``: which events the queue has kept for web."""

    def __init__(self, event: str) -> None:
        super().__init__(WithEvents(lambda: NOON, queueing_hints(GENERATIONS[NEW].filters)), event)
        self.note = say("inFlightEvents: nothing is being tried")

    def happens(self, trying: str = "") -> Call:
        self.queue.move(*happened(self.event))
        if trying:
            does = say("It is noted for web.")
        elif "web" in names(self.queue.backoff):
            does = say("It may help web, which failed less than 1 s ago: to backoffQ.")
        else:
            does = say("It helps nobody here.")
        return self.call(sentences([say(HAPPENS[self.event]), does]), trying)

    def fails(self, queued: QueuedPodInfo) -> Call:
        kept = self._kept()
        queued.record_failure(queued.pod, ["NodeResourcesFit"])
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)
        helps = "web" in names(self.queue.backoff)
        if helps:
            said = say("web fits nowhere, but the event that was noted may help it: it goes to backoffQ for 1 s.")
            answer = say("plugin: may help")
        elif kept:
            said = say("web fits nowhere, and the event that was noted can't help it: it waits in unschedulablePods.")
            answer = say("plugin: can't help")
        else:
            said, answer = say("web fits nowhere, and no event was noted: it waits in unschedulablePods."), ""
        self.note = say("inFlightEvents: {events}", events=self._events(kept)) + (f" · {answer}" if answer else "")
        return self.call(said)

    def call(self, said: str, trying: str = "") -> Call:
        """The queue after this call."""
        queue = self.queue
        pods = {ACTIVE: names(queue.active), BACKOFF: names(queue.backoff), ASLEEP: names(queue.unschedulable)}
        pods[TRYING] = (trying,) if trying else ()
        note = say("inFlightEvents: {events}", events=self._events(self._kept())) if trying else self.note
        return Call(said, pods, (note,))

    def _kept(self) -> int:
        """How many events the queue has kept for web, which is being tried."""
        return len([*(self.queue.in_flight.events_since_pop("uid-web") or ())])

    def _events(self, kept: int) -> str:
        return say(self.event) if kept else say("none since the Pop")


RUNS: dict[str, type[OldRun] | type[NewRun]] = {OLD: OldRun, NEW: NewRun}


def names(queued: Iterable[QueuedPodInfo]) -> tuple[str, ...]:
    return tuple(each.pod.metadata.name for each in queued)


def happened(name: str) -> Happened:
    """The event of this name."""
    if name == ENDS:
        return ASSIGNED_POD_DELETE, decoded(build.pod("job", "node-a", 1)), None
    labels: tuple[dict[str, str], ...] = ({}, {"disk": "ssd"})
    before, after = (decode_objects([build.node("node-a", 4, labels=each)]).nodes[0] for each in labels)
    return event(NODE, "UpdateNodeLabel"), before, after


def manifest(failed: bool = False) -> Manifest:
    """The pod, before or after an attempt."""
    tried = 12 * HOUR if failed else UNSET
    return waiting("web", PRIORITY, 11 * HOUR, tried, tried, CPU)


def calls(settings: Settings) -> list[Call]:
    """The story, call by call."""
    return [*_calls(settings)]


def _calls(settings: Settings) -> Iterator[Call]:
    run, when = RUNS[settings.version](settings.event), settings.when
    yield run.call(say("web is ready."))
    if when == BEFORE:
        yield run.happens()
    queued = run.take_web()
    yield run.call(say("Pop {cycle} takes web.", cycle=run.web), "web")
    if when == DURING:
        yield run.happens("web")
    yield run.fails(queued)
    if when == AFTER:
        yield run.happens()


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
    said = say("{event} {when}", event=say(settings.event), when=say(settings.when))
    wide = round(slot_width(len(WHEN), room), 1)
    parts = Parts(
        here.pods,
        PRIORITY,
        () if picks else here.notes,
        (before.where, here.where),
        tuple(Slot(say(at), {} if fixed else {"data_set": f"when: {at}", "aria_label": say(at)}) for at in WHEN),
        WHEN.index(settings.when),
        say(settings.event),
        {} if fixed else dragged("when", "x", wide, said, say("drag the event")),
        picks,
    )
    return draw_parts(parts, say("The queue while web is being tried.") if picks else here.said, room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: [manifest()], "queue_parts.panel()")


def where_to() -> Question[Settings]:
    """Where a pod goes that failed although an event came during its attempt."""

    def why(settings: Settings, answer: str) -> str:
        if answer == say("both"):
            return say("A pod is never in two parts: each call looks into both first.")
        return say(
            "The attempt may have looked at the nodes before the pod ended. In unschedulableQ, web would miss that "
            "event."
        )

    def during(settings: Settings, room: Room) -> Html:
        seen = calls(settings)
        step = [each.where for each in seen].index(TRYING)
        return drawn(settings, seen, step, room, fixed=True, picks=True)

    return Question(
        say("While v1.13 tries web, a pod ends. The try fails. Where does web go?"),
        (ACTIVE, WAITING, say("both")),
        lambda settings: calls(settings)[-1].where,
        why,
        lambda settings: partial(during, settings),
    )
