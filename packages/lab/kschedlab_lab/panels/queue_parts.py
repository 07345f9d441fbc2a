"""The parts of v1.13's queue: where a failed pod goes.

An attempt to schedule ``web`` fails; an event may occur before or during it.
:mod:`kschedlab_lab.panels.queue_returns` compares the events that may come afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from kschedlab.messages import later, say, sentences
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_heap_watched import name
from kschedlab_lab.panels.queue_parts_run import (
    BEFORE,
    CHANGED,
    DURING,
    ERROR,
    NEVER,
    PRIORITIES,
    UNSCHEDULABLE,
    QueueRun,
    manifest,
)
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views import queue_pods
from kschedlab_lab.views.queue_parts import (
    ACTIVE,
    TRYING,
    WAITING,
    Check,
    Parts,
    Slot,
    draw_parts,
    slot_width,
)
from kschedlab_lab.views.svg import Room, dragged


@dataclass(frozen=True)
class Settings(Restorable):
    """``meanwhile``: the event before or during web's attempt; ``reason``: why that fails."""

    meanwhile: str = choice("meanwhile", (NEVER, BEFORE, DURING, CHANGED), NEVER)
    reason: str = choice("it fails with", (UNSCHEDULABLE, ERROR), UNSCHEDULABLE)


SLOTS = {NEVER: later("no event"), BEFORE: "MoveAll", DURING: "MoveAll", CHANGED: "Update"}


