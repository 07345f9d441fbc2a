"""The questions of the lesson on preemption: each is asked about the panel's settings before the answer appears."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kschedlab.messages import later, say, sentences
from kschedlab.preemption.evidence import Candidate
from kschedlab.text.html import Html
from kschedlab.text.ladder import RuleResult, steps
from kschedlab.text.words import count
from kschedlab_lab.panels.preemption import LOWEST, NODES, Settings, decide
from kschedlab_lab.panels.question import Question
from kschedlab_lab.views.picture import Handles, decided_and_why
from kschedlab_lab.views.preemption_scene import Scene, beside, fate, fates, first_back
from kschedlab_lab.views.svg import Room


def which_node(change: str = "", rival: str = "node-c") -> Question[Settings]:
    """Which node, to be clicked in the picture. ``change``: a sentence that says what is other than at first; then each
    node's victims are marked. Without it the student knows of no rule yet.

    ``rival``: a node that the deciding rule drops; with the right answer comes why, after those that fell earlier.
    """
    handles = Handles(nodes={name: {"data_pick": name} for name in NODES})
    text = sentences((change, say("Which node now?"))) if change else say("Which node is chosen?")

    def why(settings: Settings, answer: str) -> str:
        if not change and (fewer := _fewer(settings, answer)):
            return fewer
        if answer != _chosen(settings):
            return _why_not(settings, answer)
        return sentences(fates(decide(settings), rival)) or _why_not(settings, rival)

    return Question(text, NODES, _chosen, why, _asked(handles, crossed=bool(change)), drawn=True)


def who_returns() -> Question[Settings]:
    """Who comes back to node-b after all have stepped aside, to be clicked in the picture?"""
    pods = ("logs-b", "shop-b", "jobs-b")

    def right(settings: Settings) -> str:
        return next(each.pod.pod.metadata.name for each in _candidates(settings)["node-b"].attempts if each.reprieved)

    def why(settings: Settings, answer: str) -> str:
        decision, attempts = decide(settings), _candidates(settings)["node-b"].attempts
        return sentences((beside(decision, "node-b", answer), first_back(attempts)))

    handles = Handles(pods={name: {"data_pick": name} for name in pods})
    return Question(say("Which pod of node-b comes back?"), pods, right, why, _asked(handles, "node-b"), drawn=True)


def which_pod() -> Question[Settings]:
    """Who is evicted when start times decide, to be clicked in the picture."""
    pods = ("shop-b", "mail-c")

    def right(settings: Settings) -> str:
        return next(name for name in pods if name[-1] == _chosen(settings)[-1])

    def why(settings: Settings, _: str) -> str:
        return _why_not(settings, next(f"node-{name[-1]}" for name in pods if name != right(settings)))

    handles = Handles(pods={name: {"data_pick": name} for name in pods})
    asked = _asked(handles, crossed=True)
    return Question(say("Who is evicted: shop-b or mail-c?"), pods, right, why, asked, drawn=True)


def how_low() -> Question[Settings]:
    """How low the jobs' priority must be for rule 4 to decide, under the picture of rule 3's decision."""
    priorities = {"−100": -100, "−10⁹": -(10**9), "−2³¹": LOWEST}

    def right(settings: Settings) -> str:
        return next(each for each, jobs in priorities.items() if _decides(replace(settings, jobs=jobs)).number == 4)

    def why(settings: Settings, answer: str) -> str:
        if answer == right(settings):
            return _why_not(replace(settings, jobs=priorities[answer]), "node-c")
        less = answer.removeprefix("−")
        return say(
            "With {answer}, rule 3 still drops node-c: jobs-c adds 2³¹ − {less} to its sum, which is more than 0.",
            answer=answer,
            less=less,
        )

    def before(settings: Settings) -> Callable[[Room], Html]:
        return Scene(decide(settings)).picture

    text = say("How low must jobs go before rule 4 decides?")
    return Question(text, tuple(priorities), right, why, before, shows=lambda each: each.changed(jobs=LOWEST))


def _asked(handles: Handles, tried: str = "", crossed: bool = False) -> Callable[[Settings], Callable[[Room], Html]]:
    """The picture before the answer, in which a click is an answer; what is other than at first shows what it was.

    ``crossed``: each node's victims are marked.
    """

    def draw(settings: Settings) -> Callable[[Room], Html]:
        since = decide(Settings()) if settings != Settings() else None
        drawn = Scene(decide(settings), handles, rules=not tried, tried=tried, since=since)
        return drawn.victims if crossed else drawn.question

    return draw


def _candidates(settings: Settings) -> dict[str, Candidate]:
    found = decide(settings).preemption
    assert found is not None
    return found.candidates


def _chosen(settings: Settings) -> str:
    return decide(settings).nominated_node or ""


def _fewer(settings: Settings, answer: str) -> str:
    """That fewer pods leave the chosen node, if that is plain to see: the rule about sums decides."""
    candidates, chosen, decides = _candidates(settings), _chosen(settings), _decides(settings)
    other = "node-c" if answer == chosen else answer
    if decides.number != 3 or other not in decides.standing:
        return ""
    more, less = (len(candidates[node].victims) for node in (other, chosen))
    message = later("On {node}, only {less} has to leave; on {other}, {more}.")
    return say(message, node=chosen, less=count(less, "pod"), other=other, more=more) if less == 1 < more else ""


def _decides(settings: Settings) -> RuleResult:
    """The rule that leaves one node."""
    preemption = decide(settings).preemption
    assert preemption is not None
    return next(step for step in steps(preemption, list(preemption.candidates)) if step.decides)


def _why_not(settings: Settings, node: str) -> str:
    """Why this node is not chosen; of the chosen one, why it is."""
    decision = decide(settings)
    return fate(decision, node) if node != decision.nominated_node else decided_and_why(decision)[1]
