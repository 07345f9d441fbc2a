"""The story of three pods on a clock: where each pod is at any time, in each generation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kschedlab.generations import COURSE, GENERATIONS
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.queue.events import UNSCHEDULABLE_TIMEOUT
from kschedlab.queue.interface import ACTIVE, BACKOFF, IN_FLIGHT, UNSCHEDULABLE
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_story import ATTEMPT, BOUND, EVENTS, PODS, Story, manifests, replay
from kschedlab_lab.panels.settings import Restorable, choice, moments, switch
from kschedlab_lab.views.queue_clock import Clock, Event, History, Stretch, draw_clock, step_of
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.svg import Room

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


def where(settings: Settings, now: int | None = None) -> list[Where]:
    """Where each pod is at this time. ``now``: a moment in microseconds, by default that of the settings."""
    story, now = _replay(settings), settings.time * SECOND if now is None else now
    found = []
    for name in PODS:
        last = [each for each in story.entries if each.pod == name and each.at <= now][-1]
        tries = sum(who == name and at <= now for at, who in story.tries)
        found.append(Where(name, last.part, last.at / SECOND, tries))
    return found


def _replay(settings: Settings) -> Story:
    return replay(settings.generation, settings.busy)


def sentence(settings: Settings, now: int) -> str:
    """Where the pods are, in words; those that wait come first."""
    pods = sorted(where(settings, now), key=lambda each: each.part == BOUND)
    said = [
        say(
            "{pod} {state} ({attempts}).",
            pod=each.pod,
            state=say(WORDS[each.part], at=each.since),
            attempts=count(each.tries, "attempt"),
        )
        for each in pods
    ]
    start = say("{generation}, {time:g} s: {pod}", generation=settings.generation, time=now / SECOND, pod=said[0])
    return sentences([start, *said[1:]])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = sentence(settings, settings.time * SECOND)
    return View(
        lambda room: picture(settings, room),
        said,
        Html(),
        said,
        story=lambda room: story_of(settings, room),
    )


WORDS = {
    ACTIVE: later("is active"),
    BACKOFF: later("backs off"),
    UNSCHEDULABLE: later("waits"),
    IN_FLIGHT: later("is being tried"),
    BOUND: later("is bound at {at:g} s"),
}


def picture(settings: Settings, room: Room) -> Html:
    """The histories at this time; the moment can be dragged."""
    return drawn(settings, settings.time * SECOND, room, last=True)


def story_of(settings: Settings, room: Room) -> list[Frame]:
    """What happened up to now: a picture for the start, for each event, and for each wait that was too long."""
    begins = chapters(settings)
    ends = [*begins[1:], settings.time * SECOND + 1]
    changes = [each.at for each in _replay(settings).entries]
    frames = []
    for begin, end in zip(begins, ends, strict=True):
        last = max([begin, *(at for at in changes if begin <= at < end)])
        frames.append(Frame(drawn(settings, last, room), caption(settings, begin, end)))
    return [*frames, Frame(picture(settings, room), sentence(settings, settings.time * SECOND))]


def chapters(settings: Settings) -> list[int]:
    """The start, the events, and when pods became active without one; in microseconds, up to now."""
    late = {each.at for each in _replay(settings).entries if each.why == UNSCHEDULABLE_TIMEOUT.label}
    now = settings.time * SECOND
    return sorted(at for at in {0, *(at * SECOND for at, _, _ in EVENTS), *late} if at <= now)


def caption(settings: Settings, begin: int, end: int) -> str:
    """What happens at the first moment, whom it wakes, and what becomes of the pods before the second moment."""
    story = _replay(settings)
    told = [say("All pods are new.")] if begin == 0 else []
    told += [say("{event}.", event=say(words)) for at, words, _ in EVENTS if at * SECOND == begin]
    woken = [each.pod for each in story.entries if each.at == begin and each.part in (ACTIVE, BACKOFF)]
    if not told:
        told.append(say("{pods} waited too long without an event.", pods=listed(dict.fromkeys(woken))))
    elif begin and woken:
        told.append(say("{generation} wakes {pods}.", generation=settings.generation, pods=listed(woken)))
    elif begin:
        told.append(say("{generation} wakes no pod.", generation=settings.generation))
    slow = [each.pod for each in story.entries if each.at == begin and each.part == BACKOFF]
    if slow:
        told.append(say("Still in backoff: {pods}.", pods=listed(slow)))
    bound = {each.pod: each.at for each in story.entries if begin <= each.at < end and each.part == BOUND}
    tried = dict.fromkeys(pod for at, pod in story.tries if begin <= at < end)
    vain = [pod for pod in tried if pod not in bound]
    if vain:
        told.append(say("Tried in vain: {pods}.", pods=listed(vain)))
    told += [say("{pod} is bound.", pod=pod) for pod in bound]
    return say("{time:g} s: {told}", time=begin / SECOND, told=sentences(told))


def drawn(settings: Settings, now: int, room: Room, *, last: bool = False, asked: str = "") -> Html:
    """The histories at a moment (microseconds). ``last``: it can be dragged; ``asked``: a veiled pod."""
    far = 150 if room.width >= 560 else 300
    ticks = [(position(t), f"{t} s") for t in TIMES if t % (10 if t <= 30 else far) == 0]
    clock = Clock(len(TIMES), _moment(now), ticks, _handle(len(TIMES), now, room) if last else {}, position(40))
    histories = [History(name, (), ()) if name == asked else history(settings, name, now) for name in PODS]
    said = say("When is {pod} tried?", pod=asked) if asked else sentence(settings, now)
    return draw_clock(histories, _events(), clock, said, room)


def _moment(now: int) -> tuple[float, str]:
    return position(now / SECOND), f"{now / SECOND:g} s"


def _events() -> list[Event]:
    return [Event(position(at), say("{at} s: {event}", at=at, event=say(words))) for at, words, _ in EVENTS]


def _handle(steps: int, now: int, room: Room) -> Handle:
    """What makes the moment a control."""
    return {
        "data_drag": "time",
        "data_axis": "x",
        "data_step": round(step_of(steps, room), 1),
        "data_tip": say("drag the time"),
        "aria_label": say("time: {seconds:g} s", seconds=now / SECOND),
    }


def history(settings: Settings, name: str, now: int) -> History:
    """What one pod went through so far."""
    story = _replay(settings)
    past = [each for each in story.entries if each.pod == name and each.at <= now]
    ends = [each.at for each in past[1:]] + [now]
    stretches = tuple(
        Stretch(position(each.at / SECOND), position(end / SECOND), each.part)
        for each, end in zip(past, ends, strict=True)
        if end > each.at and each.part != IN_FLIGHT
    )
    tries = tuple(position(at / SECOND) for at, who in story.tries if who == name and at <= now)
    backoffs = tuple(
        (position(at / SECOND), position(min(end, now) / SECOND))
        for at, who, end in story.backoffs
        if who == name and at < now
    )
    return History(name, stretches, tries, backoffs)


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
NEWEST = (COURSE[-1],)


@dataclass(frozen=True)
class Versions(Restorable):
    """One pod on the queue of v1.37 up to this second, or on those of all versions. The scheduler is busy."""

    pod: str = choice("pod", PODS, "web")
    older: bool = switch("with older versions", folded=True)
    time: int = moments("time", range(LAST + 1), LAST, lambda seconds: f"{seconds} s")

    @property
    def names(self) -> tuple[str, ...]:
        """The versions to see."""
        return tuple(COURSE) if self.older else NEWEST


def show_versions(settings: Versions) -> View:
    """The panel's view for these settings."""
    said = _told(settings)
    return View(lambda room: versions(settings, room), said, Html(), said, {} if settings.older else {"pod": ""})