class Call(NamedTuple):
    """The queue after one call. ``said``: its result; ``cycles``: both counters.

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
        """The part of the queue that web is in."""
        return " and ".join(self._parts)

    @property
    def shown(self) -> str:
        """The same in the chosen language."""
        first, *tried = self._parts
        return say("{part} and being tried", part=first) if tried else say(first)

    @property
    def _parts(self) -> list[str]:
        """Web is in one of them, and perhaps being tried as well."""
        places = {ACTIVE: self.active, WAITING: self.unschedulable, TRYING: self.trying}
        return [place for place, pods in places.items() if "web" in pods]


def calls(settings: Settings) -> tuple[Call, ...]:
    """The story, call by call."""
    return tuple(_calls(settings.meanwhile, settings.reason))


def _calls(meanwhile: str, reason: str) -> Iterator[Call]:
    run = QueueRun()
    yield _call(run, "Add(mail), Add(web)", say("web waits in activeQ, as its head"))
    if meanwhile == BEFORE:
        run.move()
        yield _call(run, "MoveAllToActiveQueue()", say("it notes the schedulingCycle in moveRequestCycle"))
    queued = run.queue.pop()
    assert queued is not None
    cycle = run.queue.scheduling_cycle
    tried = say("web is taken off and tried; its podSchedulingCycle is {cycle}", cycle=cycle)
    yield _call(run, "Pop()", tried, ("web",))
    if meanwhile == DURING:
        run.move()
        yield _call(run, "MoveAllToActiveQueue()", say("web is not in the queue, but its cycle is noted"), ("web",))
    if meanwhile == CHANGED:
        run.update({"tier": "silver"})
        yield _call(run, "Update(web)", say("web is in neither part, so it is added to activeQ"), ("web",))
    call, moved = f"AddUnschedulableIfNotPresent(web, {cycle})", run.queue.move_request_cycle
    try:
        run.give_back(queued, {"tier": "silver"} if meanwhile == CHANGED else None, reason)
    except ValueError as refusal:
        yield _call(run, call, say('error: "{error}"', error=str(refusal)))._replace(error=str(refusal))
        return
    message = later("podSchedulingCycle {cycle}, moveRequestCycle {moved}, reason {reason}")
    checks = (
        Check(f"podSchedulingCycle {cycle} > moveRequestCycle {moved}", cycle > moved),
        Check("reason Unschedulable", reason == UNSCHEDULABLE),
    )
    yield _call(run, call, say(message, cycle=cycle, moved=moved, reason=reason))._replace(checks=checks)


def _call(run: QueueRun, call: str, said: str, trying: tuple[str, ...] = ()) -> Call:
    queue = run.queue
    active, waiting = (tuple(map(name, keys)) for keys in (queue.active_q.data.queue, queue.unschedulable_q.pods))
    return Call(call, said, active, trying, waiting, (queue.scheduling_cycle, queue.move_request_cycle))


def sentence(seen: tuple[Call, ...], step: int) -> str:
    """What the call did, and where web is."""
    here, before = seen[step], seen[max(step - 1, 0)]
    what = say("{call}: {said}.", call=here.call, said=here.said)
    stays = step and here.where == before.where
    if here.where == TRYING:
        where = say("web is still being tried.") if stays else say("web is being tried.")
    else:
        where = say("web is still in {part}." if stays else "web is in {part}.", part=here.shown)
    return sentences([where, what])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    seen = calls(settings)
    last = len(seen) - 1
    said = sentence(seen, last)
    picture = partial(drawn, settings, seen, last, last=True)

    def story(room: Room) -> list[Frame]:
        frames = [Frame(drawn(settings, seen, step, room), sentence(seen, step)) for step in range(last)]
        return [*frames, Frame(picture(room), said)]

    return View(picture, said, Html(), said, story=story)


def during_the_attempt(settings: Settings, room: Room) -> Html:
    """The queue just before web is handed back, or before Update has put it into a part; the parts can be picked."""
    seen = calls(settings)
    step = max(n for n, each in enumerate(seen) if each.where == TRYING)
    return drawn(settings, seen, step, room, picks=True)


def drawn(
    settings: Settings, seen: tuple[Call, ...], step: int, room: Room, *, last: bool = False, picks: bool = False
) -> Html:
    """The queue after a call. ``last``: the event can be dragged; ``picks``: the parts are answers."""
    here, before = seen[step], seen[max(step - 1, 0)]
    pods = {
        part: [
            queue_pods.Pod(name, PRIORITIES[name], say("priority {priority}", priority=PRIORITIES[name]))
            for name in names
        ]
        for part, names in ((ACTIVE, here.active), (TRYING, here.trying), (WAITING, here.unschedulable))
    }
    if here.trying and here.active.count("web"):
        pods[TRYING] = [queue_pods.Pod(say("old web"), PRIORITIES["web"], say("as popped"))]
    said, wide = say("the event: {event}", event=say(settings.meanwhile)), round(slot_width(len(SLOTS), room), 1)
    handle = dragged("meanwhile", "x", wide, said, say("drag the event"))
    slots = tuple(
        Slot(words, {"data_set": f"meanwhile: {at}", "aria_label": say(at)} if last else {})
        for at, words in SLOTS.items()
    )
    parts = Parts(
        pods,
        here.cycles,
        (before.where, here.where),
        here.checks,
        here.error,
        slots,
        list(SLOTS).index(settings.meanwhile),
        handle if last else {},
        picks,
        settings.meanwhile == NEVER,
    )
    return draw_parts(parts, say("The queue while web is being tried.") if picks else sentence(seen, step), room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: [manifest()], "queue_parts.panel()")


def where_to() -> Question[Settings]:
    """Where a pod goes that failed although an event came during its attempt."""

    def right(settings: Settings) -> str:
        return next(each.where for each in calls(settings) if each.call.startswith("AddUnschedulable"))

    def why(settings: Settings, answer: str) -> str:
        if answer == say("both"):
            return say("A pod is never in two parts: each call looks into both first.")
        return say(
            "The event came while web was in no part of the queue, so it could not move web. The attempt may "
            "have looked at the cluster before the event. In unschedulableQ web would miss what it waits for, so "
            "it is tried again."
        )

    return Question(
        say("A node joins while web is being tried. web fits nowhere. Which part of the queue gets it back?"),
        (ACTIVE, WAITING, say("both")),
        right,
        why,
        lambda settings: partial(during_the_attempt, settings),
    )
