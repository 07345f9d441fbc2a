"""An answer as sections: what the pod is, why, what would change it, and what is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.explanation import again
from kschedlab.program.terminal.names import shortened
from kschedlab.text.preemption import choice
from kschedlab.text.scores import without_key_text
from kschedlab.text.sections import BAD, GOOD, WARNING, WEAK, Line, Lines, Names, Part, Row, Section, Table
from kschedlab.text.words import count, human_duration, init_containers_text, listing, request_text
from kschedlab.whatif.answers import WhatIf, whatif_answers
from kschedlab_why.answer import (
    BOUND,
    ENDING,
    FINISHED,
    GATED,
    NOMINATED,
    OTHERS,
    Answer,
    Setting,
    failed,
)
from kschedlab_why.refused import groups
from kschedlab_why.why_not import WhyNot, compared, margin, why_not, why_not_table

DONE = (BOUND, FINISHED, ENDING)
NOTHING = re.compile(r"asking for 0m? (\S+)")
GROUPS, CHANGES, LEFT_OUT = 6, 3, 3
"""Without ``--all``: how many groups of nodes, changes of one kind, and objects that cannot be understood are shown."""
HEAD = 10
"""Maximum length of a node's name above its numbers; the sentences have it in full."""
KIND_ORDER = ("requests", "constraints", "nodes", "priority", "eviction", "without")
"""What is tried first; a pod without one of its resources is another pod."""


def answer_sections(answer: Answer, at: int, all: bool) -> Iterator[Section]:
    """The whole answer. ``at``: the time now; ``all``: every node and change, not only the first few."""
    about = " ".join(filter(None, [_asks(answer), _waits(answer, at)]))
    yield Section(_headline(answer), [*([about] if about else []), *_situation(answer)], mark=_mark(answer))
    if answer.whatif is not None:
        yield from _decided(answer, answer.whatif, all)
    yield from _scheduler_says(answer, at)
    yield from setting_sections(answer.setting, all, decided=answer.whatif is not None or answer.situation == OTHERS)


def setting_sections(setting: Setting, all: bool = False, decided: bool = True) -> Iterator[Section]:
    """The kinds that were not readable, and the notes about the scheduler if anything was decided."""
    reading = setting.reading
    parts: list[Part] = []
    kinds: dict[str, list[str]] = {}
    for gap in reading.gaps if setting.cluster is not None else reading.gaps[:1]:
        kinds.setdefault(gap.unknown, []).append(gap.what)
    if kinds:
        rows = [Row([", ".join(names), unknown]) for unknown, names in kinds.items()]
        parts.append(Table(["kinds", "so"], rows))
    parts += [f"{who} may not list them." for who in dict.fromkeys(gap.who for gap in reading.gaps)]
    faults = reading.left_out if all else reading.left_out[:LEFT_OUT]
    parts += [f"left out: {fault}" for fault in faults]
    if rest := len(reading.left_out) - len(faults):
        parts.append(f"and {count(rest, 'more object')} left out")
    if parts:
        yield Section("Not readable", parts, cut=bool(rest))
    if setting.notes and decided:
        yield Section("Decided with", list(setting.notes))


# -- what the pod is


def _headline(answer: Answer) -> str:
    pod, key = answer.pod, answer.pod.key
    node, decision = pod.spec.nodeName, answer.decision
    if answer.situation == FINISHED:
        return f"{key} has finished ({pod.status.phase}); nothing schedules it any more."
    if answer.situation == ENDING:
        return f"{key} is being deleted before it got a node; nothing schedules it any more."
    if answer.situation == BOUND:
        if pod.metadata.deletionTimestamp is not None:
            return f"{key} is on {node} and is being deleted."
        return f"{key} runs on {node}." if pod.status.phase == "Running" else f"{key} is bound to {node}."
    if answer.situation == OTHERS:
        return f"{key} is another scheduler's pod: its schedulerName is {pod.spec.schedulerName}."
    if answer.situation == GATED:
        gates = listing([gate.name for gate in pod.spec.schedulingGates])
        return f"{key} is pending: it waits for its scheduling gates: {gates}."
    if answer.situation == NOMINATED:
        return f"{key} is pending: room is being made for it on {pod.status.nominatedNodeName}."
    if decision is None:
        return f"{key} is pending."
    return f"{key} is pending: {_pending(decision)}"


