"""Preemption as ``kubectl get pod -o wide -w`` shows it: the life of a nomination, on a movable clock.

The lines come from a run simulated on v1.16, whose log can be replayed to any moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

from kschedlab import build
from kschedlab.build import Manifest, node, pod
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.queue.order import SCHEDULED
from kschedlab.text.html import Html, element
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.views.bench import Bench, CardState, Hand, NodeCard, draw_bench
from kschedlab_lab.views.pieces import Piece, created, running
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.kubectl import HEAD, NONE, PodTable, wide_cells
from kschedlab_simulation.log import Changed
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario

WATCHED = 2 * SECOND
"""When kubectl begins to watch and the pod is created, in microseconds from the start."""

NOW = 1
"""The grace period of ``kubectl delete --now``, in seconds."""

SHOWN = ("NAME", "STATUS", "AGE", "NODE", "NOMINATED NODE")
WIDEST = ("critical", "ContainerCreating", "30s", NONE, NONE)
"""The columns of kubectl that the picture shows, and the longest cell that each ever has."""
STATUS = HEAD.index("STATUS")
COMMAND = "$ kubectl get pod -o wide -w"
TERMINAL = "overflow-x:auto;white-space:pre;overflow-wrap:normal;font-size:12px;margin:0.3em 0;"

STORIES: Mapping[str, tuple[Manifest, ...]] = {
    later("the usual way"): (),
    later("another node becomes free"): ({"at": "10s", "delete": "pod/shop-b", "grace": f"{NOW}s"},),
    later("a more important pod comes"): ({"at": "10s", "create": pod("critical", "", 3, 1000)},),
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
        pod("shop-b", "node-b", 3, 900),
    ]


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    timeline = [{"at": "2s", "create": pod("urgent", "", 3, 500)}, *STORIES[story]]
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

    story: str = choice("story", STORIES, "the usual way")
    change: int = steps("change", lambda settings: len(lines(settings.story)) - 1)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another story begins at its beginning."""
        found = super().at(indices)
        return found if found.story == self.story else replace(found, change=0)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    watched = lines(settings.story)
    line = watched[settings.change]
    printed = [text for each in watched[: settings.change + 1] for text in each.text]
    sentence = _sentence(line)
    picture = partial(_at, settings.story, line.position, sentence)
    terminal = element("pre", *(element("div", each) for each in (COMMAND, *printed)), style=TERMINAL)
    there = line.change.new.spec.nodeName if line.change is not None and line.change.new is not None else ""
    text = "\n".join([sentence, COMMAND, *printed])
    return View(picture, sentence, element("div", terminal), text, names={there: "chosen"} if there else {})


def _at(story: str, position: int, alt: str, room: Room) -> Html:
    """The picture at this position of the story's log."""
    replay = Replay(run(story).log)
    replay.seek(position)
    return _picture(replay, alt, _heroes(story), room)


def _sentence(line: Line) -> str:
    """What has happened."""
    change = line.change
    if change is None:
        return say("kubectl begins to watch: three pods run.")
    name = change.key.partition("/")[2]
    if change.new is None:
        return say("{pod} is gone.", pod=name)
    return _happened(name, change.old, change.new)


def _happened(name: str, old: Pod | None, new: Pod) -> str:
    """What this change of the pod is, in words."""
    status = wide_cells(new, 0)[STATUS]
    if old is None:
        return say("Somebody creates {pod}, with the priority {priority}.", pod=name, priority=new.spec.priority or 0)
    node, nominee = new.spec.nodeName, new.status.nominatedNodeName
    if node != old.spec.nodeName:
        return say("The scheduler binds {pod} to {node}.", pod=name, node=node)
    if nominee != old.status.nominatedNodeName:
        gone = later("The scheduler takes the nomination away from {pod}.")
        return say("The scheduler nominates {pod} to {node}." if nominee else gone, pod=name, node=nominee)
    if new.metadata.deletionTimestamp is not None:
        return _leaves(name, old, new)
    if status == "Pending":
        reason = listed(each.message for each in new.status.conditions if each.type == SCHEDULED)
        return sentences([say("The scheduler finds no node for {pod}.", pod=name), reason])
    starts = later("The kubelet of {node} starts the containers of {pod}.")
    return say("{pod} runs on {node}." if status == "Running" else starts, pod=name, node=node)


