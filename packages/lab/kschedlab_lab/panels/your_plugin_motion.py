"""How often a filter of yours has a pod tried while the racks cool down: simulated, and drawn along the time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from json import dumps
from math import inf

from kschedlab.build import as_yaml, node, pod
from kschedlab.generations import V1_37
from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.panels.your_plugin import refused_degrees
from kschedlab_lab.views.racks import STEP
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.tries import Lane, draw_tries
from kschedlab_simulation import Simulation
from kschedlab_simulation.log import Step
from kschedlab_simulation.timeline.scenario import Scenario, loads_scenario

SECOND = 10**6


@dataclass(frozen=True)
class Settings(Restorable):
    """How warm a rack is from a moment on."""

    a: int = slider(later("celsius of rack-a after 10 seconds"), range(40, 80 + STEP, STEP), 70)
    b: int = slider(later("celsius of rack-b after 20 seconds"), range(40, 80 + STEP, STEP), 40)


CONTROLS = {(10, "rack-a"): "a", (20, "rack-b"): "b"}


def moments(settings: Settings) -> dict[int, dict[str, int]]:
    """By second: the temperatures from then on."""
    first = {"rack-a": 75, "rack-b": 80}
    return {0: first, 10: {**first, "rack-a": settings.a}, 20: {"rack-a": settings.a, "rack-b": settings.b}}


def scenario(celsius: Mapping[int, Mapping[str, int]]) -> Scenario:
    """Two racks and the pod ``web``; a rack's label changes where its temperature does."""
    first = celsius[0]
    hot = [*(node(name, labels={"celsius": str(first[name])}) for name in first), pod("web", "", 1)]
    timeline = [
        {"at": f"{second}s", "label": f"node/{rack}", "labels": {"celsius": str(now[rack])}}
        for (_, before), (second, now) in pairwise(celsius.items())
        for rack in now
        if now[rack] != before[rack]
    ]
    return loads_scenario(f"{as_yaml(hot)}---\n{dumps({'timeline': timeline})}")


def simulated(name: str, plugin: object, celsius: Mapping[int, Mapping[str, int]]) -> Lane:
    """When web is tried with this plugin, and where it runs at last."""
    simulation = Simulation.of(scenario(celsius), V1_37.plus(plugin))
    simulation.run()
    began = simulation.log.entries[0].at
    popped = [each.at - began for each in simulation.log if isinstance(each, Step) and each.step == "pop"]
    periods = pairwise([*(second * SECOND for second in celsius), inf])
    tries = [sum(begins <= at < ends for at in popped) for begins, ends in periods]
    (web,) = simulation.pods()
    return Lane(name, tries, web.spec.nodeName)


def panel(**plugins: object) -> Panel[Settings]:
    """The panel, which asks about the first and the last. ``plugins``: filters, by the names that the picture gives
    them. InputValueError unless they are two or more."""
    if len(plugins) < 2:
        raise InputValueError("expected two plugins or more, got {number}", number=len(plugins))
    refused = refused_degrees((next(iter(plugins.values())),))["rack-a"]
    one, *_, other = plugins

    @cache
    def lanes(settings: Settings) -> list[Lane]:
        return [simulated(name, plugin, moments(settings)) for name, plugin in plugins.items()]

    def draw(settings: Settings, alt: str, answered: bool, room: Room) -> Html:
        controls = CONTROLS if answered else {}
        return draw_tries(moments(settings), refused, controls, lanes(settings), room, alt, answered)

    def show(settings: Settings) -> View:
        tries = {lane.name: sum(lane.tries) for lane in lanes(settings)}
        counted = [say("{number} with {name}", number=each, name=name) for name, each in tries.items()]
        said = say("Tries of web: {counted}.", counted=listed(counted))
        return View(partial(draw, settings, said, True), said, Html(), said)

    def right(settings: Settings) -> str:
        first, *_, second = (sum(lane.tries) for lane in lanes(settings))
        return _written(first, second)

    asked = say("How often is web tried, with {first} and with {second}?", first=f"`{one}`", second=f"`{other}`")
    why = say(
        "Each event gives another try, unless events or a hint say that it can't help. The first is the scheduler's "
        "own: it writes into the pod's status why it was refused."
    )
    question = Question[Settings](
        asked,
        tuple(sorted({_written(2, 1), _written(3, 2), right(Settings())})),
        right,
        lambda *_: why,
        lambda settings: partial(draw, settings, asked, False),
    )
    return Panel(Settings(), show, call="your_plugin_motion.panel(...)").ask(question)


def _written(one: int, other: int) -> str:
    return say("{first} and {second}", first=one, second=other)
