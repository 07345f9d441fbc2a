"""How long Map takes with 1, 2, 4, 8 and 16 workers: settings -> what each worker does when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.panels import map_reduce
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.map_times import Lanes, draw_times
from kschedlab_lab.views.svg import Room

WORKERS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Settings(Restorable):
    """The number of nodes; their times are those of the first drawing of :mod:`kschedlab_lab.panels.map_reduce`."""

    nodes: int = choice("nodes", (4, 12, 20), 12)


def ticks(settings: Settings, workers: int) -> int:
    """How long Map takes."""
    return map_reduce.ends(map_reduce.Settings(nodes=settings.nodes, workers=workers))


def longest(settings: Settings) -> int:
    """The ticks of the node that takes longest."""
    return max(map_reduce.costs(settings.nodes, map_reduce.Settings().seed))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    first, *_, last = (ticks(settings, workers) for workers in WORKERS)
    sentence = say(
        "16 workers take {last} ticks; one takes {first}. It cannot take less than {longest}: a node is not divided, "
        "and the longest takes {longest}. Where it is grey, a worker is idle.",
        first=first,
        last=last,
        longest=longest(settings),
    )
    return View(_lanes(settings, len(WORKERS), sentence), sentence, Html(), sentence)


def _lanes(settings: Settings, known: int, alt: str) -> Callable[[Room], Html]:
    """What the workers do, by their number; only the first ones are ``known``."""
    plans = [map_reduce.pieces(map_reduce.Settings(nodes=settings.nodes, workers=workers)) for workers in WORKERS]
    lanes = [
        Lanes(workers, plan if i < known else ()) for i, (workers, plan) in enumerate(zip(WORKERS, plans, strict=True))
    ]
    return lambda room: draw_times(lanes, room, alt)


def panel(**settings: int) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="map_times.panel()")


def how_long() -> Question[Settings]:
    """Does twice the number of workers halve the time once more?"""

    def right(settings: Settings) -> str:
        return str(ticks(settings, WORKERS[-1]))

    def why(settings: Settings, answer: str) -> str:
        longest_card = say(
            "The longest cards take {longest} ticks, and one worker takes each of them alone.",
            longest=longest(settings),
        )
        if int(answer) < longest(settings):
            return longest_card
        started = say("With 16 workers all {nodes} cards are taken in the first tick.", nodes=settings.nodes)
        return f"{started} {longest_card}"

    def before(settings: Settings) -> Callable[[Room], Html]:
        return _lanes(settings, len(WORKERS) - 1, say("How long Map takes with fewer workers."))

    asked = say("Twelve cards of 1 to 4 ticks: how many ticks does Map take with 16 workers?")
    return Question(asked, ("2", "3", "4", "5"), right, why, before)
