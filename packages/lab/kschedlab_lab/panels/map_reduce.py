"""Map: settings -> a cluster, its scores, and when each worker fills each cell of results[algorithm][node].

A new pod of the web service is scheduled. The engine computes the scores; the times are drawn from a seed.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

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
from kschedlab_lab.panels.preferences import labelled, preferring, with_app
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, steps
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.handing_out import draw_handing_out
from kschedlab_lab.views.map_reduce import (
    MAPPING,
    REDUCED,
    SUMMED,
    Handout,
    Piece,
    reduced,
)
from kschedlab_lab.views.score import bare, lead, winners
from kschedlab_lab.views.svg import Room

NEW = "default/web-new"
MIB = 1 << 20
TAINT = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}
OLD = {"key": "old-disk", "value": "yes", "effect": "PreferNoSchedule"}
RUNNING = (  # CPU (milli) and memory (MiB) of other pods; web's pods; taints; disk; rack; has the image
    (500, 1024, 3, 0, "hdd", "r1", True),
    (1000, 4096, 1, 0, "ssd", "r2", False),
    (500, 2048, 2, 1, "nvme", "r2", False),
    (2000, 4096, 0, 2, "hdd", "r1", True),
    (1500, 8192, 1, 0, "ssd", "r1", False),
    (250, 1024, 2, 1, "hdd", "r2", True),
    (3000, 2048, 0, 0, "nvme", "r1", False),
    (1000, 1024, 3, 0, "hdd", "r2", True),
)

NODES, WORKERS = (4, 12), (1, 2, 4, 8, 16)
"""How many there can be. The source has 16 workers (v1.13 to v1.16: core/generic_scheduler.go, PrioritizeNodes)."""
ASKED = 8
"""The node whose worker is asked for."""
WISH = "NodeAffinityPriority"
"""The priority whose raw scores are the weights of wishes."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The numbers of nodes and workers, and the current step."""

    first: ClassVar[str] = "a"
    nodes: int = choice("nodes", NODES, 12)
    workers: int = slider("workers", WORKERS, 4)
    step: int = steps("step", lambda settings: ends(settings) + 1)

    @property
    def after(self) -> int:
        """How many steps after Map has ended."""
        return self.step - ends(self)

    def at(self, indices: Mapping[str, Any]) -> Settings:
        """As always, but where Map has ended with these workers or nodes, it has ended with others, too."""
        found, after = super().at(indices), self.after
        if (found.nodes, found.workers) == (self.nodes, self.workers):
            return found
        return replace(found, step=ends(found) + after if after >= 0 else min(self.step, ends(found)))


@dataclass(frozen=True)
class Reducing(Restorable):
    """The steps after Map, of a cluster of its own with the fewest nodes."""

    first: ClassVar[str] = "r"
    nodes: ClassVar[int] = min(NODES)
    workers: ClassVar[int] = 4
    step: int = steps("step", 2, 2)

    @property
    def after(self) -> int:
        """As of :class:`Settings`."""
        return self.step


def manifests(number: int = 4, first: str = "a") -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them. ``first``: the letter of its first node."""
    names = node_names(number, first)
    made = [service("web", {"app": "web"}), *map(_node, names)]
    for name in names:
        cpu, memory, web, *_ = _running(name)
        letter = name.removeprefix("node-")
        made.append(pod(f"other-{letter}", name, f"{cpu}m", labels={"app": "other"}, memory=f"{memory}Mi"))
        made += [pod(f"web-{letter}{n + 1}", name, "250m", labels={"app": "web"}, memory="512Mi") for n in range(web)]
    made.append(pod("cache", names[0], "250m", labels={"app": "cache"}, memory="256Mi"))
    return [*made, pod("web-new", "", "500m", labels={"app": "web"}, memory="1Gi", affinity=wishes())]


def node_names(number: int, first: str = "a") -> list[str]:
    """node-a, node-b, ..."""
    return [f"node-{chr(ord(first) + i)}" for i in range(number)]


def _running(name: str) -> tuple[int, int, int, int, str, str, bool]:
    return RUNNING[(ord(name[-1]) - ord("a")) % len(RUNNING)]


def _node(name: str) -> Manifest:
    *_, taints, disk, rack, image = _running(name)
    made = node(name, 4, "16Gi", {"disk": disk, "rack": rack}, [TAINT, OLD][:taints])
    if image:
        made["status"]["images"] = [{"names": ["example/app:1"], "sizeBytes": 600 * MIB}]
    return made


def wishes() -> dict[str, Any]:
    """The pod's preferences: fast disks, and the rack of the cache."""
    disks = [labelled(20, "disk", "ssd"), labelled(50, "disk", "nvme")]
    return preferring(disks, near=[with_app(10, "cache", "rack")])


