"""All generations and one pod: settings -> the version with its changes -> Decision -> nodes, a timeline and switches.

The timeline chooses the version; each switch undoes one change to the scheduler or brings it, alone or with others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

from kschedlab.build import Manifest
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.api import Api
from kschedlab.objects.problems import InputValueError
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.ladder import RuleResult, steps
from kschedlab_lab.named_rules import NAMED_RULES, NamedRule, switched
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.generation_answers import answer, picked, picked_with_victims
from kschedlab_lab.panels.generation_clusters import STORIES
from kschedlab_lab.panels.question import Question, answers
from kschedlab_lab.panels.settings import Restorable, choice, slider, typed
from kschedlab_lab.views.picture import Handles, colours, decided_and_why
from kschedlab_lab.views.rules import rules_html
from kschedlab_lab.views.score import bare
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.used_up import using_up
from kschedlab_lab.views.versions import Board, Lever, Stop, stage, stage_before

NONE, ON, OFF = later("none"), "on", "off"
VERSIONS = tuple(GENERATIONS)

RULE_NAMES = tuple(rule.name for rule in NAMED_RULES)


def read_rules(text: str) -> str:
    """The rules of a text such as "sorted_again on; start_times off", in their order. ValueError says what is wrong."""
    pinned: dict[str, str] = {}
    for part in [] if text.strip() == NONE else text.split(";"):
        name, _, state = part.strip().partition(" ")
        if name not in RULE_NAMES or state.strip() not in (ON, OFF):
            problem = say('"{rule}" is not a change with on or off, such as "sorted_again on"', rule=part.strip())
            raise InputValueError(
                "rules: {problem}; the changes are {rules}", problem=problem, rules=listed(RULE_NAMES)
            )
        pinned[name] = state.strip()
    return "; ".join(f"{rule.name} {pinned[rule.name]}" for rule in NAMED_RULES if rule.name in pinned) or NONE


@dataclass(frozen=True)
class Settings(Restorable):
    """The cluster, the version that decides, and the rules that are on or off whatever the version says."""

    cluster: str = choice("cluster", STORIES, next(iter(STORIES)))
    version: str = slider("version", VERSIONS, VERSIONS[0])
    rules: str = typed("changes switched", NONE, (NONE, *(f"{name} {ON}" for name in RULE_NAMES)), read_rules)

    @property
    def pinned(self) -> dict[str, str]:
        """By name of a rule: "on" or "off", whatever the version says."""
        return {} if self.rules == NONE else dict(part.split(" ") for part in self.rules.split("; "))

    def has(self, rule: NamedRule) -> bool:
        """Whether the rule holds."""
        state = self.pinned.get(rule.name)
        return rule.is_on(self.version) if state is None else state == ON

    def at(self, indices: Mapping[str, Any]) -> Self:
        """As any panel's; in another cluster nothing is switched."""
        there = super().at(indices)
        return there if there.cluster == self.cluster or there.rules != self.rules else there.changed(rules=NONE)

    def flipped(self) -> frozenset[str]:
        """The rules that are other than in the version."""
        return frozenset(rule.name for rule in NAMED_RULES if self.has(rule) != rule.is_on(self.version))

    def switching(self, rule: NamedRule) -> Self:
        """These settings with the rule the other way; a rule that is as in the version again is not named."""
        state = not self.has(rule)
        pinned = {name: each for name, each in self.pinned.items() if name != rule.name}
        if state != rule.is_on(self.version):
            pinned[rule.name] = ON if state else OFF
        return self.changed(rules="; ".join(f"{name} {each}" for name, each in pinned.items()) or NONE)


def manifests(cluster: str) -> list[Manifest]:
    """The manifests of the cluster with this title."""
    return STORIES[cluster].manifests()


@lru_cache(maxsize=64)
def _world(cluster: str, api: Api) -> Cluster:
    return Cluster(decode_objects(manifests(cluster)), api)


