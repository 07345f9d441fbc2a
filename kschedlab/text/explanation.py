"""The sections of an explanation: the decision, and for a running pod whether it would stay on its node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedlab.decision import Decision
from kschedlab.explanation import Explanation, PendingPods
from kschedlab.messages import later, say, sentences
from kschedlab.text.decision import decision_sections
from kschedlab.text.html import element
from kschedlab.text.sections import Limits, Section
from kschedlab.text.tables import LIMITS, html

PAGE = (
    ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:1.5em;line-height:1.4}"
    "section{margin-bottom:2em}"
)


def explanation_sections(explanation: Explanation, limits: Limits) -> Iterator[Section]:
    if explanation.runs_on is not None:
        yield Section(running(explanation))
    yield from decision_sections(explanation.decision, limits)


def pending_sections(pending: PendingPods, limits: Limits) -> Iterator[Section]:
    for explanation in pending:
        yield from explanation_sections(explanation, limits)
    if not pending:
        yield Section(say("no pending pods"))


def running(explanation: Explanation) -> str:
    """The node of the running pod, and whether it would land there again."""
    decision, node = explanation.decision, explanation.runs_on
    result = again(decision, node)
    if node is not None and node in decision.best:
        would = later("Scheduled again, it would land on the node where it runs.")
        may = later("Scheduled again, it may land on the node where it runs.")
        result = say(would if len(decision.best) == 1 else may)
    return sentences((say("{pod} runs on {node}.", pod=decision.pod.key, node=node), result))


def again(decision: Decision, was_on: str | None) -> str:
    """Whether a running pod would land on its node again; "" for a pending pod."""
    if was_on is None or decision.node is None:
        return ""
    if was_on in decision.best:
        would = later("So it would land on the node where it runs.")
        return say(would if len(decision.best) == 1 else later("So it may land on the node where it runs."))
    if (plugin := decision.verdict(was_on).plugin) is not None:
        return say("The node where it runs is refused now, by {plugin}.", plugin=plugin)
    scores = decision.scores
    assert scores is not None, "a node that passes and is not the best was scored"
    place = scores.nodes.tolist().index(decision.cluster.index[was_on])
    return say("The node where it runs is {points} behind.", points=scores.total.max() - scores.total[place])


def page_html(explanations: Iterable[Explanation]) -> str:
    sections = [element("section", html(explanation_sections(each, LIMITS))) for each in explanations]
    head = element("head", element("meta", charset="utf-8"), element("title", "kschedlab"), element("style", PAGE))
    body = element("body", *(sections or [element("p", say("no pending pods"))]))
    return f"<!DOCTYPE html>{element('html', head, body, lang='en')}"