def _seen(settings: Versions, generation: str, now: int) -> Where:
    return where(Settings(generation=generation), now)[PODS.index(settings.pod)]


def _told(settings: Versions) -> str:
    """What became of the pod; versions in which it is the same are named together."""
    alike: dict[tuple[float | None, int], list[str]] = {}
    for name in settings.names:
        seen = _seen(settings, name, settings.time * SECOND)
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


def versions(settings: Versions, room: Room, now: int | None = None) -> Html:
    """The pod's history in each version, one below the other.

    ``now``: another moment, which cannot be dragged; of v1.37 alone, it shows nothing but attempts and backoffs.
    """
    at = settings.time * SECOND if now is None else now
    histories = [replace(history(Settings(generation=name), settings.pod, at), name=name) for name in settings.names]
    ticks = [(second, f"{second} s") for second in range(0, LAST + 1, 2)]
    if now is not None:
        histories = [_asked(each, now, bare=not settings.older) for each in histories]
    handle = _handle(LAST, at, room) if now is None else {}
    clock = Clock(LAST, _moment(at), ticks, handle, counts=not settings.older)
    alt = _told(settings) if now is None else say("{pod} up to {time:g} s.", pod=settings.pod, time=at / SECOND)
    return draw_clock(histories, _events(), clock, alt, room)


