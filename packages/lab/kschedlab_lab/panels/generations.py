"""All generations and one pod: settings -> the version, less the changes taken out -> Decision -> nodes and a timeline.

The timeline chooses the version. Each change is a flag on it, which takes the change out of all versions or back in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations, groupby
from typing import Any

from kschedlab.build import Manifest
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.api import Api
from kschedlab.objects.problems import InputValueError
from kschedlab.scheduler import schedule
from kschedlab.score.plugin import MAX_NODE_SCORE
from kschedlab.text.html import Html
from kschedlab.text.ladder import steps
from kschedlab.text.words import listing
from kschedlab_lab.named_rules import NAMED_RULES, scaled, switched
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.generation_clusters import NO_NODE, NONE, STORIES
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider, typed
from kschedlab_lab.views.layout import Part
from kschedlab_lab.views.picture import Handles, colours, decided_and_why
from kschedlab_lab.views.preemption_scene import budgets_of, budgets_row
from kschedlab_lab.views.relay import Station, relay
from kschedlab_lab.views.rounding import Points, Steps, rounding
from kschedlab_lab.views.rules import rules_html
from kschedlab_lab.views.score import STAGES, number
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.versions import Board, Flag, Stop, stage, stage_before

VERSIONS = tuple(GENERATIONS)
SIZES = [name for story in STORIES.values() for name in story.controls]
"""The settings that change a cluster."""
SCORES = {
    later("room left"): ("LeastRequestedPriority", "NodeResourcesLeastAllocated", "NodeResourcesFit"),
    later("image"): ("ImageLocalityPriority", "ImageLocality"),
}
"""What tells the nodes of "one percent" apart, with the names that the plugin had."""
FIRST = next(iter(STORIES))
CHANGES = {rule.name: rule for rule in NAMED_RULES}
IMPORTANT = later("Each list begins with its most important victim: {priorities}.")
BREAKING = later("Victims that break the budget come first: {priorities}.")
POLICY = {
    (True, True): later("The scheduler obeys Never: it evicts nobody."),
    (True, False): later("The API server stores Never, but the scheduler does not read it."),
    (False, True): later("The scheduler would obey Never, but the API server drops it."),
    (False, False): later("The API server drops Never, and the scheduler would not read it."),
}
"""Why the pod waits or evicts, by whether its policy is stored and whether it is obeyed."""
FLAGS = [each.changes for each in STORIES.values()]
SOME = [
    *dict.fromkeys("; ".join(some) for each in FLAGS for n in range(len(each)) for some in combinations(each, n + 1))
]
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
    allowed: int = slider("budget allows", range(3), 1)
    room: int = slider("room on node-a", range(1, 79), 59, lambda percent: f"{percent} %")

    @property
    def sizes(self) -> tuple[int, ...]:
        """What the cluster's manifests are made of."""
        return tuple(getattr(self, name) for name in STORIES[self.cluster].controls)

    @property
    def out(self) -> frozenset[str]:
        """The names of the changes that are taken out."""
        return frozenset(name for name in CHANGES if name in self.without.split("; "))

    @property
    def missing(self) -> frozenset[str]:
        """Those of them that the version would have."""
        return frozenset(name for name in self.out if CHANGES[name].is_on(self.version))

    def has(self, name: str) -> bool:
        """Whether the version has this change, and it is not taken out."""
        return CHANGES[name].is_on(self.version) and name not in self.out

    def toggled(self, name: str) -> str:
        """What is taken out after this change, too, was taken out or put back."""
        return "; ".join(each for each in CHANGES if each in self.out ^ {name}) or NONE


def manifests(settings: Settings) -> list[Manifest]:
    """The manifests of the cluster."""
    return STORIES[settings.cluster].manifests(*settings.sizes)


@lru_cache(maxsize=64)
def _world(cluster: str, sizes: tuple[int, ...], api: Api) -> Cluster:
    return Cluster(decode_objects(STORIES[cluster].manifests(*sizes)), api)


@lru_cache(maxsize=1024)
def _decide(cluster: str, sizes: tuple[int, ...], version: str, missing: frozenset[str]) -> Decision:
    made = scaled(switched(version, missing))
    return schedule(f"default/{STORIES[cluster].pod}", _world(cluster, sizes, made.api), made, exhaustive=False)


def decide(settings: Settings) -> Decision:
    """The decision for the cluster's waiting pod."""
    return _decide(settings.cluster, settings.sizes, settings.version, settings.missing)


def differing(decision: Decision) -> Decision:
    """The decision with the sums of those scores only that tell the nodes apart."""
    scores = decision.scores
    if scores is None:
        return decision
    kept = [any(plugin in names for names in SCORES.values()) for plugin in scores.plugins]
    return replace(decision, scores=replace(scores, total=scores.results[kept].sum(axis=0)))


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
    decision, shown = differing(decide(settings)), board(settings)
    first, why = decided_and_why(decision)
    nodes, said = best(decision), sentence(settings, first, why)
    goes = say("{pod} goes to {node}.", pod=STORIES[settings.cluster].pod, node=nodes[0]) if len(nodes) == 1 else first
    runs = (next(run) for _, run in groupby(shown.stops, key=lambda each: each.answer))
    answers = "   ".join(say("{version}: {said}", version=each.name, said=each.answer) for each in runs)
    return View(
        lambda room: stage(decision, shown, room, said),
        sentence(settings, goes, reason(settings, decision) or why),
        rules_html([CHANGES[flag.name] for flag in shown.flags]),
        f"{said}\n{answers}",
        idle={"cluster": ""} | {name: "" for name in SIZES if name not in STORIES[settings.cluster].controls},
        names=colours(decision),
    )


