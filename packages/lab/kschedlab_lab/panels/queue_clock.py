"""Three pods on a clock: when each is tried, in each version of the scheduler."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from kschedlab.generations import COURSE
from kschedlab.messages import later, listed, say, sentences
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

NEWEST = COURSE[-1]
ONE, ALL, OLDER = LANES = (later("one pod"), later("all pods"), later("with older versions"))
WORDS = {
    ACTIVE: later("is ready"),
    BACKOFF: later("has been woken"),
    UNSCHEDULABLE: later("waits"),
    BOUND: later("is tried at {tried:g} s and bound at {bound:g} s"),
}


@dataclass(frozen=True)
class Settings(Restorable):
    """One pod in v1.37, all pods in v1.37, or one pod in all versions."""

    lanes: str = choice("show", LANES, ONE, folded=True)
    pod: str = choice("pod", PODS, "web")
    room: int = slider("3 CPU free", ROOMS, ROOM, lambda seconds: f"{seconds} s", folded=True)
    time: int = moments("time", range(LAST + 1), LAST, lambda seconds: f"{seconds} s")

    def shown(self) -> list[tuple[str, tuple[str, ...]]]:
        """Of each lane, the pod and the versions."""
        pods = PODS if self.lanes == ALL else (self.pod,)
        groups = alike(self.room) if self.lanes == OLDER else ((NEWEST,),)
        return [(pod, versions) for pod in pods for versions in groups]


@lru_cache(16)
def alike(room: int) -> tuple[tuple[str, ...], ...]:
    """The versions of the course; those that do the same with every pod are together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for version in COURSE:
        story = replay(version, room)
        groups.setdefault(tuple(map(str, (story.entries, story.tries, story.backoffs))), []).append(version)
    return tuple(map(tuple, groups.values()))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = told(settings)
    idle = {} if settings.lanes == OLDER else {"pod": ""}
    return View(partial(drawn, settings), said, Html(), said, idle)


def told(settings: Settings) -> str:
    """What became of the pods, the chosen one first; versions in which it is the same are named together."""
    same: dict[tuple[str, str, float, int], list[str]] = {}
    for pod, versions in sorted(settings.shown(), key=lambda shown: shown[0] != settings.pod):
        story, now = replay(versions[0], settings.room), settings.time * SECOND
        last = [each for each in story.entries if each.pod == pod and each.at <= now][-1]
        tries = sum(who == pod and at <= now for at, who in story.tries)
        bound = last.at / SECOND if last.part == BOUND else 0
        same.setdefault((pod, last.part, bound, tries), []).extend(versions)
    said = []
    for (pod, part, bound, tries), names in same.items():
        if part == IN_FLIGHT:
            line = say("{pod} is being tried (attempt {number}).", pod=pod, number=tries)
        else:
            state = say(WORDS[part], tried=bound - ATTEMPT / SECOND, bound=bound)
            line = say("{pod} {state} ({attempts}).", pod=pod, state=state, attempts=count(tries, "attempt"))
        said.append(line if settings.lanes == ALL else say("In {versions}, {line}", versions=listed(names), line=line))
    return sentences(said)


def drawn(settings: Settings, room: Room, known: int | None = None) -> Html:
    """The lanes. ``known``: a question is open, and only what was before this second is seen; nothing is dragged."""
    time, step = settings.time, round(step_of(LAST, room), 1)
    histories = []
    for pod, versions in settings.shown():
        each = history(pod, versions[0], time if known is None else known, settings.room)
        if known is not None:
            tries, woken = (tuple(at for at in times if at < known) for times in (each.tries, each.woken))
            each = replace(each, tries=tries, woken=woken)
        if settings.lanes == OLDER:
            failed = say("{count} failed", count=failed_tries(versions[0], time, settings.room))
            each = replace(each, titles=versions, notes=() if known is not None else (say("all pods:"), failed))
        else:
            notes = (say("wants"), WANTS[pod]) if settings.lanes == ALL else versions
            each = replace(each, notes=notes)
        histories.append(each)
    said = say("time: {seconds:g} s", seconds=time)
    handle = dragged("time", "x", step, said, say("drag the time")) if known is None else {}
    event = dragged("room", "x", step, say("3 CPU free"), say("drag the event")) if known is None else {}
    bolts = [_bolt(each, event) for each in seen(settings)]
    ticks = [(second, str(second)) for second in range(0, LAST + 1, 2)]
    flag = f"{time} s" if known in (None, time) else ""
    clock = Clock(LAST, (time, flag), ticks, handle)
    alt = told(settings) if known is None else say("{pod} up to {time:g} s.", pod=settings.pod, time=time)
    return draw_clock(histories, bolts, clock, alt, room)


