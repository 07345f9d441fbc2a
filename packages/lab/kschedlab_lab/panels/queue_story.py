"""A story of three pods on a clock, replayed through the real queue of v1.37.

``web`` requests 3 CPU, and node-a is full until its pods job-1, job-2 and job-3 end. ``ssd`` requires a node with the
label ``disk: ssd``. ``friend`` requires a pod ``app: db`` nearby, and none ever appears. The scheduler takes
100 ms for each attempt, and always has a next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from kschedlab import build
from kschedlab.build import Manifest
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_37
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.backoff import duration
from kschedlab.queue.events import ASSIGNED_POD_DELETE
from kschedlab.queue.interface import GONE
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.queue_waiting import decoded
from kschedlab_simulation.scheduler.hints.table import queueing_hints
from kschedlab_simulation.scheduler.node_changes import node_changes

START = 1_772_438_400_000_000
"""2026-03-02T08:00:00Z, in microseconds since 1970."""
ATTEMPT = SECOND // 10
LAST = 14
"""The last second of the clock."""
ROOM, ROOMS = 7, range(4, LAST)
"""The second at which there is room for web, and those to which it can be moved: after the other pods end."""
WANTS = {"web": "3 CPU", "ssd": "disk: ssd", "friend": "app: db"}
PODS = tuple(WANTS)
BOUND = "bound"


class PartEntered(NamedTuple):
    """A pod enters a part of the queue, at a moment (microseconds from the start)."""

    at: int
    pod: str
    part: str


def manifests() -> dict[str, Manifest]:
    """The cluster at the start of the story, by name."""
    near = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
    made = [
        build.node("node-a", 4, labels={"kubernetes.io/hostname": "node-a"}),
        build.node("node-b", 1, labels={"kubernetes.io/hostname": "node-b"}),
        *(build.pod(name, "node-a", 1, 100) for name in ("job-1", "job-2", "job-3", "job-4")),
        build.pod("web", "", 3, 100),
        build.pod("ssd", "", 1, 100, nodeSelector={"disk": "ssd"}),
        build.pod("friend", "", None, 100, affinity=affinity),
    ]
    for each in made:
        each["metadata"] |= {"uid": f"uid-{each['metadata']['name']}", "creationTimestamp": "2026-03-02T08:00:00Z"}
    return {each["metadata"]["name"]: each for each in made}


@dataclass
class Story:
    """The replay. ``entries``: when each pod entered each part; ``tries``: when each pod was popped.

    ``backoffs``: the end of each failed attempt, its pod, and the end of the backoff that begins there; ``room``: when
    there is room for web.
    """

    room: int
    clock: int = 0
    entries: list[PartEntered] = field(default_factory=list)
    tries: list[tuple[int, str]] = field(default_factory=list)
    backoffs: list[tuple[int, str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cluster = manifests()
        hints = tuple(queueing_hints(V1_37.filters))
        self.queue = V1_37.queue(lambda: START + self.clock, on_moved=self._moved, hints=hints)

    def _moved(self, pod: Pod, _origin: str, part: str, _why: str) -> None:
        if pod.metadata.name in PODS:
            self.entries.append(PartEntered(self.clock, pod.metadata.name, BOUND if part == GONE else part))

    def run(self) -> None:
        """Everything on the clock."""
        for name in PODS:
            self.queue.add(decoded(self.cluster[name]))
        for tick in range(0, LAST * SECOND + ATTEMPT, ATTEMPT):
            self.clock = tick
            for event in events(self.room):
                if event.second * SECOND == tick:
                    event.happen(self)
            for period, flush in self.queue.flushes:
                if tick % period == 0:
                    flush()
            made = build.pod(f"other-{tick}")  # another team's pod: the scheduler is never idle
            made["metadata"]["uid"] = f"uid-other-{tick}"
            self.queue.add(decoded(made))
            self._try()

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
        cluster = Cluster(decode_objects(self.cluster.values()), V1_37.api)
        decision = schedule(queued.pod.key, cluster, V1_37)
        if decision.node is None:
            self._failed(queued, {refusal.plugin for refusal in decision.refusals()})
        else:
            self.queue.done(queued.pod)
            self.cluster[name]["spec"]["nodeName"] = decision.node
            self.queue.assigned_pod_added(decoded(self.cluster[name]))

    def _failed(self, queued: QueuedPodInfo, plugins: Iterable[str]) -> None:
        queued.record_failure(queued.pod, plugins)
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)
        end = queued.timestamp + duration(queued.unschedulable_count)
        self.backoffs.append((self.clock, queued.pod.metadata.name, end - START))

    def ends(self, name: str) -> None:
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
        made = build.pod(name, node, labels={"app": name})
        self.cluster[name] = made
        self.queue.assigned_pod_added(decoded(made))


class Happening(NamedTuple):
    """An event: its second, in few words and in many, what it does, and whether a reader moves it."""

    second: int
    brief: str
    words: str
    happen: Callable[[Story], None]
    moves: bool = False


def events(room: int = ROOM) -> tuple[Happening, ...]:
    """What happens in the cluster. ``room``: when there is room for web."""
    return (
        Happening(2, later("1 CPU free"), later("job-1 ends: 1 CPU free"), _end("job-1")),
        Happening(3, later("2 CPU free"), later("job-2 ends: 2 CPU free"), _end("job-2")),
        Happening(room, later("3 CPU free"), later("job-3 ends: 3 CPU free"), _end("job-3"), moves=True),
        Happening(8, "disk: ssd", later("node-b gets disk: ssd"), lambda story: story.label("node-b", "disk", "ssd")),
        Happening(12, "cache", later("cache starts"), lambda story: story.starts("cache", "node-b")),
    )


def _end(name: str) -> Callable[[Story], None]:
    return lambda story: story.ends(name)


@lru_cache(64)
def replay(room: int = ROOM) -> Story:
    story = Story(room)
    story.run()
    return story
