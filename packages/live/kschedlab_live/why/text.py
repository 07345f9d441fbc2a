"""An answer in words, for a terminal: what the pod is, why, what would change it, and what is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.text.decision import device_sections
from kschedlab.text.plain import plain
from kschedlab.text.whatif import whatif_answers
from kschedlab.text.why_not import again, compared, margin, why_not, why_not_table
from kschedlab.text.words import choice, count, listing, outcome, request_text
from kschedlab.whatif.answers import WhatIf
from kschedlab_live.why.answer import (
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
from kschedlab_live.why.page import Page
from kschedlab_live.why.refused import groups, nodes_words
from kschedlab_simulation.kubectl import human_duration

SAID = (BOUND, FINISHED, ENDING)
NOTHING = re.compile(r"asking for 0m? (\S+)")
DEVICES = 8
"""How many lines about devices are shown."""
CHANGES = 3
"""How many changes of one kind are listed."""
KIND_ORDER = ("requests", "constraints", "nodes", "priority", "eviction", "without")
"""What is asked for first; a pod without one of its resources is another pod."""


def now() -> int:
    """The time in microseconds since 1970."""
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def answer_page(answer: Answer, page: Page, at: int) -> None:
    """Write the whole answer. ``at``: the time now."""
    page.say(_headline(answer))
    page.say(" ".join(filter(None, [_asks(answer), _waits(answer, at)])))
    _situation(answer, page)
    if answer.found is not None:
        _decided(answer, answer.found, page)
    _said(answer, page, at)
    page_end(answer.setting, page, decided=answer.found is not None or answer.situation == OTHERS)


def page_end(setting: Setting, page: Page, decided: bool = True) -> None:
    """What was not readable, and with what was decided, if anything was."""
    reading = setting.reading
    if reading.gaps or reading.left_out:
        page.head("Not readable")
        together: dict[str, list[str]] = {}
        for gap in reading.gaps if setting.cluster is not None else reading.gaps[:1]:
            together.setdefault(gap.unknown, []).append(gap.what)
        for unknown, kinds in together.items():
            page.say(f"{', '.join(kinds)}: not readable, so {unknown}.", 2, "- ")
        for who in dict.fromkeys(gap.who for gap in reading.gaps):
            page.say(f"{who} may not list them.", 2)
        for fault in reading.left_out[: None if page.all else 3]:
            page.say(f"left out: {fault}", 2, "- ")
        if not page.all and len(reading.left_out) > 3:
            page.say(f"and {count(len(reading.left_out) - 3, 'more object')} left out", 2, "- ")
    notes = [note for note in (setting.server.sentence, *setting.notes) if note]
    if notes and decided:
        page.head("Decided with")
        for note in notes:
            page.say(note, 2, "- ")


# -- what the pod is


def _headline(answer: Answer) -> str:
    pod, key = answer.pod, answer.pod.key
    node, decision = pod.spec.nodeName, answer.found.decision if answer.found is not None else None
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


def _asks(answer: Answer) -> str:
    return f"It {request_text(answer.found.decision)}." if answer.found is not None else ""


def _waits(answer: Answer, at: int) -> str:
    created = answer.pod.metadata.creationTimestamp
    if answer.situation in SAID or created is None:
        return ""
    return f"It has waited for {human_duration(at - created)}."


def _situation(answer: Answer, page: Page) -> None:
    """What follows from what the pod is."""
    decision = answer.found.decision if answer.found is not None else None
    if answer.situation == OTHERS:
        _others(answer, page)
    elif answer.situation == GATED:
        page.say("No scheduler looks at it before whoever set the gates removes them.")
    elif answer.situation == NOMINATED:
        _nominated(answer, page)
    elif answer.situation == BOUND:
        _bound(answer, page)
    elif decision is not None and decision.node is not None:
        page.say(
            "kube-scheduler should bind it within seconds, after a failed attempt within some minutes. If nothing "
            "happens, see whether kube-scheduler runs, and whether it is configured otherwise than assumed here."
        )
    if decision is not None and "pods" not in answer.setting.reading.readable:
        page.say(
            "Only pods of its namespace are readable, so nodes look emptier here than they are: what is refused is "
            "sure, what fits is not."
        )
    if decision is None and answer.situation not in (OTHERS, *SAID):
        what = "Nodes" if answer.setting.cluster is None else "Its volumes or claims"
        page.say(f"{what} are not readable, so nothing can be decided here.")


def _others(answer: Answer, page: Page) -> None:
    name = answer.pod.spec.schedulerName
    page.say(f"kube-scheduler leaves it alone. Only {name} gives it a node: look at its pods and logs.")
    bound = sum(bool(pod.spec.nodeName) for pod in answer.siblings)
    others = len(answer.siblings) - 1
    if not others:
        page.say(f"It is the only pod of {name}. Does a scheduler of that name run here?")
    elif not bound:
        page.say(f"{name} has given none of its {count(len(answer.siblings), 'pod')} a node. Does it run here?")
    else:
        page.say(f"Of {count(others, 'other pod')} of {name}, {bound:,} {'has' if bound == 1 else 'have'} a node.")


def _nominated(answer: Answer, page: Page) -> None:
    node = answer.pod.status.nominatedNodeName
    pods = answer.setting.reading.objects.pods
    leaving = [p.key for p in pods if p.spec.nodeName == node and p.metadata.deletionTimestamp is not None]
    if leaving:
        verb = "is" if len(leaving) == 1 else "are"
        page.say(
            f"On {node}, {listing(leaving, 3)} {verb} still ending. Then it goes there, unless another node is free."
        )
    else:
        page.say(f"No pod is ending on {node} any more: the next attempt should place it, if nothing took the room.")


def _bound(answer: Answer, page: Page) -> None:
    """What keeps a bound pod from running is not the scheduler's business; the words for it are the kubelet's."""
    cluster = answer.setting.cluster
    if cluster is not None and answer.pod.spec.nodeName not in cluster.index:
        page.say(
            f"There is no node {answer.pod.spec.nodeName}: the pod is left over, and the garbage collector removes it."
        )
        return
    status = answer.pod.status
    for container in (*status.initContainerStatuses, *status.containerStatuses):
        waiting = container.state.waiting
        if waiting is not None and waiting.reason not in ("", "PodInitializing"):
            why = f": {waiting.message}" if waiting.message else ""
            page.say(f"Scheduling is done. Its container {container.name} waits: {waiting.reason}{why}")
            return


# -- the decision


def _decided(answer: Answer, found: WhatIf, page: Page) -> None:
    decision = found.decision
    if answer.node not in ("", decision.node) and answer.node in decision.cluster.index:
        _why_not(decision, answer.node, answer.pod.spec.nodeName, page)
    elif decision.node is not None:
        _why_there(decision, answer.pod.spec.nodeName or None, page)
    if not decision.gates and not answer.node:
        _refused(decision, page)
        _devices(decision, page)
        _victims(decision, page)
    if answer.larger is not None:
        _larger(answer, answer.larger.decision, page)
    elif not answer.node:
        _changes(found, page)


def _why_there(decision: Decision, was_on: str | None, page: Page) -> None:
    page.head("Why there" if was_on is None or was_on == decision.node else "Where it would go now")
    said = outcome(decision).removeprefix(f"{decision.pod.key} goes to ")
    begin = "Decided again, without it on its node, it" if was_on is not None else "It"
    page.say(f"{begin} goes to {said}", 2)
    there = was_on if was_on in decision.cluster.index else None
    if more := " ".join(filter(None, [margin(decision), again(decision, there)])):
        page.say(more, 2)
    names, lines = compared(decision, there)
    if lines:
        heads = [f"{name} (now)" if name == was_on else name for name in names]
        page.lines.append("")
        page.table([["weighted score", *heads], *([x.title, str(x.chosen), *map(str, x.others)] for x in lines)])


def _refused(decision: Decision, page: Page) -> None:
    found = groups(decision)
    if not found:
        return
    page.head("Why not elsewhere" if decision.node is not None else "Why")
    wide = max(len(nodes_words(group)) for group in found)
    shown = found if page.all else found[:6]
    for group in shown:
        page.say(group.obstacle, 2, f"{nodes_words(group).rjust(wide)}  ")
        page.names(group.nodes, wide + 4)
    if rest := sum(len(group.nodes) for group in found[len(shown) :]):
        page.say(f"{count(rest, 'more node')} for other reasons (--all lists them)", 2)
    preemption = decision.preemption
    if preemption is not None and preemption.nominated_node is None:
        page.say(_no_eviction(decision), 2)


def _devices(decision: Decision, page: Page) -> None:
    """Which devices the pod gets, or why it gets none."""
    lines = plain(device_sections(decision)).splitlines()
    shown = lines if page.all else lines[:DEVICES]
    for line in shown:
        page.say(line.strip(), 2) if line.startswith(" ") else page.head(line)
    if rest := len(lines) - len(shown):
        page.say(f"and {count(rest, 'more line')} (--all lists them)", 2)


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


def _victims(decision: Decision, page: Page) -> None:
    preemption = decision.preemption
    if preemption is None or preemption.nominated_node is None:
        return
    node = preemption.nominated_node
    candidate = preemption.candidates.get(node)
    page.head("Whom it evicts")
    victims = preemption.victims
    page.say(f"On {node}: {_with_priority(victims, len(victims) if page.all else 5) or 'nobody'}.", 2)
    if candidate is not None and candidate.violations:
        page.say(f"This violates {count(candidate.violations, 'PodDisruptionBudget')} all the same.", 2)
    if why := choice(preemption):
        page.say(why, 2)


def _why_not(decision: Decision, node: str, was_on: str, page: Page) -> None:
    found = why_not(decision, node)
    page.head(f"Why not {node}?")
    if was_on not in ("", decision.node) and decision.node is not None:
        page.say(f"Decided again now, it goes to {decision.node}. Compared with that:", 2)
    page.say(found.sentence, 2)
    table = why_not_table(found)
    if found.points or found.rules:
        page.lines.append("")
        rows = [list(map(str, table.head)), *(list(map(str, row.cells)) for row in table.rows)]
        page.table(rows, numbers=bool(found.points))
    elif sum(check.refuses for check in found.checks) > 1:
        for check in found.checks:
            if check.refuses:
                first = "refuses it" if check.first else "would refuse it too"
                page.say(f"{check.plugin} {first}: {'; '.join(check.details) or 'without a reason'}", 2, "- ")


def _larger(answer: Answer, decision: Decision, page: Page) -> None:
    added = answer.setting.added
    page.head(f"With {count(len(added), 'node')} more ({listing(added, 3)})")
    said = outcome(decision).removeprefix(decision.pod.key).strip()
    page.say(f"It {said}" if decision.node is not None else f"It still {said}", 2)
    if decision.node is None:
        for node in added[:1]:
            page.say(why_not(decision, node).sentence, 2)


def _changes(found: WhatIf, page: Page) -> None:
    by_kind: dict[str, list[str]] = {}
    for kind, text in changes(found):
        by_kind.setdefault(kind, []).append(text)
    page.head("What would change it")
    order = {kind: i for i, kind in enumerate(KIND_ORDER)}
    for kind in sorted(by_kind, key=lambda kind: order.get(kind, len(order))):
        shown = by_kind[kind] if page.all else by_kind[kind][:CHANGES]
        for text in shown:
            page.say(text, 2, "- ")
        if rest := len(by_kind[kind]) - len(shown):
            page.say(f"and {count(rest, 'more change')} of this kind (--all)", 4)
    if not by_kind:
        page.say("Nothing that was tried.", 2)


def changes(found: WhatIf) -> Iterator[tuple[str, str]]:
    """Each change that would help: its kind, and a sentence."""
    for each in whatif_answers(found):
        change, kind = each.line.change, each.line.what
        if found.decision.node is None and (nothing := NOTHING.match(change)):
            change, kind = f"without asking for {nothing[1]}", "without"
        if kind == "eviction" and (gone := found.eviction) is not None:
            change = f"without {_with_priority(gone.victims, 3)} on {gone.node}"
        if (more := next((node for node in found.nodes if node.decision is each.decision), None)) is not None:
            change = f"one node more like {more.node.removesuffix('-new')}"
        yield kind, f"{change}: {then(each.decision)}"


def _with_priority(pods: Sequence[PodInfo], limit: int) -> str:
    return listing([f"{pod.key} (priority {pod.priority})" for pod in pods], limit)


def then(decision: Decision) -> str:
    """What follows for the pod, as the end of a sentence."""
    if decision.node is not None:
        others = len(decision.feasible) - 1
        return f"it goes to {decision.node}" + (f" ({count(others, 'other node')} would fit)" if others else "")
    if decision.preemption is not None and decision.nominated_node is not None:
        return f"it evicts {_with_priority(decision.preemption.victims, 2)} on {decision.nominated_node}"
    return "it fits nowhere"


# -- what the cluster's scheduler said


def _said(answer: Answer, page: Page, at: int) -> None:
    said = failed(answer.pod)
    if said is None or answer.situation in SAID or not said.message:
        return
    moment = said.lastTransitionTime
    page.head("What the scheduler says" + (f" (for {human_duration(at - moment)})" if moment is not None else ""))
    page.say(said.message, 2)
    if answer.found is None or answer.situation in (NOMINATED, GATED):
        return
    decision = answer.found.decision
    if said.message == decision.event:
        page.say("We come to the same result, letter by letter.", 2)
    elif decision.node is None:
        page.say(f"We say now: {decision.event}", 2)
