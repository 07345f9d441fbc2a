"""An explanation as text and HTML: the decision, and for a running pod whether it would stay on its node."""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.explanation import Explanation
from kschedlab.messages import say, sentences
from kschedlab.text.html import Html, element, join, visible
from kschedlab.text.plain import decision_text
from kschedlab.text.tables import decision_tables
from kschedlab.text.your_cluster import again

PAGE = (
    ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:1.5em;line-height:1.4}"
    "section{margin-bottom:2em}"
)


def explanation_text(explanation: Explanation) -> str:
    """The decision as text, after a line about where a running pod is."""
    text = decision_text(explanation.decision)
    return text if explanation.runs_on is None else f"{visible(running(explanation))}\n{text}"


def explanation_html(explanation: Explanation) -> str:
    """The explanation as an HTML fragment."""
    return str(_tables(explanation))


def page_html(explanations: Iterable[Explanation]) -> str:
    """Explanations as a self-contained HTML page."""
    sections = [element("section", _tables(each)) for each in explanations]
    head = element("head", element("meta", charset="utf-8"), element("title", "kschedlab"), element("style", PAGE))
    body = element("body", *(sections or [element("p", say("no pending pods"))]))
    return f"<!DOCTYPE html>{element('html', head, body, lang='en')}"


def _tables(explanation: Explanation) -> Html:
    tables = decision_tables(explanation.decision)
    return tables if explanation.runs_on is None else join([element("p", running(explanation)), tables])


def running(explanation: Explanation) -> str:
    """Where the pod runs, and whether it would land there again."""
    decision, node = explanation.decision, explanation.runs_on
    result = again(decision, node)
    if node is not None and node in decision.best:
        one = len(decision.best) == 1
        result = say(
            "Scheduled again, it would land on the node where it runs."
            if one
            else "Scheduled again, it may land on the node where it runs."
        )
    return sentences((say("{pod} runs on {node}.", pod=decision.pod.key, node=node), result))
