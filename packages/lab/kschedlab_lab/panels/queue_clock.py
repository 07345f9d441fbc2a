"""The story of three pods on a clock: where each pod is at any time, in each generation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from kschedlab.generations import COURSE
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.queue.interface import ACTIVE, BACKOFF, IN_FLIGHT, UNSCHEDULABLE
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_story import ATTEMPT, BOUND, EVENTS, PODS, manifests, replay
from kschedlab_lab.panels.settings import Restorable, choice, moments, switch
from kschedlab_lab.views.queue_clock import Clock, Event, History, Stretch, draw_clock, step_of
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.svg import Room, dragged

TIMES = (*range(31), *range(50, 351, 50))
"""The moments in seconds: every second at first; later ones at which no attempt begins."""


@dataclass(frozen=True)
class Settings(Restorable):
    """``busy``: other pods always wait in the active queue, so no pod is popped early."""

    time: int = moments("time", TIMES, 0, lambda seconds: f"{seconds} s")
    generation: str = choice("generation", tuple(COURSE), "v1.37", folded=True)
    busy: bool = switch("busy with other pods", True)


class Where(NamedTuple):
    """A pod at a moment: its part, since when (seconds), its number of attempts."""

    pod: str
    part: str
    since: float
    tries: int


def where(settings: Settings) -> list[Where]:
    """Where each pod is at this time."""
    story, now = replay(settings.generation, settings.busy), settings.time * SECOND
    found = []
    for name in PODS:
        last = [each for each in story.entries if each.pod == name and each.at <= now][-1]
        tries = sum(who == name and at <= now for at, who in story.tries)
        found.append(Where(name, last.part, last.at / SECOND, tries))
    return found


def sentence(settings: Settings) -> str:
    """Where the pods are, in words; those that wait come first."""
    pods = sorted(where(settings), key=lambda each: each.part == BOUND)
    said = [
        say(
            "{pod} {state} ({attempts}).",
            pod=each.pod,
            state=say(WORDS[each.part], at=each.since),
            attempts=count(each.tries, "attempt"),
        )
        for each in pods
    ]
    start = say("{generation}, {time:g} s: {pod}", generation=settings.generation, time=settings.time, pod=said[0])
    return sentences([start, *said[1:]])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = sentence(settings)
    return View(partial(drawn, settings), said, Html(), said)


WORDS = {
    ACTIVE: later("is active"),
    BACKOFF: later("backs off"),
    UNSCHEDULABLE: later("waits"),
    IN_FLIGHT: later("is being tried"),
    BOUND: later("is bound at {at:g} s"),
}


def drawn(settings: Settings, room: Room, asked: str = "") -> Html:
    """The histories at this time, which can be dragged. ``asked``: a veiled pod; then it can't."""
    far = 150 if room.width >= 560 else 300
    tries = replay(settings.generation, settings.busy).tries
    late = {at // SECOND for at, who in tries if who != asked and 30 * SECOND < at <= settings.time * SECOND}
    even = {t for t in TIMES if (t % 10 if t <= 30 else (TIMES[-1] - t) % far) == 0}
    ticks = [(position(t), f"{t} s") for t in sorted(late | even)]
    handle = {} if asked else _handle(len(TIMES), settings.time, room)
    clock = Clock(len(TIMES), _moment(settings.time), ticks, handle, position(40))
    histories = [History(name, (), ()) if name == asked else history(settings, name) for name in PODS]
    said = say("When is {pod} tried?", pod=asked) if asked else sentence(settings)
    return draw_clock(histories, _events(), clock, said, room)


def _moment(seconds: int) -> tuple[float, str]:
    return position(seconds), f"{seconds} s"


def _events() -> list[Event]:
    return [Event(position(at), say("{at} s: {event}", at=at, event=say(words))) for at, words, _ in EVENTS]


def _handle(steps: int, seconds: int, room: Room) -> Handle:
    """What makes the moment a control."""
    said = say("time: {seconds:g} s", seconds=seconds)
    return dragged("time", "x", round(step_of(steps, room), 1), said, say("drag the time"))


def history(settings: Settings, name: str) -> History:
    """What one pod went through so far."""
    story, now = replay(settings.generation, settings.busy), settings.time * SECOND
    past = [each for each in story.entries if each.pod == name and each.at <= now]
    ends = [each.at for each in past[1:]] + [now]
    stretches = tuple(
        Stretch(position(each.at / SECOND), position(end / SECOND), each.part)
        for each, end in zip(past, ends, strict=True)
        if end > each.at and each.part != IN_FLIGHT
    )
    popped = [at for at, who in story.tries if who == name and at <= now]
    backoffs = tuple(
        (position(at / SECOND), position(min(end, now, *(pop for pop in popped if pop > at)) / SECOND))
        for at, who, end in story.backoffs
        if who == name and at < now
    )
    return History(name, stretches, tuple(position(at / SECOND) for at in popped), backoffs)


def position(seconds: float) -> float:
    """The position on the clock: steps from the left."""
    after = next(i for i, time in enumerate(TIMES) if time >= seconds)
    if TIMES[after] == seconds:
        return after
    earlier = after - 1
    return earlier + (seconds - TIMES[earlier]) / (TIMES[after] - TIMES[earlier])


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: list(manifests().values()), "queue_clock.panel()")


