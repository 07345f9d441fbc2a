"""The predicates of the overview: the document's list beside v1.16's, and each of them tried on a pod and a node.

v1.16 decides: with the predicate alone, and with the default predicates in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kschedlab.build import Manifest
from kschedlab.decision import Decision, NodeVerdict
from kschedlab.generations import DEFAULT_PREDICATES
from kschedlab.messages import listed, say, terms
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.overview_gate import NODE, chips as asked_chips, last_asked
from kschedlab_lab.panels.overview_trials import TRIALS, judged, only
from kschedlab_lab.panels.prediction import Prediction, Question
from kschedlab_lab.panels.settings import Restorable, choice, switch
from kschedlab_lab.views.bench import Bench, Card, CardState, Chip, Hand, draw_bench
from kschedlab_lab.views.catalogue import (
    Predicate,
    predicates_sentence,
    predicates_table,
    verdict_sentence,
    verdict_table,
)
from kschedlab_lab.views.loop import NotebookTable
from kschedlab_lab.views.picture import pods_on
from kschedlab_lab.views.pieces import Fact, Piece
from kschedlab_lab.views.svg import Room

CONDITIONS = ("CheckNodeCondition", "CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure")
PARTS = ("HostName", "PodFitsHostPorts", "MatchNodeSelector", "PodFitsResources")
CALLED = {
    "HostName": "PodFitsHost",
    "PodFitsHostPorts": "PodFitsHostPorts",
    "MatchNodeSelector": "PodMatchNodeSelector",
    "PodFitsResources": "PodFitsResources",
}
"""By predicate: its function's name, by which the document calls the parts of GeneralPredicates."""
DOCUMENT = tuple(name for name in TRIALS if name not in (*PARTS, "CheckNodeUnschedulable"))
"""The fourteen that the document lists."""


def sort_of(name: str) -> str:
    """The predicate's class among the document's five; ``(none)`` if the document does not list it."""
    if name in PARTS or name == "GeneralPredicates":
        return say("1 general")
    if name in CONDITIONS:
        return say("5 the node's state")
    known = {
        "PodToleratesNodeTaints": say("3 the host"),
        "MatchInterPodAffinity": say("4 pods"),
        "CheckNodeUnschedulable": "-",
    }
    return known.get(name, say("2 volumes"))


def predicates() -> tuple[Predicate, ...]:
    """All predicates: whether the document lists them, and whether v1.16 runs them by default."""
    return tuple(
        Predicate(
            name,
            sort_of(name),
            name in DOCUMENT,
            name in DEFAULT_PREDICATES,
            name in PARTS,
            CALLED.get(name, ""),
        )
        for name in TRIALS
    )


def catalogue() -> NotebookTable:
    """The document's fourteen beside v1.16's defaults."""
    return predicates_table(predicates())


def compared() -> str:
    return predicates_sentence(predicates())


@dataclass(frozen=True)
class Settings(Restorable):
    """Which predicate, and the two switches."""

    predicate: str = choice("predicate", TRIALS, "PodFitsResources")
    obstacle: bool = switch("in the way", True)
    way_out: bool = switch("way out")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    return TRIALS[settings.predicate].make(settings.obstacle, settings.way_out)


def decide(settings: Settings, plugins: Sequence[object] = ()) -> tuple[Decision, Decision]:
    """What the predicate alone decides, and what v1.16's default predicates and the ``plugins`` decide."""
    made = manifests(settings)
    default = only(*DEFAULT_PREDICATES).plus(*plugins)
    return judged(made, only(settings.predicate)), judged(made, default)


