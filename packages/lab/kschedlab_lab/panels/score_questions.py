"""The questions of lesson 03 about the score map."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, say, sentences
from kschedlab.text.words import count
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score import LOOKS, PLUGINS, Settings, arithmetic, in_cell, picture
from kschedlab_lab.panels.score_cluster import NODES, Cause, Request, before, decide
from kschedlab_lab.views.score import number, total
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
    """How this node compares with the winner, the winner with the second, and which plugin does most for the winner."""
    best = chosen(decision)
    sums = {each: found for each in NODES if (found := total(decision, each)) is not None}
    second = max((each for each in sums if each != best), key=lambda each: sums[each])
    other = second if node == best else node
    helps = max(PLUGINS, key=lambda plugin: _more(decision, plugin, best, other))
    message = (
        later("{best} is {points} ahead of {other}: {plugin} alone gives it {gain} more.")
        if node == best
        else later("{other} is {points} behind {best}: {plugin} alone gives {best} {gain} more.")
    )
    points, gain = count(sums[best] - sums[other], "point"), _more(decision, helps, best, other)
    return say(message, best=best, other=other, points=points, plugin=helps, gain=gain)


def _more(decision: Decision, plugin: str, one: str, other: str) -> int:
    """How much more the plugin gives one node than the other."""
    mine, theirs = (number(decision, "weighted", plugin, node) or 0 for node in (one, other))
    return mine - theirs


def the_number() -> Question[Settings]:
    """The number in the selected cell, a raw score."""

    def came(settings: Settings) -> tuple[str, str]:
        return in_cell(arithmetic(decide(settings), settings.plugin, settings.node), settings.stage)

    def why(settings: Settings, answer: str) -> str:
        number, formula = came(settings)
        is_rounded = answer == str(int(number) + 1)
        slip = say("Every division is rounded down.") if is_rounded else ""
        return sentences((slip, say("{formula}.", formula=formula)))

    def empty(settings: Settings) -> ScoreMap:
        return _sheet(settings, say("Which number belongs here?"), "raw", question=True, filled=frozenset())

    return Question(say("How many points does LeastAllocated give node-b?"), (), lambda s: came(s)[0], why, empty)


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
