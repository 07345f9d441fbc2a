"""What brings a failed pod back in v1.13: the reader sorts the events, then the queue says which ones are right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kschedlab.messages import later, say, sentences
from kschedlab.queue import interface
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.queue_parts_run import PRIORITIES, UNSCHEDULABLE, QueueRun, manifest, neighbour
from kschedlab_lab.panels.settings import Restorable, choice, switch
from kschedlab_lab.views.queue_returns import Return, draw_returns

PLACES = (later("stays"), later("returns"))
STAYS, BACK = PLACES


@dataclass(frozen=True)
class Settings(Restorable):
    """Where the reader puts web for each event; ``checked``: whether that is judged."""

    joins: str = choice("MoveAllToActiveQueue", PLACES, STAYS)
    labels: str = choice("Update of its labels", PLACES, STAYS)
    status: str = choice("Update of its status only", PLACES, STAYS)
    db: str = choice("AssignedPodAdded: db", PLACES, STAYS)
    cache: str = choice("AssignedPodAdded: cache", PLACES, STAYS)
    flush: str = choice("flush 61 s later", PLACES, STAYS)
    checked: bool = switch("checked")


EVENTS = {name: each.label for name, each in Settings().controls().items() if name != "checked"}
"""By the name of a setting, what may happen while web waits."""
HAPPENS: Mapping[str, Callable[[QueueRun], None]] = {
    "joins": lambda run: run.move(),
    "labels": lambda run: run.update({"tier": "gold"}, UNSCHEDULABLE),
    "status": lambda run: run.update(None, UNSCHEDULABLE),
    "db": lambda run: run.queue.assigned_pod_added(neighbour("db")),
    "cache": lambda run: run.queue.assigned_pod_added(neighbour("cache")),
    "flush": lambda run: run.flush(61),
}


WHY: Mapping[str, str] = {
    "joins": later("it brings back everybody"),
    "labels": later("more than the status changed"),
    "status": later("only the status changed"),
    "db": later("web wants to be near app: db"),
    "cache": later("web does not ask for cache"),
    "flush": later("it has waited for more than 60 s"),
}
"""Why web returns at this event, or stays."""


@cache
def right() -> dict[str, str]:
    """By the name of a setting, what the queue does at its event."""
    return {name: BACK if _is_back_after(event) else STAYS for name, event in HAPPENS.items()}


def _is_back_after(event: Callable[[QueueRun], None]) -> bool:
    """Whether web, which no node fits, is in activeQ after this event."""
    run = QueueRun()
    queued = run.queue.pop()
    assert queued is not None
    run.give_back(queued, None, UNSCHEDULABLE)
    event(run)
    return run.queue.places()[run.pod.key].part == interface.ACTIVE


def returns(settings: Settings) -> list[Return]:
    """The events in their order, each with the reader's place for web and, once that is judged, the right one."""
    truth = right()
    return [
        Return(
            name,
            say(event),
            getattr(settings, name) == BACK,
            truth[name] == getattr(settings, name) if settings.checked else None,
            say(WHY[name]),
        )
        for name, event in EVENTS.items()
    ]


def show(settings: Settings) -> View:
    """The panel's view for these settings: a task until it is judged."""
    found, said = returns(settings), told(settings)
    titles = say("brings web back"), say("web stays")
    return View(
        lambda room: draw_returns(found, PRIORITIES["web"], titles, buttons(settings), said, room),
        said,
        Html(),
        said,
        idle={"checked": ""},
    )


def told(settings: Settings) -> str:
    """What to do, or how many places are right."""
    task = say("Which events bring web back?")
    if not settings.checked:
        return sentences([task, say("It wants to be near a pod app: db. Click or drag each card, then check.")])
    good = sum(bool(each.right) for each in returns(settings))
    if good == len(EVENTS):
        return sentences([task, say("All cards are right.")])
    return sentences([task, say("{good} of {all} cards are right. Move the others.", good=good, all=len(EVENTS))])


def buttons(settings: Settings) -> list[tuple[str, str]]:
    """What can be pressed below the events: the words, and what they set."""
    if settings.checked and all(each.right for each in returns(settings)):
        return []
    shown = ", ".join(f"{name}: {place}" for name, place in right().items())
    solve = (say("Show the answer"), f"{shown}, checked: on")
    return [solve] if settings.checked else [(say("Check"), "checked: on"), solve]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: [manifest()], "queue_returns.panel()")
