"""A pod at the gate of a node: eight things that can be in its way, and v1.16's predicates asked in their order.

web asks for 2 CPU, host port 8080, a node with disk=ssd, the GCE disk disk-1 (to write) and a volume in the zone
north, and tolerates no pod with app=cache beside it. node-a has 4 CPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.decision import NodeVerdict
from kschedlab.generations import V1_16
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.overview_trials import HOST, ZONE, claimed, judged, running, using, with_port
from kschedlab_lab.panels.prediction import Question
from kschedlab_lab.panels.settings import Restorable, switch
from kschedlab_lab.views.bench import Bench, Card, Chip, ChipState, Hand, draw_bench
from kschedlab_lab.views.loop import NotebookTable
from kschedlab_lab.views.pieces import Fact, Piece
from kschedlab_lab.views.svg import Room

NODE = "node-a"


@dataclass(frozen=True)
class Settings(Restorable):
    """What is in the way on node-a, whether web tolerates its taint, and whether it is on the node."""

    cordoned: bool = switch("node-a is cordoned")
    busy: bool = switch("busy takes 2.5 CPU", True)
    port: bool = switch("proxy has host port 8080")
    hdd: bool = switch("its label says disk=hdd")
    disk: bool = switch("db writes to disk-1")
    taint: bool = switch("node-a is tainted")
    tolerates: bool = switch("web tolerates the taint")
    zone: bool = switch("node-a is in the zone south")
    cache: bool = switch("a pod app=cache is there")
    placed: bool = switch("web is carried to node-a")


BY: Mapping[str, str] = {
    "cordoned": "CheckNodeUnschedulable",
    "busy": "GeneralPredicates",
    "port": "GeneralPredicates",
    "hdd": "GeneralPredicates",
    "disk": "NoDiskConflict",
    "taint": "PodToleratesNodeTaints",
    "zone": "NoVolumeZoneConflict",
    "cache": "MatchInterPodAffinity",
}
"""By obstacle: the predicate that sees it."""
CHOICES = tuple(dict.fromkeys(BY.values()))


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests; the last one is the pod ``web``."""
    labels = {
        HOST: NODE,
        ZONE: "south" if settings.zone else "north",
        "disk": "hdd" if settings.hdd else "ssd",
    }
    taints = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}] if settings.taint else []
    there = node(NODE, labels=labels, taints=taints, unschedulable=settings.cordoned)
    disk = {"name": "disk", "gcePersistentDisk": {"pdName": "disk-1"}}
    pods = [
        *([running("busy", "2500m")] if settings.busy else []),
        *([with_port(running("proxy", "500m"), 8080)] if settings.port else []),
        *([running("db", "500m", volumes=[disk])] if settings.disk else []),
        *([running("cache", "500m", labels={"app": "cache"})] if settings.cache else []),
    ]
    apart = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": HOST}
    web = pod(
        "web",
        "",
        2,
        nodeSelector={"disk": "ssd"},
        volumes=[disk, *using("data")],
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}},
        tolerations=[{"key": "dedicated", "operator": "Exists"}] if settings.tolerates else [],
    )
    return [there, *claimed("data", labels={ZONE: "north"}), *pods, with_port(web, 8080)]


def decide(settings: Settings, plugins: Sequence[object] = ()) -> tuple[tuple[str, ...], NodeVerdict]:
    """The predicates that v1.16 asks in their order, with ``plugins`` after them, and their verdict on node-a."""
    still = replace(V1_16, preemption=replace(V1_16.preemption, enabled=False)).plus(*plugins)
    return tuple(each.name for each in still.filters), judged(manifests(settings), still).verdict(NODE)


def chips(asked: Sequence[str], verdict: NodeVerdict, upto: int) -> tuple[Chip, ...]:
    """The predicates after the first ``upto`` of them were asked."""
    found = []
    for i, name in enumerate(asked):
        state: ChipState = "passed" if i < upto else "plain"
        if name == verdict.plugin and i < upto:
            state = "failed"
        elif i == upto - 1 < last_asked(asked, verdict) - 1:
            state = "here"
        elif i >= upto and verdict.plugin in asked[:upto]:
            state = "unasked"
        found.append(Chip(name, state, tip=_tip(name, state, verdict)))
    return tuple(found)


def _tip(name: str, state: ChipState, verdict: NodeVerdict) -> str:
    if state == "failed":
        return say("refuses: {reasons}", reasons=listed(verdict.reasons))
    if state == "unasked":
        return (
            say("not asked; it would refuse too") if name in verdict.also else say("not asked; it would let web pass")
        )
    return say("lets web pass") if state == "passed" else ""


