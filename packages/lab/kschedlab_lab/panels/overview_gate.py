"""A pod at the gate of a node: five things that can be in its way, and v1.16's predicates asked in their order.

web asks for 2 CPU, host port 8080, the GCE disk disk-1 (to write) and a volume in the zone north. node-a has 4 CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision, NodeVerdict
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.scheduler import Scheduler
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, switch
from kschedlab_lab.views.gate import Gate, Lock, State, draw_gate
from kschedlab_lab.views.pieces import Fact, Piece
from kschedlab_lab.views.svg import Room

NODE = "node-a"
HOST, ZONE = "kubernetes.io/hostname", "failure-domain.beta.kubernetes.io/zone"
STILL = replace(V1_16, preemption=replace(V1_16.preemption, enabled=False))
"""v1.16 without preemption."""


@dataclass(frozen=True)
class Settings(Restorable):
    """What is in the way on node-a, whether web tolerates its taint, and whether it is on the node."""

    busy: bool = switch("busy takes 2.5 CPU", True)
    port: bool = switch("proxy has host port 8080")
    disk: bool = switch("db writes to disk-1")
    taint: bool = switch("node-a is tainted")
    tolerates: bool = switch("web tolerates the taint")
    zone: bool = switch("node-a is in the zone south")


class Obstacle(NamedTuple):
    """``by``: the predicate that sees it; ``about``, ``kind``: what that looks at, and its sign.

    ``wants``: what web wants; ``has``: what the node has then, and ``without`` it, if that is something else.
    """

    by: str
    about: str
    kind: str
    wants: str
    has: str
    without: str = ""


OBSTACLES: Mapping[str, Obstacle] = {
    "busy": Obstacle("GeneralPredicates", later("the CPU"), "cpu", "2 CPU", later("busy: 2.5 CPU")),
    "port": Obstacle("GeneralPredicates", later("the host ports"), "port", later("host port 8080"), "proxy: 8080"),
    "disk": Obstacle("NoDiskConflict", later("the disks"), "disk", later("writes disk-1"), "db: disk-1"),
    "taint": Obstacle(
        "PodToleratesNodeTaints", later("the taints"), "taint", later("tolerates gpu"), later("taint gpu")
    ),
    "zone": Obstacle(
        "NoVolumeZoneConflict",
        later("the zone"),
        "zone",
        later("volume in north"),
        later("zone south"),
        later("zone north"),
    ),
}
"""By name, in the order in which v1.16 looks at them."""
BY: Mapping[str, str] = {name: each.by for name, each in OBSTACLES.items()}
"""By obstacle: the predicate that sees it."""


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests; the last one is the pod ``web``."""
    labels = {HOST: NODE, ZONE: "south" if settings.zone else "north"}
    taints = [{"key": "gpu", "effect": "NoSchedule"}] if settings.taint else []
    disk = {"name": "disk", "gcePersistentDisk": {"pdName": "disk-1"}}
    there: Manifest = {"start": 8 * HOUR}
    pods = [
        *([pod("busy", NODE, "2500m", **there)] if settings.busy else []),
        *([with_port(pod("proxy", NODE, 0, **there))] if settings.port else []),
        *([pod("db", NODE, 0, volumes=[disk], **there)] if settings.disk else []),
    ]
    web = pod(
        "web",
        "",
        2,
        volumes=[disk, {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        tolerations=[{"key": "gpu", "operator": "Exists"}] if settings.tolerates else [],
    )
    return [node(NODE, labels=labels, taints=taints), *_volume(), *pods, with_port(web)]


def with_port(made: Manifest, protocol: str = "TCP") -> Manifest:
    """The pod, which requests (or uses) host port 8080."""
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080, "protocol": protocol}]
    return made


