"""Map: settings -> a cluster, its scores, and when each worker fills each cell of results[algorithm][node].

A new pod of the web service is scheduled. The engine computes the scores; the times are drawn from a seed.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kschedlab.build import Manifest, node, pod, service
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.preferences import labelled, preferring
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider, steps
from kschedlab_lab.views.cards import Piece, last_tick
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.handing_out import draw_handing_out
from kschedlab_lab.views.map_reduce import Handout
from kschedlab_lab.views.svg import Room

NEW = "default/web-new"
MIB = 1 << 20
TAINT = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}
OLD = {"key": "old-disk", "value": "yes", "effect": "PreferNoSchedule"}
RUNNING = (  # CPU (milli) and memory (MiB) of other pods; web's pods; taints; disk; has the image
    (500, 1024, 3, 0, "hdd", True),
    (1000, 4096, 1, 0, "ssd", False),
    (500, 2048, 2, 1, "nvme", False),
    (2000, 4096, 0, 2, "hdd", True),
    (1500, 8192, 1, 0, "ssd", False),
    (250, 1024, 2, 1, "hdd", True),
    (3000, 2048, 0, 0, "nvme", False),
    (1000, 1024, 3, 0, "hdd", True),
)

NODES, WORKERS = 12, range(1, 9)
"""How many nodes and workers there are. The source has up to 16 workers (v1.13 to v1.16: core/generic_scheduler.go,
PrioritizeNodes)."""
ASKED, SEEN = 8, 2
"""The node whose worker is asked for, and after which tick."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The number of workers, and the current tick."""

    workers: int = slider("workers", WORKERS, 4)
    step: int = steps("step", lambda settings: ends(settings))

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but where Map has ended with so many workers, it has ended with others, too."""
        found = super().at(indices)
        is_done = self.step == ends(self) and found.workers != self.workers
        return replace(found, step=ends(found)) if is_done else found


def manifests(number: int = 4) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    names = node_names(number)
    made = [service("web", {"app": "web"}), *map(_node, names)]
    for name in names:
        cpu, memory, web, *_ = _running(name)
        letter = name.removeprefix("node-")
        made.append(pod(f"other-{letter}", name, f"{cpu}m", labels={"app": "other"}, memory=f"{memory}Mi"))
        made += [pod(f"web-{letter}{n + 1}", name, "250m", labels={"app": "web"}, memory="512Mi") for n in range(web)]
    return [*made, pod("web-new", "", "500m", labels={"app": "web"}, memory="1Gi", affinity=wishes())]


def node_names(number: int) -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord('a') + i)}" for i in range(number)]


def _running(name: str) -> tuple[int, int, int, int, str, bool]:
    return RUNNING[(ord(name[-1]) - ord("a")) % len(RUNNING)]


def _node(name: str) -> Manifest:
    *_, taints, disk, image = _running(name)
    made = node(name, 4, "16Gi", {"disk": disk}, [TAINT, OLD][:taints])
    if image:
        made["status"]["images"] = [{"names": ["example/app:1"], "sizeBytes": 600 * MIB}]
    return made


def wishes() -> dict[str, Any]:
    """The pod's preferences: fast disks."""
    return preferring([labelled(20, "disk", "ssd"), labelled(50, "disk", "nvme")])


@lru_cache
def decide(nodes: int = 4) -> Decision:
    """v1.16's decision for the new pod."""
    return schedule(NEW, Cluster(decode_objects(manifests(nodes)), V1_16.api), V1_16)


def costs(nodes: int) -> list[int]:
    """Ticks that Map takes for each node: 1 to 4. A node has the same however many there are."""
    rng = random.Random("12 nodes, seed 1")
    return [rng.randint(1, 4) for _ in range(nodes)]


def hand_out(costs: Sequence[int], workers: int) -> list[Piece]:
    """The worker of each node, with its first and last tick. The first free worker takes the next index, of several the
    one with the lowest number."""
    free = [(0, worker) for worker in range(1, min(workers, len(costs)) + 1)]
    pieces = []
    for index, cost in enumerate(costs):
        tick, worker = heapq.heappop(free)
        pieces.append(Piece(index, worker, tick, tick + cost))
        heapq.heappush(free, (tick + cost, worker))
    return pieces


