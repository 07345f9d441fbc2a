"""scheduleOne, step by step: the log of a simulated run on v1.16, shown on a graph.

Each story is a scenario that ``kschedlab simulate`` can run too: a few nodes and pods, and a timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from kschedlab import build
from kschedlab.build import Manifest, node, pod
from kschedlab.messages import later, say, terms
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.plugins.framework import ERROR, SKIP, Plugin, Skip, Status
from kschedlab.text.html import Html
from kschedlab_lab.language import language
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.prediction import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.views import loop
from kschedlab_lab.views.bench import Card, CardState
from kschedlab_lab.views.loop import Taken, Way, draw_way
from kschedlab_lab.views.pieces import Piece
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.log import LogEntry, Moved, Step
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.scheduler import context
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario

HERO = "default/web"
NODES = ("node-a", "node-b")
NO_NODE = later("no node fits: FitError")
HOST = "kubernetes.io/hostname"


@dataclass(frozen=True)
class Story:
    """The initial objects and the timeline. ``plugins``: creates the plugins of a run."""

    objects: tuple[Manifest, ...]
    timeline: tuple[Manifest, ...]
    plugins: Callable[[], list[Plugin]] = list


class LostAnswer(Plugin):
    """The first binding fails in the store behind the API server; the scheduler handles later ones."""

    def __init__(self) -> None:
        self.failed = False

    def bind(self, pod: Pod, node: str) -> Status | Skip:
        """Fail once."""
        failed, self.failed = self.failed, True
        return SKIP if failed else Status(ERROR, "etcdserver: request timed out")


def _stories() -> Iterator[tuple[str, Story]]:
    two = tuple(node(name, labels={HOST: name}) for name in NODES)
    web = {"at": "1s", "create": pod("web", "", 2)}
    large = {"at": "1s", "create": pod("web", "", 6)}
    joins = {"at": "20s", "create": node("node-c", 8)}
    urgent = {"at": "1s", "create": pod("web", "", 3, 500)}
    full = (pod("jobs-a", "node-a", 3, 0), pod("vault-b", "node-b", 3, 900))
    held = pod("web", "", 2)
    held["metadata"]["finalizers"] = ["example.com/tidy-up"]
    yield later("success"), Story((*two, pod("logs-a", "node-a", 2)), (web,))
    yield later("a volume to bind"), Story((*two, *_storage()), ({"at": "1s", "create": _with_claim()},))
    yield "FitError", Story(two, (large, joins))
    yield later("preemption"), Story((*two, *full), (urgent,))
    yield later("bind failure"), Story(two, (web, {"at": "20s", "create": node("node-c", 1)}), lambda: [LostAnswer()])
    yield later("deleted while it waits"), Story(two, ({"at": "1s", "create": held}, {"at": "1s", "delete": "pod/web"}))


def _with_claim() -> Manifest:
    return pod("web", "", 2, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])


def _storage() -> tuple[Manifest, ...]:
    """A claim that waits for its first consumer, and a disk on node-b."""
    size = {"storage": "1Gi"}
    here = {"key": HOST, "operator": "In", "values": ["node-b"]}
    terms = {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}}
    rest: Manifest = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    kinds: tuple[tuple[str, str, str, Manifest], ...] = (
        ("storage.k8s.io/v1", "StorageClass", "local", {"provisioner": "kubernetes.io/no-provisioner"}),
        ("v1", "PersistentVolume", "disk-b", {"spec": {"capacity": size, "nodeAffinity": terms, **rest}}),
        ("v1", "PersistentVolumeClaim", "data", {"spec": {"resources": {"requests": size}, **rest}}),
    )
    made = [{"apiVersion": v, "kind": kind, "metadata": {"name": name}, **more} for v, kind, name, more in kinds]
    made[0]["volumeBindingMode"] = "WaitForFirstConsumer"
    made[1]["status"] = {"phase": "Available"}
    made[2]["metadata"]["namespace"] = "default"
    return tuple(made)


STORIES: Mapping[str, Story] = dict(_stories())


@cache
def run(story: str) -> Simulation:
    """Run the story on v1.16."""
    return _run(story)


def _run(story: str, plugins: Sequence[object] = ()) -> Simulation:
    source = STORIES[story]
    simulation = Simulation.of(loads_scenario(scenario(story), story), plugins=[*source.plugins(), *plugins])
    simulation.run()
    return simulation


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    source = STORIES[story]
    what = {"simulation": {"generation": "v1.16"}, "timeline": list(source.timeline)}
    note = "# and a plugin whose Bind fails the first time\n" if source.plugins is not list else ""
    return note + build.as_yaml([*source.objects, what])


def taken(story: str) -> tuple[Taken, ...]:
    """The scheduler's steps for the pod ``web``."""
    return tuple(step for step, _ in ways(story))


