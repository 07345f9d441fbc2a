"""Preemption as ``kubectl get pod -o wide -w`` shows it: the life of a nomination, step by step.

The lines come from a run simulated on v1.16, whose log can be replayed to any moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

from kschedlab import build
from kschedlab.build import Manifest, node, pod
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Node, Pod
from kschedlab.queue.order import SCHEDULED
from kschedlab.text.html import Html, element
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.panels.terminal_view import nominees, standing
from kschedlab_lab.views.bench import Bench, draw_bench
from kschedlab_lab.views.drawing import Box
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.kubectl import HEAD, NONE, PodTable, wide_cells
from kschedlab_simulation.log import Changed
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario

WATCHED = 2 * SECOND
"""When kubectl begins to watch and the pod is created, in microseconds from the start."""

BEGINS = 10 * SECOND
"""When the story goes on: a victim terminates already."""

SHOWN = ("NAME", "STATUS", "NODE", "NOMINATED NODE")
WIDEST = ("critical", "ContainerCreating", NONE, NONE)
"""The columns of kubectl that the picture shows, and the longest cell that each ever has."""
STATUS = HEAD.index("STATUS")
COMMAND = "$ kubectl get pod -o wide -w"
TERMINAL = "overflow-x:auto;white-space:pre;overflow-wrap:normal;font-size:12px;margin:0.3em 0;"

STORIES: Mapping[str, Manifest] = {
    later("another node becomes free"): {"at": "10s", "delete": "pod/shop-b", "grace": "1s"},
    later("a less important pod comes"): {"at": "10s", "create": pod("batch", "", 1, 0)},
    later("a more important pod comes"): {"at": "10s", "create": pod("critical", "", 3, 1000)},
}


class Line(NamedTuple):
    """What kubectl prints at a moment. ``position``: how much of the log has happened; ``change``: None at first."""

    text: tuple[str, ...]
    position: int
    change: Changed | None


def manifests() -> list[Manifest]:
    """Two nodes and what runs there."""
    return [
        node("node-a"),
        node("node-b"),
        pod("mail-a", "node-a", 2, 0),
        pod("logs-a", "node-a", 1, 100),
        pod("shop-b", "node-b", 4, 900),
    ]


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    timeline = [{"at": "2s", "create": pod("urgent", "", 3, 500)}, STORIES[story]]
    return build.as_yaml([*manifests(), {"simulation": {"generation": "v1.16"}, "timeline": timeline}])


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

    def line(pods: Sequence[Pod], at: int, change: Changed | None = None) -> Line:
        return Line(tuple(table.lines(pods, at)), replay.position, change)

    found = [line(replay.pods(), simulation.start + WATCHED)]
    while (entry := replay.forward()) is not None:
        if isinstance(entry, Changed) and entry.kind == Pod.__name__:
            found.append(line([entry.new or entry.old], entry.at, entry))
    return tuple(found)


@dataclass(frozen=True)
class Settings(Restorable):
    """The story, and the number of changes so far."""

    story: str = choice("story", STORIES, "another node becomes free")
    change: int = steps("change", lambda settings: len(lines(settings.story)) - 1)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another story begins at its beginning."""
        found = super().at(indices)
        return found if found.story == self.story else replace(found, change=0)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    seen = lines(settings.story)[: settings.change + 1]
    printed = [text for line in seen for text in line.text]
    sentence = _sentence(seen[-1].change)
    terminal = element("pre", *(element("div", each) for each in (COMMAND, *printed)), style=TERMINAL)
    text = "\n".join([sentence, COMMAND, *printed])
    picture = partial(draw, settings.story, seen[-1].position, sentence)
    return View(picture, sentence, element("div", terminal), text)


def _sentence(change: Changed | None) -> str:
    """What has happened."""
    if change is None:
        return say("kubectl begins to watch. The table below shows the pods that come.")
    name, old, new = change.key.partition("/")[2], change.old, change.new
    if old is None:
        return say("Somebody creates {pod}, with the priority {priority}.", pod=name, priority=new.spec.priority or 0)
    if new is None:
        return say("{pod} is gone.", pod=name)
    if new.spec.nodeName != old.spec.nodeName:
        return say("The scheduler binds {pod} to {node}.", pod=name, node=new.spec.nodeName)
    if (nominee := new.status.nominatedNodeName) != old.status.nominatedNodeName:
        gone = later("The scheduler takes the nomination away from {pod}.")
        return say("The scheduler nominates {pod} to {node}." if nominee else gone, pod=name, node=nominee)
    if new.metadata.deletionTimestamp != old.metadata.deletionTimestamp:
        told = later("Somebody deletes {pod}, which has {seconds} s to end.")
        told = (
            later("The scheduler deletes {pod}, which has {seconds} s to end.")
            if change.by == DEFAULT_SCHEDULER
            else told
        )
        return say(told, pod=name, seconds=new.metadata.deletionGracePeriodSeconds)
    return _status(name, new)


