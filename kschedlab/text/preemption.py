"""Preemption's candidates as a table, and in a sentence which rule chose the node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kschedlab.cluster.pods import PodInfo
from kschedlab.messages import later, listed, say, terms
from kschedlab.preemption.evidence import Attempt, Candidate, Preemption
from kschedlab.text.ladder import columns, ladder_table
from kschedlab.text.sections import DECIDES, WEAK, Cell, Limits, Names, Part, Row, Section, Strong, Table
from kschedlab.text.words import Clock, clock, count, listing


def preemption_section(preemption: Preemption, limits: Limits) -> Section:
    number, potential = len(preemption.positions), len(preemption.potential)
    parts: list[Part] = [candidates_table(preemption, limits)]
    if number > limits.candidates:
        parts.append(say("and {candidates}", candidates=count(number - limits.candidates, "more candidate")))
    parts.append(choice(preemption))
    if number > 1:
        parts.append(ladder_table(preemption, limits.rungs))
    message = later("{candidates} among {nodes} where evicting may help")
    among = say(message, candidates=count(number, "candidate"), nodes=count(potential, "node"))
    pods = max(len(preemption.candidates[node].attempts) for node in columns(preemption, limits.candidates))
    cut = number > limits.candidates or pods > limits.pods
    return Section(say("Preemption:"), parts, among, cut=cut)


def candidates_table(preemption: Preemption, limits: Limits) -> Table:
    """The candidates that survived most rules: whom each evicts and whom it keeps, in the order of the reprieve."""
    nodes = columns(preemption, limits.candidates)
    moment = clock(attempt.pod.start for node in nodes for attempt in preemption.candidates[node].attempts)
    rows = []
    for node in nodes:
        name: Cell = Names([node])
        for cells, mark in _fates(preemption.candidates[node], moment, limits.pods):
            chosen = node == preemption.nominated_node and not mark
            rows.append(Row([name, *cells], DECIDES if chosen else mark))
            name = ""
    return Table(["", "", *terms("pod", "priority", "started", "else refused by")], rows)


def _fates(candidate: Candidate, moment: Clock, limit: int) -> Iterator[tuple[list[Cell], str]]:
    """A row for each pod that might be evicted; of many, the victims first, and the number of the others."""
    by_key = {attempt.pod.key: attempt for attempt in candidate.attempts}
    victims = {victim.key: by_key[victim.key] for victim in candidate.victims}
    few = len(by_key) <= limit
    for key, attempt in by_key.items() if few else list(victims.items())[:limit]:
        yield _fate(attempt, key in victims, moment), "" if key in victims else WEAK
    if not few and (rest := len(victims) - limit) > 0:
        yield [say("evicts"), count(rest, "more pod"), "", "", ""], ""
    if not few and (kept := sum(attempt.reprieved for attempt in candidate.attempts)):
        yield [say("keeps"), count(kept, "pod"), "", "", ""], WEAK
    if candidate.violations:
        yield ["", count(candidate.violations, "PodDisruptionBudget violation"), "", "", ""], ""


def _fate(attempt: Attempt, evicted: bool, moment: Clock) -> list[Cell]:
    pod, otherwise = attempt.pod, attempt.refused_by or "" if evicted else ""
    fate = say("evicts") if evicted else say("keeps")
    marked = say("{fate} (PDB)", fate=fate) if attempt.violates else fate
    return [Strong(marked) if evicted else marked, Names([pod.key]), pod.priority, moment(pod.start), otherwise]


def choice(preemption: Preemption) -> str:
    """The rule that chose the node, in one sentence; "" if no node was chosen."""
    node, candidates = preemption.nominated_node, len(preemption.positions)
    if node is None:
        return ""
    if preemption.free is not None:
        return say("{node} needs no victims, because only an extender refuses it: no rule is asked.", node=node)
    if candidates == 1:
        return say("{node} is the only candidate, so no rule is asked.", node=node)
    for number, rung in enumerate(preemption.rungs, start=1):
        if rung.decides:
            beaten = preemption.positions[rung.entered & ~rung.kept].tolist()
            over = listing(sorted(preemption.cluster.names[n] for n in beaten), 3)
            message = later("Of {candidates:,} candidates, rule {number} ({rule}) chooses {node} over {others}.")
            return say(message, candidates=candidates, number=number, rule=say(rung.rule.name), node=node, others=over)
    message = later("All {rules} rules leave a tie of {tied}; the scheduler takes any of them, here {node}.")
    return say(message, rules=len(preemption.rungs), tied=listing(preemption.tied), node=node)


def preempting(preemption: Preemption, stays: str) -> str:
    """What preemption does for a pod that ``stays`` pending, in one sentence."""
    node = preemption.nominated_node
    if node is not None:
        victims = evicted(preemption.victims)
        return say("{stays}; it preempts {victims} on {node}.", stays=stays, victims=victims, node=node)
    if not preemption.eligible:
        return say("{stays} and may not preempt: {reason}.", stays=stays, reason=preemption.reason)
    if preemption.failure:
        return say("{stays}, and preemption fails: {failure}.", stays=stays, failure=preemption.failure)
    return say("{stays}, and preemption does not help.", stays=stays)


def evicted(victims: Sequence[PodInfo]) -> str:
    """The names of up to three victims, otherwise their number."""
    if len(victims) > 3 or not victims:
        return count(len(victims), "pod")
    *others, last = (victim.pod.metadata.name for victim in victims)
    return say("{others} and {last}", others=listed(others), last=last) if others else last
