"""How often a filter of yours has a pod tried while the racks cool down: simulated, and drawn moment by moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from json import dumps

from kschedlab.build import as_yaml, node, pod
from kschedlab.generations import V1_37
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, moments
from kschedlab_lab.panels.your_plugin import refused_degrees
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.tries import Lane, draw_tries
from kschedlab_simulation import Simulation
from kschedlab_simulation.log import Step
from kschedlab_simulation.timeline.scenario import loads_scenario

CELSIUS = {0: {"rack-a": 75, "rack-b": 70}, 10: {"rack-a": 74, "rack-b": 70}, 20: {"rack-a": 74, "rack-b": 40}}
"""By second: the temperatures from then on."""
SECOND = 10**6
HAPPENS = {
    0: later("Both racks are hot."),
    10: later("rack-a has a degree less."),
    20: later("rack-b is cool."),
}


@dataclass(frozen=True)
class Settings(Restorable):
    """The moment that is looked at."""

    second: int = moments(later("time"), tuple(CELSIUS), 20, shows=lambda seconds: f"{seconds} s")


class Motion:
    """Two hot racks and the pod ``web``: rack-a has a degree less after 10 seconds, rack-b is cool after 20.

    ``tries``: by name of a plugin, the seconds at which web was tried; ``nodes``: where it runs at last, or "".
    """

    def __init__(self, plugins: dict[str, object]) -> None:
        first = CELSIUS[0]
        hot = [*(node(name, labels={"celsius": str(first[name])}) for name in first), pod("web", "", 1)]
        timeline = [
            {"at": f"{second}s", "label": f"node/{rack}", "labels": {"celsius": str(now[rack])}}
            for (_, before), (second, now) in pairwise(CELSIUS.items())
            for rack in now
            if now[rack] != before[rack]
        ]
        scenario = loads_scenario(f"{as_yaml(hot)}---\n{dumps({'timeline': timeline})}")
        self.tries: dict[str, list[int]] = {}
        self.nodes: dict[str, str] = {}
        self.refused = {name: refused_degrees((plugin,))["rack-a"] for name, plugin in plugins.items()}
        for name, plugin in plugins.items():
            simulation = Simulation.of(scenario, V1_37.plus(plugin))
            simulation.run()
            began = simulation.log.entries[0].at
            popped = [each.at for each in simulation.log if isinstance(each, Step) and each.step == "pop"]
            self.tries[name] = [(at - began) // SECOND for at in popped]
            (web,) = simulation.pods()
            self.nodes[name] = web.spec.nodeName

    def __call__(self, settings: Settings) -> View:
        said = self.sentence(settings)
        return View(partial(self.draw, settings, said), said, Html(), said)

    def sentence(self, settings: Settings) -> str:
        """What has just happened, and how often each was tried until then."""
        counts = listed(f"{name} {len(self.until(name, settings.second))}" for name in self.tries)
        return sentences((say(HAPPENS[settings.second]), say("Tries so far: {counts}.", counts=counts)))

    def until(self, name: str, second: int) -> list[int]:
        """When web was tried so far."""
        return [at for at in self.tries[name] if at <= second]

    def lane(self, name: str, second: int) -> Lane:
        """What one plugin makes of this moment."""
        tries, node = self.until(name, second), self.nodes[name]
        now = tries.count(second)
        runs = bool(node) and bool(tries) and second >= self.tries[name][-1]
        if runs:
            remark = say("tried: runs on {node}", node=node)
        elif now > 1:
            remark = say("tried, and at once again: its own new status is an event")
        else:
            remark = say("tried in vain") if now else say("sleeps on: the hint says no")
        return Lane(name, len(tries), node if runs else "", remark, CELSIUS[second], self.refused[name])

    def draw(self, settings: Settings, alt: str, room: Room) -> Html:
        return draw_tries([self.lane(name, settings.second) for name in self.tries], room, alt)

    def before(self, settings: Settings, room: Room) -> Html:
        """Both racks are hot, and nothing has been tried."""
        lanes = [Lane(name, 0, "", "", CELSIUS[0], self.refused[name]) for name in self.tries]
        return draw_tries(lanes, room, say(HAPPENS[0]))

    def question(self) -> Question[Settings]:
        """How often is web tried with each of the two?"""
        first, second = self.tries

        def written(tries: tuple[int, int]) -> str:
            return say("{first} and {second}", first=tries[0], second=tries[1])

        right = len(self.tries[first]), len(self.tries[second])
        choices = sorted({(2, 1), (3, 2), right})
        why = say(
            "Each event that is worth it gives another try, and without a hint all are: also the status that the "
            "scheduler itself writes."
        )
        return Question(
            say("How often is web tried, with {first} and with {second}?", first=f"`{first}`", second=f"`{second}`"),
            tuple(map(written, choices)),
            lambda _: written(right),
            lambda _, answer: why,
            lambda settings: partial(self.before, settings),
            shows=lambda settings: replace(settings, second=0),
        )


def panel(**plugins: object) -> Panel[Settings]:
    """The panel, which asks first. ``plugins``: two filters, by the names that the picture gives them."""
    if len(plugins) != 2:
        raise InputValueError("expected two plugins, got {number}", number=len(plugins))
    shown = Motion(plugins)
    return Panel(Settings(), shown, call="your_plugin_motion.panel(...)").ask(shown.question())