def reason(settings: Settings, decision: Decision) -> str:
    """What the rules below the nodes do not say: whom the lists of victims begin with, or what a policy does."""
    if "policy_stored" in STORIES[settings.cluster].changes:
        return say(POLICY[settings.has("policy_stored"), settings.has("policy_obeyed")])
    if decision.preemption is None or len(decision.preemption.tied) > 1:
        return ""
    lists = [[info.priority for info in each.victims] for each in decision.preemption.candidates.values()]
    begins = IMPORTANT if all(each[0] == max(each) for each in lists) else BREAKING
    return say(begins, priorities=listed(str(each[0]) for each in lists))


def board(settings: Settings) -> Board:
    """The timeline with all answers, and with the changes that matter in this cluster."""
    there = STORIES[settings.cluster]
    decisions = {name: decide(replace(settings, version=name)) for name in VERSIONS}
    return Board(
        [Stop(name, picked(each), f"version: {name}", len(best(each)) == 1) for name, each in decisions.items()],
        VERSIONS.index(settings.version),
        [flag(settings, name) for name in there.changes],
        rungs(settings.cluster),
        partial(about, settings),
        Handles(node_badges=there.signs),
        captions="room" not in there.controls,
    )


def about(settings: Settings, width: float, asks: bool = False) -> Part:
    """What the cluster is about: its budget, the points of its nodes, or a policy. ``asks``: a question is open."""
    there, decision = STORIES[settings.cluster], decide(settings)
    if "allowed" in there.controls:
        handle = {"data_drag": "allowed", "data_axis": "x", "data_step": "16"}
        return budgets_row(budgets_of(decision), {}, {} if asks else {"shop": handle}, {})
    if "room" in there.controls:
        return rounding(points(settings), width, {} if asks else {"node-a": ("room", say("room on node-a"))})
    return relay(policy(settings, asks), width)


STORES = {True: later("stores it"), False: later("drops it")}
OBEYS = {
    (True, True): later("obeys it"),
    (True, False): later("ignores it"),
    (False, True): later("sees none"),
    (False, False): later("ignores it"),
}
"""What API server and scheduler do with a policy, by whether it is stored and whether it is obeyed."""


def policy(settings: Settings, asks: bool) -> list[Station]:
    """The way of a pod's policy, and who obeys it. ``asks``: a question is open."""
    stored, obeyed = settings.has("policy_stored"), settings.has("policy_obeyed")
    obeys, passes = ("?", None) if asks else (say(OBEYS[stored, obeyed]), stored and obeyed)
    return [
        Station("", "Never", None),
        Station(later("API server"), say(STORES[stored]), stored, [say(each) for each in STORES.values()]),
        Station(later("scheduler"), obeys, passes, [say(each) for each in OBEYS.values()]),
    ]


def points(settings: Settings) -> Steps:
    """The points of each node; v1.20's hundred say how many there were before rounding."""
    decision, fine = decide(settings), decide(replace(settings, version="v1.20", without=NONE))
    highest, nodes = switched(settings.version, settings.missing).max_node_score, list[Points]()
    for node in decision.cluster.names:
        got = {name: _of(decision, plugins, node) for name, plugins in SCORES.items()}
        parts = {name: (got[name], _of(fine, SCORES[name], node) * highest / MAX_NODE_SCORE) for name in SCORES}
        nodes.append(Points(node, parts, best(decision) == [node]))
    return Steps(settings.version, highest, nodes)


def _of(decision: Decision, plugins: Sequence[str], node: str) -> int:
    """What the one of these plugins that there is gives the node."""
    return sum(number(decision, STAGES[2], plugin, node) or 0 for plugin in plugins)


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
    """The cluster before the decision. The handle is still on the version before, the last whose answer is shown."""
    shown, marks = board(settings), {name: {"data_pick": name} for name in picks}
    stops = [replace(each, sets="") if i < shown.at else Stop(each.name, "") for i, each in enumerate(shown.stops)]
    flags = [replace(each, sets="") for each in shown.flags]
    at, handles = shown.at - 1, replace(shown.handles, nodes=marks)
    tells = partial(about, replace(settings, version=VERSIONS[at]), asks=True)
    asked = replace(shown, stops=stops, at=at, flags=flags, handles=handles, about=tells)
    return stage_before(decide(settings), asked, room)


def asked(cluster: str, version: str = "v1.20") -> Panel[Settings]:
    """The panel with the lesson's question about this cluster and this version."""
    first = panel(cluster=cluster)
    ask = STORIES[first.settings.cluster].asks[version]
    choices = tuple(map(say, ask.choices))
    question = Question[Settings](
        say(ask.text),
        choices,
        right=lambda settings: picked(decide(settings)),
        why=lambda settings, said: say(ask.why),
        before=lambda settings: partial(before, settings, choices),
        drawn=NO_NODE not in ask.choices,
        moment=True,
    )
    return first.move(version=version, without=ask.without).ask(question)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "generations.panel()")