def _volume() -> list[Manifest]:
    """The claim ``data``, bound to a volume in the zone north."""
    rest: Manifest = {"accessModes": ["ReadWriteOnce"], "storageClassName": "usual"}
    size, name = {"storage": "1Gi"}, {"name": "data", "namespace": "default"}
    claim: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {**name, "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {**rest, "volumeName": "pv-data", "resources": {"requests": size}},
        "status": {"phase": "Bound"},
    }
    volume: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv-data", "labels": {ZONE: "north"}},
        "spec": {**rest, "capacity": size, "claimRef": {"kind": "PersistentVolumeClaim", **name}},
        "status": {"phase": "Bound"},
    }
    return [claim, volume]


def judged(made: list[Manifest]) -> Decision:
    """v1.16's decision for the last pod, without preemption; every predicate is asked."""
    cluster = Cluster(decode_objects(made[:-1]), V1_16.api)
    (web,) = decode_objects(made[-1:]).pods
    return Scheduler(cluster, STILL, exhaustive=True).cycle(cluster.info(web))


@cache
def decide(settings: Settings) -> tuple[tuple[str, ...], NodeVerdict]:
    """The predicates that v1.16 asks in their order, and their verdict on node-a."""
    return tuple(each.name for each in STILL.filters), judged(manifests(settings)).verdict(NODE)


def last_asked(asked: Sequence[str], verdict: NodeVerdict) -> int:
    """How many predicates are asked: the first that refuses is the last."""
    return len(asked) if verdict.plugin is None else asked.index(verdict.plugin) + 1


def draw(
    settings: Settings,
    asked: Sequence[str],
    verdict: NodeVerdict,
    room: Room,
    upto: int | None = None,
    alt: str = "",
    asks: bool = False,
) -> Html:
    """The pod, the predicates and the node, after ``upto`` obstacles were looked for; None: after the decision.

    ``asks``: each row is an answer, and what is not there and a click would add is not drawn.
    """
    ended = upto is None
    there = ended and verdict.passes
    busy = [Piece("busy", 2500, 0, "2.5 CPU")] if settings.busy else []
    gate = Gate(
        tuple(_locks(settings, asked, verdict, upto, asks)),
        Piece("web", 2000, 0, "" if there else "2 CPU", "ghost" if there else ""),
        NODE,
        4000,
        (*busy, *([Piece("web", 2000, 0, "2 CPU")] if there else [])),
        listed(verdict.reasons) if ended and not verdict.passes else "",
        there,
    )
    return draw_gate(gate, alt or sentence(asked, verdict), room)


def _looked_for(asked: Sequence[str], verdict: NodeVerdict) -> list[str]:
    """The obstacles that the predicates look for until one refuses."""
    return [name for name, by in BY.items() if by in asked[: last_asked(asked, verdict)]]


def _locks(
    settings: Settings, asked: Sequence[str], verdict: NodeVerdict, upto: int | None, asks: bool
) -> Iterator[Lock]:
    """A row for each predicate that sees an obstacle."""
    seen = _looked_for(asked, verdict)[:upto]
    for predicate in dict.fromkeys(BY.values()):
        mine = [name for name, by in BY.items() if by == predicate]
        now: State = "ahead" if upto is not None else "not asked"
        if mine[-1] in seen:
            now = "refuses" if predicate == verdict.plugin else "passed"
        lines = tuple(_facts(settings, name, name in seen and predicate == verdict.plugin, asks) for name in mine)
        at = mine.index(seen[-1]) if upto and seen[-1] in mine else None
        yield Lock(predicate, now, lines, at, asks)


def _facts(settings: Settings, name: str, refuses: bool, asks: bool) -> tuple[Fact | None, Fact | None]:
    """What web wants and what the node has, so far as this obstacle is about it."""
    each, value = OBSTACLES[name], getattr(settings, name)
    wants = Fact(say(each.wants), True, kind=each.kind)
    if name == "taint":
        wants = Fact(say(each.wants), settings.tolerates, _switched("tolerates", settings.tolerates), "pass")
    said = each.has if value else each.without or each.has
    has = Fact(say(said), value or bool(each.without), _switched(name, value), each.kind, value and refuses, key=name)
    return (wants if wants.on or not asks else None, has if has.on or not asks else None)


