"""Two schedulers, each with nodes of its own, get the same pods at the same moments: how full do they become?

The panel simulates both when it is made, and then walks from arrival to arrival.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import make_dataclass
from functools import partial
from math import inf
from typing import Any, Protocol

from kschedlab.generations import Profiles
from kschedlab.messages import later, say, sentences
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab.text.words import amount, listing
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, moments
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.two_runs import Moment, Placed, draw_runs, room_of, size_of
from kschedlab_simulation import Simulation
from kschedlab_simulation.log import Changed
from kschedlab_simulation.timeline.scenario import Scenario


class Arrivals(Protocol):
    """What both are given: nodes, and pods that arrive."""

    def scenario(self, seed: int) -> Scenario: ...


class Scheduler(Protocol):
    """One of the two, such as a ``Variant`` of kschedlab_experiments."""

    @property
    def name(self) -> str: ...

    def profiles(self) -> Profiles: ...


def simulated(arrivals: Arrivals, scheduler: Scheduler, seed: int) -> list[Moment]:
    """What a simulation has placed with one pod, two, ... just before the next arrives, and at the end."""
    scenario = arrivals.scenario(seed)
    nodes = {each.obj.metadata.name: room_of(each.obj) for each in scenario.objects if isinstance(each.obj, Node)}
    simulation = Simulation.of(scenario, scheduler.profiles(), seed)
    simulation.run()
    ended = {pod.metadata.name: pod for pod in simulation.pods()}
    arrived, bound = dict[str, int](), dict[str, int]()
    for each in simulation.log:
        if isinstance(each, Changed) and isinstance(each.new, Pod) and (name := each.new.metadata.name) in ended:
            arrived.setdefault(name, each.at)
            if each.new.spec.nodeName:
                bound.setdefault(name, each.at)
    found = []
    for count, until in enumerate([*arrived.values(), inf]):
        names = [*arrived][:count]
        there = (ended[name].spec.nodeName if bound.get(name, inf) < until else "" for name in names)
        placed = (Placed(name, size_of(ended[name]), node) for name, node in zip(names, there, strict=True))
        found.append(Moment(scheduler.name, nodes, tuple(placed)))
    return found[1:] or found


class Both:
    """What the panel shows: both runs after so many arrivals."""

    def __init__(self, arrivals: Arrivals, schedulers: Sequence[Scheduler], seed: int) -> None:
        if len(schedulers) != 2:
            raise InputValueError("expected two schedulers, got {number}", number=len(schedulers))
        self.runs = [simulated(arrivals, each, seed) for each in schedulers]
        last = len(self.runs[0])
        fields = [("pods", int, moments(later("pods"), range(1, last + 1), last))]
        self.settings: type[Any] = make_dataclass("Settings", fields, bases=(Restorable,), frozen=True)

    def moments(self, settings: Any) -> list[Moment]:
        """Both after so many arrivals."""
        return [run[settings.pods - 1] for run in self.runs]

    def __call__(self, settings: Any) -> View:
        said = self.sentence(settings)
        return View(partial(self.draw, settings), said, Html(), said)

    def draw(self, settings: Any, room: Room) -> Html:
        """The picture of this moment."""
        return draw_runs(self.moments(settings), room, self.sentence(settings))

    def sentence(self, settings: Any) -> str:
        """What became of the pod that has arrived; at the end, how full both are."""
        first, second = self.moments(settings)
        if settings.pods < len(self.runs[0]):
            return self.arrival(first, second)
        shares = later("{a}: {first} %, {b}: {second} %.")
        said = say(shares, a=first.name, first=first.percent, b=second.name, second=second.percent)
        return sentences((said, *self.apart(settings)))

    def apart(self, settings: Any) -> Iterator[str]:
        """Which pods make the difference."""
        first, second = self.moments(settings)
        one, several = later("{pods} waits only with {name}."), later("{pods} wait only with {name}.")
        short = later("{pods} waits only with {name}: {node} has the CPU for it, but not the memory.")
        for run, other in ((first, second), (second, first)):
            pods = sorted(run.waiting - other.waiting)
            node = next((each for each in run.nodes if run.short_of_memory(each, other.waiting) is not None), "")
            if pods:
                said = several if len(pods) > 1 else short if node else one
                yield say(said, pods=listing(pods), name=run.name, node=node)

    def arrival(self, first: Moment, second: Moment) -> str:
        """What the newest pod asks for, and where it goes."""
        pod, other = first.pods[-1], second.pods[-1]
        sizes = [amount(resource, size) for resource, size in pod.size._asdict().items() if size]
        asks = say("{pod} asks for {amounts}.", pod=pod.name, amounts=say(" and ").join(sizes))
        here, there = (each.node or say("it waits") for each in (pod, other))
        if here == there:
            return sentences((asks, say("Both: {node}.", node=here)))
        where = say("{a}: {first}, {b}: {second}.", a=first.name, first=here, b=second.name, second=there)
        return sentences((asks, where))

    def deploy(self) -> Question[Any]:
        """Would you deploy the second scheduler? The picture of the end shows."""
        first, second = self.moments(self.settings())
        more = (second.used - first.used) / second.capacity * 100
        asked = say("Would you deploy {name}?", name=f"`{second.name}`")
        remarks = {
            say("deploy it"): say("{more:.0f} points are a lot. But these are the pods of one seed.", more=more),
            say("wait"): say("One run says how it was. It does not say how it will be with other pods."),
            say("drop it"): say("Nothing speaks against the change. One run speaks neither for nor against it."),
        }
        return Question(
            asked,
            tuple(remarks),
            lambda _: say("wait"),
            lambda settings, answer: sentences((remarks[answer], *self.apart(settings))),
            lambda settings: partial(self.draw, settings),
            moment=True,
        )


def panel(arrivals: Arrivals, schedulers: Sequence[Scheduler], seed: int = 1) -> Panel[Any]:
    """The panel, at the end of both runs. It asks first whether one would deploy the second scheduler.

    InputValueError unless there are two schedulers; ManifestError for faults in what arrives.
    """
    shown = Both(arrivals, schedulers, seed)
    return Panel(shown.settings(), shown, call="two_runs.panel(...)").ask(shown.deploy())