def _status(name: str, new: Pod) -> str:
    """What the kubelet or the scheduler has written into the pod's status."""
    status = wide_cells(new, 0)[STATUS]
    if new.metadata.deletionTimestamp is not None:
        return say("The containers of {pod} have ended.", pod=name)
    if status == "Pending":
        reason = listed(each.message for each in new.status.conditions if each.type == SCHEDULED)
        return sentences([say("The scheduler finds no node for {pod}.", pod=name), reason])
    starts = later("The kubelet of {node} starts the containers of {pod}.")
    return say("{pod} runs on {node}." if status == "Running" else starts, pod=name, node=new.spec.nodeName)


def draw(story: str, position: int, alt: str, room: Room, picks: bool = False) -> Html:
    """The nodes and pods at this position of the log, above them the pods that wait, below them what kubectl shows.

    ``picks``: the nodes are answers.
    """
    replay = Replay(run(story).log)
    replay.seek(position)
    pods, heroes = {each.metadata.name: each for each in replay.pods()}, _heroes(story)
    nodes = tuple(_box(there, pods, heroes, replay.now, picks) for there in replay.of(Node))
    waiting = tuple(
        standing(pods[name], replay.now) for name in heroes if name in pods and not pods[name].spec.nodeName
    )
    kept = {node: standing(each, 0) for node, each in nominees(pods.values()).items()}
    rows = (_shown(wide_cells(pods[name], replay.now) if name in pods else [""] * len(HEAD)) for name in heroes)
    return draw_bench(Bench(waiting, len(heroes), nodes, (_shown(HEAD), *rows), WIDEST, kept), alt, room)


def _box(there: Node, pods: Mapping[str, Pod], heroes: Sequence[str], now: int, picks: bool) -> Box:
    """The node with its pods, the oldest at the bottom."""
    name = there.metadata.name
    mine = sorted((each for each in pods.values() if each.spec.nodeName == name), key=_created)
    is_chosen = any(each.metadata.name in heroes for each in mine)
    blocks, cpu = tuple(standing(each, now) for each in mine), there.status.allocatable["cpu"].milli()
    return Box(name, cpu, blocks, chosen=is_chosen, marks={"data_pick": name} if picks else {})


def _created(each: Pod) -> int:
    return each.metadata.creationTimestamp or 0


def _shown(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cells[HEAD.index(name)] for name in SHOWN)


@cache
def _heroes(story: str) -> tuple[str, ...]:
    """The pods that come while kubectl watches."""
    made = (line.change for line in lines(story) if line.change is not None and line.change.old is None)
    return tuple(change.key.partition("/")[2] for change in made)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda settings: scenario(settings.story), "watch.panel()")


def where_to() -> Question[Settings]:
    """The question of the first story."""
    return Question(
        say("urgent is nominated to node-a. shop-b ends first, then mail-a. Where will urgent run?"),
        ("node-a", "node-b"),
        lambda settings: next(
            each.spec.nodeName for each in run(settings.story).pods() if each.metadata.name == "urgent"
        ),
        _why,
        lambda settings: _at(settings, _begins(settings.story), say("mail-a terminates, and urgent waits."), True),
        moment=True,
        way=lambda settings: [_at(settings, at) for at in range(_begins(settings.story) + 1, settings.change)],
    )


def _why(settings: Settings, answer: str) -> str:
    if answer == "node-a":
        return say("On node-a, mail-a takes 21 s longer to end. urgent doesn't wait for it: node-b has room first.")
    return say("node-b has room first, and a nomination binds nothing. So mail-a ends for nothing.")


def _begins(story: str) -> int:
    """The change with which the story goes on."""
    begins = run(story).start + BEGINS
    return next(at for at, line in enumerate(lines(story)) if line.change is not None and line.change.at >= begins)


def _at(settings: Settings, change: int, alt: str = "", picks: bool = False) -> Callable[[Room], Html]:
    """The picture after this change."""
    line = lines(settings.story)[change]
    return partial(draw, settings.story, line.position, alt or _sentence(line.change), picks=picks)
