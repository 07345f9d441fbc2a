"""All generations and one pod: settings -> the version, less the changes taken out -> Decision -> nodes and a timeline.

The timeline chooses the version. Each change is a flag on it, which takes the change out of all versions or back in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations, groupby
from typing import Any

from kschedlab.build import Manifest
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import listed, say, sentences
from kschedlab.objects.api import Api
from kschedlab.objects.problems import InputValueError
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.ladder import steps
from kschedlab.text.words import listing
from kschedlab_lab.named_rules import NAMED_RULES, scaled, switched
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.generation_clusters import NO_NODE, NONE, STORIES
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, typed
from kschedlab_lab.views.picture import Handles, colours, decided_and_why
from kschedlab_lab.views.rules import rules_html
from kschedlab_lab.views.score import bare
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.versions import Board, Flag, Stop, stage, stage_before

VERSIONS = tuple(GENERATIONS)
FIRST = next(iter(STORIES))
CHANGES = {rule.name: rule for rule in NAMED_RULES}
FLAGS = [each.changes for each in STORIES.values()]
SOME = ["; ".join(some) for flags in FLAGS for n in range(len(flags)) for some in combinations(flags, n + 1)]
"""What can be taken out by the flags of a cluster."""


def read_changes(text: str) -> str:
    """The changes named in a text such as "sorted_again; start_times", in order. ValueError says what is wrong."""
    names = [] if text.strip() == NONE else [part.strip() for part in text.split(";")]
    if unknown := [name for name in names if name not in CHANGES]:
        raise InputValueError(
            'without: "{name}" is not a change; the changes are {changes}', name=unknown[0], changes=listed(CHANGES)
        )
    return "; ".join(name for name in CHANGES if name in names) or NONE


@dataclass(frozen=True)
class Settings(Restorable):
    """The cluster, the version that decides, and the changes that are taken out of all versions."""

    cluster: str = choice("cluster", STORIES, FIRST)
    version: str = slider("version", VERSIONS, VERSIONS[0])
    without: str = typed("changes taken out", NONE, (NONE, *SOME), read_changes)

    @property
    def out(self) -> frozenset[str]:
        """The names of the changes that are taken out."""
        return frozenset(name for name in CHANGES if name in self.without.split("; "))

    @property
    def missing(self) -> frozenset[str]:
        """Those of them that the version would have."""
        return frozenset(name for name in self.out if CHANGES[name].is_on(self.version))

    def toggled(self, name: str) -> str:
        """What is taken out after this change, too, was taken out or put back."""
        return "; ".join(each for each in CHANGES if each in self.out ^ {name}) or NONE


def manifests(settings: Settings) -> list[Manifest]:
    """The manifests of the cluster."""
    return STORIES[settings.cluster].manifests()


@lru_cache(maxsize=64)
def _world(cluster: str, api: Api) -> Cluster:
    return Cluster(decode_objects(STORIES[cluster].manifests()), api)


@lru_cache(maxsize=1024)
def _decide(cluster: str, version: str, missing: frozenset[str]) -> Decision:
    made = scaled(switched(version, missing))
    return schedule(f"default/{STORIES[cluster].pod}", _world(cluster, made.api), made, exhaustive=False)


def decide(settings: Settings) -> Decision:
    """The decision for the cluster's waiting pod."""
    return _decide(settings.cluster, settings.version, settings.missing)


def best(decision: Decision) -> list[str]:
    """The node that the pod gets, several that are tied, or none."""
    preemption = decision.preemption
    return [*preemption.tied] if preemption is not None and preemption.tied else sorted(decision.best)


def picked(decision: Decision) -> str:
    """The same in a few words: "node-a", "tie: node-a, node-b" or "no node"."""
    nodes = best(decision)
    return nodes[0] if len(nodes) == 1 else say("tie: {nodes}", nodes=listing(nodes, 3)) if nodes else say(NO_NODE)


@lru_cache(maxsize=64)
def rungs(cluster: str) -> tuple[int, ...]:
    """The numbers of preemption's rules that tell nodes apart in some version."""
    tried = (decide(Settings(cluster, version)).preemption for version in VERSIONS)
    ladders = (steps(each, list(each.candidates)) for each in tried if each is not None)
    rules = (rule for ladder in ladders for rule in ladder if rule.applies and len(rule.kept) < len(rule.standing))
    return tuple(sorted({rule.number for rule in rules}))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision, shown = bare(decide(settings)), board(settings)
    first, why = decided_and_why(decision)
    said = sentence(settings, first, why)
    runs = (next(run) for _, run in groupby(shown.stops, key=lambda each: each.answer))
    answers = "   ".join(say("{version}: {said}", version=each.name, said=each.answer) for each in runs)
    return View(
        lambda room: stage(decision, shown, room, said),
        sentence(settings, first) if shown.rungs else said,  # the rules say why
        rules_html([CHANGES[flag.name] for flag in shown.flags]),
        f"{said}\n{answers}",
        idle={"cluster": ""},
        names=colours(decision),
    )


def board(settings: Settings) -> Board:
    """The timeline with all answers, and with the changes that matter in this cluster."""
    there = STORIES[settings.cluster]
    decisions = {name: decide(replace(settings, version=name)) for name in VERSIONS}
    return Board(
        [Stop(name, picked(each), f"version: {name}", len(best(each)) == 1) for name, each in decisions.items()],
        VERSIONS.index(settings.version),
        [flag(settings, name) for name in there.changes],
        rungs(settings.cluster),
        say(there.about),
        Handles(node_badges=there.signs),
    )


def flag(settings: Settings, name: str) -> Flag:
    """A change on the timeline."""
    change, out = CHANGES[name], name in settings.out
    at, sets = VERSIONS.index(change.first_of(VERSIONS)), f"without: {settings.toggled(name)}"
    return Flag(name, say(change.title), change.since, at, out, sets, say(change.before if out else change.after))


def sentence(settings: Settings, *said: str) -> str:
    """Which version decides this, and whether it was changed."""
    version = say("{version}, changed", version=settings.version) if settings.missing else settings.version
    return say("{version}: {said}", version=version, said=sentences(said))


def before(settings: Settings, picks: tuple[str, ...], room: Room) -> Html:
    """The cluster before the decision; the answers of this version and of later ones are hidden."""
    shown, marks = board(settings), {name: {"data_pick": name} for name in picks}
    stops = [replace(each, sets="") if i < shown.at else Stop(each.name, "") for i, each in enumerate(shown.stops)]
    flags = [replace(each, sets="") for each in shown.flags]
    asked = replace(shown, stops=stops, flags=flags, handles=replace(shown.handles, nodes=marks))
    return stage_before(decide(settings), asked, room)


def asked(cluster: str = FIRST) -> Panel[Settings]:
    """The panel with the lesson's question about this cluster."""
    first = panel(cluster=cluster)
    there = STORIES[first.settings.cluster]
    whys = {say(answer): say(why) for answer, why in there.whys.items()}
    question = Question[Settings](
        say(there.question),
        tuple(whys),
        right=lambda settings: picked(decide(settings)),
        why=lambda _, said: whys[said],
        before=lambda settings: partial(before, settings, tuple(whys)),
        drawn=NO_NODE not in there.whys,
        moment=True,
    )
    return first.move(version=there.version, without=there.without).ask(question)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "generations.panel()")
