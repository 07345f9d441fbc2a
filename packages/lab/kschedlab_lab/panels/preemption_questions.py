"""The questions of the lesson on preemption: each is asked about the panel's settings before the answer appears."""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.messages import say, sentences
from kschedlab.preemption.evidence import Candidate
from kschedlab.text.html import Html
from kschedlab_lab.panels.preemption import NODES, Settings, decide
from kschedlab_lab.panels.question import Question
from kschedlab_lab.views.picture import Handles
from kschedlab_lab.views.preemption_scene import Scene, all_attempted, fate, last_beaten
from kschedlab_lab.views.svg import Room


def which_node(change: str = "") -> Question[Settings]:
    """Which node, to be clicked in the picture. ``change``: a sentence that says what is other than at first."""
    handles = Handles(nodes={name: {"data_pick": name} for name in NODES})
    text = sentences((change, say("Which node now?"))) if change else say("Which node is chosen?")
    return Question(text, NODES, _chosen, _why, _asked(handles), drawn=True)


def which_victims() -> Question[Settings]:
    """Who would be evicted on node-b?"""
    pairs = tuple(map(say(" and ").join, (("shop-b", "jobs-b"), ("shop-b", "logs-b"), ("jobs-b", "logs-b"))))

    def right(settings: Settings) -> str:
        victims = {each.pod.metadata.name for each in _candidates(settings)["node-b"].victims}
        return next(pair for pair in pairs if victims <= set(pair.split(say(" and "))))

    return Question(
        say("If node-b were chosen, which two of its pods would be evicted?"),
        pairs,
        right,
        lambda settings, _: all_attempted(_candidates(settings)["node-b"].attempts),
        _asked(Handles(), tried="node-b"),
    )


def which_pod() -> Question[Settings]:
    """Who is evicted when start times decide, to be clicked in the picture."""
    pods = ("shop-b", "mail-c")
    return Question(
        say("Who is evicted: shop-b or mail-c?"),
        pods,
        lambda settings: next(name for name in pods if name[-1] == _chosen(settings)[-1]),
        lambda *_: say("The later start wins: these victims lose less work."),
        _asked(Handles(pods={name: {"data_pick": name} for name in pods})),
        drawn=True,
    )


def _asked(handles: Handles, tried: str = "") -> Callable[[Settings], Callable[[Room], Html]]:
    """The picture before the answer, in which a click is an answer; what is other than at first shows what it was."""
    first = decide(Settings())
    return lambda settings: Scene(decide(settings), handles, rules=not tried, tried=tried, since=first).question


def _candidates(settings: Settings) -> dict[str, Candidate]:
    found = decide(settings).preemption
    assert found is not None
    return found.candidates


def _chosen(settings: Settings) -> str:
    return decide(settings).nominated_node or ""


def _why(settings: Settings, answer: str) -> str:
    """What the engine finds out about a node that is not chosen; of the chosen one, about the last that it beats."""
    decision = decide(settings)
    return fate(decision, answer if answer != _chosen(settings) else last_beaten(decision))
