"""scheduleOne, step by step: the log of a simulated run on v1.16, shown on two lanes.

Each story is a scenario that ``kschedlab simulate`` can run too: a few nodes and pods, and a timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from kschedlab import build
from kschedlab.build import Manifest, node, pod
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, terms
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.plugins.framework import ERROR, SKIP, Plugin, Skip, Status
from kschedlab.text.html import Html, element
from kschedlab_lab.language import language
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.views import loop
from kschedlab_lab.views.bench import NodeCard
from kschedlab_lab.views.loop import Taken, Way, draw_way
from kschedlab_lab.views.pieces import Piece
from kschedlab_simulation.log import LogEntry, Moved, Step
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.scheduler import context
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario

HERO, OTHER = "default/web", "default/shop"
MEANWHILE = (context.POP, context.SCHEDULE, context.ASSUME, context.BIND, context.POST_BIND)
"""The steps of the other pod that are shown."""
NODES = ("node-a", "node-b")
NO_NODE = later("web fits on no node: that is a FitError.")
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
    web = {"at": "1s", "create": pod("web", "", 2, 200)}
    shop = {"at": "1s", "create": pod("shop", "", 2, 100)}
    large = {"at": "1s", "create": pod("web", "", 6)}
    joins = {"at": "20s", "create": node("node-c", 8)}
    urgent = {"at": "1s", "create": pod("web", "", 3, 500)}
    full = (pod("jobs-a", "node-a", 3, 0), pod("vault-b", "node-b", 3, 900))
    yield later("success"), Story((*two, pod("logs-a", "node-a", 2)), (web, shop))
    yield "FitError", Story(two, (large, joins))
    yield later("preemption"), Story((*two, *full), (urgent,))
    yield later("bind failure"), Story(two, (web, {"at": "20s", "create": node("node-c", 1)}), lambda: [LostAnswer()])


STORIES: Mapping[str, Story] = dict(_stories())


@cache
def run(story: str) -> Simulation:
    """Run the story on v1.16."""
    simulation = Simulation.of(loads_scenario(scenario(story), story), plugins=STORIES[story].plugins())
    simulation.run()
    return simulation


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    source = STORIES[story]
    what = {"simulation": {"generation": "v1.16"}, "timeline": list(source.timeline)}
    note = "# and a plugin whose Bind fails the first time\n" if source.plugins is not list else ""
    return note + build.as_yaml([*source.objects, what])


def taken(story: str) -> tuple[Taken, ...]:
    """The scheduler's steps for the pod ``web``, and for ``shop`` those that show what happens meanwhile."""
    return tuple(step for step, _ in ways(story))


def ways(story: str) -> tuple[tuple[Taken, Way], ...]:
    """Each step, and the attempt that it belongs to as far as this step."""
    return _ways_in(language(), story)


@cache
def _ways_in(_code: str, story: str) -> tuple[tuple[Taken, Way], ...]:
    """Each step with its words in this language."""
    moments = [*_moments(run(story))]
    steps = [step for step, _ in moments]
    begins = [at for at, step in enumerate(steps) if step.place == "active"] + [len(steps)]
    pods = tuple(_piece(each) for each in _created(story))
    found = []
    for at, (step, cards) in enumerate(moments):
        first = max(each for each in begins if each <= at)
        last = next(each for each in begins if each > at)
        found.append((step, Way(tuple(steps[first:last]), at - first + 1, pods, cards)))
    return tuple(found)


def _created(story: str) -> Sequence[Pod]:
    """The pods that the timeline creates, ``web`` first."""
    made = [each["create"] for each in STORIES[story].timeline if each.get("create", {}).get("kind") == "Pod"]
    return decode_objects(made).pods


def _moments(simulation: Simulation) -> Iterator[tuple[Taken, tuple[NodeCard, ...]]]:
    """Each step with the nodes as the scheduler's cache knows them after it."""
    replay, assumed = Replay(simulation.log), dict[str, str]()
    while (entry := replay.forward()) is not None:
        if isinstance(entry, Step) and entry.step == context.ASSUME:
            assumed[entry.pod] = entry.node
        if isinstance(entry, Step) and entry.step == context.FORGET:
            assumed.pop(entry.pod, None)
        if (step := _step(entry, simulation.start)) is not None:
            yield step, tuple(_cards(step, replay, assumed))