@lru_cache
def decide(nodes: int = 4, first: str = "a") -> Decision:
    """v1.16's decision for the new pod."""
    return schedule(NEW, Cluster(decode_objects(manifests(nodes, first)), V1_16.api), V1_16)


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


def pieces(settings: Settings | Reducing) -> list[Piece]:
    """The spans of work with these settings."""
    return hand_out(costs(settings.nodes), settings.workers)


def ends(settings: Settings | Reducing) -> int:
    """The tick after which Map ends and ParallelizeUntil returns."""
    return max(piece.end for piece in pieces(settings))


def handout(settings: Settings | Reducing) -> Handout:
    """The work up to the current step."""
    last, stage = ends(settings), (MAPPING, REDUCED, SUMMED)[max(settings.after, 0)]
    tick = last + min(settings.after, 0)
    is_plain = isinstance(settings, Reducing)
    idle = max(settings.workers - settings.nodes, 0)
    decision, work = decide(settings.nodes, settings.first), pieces(settings)
    times = ended(settings.nodes) if tick == last else {}
    return Handout(decision, work, tick, stage, plain=is_plain, idle=idle, times=times)


def ended(nodes: int) -> dict[int, int]:
    """By number of workers, the ticks that Map takes for so many nodes."""
    return {workers: max(piece.end for piece in hand_out(costs(nodes), workers)) for workers in WORKERS}


def show(settings: Settings | Reducing) -> View:
    """The panel's view for these settings."""
    now = handout(settings)
    sentence, names = describe(settings, now), winners(now.decision) if now.stage == SUMMED else {}
    return View(lambda room: draw(settings, room), sentence, Html(), sentence, names=names)


def draw(settings: Settings | Reducing, room: Room, fixed: bool = False, asks: str = "") -> Html:
    """The handing out. ``fixed``: the numbers can't be changed; ``asks``: what is an answer, a "worker" or a "node"."""
    now = replace(handout(settings), asks=asks)
    return draw_handing_out(now, dials(settings, fixed), room, describe(settings, now))


def dials(settings: Settings | Reducing, fixed: bool) -> tuple[Dial, Dial]:
    """How many nodes and workers there are, to be changed if they are not fixed."""
    nodes, workers = count(settings.nodes, "node"), str(settings.workers)
    if fixed:
        return Dial(nodes), Dial(workers)
    return (
        Dial.among(NODES, settings.nodes, nodes, "nodes"),
        Dial.among(WORKERS, settings.workers, workers, "workers"),
    )


def describe(settings: Settings | Reducing, now: Handout) -> str:
    step, names = now.tick, node_names(settings.nodes)
    if step == 0:
        started = min(settings.workers, settings.nodes)
        holds = say("{nodes} cards are in the channel.", nodes=settings.nodes)
        takers = say("It is closed: no more will come. {workers} will take them.", workers=count(started, "worker"))
        return sentences((holds, takers))
    if now.stage == REDUCED:
        rows = count(len(reduced(now.scores)), "row")
        return say("Reduce changes {rows}. Map has ended, and a goroutine takes each of them.", rows=rows)
    if now.stage == SUMMED:
        return sentences((lead(bare(now.decision)), say("One goroutine adds up score × weight, node by node.")))
    if now.plain:
        return say("Map is done: each column has one writer, and its colour. Reduce comes next.")
    if settings.after == 0:
        returns = say("The channel is empty and all workers are done: ParallelizeUntil returns.")
        return sentences((say("Map is done after {step} ticks.", step=step), returns))
    taken = [
        say(
            "worker {worker} takes and fills {node}" if piece.end == step else "worker {worker} takes {node}",
            worker=piece.worker,
            node=names[piece.node],
        )
        for piece in now.work
        if piece.start == step - 1
    ]
    done = sum(piece.end <= step for piece in now.work)
    others = [say("others take {number} more", number=len(taken) - 4)] if taken[4:] else []
    news = say(", ").join([*taken[:4], *others]) or say("nobody takes a new node")
    news = news[:1].upper() + news[1:]
    said = later("Tick {step}: {done} of {nodes} nodes are done. {news}.")
    return say(said, step=step, news=news, done=done, nodes=settings.nodes)


def after_map(**settings: Any) -> Panel[Reducing]:
    """The table after Map: Reduce, and the sums."""
    start = Reducing().changed(**settings)
    return Panel(start, show, lambda settings: manifests(settings.nodes, settings.first), "lesson.after_map()")


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, lambda settings: manifests(settings.nodes))


