"""What brings a failed pod back in v1.13: the reader sorts the events, then the queue says which ones are right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from kschedlab.messages import later, say, sentences, terms
from kschedlab.text.html import Html
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.queue_parts import PRIORITIES, calls
from kschedlab_lab.panels.queue_parts_run import NEVER, UNSCHEDULABLE, manifest
from kschedlab_lab.panels.settings import Restorable, choice, switch
from kschedlab_lab.views import queue_pods
from kschedlab_lab.views.queue_parts import ACTIVE, WAITING
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


@cache
def right() -> dict[str, str]:
    """By the name of a setting, what the queue does at its event."""
    ends = {name: calls(NEVER, UNSCHEDULABLE, event)[-1] for name, event in EVENTS.items()}
    return {name: BACK if end.where == ACTIVE else STAYS for name, end in ends.items()}


def returns(settings: Settings) -> list[Return]:
    """The events in their order, each with the reader's place for web and, once that is judged, the right one."""
    truth = right()
    return [
        Return(
            name,
            say(event),
            getattr(settings, name) == BACK,
            truth[name] == getattr(settings, name) if settings.checked else None,
        )
        for name, event in EVENTS.items()
    ]


def show(settings: Settings) -> View:
    """The panel's view for these settings: a task until it is judged."""
    found, said = returns(settings), told(settings)
    head = terms("event", "your answer", "the queue of v1.13")
    truth = {name: say(place) if settings.checked else "?" for name, place in right().items()}
    rows = [[say(event), say(getattr(settings, name)), truth[name]] for name, event in EVENTS.items()]
    text = "\n".join([said, *aligned([head, *rows])])
    web = queue_pods.Pod("web", PRIORITIES["web"])
    return View(
        lambda room: draw_returns(found, web, (say(ACTIVE), say(WAITING)), buttons(settings), said, room),
        said,
        table(head, (row(*cells) for cells in rows)) if settings.checked else Html(),
        text,
        idle={"checked": ""},
    )


def told(settings: Settings) -> str:
    """What to do, or how many places are right."""
    if not settings.checked:
        return sentences(
            [
                say("Which events bring web back?"),
                say("It wants to be near a pod app: db. Click or drag each card, then check."),
            ]
        )
    good = sum(bool(each.right) for each in returns(settings))
    back = sum(each == BACK for each in right().values())
    if good == len(EVENTS):
        return say("All right: {back} of {all} events bring web back.", back=back, all=len(EVENTS))
    return say("{good} of {all} are right. Move the others.", good=good, all=len(EVENTS))


def buttons(settings: Settings) -> list[tuple[str, str]]:
    """What can be pressed below the events: the words, and what they set."""
    shown = ", ".join(f"{name}: {place}" for name, place in right().items())
    solve = (say("Show the answer"), f"{shown}, checked: on")
    return [solve] if settings.checked else [(say("Check"), "checked: on"), solve]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: [manifest()], "queue_returns.panel()")