def ways(story: str) -> tuple[tuple[Taken, Way], ...]:
    """Each step, and where the pods are after it."""
    return _ways_in(language(), story)


@cache
def _ways_in(_code: str, story: str) -> tuple[tuple[Taken, Way], ...]:
    """Each step with its words in this language."""
    return tuple(_ways(run(story)))


def _ways(simulation: Simulation) -> Iterator[tuple[Taken, Way]]:
    replay, steps = Replay(simulation.log), list[Taken]()
    assumed = ""
    while (entry := replay.forward()) is not None:
        step = _step(entry, simulation.start)
        if step is None:
            continue
        if isinstance(entry, Step):
            assumed = entry.node if entry.step == context.ASSUME else "" if entry.step == context.FORGET else assumed
        steps.append(step)
        yield step, _way(tuple(steps), replay, assumed)


def _way(steps: tuple[Taken, ...], replay: Replay, assumed: str) -> Way:
    pods = replay.pods()
    web = next(each for each in pods if each.key == HERO)
    arrived = steps[-1].box == loop.POST_BIND
    nowhere = steps[-1].box == loop.SCHEDULE and steps[-1].words == say(NO_NODE)
    cards = []
    for there in replay.of(Node):
        name = there.metadata.name
        mine = [_piece(each) for each in pods if each.spec.nodeName == name and each.key != HERO]
        if assumed == name:
            mine.append(replace(_piece(web), mark="" if arrived else "ghost"))
        state: CardState = "chosen" if assumed == name and arrived else "refused" if nowhere else "plain"
        cards.append(Card(name, there.status.allocatable["cpu"].milli(), tuple(mine), state=state))
    return Way(steps, tuple(cards), None if arrived else _piece(web))


def _piece(each: Pod) -> Piece:
    leaving = each.metadata.deletionTimestamp is not None and bool(each.spec.nodeName)
    size = int(pod_requests(each)["cpu"])
    return Piece(each.metadata.name, size, each.spec.priority or 0, mark="leaving" if leaving else "")


def _step(entry: LogEntry, start: int) -> Taken | None:
    """The step of this entry, if it is one of web's."""
    seconds = f"{(entry.at - start) / SECOND:.3f}"
    if isinstance(entry, Moved) and entry.pod == HERO and entry.to in ("active", "backoff", "unschedulable"):
        words = say("web goes to the {part}: {event}", part=loop.part(entry.to), event=entry.event)
        return Taken(seconds, loop.QUEUE, words, entry.to)
    if isinstance(entry, Step) and (entry.pod == HERO or entry.detail == f"by {HERO}"):
        return Taken(seconds, _BOXES[entry.step], _words(entry))
    return None


_BOXES = {
    context.POP: loop.NEXT,
    context.SKIP: loop.SKIP,
    context.SCHEDULE: loop.SCHEDULE,
    context.FAIL: loop.RECORD,
    context.PREEMPT: loop.PREEMPT,
    context.NOMINATE: loop.NOMINATE,
    context.EVICT: loop.DELETE,
    context.ASSUME_VOLUMES: loop.VOLUMES,
    context.RESERVE: loop.RESERVE,
    context.ASSUME: loop.ASSUME,
    context.BIND_VOLUMES: loop.BIND_VOLUMES,
    context.PERMIT: loop.PERMIT,
    context.PRE_BIND: loop.PRE_BIND,
    context.BIND: loop.BIND,
    context.POST_BIND: loop.POST_BIND,
    context.UNRESERVE: loop.FORGET,
    context.FORGET: loop.FORGET,
}


