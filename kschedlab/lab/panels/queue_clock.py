"""A story of three pods on a clock, replayed through the real queue of each generation.

``web`` requests 3 CPU, and node-a is full until three of its pods end. ``ssd`` requires a node with the label
``disk: ssd``. ``friend`` requires a pod ``app: db`` nearby, and none ever appears. The scheduler pops a pod every
250 ms and takes 100 ms for each attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.queue_heap import decoded
from kschedlab.lab.panels.settings import Restorable, choice, slider, switch
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import ASSIGNED_POD_DELETE, NODE_ADD, node_changes
from kschedlab.queue.interface import ACTIVE, BACKOFF, GONE, IN_FLIGHT, UNSCHEDULABLE, QueuedPod
from kschedlab.scheduler import schedule
from kschedlab.testing import Manifest
from kschedlab.views.queue import Lane, Moment, Stretch, draw_lanes
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, refusals

START = 1_772_438_400_000_000
"""2026-03-02T08:00:00Z, in microseconds since 1970."""
TICK, ATTEMPT = SECOND // 4, SECOND // 10
TIMES = (*range(31), *range(60, 361, 30))
"""The slider's positions in seconds: every second at first, then every half minute."""
PODS = ("web", "ssd", "friend")
BOUND = "bound"


@dataclass(frozen=True)
class Settings(Restorable):
    """``busy``: other pods always wait in the active queue, so no pod is popped early."""

    time: int = slider("time", TIMES, 0, lambda seconds: f"{seconds} s")
    generation: str = choice("generation", tuple(GENERATIONS), "v1.37")
    busy: bool = switch("busy with other pods", True)


class Entry(NamedTuple):
    """A pod enters a part of the queue, at a moment (microseconds from the start)."""

    at: int
    pod: str
    part: str
    why: str


def manifests() -> dict[str, Manifest]:
    """The cluster at the start of the story, by name."""
    near = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    made = [
        testing.node("node-a", 4, labels={"kubernetes.io/hostname": "node-a"}),
        testing.node("node-b", 1, labels={"kubernetes.io/hostname": "node-b"}),
        *(testing.pod(name, "node-a", 1, 100) for name in ("one", "two", "three", "four")),
        testing.pod("web", "", 3, 100),
        testing.pod("ssd", "", 1, 100, nodeSelector={"disk": "ssd"}),
        testing.pod("friend", "", None, 100, affinity=affinity),
    ]
    for each in made:
        each["metadata"] |= {"uid": f"uid-{each['metadata']['name']}", "creationTimestamp": "2026-03-02T08:00:00Z"}
    return {each["metadata"]["name"]: each for each in made}