def _leaves(name: str, old: Pod, new: Pod) -> str:
    """A pod on its way out."""
    if old.metadata.deletionTimestamp is not None:
        return say("The containers of {pod} have ended.", pod=name)
    seconds = new.metadata.deletionGracePeriodSeconds
    if seconds == NOW:
        return say("Somebody deletes {pod} with --now: it has 1 s to end.", pod=name)
    return say("The scheduler deletes {pod}, which has {seconds} s to end.", pod=name, seconds=seconds)


def _picture(replay: Replay, alt: str, heroes: tuple[str, ...], room: Room, picks: tuple[str, ...] = ()) -> Html:
    """The nodes with their pods at that moment, above them the pods that wait, below them what kubectl shows."""
    pods = {each.metadata.name: each for each in replay.pods()}
    cards = []
    for there in replay.of(Node):
        name = there.metadata.name
        mine = sorted((each for each in pods.values() if each.spec.nodeName == name), key=created)
        state: CardState = "chosen" if any(each.metadata.name in heroes for each in mine) else "plain"
        size = there.status.allocatable["cpu"].milli()
        cards.append(NodeCard(name, size, tuple(running(each, replay.now) for each in mine), state))
    hands = tuple(_waiting(name, pods.get(name)) for name in heroes)
    rows = (_shown(wide_cells(pods[name], replay.now) if name in pods else [""] * len(HEAD)) for name in heroes)
    return draw_bench(Bench(hands, tuple(cards), picks, (_shown(HEAD), *rows), WIDEST), alt, room)


def _shown(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cells[HEAD.index(name)] for name in SHOWN)


def _waiting(name: str, each: Pod | None) -> Hand:
    """A pod that is not on a node: waiting, or the place of one that is not there."""
    if each is None:
        return Hand(Piece(name, 3000, 0, say("is not created yet"), "ghost"))
    if each.spec.nodeName:
        gone = say("has gone to {node}", node=each.spec.nodeName)
        return Hand(replace(running(each, 0), note=gone, mark="ghost", short=()))
    return Hand(running(each, 0), nominated=each.status.nominatedNodeName)


@cache
def _heroes(story: str) -> tuple[str, ...]:
    """The pods that come while kubectl watches."""
    first, *rest = lines(story)
    made = (line.change for line in rest if line.change is not None and line.change.old is None)
    return tuple(change.key.partition("/")[2] for change in made)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda settings: scenario(settings.story), "watch.panel()")


def where_to() -> Question[Settings]:
    """The question before the second story."""
    return Question(
        say("urgent is nominated to node-a, but shop-b will be gone first. On which node will urgent run?"),
        ("node-a", "node-b"),
        lambda settings: _ends(settings.story)["urgent"],
        lambda settings, answer: say(
            "Nominated is not bound: urgent goes to the first node with room, and mail-a has left for nothing. "
            "NOMINATED NODE keeps node-a: in v1.16 binding does not clear it."
        ),
        lambda settings: partial(_before, settings.story),
        moment=True,
    )


def _ends(story: str) -> dict[str, str]:
    """By pod: the node where it ends up."""
    return {each.metadata.name: each.spec.nodeName for each in run(story).pods()}


def _before(story: str, room: Room) -> Html:
    """The moment at which the timeline goes on: a victim terminates already."""
    begins = run(story).start + 10 * SECOND
    replay = Replay(run(story).log)
    replay.seek(next(line.position for line in lines(story) if line.change is not None and line.change.at >= begins))
    return _picture(replay, say("mail-a terminates, and urgent waits."), ("urgent",), room, ("node-a", "node-b"))
