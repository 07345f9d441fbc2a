"""scheduleOne, step by step: the log of a simulated run on v1.16, shown on a graph.

Each story is a scenario that ``kschedlab simulate`` can run too: a few nodes and pods, and a timeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kschedlab import testing
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, steps
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import ERROR, SKIP, Plugin, Skip, Status
from kschedlab.simulation.log import Log, Moved, Step
from kschedlab.simulation.scheduler import context
from kschedlab.simulation.simulation import Simulation
from kschedlab.simulation.timeline.scenario import loads_scenario
from kschedlab.testing import Manifest, node, pod
from kschedlab.views import loop
from kschedlab.views.graph import draw_graph, graph_list
from kschedlab.views.html import join
from kschedlab.views.loop import Taken

HERO = "default/web"
NODES = ("node-a", "node-b")
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
    yield "success", Story((*two, pod("logs-a", "node-a", 1)), (web,))
    yield "a volume to bind", Story((*two, *_storage()), ({"at": "1s", "create": _with_claim()},))
    yield "FitError", Story(two, (large, joins))
    yield "preemption", Story((*two, *full), (urgent,))
    yield "bind failure", Story(two, (web, {"at": "20s", "create": node("node-c", 1)}), lambda: [LostAnswer()])
    yield "deleted while it waits", Story(two, ({"at": "1s", "create": held}, {"at": "1s", "delete": "pod/web"}))


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
    source = STORIES[story]
    simulation = Simulation.of(loads_scenario(scenario(story), story), plugins=source.plugins())
    simulation.run()
    return simulation


def scenario(story: str) -> str:
    """The story as YAML, for ``kschedlab simulate``."""
    source = STORIES[story]
    what = {"simulation": {"generation": "v1.16"}, "timeline": list(source.timeline)}
    note = "# and a plugin whose Bind fails the first time\n" if source.plugins is not list else ""
    return note + testing.as_yaml([*source.objects, what])


@cache
def taken(story: str) -> tuple[Taken, ...]:
    """The scheduler's steps for the pod ``web``."""
    simulation = run(story)
    return tuple(_taken(simulation.log, simulation.start))


def _taken(log: Log, start: int) -> Iterator[Taken]:
    for entry in log:
        seconds = f"{(entry.at - start) / SECOND:.3f}"
        if isinstance(entry, Moved) and entry.pod == HERO and entry.to in ("active", "backoff", "unschedulable"):
            yield Taken(seconds, loop.QUEUE, f"to the {loop.part(entry.to)}: {entry.event}", entry.to)
        elif isinstance(entry, Step) and (entry.pod == HERO or entry.detail == f"by {HERO}"):
            yield Taken(seconds, _BOXES[entry.step], _words(entry))


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
    """The result of the step."""
    said = {
        context.POP: "web leaves the activeQ",
        context.SCHEDULE: step.node or step.detail or "no node fits: FitError",
        context.PREEMPT: f"{step.node}, {step.detail}" if step.node else step.detail,
        context.NOMINATE: f"nominatedNodeName: {step.node}",
        context.EVICT: f"{step.pod.partition('/')[2]} has to go",
        context.ASSUME: f"the cache counts web on {step.node}",
        context.FORGET: f"the cache gives web's room on {step.node} back",
    }
    return said.get(step.step, step.detail or step.node)


@dataclass(frozen=True)
class Settings(Restorable):
    """The story, and the number of its steps so far."""

    story: str = choice("story", STORIES, "success")
    step: int = steps("step", lambda settings: len(taken(settings.story)) - 1)


def as_yaml(settings: Settings) -> str:
    """The story as a scenario."""
    return scenario(settings.story)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps, at = taken(settings.story), settings.step
    step = steps[at]
    graph = loop.schedule_one(steps[: at + 1])
    sentence = f"Step {at} of {len(steps) - 1}, at {step.seconds} s: {step.title}: {step.words}"
    log = loop.steps_table(steps, at)
    table = join([log.html(), graph_list(graph)])
    return View(draw_graph(graph, sentence), sentence, table, f"{sentence}\n{log!r}")


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "path.panel()")


def what_next() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "The scheduler has chosen a node for web. When does it begin with the next pod?",
        {
            "when web runs": "That can take minutes: images are pulled. The scheduler never waits for a kubelet.",
            "when the API server has confirmed the binding": "Then every pod would cost a round trip to the API "
            "server. Look at the box with the word go beside it.",
            "at once, while web is being bound": "Yes. But then it must not give web's room away. Look for assume.",
        },
    )