def which_worker() -> Question[Settings]:
    """The question before the panel: who fills one node's column?"""

    def taken(settings: Settings) -> Piece:
        return pieces(settings)[ASKED]

    def right(settings: Settings) -> str:
        return say("worker {worker}", worker=taken(settings).worker)

    def why(settings: Settings, answer: str) -> str:
        mine, work, names = taken(settings), pieces(settings), node_names(settings.nodes)
        before = max((piece for piece in work if piece.worker == mine.worker and piece.end <= mine.start), key=_end)
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
        say(
            "Free workers take the next card, the lower number first. Who takes {asked}?",
            asked=node_names(ASKED + 1)[ASKED],
        ),
        tuple(say("worker {worker}", worker=worker) for worker in range(1, Settings().workers + 1)),
        right,
        why,
        lambda settings: lambda room: draw(settings.changed(step=0), room, fixed=True, asks="worker"),
        moment=True,
        drawn=True,
    )


def _end(piece: Piece) -> int:
    return piece.end


def how_long() -> Question[Settings]:
    """How long Map takes with so many workers."""

    def right(settings: Settings) -> str:
        return str(ends(settings))

    def why(settings: Settings, answer: str) -> str:
        longest = max(costs(settings.nodes))
        if int(answer) < longest:
            return say("The longest cards take {longest} ticks, and one worker takes each alone.", longest=longest)
        last, names = max(pieces(settings), key=_end), node_names(settings.nodes)
        message = later("Worker {worker} takes {node} at the end of tick {start}, and needs {ticks} more.")
        return say(
            message,
            worker=last.worker,
            node=names[last.node],
            start=last.start,
            ticks=count(last.end - last.start, "tick"),
        )

    return Question(
        say("Twelve cards of 1 to 4 ticks: how many ticks does Map take with 8 workers?"),
        ("3", "4", "5", "6"),
        right,
        why,
        lambda settings: lambda room: draw(settings.changed(step=0), room, fixed=True),
        shows=lambda settings: settings.changed(step=ends(settings)),
    )


def too_soon() -> Question[Settings]:
    """The question before Reduce: what would it make of node-b's wish, before node-c is mapped?"""

    def reduced_to(settings: Settings, mapped: int) -> str:
        """The reduced score of node-b, with so many nodes mapped."""
        scores = decide(settings.nodes).scores
        assert scores is not None
        raw = scores.rows[scores.plugins.index(WISH)].raw[:mapped].tolist()
        return str(raw[1] * 10 // max(raw))

    def why(settings: Settings, answer: str) -> str:
        soon, late = reduced_to(settings, 2), reduced_to(settings, settings.nodes)
        return say(
            "20 is the largest so far: 20 × 10 / 20 = {soon}. Then comes node-c's 50, and 20 × 10 / 50 = {late}. "
            "So Reduce waits until every node is mapped.",
            soon=soon,
            late=late,
        )

    return Question(
        say("Two nodes are mapped. If Reduce began now, what would NodeAffinity's 20 become?"),
        ("4", "10", "20"),
        lambda settings: reduced_to(settings, 2),
        why,
        lambda settings: lambda room: draw(settings.changed(step=1), room, fixed=True),
    )


def who_wins() -> Question[Reducing]:
    """The question before Reduce, of the fewest nodes: whose sum is highest?"""

    def right(settings: Reducing) -> str:
        return decide(settings.nodes, settings.first).best[0]

    def why(settings: Reducing, answer: str) -> str:
        """How far behind the answer is; of the right one, how far the node that Map's scores prefer."""
        decision, names = decide(settings.nodes, settings.first), node_names(settings.nodes, settings.first)
        scores, best = decision.scores, decision.best[0]
        assert scores is not None
        shown = [
            row
            for plugin, row in zip(scores.plugins, scores.rows, strict=True)
            if not plugin.startswith("NodePreferAvoidPods")
        ]
        mapped = [sum(row.raw[place] for row in shown) for place in range(settings.nodes)]
        node = answer if answer != best else names[mapped.index(max(mapped))]
        place, row = names.index(node), scores.rows[scores.plugins.index(WISH)]
        behind = count(int(scores.total.max() - scores.total[place]), "point")
        lost = say("{node} ends {behind} behind {best}.", node=node, behind=behind, best=best)
        if mapped[place] < max(mapped):
            return lost
        leads = say("Before Reduce {node} leads with {sum}, without AvoidPods.", node=node, sum=int(mapped[place]))
        shrinks = say(
            "Its {raw} for NodeAffinity becomes {marks}.", raw=int(row.raw[place]), marks=int(row.normalized[place])
        )
        return sentences((leads, shrinks, lost))

    return Question(
        say("Which node wins after Reduce and the sum?"),
        tuple(node_names(Reducing.nodes, Reducing.first)),
        right,
        why,
        lambda settings: lambda room: draw(settings.changed(step=0), room, asks="node"),
        drawn=True,
    )
