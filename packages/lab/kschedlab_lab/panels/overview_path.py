"""scheduleOne, step by step: the log of a simulated run on v1.16, shown on two lanes.

Each story is a scenario that ``kschedlab simulate`` can run too: two nodes, and a timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import takewhile
from typing import Any, TypeAlias

from kschedlab import build
from kschedlab.build import Manifest, node, pod
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, terms
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.plugins.framework import ERROR, SKIP, Plugin, Skip, Status
from kschedlab.text.html import Html
from kschedlab_lab.language import language
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, steps
from kschedlab_lab.views import loop
from kschedlab_lab.views.drawing import Block, Box
from kschedlab_lab.views.loop import Piece, Taken, Way, draw_way
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.log import LogEntry, Moved, Step
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.scheduler import context
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import loads_scenario

HERO, OTHER = "default/web", "default/shop"
DELETED = "AssignedPodDelete"
"""The event that brings the failed pod back."""
FAILS = later("bind failure")
Moment: TypeAlias = tuple[Taken, tuple[Box, ...]]
"""A step, and the nodes after it."""


class LostAnswer(Plugin):
    """The first binding fails in the store behind the API server; the scheduler handles later ones."""

    def __init__(self) -> None:
        self.failed = False

    def bind(self, pod: Pod, node: str) -> Status | Skip:
        """Fail once."""
        failed, self.failed = self.failed, True
        return SKIP if failed else Status(ERROR, "etcdserver: request timed out")


WEB = {"at": "1s", "create": pod("web", "", 2, 200)}
ENDS = {"at": "10s", "delete": "pod/logs-a", "grace": "1s"}
STORIES: Mapping[str, tuple[Manifest, ...]] = {
    later("success"): (WEB, {"at": "1s", "create": pod("shop", "", 2, 100)}),
    FAILS: (WEB, ENDS),
}
"""By name: the timeline."""


@cache
def run(story: str) -> Simulation:
    """Run the story on v1.16."""
    plugins = [LostAnswer()] if story == FAILS else []
    simulation = Simulation.of(loads_scenario(scenario(story), story), plugins=plugins)
    simulation.run()
    return simulation


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    what = {"simulation": {"generation": "v1.16"}, "timeline": [*STORIES[story]]}
    note = "# and a plugin whose Bind fails the first time\n" if story == FAILS else ""
    return note + build.as_yaml([node("node-a"), node("node-b"), pod("logs-a", "node-a", 2), what])


def taken(story: str) -> tuple[Taken, ...]:
    """The steps of the pods until each of them is bound."""
    return ways(story)[-1].steps


def ways(story: str) -> tuple[Way, ...]:
    """The story as far as each of its steps."""
    return _ways_in(language(), story)


@cache
def _ways_in(_code: str, story: str) -> tuple[Way, ...]:
    """With its words in this language."""
    moments = _at_once([*_moments(run(story))])
    steps = tuple(step for step, _ in moments)
    made = [each["create"] for each in STORIES[story] if "create" in each]
    pods = tuple(_piece(each) for each in decode_objects(made).pods)
    return tuple(Way(steps, at, pods, cards) for at, (_, cards) in enumerate(moments, 1))


def _at_once(moments: Sequence[Moment]) -> list[Moment]:
    """The loop takes the next pod as soon as the goroutine starts; the log has all that the goroutine does first."""
    found, titles = list(moments), [(step.pod, step.title) for step, _ in moments]
    if ("shop", loop.NEXT) in titles:
        found.insert(titles.index(("web", loop.ASSUME)) + 1, found.pop(titles.index(("shop", loop.NEXT))))
    return found


def _moments(simulation: Simulation) -> Iterator[Moment]:
    """Each step with the nodes as the scheduler's cache knows them after it."""
    replay, assumed = Replay(simulation.log), dict[str, str]()
    while (entry := replay.forward()) is not None:
        if isinstance(entry, Step) and entry.step == context.ASSUME:
            assumed[entry.pod] = entry.node
        if isinstance(entry, Step) and entry.step == context.FORGET:
            assumed.pop(entry.pod, None)
        if (step := _step(entry)) is not None:
            yield step, tuple(_box(there, replay.pods(), assumed) for there in replay.of(Node))


def _box(there: Node, pods: Sequence[Pod], assumed: Mapping[str, str]) -> Box:
    """The node with its pods; those that are only assumed there are ghosts."""
    name = there.metadata.name
    bound = [each for each in pods if each.spec.nodeName == name]
    waits = [each for each in pods if not each.spec.nodeName and assumed.get(each.key) == name]
    blocks = (*map(_block, bound), *(_block(each, "ghost") for each in waits))
    is_new = any(each.key in (HERO, OTHER) for each in bound)
    return Box(name, there.status.allocatable["cpu"].milli(), blocks, chosen=is_new)


def _block(each: Pod, mark: str = "") -> Block:
    """The pod in a node; before it is there, it comes from its place on its way."""
    piece = _piece(each)
    key, origin = (f"{mark}/{piece.name}", f"pod/{piece.name}") if mark else ("", None)
    return Block(piece.name, piece.size, piece.priority, mark=mark, key=key, origin=origin)


