"""Clusters of the terminal's panels that are simulated instead of served."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from kschedlab.objects.model import Deployment, Node, NodeCondition, Pod
from kschedlab_lab.panels import terminal
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.settings import Restorable, steps
from kschedlab_lab.panels.terminal_feed import Feed, Seen
from kschedlab_lab.panels.terminal_view import view_of
from kschedlab_simulation.simulation import Simulation

TIMES = ("2s", "4s", "20s", "33s", "35s", "60s", "80s")


class Played:
    """A story that is simulated instead of served."""

    def __init__(self, story: str) -> None:
        self.simulation = Simulation.of(terminal.panel(story).scenario())
        self.feed = Feed(self.simulation.log)
        self._read = len(self.simulation.log)

    def run(self, until: str) -> None:
        self.simulation.run(until)
        self.feed.follow(self.simulation.log.entries[self._read :])
        self._read = len(self.simulation.log)

    def scale(self, name: str, replicas: int) -> None:
        api = self.simulation.api
        old = api.get(Deployment, "default", name)
        api.update(replace(old, spec=replace(old.spec, replicas=replicas)), by="kubectl")

    def cordon(self, name: str) -> None:
        api = self.simulation.api
        node = api.get(Node, "", name)
        api.update(replace(node, spec=replace(node.spec, unschedulable=True)), by="kubectl")

    def view(self) -> Any:
        return view_of(self.feed.seen, "nothing yet")

    def pods(self) -> dict[str, Pod]:
        """The pods, by the beginning of their names."""
        return {pod.metadata.name.split("-")[0]: pod for pod in self.feed.seen.pods}


def crowded(seen: Seen, nodes: int, pods: int) -> Seen:
    """The first node so many times, the second one of which is lost, and so many pods that wait."""
    node = seen.nodes[0]
    lost = replace(node.status, conditions=(NodeCondition("Ready", "False"),))
    named = [replace(node.metadata, name=f"n{i}") for i in range(nodes)]
    every = tuple(replace(node, metadata=each, status=lost if each.name == "n1" else node.status) for each in named)
    waiting = tuple(Pod(metadata=replace(Pod().metadata, name=f"p{i}")) for i in range(pods))
    return seen._replace(nodes=every, pods=waiting)


def moments(story: str) -> Iterator[Seen]:
    """A cluster in which kubectl scales up, twice, and cordons a node; then crowded ones."""
    played = Played(story)
    yield played.feed.seen
    played.scale("urgent", 1)
    for number, time in enumerate(TIMES):
        played.run(time)
        yield played.feed.seen
        if number == 1:
            played.scale("urgent", 3)
        elif number == 3:
            played.cordon("node-a")
    for nodes, pods in ((8, 4), (9, 5), (2, 0)):
        yield crowded(played.feed.seen, nodes, pods)


@dataclass(frozen=True)
class Moment(Restorable):
    """The moment that is shown."""

    step: int = steps("step", len(TIMES) + 3)


def of_moments(story: str) -> Panel[Any]:
    """A panel that walks through the moments of a story."""
    seen = [*moments(story)]
    return Panel(Moment(), lambda moment: view_of(seen[moment.step], "nothing yet"))
