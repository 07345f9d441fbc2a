"""The parts of v1.13's queue: where a failed pod goes, what brings it back, and which pods are nominated.

An attempt to schedule ``web`` fails; an event may occur before, during or after it. A second panel shows
nominatedPodMap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab import testing
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.queue_heap import decoded
from kschedlab.lab.panels.settings import Restorable, choice, steps, switch
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.nominated import NominatedPodMap, NominationRules
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.testing import Manifest
from kschedlab.views.queue import Part, draw_parts
from kschedlab.views.style import DECIDES
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned

NOON = 1_772_452_800_000_000
"""2026-03-02T12:00:00Z, the time of web's attempt, in microseconds since 1970."""
NEVER, BEFORE, DURING, CHANGED = "nothing", "MoveAll before the pop", "MoveAll during the attempt", "Update meanwhile"
UNSCHEDULABLE, ERROR = "Unschedulable", "SchedulerError"


def manifest(labels: dict[str, str] | None = None, reason: str = "") -> Manifest:
    """The pod web, which requires a pod ``app: db`` nearby. ``reason``: why it was not scheduled at noon."""
    near = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    made = testing.pod("web", priority=100, labels=labels, affinity=affinity)
    made["metadata"] |= {"uid": "uid-web", "creationTimestamp": "2026-03-02T11:00:00Z"}
    if reason:
        noon = "2026-03-02T12:00:00Z"
        condition = {"type": "PodScheduled", "status": "False", "reason": reason, "lastProbeTime": noon}
        made["status"] = {"conditions": [condition]}
    return made


def neighbour(app: str) -> Pod:
    """A pod that is bound to a node."""
    return decoded(testing.pod(app, "node-a", labels={"app": app}))


class Run:
    """The queue of v1.13 with a clock, and the pod web in it."""

    def __init__(self) -> None:
        self.now = NOON
        self.queue = WithoutBackoff(lambda: self.now)
        self.pod = decoded(manifest())
        mail = testing.pod("mail", priority=0)
        mail["metadata"] |= {"uid": "uid-mail", "creationTimestamp": "2026-03-02T10:00:00Z"}
        self.queue.add(decoded(mail))
        self.queue.add(self.pod)

    def move(self) -> None:
        """An event of a node."""
        self.queue.move(NODE_ADD)

    def update(self, labels: dict[str, str] | None, reason: str = "") -> None:
        """An update of web."""
        old, self.pod = self.pod, decoded(manifest(labels, reason))
        self.queue.update(old, self.pod)

    def flush(self, seconds: int) -> None:
        """Advance the clock; the queue moves pods that have waited too long."""
        self.now += seconds * SECOND
        self.queue.flush_unschedulable()


AFTERWARDS: dict[str, Callable[[Run, str], None]] = {
    "nothing": lambda run, reason: None,
    "MoveAllToActiveQueue": lambda run, reason: run.move(),
    "Update of its labels": lambda run, reason: run.update({"tier": "gold"}, reason),
    "Update of its status only": lambda run, reason: run.update(None, reason),
    "AssignedPodAdded: db": lambda run, reason: run.queue.assigned_pod_added(neighbour("db")),
    "AssignedPodAdded: cache": lambda run, reason: run.queue.assigned_pod_added(neighbour("cache")),
    "flush 60 s later": lambda run, reason: run.flush(60),
    "flush 61 s later": lambda run, reason: run.flush(61),
}


@dataclass(frozen=True)
class Settings(Restorable):
    """Events around web. ``meanwhile``: before or during its attempt; ``reason``: why it fails; ``then``: after it."""

    meanwhile: str = choice("meanwhile", (NEVER, BEFORE, DURING, CHANGED), NEVER)
    reason: str = choice("it fails with", (UNSCHEDULABLE, ERROR), UNSCHEDULABLE)
    then: str = choice("afterwards", AFTERWARDS, "nothing")
    step: int = steps("step", lambda settings: len(frames(settings.meanwhile, settings.reason, settings.then)) - 1)


