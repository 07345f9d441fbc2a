"""Preemption as ``kubectl get pod -o wide -w`` shows it: the life of a nomination, on a movable clock.

The lines come from a run simulated on v1.16, whose log can be replayed to any moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from kschedlab import testing
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, steps
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.simulation.log import Changed
from kschedlab.simulation.replay import Replay
from kschedlab.simulation.simulation import Simulation
from kschedlab.simulation.timeline.scenario import loads_scenario
from kschedlab.testing import Manifest, node, pod
from kschedlab.views.drawing import Block, Box, draw
from kschedlab.views.html import Html, element
from kschedlab.views.kubectl import NONE, PodTable, wide_cells

WATCHED = 2 * SECOND
"""When kubectl begins to watch and the pod is created, in microseconds from the start."""

COMMAND = "$ kubectl get pod -o wide -w"
TERMINAL = "overflow-x:auto;font-size:0.9em;margin:0.3em 0;"

STORIES: Mapping[str, tuple[Manifest, ...]] = {
    "the usual way": (),
    "another node becomes free": ({"at": "10s", "delete": "pod/shop-b", "grace": 0},),
    "a more important pod comes": ({"at": "10s", "create": pod("critical", "", 3, 1000)},),
}


class Line(NamedTuple):
    """What kubectl prints at a moment. ``position``: that of the change in the log; None for the first list."""

    text: tuple[str, ...]
    position: int
    change: Changed | None


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    return testing.as_yaml(
        [
            node("node-a"),
            node("node-b"),
            pod("mail-a", "node-a", 2, 0),
            pod("logs-a", "node-a", 1, 100),
            pod("shop-b", "node-b", 3, 900),
            {
                "simulation": {"generation": "v1.16"},
                "timeline": [{"at": "2s", "create": pod("urgent", "", 3, 500)}, *STORIES[story]],
            },
        ]
    )


@cache
def run(story: str) -> Simulation:
    """Run the story on v1.16."""
    simulation = Simulation.of(loads_scenario(scenario(story), story))
    simulation.run()
    return simulation


@cache
def lines(story: str) -> tuple[Line, ...]:
    """What kubectl prints: the existing pods, then a line for each change of a pod."""
    simulation, table = run(story), PodTable()
    replay = Replay(simulation.log)
    replay.seek_time(simulation.start + WATCHED - 1)
    found = [Line(tuple(table.lines(replay.pods(), simulation.start + WATCHED)), replay.position, None)]
    while (entry := replay.forward()) is not None:
        if isinstance(entry, Changed) and entry.kind == Pod.__name__:
            text = table.lines([entry.new or entry.old], entry.at)
            found.append(Line(tuple(text), replay.position, entry))
    return tuple(found)


@dataclass(frozen=True)
class Settings(Restorable):
    """The story, and the number of changes so far."""

    story: str = choice("story", STORIES, "the usual way")
    change: int = steps("change of a pod", lambda settings: len(lines(settings.story)) - 1)


def as_yaml(settings: Settings) -> str:
    """The story as a scenario."""
    return scenario(settings.story)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    watched, simulation = lines(settings.story), run(settings.story)
    line = watched[settings.change]
    replay = Replay(simulation.log)
    replay.seek(line.position)
    printed = [text for each in watched[: settings.change + 1] for text in each.text]
    sentence = _sentence(line, simulation.start)
    terminal = element("pre", *(element("div", text) for text in [COMMAND, *printed]), style=TERMINAL)
    picture = _picture(replay, sentence)
    return View(picture, sentence, terminal, "\n".join([sentence, COMMAND, *printed]))


def _sentence(line: Line, start: int) -> str:
    change = line.change
    if change is None:
        return "The watch begins: three pods run, and urgent is about to come."
    at, name = (change.at - start) / SECOND, change.key.partition("/")[2]
    if change.new is None:
        return f"At {at:.3f} s {name} is gone; the {_who(change.by)} had the last word."
    _, _, status, _, _, _, on, nominated, _ = wide_cells(change.new, change.at)
    where = f"NODE {on}, NOMINATED NODE {nominated}"
    verb = "creates" if change.old is None else "changes"
    return f"At {at:.3f} s the {_who(change.by)} {verb} {name}: STATUS {status}, {where}."


def _who(by: str) -> str:
    return {DEFAULT_SCHEDULER: "scheduler", "timeline": "user"}.get(by, by)


def _picture(replay: Replay, alt: str) -> Html:
    """The nodes with their pods at that moment, and the pending pods."""
    pods = replay.pods()
    waiting = [each for each in pods if not each.spec.nodeName]
    boxes = [Box("waiting", 0, tuple(map(_block, waiting)))]
    for there in replay.of(Node):
        name = there.metadata.name
        own = tuple(_block(each) for each in pods if each.spec.nodeName == name)
        kept = [each.metadata.name for each in waiting if each.status.nominatedNodeName == name]
        captions = tuple(f"nominated: {each}" for each in kept)
        boxes.append(Box(name, there.status.allocatable["cpu"].milli(), own, captions, bool(kept)))
    return draw(boxes, alt, "cpu")


def _block(each: Pod) -> Block:
    mark = "evicted" if each.metadata.deletionTimestamp is not None else ""
    nominated = each.status.nominatedNodeName or NONE
    detail = f"priority {each.spec.priority or 0}" if each.spec.nodeName else f"for {nominated}"
    return Block(each.metadata.name, int(pod_requests(each)["cpu"]), each.spec.priority or 0, detail, mark)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "watch.panel()")


def where_to() -> Prediction:
    """The prediction before the second story."""
    return Prediction(
        "urgent is nominated to node-a, where mail-a still terminates. Now shop-b on node-b is deleted. What happens?",
        {
            "urgent goes to node-b": "Yes. A nomination keeps a place, and binds nobody. Look at the last column, too.",
            "urgent waits for node-a": "It would be a pity: mail-a has 22 seconds left. A nomination binds nobody.",
            "mail-a may stay": "Nobody takes an eviction back: mail-a has been deleted, it only takes its time.",
        },
    )
