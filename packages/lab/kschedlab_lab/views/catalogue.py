"""Predicates and priorities in tables: the lists, and what one of them says about a pod and its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.decision import Decision, NodeVerdict
from kschedlab.messages import later, listed, meant, say, terms
from kschedlab.text.words import outcome
from kschedlab_lab.views.table import NotebookTable

Facts = Sequence[tuple[str, bool]]
"""What each switch changes, and whether it is on."""


def _switched(on: bool) -> str:
    return say("on") if on else say("off")


def _said(verdict: NodeVerdict) -> str:
    return say("fits") if verdict.passes else f"{verdict.plugin}: {_reasons(verdict)}"


def _reasons(verdict: NodeVerdict) -> str:
    return listed(verdict.reasons)


def score_sentence(name: str, decision: Decision) -> str:
    """The scores that the priority gives, and where the pod goes by the sum of all priorities."""
    scores = decision.scores
    if scores is None:
        return outcome(decision)
    row = scores.plugins.index(name)
    given = [
        f"{decision.cluster.names[n]} {score}"
        for n, score in zip(scores.nodes.tolist(), scores.rows[row].normalized.tolist(), strict=True)
    ]
    best = decision.best
    goes = (
        say("web goes to {node}", node=best[0])
        if len(best) == 1
        else say("{nodes} are equal: one of them is drawn", nodes=say(" and ").join(best))
    )
    message = later("{priority} gives {scores} of 10; summed over all eight, {goes}.")
    return say(message, priority=name, scores=listed(given), goes=goes)


def score_table(name: str, asks: str, facts: Facts, decision: Decision) -> NotebookTable:
    """What the priority ``asks``, what the switches mean, and each node's raw, weighted and total scores."""
    scores = decision.scores
    names, head = terms(meant("difference", "trial"), "counterweight"), ("", *terms("raw", "0..10", "x weight"), "")
    rows = [(say("it asks"), "", "", "", asks)]
    rows += [(name, _switched(on), "", "", what) for name, (what, on) in zip(names, facts, strict=True)]
    if scores is None:
        rows += [(each, "", "", "", _said(decision.verdict(each))) for each in decision.cluster.names]
        return NotebookTable(head, tuple(rows))
    row = scores.plugins.index(name)
    scored, weight = scores.rows[row], scores.weights[row]
    for i, n in enumerate(scores.nodes.tolist()):
        reduced, result, total = int(scored.normalized[i]), int(scores.results[row, i]), int(scores.total[i])
        sums = f"{reduced} x {weight} = {result}"
        rows.append(
            (decision.cluster.names[n], str(scored.raw[i]), str(reduced), sums, say("all eight: {total}", total=total))
        )
    return NotebookTable(head, tuple(rows))