class Frame(NamedTuple):
    """The queue after one call. ``said``: its result; ``cycles``: schedulingCycle and moveRequestCycle."""

    call: str
    said: str
    active: tuple[str, ...]
    trying: tuple[str, ...]
    unschedulable: tuple[str, ...]
    cycles: tuple[int, int]

    @property
    def where(self) -> str:
        """The part of the queue that web is in."""
        places = {"activeQ": self.active, "unschedulableQ": self.unschedulable, "being tried": self.trying}
        return " and ".join(place for place, pods in places.items() if "web" in pods)


def frames(meanwhile: str, reason: str, then: str) -> tuple[Frame, ...]:
    """The story, call by call."""
    return tuple(_frames(meanwhile, reason, then))


def _frames(meanwhile: str, reason: str, then: str) -> Iterator[Frame]:
    run = Run()
    yield _frame(run, "Add(mail), Add(web)", "web waits in activeQ, as its head")
    if meanwhile == BEFORE:
        run.move()
        yield _frame(run, "MoveAllToActiveQueue()", "it notes the schedulingCycle in moveRequestCycle")
    queued = run.queue.pop()
    assert queued is not None
    cycle = run.queue.scheduling_cycle
    yield _frame(run, "Pop()", f"web is taken off and tried; its podSchedulingCycle is {cycle}", trying=True)
    if meanwhile == DURING:
        run.move()
        yield _frame(run, "MoveAllToActiveQueue()", "web is not in the queue, but its cycle is noted", trying=True)
    if meanwhile == CHANGED:
        run.update({"tier": "silver"})
        yield _frame(run, "Update(web)", "web is in neither part, so it is added to activeQ", trying=True)
    labels = {"tier": "silver"} if meanwhile == CHANGED else None
    run.pod = decoded(manifest(labels, reason))
    queued.record_failure(run.pod)
    moved = run.queue.move_request_cycle
    try:
        run.queue.add_unschedulable(queued, cycle)
        said = f"podSchedulingCycle {cycle}, moveRequestCycle {moved}, reason {reason}"
    except ValueError as error:
        said = f'error: "{error}"'
    yield _frame(run, f"AddUnschedulableIfNotPresent(web, {cycle})", said)
    if then != "nothing":
        AFTERWARDS[then](run, reason)
        yield _frame(run, then, "")


def _frame(run: Run, call: str, said: str, trying: bool = False) -> Frame:
    queue = run.queue
    active, waiting = (tuple(key.partition("/")[2] for key in keys) for keys in _keys(queue))
    cycles = (queue.scheduling_cycle, queue.move_request_cycle)
    return Frame(call, said, active, ("web",) if trying else (), waiting, cycles)


def _keys(queue: WithoutBackoff) -> tuple[list[str], list[str]]:
    return queue.active_q.data.queue, list(queue.unschedulable_q.pods)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    calls = frames(settings.meanwhile, settings.reason, settings.then)
    here = calls[settings.step]
    before = calls[settings.step - 1] if settings.step else here
    came = ("web",) if here.where != before.where or not settings.step else ()
    cycle, moved = here.cycles
    parts = [
        Part("activeQ (a heap)", here.active, came),
        Part("being tried", here.trying, came, f"schedulingCycle {cycle}"),
        Part("unschedulableQ (a map)", here.unschedulable, came, f"moveRequestCycle {moved}"),
    ]
    what = f"{here.call}: {here.said}." if here.said else f"{here.call}."
    stays = "" if came else "still "
    sentence = f"Step {settings.step} of {len(calls) - 1}. {what} web is {stays}{_in(here.where)}."
    rows = [[str(n), each.call, each.where, *map(str, each.cycles)] for n, each in enumerate(calls)]
    head = ["step", "call", "web is in", "schedulingCycle", "moveRequestCycle"]
    marked = (row(*cells, style=DECIDES if n == settings.step else "") for n, cells in enumerate(rows))
    text = "\n".join([sentence, *aligned([head, *rows])])
    return View(draw_parts(parts, sentence), sentence, table(head, marked), text)


def _in(where: str) -> str:
    return where if where.startswith("being") else f"in {where}"


def as_yaml(settings: Settings) -> str:
    """The pod web before its attempt."""
    return testing.as_yaml([manifest()])


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "queue_parts.panel()")