def _pending(decision: Decision) -> str:
    nodes = len(decision.cluster.nodes)
    if decision.error:
        return f"the decision fails: {decision.error}"
    if decision.node is not None:
        return f"it fits now, and would go to {decision.node}."
    if not nodes:
        return "the cluster has no nodes."
    if decision.nominated_node is not None:
        victims = decision.preemption.victims if decision.preemption is not None else ()
        return f"it fits on no node as it is, but may evict {count(len(victims), 'pod')} on {decision.nominated_node}."
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        return f"no node is looked at: {'; '.join(decision.verdicts.rejected.reasons)}."
    return f"none of {count(nodes, 'node')} can take it." if nodes > 1 else "the only node cannot take it."


def _mark(answer: Answer) -> str:
    if answer.situation in (BOUND, FINISHED):
        return GOOD
    decision = answer.decision
    if decision is None or decision.gates:
        return ""
    return GOOD if decision.node is not None else WARNING if decision.nominated_node is not None else BAD


def _asks(answer: Answer) -> str:
    if answer.decision is None:
        return ""
    pod = answer.decision.pod
    return " ".join(filter(None, [f"It {request_text(pod)}.", init_containers_text(pod)]))


def _waits(answer: Answer, at: int) -> str:
    created = answer.pod.metadata.creationTimestamp
    if answer.situation in DONE or created is None:
        return ""
    return f"It has waited for {human_duration(at - created)}."


def _situation(answer: Answer) -> Iterator[str]:
    """Sentences about the pod's situation."""
    decision = answer.decision
    if answer.situation == OTHERS:
        yield from _others(answer)
    elif answer.situation == GATED:
        yield "No scheduler considers it until its gates are removed."
    elif answer.situation == NOMINATED:
        yield _nominated(answer)
    elif answer.situation == BOUND:
        yield from _bound(answer)
    elif decision is not None and decision.node is not None:
        yield (
            "kube-scheduler should bind it within seconds, after a failed attempt within some minutes. If nothing "
            "happens, see whether kube-scheduler runs, and whether it is configured differently from what is assumed "
            "here."
        )
    if decision is not None and "pods" not in answer.setting.reading.readable:
        yield (
            "Only pods of its namespace are readable, so nodes look emptier here than they are: a refusal is "
            "certain, a fit is not."
        )
    if decision is None and answer.situation not in (OTHERS, *DONE):
        what = "Nodes" if answer.setting.cluster is None else "Its volumes or claims"
        yield f"{what} are not readable, so nothing can be decided here."


def _others(answer: Answer) -> Iterator[str]:
    name = answer.pod.spec.schedulerName
    yield f"kube-scheduler leaves it alone. Only {name} gives it a node: look at its pods and logs."
    bound = sum(bool(pod.spec.nodeName) for pod in answer.siblings)
    others = len(answer.siblings) - 1
    if not others:
        yield f"It is the only pod of {name}. Does a scheduler of that name run here?"
    elif not bound:
        yield f"{name} has given none of its {count(len(answer.siblings), 'pod')} a node. Does it run here?"
    else:
        yield f"Of {count(others, 'other pod')} of {name}, {bound:,} {'has' if bound == 1 else 'have'} a node."


def _nominated(answer: Answer) -> str:
    node = answer.pod.status.nominatedNodeName
    pods = answer.setting.reading.objects.pods
    leaving = [p.key for p in pods if p.spec.nodeName == node and p.metadata.deletionTimestamp is not None]
    if not leaving:
        return f"No pod is ending on {node} any more: the next attempt should place it, if nothing took the room."
    verb = "is" if len(leaving) == 1 else "are"
    return f"On {node}, {listing(leaving, 3)} {verb} still ending. Then it goes there, unless another node is free."