def pieces(settings: Settings) -> list[Piece]:
    """The spans of work with these settings."""
    return hand_out(costs(NODES), settings.workers)


def ends(settings: Settings) -> int:
    """The tick after which Map ends and ParallelizeUntil returns."""
    return last_tick(pieces(settings))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = describe(settings)
    return View(lambda room: draw(settings, room), sentence, Html(), sentence)


def draw(settings: Settings, room: Room, asks: bool = False) -> Html:
    """The handing out. ``asks``: a worker is the answer, and the number of workers can't be changed."""
    number = str(settings.workers)
    dial = Dial(number) if asks else Dial.among(WORKERS, settings.workers, number, "workers")
    now = Handout(decide(NODES), pieces(settings), settings.step, asks)
    return draw_handing_out(now, dial, room, describe(settings))


def describe(settings: Settings) -> str:
    """What has happened in the last tick."""
    step, work = settings.step, pieces(settings)
    if step == 0:
        holds = say("{nodes} cards are in the channel.", nodes=NODES)
        return sentences((holds, say("{workers} will take them.", workers=count(settings.workers, "worker"))))
    if step == ends(settings):
        column = say("Each column has one writer, and its colour.")
        return sentences((say("Map is done after {ticks}.", ticks=count(step, "tick")), column))
    taken = _taken(step, work)
    others = [say("others take {number} more", number=len(taken) - 4)] if taken[4:] else []
    news = say(", ").join([*taken[:4], *others]) or say("nobody takes a new node")
    done = sum(piece.end <= step for piece in work)
    said = later("Tick {step}: {done} of {nodes} nodes are done. {news}.")
    return say(said, step=step, news=news[:1].upper() + news[1:], done=done, nodes=NODES)


def _taken(step: int, work: Sequence[Piece]) -> list[str]:
    """Who has taken which node in this tick."""
    names = node_names(NODES)
    fills, takes = later("worker {worker} takes and fills {node}"), later("worker {worker} takes {node}")
    return [
        say(fills if piece.end == step else takes, worker=piece.worker, node=names[piece.node])
        for piece in work
        if piece.start == step - 1
    ]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda _: manifests(NODES), "map_reduce.panel()")


def which_worker() -> Question[Settings]:
    """The question before the panel: who fills one node's column?"""

    def taken(settings: Settings) -> Piece:
        return pieces(settings)[ASKED]

    def right(settings: Settings) -> str:
        return say("worker {worker}", worker=taken(settings).worker)

    def why(settings: Settings, answer: str) -> str:
        mine, work, names = taken(settings), pieces(settings), node_names(NODES)
        before = next(piece for piece in work if piece.worker == mine.worker and piece.end == mine.start)
        done = say(
            "Worker {worker} finishes {node} at the end of tick {end}",
            worker=mine.worker,
            node=names[before.node],
            end=before.end,
        )
        fact = say("{done}, and {asked} is the next card in the channel.", done=done, asked=names[ASKED])
        if answer == right(settings):
            return fact
        theirs = (piece for piece in work if say("worker {worker}", worker=piece.worker) == answer)
        other = next((piece for piece in theirs if piece.start <= mine.start < piece.end), None)
        if other is None:
            return fact
        message = later("{worker} works on {node} until tick {end}. ")
        return say(message, worker=answer.capitalize(), node=names[other.node], end=other.end) + fact

    return Question(
        say("Worker 4 takes node-h now. Who takes the card after it, {asked}?", asked=node_names(NODES)[ASKED]),
        tuple(say("worker {worker}", worker=worker) for worker in range(1, Settings().workers + 1)),
        right,
        why,
        lambda settings: lambda room: draw(settings.changed(step=SEEN), room, asks=True),
        moment=True,
        drawn=True,
    )