def where_to() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "web was popped and fits nowhere. While it was being tried, a node was added. Where does web go?",
        {
            "to unschedulableQ": "There it would wait for an event, and the one it waits for has just gone by.",
            "to activeQ": "Yes: the attempt may have looked before the node was there, so it has to be repeated.",
            "to both": "Never. Each call looks into both parts first.",
        },
    )


# -- nominatedPodMap


class Call(NamedTuple):
    """The map after one call."""

    call: str
    said: str
    by_node: dict[str, tuple[str, ...]]
    node_of: dict[str, str]


@dataclass(frozen=True)
class NominatedSettings(Restorable):
    """``kept``: v1.16's rule for a nomination that the pod's status does not show yet."""

    kept: bool = switch("with v1.16's rule for update")
    step: int = steps("step", 6)


def pod(name: str, nominated: str = "", **labels: str) -> Pod:
    """A preemptor. ``nominated``: its ``status.nominatedNodeName``."""
    made = testing.pod(name, priority=500, labels=labels)
    made["metadata"]["uid"] = f"uid-{name}"
    if nominated:
        made["status"] = {"nominatedNodeName": nominated}
    return decoded(made)


def calls_of(kept: bool) -> list[Call]:
    """A fixed story of two pods, call by call."""
    npm = NominatedPodMap(NominationRules(survives_update=kept))
    urgent, batch = pod("urgent"), pod("batch")
    labelled, written = pod("urgent", tier="gold"), pod("urgent", "node-b", tier="gold")
    made: list[tuple[str, str, Callable[[], None]]] = [
        ('add(urgent, "node-a")', "preemption chose node-a", lambda: npm.add(urgent, "node-a")),
        ('add(batch, "node-a")', "two pods may wait for one node", lambda: npm.add(batch, "node-a")),
        ('add(urgent, "node-b")', "add deletes first: a pod is on one list only", lambda: npm.add(urgent, "node-b")),
        ("update(urgent, urgent with a label)", "neither status names a node", lambda: npm.update(urgent, labelled)),
        (
            "update(urgent, urgent nominated to node-b)",
            "the status has reached the API server",
            lambda: npm.update(labelled, written),
        ),
        ("delete(batch)", "a node without nominated pods loses its key", lambda: npm.delete(batch)),
    ]
    found = [Call("newNominatedPodMap()", "nobody is nominated", {}, {})]
    for call, said, act in made:
        act()
        nodes = {node: tuple(each.metadata.name for each in npm.pods_for_node(node)) for node in npm.nominated_pods}
        found.append(Call(call, said, nodes, dict(npm.nominated_pod_to_node)))
    return found


def show_nominated(settings: NominatedSettings) -> View:
    """The view of the panel on nominatedPodMap."""
    calls = calls_of(settings.kept)
    here = calls[settings.step]
    before = calls[max(settings.step - 1, 0)].by_node
    parts = [
        Part(f"nominatedPods: {node}", pods, tuple(set(pods) - set(before.get(node, ()))))
        for node in ("node-a", "node-b")
        for pods in [here.by_node.get(node, ())]
    ]
    names = [f"{node}: {', '.join(here.by_node[node])}" for node in sorted(here.by_node)]
    lists = f"podsForNode gives {'; '.join(names)}." if names else "podsForNode gives nothing for any node."
    sentence = f"Step {settings.step} of 6. {here.call}: {here.said}. {lists}"
    rows = [[str(n), each.call, _lists(each.by_node), _pairs(each.node_of)] for n, each in enumerate(calls)]
    head = ["step", "call", "nominatedPods", "nominatedPodToNode"]
    marked = (row(*cells, style=DECIDES if n == settings.step else "") for n, cells in enumerate(rows))
    text = "\n".join([sentence, *aligned([head, *rows])])
    return View(draw_parts(parts, sentence), sentence, table(head, marked), text)


def _lists(by_node: dict[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{node}: {', '.join(by_node[node])}" for node in sorted(by_node)) or "-"


def _pairs(node_of: dict[str, str]) -> str:
    return "; ".join(f"{uid}: {node_of[uid]}" for uid in sorted(node_of)) or "-"


def nominated_panel(**settings: Any) -> Panel[NominatedSettings]:
    """The panel on nominatedPodMap; arguments override its default settings."""
    return Panel(NominatedSettings().changed(**settings), show_nominated, call="queue_parts.nominated_panel()")