def _bound(answer: Answer) -> Iterator[str]:
    """Why a bound pod does not run, in the kubelet's words: that is not the scheduler's business."""
    cluster = answer.setting.cluster
    if cluster is not None and answer.pod.spec.nodeName not in cluster.index:
        yield (
            f"There is no node {answer.pod.spec.nodeName}: the pod is left over, and the garbage collector removes it."
        )
        return
    status = answer.pod.status
    for container in (*status.initContainerStatuses, *status.containerStatuses):
        waiting = container.state.waiting
        if waiting is not None and waiting.reason not in ("", "PodInitializing"):
            why = f": {waiting.message}" if waiting.message else ""
            yield f"Scheduling is done. Its container {container.name} waits: {waiting.reason}{why}"
            return


# -- the decision


def _decided(answer: Answer, whatif: WhatIf, all: bool) -> Iterator[Section]:
    decision = whatif.decision
    if answer.node not in ("", decision.node) and answer.node in decision.cluster.index:
        yield _why_not(decision, answer.node, answer.pod.spec.nodeName)
    elif decision.node is not None:
        yield _why_there(decision, answer.pod.spec.nodeName or None)
    if not decision.gates and not answer.node:
        yield from _refused(decision, all)
        yield from decision.device_sections()
        yield from _victims(decision)
    if answer.larger is not None:
        yield _larger(answer, answer.larger.decision)
    elif not answer.node:
        yield _changes(whatif, all)


def _why_there(decision: Decision, was_on: str | None) -> Section:
    title = "Why there" if was_on is None or was_on == decision.node else "Where it would go now"
    goes = decision.outcome.removeprefix(f"{decision.pod.key} goes to ")
    begin = "Decided again, without it on its node, it" if was_on is not None else "It"
    parts: list[Part] = [f"{begin} goes to {goes}"]
    there = was_on if was_on in decision.cluster.index else None
    if more := " ".join(filter(None, [margin(decision), again(decision, there)])):
        parts.append(more)
    nodes, lines = compared(decision, there)
    if lines:
        short = shortened(nodes, HEAD)
        heads = [f"{short[node]} (now)" if node == was_on else short[node] for node in nodes]
        rows = [Row([line.title, line.chosen, *line.others]) for line in lines]
        parts.append(Table(["weighted score", *heads], rows))
    if decision.scores is not None and (ignored := without_key_text(decision.scores, decision.pod, decision.cluster)):
        parts.append(ignored)
    return Section(title, parts)


def _refused(decision: Decision, all: bool) -> Iterator[Section]:
    refusing = groups(decision)
    if not refusing:
        return
    parts: list[Part] = [refused_table(decision, None if all else GROUPS)]
    if rest := 0 if all else sum(len(group.nodes) for group in refusing[GROUPS:]):
        parts.append(f"and {count(rest, 'more node')} for other reasons")
    preemption = decision.preemption
    if preemption is not None and preemption.nominated_node is None:
        parts.append(_no_eviction(decision))
    yield Section("Why not elsewhere" if decision.node is not None else "Why", parts, cut=bool(rest))


def refused_table(decision: Decision, limit: int | None) -> Table:
    """The nodes that refuse the pod, grouped by what is in the way. ``limit``: how many groups."""
    rows = [Row([len(group.nodes), Lines([group.obstacle, Names(group.nodes)])]) for group in groups(decision)[:limit]]
    return Table(["nodes", "because"], rows)


def _no_eviction(decision: Decision) -> str:
    preemption = decision.preemption
    assert preemption is not None
    if not preemption.eligible:
        return f"It may not evict others: {preemption.reason}."
    if preemption.failure:
        return f"Preemption fails: {preemption.failure}."
    if not len(preemption.potential):
        return (
            f"Evicting pods would not help {'on any of these nodes' if len(decision.cluster.nodes) > 1 else 'there'}."
        )
    return f"Evicting pods of lower priority than {decision.pod.priority} does not help anywhere."


def _victims(decision: Decision) -> Iterator[Section]:
    preemption = decision.preemption
    if preemption is None or preemption.nominated_node is None:
        return
    node = preemption.nominated_node
    candidate = preemption.candidates.get(node)
    parts: list[Part] = [Names(_with_priority(preemption.victims) or ["nobody"], f"On {node}: ")]
    if candidate is not None and candidate.violations:
        parts.append(f"This violates {count(candidate.violations, 'PodDisruptionBudget')}.")
    if why := choice(preemption):
        parts.append(why)
    yield Section("Whom it evicts", parts)


