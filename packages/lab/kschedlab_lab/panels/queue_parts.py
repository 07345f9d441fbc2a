"""The parts of v1.13's queue: where a failed pod goes.

An attempt to schedule ``web`` fails; an event may occur before, during or after it.
:mod:`kschedlab_lab.panels.queue_returns` compares the events that may come afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from kschedlab.messages import later, say, sentences, terms
from kschedlab.queue.older.without_backoff import WithoutBackoff, is_pod_unschedulable
from kschedlab.text.html import Html
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_heap_watched import decoded
from kschedlab_lab.panels.queue_parts_run import (
    AFTERWARDS,
    BEFORE,
    CHANGED,
    DURING,
    ERROR,
    NEVER,
    UNSCHEDULABLE,
    Run,
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
from kschedlab_lab.views.svg import Room


@dataclass(frozen=True)
class Settings(Restorable):
    """Events around web. ``meanwhile``: before or during its attempt; ``reason``: why it fails; ``then``: after it."""

    meanwhile: str = choice("meanwhile", (NEVER, BEFORE, DURING, CHANGED), NEVER)
    reason: str = choice("it fails with", (UNSCHEDULABLE, ERROR), UNSCHEDULABLE)
    then: str = choice("afterwards", AFTERWARDS, "nothing", folded=True)


SLOTS = {NEVER: later("no event"), BEFORE: "MoveAll", DURING: "MoveAll", CHANGED: "Update"}
SHORT = {"MoveAllToActiveQueue": "MoveAll"}
"""How the picture calls a call that is too long for it."""
PRIORITIES = {"mail": 0, "web": 100}


class Call(NamedTuple):
    """The queue after one call. ``told``: its result, with ``values``; ``cycles``: both counters.

    ``checks``: the conditions that decided where web goes; ``error``: why the call was refused.
    """

    call: str
    told: str
    active: tuple[str, ...]
    trying: tuple[str, ...]
    unschedulable: tuple[str, ...]
    cycles: tuple[int, int]
    checks: tuple[Check, ...] = ()
    error: str = ""
    values: tuple[tuple[str, object], ...] = ()

    @property
    def said(self) -> str:
        """Its result in the chosen language."""
        return say(self.told, **dict(self.values))

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


@lru_cache(128)
def calls(meanwhile: str, reason: str, then: str) -> tuple[Call, ...]:
    """The story, call by call."""
    return tuple(_calls(meanwhile, reason, then))


def _calls(meanwhile: str, reason: str, then: str) -> Iterator[Call]:
    run = Run()
    yield _call(run, "Add(mail), Add(web)", later("web waits in activeQ, as its head"))
    if meanwhile == BEFORE:
        run.move()
        yield _call(run, "MoveAllToActiveQueue()", later("it notes the schedulingCycle in moveRequestCycle"))
    queued = run.queue.pop()
    assert queued is not None
    cycle = run.queue.scheduling_cycle
    tried = later("web is taken off and tried; its podSchedulingCycle is {cycle}")
    yield _call(run, "Pop()", tried, trying=True, values=(("cycle", cycle),))
    if meanwhile == DURING:
        run.move()
        yield _call(
            run, "MoveAllToActiveQueue()", later("web is not in the queue, but its cycle is noted"), trying=True
        )
    if meanwhile == CHANGED:
        run.update({"tier": "silver"})
        yield _call(run, "Update(web)", later("web is in neither part, so it is added to activeQ"), trying=True)
    labels = {"tier": "silver"} if meanwhile == CHANGED else None
    run.pod = decoded(manifest(labels, reason))
    queued.record_failure(run.pod)
    moved = run.queue.move_request_cycle
    checks: tuple[Check, ...] = (
        Check(f"podSchedulingCycle {cycle} > moveRequestCycle {moved}", cycle > moved),
        Check("reason Unschedulable", is_pod_unschedulable(run.pod)),
    )
    error = ""
    try:
        run.queue.add_unschedulable(queued, cycle)
        said = later("podSchedulingCycle {cycle}, moveRequestCycle {moved}, reason {reason}")
        values: tuple[tuple[str, object], ...] = (("cycle", cycle), ("moved", moved), ("reason", reason))
    except ValueError as refusal:
        error, checks = str(refusal), ()
        said, values = later('error: "{error}"'), (("error", error),)
    yield _call(run, f"AddUnschedulableIfNotPresent(web, {cycle})", said, checks=checks, error=error, values=values)
    if then != "nothing":
        AFTERWARDS[then](run, reason)
        yield _call(run, then, "")


def _call(
    run: Run,
    call: str,
    said: str,
    trying: bool = False,
    checks: tuple[Check, ...] = (),
    error: str = "",
    values: tuple[tuple[str, object], ...] = (),
) -> Call:
    queue = run.queue
    active, waiting = (tuple(key.partition("/")[2] for key in keys) for keys in _keys(queue))
    cycles = (queue.scheduling_cycle, queue.move_request_cycle)
    return Call(call, said, active, ("web",) if trying else (), waiting, cycles, checks, error, values)


def _keys(queue: WithoutBackoff) -> tuple[list[str], list[str]]:
    return queue.active_q.data.queue, list(queue.unschedulable_q.pods)


def of(settings: Settings) -> tuple[Call, ...]:
    return calls(settings.meanwhile, settings.reason, settings.then)


def sentence(seen: tuple[Call, ...], step: int) -> str:
    """What the call did, and where web is."""
    here, before = seen[step], seen[max(step - 1, 0)]
    call = say(here.call)
    what = say("{call}: {said}.", call=call, said=here.said) if here.said else say("{call}.", call=call)
    stays = step and here.where == before.where
    if here.where == TRYING:
        where = say("web is still being tried.") if stays else say("web is being tried.")
    else:
        where = say("web is still in {part}." if stays else "web is in {part}.", part=here.shown)
    return sentences([where, what])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    seen = of(settings)
    said = sentence(seen, len(seen) - 1)
    rows = [[str(n), say(each.call), each.shown, *map(str, each.cycles)] for n, each in enumerate(seen)]
    head = [*terms("step", "call", "web is in"), "schedulingCycle", "moveRequestCycle"]
    text = "\n".join([said, *aligned([head, *rows])])
    return View(
        lambda room: picture(settings, room),
        said,
        table(head[1:], (row(*cells[1:]) for cells in rows)),
        text,
        story=lambda room: story(settings, room),
    )


def picture(settings: Settings, room: Room) -> Html:
    seen = of(settings)
    return drawn(settings, len(seen) - 1, room, last=True)


def story(settings: Settings, room: Room) -> list[Frame]:
    """Call by call; the last picture is the panel's."""
    seen = of(settings)
    frames = [Frame(drawn(settings, step, room), sentence(seen, step)) for step in range(len(seen) - 1)]
    return [*frames, Frame(picture(settings, room), sentence(seen, len(seen) - 1))]


