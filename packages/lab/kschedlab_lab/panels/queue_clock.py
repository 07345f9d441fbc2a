"""The story of three pods on a clock: where each pod is at any time, in each generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from kschedlab.generations import GENERATIONS
from kschedlab.messages import later, listed, say, terms
from kschedlab.objects.meta import SECOND
from kschedlab.queue.interface import ACTIVE, BACKOFF, IN_FLIGHT, UNSCHEDULABLE
from kschedlab.text.html import Html
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_story import ATTEMPT, BOUND, EVENTS, PODS, PRIORITY, Story, manifests, replay
from kschedlab_lab.panels.settings import Restorable, choice, moments, switch
from kschedlab_lab.views.queue_clock import Clock, Event, History, Part, Stretch, draw_clock, draw_versions, step_of
from kschedlab_lab.views.queue_pods import Pod
from kschedlab_lab.views.svg import Room

Plugins: TypeAlias = tuple[object, ...]
TIMES = (*range(31), *range(60, 361, 30))
"""The moments in seconds: every second at first, then every half minute."""
FRAMES = 40
"""The most recent changes, which a story shows."""


@dataclass(frozen=True)
class Settings(Restorable):
    """``busy``: other pods always wait in the active queue, so no pod is popped early."""

    time: int = moments("time", TIMES, 0, lambda seconds: f"{seconds} s")
    generation: str = choice("generation", tuple(GENERATIONS), "v1.37")
    busy: bool = switch("busy with other pods", True)


class Where(NamedTuple):
    """A pod at a moment: its part, since when (seconds), why it moved there, its number of attempts."""

    pod: str
    part: str
    since: float
    why: str
    tries: int


def where(settings: Settings, now: int | None = None, plugins: Plugins = ()) -> list[Where]:
    """Where each pod is at this time. ``now``: a moment in microseconds, by default that of the settings."""
    story, now = _replay(settings, plugins), settings.time * SECOND if now is None else now
    found = []
    for name in PODS:
        last = [each for each in story.entries if each.pod == name and each.at <= now][-1]
        tries = sum(who == name and at <= now for at, who in story.tries)
        found.append(Where(name, last.part, last.at / SECOND, last.why, tries))
    return found


def _replay(settings: Settings, plugins: Plugins = ()) -> Story:
    return replay(settings.generation, settings.busy, plugins)


def sentence(settings: Settings, now: int, plugins: Plugins = ()) -> str:
    """Where the pods are, in words."""
    said = [
        say(
            "{pod} {state} ({attempts})",
            pod=each.pod,
            state=say(WORDS[each.part]),
            attempts=count(each.tries, "attempt"),
        )
        for each in where(settings, now, plugins)
    ]
    return say(
        "{generation}, {time:g} s: {others} and {last}.",
        generation=settings.generation,
        time=now / SECOND,
        others=say(", ").join(said[:-1]),
        last=said[-1],
    )


def show(settings: Settings, plugins: Plugins = ()) -> View:
    """The panel's view for these settings."""
    head = terms("pod", "where", "since", "because of", "attempts")
    rows = [
        [each.pod, say(titles(settings)[each.part]), f"t = {each.since:g} s", each.why, str(each.tries)]
        for each in where(settings, None, plugins)
    ]
    said = sentence(settings, settings.time * SECOND, plugins)
    text = "\n".join([said, *aligned([head, *rows])])
    return View(
        lambda room: picture(settings, room, plugins),
        said,
        table(head, (row(*cells) for cells in rows)),
        text,
        story=lambda room: story_of(settings, room, plugins),
    )


WORDS = {
    ACTIVE: later("is active"),
    BACKOFF: later("backs off"),
    UNSCHEDULABLE: later("is unschedulable"),
    IN_FLIGHT: later("is being tried"),
    BOUND: later("is bound"),
}
OLDER = {
    ACTIVE: "activeQ",
    IN_FLIGHT: later("being tried"),
    BACKOFF: "podBackoffQ",
    UNSCHEDULABLE: "unschedulableQ",
    BOUND: later("bound to a node"),
}
NEWER = OLDER | {BACKOFF: "backoffQ", UNSCHEDULABLE: "unschedulablePods"}


def titles(settings: Settings) -> dict[str, str]:
    """What the generation calls the parts."""
    return NEWER if settings.generation == "v1.37" else OLDER


def picture(settings: Settings, room: Room, plugins: Plugins = ()) -> Html:
    """The parts and the histories at this time; the moment can be dragged."""
    return drawn(settings, settings.time * SECOND, room, plugins, last=True)


def story_of(settings: Settings, room: Room, plugins: Plugins = ()) -> list[Frame]:
    """What happened up to now, one change at a time; the last picture is the panel's."""
    story, now = _replay(settings, plugins), settings.time * SECOND
    changes = {each.at for each in story.entries} | {at * SECOND for at, _, _ in EVENTS}
    moments = sorted(at for at in changes if at < now)[-FRAMES:]
    frames = [Frame(drawn(settings, at, room, plugins), caption(settings, at, plugins)) for at in moments]
    return [*frames, Frame(picture(settings, room, plugins), sentence(settings, now, plugins))]


