"""The questions of lesson 03 about the score map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html
from kschedlab.text.words import count, listing
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score import LOOKS, PLUGINS, Cause, Settings, arithmetic, decide, picture
from kschedlab_lab.panels.score_cluster import NODES, before
from kschedlab_lab.views.arithmetic import Step
from kschedlab_lab.views.score import number, total
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.wishes import Wishes


def which_node() -> Question[Settings]:
    """Which node wins? Asked in the picture of the cluster."""

    def why(settings: Settings, answer: str) -> str:
        return about(decide(settings), answer)

    return Question(
        say("Where does shop-new go?"), NODES, lambda settings: chosen(decide(settings)), why, before, looks=LOOKS
    )


def chosen(decision: Decision) -> str:
    return decision.node or ""


def about(decision: Decision, node: str) -> str:
    """How this node stands against the winner, and which plugin makes the largest difference."""
    best = chosen(decision)
    if node == best:
        (second, after), *_ = sorted(
            ((each, found) for each in NODES if each != best and (found := total(decision, each)) is not None),
            key=lambda each: -each[1],
        )
        lead = (total(decision, best) or 0) - after
        helps, gain = _largest(decision, best, second)
        return say(
            "{best} is {points} ahead of {second}; {helps} alone gives it {gain} more.",
            best=best,
            points=count(lead, "point"),
            second=second,
            helps=helps,
            gain=gain,
        )
    behind = (total(decision, best) or 0) - (total(decision, node) or 0)
    helps, gain = _largest(decision, best, node)
    good, plus = _largest(decision, node, best)
    if plus > 0:
        message = later(
            "{node} is {points} behind {best}. {good} speaks for {node} ({plus} more), but {helps} gives {best} "
            "{gain} more."
        )
    else:
        message = later("{node} is {points} behind {best}. {helps} gives {best} {gain} more.")
    return say(
        message,
        node=node,
        points=count(behind, "point"),
        best=best,
        good=good,
        plus=plus,
        helps=helps,
        gain=gain,
    )


def _largest(decision: Decision, one: str, other: str) -> tuple[str, int]:
    """The plugin that gives most to one node over the other, and how much."""

    def gain(plugin: str) -> int:
        ours, theirs = (number(decision, "weighted", plugin, node) or 0 for node in (one, other))
        return ours - theirs

    best = max(PLUGINS, key=gain)
    return best, gain(best)


def the_number(what: str = "") -> Question[Settings]:
    """The number in the selected cell at the shown stage; ``what``: or that of one of its steps, such as "cpu"."""

    def step(settings: Settings) -> Step:
        steps = arithmetic(decide(settings), settings.plugin, settings.node)
        found = next((each for each in steps if each.what == (what or settings.stage)), None)
        if found is None:
            there = listed(each.what for each in steps)
            raise InputValueError(say('this score has no step "{step}"; there are {there}', step=what, there=there))
        return found

    def why(settings: Settings, answer: str) -> str:
        found = step(settings)
        if found.remark:
            sentence = say("{formula} ({remark}).", formula=found, remark=found.remark)
        else:
            sentence = say("{formula}.", formula=found)
        if answer == found.result:
            return sentence
        return sentences((_near(found, answer), sentence))

    def shown(settings: Settings) -> Callable[[Room], Html]:
        decision = decide(settings)
        asked = settings.plugin, settings.node
        return picture(
            settings,
            decision,
            asked[:1],
            say("Which number belongs here?"),
            question=asked,
            totals=False,
            **_inputs(settings),
        )

    if what:
        asked = say(
            "Which number comes out for {what} in the framed cell?", what=what.upper() if what == "cpu" else what
        )
    else:
        asked = say("Which number comes out in the framed cell?")
    return Question(asked, (), lambda s: step(s).result, why, shown)


def _inputs(settings: Settings) -> dict[str, Any]:
    """A question about a normalised number shows the row's raw ones, from which it comes."""
    return {"filled": frozenset[str]()} if settings.stage == "normalised" else {}


def _near(found: Step, answer: str) -> str:
    """A remark if the answer is one too many: it was rounded, and not down."""
    if answer.isdecimal() and int(answer) == int(found.result) + 1 and "/" in found.formula:
        return say("Every division is rounded down.")
    return ""


def largest_weight() -> Question[Settings]:
    """Which plugin has the largest weight?"""

    def right(settings: Settings) -> str:
        scores = decide(settings).scores
        assert scores is not None
        return scores.plugins[scores.weights.index(max(scores.weights))]

    def why(settings: Settings, answer: str) -> str:
        decision = decide(settings)
        scores = decision.scores
        assert scores is not None
        weights = dict(zip(scores.plugins, scores.weights, strict=True))
        if answer == right(settings):
            return say(
                "Its weight is {weight}, but it gives all nodes the same: only differences decide.",
                weight=weights[answer],
            )
        return say(
            "{plugin} has weight {weight}; {right} has {most}.",
            plugin=answer,
            weight=weights[answer],
            right=right(settings),
            most=weights[right(settings)],
        )

    names = ("InterPodAffinity", "NodeAffinity", "NodePreferAvoidPods", "PodTopologySpread")
    return Question(say("Which plugin has the largest weight?"), names, right, why)


CHANGES: dict[str, dict[str, Any]] = {
    later("the pod asks for 250m"): {"cpu": 250},
    later("the pod asks for 2000m"): {"cpu": 2000},
    later("node-d loses its taint"): {"tainted": False},
    later("node-c gets the note"): {"avoided": True},
}


def which_change() -> Question[Cause]:
    """Which of four small changes makes node-a one of the best?"""

    def waiting(settings: Cause) -> Wishes:
        drawn = before(settings)
        return replace(drawn, boxes=[replace(box, marks={}) for box in drawn.boxes])

    def best(settings: Cause, change: Mapping[str, Any]) -> list[str]:
        return decide(settings.changed(**change)).best

    def right(settings: Cause) -> str:
        return next(text for text, change in changes.items() if "node-a" in best(settings, change))

    def why(settings: Cause, answer: str) -> str:
        names = best(settings, changes[answer])
        message = later(
            "If {change}, {names} share the highest sum. Try the others."
            if len(names) > 1
            else "If {change}, {names} has the highest sum. Try the others."
        )
        return say(message, change=answer, names=listing(names))

    changes = {say(text): change for text, change in CHANGES.items()}
    return Question(say("Which change brings node-a to the top, alone or shared?"), tuple(changes), right, why, waiting)
