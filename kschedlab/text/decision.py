"""The sections of a decision: the outcome, then one for each stage that has results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from kschedlab.decision import Decision
from kschedlab.extenders import ExtenderCall
from kschedlab.filter.dynamic_resources import installed, plugin_for
from kschedlab.messages import later, say, terms
from kschedlab.preemption.evidence import Attempt, Candidate, Preemption
from kschedlab.score.stage import Scores
from kschedlab.text.ladder import columns, ladder_table
from kschedlab.text.sections import (
    BAD,
    DECIDES,
    GOOD,
    WARNING,
    WEAK,
    Cell,
    Limits,
    Line,
    Lines,
    Names,
    Part,
    Row,
    Section,
    Strong,
    Table,
)
from kschedlab.text.words import (
    Clock,
    choice,
    clock,
    count,
    init_containers_text,
    listing,
    outcome,
    refusals,
    request_text,
    without_key_text,
)


def decision_sections(decision: Decision, limits: Limits) -> Iterator[Section]:
    """The whole decision; a stage without results has no section. O(nodes)."""
    mark = GOOD if decision.node is not None else WARNING if decision.nominated_node is not None else BAD
    demands = [text for text in (request_text(decision), init_containers_text(decision)) if text]
    yield Section(outcome(decision), demands, mark=mark)
    yield from _refused(decision)
    yield from device_sections(decision)
    yield from _extended(decision)
    if decision.scores is not None:
        yield _scored(decision, decision.scores, limits)
    if decision.preemption is not None and len(decision.preemption.positions):
        yield _preempted(decision.preemption, limits)
    if event := decision.event:
        yield Section(say("Event"), [event])


def _refused(decision: Decision) -> Iterator[Section]:
    rows = []
    for refusal in refusals(decision):
        also = listing([f"{plugin} ({nodes:,})" for plugin, nodes in refusal.also])
        reasons: list[Line] = ["; ".join(refusal.reasons), Names(refusal.nodes)]
        if also:
            reasons.append(say("also refused by {plugins}", plugins=also))
        helps = say("does not help") if refusal.unresolvable else say("may help")
        rows.append(Row([len(refusal.nodes), refusal.plugin, Lines(reasons), helps]))
    if rows:
        table = Table(terms("nodes", "plugin", "reasons", "evicting"), rows)
        yield Section(say("Refused by filters"), [table, *_failing(decision)])


def _failing(decision: Decision) -> Iterator[str]:
    """The filters that end with an error on nodes where another one refuses first."""
    verdicts = decision.verdicts
    assert verdicts is not None
    for plugin, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        for part in refused.parts if refused is not None else ():
            if part.error and part.mask.any():
                nodes = count(int(part.mask.sum()), "node")
                yield say("{plugin} would fail on {nodes}: {error}", plugin=plugin, nodes=nodes, error=part.reason)


def device_sections(decision: Decision) -> Iterator[Section]:
    pod, cluster = decision.pod, decision.cluster
    plugin = plugin_for(pod, cluster, decision.generation.filters)
    claims = installed() if plugin is not None else None
    # without a package, the decision ended before devices were considered
    if plugin is not None and claims is not None:
        yield from claims.sections(plugin, pod, cluster, decision.node, decision.verdicts)


def _extended(decision: Decision) -> Iterator[Section]:
    if decision.calls:
        rows = [Row([call.extender, call.verb, _answer(call)]) for call in decision.calls]
        yield Section(say("Extenders"), [Table(terms("extender", "is asked to", "answer"), rows)])


def _answer(call: ExtenderCall) -> str:
    if call.error:
        return say("fails: {error}", error=call.error)
    if call.verb == "prioritize":
        return say("scores {nodes}", nodes=count(len(call.offered), "node"))
    return say("keeps {kept:,} of {nodes}", kept=len(call.kept), nodes=count(len(call.offered), "node"))


# -- scores


def ranking(scores: Scores, names: Sequence[str], chosen: str | None) -> list[int]:
    """Indices of the nodes: highest total first, the chosen node first among equals, then by name."""
    totals = scores.total.tolist()
    return sorted(range(len(names)), key=lambda i: (-totals[i], names[i] != chosen, names[i]))


def _scored(decision: Decision, scores: Scores, limits: Limits) -> Section:
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    order = ranking(scores, names, decision.node)
    best, rest = order[: limits.nodes], order[limits.nodes :]
    rows = []
    for i in best:
        mark = DECIDES if names[i] == decision.node else ""
        rows.append(Row([Names([names[i]]), *sums_of(scores, i), int(scores.total[i])], mark))
    parts: list[Part] = [Table([say("node"), *scores.plugins, say("total")], rows, turned=True)]
    if rest:
        parts.append(_lower([(int(scores.total[i]), names[i]) for i in rest], limits.totals))
    if len(decision.best) > 1:
        shared = say("{number:,} nodes share the highest score, one of them is drawn:", number=len(decision.best))
        parts += [shared, Names(decision.best)]
    if ignored := without_key_text(decision):
        parts.append(ignored)
    title = say("Scores of {nodes}", nodes=count(len(names), "feasible node"))
    totals = len({int(scores.total[i]) for i in rest})
    return Section(title, parts, say("(raw → normalised × weight)"), cut=totals > limits.totals)


def sums_of(scores: Scores, i: int) -> list[str]:
    columns = zip(scores.weights, scores.rows, scores.results, strict=True)
    return [f"{row.raw[i]} → {row.normalized[i]} × {weight} = {result[i]}" for weight, row, result in columns]


def _lower(nodes: Sequence[tuple[int, str]], limit: int) -> Table:
    groups = [(total, [name for _, name in same]) for total, same in groupby(nodes, key=lambda node: node[0])]
    shown, hidden = groups[:limit], groups[limit:]
    rows = [Row([total, len(equal), Names(equal)]) for total, equal in shown]
    if hidden:
        total, equal = hidden[-1]
        more = sum(len(equal) for _, equal in hidden)
        rows.append(Row(["…", more, Names(equal[-1:], say("down to {total} of ", total=total))]))
    return Table([*terms("total", "nodes"), ""], rows)


# -- preemption


def _preempted(preemption: Preemption, limits: Limits) -> Section:
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