def caption(settings: Settings, now: int, plugins: Plugins = ()) -> str:
    """What changes at this moment."""
    told = [say(words) for at, words, _ in EVENTS if at * SECOND == now]
    for each in _replay(settings, plugins).entries:
        if each.at == now:
            told.append(say("{pod} {state} ({why})", pod=each.pod, state=say(WORDS[each.part]), why=each.why))
    return say("{time:g} s: {changes}.", time=now / SECOND, changes=say("; ").join(told))


def drawn(settings: Settings, now: int, room: Room, plugins: Plugins = (), *, last: bool = False) -> Html:
    """The parts and the histories at a moment (microseconds). ``last``: the moment can be dragged."""
    places = where(settings, now, plugins)
    parts = [
        Part(
            kind,
            say(titles(settings)[kind]),
            tuple(_pod(each, room) for each in places if each.part == kind),
            kind != BACKOFF or settings.generation != "v1.13",
        )
        for kind in (ACTIVE, IN_FLIGHT, BACKOFF, UNSCHEDULABLE, BOUND)
    ]
    events = [Event(position(at), say("{at} s: {event}", at=at, event=say(words))) for at, words, _ in EVENTS]
    labelled = [t for t in TIMES if t % 10 == 0 and (t <= 30 or t % (120 if room.width >= 560 else 180) == 0)]
    ticks = [(position(t), f"{t} s" if t < 60 else say("{minutes} min", minutes=t // 60)) for t in labelled]
    step = step_of(len(TIMES), room)
    handle: dict[str, str | float | None] = {
        "data_drag": "time",
        "data_axis": "x",
        "data_step": round(step, 1),
        "data_tip": say("drag the time"),
        "aria_label": say("time: {seconds:g} s", seconds=now / SECOND),
    }
    moment = position(now / SECOND), f"{now / SECOND:g} s"
    clock = Clock(len(TIMES), moment, ticks, handle if last else {}, position(45))
    histories = [history(settings, name, now, plugins) for name in PODS]
    return draw_clock(parts, histories, events, clock, sentence(settings, now, plugins), room)


def _pod(each: Where, room: Room) -> Pod:
    since = f"t = {each.since:g} s"
    return Pod(each.pod, PRIORITY, say("since {since}", since=since) if room.width >= 640 else since)


def history(settings: Settings, name: str, now: int, plugins: Plugins = ()) -> History:
    """What one pod went through so far."""
    story = _replay(settings, plugins)
    past = [each for each in story.entries if each.pod == name and each.at <= now]
    ends = [each.at for each in past[1:]] + [now]
    stretches = tuple(
        Stretch(position(each.at / SECOND), position(end / SECOND), each.part)
        for each, end in zip(past, ends, strict=True)
        if end > each.at and each.part != IN_FLIGHT
    )
    tries = tuple(position(at / SECOND) for at, who in story.tries if who == name and at <= now)
    return History(name, stretches, tries)


def position(seconds: float) -> float:
    """The position on the clock: steps from the left."""
    after = next(i for i, time in enumerate(TIMES) if time >= seconds)
    if TIMES[after] == seconds:
        return after
    earlier = after - 1
    return earlier + (seconds - TIMES[earlier]) / (TIMES[after] - TIMES[earlier])


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join each generation."""
    joined = tuple(plugins)
    return Panel(
        Settings().changed(**settings),
        lambda each: show(each, joined),
        lambda _: list(manifests().values()),
        "queue_clock.panel()",
    )


# -- one pod in all versions

LAST = 14
"""The last second of the versions' clock."""


@dataclass(frozen=True)
class Versions(Restorable):
    """One pod on the queues of all generations, up to this second. The scheduler is busy with other pods."""

    pod: str = choice("pod", PODS, "web")
    time: int = moments("time", range(LAST + 1), LAST, lambda seconds: f"{seconds} s")


def show_versions(settings: Versions) -> View:
    """The panel's view for these settings."""
    found = [_seen(settings, name, settings.time * SECOND) for name in GENERATIONS]
    said = _told(settings)
    head = terms("version", "where", "since", "attempts")
    rows = [
        [name, say(titles(Settings(generation=name))[each.part]), f"t = {each.since:g} s", str(each.tries)]
        for name, each in zip(GENERATIONS, found, strict=True)
    ]
    text = "\n".join([said, *aligned([head, *rows])])
    return View(lambda room: versions(settings, room), said, table(head, (row(*cells) for cells in rows)), text)


def _seen(settings: Versions, generation: str, now: int) -> Where:
    return where(Settings(generation=generation), now)[PODS.index(settings.pod)]


def _told(settings: Versions) -> str:
    """How often each version has tried the pod, and where it is bound."""
    said = []
    for name in GENERATIONS:
        seen = _seen(settings, name, settings.time * SECOND)
        tries = count(seen.tries, "attempt")
        if seen.part == BOUND:
            said.append(say("{version}: bound at {at:g} s ({attempts})", version=name, at=seen.since, attempts=tries))
        else:
            said.append(say("{version}: {attempts}", version=name, attempts=tries))
    return say("{pod} after {time} s. {versions}.", pod=settings.pod, time=settings.time, versions=say("; ").join(said))


def versions(settings: Versions, room: Room, now: int | None = None) -> Html:
    """The pod's history in each version, one below the other. ``now``: another moment, which cannot be dragged."""
    at = settings.time * SECOND if now is None else now
    histories = [replace(history(Settings(generation=name), settings.pod, at), name=name) for name in GENERATIONS]
    events = [Event(when, say("{at} s: {event}", at=when, event=say(words))) for when, words, _ in EVENTS]
    handle: dict[str, str | float | None] = {
        "data_drag": "time",
        "data_axis": "x",
        "data_step": round(step_of(LAST, room), 1),
        "data_tip": say("drag the time"),
        "aria_label": say("time: {seconds:g} s", seconds=at / SECOND),
    }
    ticks = [(second, f"{second} s") for second in range(0, LAST + 1, 2)]
    clock = Clock(LAST, (at / SECOND, f"{at / SECOND:g} s"), ticks, handle if now is None else {})
    return draw_versions(histories, events, clock, _told(settings) if now is None else say("Four versions."), room)


def versions_panel(**settings: Any) -> Panel[Versions]:
    """The panel of all versions; arguments override its default settings."""
    return Panel(
        Versions().changed(**settings),
        show_versions,
        lambda _: list(manifests().values()),
        "queue_clock.versions_panel()",
    )


def when_is_web_bound_today() -> Question[Versions]:
    """When v1.37 binds web, asked before the four versions are seen."""
    asked, today = when_is_web_bound(), Settings(time=LAST)
    return Question(
        say("web has failed again and again. At 6 s there is room for it at last. When does v1.37 bind it?"),
        asked.choices,
        lambda _: asked.right(today),
        lambda _, answer: asked.why(today, answer),
        lambda settings: lambda room: versions(settings.changed(pod="web"), room, 5 * SECOND),
    )


# -- questions


def when_is_web_bound() -> Question[Settings]:
    """When web is bound, after there is room for it."""

    def right(settings: Settings) -> str:
        at = next(each.at for each in _replay(settings).entries if each.pod == "web" and each.part == BOUND)
        return say("at {seconds} s", seconds=at // SECOND)

    def why(settings: Settings, answer: str) -> str:
        tries = [at / SECOND for at, who in _replay(settings).tries if who == "web"]
        failed = listed(f"{at:g}" for at in tries[:-1])
        if answer == say("at {seconds} s", seconds=330):
            times = say("{failed} and {last:g} s", failed=failed, last=tries[-1])
            return say(
                "Five minutes is how long a pod waits if no event helps it. web is tried at {times}.", times=times
            )
        if right(settings) == say("at {seconds} s", seconds=6):
            return say(
                "Nothing holds it back: the event wakes it, and it is tried at {failed} and {last:g} s.",
                failed=failed,
                last=tries[-1],
            )
        return say(
            "web failed at {failed} s. Each failure doubles its backoff, so the event at 6 s only moves it "
            "to the backoff queue. Its last failed attempt ended at {ended:g} s, so its backoff of {wait} s is not "
            "over at {look:g} s; the queue looks once a second, and web is tried again at {last:g} s.",
            failed=failed,
            ended=tries[-2] + ATTEMPT / SECOND,
            wait=2 ** (len(tries) - 2),
            look=tries[-1] - 1,
            last=tries[-1],
        )

    return Question(
        say("web has failed again and again. At 6 s there is room for it at last. When is it bound?"),
        tuple(say("at {seconds} s", seconds=seconds) for seconds in (6, 10, 330)),
        right,
        why,
        lambda settings: lambda room: drawn(settings, 5 * SECOND, room),
    )


def how_often_is_friend_tried() -> Question[Settings]:
    """The number of attempts for the pod that nothing helps."""

    def why(settings: Settings, answer: str) -> str:
        tries = [at / SECOND for at, who in _replay(settings).tries if who == "friend" and at <= settings.time * SECOND]
        times = listed(f"{at:g}" for at in tries)
        return say(
            "{generation} tries it at {times} s, and every attempt fails.", generation=settings.generation, times=times
        )

    return Question(
        say("No event ever helps friend. How many attempts for it so far?"),
        (),
        lambda settings: str(where(settings)[PODS.index("friend")].tries),
        why,
    )