# -- one pod in v1.37, or in all versions

LAST = 14
"""The last second of the versions' clock."""


@dataclass(frozen=True)
class Versions(Restorable):
    """One pod on the queue of v1.37 up to this second, or on those of all versions. The scheduler is busy."""

    pod: str = choice("pod", PODS, "web")
    older: bool = switch("with older versions", folded=True)
    time: int = moments("time", range(LAST + 1), LAST, lambda seconds: f"{seconds} s")

    @property
    def names(self) -> tuple[str, ...]:
        """The versions to see."""
        return tuple(COURSE) if self.older else (COURSE[-1],)


def show_versions(settings: Versions) -> View:
    """The panel's view for these settings."""
    said = _told(settings)
    return View(partial(versions, settings), said, Html(), said, {} if settings.older else {"pod": ""})


def _seen(settings: Versions, generation: str) -> Where:
    return where(Settings(settings.time, generation))[PODS.index(settings.pod)]


def _told(settings: Versions) -> str:
    """What became of the pod; versions in which it is the same are named together."""
    alike: dict[tuple[float | None, int], list[str]] = {}
    for name in settings.names:
        seen = _seen(settings, name)
        alike.setdefault((seen.since if seen.part == BOUND else None, seen.tries), []).append(name)
    said = []
    for (bound, tries), names in alike.items():
        message = later("In {versions}, {pod} waits ({attempts}).")
        if bound is not None:
            message = later("In {versions}, {pod} is tried at {tried:g} s and bound at {bound:g} s ({attempts}).")
        said.append(
            say(
                message,
                versions=listed(names),
                pod=settings.pod,
                tried=(bound or 0) - ATTEMPT / SECOND,
                bound=bound,
                attempts=count(tries, "attempt"),
            )
        )
    return sentences(said)


def versions(settings: Versions, room: Room, asked: bool = False) -> Html:
    """The pod's history in each version, one below the other.

    ``asked``: the moment can't be dragged; of v1.37 alone, only the attempts and backoffs before it, of all versions
    nothing.
    """
    time = settings.time
    histories = [replace(history(Settings(time, name), settings.pod), name=name) for name in settings.names]
    if asked and settings.older:
        histories = [History(each.name, (), ()) for each in histories]
    elif asked:
        before = [tuple(at for at in each.tries if at < position(time)) for each in histories]
        histories = [replace(each, tries=tries, stretches=()) for each, tries in zip(histories, before, strict=True)]
    ticks = [(second, f"{second} s") for second in range(0, LAST + 1, 2)]
    handle = {} if asked else _handle(LAST, time, room)
    clock = Clock(LAST, _moment(time), ticks, handle, counts=not settings.older)
    alt = say("{pod} up to {time:g} s.", pod=settings.pod, time=time) if asked else _told(settings)
    return draw_clock(histories, _events(), clock, alt, room)


