"""Predicates and priorities in tables: the lists, and what one of them says about a pod and its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.decision import Decision, NodeVerdict
from kschedlab.messages import later, listed, meant, say, terms
from kschedlab.text.words import outcome
from kschedlab_lab.views.loop import NotebookTable

Facts = Sequence[tuple[str, bool]]
"""What each switch changes, and whether it is on."""


@dataclass(frozen=True)
class Predicate:
    """``sort``: the document's class; ``listed``: in the document; ``by_default``: in v1.16; ``part`` of another.

    ``called``: the function's name, where the document uses it in place of the predicate's.
    """

    name: str
    sort: str
    listed: bool
    by_default: bool
    part: bool
    called: str = ""


def predicates_table(predicates: Sequence[Predicate]) -> NotebookTable:
    """All predicates in v1.16's order: which ones the document lists, and which ones v1.16 runs."""
    rows, number = [], 0
    for each in predicates:
        number += each.by_default
        asked = (
            say("asked as number {number}", number=number)
            if each.by_default
            else say("inside GeneralPredicates")
            if each.part
            else say("taken out")
        )
        note = "" if each.part or each.by_default == each.listed else "TaintNodesByCondition"
        document = say("listed") if each.listed else say("as {called}", called=each.called) if each.called else "-"
        rows.append((each.name, each.sort, document, asked, note))
    return NotebookTable(tuple(terms("predicate", "class", "document", "v1.16", "because of")), tuple(rows))


def predicates_sentence(predicates: Sequence[Predicate]) -> str:
    """How many predicates the document lists and v1.16 runs, in a sentence."""
    there, asked = (sum(found) for found in zip(*((each.listed, each.by_default) for each in predicates), strict=True))
    both = sum(each.listed and each.by_default for each in predicates)
    return say(
        "The document lists {listed}; v1.16 asks {asked} by default: {both} of these, and {more} more.",
        listed=there,
        asked=asked,
        both=both,
        more=asked - both,
    )


def verdict_sentence(name: str, alone: Decision, default: Decision, node: str) -> str:
    """What the predicate alone says about the node, and what the default predicates say."""
    mine, theirs = alone.verdict(node), default.verdict(node)
    said = (
        say("{predicate} lets web onto {node}", predicate=name, node=node)
        if mine.passes
        else say("{predicate} refuses {node}: {reasons}", predicate=name, node=node, reasons=_reasons(mine))
    )
    if theirs.passes:
        return say("{verdict}; the default predicates let it pass.", verdict=said)
    return say("{verdict}; with the default predicates, {plugin} refuses it.", verdict=said, plugin=theirs.plugin)


def verdict_table(facts: Facts, alone: Decision, default: Decision, node: str) -> NotebookTable:
    """The meaning of the switches, and both verdicts with their reasons."""
    names = terms("in the way", "way out")
    rows = [(name, _switched(on), what) for name, (what, on) in zip(names, facts, strict=True)]
    for name, decision in ((say("asked alone"), alone), (say("v1.16's default"), default)):
        verdict = decision.verdict(node)
        rows.append((name, verdict.plugin or say("passes"), _reasons(verdict)))
    return NotebookTable(("", *terms("now", "that is")), tuple(rows))


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
