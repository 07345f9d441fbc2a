"""Three pods on a clock: when v1.37 tries each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kschedlab.messages import later, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.queue.interface import ACTIVE, BACKOFF, IN_FLIGHT, UNSCHEDULABLE
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_story import (
    ATTEMPT,
    BOUND,
    LAST,
    PODS,
    ROOM,
    ROOMS,
    WANTS,
    Happening,
    events,
    manifests,
    replay,
)
from kschedlab_lab.panels.settings import Restorable, choice, moments, slider
from kschedlab_lab.views.queue_clock import Clock, Event, History, Stretch, draw_clock, step_of
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.svg import Room, dragged

ONE, ALL = LANES = (later("one pod"), later("all pods"))
WORDS = {
    ACTIVE: later("is ready"),
    BACKOFF: later("has been woken"),
    UNSCHEDULABLE: later("waits"),
    BOUND: later("is tried at {tried:g} s and bound at {bound:g} s"),
}


@dataclass(frozen=True)
class Settings(Restorable):
    """One pod, or all of them."""

    lanes: str = choice("show", LANES, ONE, folded=True)
    pod: str = choice("pod", PODS, "web")
    room: int = slider("3 CPU free", ROOMS, ROOM, lambda seconds: f"{seconds} s", folded=True)
    time: int = moments("time", range(LAST + 1), LAST, lambda seconds: f"{seconds} s")

    @property
    def shown(self) -> tuple[str, ...]:
        """The pod of each lane."""
        return PODS if self.lanes == ALL else (self.pod,)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = told(settings)
    return View(partial(drawn, settings), said, Html(), said, {"pod": ""})


def told(settings: Settings) -> str:
    """What became of the pods, the chosen one first."""
    story, now, said = replay(settings.room), settings.time * SECOND, []
    for pod in sorted(settings.shown, key=lambda pod: pod != settings.pod):
        last = [each for each in story.entries if each.pod == pod and each.at <= now][-1]
        tries = sum(who == pod and at <= now for at, who in story.tries)
        bound = last.at / SECOND if last.part == BOUND else 0
        if last.part == IN_FLIGHT:
            said.append(say("{pod} is being tried (attempt {number}).", pod=pod, number=tries))
        else:
            state = say(WORDS[last.part], tried=bound - ATTEMPT / SECOND, bound=bound)
            said.append(say("{pod} {state} ({attempts}).", pod=pod, state=state, attempts=count(tries, "attempt")))
    return sentences(said)


def drawn(settings: Settings, room: Room, known: int | None = None) -> Html:
    """The lanes. ``known``: a question is open, and only what was before this second is seen; nothing is dragged."""
    time, step = settings.time, round(step_of(LAST, room), 1)
    histories = []
    for pod in settings.shown:
        each = history(pod, time if known is None else known, settings.room)
        if known is not None:
            tries, woken = (tuple(at for at in times if at < known) for times in (each.tries, each.woken))
            each = replace(each, tries=tries, woken=woken)
        histories.append(replace(each, notes=(say("wants"), WANTS[pod])))
    said = say("time: {seconds:g} s", seconds=time)
    handle = dragged("time", "x", step, said, say("drag the time")) if known is None else {}
    event = dragged("room", "x", step, say("3 CPU free"), say("drag the event")) if known is None else {}
    bolts = [_bolt(each, event) for each in seen(settings)]
    ticks = [(second, str(second)) for second in range(0, LAST + 1, 2)]
    flag = f"{time} s" if known in (None, time) else ""
    clock = Clock(LAST, (time, flag), ticks, handle)
    alt = told(settings) if known is None else say("{pod} up to {time:g} s.", pod=settings.pod, time=time)
    return draw_clock(histories, bolts, clock, alt, room)


def _bolt(each: Happening, handle: Handle) -> Event:
    """The event in the picture. ``handle``: what drags the one that makes room for web."""
    return Event(each.second, say(each.brief), say(each.words), each.moves, handle if each.moves else {})


def seen(settings: Settings) -> list[Happening]:
    """The events in their order; beside a single pod, only those that wake it, as long as none is moved."""
    woken = history(settings.pod, LAST).woken
    pairs = zip(events(settings.room), events(), strict=True)
    shown = [each for each, unmoved in pairs if settings.lanes != ONE or unmoved.second in woken]
    return sorted(shown, key=lambda each: each.second)


def history(pod: str, seconds: int, room: int = ROOM) -> History:
    """What a pod went through up to this second."""
    story, now = replay(room), seconds * SECOND
    past = [each for each in story.entries if each.pod == pod and each.at <= now]
    ends = [each.at for each in past[1:]] + [now]
    stretches = tuple(
        Stretch(each.at / SECOND, end / SECOND, each.part)
        for each, end in zip(past, ends, strict=True)
        if end > each.at and each.part != IN_FLIGHT
    )
    tries = tuple(at / SECOND for at, who in story.tries if who == pod and at <= now)
    backoffs = tuple((at / SECOND, end / SECOND) for at, who, end in story.backoffs if who == pod and at < now)
    woken = tuple(after.at / SECOND for before, after in itertools.pairwise(past) if before.part == UNSCHEDULABLE)
    return History(pod, stretches, tries, backoffs, woken)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: list(manifests().values()), "queue_clock.panel()")


# -- questions


def when_is_web_tried() -> Question[Settings]:
    """When v1.37 tries web again, asked at the moment when there is room for it."""
    *failed, last = _tries("web")
    wait = 2 ** (len(failed) - 1)
    end = failed[-1] + ATTEMPT / SECOND
    times = [say("at {seconds:g} s", seconds=each) for each in (ROOM, end + wait, last, ROOM + wait)]

    def why(settings: Settings, answer: str) -> str:
        reason = later(
            "web failed at {failed:g} s, so its backoff of {wait} s ends at {end:g} s. The next full second is "
            "{last:g} s."
        )
        wrong = {
            times[0]: later("The event wakes web, but web still backs off."),
            times[1]: later("A pod leaves backoff only at a full second."),
            times[-1]: later("Backoff counts from the failure, not from the event."),
        }
        remark = [say(wrong[answer])] if answer in wrong else []
        return sentences([*remark, say(reason, failed=end, wait=wait, end=end + wait, last=last)])

    return Question(
        say("At {room} s, node-a has room. When is web tried again?", room=ROOM),
        tuple(times),
        lambda _: times[2],
        why,
        _before(ROOM, ROOM),
        shows=lambda settings: settings.changed(time=LAST),
        way=_runs(range(ROOM + 1, math.ceil(last) + 2)),
    )


def _before(time: int, known: int) -> Callable[[Settings], Callable[[Room], Html]]:
    """The picture at this second, which hides what comes later than ``known``."""
    return lambda settings: partial(drawn, settings.changed(time=time), known=known)


def _runs(seconds: Iterable[int]) -> Callable[[Settings], list[Callable[[Room], Html]]]:
    """The pictures at these seconds: the time runs on to the answer."""
    return lambda settings: [partial(drawn, settings.changed(time=second)) for second in seconds]


def how_often_beside_web() -> Question[Settings]:
    """How often v1.37 tries the pod that waits for a label, beside one that every free CPU wakes."""
    web, ssd = _tries("web"), _tries("ssd")

    def why(settings: Settings, answer: str) -> str:
        return say(
            "Twice: as a new pod, and at {second} s, when node-b gets the label. Free CPU puts no label on a node, so "
            "it may help web, but not ssd.",
            second=math.floor(ssd[-1]),
        )

    return Question(
        say("How often is ssd tried in these {seconds} s?", seconds=LAST),
        tuple(map(str, (1, len(ssd), len(web), 1 + len(events())))),
        lambda _: str(len(ssd)),
        why,
        _before(LAST, events()[0].second),
        way=_runs(range(2, LAST, 2)),
    )


def _tries(pod: str) -> list[float]:
    """The seconds at which the pod is tried."""
    return [at / SECOND for at, who in replay().tries if who == pod]