def _why_not(decision: Decision, node: str, was_on: str) -> Section:
    answer = why_not(decision, node)
    parts: list[Part] = [answer.sentence]
    if was_on not in ("", decision.node) and decision.node is not None:
        parts.insert(0, f"Decided again now, it goes to {decision.node}. Compared with that:")
    table = why_not_table(answer)
    rows = [row for row in table.rows if row.mark != WEAK]  # without filters that let it in
    if len(rows) > 1:
        parts.append(Table([_short_head(head, answer) for head in table.head], rows))
    return Section(f"Why not {node}?", parts)


def _short_head(head: Line, answer: WhyNot) -> Line:
    """The head with a node's name shortened."""
    names = [answer.node, *([answer.winner] if answer.winner else [])]
    whole = str(head).removeprefix("★ ")
    return str(head).replace(whole, shortened(names, HEAD)[whole]) if whole in names else head


def _larger(answer: Answer, decision: Decision) -> Section:
    added = answer.setting.added
    goes = decision.outcome.removeprefix(decision.pod.key).strip()
    parts = [f"It {goes}" if decision.node is not None else f"It still {goes}"]
    if decision.node is None:
        parts += [why_not(decision, node).sentence for node in added[:1]]
    return Section(f"With {count(len(added), 'more node')} ({listing(added, 3)})", parts)


def _changes(whatif: WhatIf, all: bool) -> Section:
    by_kind: dict[str, list[Row]] = {}
    for kind, row in changes(whatif):
        by_kind.setdefault(kind, []).append(row)
    order = {kind: i for i, kind in enumerate(KIND_ORDER)}
    kinds = sorted(by_kind, key=lambda kind: order.get(kind, len(order)))
    rows = [row for kind in kinds for row in (by_kind[kind] if all else by_kind[kind][:CHANGES])]
    parts: list[Part] = [Table(CHANGE, rows) if rows else "Nothing that was tried."]
    if rest := sum(map(len, by_kind.values())) - len(rows):
        parts.append(f"and {count(rest, 'more change')}")
    return Section("What would change it", parts, cut=bool(rest))


CHANGE = ("change", "then")


def changes(whatif: WhatIf) -> Iterator[tuple[str, Row]]:
    """Each change that would help: its kind, and what follows from it."""
    for answer in whatif_answers(whatif):
        change, kind = answer.line.change, answer.line.what
        if whatif.decision.node is None and (nothing := NOTHING.match(change)):
            change, kind = f"without asking for {nothing[1]}", "without"
        if kind == "eviction" and (eviction := whatif.eviction) is not None:
            change = f"without {listing(_with_priority(eviction.victims), 3)} on {listing(eviction.where, 3)}"
        if (more := next((node for node in whatif.nodes if node.decision is answer.decision), None)) is not None:
            change = f"one more node like {more.node.removesuffix('-new')}"
        yield kind, Row([change, then(answer.decision)])


def _with_priority(pods: Sequence[PodInfo]) -> list[str]:
    return [f"{pod.key} (priority {pod.priority})" for pod in pods]


def then(decision: Decision) -> str:
    """The outcome for the pod, as the end of a sentence."""
    if decision.node is not None:
        others = len(decision.feasible) - 1
        return f"it goes to {decision.node}" + (f" ({count(others, 'other node')} would fit)" if others else "")
    if decision.preemption is not None and decision.nominated_node is not None:
        return f"it evicts {listing(_with_priority(decision.preemption.victims), 2)} on {decision.nominated_node}"
    return "it fits nowhere"


# -- what the cluster's scheduler says


def _scheduler_says(answer: Answer, at: int) -> Iterator[Section]:
    condition = failed(answer.pod)
    if condition is None or answer.situation in DONE or not condition.message:
        return
    moment = condition.lastTransitionTime
    parts: list[Part] = [condition.message]
    decision = answer.decision
    if decision is not None and answer.situation not in (NOMINATED, GATED):
        if condition.message == decision.event:
            parts.append("We reach the same result, word for word.")
        elif decision.node is None:
            parts.append(f"We say now: {decision.event}")
    since = f" (for {human_duration(at - moment)})" if moment is not None else ""
    yield Section(f"What the scheduler says{since}", parts)