def show(settings: Settings, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    trial = TRIALS[settings.predicate]
    alone, default = decide(settings, plugins)
    facts = ((say(trial.obstacle), settings.obstacle), (say(trial.way_out), settings.way_out))
    sentence = verdict_sentence(settings.predicate, alone, default, NODE)
    verdicts = verdict_table(facts, alone, default, NODE)
    idle = {} if settings.obstacle else {"way_out": say("nothing is in the way")}
    return View(
        partial(draw, settings, alone, default),
        sentence,
        verdicts.html(),
        f"{sentence}\n{verdicts!r}",
        idle=idle,
    )


def draw(settings: Settings, alone: Decision, default: Decision, room: Room) -> Html:
    """The predicate alone and the default ones, the pod, and the node with what is in the way."""
    mine, theirs = alone.verdict(NODE), default.verdict(NODE)
    names = [each.name for each in default.generation.filters]
    first = Chip(
        say("{predicate} alone", predicate=settings.predicate), "passed" if mine.passes else "failed", last=True
    )
    asked = last_asked(names, theirs)
    chips = (
        replace(chip, sets=f"predicate: {chip.name}" if chip.name in TRIALS else "")
        for chip in asked_chips(names, theirs, asked)
    )
    says = f"{theirs.plugin}: {listed(theirs.reasons)}" if theirs.plugin else say("the default predicates let web pass")
    web, pods = default.pod, pods_on(default, NODE)
    on_node, on_pod = _badges(settings, theirs)
    pieces = tuple(Piece(each.pod.metadata.name, each.request.get("cpu", 0)) for each in pods)
    state: CardState = "fits" if theirs.passes else "refused"
    card = Card(NODE, 4000, pieces, on_node, state, says, cordoned=default.cluster.nodes[0].spec.unschedulable)
    size = web.request.get("cpu", 0)
    hand = Hand(Piece("web", size, 0, f"{size // 1000} CPU" if size else ""), on_pod)
    return draw_bench(
        Bench((first, *chips), (hand,), (card,)), verdict_sentence(first.name, alone, default, NODE), room
    )


def _badges(settings: Settings, verdict: NodeVerdict) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """(the node's switches, the pod's): what is in the way, and the way out."""
    trial = TRIALS[settings.predicate]
    refuses = settings.obstacle and not verdict.passes
    both = (
        (trial.obstacle, "obstacle", settings.obstacle, trial.kind, refuses),
        (trial.way_out, "way_out", settings.way_out, "pass", False),
    )
    found: tuple[list[Fact], list[Fact]] = ([], [])
    for text, name, on, kind, blamed in both:
        badge = Fact(say(text), on, f"{name}: {'off' if on else 'on'}", kind, blamed, key=name)
        found[text.startswith("web")].append(badge)
    return tuple(found[0]), tuple(found[1])


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings. ``plugins``: your own, which are asked last."""
    return Panel(Settings().changed(**settings), lambda s: show(s, plugins), manifests, "predicates.panel()")


def how_many() -> Prediction:
    """The question before the catalogue."""
    asked = str(len(DEFAULT_PREDICATES))
    return Prediction(
        say("The document lists fourteen predicates. How many does v1.16 ask by default?"),
        {
            "14": say("That is the list in the source. But a feature gate rewrites it before anybody reads it."),
            "10": say("Four are taken out, yes. And one is put in."),
            "11": say("Four are taken out, and one is put in. The catalogue shows which."),
        },
        right=asked,
    )


def under_pressure() -> Question[Settings]:
    """The question about a node that is short of memory."""
    return Question(
        say("The node is short of memory, and CheckNodeMemoryPressure is not a default predicate. Does web fit?"),
        tuple(terms("yes", "no")),
        lambda settings: say("yes") if decide(settings)[1].verdict(NODE).passes else say("no"),
        _why_pressure,
    )


def _why_pressure(settings: Settings, answer: str) -> str:
    verdict = decide(settings)[1].verdict(NODE)
    if verdict.passes:
        return say(
            "web tolerates the taint that stands for the condition, and no other default predicate asks about it."
        )
    return say(
        "The node controller has turned the condition into a taint, and {plugin} refuses it.", plugin=verdict.plugin
    )
