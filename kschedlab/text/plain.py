"""A Decision as plain text, for a terminal. Many nodes are folded: what matters first, then how many follow."""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.claims import demands_devices, installed
from kschedlab.decision import Decision
from kschedlab.extenders.extender import Call
from kschedlab.messages import later, say, terms
from kschedlab.preemption.stage import Attempt, Candidate, Preemption
from kschedlab.score.stage import Scores
from kschedlab.text.html import visible
from kschedlab.text.ladder import columns, ladder_text
from kschedlab.text.words import Clock, aligned, choice, clock, count, listing, outcome, refusals, request_text

NODES = 4
"""Number of best nodes with a column of scores."""
OTHERS = 8
"""Number of further nodes listed with their total."""
CANDIDATES = 6
"""Number of candidates shown in full."""


def decision_text(decision: Decision) -> str:
    """The whole decision in sections; empty ones are omitted. O(nodes)."""
    lines = [say("{pod} ({request})", pod=decision.pod.key, request=request_text(decision)), outcome(decision)]
    for section in (_refused, device_lines, _extended, _scored, _preempted, _event):
        if section_lines := list(section(decision)):
            lines += ["", *section_lines]
    return "\n".join(visible(line) for line in lines)


def _refused(decision: Decision) -> Iterator[str]:
    rows = [terms("nodes", "plugin", "reasons", "evicting", "which")]
    for refusal in refusals(decision):
        helps = say("does not help") if refusal.unresolvable else say("may help")
        reasons, which = "; ".join(refusal.reasons), listing(refusal.nodes)
        rows.append([f"{len(refusal.nodes):,}", refusal.plugin, reasons, helps, which])
        if refusal.also:
            plugins = listing([f"{plugin} ({nodes:,})" for plugin, nodes in refusal.also])
            rows.append(["", "", say("also refused by {plugins}", plugins=plugins), "", ""])
    if len(rows) > 1:
        yield say("Refused by filters")
        yield from aligned(rows)


def device_lines(decision: Decision) -> Iterator[str]:
    """Which devices the pod gets, or why nodes cannot serve its claims: headlines, and indented lines below them."""
    claims = installed() if demands_devices(decision.pod, decision.cluster) else None
    if claims is not None:  # without a package, the decision did not come to devices
        yield from claims.lines(decision)


def _extended(decision: Decision) -> Iterator[str]:
    if decision.calls:
        yield say("Extenders")
        yield from aligned(
            [["", *terms("asked for", "answer")], *([c.extender, c.verb, answer_text(c)] for c in decision.calls)]
        )


def answer_text(call: Call) -> str:
    """An extender's answer in a few words."""
    if call.error:
        return say("fails: {error}", error=call.error)
    if call.verb == "prioritize":
        return say("scores {nodes}", nodes=count(len(call.offered), "node"))
    return say("keeps {kept:,} of {nodes}", kept=len(call.kept), nodes=count(len(call.offered), "node"))


def _scored(decision: Decision) -> Iterator[str]:
    scores = decision.scores
    if scores is None:
        return
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    order = ranking(scores, names, decision.node)
    best = order[:NODES]
    yield say("Scores of {nodes} (raw -> normalised x weight)", nodes=count(len(names), "feasible node"))
    yield from aligned([["", *(names[i] for i in best)], *_score_rows(scores, best)])
    if rest := order[NODES:]:
        named = [f"{names[i]} {scores.total[i]}" for i in rest]
        last = say(", down to {node}", node=named[-1]) if len(rest) > OTHERS else ""
        yield "  " + say("then {nodes}{last}", nodes=listing(named, OTHERS), last=last)
    if (tied := decision.best) and len(tied) > 1:
        message = later("{number:,} nodes share the highest score, one of them is drawn: {nodes}")
        yield "  " + say(message, number=len(tied), nodes=listing(tied))


def _score_rows(scores: Scores, best: list[int]) -> Iterator[list[str]]:
    for plugin, weight, row, result in zip(scores.plugins, scores.weights, scores.rows, scores.results, strict=True):
        yield [plugin, *(f"{row.raw[i]} -> {row.normalized[i]} x {weight} = {result[i]}" for i in best)]
    yield [say("total"), *(str(scores.total[i]) for i in best)]


def ranking(scores: Scores, names: list[str], chosen: str | None) -> list[int]:
    """Indices of the nodes: highest total first, the chosen node first among equals, then by name."""
    totals = scores.total.tolist()
    return sorted(range(len(names)), key=lambda i: (-totals[i], names[i] != chosen, names[i]))


def _preempted(decision: Decision) -> Iterator[str]:
    preemption = decision.preemption
    if preemption is None or not len(preemption.positions):
        return
    nodes = columns(preemption, CANDIDATES)
    moment = candidates_clock(preemption, nodes)
    found, potential = len(preemption.positions), len(preemption.potential)
    yield say(
        "Preemption: {candidates} among {nodes} where evicting may help",
        candidates=count(found, "candidate"),
        nodes=count(potential, "node"),
    )
    rows = [terms("node", "violations", "evicts", "keeps")]
    for node in nodes:
        evicts, keeps = fates(preemption.candidates[node], moment)
        rows.append([node, str(preemption.candidates[node].violations), listing(evicts, 4), listing(keeps, 4) or "-"])
    yield from aligned(rows)
    if found > len(nodes):
        yield "  " + say("and {candidates}", candidates=count(found - len(nodes), "more candidate"))
    yield choice(preemption)
    if found > 1:
        yield from ladder_text(preemption)


def candidates_clock(preemption: Preemption, nodes: list[str]) -> Clock:
    """A formatter for the start times of the pods on these candidates."""
    return clock(a.pod.start for node in nodes for a in preemption.candidates[node].attempts)


def fates(candidate: Candidate, moment: Clock) -> tuple[list[str], list[str]]:
    """(the victims, the reprieved), each with priority, start, and whether its eviction breaks a budget."""
    by_key = {attempt.pod.key: attempt for attempt in candidate.attempts}
    evicted = [_fate(by_key[victim.key], moment) for victim in candidate.victims]
    return evicted, [_fate(attempt, moment) for attempt in candidate.attempts if attempt.reprieved]


def _fate(attempt: Attempt, moment: Clock) -> str:
    budget = ", PDB" if attempt.violates else ""
    return f"{attempt.pod.key} ({attempt.pod.priority}, {moment(attempt.pod.start)}{budget})"


def _event(decision: Decision) -> Iterator[str]:
    if event := decision.event:
        yield say("Event: {event}", event=event)