def _cards(step: Taken, replay: Replay, assumed: Mapping[str, str]) -> Iterator[NodeCard]:
    """The nodes after this step. A pod that fits on none sticks out of each."""
    pods = {each.key: each for each in replay.pods()}
    nowhere = step.title == loop.SCHEDULE and step.words == say(NO_NODE)
    for there in replay.of(Node):
        name, capacity = there.metadata.name, there.status.allocatable["cpu"].milli()
        mine = [_piece(each) for each in pods.values() if each.spec.nodeName == name]
        mine += [
            replace(_piece(pods[key]), mark="ghost")
            for key, node in assumed.items()
            if node == name and not pods[key].spec.nodeName
        ]
        if nowhere:
            size, free = _piece(pods[HERO]).size, capacity - sum(piece.size for piece in mine)
            mine.append(replace(_piece(pods[HERO]), mark="ghost", copied=f"tried/{name}"))
            says = say("web needs {size:g} CPU, {free:g} are free", size=size / 1000, free=free / 1000)
            yield NodeCard(name, capacity, tuple(mine), state="refused", says=says)
        else:
            chosen = any(key in (HERO, OTHER) and each.spec.nodeName == name for key, each in pods.items())
            yield NodeCard(name, capacity, tuple(mine), state="chosen" if chosen else "plain")


def _piece(each: Pod) -> Piece:
    leaving = each.metadata.deletionTimestamp is not None and bool(each.spec.nodeName)
    size = int(pod_requests(each)["cpu"])
    return Piece(each.metadata.name, size, each.spec.priority or 0, mark="leaving" if leaving else "")


def _step(entry: LogEntry, start: int) -> Taken | None:
    """The step of this entry, if it is shown."""
    seconds = f"{(entry.at - start) / SECOND:.3f}"
    if isinstance(entry, Moved) and entry.pod == HERO and entry.to in loop.PARTS:
        words = say("web goes to the {part} ({event}).", part=loop.PARTS[entry.to], event=entry.event)
        return Taken(seconds, loop.QUEUE, words, place=entry.to)
    if not isinstance(entry, Step) or entry.step not in STEPS:
        return None
    title = STEPS[entry.step][0]
    if entry.pod == HERO or entry.detail == f"by {HERO}":
        return Taken(seconds, title, _words(entry), raw=entry.detail if _is_bind_failure(entry) else "")
    return Taken(seconds, title, _words(entry), "shop") if entry.pod == OTHER and entry.step in MEANWHILE else None


STEPS: Mapping[str, tuple[str, str]] = {
    context.POP: (loop.NEXT, later("The scheduler takes {pod} from the activeQ.")),
    context.SCHEDULE: (loop.SCHEDULE, later("The scheduler chooses {node} for {pod}.")),
    context.FAIL: (loop.RECORD, later("The scheduler writes down why: {detail}.")),
    context.PREEMPT: (loop.PREEMPT, later("Preemption chooses {node}. Its victim is {victims}.")),
    context.NOMINATE: (loop.NOMINATE, later("{pod} is nominated: its nominatedNodeName is {node}.")),
    context.EVICT: (loop.DELETE, later("The scheduler deletes {pod}, which takes its time to end.")),
    context.RESERVE: (loop.RESERVE, later("Plugins may set something aside for {pod} on {node}, such as a GPU.")),
    context.ASSUME: (loop.ASSUME, later("The cache counts {pod} on {node}: its room is taken.")),
    context.PERMIT: (loop.PERMIT, later("Plugins may let {pod} wait, for example for the rest of its group.")),
    context.PRE_BIND: (loop.PRE_BIND, later("Plugins may prepare {node}, for example mount a volume.")),
    context.BIND: (loop.BIND, later("A goroutine asks the API server to bind {pod} to {node}, and waits.")),
    context.POST_BIND: (loop.POST_BIND, later("{pod} is bound to {node}. Plugins hear of it.")),
    context.FORGET: (loop.FORGET, later("The cache frees {pod}'s room on {node}.")),
}
"""By step in the log: its function in the source, and what happens in it."""
VICTIMS = "victims: "
"""What the log says of preemption."""