def draw(settings: Settings, asked: Sequence[str], verdict: NodeVerdict, room: Room, upto: int | None = None) -> Html:
    """The pod, the predicates and the node, after ``upto`` predicates; None: after the last one that is asked."""
    upto = last_asked(asked, verdict) if upto is None else upto
    ended = upto >= last_asked(asked, verdict)
    refused = ended and not verdict.passes
    there = settings.placed and ended and verdict.passes
    reasons = f"{verdict.plugin}: {listed(verdict.reasons)}"
    card = Card(
        NODE,
        4000,
        (*_pods(settings), *([Piece("web", 2000, 0, "2 CPU", sets="placed: off")] if there else [])),
        _on_node(settings, verdict.plugin if refused else None),
        "refused" if refused else "chosen" if there else "fits" if ended else "plain",
        reasons if refused else "",
        "placed: on" if verdict.passes else "",
        "" if verdict.passes else listed(verdict.reasons),
        settings.cordoned,
    )
    web = Piece("web", 2000, 0, "" if there else say("2 CPU: carry it to the node"), "ghost" if there else "")
    hand = Hand(web, _on_pod(settings), carries=not there)
    bench = Bench(chips(asked, verdict, upto), (hand,), (card,))
    return draw_bench(bench, sentence(asked, verdict), room)


def last_asked(asked: Sequence[str], verdict: NodeVerdict) -> int:
    """How many predicates are asked: the first that refuses is the last."""
    return len(asked) if verdict.plugin is None else asked.index(verdict.plugin) + 1


def _pods(settings: Settings) -> tuple[Piece, ...]:
    there = (("busy", 2500), ("port", 500), ("disk", 500), ("cache", 500))
    names = {"port": "proxy", "disk": "db"}
    return tuple(Piece(names.get(name, name), size) for name, size in there if getattr(settings, name))


def _on_node(settings: Settings, plugin: str | None) -> tuple[Fact, ...]:
    texts = {
        "cordoned": ("cordon", *terms("cordoned", "cordon")),
        "busy": ("cpu", *terms("busy: 2.5 CPU", "busy: 2.5 CPU")),
        "port": ("port", *terms("proxy: port 8080", "proxy: port 8080")),
        "hdd": ("label", "disk=hdd", "disk=ssd"),
        "disk": ("disk", *terms("db writes disk-1", "db writes disk-1")),
        "taint": ("taint", "dedicated=gpu:NoSchedule", say("taint")),
        "zone": ("zone", *terms("zone south", "zone north")),
        "cache": ("pods", "app=cache", "app=cache"),
    }
    always = ("hdd", "zone")
    found = []
    for name, (kind, on, off) in texts.items():
        value = getattr(settings, name)
        blamed = value and plugin == BY[name]
        found.append(
            Fact(on if value else off, value or name in always, _switched(name, value), kind, blamed, key=name)
        )
    return tuple(found)


def _on_pod(settings: Settings) -> tuple[Fact, ...]:
    wants = (
        ("port", say("host port 8080")),
        ("label", "disk=ssd"),
        ("disk", say("writes disk-1")),
        ("zone", say("volume in north")),
        ("pods", say("not beside app=cache")),
    )
    tolerates = Fact(say("tolerates dedicated"), settings.tolerates, _switched("tolerates", settings.tolerates), "pass")
    return (*(Fact(text, True, kind=kind) for kind, text in wants), tolerates)


def _switched(name: str, now: bool) -> str:
    return f"{name}: {'off' if now else 'on'}"


def sentence(asked: Sequence[str], verdict: NodeVerdict) -> str:
    if verdict.plugin is None:
        return say("All {number} predicates let web onto {node}.", number=len(asked), node=NODE)
    number = asked.index(verdict.plugin) + 1
    rest = len(asked) - number
    first = say(
        "{predicate}, number {number} of {asked}, refuses {node}: {reasons}.",
        predicate=verdict.plugin,
        number=number,
        asked=len(asked),
        node=NODE,
        reasons=listed(verdict.reasons),
    )
    message = later(
        "The {predicates} after it is not asked." if rest == 1 else "The {predicates} after it are not asked."
    )
    after = say(message, predicates=count(rest, "predicate")) if rest else ""
    too = [name for name in asked[number:] if name in verdict.also]
    also = say("{predicates} would refuse too.", predicates=listed(too)) if too else ""
    return sentences((first, after, also))


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    asked, verdict = decide(settings, plugins)
    states = dict(zip(("passed", "failed", "unasked"), terms("passes", "refuses", "not asked"), strict=True))
    all_chips = chips(asked, verdict, last_asked(asked, verdict))
    rows = tuple((str(i), chip.name, states[chip.state]) for i, chip in enumerate(all_chips, 1))
    table = NotebookTable(("", say("predicate"), NODE), rows)
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


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which are asked last."""
    return Panel(Settings().changed(**settings), lambda s: show(s, plugins), manifests, "gate.panel()")


def who_refuses() -> Question[Settings]:
    """The question before the panel: which predicate refuses, if several things are in the way."""
    return Question(
        say("Several things are in the way. Which predicate refuses web?"),
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
    asked, _ = decide(settings)
    card = Card(NODE, 4000, _pods(settings), _on_node(settings, None), cordoned=settings.cordoned)
    hand = Hand(Piece("web", 2000, 0, "2 CPU"), _on_pod(settings))
    bench = Bench(tuple(map(Chip, asked)), (hand,), (card,), picks=CHOICES)
    return draw_bench(bench, say("web waits, and no predicate has been asked yet."), room)