def versions_panel(**settings: Any) -> Panel[Versions]:
    """The panel of all versions; arguments override its default settings."""
    return Panel(
        Versions().changed(**settings),
        show_versions,
        lambda _: list(manifests().values()),
        "queue_clock.versions_panel()",
    )


def _asked(past: History, now: int, bare: bool) -> History:
    """The history without what happens at this very moment. ``bare``: nothing but attempts and backoffs."""
    tries = tuple(at for at in past.tries if at < position(now / SECOND))
    return replace(past, tries=tries, stretches=() if bare else past.stretches)


# -- questions


ROOM_FOR_WEB = 7
"""The second at which there is room for web."""


def when_is_web_tried() -> Question[Versions]:
    """When v1.37 tries web again, asked at the moment when there is room for it."""
    tries = [at / SECOND for at, who in _replay(Settings(time=LAST)).tries if who == "web"]
    *failed, last = tries
    wait = 2 ** (len(failed) - 1)

    def why(settings: Versions, answer: str) -> str:
        told = say(
            "web failed for the third time at {failed:g} s, and {wait} s of backoff follow. v1.37 cuts their end to a "
            "full second, {end:g} s, and the pod leaves at the next one: {last:g} s.",
            failed=failed[-1] + ATTEMPT / SECOND,
            wait=wait,
            end=failed[-1] + wait,
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
        lambda settings: lambda room: versions(settings.changed(pod="web"), room, ROOM_FOR_WEB * SECOND),
    )


def _at(seconds: float) -> str:
    return say("at {seconds:g} s", seconds=seconds)


def which_version_is_first() -> Question[Versions]:
    """Which version binds web first, asked at the moment when there is room for it."""

    def why(settings: Versions, answer: str) -> str:
        return say(
            "v1.13 has no backoff: the event at 7 s puts web back into activeQ at once. The others wait for the end of "
            "its backoff."
        )

    def right(_: Versions) -> str:
        return min(COURSE, key=lambda name: _seen(Versions(pod="web"), name, LAST * SECOND).since)

    return Question(
        say("At {room} s there is room for web. Which version binds it first?", room=ROOM_FOR_WEB),
        tuple(COURSE),
        right,
        why,
        lambda settings: lambda room: versions(settings.changed(pod="web"), room, ROOM_FOR_WEB * SECOND),
    )


def how_often_is_friend_tried(asked: Settings) -> Question[Settings]:
    """The number of attempts for the pod that nothing helps. ``asked``: the settings that the question names."""

    def why(settings: Settings, answer: str) -> str:
        tries = [at / SECOND for at, who in _replay(settings).tries if who == "friend" and at <= settings.time * SECOND]
        hinted = GENERATIONS[settings.generation].queue.hints
        message = later(
            "{generation} tries it at {times} s: as a new pod, and again when it has waited for more than 300 s. No "
            "event wakes it: the hint of the plugin that refused it says that none may help."
            if hinted
            else "{generation} tries it at {times} s: after events, and without one when it has waited for more than "
            "60 s; the queue looks every 30 s."
        )
        return say(message, generation=settings.generation, times=listed(f"{at:g}" for at in tries))

    return Question(
        say(
            "No event ever helps friend. How often does {generation} try it in {time} s?",
            generation=asked.generation,
            time=asked.time,
        ),
        (),
        lambda settings: str(where(settings)[PODS.index("friend")].tries),
        why,
        lambda settings: lambda room: drawn(settings, settings.time * SECOND, room, asked="friend"),
    )


def friend_panel(generation: str = "v1.37") -> Panel[Settings]:
    """All three pods in a version up to the last moment, after the question about friend."""
    asked = Settings(time=TIMES[-1], generation=generation)
    return panel(time=TIMES[-1], generation=generation).ask(how_often_is_friend_tried(asked))