def _is_bind_failure(step: Step) -> bool:
    return step.step == context.FAIL and step.detail.startswith("Binding rejected: ")


def _words(step: Step) -> str:
    if _is_bind_failure(step):
        return say("The binding has failed: etcd timed out.")
    if step.step == context.POP and step.pod == OTHER:
        return say("web is counted in the cache, so the scheduler takes shop.")
    if step.step == context.SCHEDULE and not step.node:
        return say(NO_NODE)
    if step.step == context.PREEMPT and not step.node:
        return say("Preemption helps on no node: nobody has a lower priority.")
    pod, victims = step.pod.partition("/")[2], step.detail.removeprefix(VICTIMS).removeprefix("default/")
    return say(STEPS[step.step][1], pod=pod, node=step.node, victims=victims, detail=step.detail.removesuffix("."))


@dataclass(frozen=True)
class Settings(Restorable):
    """The story, and the number of its steps so far."""

    story: str = choice("story", STORIES, "success")
    step: int = steps("step", lambda settings: len(taken(settings.story)) - 1)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another story begins at its beginning."""
        found = super().at(indices)
        return found if found.story == self.story else replace(found, step=0)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    found = ways(settings.story)
    step, way = found[min(settings.step, len(found) - 1)]
    raw = element("p", step.raw) if step.raw else Html()
    return View(partial(draw_way, way, step.words), step.words, raw, step.words)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda settings: scenario(settings.story), "path.panel()")


BEFORE: Mapping[str, str] = {
    loop.SCHEDULE: later("given a node"),
    loop.ASSUME: later("counted in the cache"),
    loop.POST_BIND: later("bound"),
}
AFTER: Mapping[str, str] = {
    loop.BIND: later("ask again"),
    loop.RECORD: later("put web back into the queue"),
    loop.FORGET: later("free web's room"),
}
"""The steps that are answers, in words."""


def what_next() -> Question[Settings]:
    """The question before the panel: where is web when the next pod is taken from the queue?"""
    return Question(
        say("shop waits in the queue behind web. How far must web be before the scheduler takes shop?"),
        tuple(terms(*BEFORE.values())),
        lambda settings: say(BEFORE[loop.ASSUME]),
        _why_next,
        lambda settings: partial(draw_way, ways(settings.story)[0][1], say("web and shop wait in the activeQ.")),
        moment=True,
    )


def _why_next(settings: Settings, answer: str) -> str:
    if answer == say(BEFORE[loop.ASSUME]):
        return say(
            "From then on (assume) nobody else is given web's room. The rest, its binding cycle, runs in a goroutine."
        )
    if answer == say(BEFORE[loop.POST_BIND]):
        return say("Then every pod would wait for the API server. It is enough that the cache counts web (assume).")
    return say("Too early: until the cache counts web on its node (assume), shop could be given the same room.")


def what_is_undone() -> Question[Settings]:
    """The question about a binding that fails."""
    return Question(
        say("The API server cannot take the binding. What does web's goroutine do next?"),
        tuple(terms(*AFTER.values())),
        lambda settings: say(AFTER[taken(settings.story)[_bind(settings.story) + 1].title]),
        _why_undone,
        lambda settings: partial(
            draw_way, ways(settings.story)[_bind(settings.story)][1], say("bind asks the API server.")
        ),
        moment=True,
    )


def _bind(story: str) -> int:
    """The number of the step that asks the API server."""
    return [step.title for step in taken(story)].index(loop.BIND)


def _why_undone(settings: Settings, answer: str) -> str:
    if answer == say(AFTER[loop.RECORD]):
        return say("That comes second. First ForgetPod frees the room: the next pod may need it.")
    return say("The cache still counts web on its node: ForgetPod frees that room. Then web goes back into the queue.")
