"""How often a filter of yours has a pod tried while the racks cool down: simulated, and drawn along the time."""

from __future__ import annotations

from itertools import pairwise
from json import dumps
from math import inf

from kschedlab.build import as_yaml, node, pod
from kschedlab.generations import V1_37
from kschedlab.messages import listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Nothing
from kschedlab_lab.panels.your_plugin import refused_degrees
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.tries import Lane, draw_tries
from kschedlab_simulation import Simulation
from kschedlab_simulation.log import Step
from kschedlab_simulation.timeline.scenario import Scenario, loads_scenario

CELSIUS = {0: {"rack-a": 75, "rack-b": 70}, 10: {"rack-a": 74, "rack-b": 70}, 20: {"rack-a": 74, "rack-b": 40}}
"""By second: the temperatures from then on."""
SECOND = 10**6


def scenario() -> Scenario:
    """Two hot racks and the pod ``web``: rack-a has a degree less after 10 seconds, rack-b is cool after 20."""
    first = CELSIUS[0]
    hot = [*(node(name, labels={"celsius": str(first[name])}) for name in first), pod("web", "", 1)]
    timeline = [
        {"at": f"{second}s", "label": f"node/{rack}", "labels": {"celsius": str(now[rack])}}
        for (_, before), (second, now) in pairwise(CELSIUS.items())
        for rack in now
        if now[rack] != before[rack]
    ]
    return loads_scenario(f"{as_yaml(hot)}---\n{dumps({'timeline': timeline})}")


def simulated(name: str, plugin: object) -> Lane:
    """When web is tried with this plugin, and where it runs at last."""
    simulation = Simulation.of(scenario(), V1_37.plus(plugin))
    simulation.run()
    began = simulation.log.entries[0].at
    popped = [each.at - began for each in simulation.log if isinstance(each, Step) and each.step == "pop"]
    periods = pairwise([*(second * SECOND for second in CELSIUS), inf])
    tries = [sum(begins <= at < ends for at in popped) for begins, ends in periods]
    (web,) = simulation.pods()
    return Lane(name, tries, web.spec.nodeName)


def panel(**plugins: object) -> Panel[Nothing]:
    """The panel, which asks about the first and the last. ``plugins``: filters, by the names that the picture gives
    them. InputValueError unless they are two or more."""
    if len(plugins) < 2:
        raise InputValueError("expected two plugins or more, got {number}", number=len(plugins))
    lanes = [simulated(*each) for each in plugins.items()]
    first, *_, second = tries = [sum(lane.tries) for lane in lanes]
    refused = refused_degrees((next(iter(plugins.values())),))["rack-a"]

    def written(one: int, other: int) -> str:
        return say("{first} and {second}", first=one, second=other)

    def draw(room: Room, answered: bool = True) -> Html:
        return draw_tries(CELSIUS, refused, lanes, room, said if answered else asked, answered)

    counted = [say("{number} with {name}", number=each, name=name) for each, name in zip(tries, plugins, strict=True)]
    said = say("Tries of web: {counted}.", counted=listed(counted))
    asked = say(
        "How often is web tried, with {first} and with {second}?",
        first=f"`{lanes[0].name}`",
        second=f"`{lanes[-1].name}`",
    )
    why = say(
        "Each event gives another try, unless events or a hint say that it can't help. The first is the scheduler's "
        "own: it writes into the pod's status why it was refused."
    )
    question = Question[Nothing](
        asked,
        tuple(written(*each) for each in sorted({(2, 1), (3, 2), (first, second)})),
        lambda _: written(first, second),
        lambda *_: why,
        lambda _: lambda room: draw(room, answered=False),
    )
    view = View(draw, said, Html(), said)
    return Panel(Nothing(), lambda _: view, call="your_plugin_motion.panel(...)").ask(question)
