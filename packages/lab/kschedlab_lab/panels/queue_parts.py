"""The parts of v1.13's queue: where a failed pod goes, and what brings it back.

An attempt to schedule ``web`` fails. One event may come before the attempt, during it or afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from kschedlab import build
from kschedlab.build import Manifest
from kschedlab.messages import later, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_order import decoded, waiting
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views import queue_pods
from kschedlab_lab.views.queue_parts import ACTIVE, TRYING, WAITING, Check, Parts, Slot, draw_parts, slot_width
from kschedlab_lab.views.svg import Room, dragged

NOON = 1_772_452_800_000_000
"""2026-03-02T12:00:00Z, the time of web's attempt, in microseconds since 1970."""
PRIORITIES = {"mail": 0, "web": 100}
UNSCHEDULABLE, ERROR = "Unschedulable", "SchedulerError"
NEVER, BEFORE, DURING, AFTER = WHEN = (later("no event"), later("before"), later("during"), later("after"))
MOVE, LABELS, STATUS, DB, CACHE, FLUSH = (
    "MoveAllToActiveQueue",
    later("Update of its labels"),
    later("Update of its status only"),
    "AssignedPodAdded: db",
    "AssignedPodAdded: cache",
    later("flush 61 s later"),
)
CALLS = {
    MOVE: "MoveAllToActiveQueue()",
    LABELS: "Update(web)",
    STATUS: "Update(web)",
    DB: "AssignedPodAdded(db)",
    CACHE: "AssignedPodAdded(cache)",
    FLUSH: "flushUnschedulableQLeftover()",
}
"""By event, the call that it makes."""
WHY = {
    MOVE: later("it brings back everybody"),
    LABELS: later("more than the status changed"),
    STATUS: later("only the status changed"),
    DB: later("web wants to be near app: db"),
    CACHE: later("web does not ask for cache"),
    FLUSH: later("it has waited for more than 60 s"),
}
"""By event, why it brings web back from unschedulableQ, or leaves it there."""


@dataclass(frozen=True)
class Settings(Restorable):
    """``event``: what happens once, and ``when``; ``reason``: why web's attempt fails."""

    when: str = choice("when", WHEN, NEVER)
    event: str = choice("event", tuple(CALLS), MOVE)
    reason: str = choice("it fails with", (UNSCHEDULABLE, ERROR), UNSCHEDULABLE, folded=True)


class Call(NamedTuple):
    """The queue after one call. ``said``: its result; ``cycles``: schedulingCycle and moveRequestCycle.

    ``checks``: the conditions that decided where web goes; ``error``: why the call was refused.
    """

    call: str
    said: str
    active: tuple[str, ...]
    trying: tuple[str, ...]
    unschedulable: tuple[str, ...]
    cycles: tuple[int, int]
    checks: tuple[Check, ...] = ()
    error: str = ""

    @property
    def where(self) -> str:
        """The part of the queue that web is in; one that Update adds is being tried as well."""
        places = {ACTIVE: self.active, WAITING: self.unschedulable, TRYING: self.trying}
        return next(place for place, pods in places.items() if "web" in pods)