@dataclass
class Story:
    """The replay. ``entries``: when each pod entered each part; ``tries``: when each pod was popped."""

    generation: str
    busy: bool
    clock: int = 0
    entries: list[Entry] = field(default_factory=list)
    tries: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cluster = manifests()
        self.rules = GENERATIONS[self.generation]
        self.queue = self.rules.queue(lambda: START + self.clock, get_pod=self._known, on_moved=self._moved)
        self.jobs = 0

    def _known(self, key: str) -> Pod | None:
        made = self.cluster.get(key.partition("/")[2])
        return decoded(made) if made is not None else None

    def _moved(self, pod: Pod, origin: str, part: str, why: str) -> None:
        if pod.metadata.name in PODS:
            self.entries.append(Entry(self.clock, pod.metadata.name, BOUND if part == GONE else part, why))

    def run(self, until: int) -> None:
        """Everything up to this moment."""
        for name in PODS:
            self.queue.add(decoded(self.cluster[name]))
        for tick in range(0, until + TICK, TICK):
            self.clock = tick
            for moment, _, happen in EVENTS:
                if moment * SECOND == self.clock:
                    happen(self)
            for period, flush in self.queue.flushes:
                if self.clock % period == 0:
                    flush()
            self._others()
            self._try()

    def _others(self) -> None:
        """Add another team's pod if the scheduler is to be busy."""
        if self.busy:
            self.jobs += 1
            made = testing.pod(f"job-{self.jobs}", "", None, 0)
            made["metadata"]["uid"] = f"uid-job-{self.jobs}"
            self.queue.add(decoded(made))

    def _try(self) -> None:
        queued = self.queue.pop()
        if queued is None:
            return
        name = queued.pod.metadata.name
        if name not in PODS:
            self.queue.done(queued.pod)
            return
        self.tries.append((self.clock, name))
        self.clock += ATTEMPT
        cluster = Cluster(decode_objects(self.cluster.values()), self.rules.api)
        decision = schedule(queued.pod.key, cluster, self.rules)
        if decision.node is None:
            self._failed(queued, {refusal.plugin for refusal in refusals(decision)})
        else:
            self.queue.done(queued.pod)
            self.cluster[name]["spec"]["nodeName"] = decision.node
            self.queue.assigned_pod_added(decoded(self.cluster[name]))

    def _failed(self, queued: QueuedPod, plugins: Iterable[str]) -> None:
        now = f"2026-03-02T08:{self.clock // SECOND // 60:02}:{self.clock // SECOND % 60:02}Z"
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastProbeTime": now}
        made = self.cluster[queued.pod.metadata.name]
        made["status"] = {"conditions": [condition]}
        queued.record_failure(decoded(made), plugins)
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)

    def ends(self, name: str) -> None:
        """A pod on a node is gone."""
        self.queue.move(ASSIGNED_POD_DELETE, decoded(self.cluster.pop(name)))

    def label(self, node: str, key: str, value: str) -> None:
        """A node gets a label."""
        old = deepcopy(self.cluster[node])
        self.cluster[node]["metadata"]["labels"][key] = value
        before, after = (decode_objects([each]).nodes[0] for each in (old, self.cluster[node]))
        for event in node_changes(before, after):
            self.queue.move(event, before, after)

    def starts(self, name: str, node: str) -> None:
        """A pod of another team is bound to a node."""
        made = testing.pod(name, node, labels={"app": name})
        self.cluster[name] = made
        self.queue.assigned_pod_added(decoded(made))


EVENTS: tuple[tuple[int, str, Callable[[Story], None]], ...] = (
    (2, "one ends on node-a: 1 CPU free", lambda story: story.ends("one")),
    (3, "two ends: 2 CPU free", lambda story: story.ends("two")),
    (6, "three ends: 3 CPU free", lambda story: story.ends("three")),
    (8, "node-b gets disk: ssd", lambda story: story.label("node-b", "disk", "ssd")),
    (12, "cache starts on node-b", lambda story: story.starts("cache", "node-b")),
)


@lru_cache(16)
def replay(generation: str, busy: bool) -> Story:
    """The whole story."""
    story = Story(generation, busy)
    story.run(TIMES[-1] * SECOND)
    return story


class Where(NamedTuple):
    """A pod at a moment: its part, since when (seconds), why it moved there, its number of attempts."""

    pod: str
    part: str
    since: float
    why: str
    tries: int


def where(settings: Settings) -> list[Where]:
    """Where each pod is at this time."""
    story, now = replay(settings.generation, settings.busy), settings.time * SECOND
    found = []
    for name in PODS:
        last = [each for each in story.entries if each.pod == name and each.at <= now][-1]
        tries = sum(who == name and at <= now for at, who in story.tries)
        found.append(Where(name, last.part, last.at / SECOND, last.why, tries))
    return found


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    places = where(settings)
    said = [f"{each.pod} {WORDS[each.part]} ({_tries(each.tries)})" for each in places]
    sentence = f"{settings.generation}, {settings.time} s: {', '.join(said[:-1])} and {said[-1]}."
    head = ["pod", "where", "since", "because of", "tries"]
    rows = [[each.pod, each.part, f"{each.since:g} s", each.why, str(each.tries)] for each in places]
    lanes = [lane(settings, name) for name in PODS]
    events = [Moment(position(at), "", f"{at} s: {words}") for at, words, _ in EVENTS]
    ticks = [(float(i), str(t)) for i, t in enumerate(TIMES) if t % 5 == 0 and (t <= 30 or (t > 60 and t % 60 == 0))]
    picture = draw_lanes(
        lanes,
        ticks,
        sentence,
        steps=len(TIMES),
        events=events,
        now=position(settings.time),
        legend=(ACTIVE, BACKOFF, UNSCHEDULABLE, BOUND),
    )
    text = "\n".join([sentence, *aligned([head, *rows])])
    return View(picture, sentence, table(head, (row(*cells) for cells in rows)), text)


def _tries(number: int) -> str:
    return "1 try" if number == 1 else f"{number} tries"