def versions_panel(**settings: Any) -> Panel[Versions]:
    """The panel of all versions; arguments override its default settings."""
    return Panel(
        Versions().changed(**settings),
        show_versions,
        lambda _: list(manifests().values()),
        "queue_clock.versions_panel()",
    )


# -- questions


ROOM_FOR_WEB = 7
"""The second at which there is room for web."""


def _before(settings: Versions) -> Callable[[Room], Html]:
    """The moment at which there is room for web."""
    return partial(versions, settings.changed(pod="web", time=ROOM_FOR_WEB), asked=True)


def when_is_web_tried() -> Question[Versions]:
    """When v1.37 tries web again, asked at the moment when there is room for it."""
    tries = [at / SECOND for at, who in replay(COURSE[-1], True).tries if who == "web"]
    *failed, last = tries
    wait = 2 ** (len(failed) - 1)

    def why(settings: Versions, answer: str) -> str:
        told = say(
            "web failed for the third time at {failed:g} s, so its backoff of {wait} s ends at {end:g} s. A pod leaves "
            "at the first full second after that: {last:g} s.",
            failed=failed[-1] + ATTEMPT / SECOND,
            wait=wait,
            end=failed[-1] + ATTEMPT / SECOND + wait,
            last=last,
        )
        if answer == _at(ROOM_FOR_WEB + wait):
            return sentences([say("Backoff counts from the failure, not from the event."), told])
        return told

    return Question(
        say(
            "web has failed {times} times, and now, at {room} s, there is room for it. When does v1.37 try it again?",
            times=len(failed),
            room=ROOM_FOR_WEB,
        ),
        tuple(_at(seconds) for seconds in (ROOM_FOR_WEB, last, ROOM_FOR_WEB + wait)),
        lambda _: _at(last),
        why,
        _before,
        shows=lambda settings: settings.changed(time=ROOM_FOR_WEB + wait),
    )


def _at(seconds: float) -> str:
    return say("at {seconds:g} s", seconds=seconds)


def how_often_is_ssd_tried() -> Question[Versions]:
    """The attempts of v1.13 for the pod that waits for a label, up to the end of the clock."""
    first = COURSE[0]
    tries = [at / SECOND for at, who in replay(first, True).tries if who == "ssd" and at <= LAST * SECOND]

    def why(settings: Versions, answer: str) -> str:
        return say(
            "{tries} times: as a new pod, and after each event, at {times}. Only the last event helps it.",
            tries=len(tries),
            times=listed([f"{math.floor(each)} s" for each in tries[1:]]),
        )

    return Question(
        say("ssd wants a label, which node-b gets at 8 s. How often does {version} try it?", version=first),
        (),
        lambda _: str(len(tries)),
        why,
        lambda settings: partial(versions, settings.changed(pod="ssd", time=LAST), asked=True),
        shows=lambda settings: settings.changed(pod="ssd"),
    )


def how_often_is_friend_tried(asked: Settings) -> Question[Settings]:
    """The number of attempts for the pod that nothing helps, in v1.37. ``asked``: the settings that it names."""

    def why(settings: Settings, answer: str) -> str:
        last, story = settings.time * SECOND, replay(settings.generation, settings.busy)
        tries = [at / SECOND for at, who in story.tries if who == "friend" and at <= last]
        message = later(
            "{generation} tries it at {times}: as a new pod, and again when it has waited for more than 300 s. No "
            "event wakes it: the hint of the plugin that refused it says that none may help."
        )
        *first, final = (f"{at:g} s" for at in tries)
        times = say("{first} and {last}", first=listed(first), last=final)
        return say(message, generation=settings.generation, times=times)

    return Question(
        say(
            "No event ever helps friend. How often does {generation} try it in {time} s?",
            generation=asked.generation,
            time=asked.time,
        ),
        (),
        lambda settings: str(where(settings)[PODS.index("friend")].tries),
        why,
        lambda settings: partial(drawn, settings, asked="friend"),
    )


def friend_panel() -> Panel[Settings]:
    """All three pods in v1.37 up to the last moment, after the question about friend."""
    asked = Settings(time=TIMES[-1], generation="v1.37")
    return panel(time=asked.time, generation=asked.generation).ask(how_often_is_friend_tried(asked))
