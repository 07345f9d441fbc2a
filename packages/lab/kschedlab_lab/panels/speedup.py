"""More and more workers: settings -> who takes which card -> how long Map takes, with any number of workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from kschedlab.messages import later, say, sentences
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.map_reduce import NODES, costs, hand_out, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.cards import Piece, last_tick
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.score import together
from kschedlab_lab.views.speedup import Speed, draw_speedup
from kschedlab_lab.views.svg import Room

WORKERS, TICKS = range(1, 17), range(1, 9)
"""How many workers there can be: the source has up to 16 (v1.16: core/generic_scheduler.go, PrioritizeNodes). How many
ticks the card that can be changed takes."""
CARD = 10
"""The index of that card's node."""
KNOWN = (1, 2, 4)
"""The numbers of workers whose time is known while the question is open."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The number of workers, and how long one card takes."""

    workers: int = slider("workers", WORKERS, NODES)
    ticks: int = slider("ticks of node-k", TICKS, 4)


def cards(settings: Settings) -> list[int]:
    """The ticks of each node."""
    return [settings.ticks if node == CARD else ticks for node, ticks in enumerate(costs(NODES))]


def work(settings: Settings) -> list[Piece]:
    """Who does what."""
    return hand_out(cards(settings), settings.workers)


def times(settings: Settings) -> dict[int, int]:
    """By number of workers, how many ticks Map takes."""
    return {workers: ends(settings.changed(workers=workers)) for workers in WORKERS}


def ends(settings: Settings) -> int:
    """The tick after which Map has ended."""
    return last_tick(work(settings))


def speed(settings: Settings) -> Speed:
    """What the picture shows."""
    letters = [name.removeprefix("node-") for name in node_names(NODES)]
    most = sum(cards(Settings(ticks=max(TICKS))))
    longest = max(cards(settings))
    return Speed(letters, work(settings), settings.workers, WORKERS, times(settings), longest, most, CARD)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = describe(settings)
    return View(lambda room: draw(settings, room), sentence, Html(), sentence)


def draw(settings: Settings, room: Room) -> Html:
    """The lanes and the bars."""
    card = node_names(NODES)[CARD]
    ticks = say("{node} takes {ticks}", node=card, ticks=count(settings.ticks, "tick"))
    dials = (
        Dial.among(WORKERS, settings.workers, count(settings.workers, "worker"), "workers"),
        Dial.among(TICKS, settings.ticks, ticks, "ticks"),
    )
    return draw_speedup(speed(settings), dials, room, describe(settings))


def describe(settings: Settings) -> str:
    """How long Map takes, and which card decides that."""
    longest, last, names = max(cards(settings)), ends(settings), node_names(NODES)
    workers, ticks = count(settings.workers, "worker"), count(last, "tick")
    takes = say("With {workers} Map takes {ticks}.", workers=workers, ticks=ticks)
    if last == longest:
        node = names[cards(settings).index(longest)]
        return sentences((takes, say("{node} alone needs as many: more workers cannot help.", node=node)))
    final = [names[piece.node] for piece in work(settings) if piece.end == last]
    return sentences((takes, say("Last to end: {nodes}.", nodes=together(final))))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "speedup.panel()")


def how_long() -> Question[Settings]:
    """How long Map takes with so many workers."""

    def right(settings: Settings) -> str:
        return str(ends(settings))

    def why(settings: Settings, answer: str) -> str:
        last, names = max(work(settings), key=attrgetter("end")), node_names(NODES)
        if not last.start:
            alone = later("{node} alone takes {ticks}: workers don't share a node.")
            return say(alone, node=names[last.node], ticks=count(last.ticks, "tick"))
        return say(
            "Worker {worker} takes {node} only after tick {start}, and {node} needs {ticks} more.",
            worker=last.worker,
            node=names[last.node],
            start=last.start,
            ticks=count(last.ticks, "tick"),
        )

    def before(settings: Settings, room: Room) -> Html:
        shown = speed(settings)
        known = {number: ticks for number, ticks in shown.times.items() if number in KNOWN}
        asked = replace(shown, times=known, asks=True)
        alt = say("{nodes} cards wait for {workers} workers.", nodes=NODES, workers=shown.workers)
        return draw_speedup(asked, (), room, alt)

    return Question(
        say("{nodes} workers, one for each node: how many ticks does Map take?", nodes=NODES),
        ("1", "2", "4", "8"),
        right,
        why,
        lambda settings: lambda room: before(settings, room),
    )
