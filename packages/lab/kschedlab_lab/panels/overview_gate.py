"""A pod at the gate of a node: five things that can be in its way, and v1.16's predicates asked in their order.

web asks for 2 CPU, host port 8080, the GCE disk disk-1 (to write) and a volume in the zone north. node-a has 4 CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from string import ascii_lowercase
from typing import Any

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
from kschedlab_lab.panels.prediction import Question
from kschedlab_lab.panels.settings import Restorable, switch
from kschedlab_lab.views.gate import Gate, Lock, State, draw_gate
from kschedlab_lab.views.pieces import Fact, Piece
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.table import NotebookTable

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
    placed: bool = switch("web is on node-a", folded=True)


BY: Mapping[str, str] = {
    "busy": "GeneralPredicates",
    "port": "GeneralPredicates",
    "disk": "NoDiskConflict",
    "taint": "PodToleratesNodeTaints",
    "zone": "NoVolumeZoneConflict",
}
"""By obstacle: the predicate that sees it."""
PARTS: Mapping[str, str] = {"busy": "PodFitsResources", "port": "PodFitsHostPorts"}
"""By obstacle: the part of GeneralPredicates that sees it."""
CHOICES = tuple(dict.fromkeys(BY.values()))


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


def state(predicate: str, asked: Sequence[str], verdict: NodeVerdict, upto: int) -> State:
    """What became of this predicate after the first ``upto`` were asked."""
    if predicate in asked[:upto]:
        return "refuses" if predicate == verdict.plugin else "passed"
    return "not asked" if verdict.plugin in asked[:upto] else "ahead"


def last_asked(asked: Sequence[str], verdict: NodeVerdict) -> int:
    """How many predicates are asked: the first that refuses is the last."""
    return len(asked) if verdict.plugin is None else asked.index(verdict.plugin) + 1


def draw(settings: Settings, asked: Sequence[str], verdict: NodeVerdict, room: Room, upto: int | None = None) -> Html:
    """The pod, the predicates and the node, after ``upto`` predicates; None: after the last one that is asked."""
    upto = last_asked(asked, verdict) if upto is None else upto
    ended = upto >= last_asked(asked, verdict)
    refused = ended and not verdict.passes
    there = settings.placed and ended and verdict.passes
    web = Piece("web", 2000, 0, "" if there else "2 CPU", "ghost" if there else "")
    gate = Gate(
        tuple(_locks(settings, asked, verdict, upto)),
        web,
        NODE,
        4000,
        (*_pods(settings), *([Piece("web", 2000, 0, "2 CPU", sets="placed: off")] if there else [])),
        "placed: on" if verdict.passes else "",
        listed(verdict.reasons) if refused else "",
        there,
    )
    return draw_gate(gate, sentence(asked, verdict), room)


def _pods(settings: Settings) -> tuple[Piece, ...]:
    there = (("busy", "busy", 2500), ("port", "proxy", 0), ("disk", "db", 0))
    return tuple(Piece(name, size) for setting, name, size in there if getattr(settings, setting))


WANTS: Mapping[str, tuple[str, str]] = {
    "busy": ("cpu", "2 CPU"),
    "port": ("port", later("host port 8080")),
    "disk": ("disk", later("writes disk-1")),
    "zone": ("zone", later("volume in north")),
}
"""By obstacle: what web wants, and its sign."""
HAS: Mapping[str, tuple[str, str, str]] = {
    "busy": ("cpu", later("busy: 2.5 CPU"), later("busy: 2.5 CPU")),
    "port": ("port", "proxy: 8080", "proxy: 8080"),
    "disk": ("disk", "db: disk-1", "db: disk-1"),
    "taint": ("taint", later("taint gpu"), later("taint gpu")),
    "zone": ("zone", later("zone south"), later("zone north")),
}
"""By obstacle: its sign, and the node's badge with it and without it."""


def _locks(settings: Settings, asked: Sequence[str], verdict: NodeVerdict, upto: int) -> Iterator[Lock]:
    """A row for each obstacle."""
    for at, name in enumerate(asked):
        now = state(name, asked, verdict, upto)
        said = listed(verdict.reasons) if now == "refuses" else say(SAID[now])
        tip = say("{function}: {result}", function=name, result=said) if said else name
        for obstacle in (key for key, by in BY.items() if by == name):
            has = _has(settings, obstacle, now)
            row: State = "passed" if now == "refuses" and not has.refuses else now
            part = PARTS.get(obstacle, "")
            number = f"{at + 1}{ascii_lowercase[[*PARTS].index(obstacle)]}" if part else str(at + 1)
            yield Lock(number, part or name, row, _want(settings, obstacle), has, tip)