@lru_cache(maxsize=4096)
def _decide(cluster: str, version: str, flipped: frozenset[str]) -> Decision:
    made = switched(version, flipped)
    return schedule(f"default/{STORIES[cluster].pod}", _world(cluster, made.api), made, exhaustive=False)


def decide(settings: Settings) -> Decision:
    """The decision for the cluster's waiting pod."""
    return _decide(settings.cluster, settings.version, settings.flipped())


def matters(settings: Settings, rule: NamedRule) -> bool:
    """Whether switching this rule alone changes the node, or who is evicted there."""
    return answer(decide(settings)) != answer(decide(settings.switching(rule)))


@lru_cache(maxsize=64)
def mattering(cluster: str) -> tuple[str, ...]:
    """The names of the rules that make a difference in some version."""
    every = [Settings(cluster, version) for version in VERSIONS]
    return tuple(rule.name for rule in NAMED_RULES if any(matters(each, rule) for each in every))


@lru_cache(maxsize=64)
def rungs(cluster: str) -> tuple[int, ...]:
    """The numbers of preemption's rules that tell nodes apart in some version."""
    ladders = (_ladder(Settings(cluster, version)) for version in VERSIONS)
    found = (each.number for rules in ladders for each in rules if each.applies and len(each.kept) < len(each.standing))
    return tuple(sorted({*found}))


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = bare(decide(settings))
    first, why = decided_and_why(decision)
    said, shown = sentence(settings, first, why), board(settings)
    lit = [rule for rule in NAMED_RULES if any(each.name == rule.name and each.matters for each in shown.levers)]
    firsts = [each for i, each in enumerate(shown.stops) if i == 0 or each.answer != shown.stops[i - 1].answer]
    answers = "   ".join(say("{version}: {said}", version=each.name, said=each.answer) for each in firsts)
    return View(
        lambda room: stage(decision, shown, room, said),
        sentence(settings, first) if shown.rungs else said,  # the rules say why
        rules_html(lit, decide(settings)),
        f"{said}\n{answers}",
        story=partial(story, settings) if (settings.version, settings.rules) != (VERSIONS[0], NONE) else None,
        names=colours(decision),
    )


def board(settings: Settings) -> Board:
    """The timeline with all answers, and the switches that make a difference in some version."""
    there, named = STORIES[settings.cluster], {*mattering(settings.cluster), *settings.flipped()}
    return Board(
        stops(settings),
        VERSIONS.index(settings.version),
        [lever(settings, rule, matters(settings, rule)) for rule in NAMED_RULES if rule.name in named],
        rungs(settings.cluster),
        say(there.about),
        Handles(node_badges=there.signs),
    )


def story(settings: Settings, room: Room) -> list[Frame]:
    """From v1.13 on, each version that changes the answer; then the version itself, and the rules that are switched."""
    plain = type(settings)(settings.cluster)
    states = [plain.changed(version=name) for name in VERSIONS[: VERSIONS.index(settings.version) + 1]]
    answers = [answer(decide(each)) for each in states]
    changed = [i for i in range(1, len(states)) if answers[i] != answers[i - 1]]
    states = [states[i] for i in sorted({0, *changed, len(states) - 1})]
    if settings.flipped():
        states.append(settings)
    states[-1] = settings
    frames, counted = list[Frame](), next(rule for rule in NAMED_RULES if rule.name == "counted_down")
    for i, each in enumerate(states):
        if i and each.has(counted) and not states[i - 1].has(counted):
            decision, shown = bare(decide(each)), board(each)
            for boxes, said in using_up(decision):
                caption = sentence(each, said)
                frames.append(Frame(stage(decision, shown, room, caption, boxes), caption))
        view = show(each)
        assert callable(view.picture)
        frames.append(Frame(view.picture(room), view.sentence))
    return frames