def _switched(name: str, now: bool) -> str:
    return f"{name}: {'off' if now else 'on'}"


def sentence(asked: Sequence[str], verdict: NodeVerdict) -> str:
    if verdict.plugin is None:
        return say("All {number} predicates let web onto {node}.", number=len(asked), node=NODE)
    number = asked.index(verdict.plugin) + 1
    rest = len(asked) - number
    first = say("{predicate} refuses {node}.", predicate=verdict.plugin, node=NODE)
    reason = say("The reason: “{reasons}”.", reasons=listed(verdict.reasons))
    message = later(
        "It is number {number} of {asked}, {drawn} of which are drawn; the last predicate is not asked."
        if rest == 1
        else "It is number {number} of {asked}, {drawn} of which are drawn; the {predicates} after it are not asked."
    )
    after = say(
        message, number=number, asked=len(asked), predicates=count(rest, "predicate"), drawn=len({*BY.values()})
    )
    too = [name for name in asked[number:] if name in verdict.also]
    also = say("{predicates} would refuse too.", predicates=listed(too)) if too else ""
    return sentences((first, reason, after, also))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    asked, verdict = decide(settings)
    said = sentence(asked, verdict)
    return View(
        partial(draw, settings, asked, verdict),
        said,
        Html(),
        said,
        idle=idle(settings, asked, verdict),
        story=partial(story, settings, asked, verdict),
    )


def idle(settings: Settings, asked: Sequence[str], verdict: NodeVerdict) -> dict[str, str]:
    """The obstacles that nobody asks about."""
    late = set(asked[last_asked(asked, verdict) :])
    why = say("not asked")
    found = {name: why for name, by in BY.items() if by in late}
    if not settings.taint:
        found["tolerates"] = say("there is no taint")
    elif "taint" in found:
        found["tolerates"] = why
    return found


def story(settings: Settings, asked: Sequence[str], verdict: NodeVerdict, room: Room) -> list[Frame]:
    """One obstacle after the other is looked for."""
    told = [say("podFitsOnNode asks {number} predicates about {node}.", number=len(asked), node=NODE)]
    told += [_looks(name, settings, verdict) for name in _looked_for(asked, verdict)]
    frames = [Frame(draw(settings, asked, verdict, room, upto), said) for upto, said in enumerate(told)]
    return [*frames, Frame(draw(settings, asked, verdict, room), sentence(asked, verdict))]


def _looks(name: str, settings: Settings, verdict: NodeVerdict) -> str:
    """What the predicate sees of this obstacle."""
    each, refuses = OBSTACLES[name], getattr(settings, name) and BY[name] == verdict.plugin
    clear, seen = (
        later("{predicate} looks at {about}: nothing is in the way."),
        later("{predicate} looks at {about}: “{has}” is in the way."),
    )
    return say(seen if refuses else clear, predicate=each.by, about=say(each.about), has=say(each.has))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "gate.panel()")


def who_refuses() -> Question[Settings]:
    """The question before the panel: which predicate refuses, if several things are in the way."""
    return Question(
        say("Which of v1.16's predicates refuses web first?"),
        tuple(dict.fromkeys(BY.values())),
        lambda settings: decide(settings)[1].plugin or "nobody",
        _why,
        lambda settings: partial(
            draw,
            settings,
            *decide(settings),
            upto=0,
            alt=say("web waits, and no predicate has been asked yet."),
            asks=True,
        ),
    )


def _why(settings: Settings, answer: str) -> str:
    verdict = decide(settings)[1]
    right, said = verdict.plugin, listed(verdict.reasons)
    if right is None or answer == right:
        message = later(
            "{predicate} comes first of those that see something in the way; the predicates after it are not asked."
        )
    elif answer in verdict.also:
        message = later("{answer} would refuse, but {right} is asked before it, and the first refusal ends the search.")
    else:
        message = later("{answer} sees nothing in the way. {right} refuses: {reasons}.")
    return say(message, predicate=right, answer=answer, right=right, reasons=said)
