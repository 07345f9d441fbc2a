"""The questions of lesson 03 about the score map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences
from kschedlab.text.html import Html
from kschedlab.text.words import count, listing
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score import LOOKS, PLUGINS, Settings, arithmetic, in_cell, picture
from kschedlab_lab.panels.score_cluster import NODES, Cause, Request, before, decide
from kschedlab_lab.views.score import number, total
from kschedlab_lab.views.score_map import ScoreMap
from kschedlab_lab.views.svg import Room


def which_node() -> Question[Request]:
    """Which node wins? Asked in the picture of the cluster."""

    def decided(request: Request) -> Decision:
        return decide(Cause(request.cpu))

    def why(request: Request, answer: str) -> str:
        return about(decided(request), answer)

    return Question(say("Where does shop-new go?"), NODES, lambda request: chosen(decided(request)), why, before)


def _sheet(settings: Settings, plugins: Sequence[str], alt: str, **more: Any) -> ScoreMap:
    """The map without what could be clicked or dragged, on which an answer is looked for."""
    drawn = picture(settings, decide(settings), plugins, alt, **more)
    return replace(drawn, asked=None, rail=False, won=False)


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


def the_number() -> Question[Settings]:
    """The number in the selected cell at the shown stage."""

    def found(settings: Settings) -> tuple[str, str]:
        return in_cell(arithmetic(decide(settings), settings.plugin, settings.node), settings.stage)

    def why(settings: Settings, answer: str) -> str:
        number, formula = found(settings)
        return sentences((_near(number, formula, answer), say("{formula}.", formula=formula)))

    def shown(settings: Settings) -> Callable[[Room], Html]:
        asked, alt = (settings.plugin, settings.node), say("Which number belongs here?")
        return _sheet(settings, asked[:1], alt, question=asked, totals=False, **_inputs(settings))

    asked = say("Which number comes out in the framed cell?")
    return Question(asked, (), lambda settings: found(settings)[0], why, shown)


def _inputs(settings: Settings) -> dict[str, Any]:
    """A question about a normalised number shows the row's raw ones, from which it comes."""
    return {"filled": frozenset[str]()} if settings.stage == "normalised" else {}


def _near(number: str, formula: str, answer: str) -> str:
    """A remark if the answer is one too many: it was rounded, and not down."""
    is_rounded = "/" in formula and answer == str(int(number) + 1)
    return say("Every division is rounded down.") if is_rounded else ""


def without_effect() -> Question[Settings]:
    """Which plugin could be left out? Asked beside the normalised scores and the weights."""

    def given(settings: Settings, plugin: str) -> list[int]:
        return [number(decide(settings), "weighted", plugin, node) or 0 for node in NODES]

    def right(settings: Settings) -> str:
        return next(name for name in names if len(set(given(settings, name))) == 1)

    def why(settings: Settings, answer: str) -> str:
        best = right(settings)
        same = say("{plugin} gives every node {points}.", plugin=best, points=given(settings, best)[0])
        if answer == best:
            return sentences((same, say("However large it is: only differences decide.")))
        points = listed(map(str, given(settings, answer)))
        return sentences((say("{plugin} gives {points}.", plugin=answer, points=points), same))

    def shown(settings: Settings) -> Callable[[Room], Html]:
        normal, alt = settings.changed(stage="normalised"), say("The normalised scores, and the weights.")
        return replace(_sheet(normal, PLUGINS, alt, totals=False, weights=True), selected=None)

    names = ("InterPodAffinity", "NodeAffinity", "NodePreferAvoidPods", "PodTopologySpread")
    return Question(say("Which row changes nobody's place?"), names, right, why, shown)


CHANGES: dict[str, dict[str, Any]] = {
    later("the pod asks for 250m"): {"cpu": 250},
    later("the pod asks for 2000m"): {"cpu": 2000},
    later("node-d loses its taint"): {"tainted": False},
    later("node-c gets the note"): {"avoided": True},
}


def which_change() -> Question[Settings]:
    """Which of four small changes makes node-a one of the best?"""

    def unchanged(settings: Settings) -> ScoreMap:
        return replace(_sheet(settings, PLUGINS, say("The sums before the change")), selected=None)

    def best(settings: Settings, change: Mapping[str, Any]) -> list[str]:
        return decide(settings.changed(**change)).best

    def right(settings: Settings) -> str:
        return next(text for text, change in changes.items() if "node-a" in best(settings, change))

    def why(settings: Settings, answer: str) -> str:
        names = best(settings, changes[answer])
        message = later(
            "If {change}, {names} share the highest sum."
            if len(names) > 1
            else "If {change}, {names} has the highest sum."
        )
        said = say(message, change=answer, names=listing(names))
        return said if answer == right(settings) else sentences((said, why(settings, right(settings))))

    def changed(settings: Settings) -> Settings:
        return settings.changed(**changes[right(settings)], node="node-a")

    changes = {say(text): change for text, change in CHANGES.items()}
    text = say("Which change lets node-a draw level with the first?")
    return Question(text, tuple(changes), right, why, unchanged, looks=LOOKS, shows=changed)