def stops(settings: Settings) -> list[Stop]:
    """The versions on the timeline, with what each decides; if all take one node, with whom they evict there."""
    flipped = {name: settings.flipped() if name == settings.version else frozenset[str]() for name in VERSIONS}
    decisions = [_decide(settings.cluster, name, flipped[name]) for name in VERSIONS]
    results = [answer(each) for each in decisions]
    few = picked if len({each.nodes for each in results}) > 1 or len({*results}) == 1 else picked_with_victims
    return [
        Stop(name, few(each), f"version: {name}, rules: {NONE}", len(result.nodes) == 1, bool(flipped[name]))
        for name, each, result in zip(VERSIONS, decisions, results, strict=True)
    ]


def lever(settings: Settings, rule: NamedRule, matters: bool) -> Lever:
    """A change as a switch."""
    on, pinned, sets = settings.has(rule), rule.name in settings.flipped(), f"rules: {settings.switching(rule).rules}"
    title, without, within = map(say, (rule.title, rule.before, rule.after))
    return Lever(rule.name, title, f"{rule.since}: {rule.new.line}", on, pinned, matters, sets, without, within)


def sentence(settings: Settings, *said: str) -> str:
    """Which version decides this, and whether it was changed."""
    version = say("{version}, changed", version=settings.version) if settings.flipped() else settings.version
    return say("{version}: {said}", version=version, said=sentences(said))


def question(text: str, choices: Iterable[str], *, alone: bool = False, drawn: bool = False) -> Question[Settings]:
    """A question about the version and its rules as they are set; earlier versions have answered already.

    ``choices``: nodes or pods, which are picked in the picture, rules of preemption ("rule 2"), or others; a mapping
    says of each why it is right or wrong. ``alone``: the earlier versions' answers are hidden too. ``drawn``: all
    choices are in the picture.
    """
    picks, whys = answers(choices), choices if isinstance(choices, Mapping) else {}
    return Question(
        text,
        picks,
        right=lambda settings: right(settings, picks),
        why=lambda _, said: whys.get(said, ""),
        before=lambda settings: partial(before, settings, picks, alone),
        drawn=drawn,
        moment=True,
    )


def _ladder(settings: Settings) -> list[RuleResult]:
    preemption = decide(settings).preemption
    return steps(preemption, list(preemption.candidates)) if preemption is not None else []


def right(settings: Settings, choices: Sequence[str]) -> str:
    """The choice that the decision makes: its node, a pod that it evicts, or the rule that decides. ValueError if it
    makes none of them."""
    decision = decide(settings)
    victims = decision.preemption.victims if decision.preemption is not None else ()
    rules = [say("rule {number}", number=each.number) for each in _ladder(settings) if each.decides]
    found = [picked(decision), *(each.pod.metadata.name for each in victims), *rules]
    if (chosen := next((each for each in choices if each in found), None)) is None:
        wrong = later("none of the answers {choices} is right; it would be {right}")
        raise InputValueError(wrong, choices=listed(choices), right=say(" or ").join(found))
    return chosen


def before(settings: Settings, choices: Sequence[str], alone: bool, room: Room) -> Html:
    """The cluster before the decision; the answers of this version and of later ones are hidden.

    ``alone``: those of earlier ones as well.
    """
    decision, at = decide(settings), VERSIONS.index(settings.version)
    known = 0 if alone else at if not settings.flipped() else at + 1
    plain = type(settings)(settings.cluster, settings.version)
    shown = [replace(each, sets="") if i < known else Stop(each.name, "", "") for i, each in enumerate(stops(plain))]
    picks = {name: {"data_pick": name} for name in choices}
    asked = board(settings)
    switches = [replace(each, sets="", matters=False) for each in asked.levers]
    handles = replace(asked.handles, pods=picks, nodes=picks)
    return stage_before(decision, replace(asked, stops=shown, levers=switches, handles=handles), room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, show, lambda settings: manifests(settings.cluster), "generations.panel()")