def failed_tries(version: str, seconds: int, room: int) -> int:
    """How many tries have failed up to this second, of all pods."""
    story, now = replay(version, room), seconds * SECOND
    return sum(
        before.part == IN_FLIGHT and after.part != BOUND and after.at <= now
        for pod in PODS
        for before, after in itertools.pairwise(each for each in story.entries if each.pod == pod)
    )


def _bolt(each: Happening, handle: Handle) -> Event:
    """The event in the picture. ``handle``: what drags the one that makes room for web."""
    return Event(each.second, say(each.brief), say(each.words), each.moves, handle if each.moves else {})


def seen(settings: Settings) -> list[Happening]:
    """The events in their order; beside a single pod, only those that wake it, as long as none is moved."""
    woken = history(settings.pod, NEWEST, LAST).woken
    pairs = zip(events(settings.room), events(), strict=True)
    shown = [each for each, unmoved in pairs if settings.lanes != ONE or unmoved.second in woken]
    return sorted(shown, key=lambda each: each.second)


def history(pod: str, version: str, seconds: int, room: int = ROOM) -> History:
    """What a pod went through up to this second."""
    story, now = replay(version, room), seconds * SECOND
    past = [each for each in story.entries if each.pod == pod and each.at <= now]
    ends = [each.at for each in past[1:]] + [now]
    stretches = tuple(
        Stretch(each.at / SECOND, end / SECOND, each.part)
        for each, end in zip(past, ends, strict=True)
        if end > each.at and each.part != IN_FLIGHT
    )
    tries = tuple(at / SECOND for at, who in story.tries if who == pod and at <= now)
    ends_of = ((at, end) for at, who, end in story.backoffs if who == pod and at < now)
    woken = tuple(after.at / SECOND for before, after in itertools.pairwise(past) if before.part == UNSCHEDULABLE)
    return History(
        pod, (pod,), stretches, tries, tuple((at / SECOND, min(end, now) / SECOND) for at, end in ends_of), woken
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: list(manifests().values()), "queue_clock.panel()")


# -- questions


def when_is_web_tried() -> Question[Settings]:
    """When v1.37 tries web again, asked at the moment when there is room for it."""
    tries = [at / SECOND for at, who in replay(NEWEST).tries if who == "web"]
    *failed, last = tries
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
    web, ssd = _tries(NEWEST, "web"), _tries(NEWEST, "ssd")

    def why(settings: Settings, answer: str) -> str:
        return say(
            "Twice: as a new pod, and at {second} s, when node-b gets the label. Free CPU puts no label on a node, so "
            "it may help web, but not ssd.",
            second=math.floor(ssd[-1]),
        )

    return Question(
        _how_often_is_ssd_tried(NEWEST),
        tuple(map(str, (1, len(ssd), len(web), 1 + len(events())))),
        lambda _: str(len(ssd)),
        why,
        _before(LAST, events()[0].second),
        way=_runs(range(2, LAST, 2)),
    )


def how_often_is_ssd_tried() -> Question[Settings]:
    """The attempts of v1.13 for the pod that waits for a label, up to the end of the clock."""
    oldest = COURSE[0]
    tries = _tries(oldest, "ssd")

    def why(settings: Settings, answer: str) -> str:
        times = listed([f"{math.floor(each)} s" for each in tries[1:]])
        message = later("{tries} times: as a new pod, and after each event, at {times}. Only the last event helps it.")
        return say(message, tries=len(tries), times=times)

    return Question(
        _how_often_is_ssd_tried(oldest),
        (),
        lambda _: str(len(tries)),
        why,
        _before(LAST, 0),
        way=_runs(range(2, LAST, 2)),
    )


def _how_often_is_ssd_tried(version: str) -> str:
    return say("How often does {version} try ssd in these {seconds} s?", version=version, seconds=LAST)


def _tries(version: str, pod: str) -> list[float]:
    """The seconds at which this version tries the pod."""
    return [at / SECOND for at, who in replay(version).tries if who == pod]
