"""The questions of lesson 03 about the score map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, say, sentences
from kschedlab.objects.requests import pod_requests
from kschedlab.text.words import count
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score import LOOKS, PLUGINS, Settings, arithmetic, in_cell, picture
from kschedlab_lab.panels.score_cluster import NODES, Cause, Request, before, decide
from kschedlab_lab.views.score import gained, number, together, total
from kschedlab_lab.views.score_map import ScoreMap


def which_node() -> Question[Request]:
    """Which node wins? Asked in the picture of the cluster."""

    def decided(request: Request) -> Decision:
        return decide(Cause(request.cpu))

    def why(request: Request, answer: str) -> str:
        return about(decided(request), answer)

    return Question(say("Where does shop-new go?"), NODES, lambda request: chosen(decided(request)), why, before)


def _sheet(settings: Settings, alt: str, stage: str, **more: Any) -> ScoreMap:
    """The map at this stage without what could be clicked or dragged, on which an answer is looked for."""
    drawn = picture(settings, decide(settings), PLUGINS, alt, until=settings.stage, **more)
    return replace(drawn, stage=stage, asked=None, rail=False, won=False)


def chosen(decision: Decision) -> str:
    return decision.node or ""


def about(decision: Decision, node: str) -> str:
    """How this node compares with the winner, the winner with the second: the largest differences, and all others."""
    best = chosen(decision)
    sums = {each: found for each in NODES if (found := total(decision, each)) is not None}
    second = max((each for each in sums if each != best), key=lambda each: sums[each])
    other = second if node == best else node
    behind = sums[best] - sums[other]
    (helps, gain), (good, plus) = _largest(decision, best, other), _largest(decision, other, best)
    plus = max(plus, 0)
    first = (
        later("{best} is {points} ahead of {other}.") if node == best else later("{other} is {points} behind {best}.")
    )
    names = {"best": best, "other": other}
    more = say("{plugin} gives {other} {plus} more,", plugin=good, plus=plus, **names) if plus else ""
    most = later("but {plugin} gives {best} {gain} more.") if plus else later("{plugin} gives {best} {gain} more.")
    return sentences(
        (
            say(first, points=count(behind, "point"), **names),
            more,
            say(most, plugin=helps, gain=gain, **names),
            _rest(gain - plus - behind, **names),
        )
    )


def _rest(points: int, best: str, other: str) -> str:
    """What the plugins that are not named add to the difference."""
    if points > 0:
        return say("The other plugins together favour {other} by {points}.", points=points, other=other)
    return say("The other plugins give {best} another {points}.", points=-points, best=best) if points else ""


def _largest(decision: Decision, one: str, other: str) -> tuple[str, int]:
    """The plugin that gives most to one node over the other, and how much."""

    gains = {plugin: _difference(plugin, (decision, other), (decision, one)) for plugin in PLUGINS}
    best = max(PLUGINS, key=gains.__getitem__)
    return best, gains[best]


def _difference(plugin: str, than: tuple[Decision, str], given: tuple[Decision, str]) -> int:
    """How much more the plugin gives the second node, in its decision, than the first in its own."""
    less, more = (number(decision, "weighted", plugin, node) or 0 for decision, node in (than, given))
    return more - less


def the_number() -> Question[Settings]:
    """The number in the selected cell, a raw score."""

    def came(settings: Settings) -> tuple[str, str]:
        return in_cell(arithmetic(decide(settings), settings.plugin, settings.node), settings.stage)

    def why(settings: Settings, answer: str) -> str:
        number, formula = came(settings)
        return sentences((_near(settings, number, formula, answer), say("{formula}.", formula=formula)))

    def empty(settings: Settings) -> ScoreMap:
        return _sheet(settings, say("Which number belongs here?"), "raw", question=True, filled=frozenset())

    return Question(say("How many points does LeastAllocated give node-b?"), (), lambda s: came(s)[0], why, empty)


def _near(settings: Settings, number: str, formula: str, answer: str) -> str:
    """A remark if the answer is one too many: it was rounded, and not down; or if it leaves out the new pod."""
    if answer == str(_without_new(settings)):
        return say("{answer} is without shop-new.", answer=answer)
    is_rounded = "/" in formula and answer == str(int(number) + 1)
    return say("Every division is rounded down.") if is_rounded else ""


def _without_new(settings: Settings) -> int:
    """What LeastAllocated would give the node if the new pod requested nothing."""
    decision = decide(settings)
    scores, requests = decision.scores, pod_requests(decision.pod.pod)
    assert scores is not None
    terms: dict[str, Any] = dict(scores.rows[scores.plugins.index("NodeResourcesLeastAllocated")].terms)
    at, shares = scores.nodes.tolist().index(decision.cluster.index[settings.node]), []
    for resource in ("cpu", "memory"):
        requested, capacity = (int(terms[resource][name][at]) for name in ("requested", "capacity"))
        shares.append((capacity - requested + requests[resource]) * 100 // capacity)
    return sum(shares) // len(shares)


def without_the_disk() -> Question[Settings]:
    """What normalising makes of the same raw score, once the largest of the row is another one."""

    def slow(settings: Settings) -> Settings:
        return settings.changed(fast=False)

    def points(settings: Settings, stage: str, node: str) -> int:
        return number(decide(settings), stage, settings.plugin, node) or 0

    def right(settings: Settings) -> str:
        return str(points(slow(settings), "normalised", settings.node))

    def why(settings: Settings, answer: str) -> str:
        most = max(points(slow(settings), "raw", each) for each in NODES)
        raw, found = points(settings, "raw", settings.node), right(settings)
        slips = {
            str(points(settings, "normalised", settings.node)): later("{answer} is with the fast disk."),
            str(raw): later("{answer} is the raw score."),
        }
        known = say(slips[answer], answer=answer) if answer in slips else ""
        largest = say(
            "{most} is the largest of the row now: {raw} × 100 / {most} = {points}.", most=most, raw=raw, points=found
        )
        return sentences((known, largest))

    def raw(settings: Settings) -> ScoreMap:
        """The raw scores after the change; what it changed is struck out."""
        return _sheet(slow(settings), say("The raw scores"), "raw", question=True, before=decide(settings))

    asked = say("node-d's fast disk fails: only zone west is left of its 60. node-c had 33 points; how many now?")
    return Question(asked, (), right, why, raw, most=100, looks=LOOKS, shows=slow)


def largest_difference() -> Question[Settings]:
    """Which row does most for one node over another? Asked beside the normalised scores and the weights."""

    def gap(settings: Settings, plugin: str, stage: str) -> int:
        high, low = (number(decide(settings), stage, plugin, node) or 0 for node in PAIR)
        return abs(high - low)

    def right(settings: Settings) -> str:
        return max(names, key=lambda name: gap(settings, name, "weighted"))

    def told(settings: Settings, plugin: str) -> str:
        one, other = (number(decide(settings), "normalised", plugin, node) or 0 for node in PAIR)
        gaps = {"gap": abs(one - other), "weighted": gap(settings, plugin, "weighted")}
        weight = dict((each.name, times) for each, times in decide(settings).generation.scores)[plugin]
        message = later("{plugin}: {one} and {other}, a difference of {gap}, × {weight} = {weighted}.")
        return say(message, plugin=plugin, one=one, other=other, weight=weight, **gaps)

    def why(settings: Settings, answer: str) -> str:
        best = right(settings)
        return told(settings, best) if answer == best else sentences((told(settings, answer), told(settings, best)))

    def shown(settings: Settings) -> ScoreMap:
        sheet = _sheet(settings, say("The normalised scores, and the weights."), "normalised", weights=True)
        return replace(sheet, selected=None)

    names = ("InterPodAffinity", "NodeAffinity", "NodePreferAvoidPods", "PodTopologySpread")
    asked = say("Once the weights are in: which row makes the largest difference between node-a and node-c?")
    return Question(asked, names, right, why, shown)


PAIR = ("node-a", "node-c")
"""The nodes whose difference is asked for."""
CHANGES: dict[str, dict[str, Any]] = {
    later("the pod asks for 250m"): {"cpu": 250},
    later("the pod asks for 2000m"): {"cpu": 2000},
    later("node-d loses its taint"): {"tainted": False},
    later("node-d's fast disk fails"): {"fast": False},
}


def which_change() -> Question[Settings]:
    """Which of four small changes makes node-a one of the best? The answer says what each node gains, and why."""

    def unchanged(settings: Settings) -> ScoreMap:
        return replace(_sheet(settings, say("The sums before the change"), "summed"), selected=None)

    def after(settings: Settings, answer: str) -> Decision:
        return decide(settings.changed(**changes[answer]))

    def right(settings: Settings) -> str:
        return next(answer for answer in changes if "node-a" in after(settings, answer).best)

    def moves(settings: Settings, answer: str, nodes: Sequence[str]) -> str:
        then, now = decide(settings), after(settings, answer)
        return say("If {change}, {gains}.", change=answer, gains=together([gained(then, now, node) for node in nodes]))

    def why(settings: Settings, answer: str) -> str:
        found = right(settings)
        if answer == found:
            return moves(settings, found, ("node-a", "node-d", "node-c"))
        theirs = dict.fromkeys((*after(settings, answer).best, "node-a"))
        return sentences((moves(settings, answer, [*theirs]), moves(settings, found, ("node-a",))))

    def changed(settings: Settings) -> Settings:
        return settings.changed(**changes[right(settings)])

    changes = {say(text): change for text, change in CHANGES.items()}
    text = say("Which change lets node-a share the highest sum?")
    return Question(text, tuple(changes), right, why, unchanged, looks=LOOKS, shows=changed)
