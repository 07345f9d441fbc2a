"""A cluster that lives beside the notebook: kubectl changes it in a terminal, and the panel follows.

The kernel serves the cluster as ``kschedlab serve`` does (:mod:`kschedlab_live.serve`), from the moment at which a cell
shows the panel. A saved notebook and the course's pages show it as it is before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from kschedlab.build import Manifest, as_yaml, deployment
from kschedlab.messages import later
from kschedlab.objects.problems import InputValueError
from kschedlab_lab.panels import overview_watch, preemption
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.settings import Nothing
from kschedlab_lab.panels.terminal_feed import Feed, Seen
from kschedlab_lab.panels.terminal_view import told, view_of
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import Scenario, loads_scenario

URGENT = 500
"""The priority of the pods of the Deployment ``urgent``, as in the lessons."""


class Story(NamedTuple):
    """A cluster and the scheduler's generation. ``sends``: how many pods of ``urgent`` a button sends."""

    manifests: Callable[[], list[Manifest]]
    generation: str
    sends: int = 0


def _ours(name: str, value: int) -> list[Manifest]:
    """A Deployment without a pod yet, whose pods ask for 3 CPU, and their priority class."""
    kind: Manifest = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return [kind | {"metadata": {"name": name}, "value": value}, deployment(name, 0, cpu=3, priorityClassName=name)]


def _nomination() -> list[Manifest]:
    """The cluster of lesson 01's nominations."""
    return [*overview_watch.manifests(), *_ours("urgent", URGENT), *_ours("critical", 1000)]


def _ladder() -> list[Manifest]:
    """The first cluster of lesson 05, with a budget that allows one disruption, by its spec."""
    found = []
    for each in preemption.manifests(preemption.Settings(allowed=1)):
        if each["kind"] == "PodDisruptionBudget":
            each = each | {"spec": each["spec"] | {"minAvailable": 2}}
        if each["metadata"]["name"] != "urgent":
            found.append(each)
    return [*found, *_ours("urgent", URGENT)]


STILL = later("A cluster for kubectl. In JupyterLab this cell starts it.")
FIRST = later("Type kubectl in a terminal: this picture follows.")
"""What is said before anything has happened: without a cluster that lives, and with one."""
STORIES: Mapping[str, Story] = {"nomination": Story(_nomination, "v1.16"), "ladder": Story(_ladder, "v1.20", 3)}


def scenario_text(story: str) -> str:
    """The story as YAML, for ``kschedlab serve``."""
    chosen = STORIES[story]
    return as_yaml([*chosen.manifests(), {"simulation": {"generation": chosen.generation}}])


@cache
def beginning(story: str) -> Seen:
    """The cluster before its time runs."""
    simulation = Simulation.of(loads_scenario(scenario_text(story), story))
    return Feed(simulation.log).seen


class Terminal(Panel[Nothing]):
    """The panel. ``seen``: the cluster as it is now; ``lives``: whether kubectl can change it; ``stopped``: time is."""

    def __init__(self, story: str) -> None:
        self.story, self.seen, self.lives, self.stopped = story, beginning(story), False, False
        super().__init__(Nothing(), self._look, lambda _: scenario_text(story), f'terminal.panel("{story}")')

    @property
    def sends(self) -> int:
        """How many pods a button sends; 0: there is none."""
        return STORIES[self.story].sends

    def scenario(self) -> Scenario:
        return loads_scenario(scenario_text(self.story), self.story)

    def see(self, seen: Seen, lives: bool, stopped: bool = False) -> None:
        self.seen, self.lives, self.stopped = seen, lives, stopped
        self.go(self.settings)

    def state(self, settings: Nothing, room: Room) -> dict[str, Any]:
        """As any panel's; ``moment`` tells the front end that the saved picture is an older one."""
        return {**super().state(settings, room), "moment": "".join(map(told, self.seen.lines[-1:]))}

    def _look(self, _settings: Nothing) -> Any:
        return view_of(self.seen, FIRST if self.lives else STILL, self.stopped)

    def _ipython_display_(self) -> None:
        """Show it, and let the cluster live."""
        from kschedlab_lab.panels.terminal_desk import Desk

        Desk(self).display()


def panel(story: str) -> Terminal:
    """The panel on the cluster of this story: ``nomination`` or ``ladder``. ValueError."""
    if story not in STORIES:
        raise InputValueError('"{story}" is not a story; there are {stories}', story=story, stories=[*STORIES])
    return Terminal(story)