class QueueRun:
    """The queue of v1.13 with a clock, and the pods mail and web in it."""

    def __init__(self) -> None:
        self.now, self.labels, self.status = NOON, dict[str, str](), dict[str, Any]()
        self.queue = WithoutBackoff(lambda: self.now)
        self.queue.add(decoded(waiting("mail", PRIORITIES["mail"], 10 * 60)))
        self.queue.add(self.web)

    @property
    def web(self) -> Pod:
        return decoded(manifest() | {"status": self.status}, **self.labels)

    def happen(self, event: str) -> None:
        """What the watch of the API server, or the timer, reports."""
        old = self.web
        if event == MOVE:
            self.queue.move(NODE_ADD)
        elif event in (DB, CACHE):
            app = event.rpartition(" ")[2]
            self.queue.assigned_pod_added(decoded(build.pod(app, "node-a", labels={"app": app})))
        elif event == FLUSH:
            self.now += 61 * SECOND
            self.queue.flush_unschedulable()
        else:
            if event == LABELS:
                self.labels = {"tier": "gold"}
            else:
                self.status = self.status | {"phase": "Pending"}
            self.queue.update(old, self.web)

    def condition(self, reason: str) -> None:
        """The attempt has failed, and the pod's condition says why."""
        noon = "2026-03-02T12:00:00Z"
        condition = {"type": "PodScheduled", "status": "False", "reason": reason, "lastProbeTime": noon}
        self.status = self.status | {"conditions": [condition]}

    def call(self, call: str, said: str, *trying: str) -> Call:
        """The queue after this call."""
        queue = self.queue
        active, waits = (
            (key.partition("/")[2] for key in keys) for keys in (queue.active_q.data.queue, queue.unschedulable_q.pods)
        )
        return Call(call, said, tuple(active), trying, tuple(waits), (queue.scheduling_cycle, queue.move_request_cycle))


def manifest() -> Manifest:
    """The pod web, which requires a pod ``app: db`` nearby."""
    near = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    made = waiting("web", PRIORITIES["web"], 11 * 60)
    made["spec"]["affinity"] = affinity
    return made


def calls(settings: Settings) -> list[Call]:
    """The story, call by call."""
    return [*_calls(settings.event, settings.when, settings.reason)]


def _calls(event: str, when: str, reason: str) -> Iterator[Call]:
    run = QueueRun()
    yield run.call("Add(mail), Add(web)", say("web waits in activeQ, as its head"))
    if when == BEFORE:
        yield _event(
            run, event, later("it notes the schedulingCycle in moveRequestCycle"), later("web stays in activeQ")
        )
    queued = run.queue.pop()
    assert queued is not None
    cycle = run.queue.scheduling_cycle
    said = say("web is taken off and tried; its podSchedulingCycle is {cycle}", cycle=cycle)
    yield run.call("Pop()", said, "web")
    if when == DURING:
        added = later("web is in neither part, so it is added to activeQ")
        alone = added if event in (LABELS, STATUS) else later("nobody is in unschedulableQ")
        yield _event(run, event, later("web is not in the queue, but its cycle is noted"), alone, "web")
    call, moved = f"AddUnschedulableIfNotPresent(web, {cycle})", run.queue.move_request_cycle
    run.condition(reason)
    queued.record_failure(run.web)
    try:
        run.queue.add_unschedulable(queued, cycle)
    except ValueError as refusal:
        yield run.call(call, say('error: "{error}"', error=str(refusal)))._replace(error=str(refusal))
        return
    checks = (
        Check(f"podSchedulingCycle {cycle} > moveRequestCycle {moved}", cycle > moved),
        Check("reason Unschedulable", reason == UNSCHEDULABLE),
    )
    message = later("podSchedulingCycle {cycle}, moveRequestCycle {moved}, reason {reason}")
    back = run.call(call, say(message, cycle=cycle, moved=moved, reason=reason))._replace(checks=checks)
    yield back
    if when == AFTER:
        said = later("web is in activeQ already") if back.where == ACTIVE else WHY[event]
        yield _event(run, event, said, said)


def _event(run: QueueRun, event: str, noted: str, else_: str, *trying: str) -> Call:
    """The event. ``noted``: what is said if it counts as a move request; ``else_``: if not."""
    before = run.queue.move_request_cycle
    run.happen(event)
    return run.call(CALLS[event], say(noted if run.queue.move_request_cycle != before else else_), *trying)