def _words(step: Step) -> str:
    said = {
        context.POP: say("web leaves the activeQ"),
        context.SCHEDULE: say("chooses {node}", node=step.node) if step.node else step.detail or say(NO_NODE),
        context.PREEMPT: _preempted(step),
        context.NOMINATE: f"nominatedNodeName: {step.node}",
        context.EVICT: say("{pod} is deleted, and takes its time to end", pod=step.pod.partition("/")[2]),
        context.ASSUME_VOLUMES: say("web's volumes, if it has any, on {node}", node=step.node),
        context.RESERVE: say("plugins may set something aside on {node}", node=step.node),
        context.ASSUME: say("the cache counts web on {node}", node=step.node),
        context.BIND_VOLUMES: say("waits until the volumes are bound for {node}", node=step.node),
        context.PERMIT: say("plugins let web onto {node}, now or later", node=step.node),
        context.PRE_BIND: say("plugins prepare {node}", node=step.node),
        context.BIND: say("asks the API server to bind web to {node}", node=step.node),
        context.POST_BIND: say("web is bound to {node}; plugins are informed", node=step.node),
        context.FORGET: say("the cache gives web's place on {node} back", node=step.node),
    }
    return said.get(step.step, step.detail or step.node)


NO_HELP, VICTIMS = later("no node helps"), "victims: "
"""What the log says of preemption."""


def _preempted(step: Step) -> str:
    if not step.node:
        return say(step.detail)
    return say("{node}, victims: {victims}", node=step.node, victims=step.detail.removeprefix(VICTIMS))


@dataclass(frozen=True)
class Settings(Restorable):
    """The story, and the number of its steps so far."""

    story: str = choice("story", STORIES, "success")
    step: int = steps("step", lambda settings: len(taken(settings.story)) - 1)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another story begins at its beginning."""
        found = super().at(indices)
        return found if found.story == self.story else replace(found, step=0)


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    found = tuple(_ways(_run(settings.story, plugins))) if plugins else ways(settings.story)
    at = min(settings.step, len(found) - 1)
    step, way = found[at]
    sentence = say(
        "Step {step} of {last}, at {seconds} s: {function}: {result}",
        step=at,
        last=len(found) - 1,
        seconds=step.seconds,
        function=step.title,
        result=step.words,
    )
    log = loop.steps_table(way.steps, at)
    return View(partial(draw_way, way, sentence), sentence, log.html(), f"{sentence}\n{log!r}")


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join v1.16."""
    return Panel(
        Settings().changed(**settings),
        lambda s: show(s, plugins),
        lambda settings: scenario(settings.story),
        "path.panel()",
    )


STEPS = ("NextPod", "Schedule", "assume", "bind", later("PostBind plugins"))
AFTER = ("NextPod", "recordSchedulingFailure", "ForgetPod", later("PostBind plugins"))
"""The boxes that are answers."""


def what_next() -> Question[Settings]:
    """The question before the panel: where is web when the next pod is taken from the queue?"""
    return Question(
        say(
            "The binding of web takes a while. After which of its steps does the scheduler take the next pod from "
            "the queue?"
        ),
        tuple(terms(*STEPS)),
        lambda settings: "assume",
        _why_next,
        lambda settings: partial(_before, settings),
    )


def _before(settings: Settings, room: Room) -> Html:
    """The graph without a way, the pod in the queue."""
    _, way = ways(settings.story)[0]
    return draw_way(way, say("web waits in the activeQ."), room, tuple(terms(*STEPS)))


def _why_next(settings: Settings, answer: str) -> str:
    if answer == "assume":
        return say(
            "The cache now counts web on its node, so nobody else is given its room; the rest runs in a goroutine."
        )
    if answer in ("bind", say("PostBind plugins")):
        return say(
            "Then every pod would cost a round trip to the API server. assume is enough: the cache counts web already."
        )
    return say("Until assume, the cache does not count web on its node, and the next pod could be given the same room.")


def what_is_undone() -> Question[Settings]:
    """The question about a binding that fails."""
    return Question(
        say("The API server cannot take the binding. Which box does web reach next?"),
        tuple(terms(*AFTER)),
        lambda settings: _after_bind(settings.story),
        _why_undone,
        _until_bind,
    )


def _after_bind(story: str) -> str:
    boxes = [step.box for step in taken(story)]
    after = boxes[boxes.index(loop.BIND) + 1]
    return next(each.title for each in loop.schedule_one(()).vertices if each.name == after)


def _until_bind(settings: Settings) -> Callable[[Room], Html]:
    found = ways(settings.story)
    at = [step.box for step, _ in found].index(loop.BIND)
    return partial(draw_way, found[at][1], say("bind asks the API server."), picks=tuple(terms(*AFTER)))


def _why_undone(settings: Settings, answer: str) -> str:
    if answer == "recordSchedulingFailure":
        return say("That comes second. First ForgetPod gives the place in the cache back: the next pod may need it.")
    return say("The cache still counts web on the node: ForgetPod gives that place back. Then the failure is recorded.")