def during_the_attempt(settings: Settings, room: Room) -> Html:
    """The queue just before web is handed back, or before Update has put it into a part; the parts can be picked."""
    step = max(n for n, each in enumerate(of(settings)) if each.where == TRYING)
    return drawn(settings, step, room, picks=True)


def drawn(settings: Settings, step: int, room: Room, *, last: bool = False, picks: bool = False) -> Html:
    """The queue after a call. ``last``: the event can be dragged; ``picks``: the parts are answers."""
    seen = of(settings)
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
    checks = next((each.checks for each in reversed(seen[: step + 1]) if each.checks), ())
    error = next((each.error for each in seen[: step + 1] if each.error), "")
    wide = round(slot_width(len(SLOTS), room), 1)
    handle: queue_pods.Handle = {
        "data_drag": "meanwhile",
        "data_axis": "x",
        "data_step": wide,
        "data_tip": say("drag the event"),
        "aria_label": say("the event: {event}", event=say(settings.meanwhile)),
    }
    slots = tuple(
        Slot(words, {"data_set": f"meanwhile: {at}", "aria_label": say(at)} if last else {})
        for at, words in SLOTS.items()
    )
    parts = Parts(
        pods,
        here.cycles,
        (before.where, here.where),
        checks,
        error,
        slots,
        list(SLOTS).index(settings.meanwhile),
        handle if last else {},
        say(SHORT.get(settings.then, settings.then)),
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
        return next(each.where for each in of(settings) if each.call.startswith("AddUnschedulable"))

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
        lambda settings: lambda room: during_the_attempt(settings, room),
    )