def sentence(seen: list[Call], step: int) -> str:
    """What the call did, and where web is."""
    here, before = seen[step], seen[max(step - 1, 0)]
    stays = step and here.where == before.where
    if here.where == TRYING:
        where = say("web is still being tried.") if stays else say("web is being tried.")
    else:
        where = say("web is still in {part}." if stays else "web is in {part}.", part=here.where)
    return sentences([where, say("{call}: {said}.", call=here.call, said=here.said)])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    seen = calls(settings)
    last = len(seen) - 1
    said = sentence(seen, last)
    picture = partial(drawn, settings, seen, last)

    def story(room: Room) -> list[Frame]:
        frames = [Frame(drawn(settings, seen, step, room, fixed=True), sentence(seen, step)) for step in range(last)]
        return [*frames, Frame(picture(room), said)]

    return View(picture, said, Html(), said, idle=idle(settings, seen), story=story)


def idle(settings: Settings, seen: list[Call]) -> dict[str, str]:
    """The settings that nothing depends on, and why."""
    found = {"event": say("no event happens")} if settings.when == NEVER else {}
    if any(each.error for each in seen):
        found["reason"] = say("not asked: Update has added web to activeQ")
    return found


def drawn(
    settings: Settings, seen: list[Call], step: int, room: Room, *, fixed: bool = False, picks: bool = False
) -> Html:
    """The queue after a call. ``fixed``: the event can't be dragged; ``picks``: the parts are answers."""
    here, before = seen[step], seen[max(step - 1, 0)]
    pods = {}
    for part, names in ((ACTIVE, here.active), (TRYING, here.trying), (WAITING, here.unschedulable)):
        ranks = {name: say("priority {priority}", priority=PRIORITIES[name]) for name in names}
        pods[part] = [queue_pods.Pod(name, PRIORITIES[name], rank) for name, rank in ranks.items()]
    added = bool(here.trying) and "web" in here.active
    if added:
        pods[TRYING] = [queue_pods.Pod(say("old web"), PRIORITIES["web"], say("as popped"))]
    said, wide = say("the event: {event}", event=say(settings.when)), round(slot_width(len(WHEN), room), 1)
    slots = [Slot(say(at), {} if fixed else {"data_set": f"when: {at}", "aria_label": say(at)}) for at in WHEN]
    parts = Parts(
        pods,
        here.cycles,
        None if added else (before.where, here.where),
        here.checks,
        here.error,
        tuple(slots),
        WHEN.index(settings.when),
        {} if fixed else dragged("when", "x", wide, said, say("drag the event")),
        picks,
        "" if settings.when == NEVER else say(settings.event),
    )
    return draw_parts(parts, say("The queue while web is being tried.") if picks else sentence(seen, step), room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: [manifest()], "queue_parts.panel()")


# -- questions


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
        return drawn(settings, seen, [each.where for each in seen].index(TRYING), room, fixed=True, picks=True)

    return Question(
        say("A node joins while web is being tried. web fits nowhere. Which part of the queue gets it back?"),
        (ACTIVE, WAITING, say("both")),
        lambda settings: calls(settings)[-1].where,
        why,
        lambda settings: partial(during, settings),
    )


OFFERED = (MOVE, LABELS, CACHE, FLUSH)
"""The events to choose from: one of them leaves web in unschedulableQ."""


def what_leaves_it() -> Question[Settings]:
    """Which event does not bring a waiting pod back."""
    (right,) = (event for event in OFFERED if calls(Settings(AFTER, event))[-1].where == WAITING)

    def why(settings: Settings, answer: str) -> str:
        wrong = [event for event in OFFERED if event != right and say(event) == answer]
        return sentences(say("{event}: {why}.", event=answer, why=say(WHY[each])) for each in wrong)

    def waits(settings: Settings, room: Room) -> Html:
        return drawn(Settings(), calls(Settings()), -1, room, fixed=True)

    return Question(
        say("web waits for a pod app: db. Which of these leaves it in unschedulableQ?"),
        tuple(map(say, OFFERED)),
        lambda _: say(right),
        why,
        lambda settings: partial(waits, settings),
        shows=lambda settings: settings.changed(event=right),
    )