def _piece(each: Pod) -> Piece:
    return Piece(each.metadata.name, int(pod_requests(each)["cpu"]), each.spec.priority or 0)


def _step(entry: LogEntry) -> Taken | None:
    """The step of this entry, if it is shown."""
    if isinstance(entry, Moved) and entry.pod == HERO and entry.to in loop.PARTS:
        goes = later("web goes to the {part}.")
        comes = later("logs-a has ended. That may help, for all the queue knows: web goes to the {part}.")
        words = say(comes if entry.event == DELETED else goes, part=loop.PARTS[entry.to])
        return Taken(entry.at, loop.QUEUE, words, place=entry.to)
    if not isinstance(entry, Step) or entry.step not in STEPS or entry.pod not in (HERO, OTHER):
        return None
    title, words = STEPS[entry.step]
    name = entry.pod.partition("/")[2]
    return Taken(entry.at, title, say(words, pod=name, node=entry.node), name)


STEPS: Mapping[str, tuple[str, str]] = {
    context.POP: (loop.NEXT, later("The scheduler takes {pod} from the activeQ.")),
    context.SCHEDULE: (
        loop.SCHEDULE,
        later("The scheduler filters and scores the nodes, and selects {node} for {pod}."),
    ),
    context.FAIL: (
        loop.RECORD,
        later("The scheduler writes down why the binding failed, and gives {pod} back to the queue."),
    ),
    context.ASSUME: (loop.ASSUME, later("The cache counts {pod} on {node}: its room is taken.")),
    context.BIND: (loop.BIND, later("The binding cycle asks the API server to bind {pod} to {node}, and waits.")),
    context.POST_BIND: (loop.POST_BIND, later("{pod} is bound to {node}.")),
    context.FORGET: (loop.FORGET, later("The cache frees {pod}'s room on {node}.")),
}
"""By step in the log: its function in the source, and what happens in it."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The story, and the number of its steps so far."""

    story: str = choice("story", STORIES, "success", folded=True)
    step: int = steps("step", lambda settings: len(taken(settings.story)) - 1)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but another story begins at its beginning."""
        found = super().at(indices)
        return found if found.story == self.story else replace(found, step=0)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    way = ways(settings.story)[settings.step]
    said = way.steps[settings.step].words
    return View(partial(draw_way, way, said), said, Html(), said)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda settings: scenario(settings.story), "path.panel()")


BEFORE = {each: loop.NAMES[each] for each in (loop.SCHEDULE, loop.ASSUME, loop.POST_BIND)}
AFTER: Mapping[str, str] = {
    loop.BIND: later("ask again"),
    loop.RECORD: later("put web back into the queue"),
    loop.FORGET: later("free web's room"),
}
"""The steps that are answers, in words."""


def what_next() -> Question[Settings]:
    """The question before the panel: where is web when the next pod is taken from the queue?"""
    return Question(
        say("shop waits behind web. After which step of web does the scheduler take shop?"),
        tuple(terms(*BEFORE.values())),
        lambda settings: say(BEFORE[_before_shop(settings.story)]),
        _why_next,
        lambda settings: partial(draw_way, ways(settings.story)[0], say("web and shop wait in the activeQ.")),
        moment=True,
        way=_way_to,
    )


def _way_to(settings: Settings) -> list[Callable[[Room], Html]]:
    """The pictures of the steps before this one."""
    return [partial(draw_way, way, way.steps[-1].words) for way in ways(settings.story)[1 : settings.step]]


def _before_shop(story: str) -> str:
    """The latest of the steps that are answers that web has taken when shop is."""
    found = takewhile(lambda step: step.pod == "web", taken(story))
    return [step.title for step in found if step.title in BEFORE][-1]


def _why_next(settings: Settings, answer: str) -> str:
    if answer == say(BEFORE[loop.ASSUME]):
        return say("Now the cache counts web, so no other pod gets its room. The binding goes on meanwhile.")
    if answer == say(BEFORE[loop.POST_BIND]):
        return say("That late, shop would wait for the API server. After assume the cache counts web: that is enough.")
    return say(
        "That is too early: the cache doesn't count web yet, so shop could get the same room. assume comes first."
    )


def what_is_undone() -> Question[Settings]:
    """The question about a binding that fails."""
    return Question(
        say("bind fails. What does the scheduler do first?"),
        tuple(terms(*AFTER.values())),
        lambda settings: say(AFTER[taken(settings.story)[_bind(settings.story)].title]),
        _why_undone,
        lambda settings: partial(
            draw_way, ways(settings.story)[_bind(settings.story) - 1], say("bind asks the API server.")
        ),
        moment=True,
    )


def _bind(story: str) -> int:
    """How many steps have been taken when the API server is asked."""
    return [step.title for step in taken(story)].index(loop.BIND) + 1


def _why_undone(settings: Settings, answer: str) -> str:
    if answer == say(AFTER[loop.RECORD]):
        return say("That comes second. First it frees web's room (ForgetPod), because another pod may need it.")
    if answer == say(AFTER[loop.BIND]):
        return say(
            "It doesn't ask again yet: by then another node may be better. First it frees web's room (ForgetPod)."
        )
    return say(
        "Another pod may need that room, so the cache gives it back (ForgetPod). Then web goes back to the queue."
    )