WORDS = {
    ACTIVE: "is active",
    BACKOFF: "backs off",
    UNSCHEDULABLE: "is unschedulable",
    IN_FLIGHT: "is being tried",
    BOUND: "is bound",
}


def lane(settings: Settings, name: str) -> Lane:
    """The history of one pod so far."""
    story, now = replay(settings.generation, settings.busy), settings.time * SECOND
    past = [each for each in story.entries if each.pod == name and each.at <= now]
    ends = [each.at for each in past[1:]] + [now]
    stretches = tuple(
        Stretch(position(each.at / SECOND), position(end / SECOND), each.part)
        for each, end in zip(past, ends, strict=True)
        if end > each.at and each.part != IN_FLIGHT
    )
    tried = tuple(Moment(position(at / SECOND), "", "tried") for at, who in story.tries if who == name and at <= now)
    return Lane(name, stretches, tried)


def position(seconds: float) -> float:
    """The slider's position: steps from the left."""
    later = next(i for i, time in enumerate(TIMES) if time >= seconds)
    if TIMES[later] == seconds:
        return later
    earlier = later - 1
    return earlier + (seconds - TIMES[earlier]) / (TIMES[later] - TIMES[earlier])


def as_yaml(settings: Settings) -> str:
    """The cluster at the start of the story."""
    return testing.as_yaml(list(manifests().values()))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "queue_clock.panel()")


def when_is_web_tried() -> Prediction:
    """The prediction before the panel moves."""
    return Prediction(
        "v1.37, a busy scheduler: at 6 s there is room for web at last. It has failed three times. When is it bound?",
        {
            "at 6 s, at once": "That is what v1.13 does. What if thousands of pods woke up at each event?",
            "some seconds later": "Yes: the event only moves it on to backoff, which has to end first.",
            "after five minutes": "No: five minutes is how long a pod waits if no event helps it.",
        },
    )


# -- what the queues do, measured

FAILURES = 6


class Lonely:
    """One pod in the queue of a generation, with a clock of its own."""

    def __init__(self, generation: str) -> None:
        self.clock = 0
        made = testing.pod("web", priority=0)
        made["metadata"] |= {"uid": "uid-web", "creationTimestamp": "2026-03-02T08:00:00Z"}
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
        condition["lastProbeTime"] = made["metadata"]["creationTimestamp"]
        self.pod = decoded(made | {"status": {"conditions": [condition]}})
        self.queue = GENERATIONS[generation].queue(lambda: START + self.clock, get_pod=lambda key: self.pod)
        self.queue.add(self.pod)

    def fail(self) -> None:
        """An attempt that finds no node."""
        queued = self.queue.pop()
        assert queued is not None
        self.clock += ATTEMPT
        queued.record_failure(self.pod, ["NodeResourcesFit"])
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)

    def wait(self) -> float:
        """Seconds until it is active again."""
        began = self.clock
        while self.queue.places()[self.pod.key].part != ACTIVE:
            self.clock += SECOND - self.clock % SECOND
            for period, flush in self.queue.flushes:
                if self.clock % period == 0:
                    flush()
        return (self.clock - began) / SECOND


def waits_after_failures(generation: str) -> list[float]:
    """After each failure in a row: seconds until the pod is active again if an event helps it at once."""
    lonely, (large,) = Lonely(generation), decode_objects([testing.node("large")]).nodes
    found = []
    for _ in range(FAILURES):
        lonely.fail()
        lonely.queue.move(NODE_ADD, None, large)
        found.append(lonely.wait())
    return found


def wait_without_event(generation: str) -> float:
    """Seconds until the pod is active again without any event."""
    lonely = Lonely(generation)
    lonely.fail()
    return lonely.wait()


class Measured:
    """All generations side by side, each measured on its own queue."""

    def __init__(self) -> None:
        self.head = ["", "seconds after failures 1 to 6, if an event comes at once", "if none comes"]
        self.rows = [
            [name, ", ".join(f"{wait:g}" for wait in waits_after_failures(name)), f"{wait_without_event(name):g}"]
            for name in GENERATIONS
        ]

    def __repr__(self) -> str:
        return "\n".join(aligned([self.head, *self.rows], ""))

    def _repr_html_(self) -> str:
        return str(table(self.head, (row(*cells) for cells in self.rows)))