def _want(settings: Settings, obstacle: str) -> Fact | None:
    if obstacle == "taint":
        sets = _switched("tolerates", settings.tolerates)
        return Fact(say("tolerates gpu"), settings.tolerates, sets, "pass")
    kind, text = WANTS.get(obstacle, ("", ""))
    return Fact(say(text), True, kind=kind) if text else None


def _has(settings: Settings, obstacle: str, now: State) -> Fact:
    (kind, on, off), value = HAS[obstacle], getattr(settings, obstacle)
    is_there = value or obstacle == "zone"
    blamed = value and now == "refuses"
    return Fact(say(on if value else off), is_there, _switched(obstacle, value), kind, blamed, key=obstacle)


def _switched(name: str, now: bool) -> str:
    return f"{name}: {'off' if now else 'on'}"


def sentence(asked: Sequence[str], verdict: NodeVerdict) -> str:
    if verdict.plugin is None:
        return say("All {number} predicates let web onto {node}.", number=len(asked), node=NODE)
    number = asked.index(verdict.plugin) + 1
    rest = len(asked) - number
    first = say(
        "{predicate} refuses {node}: {reasons}.", predicate=verdict.plugin, node=NODE, reasons=listed(verdict.reasons)
    )
    message = later(
        "It is number {number} of {asked}; the last predicate is not asked."
        if rest == 1
        else "It is number {number} of {asked}; the {predicates} after it are not asked."
    )
    after = say(message, number=number, asked=len(asked), predicates=count(rest, "predicate")) if rest else ""
    too = [name for name in asked[number:] if name in verdict.also]
    also = say("{predicates} would refuse too.", predicates=listed(too)) if too else ""
    return sentences((first, after, also))


SAID: Mapping[State, str] = {
    "ahead": "",
    "passed": later("passes"),
    "refuses": later("refuses"),
    "not asked": later("not asked"),
}


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    asked, verdict = decide(settings)
    last = last_asked(asked, verdict)
    rows = ((str(i), name, say(SAID[state(name, asked, verdict, last)])) for i, name in enumerate(asked, 1))
    table = NotebookTable(("", say("predicate"), NODE), tuple(rows))
    said = sentence(asked, verdict)
    return View(
        partial(draw, settings, asked, verdict),
        said,
        table.html(),
        f"{said}\n{table!r}",
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
    """One predicate after the other is asked."""
    last = last_asked(asked, verdict)
    frames = [
        Frame(
            draw(settings, asked, verdict, room, 0),
            say("podFitsOnNode asks {number} predicates about {node}.", number=len(asked), node=NODE),
        )
    ]
    for i in range(1, last):
        frames.append(
            Frame(draw(settings, asked, verdict, room, i), say("{predicate} lets web pass.", predicate=asked[i - 1]))
        )
    return [*frames, Frame(draw(settings, asked, verdict, room), sentence(asked, verdict))]


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "gate.panel()")


def who_refuses() -> Question[Settings]:
    """The question before the panel: which predicate refuses, if several things are in the way."""
    return Question(
        say("Which predicate refuses web? 2a and 2b are GeneralPredicates."),
        CHOICES,
        lambda settings: decide(settings)[1].plugin or "nobody",
        _why,
        lambda settings: partial(_unasked, settings),
    )


def _why(settings: Settings, answer: str) -> str:
    asked, verdict = decide(settings)
    right = verdict.plugin
    if right is None or answer == right:
        return say(
            "{predicate} comes first of those that see something in the way; the predicates after it are not asked.",
            predicate=right,
        )
    if answer in verdict.also:
        return say(
            "{answer} would refuse, but {right} is asked before it, and the first refusal ends the search.",
            answer=answer,
            right=right,
        )
    return say(
        "{answer} sees nothing in the way. {right} refuses: {reasons}.",
        answer=answer,
        right=right,
        reasons=listed(verdict.reasons),
    )


def _unasked(settings: Settings, room: Room) -> Html:
    asked, verdict = decide(settings)
    locks = tuple(_locks(settings, asked, verdict, 0))
    gate = Gate(locks, Piece("web", 2000, 0, "2 CPU"), NODE, 4000, _pods(settings))
    return draw_gate(gate, say("web waits, and no predicate has been asked yet."), room)
