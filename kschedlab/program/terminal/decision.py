"""A Decision on a terminal: the outcome, then the evidence, then the Kubernetes event."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from kschedlab.decision import Decision
from kschedlab.preemption.stage import Attempt, Candidate, Preemption
from kschedlab.program.terminal.screen import Names, Screen, grid, indented, text
from kschedlab.score.stage import Scores
from kschedlab.text.html import visible
from kschedlab.text.ladder import Step, columns, steps
from kschedlab.text.plain import answer_text, candidates_clock, device_lines, ranking
from kschedlab.text.words import Clock, Refusal, choice, count, outcome, refusals, request_text

LISTED = 3
"""Number of nodes named in a group."""
BEST, TOTALS = 4, 4
"""Maximum number of best nodes with a column of scores, and of lower totals shown."""
CANDIDATES, FATES = 3, 4
"""Number of preemption candidates shown, and of pods on each."""
LADDER = 6
"""Maximum number of candidates side by side."""
FOUND, PREEMPTING, PENDING = "placed", "preempting", "left pending"
RULE, NODE = 48, 15
"""Width in characters of the rules of the ladder, and of each candidate."""


def decision_parts(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    """The whole decision in sections; empty ones are omitted."""
    yield _headline(decision)
    yield indented(text(request_text(decision), "dim"))
    for section in (_refused, _devices, _extended, _scored, _preempted, _event):
        if parts := list(section(decision, screen)):
            yield ""
            yield from parts


def _headline(decision: Decision) -> Text:
    key = visible(decision.pod.key)
    line = text(outcome(decision))
    line.stylize("bold", 0, len(key))
    style = "green" if decision.node is not None else "yellow" if decision.nominated_node is not None else "red"
    line.stylize(style, len(key))
    return line


def title(line: str) -> Text:
    """The first line of a section."""
    return text(line, "bold")


def _refused(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    folded = refusals(decision)
    if not folded:
        return
    names = Names(screen, decision.cluster.names)
    table = grid("nodes", "refused by", "reason", "evicting", numbers=[0], fixed=[1, 3])
    for refusal in folded:
        reasons = text("; ".join(refusal.reasons))
        helps = text("no help", "dim") if refusal.unresolvable else text("may help", "yellow")
        table.add_row(f"{len(refusal.nodes):,}", text(refusal.plugin), reasons, helps)
        for line in _which(refusal, names):
            table.add_row("", "", line, "")
    yield title("Refused by filters")
    yield indented(table)


def _devices(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    for line in device_lines(decision):
        yield indented(text(line.strip())) if line.startswith(" ") else title(line)


def _extended(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    if decision.calls:
        yield title("Extenders")
        table = grid("extender", "is asked to", "answer")
        for call in decision.calls:
            table.add_row(text(call.extender), call.verb, text(answer_text(call)))
        yield table


def _which(refusal: Refusal, names: Names) -> Iterator[RenderableType]:
    yield names.first(refusal.nodes, LISTED, style="dim")
    if refusal.also:
        also = [f"{plugin} ({nodes:,})" for plugin, nodes in refusal.also]
        yield text(f"also refused by {', '.join(also)}", "dim")


def failure(decision: Decision) -> Hashable:
    """Key of equal failures: all that is printed about a pod without a node except its name. None if it gets a node."""
    if decision.node is not None or decision.nominated_node is not None:
        return None
    said = outcome(decision).replace(decision.pod.key, "")
    return said, request_text(decision), (*refusals(decision), *device_lines(decision)), decision.event


def alike(pods: Sequence[str], screen: Screen) -> Iterator[RenderableType]:
    """A line that names the pods with the same decision as the one just printed."""
    if pods:
        screen.folded = True
        yield ""
        yield Names(screen).first(pods, LISTED, before=f"the same for {count(len(pods), 'more pod')}: ", style="bold")


def outcome_of(decision: Decision) -> str:
    """The outcome for the pod, in the words of :func:`summary`."""
    if decision.node is not None:
        return FOUND
    return PREEMPTING if decision.nominated_node is not None else PENDING


def summary(outcomes: Mapping[str, int]) -> Text:
    """How many pods find a node, preempt, or stay pending."""
    if not outcomes:
        return text("no pending pods")
    said = [f"{outcomes[outcome]:,} {outcome}" for outcome in (FOUND, PREEMPTING, PENDING) if outcome in outcomes]
    return title(f"{count(sum(outcomes.values()), 'pending pod')}: {', '.join(said)}")


# -- scores


def _scored(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    scores = decision.scores
    if scores is None:
        return
    names = [visible(decision.cluster.names[n]) for n in scores.nodes.tolist()]
    order = ranking(scores, names, decision.node)
    shown = _fitting(scores, order[:BEST], screen.width)
    yield title(f"Scores of {count(len(names), 'feasible node')} (raw -> normalised x weight)")
    short = Names(screen, decision.cluster.names)
    fixed = [0] if max(map(len, scores.plugins), default=0) <= screen.width * 3 // 5 else []
    table = grid("", *(short(names[i]) for i in shown), fixed=fixed)
    for plugin, *cells in _score_rows(scores, shown):
        table.add_row(text(plugin), *cells)
    table.add_row("total", *(str(scores.total[i]) for i in shown), style="bold")
    yield indented(table)
    if rest := order[len(shown) :]:
        yield indented(_lower(screen, [(int(scores.total[i]), names[i]) for i in rest]))
    if (tied := decision.best) and len(tied) > 1:
        yield indented(text(f"{len(tied):,} nodes share the highest score, one of them is drawn:"))
        yield indented(Names(screen).first(tied, LISTED), by=4)


def _lower(screen: Screen, nodes: Sequence[tuple[int, str]]) -> RenderableType:
    """The nodes (total, name) without a column, in groups with the same total."""
    groups = [(total, [name for _, name in same]) for total, same in groupby(nodes, key=lambda node: node[0])]
    shown = screen.first(groups, TOTALS)
    names = Names(screen)
    table = grid("then", "nodes", "", numbers=[0, 1])
    for total, equal in shown:
        table.add_row(str(total), f"{len(equal):,}", names.first(equal, LISTED))
    if rest := groups[len(shown) :]:
        left = sum(len(equal) for _, equal in rest)
        table.add_row("...", f"{left:,}", names(rest[-1][1][-1], before=f"down to {rest[-1][0]} of "))
    return table


def _fitting(scores: Scores, best: list[int], width: int) -> list[int]:
    """As many of the best nodes as fit side by side, but at least one."""
    left = width - 2 - max(len(plugin) for plugin in (*scores.plugins, "total"))
    widths = [2 + max(len(row[1 + i]) for row in _score_rows(scores, best)) for i in range(len(best))]
    return [node for i, node in enumerate(best) if i == 0 or sum(widths[: i + 1]) <= left]


def _score_rows(scores: Scores, nodes: list[int]) -> list[list[str]]:
    columns = zip(scores.plugins, scores.weights, scores.rows, scores.results, strict=True)
    return [
        [plugin, *(f"{row.raw[i]} -> {row.normalized[i]} x {weight} = {result[i]}" for i in nodes)]
        for plugin, weight, row, result in columns
    ]


# -- preemption


def _preempted(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    preemption = decision.preemption
    if preemption is None or not len(preemption.positions):
        return
    found, potential = len(preemption.positions), len(preemption.potential)
    limit = found if screen.all else CANDIDATES
    nodes = columns(preemption, limit)
    yield title(f"Preemption: {count(found, 'candidate')} among {count(potential, 'node')} where evicting may help")
    yield indented(_candidates(preemption, nodes, screen))
    if not any(preemption.candidates[node].violations for node in nodes):
        yield indented(text("none of these evictions violates a PodDisruptionBudget", "dim"))
    if found > len(nodes):
        screen.folded = True
        yield indented(text(f"and {count(found - len(nodes), 'more candidate')}"))
    yield ""
    yield text(choice(preemption))
    if found > 1:
        room = max(2, (screen.width - RULE) // NODE)
        compared = columns(preemption, room if screen.all else min(LADDER, room))
        yield indented(_ladder(preemption, compared, screen))
        if found > len(compared):
            hidden = count(found - len(compared), "candidate")
            yield indented(text(f"{hidden} not shown in these columns; --wide --all has room for all", "dim"))


def _candidates(preemption: Preemption, nodes: list[str], screen: Screen) -> RenderableType:
    moment = candidates_clock(preemption, nodes)
    names, pods = Names(screen, preemption.cluster.names), Names(screen)
    violating = any(preemption.candidates[node].violations for node in nodes)
    table = grid("node", "", "pod", "priority", "started", numbers=[3], fixed=[1, 4])
    for node in nodes:
        cell: RenderableType = names(node)
        candidate = preemption.candidates[node]
        for row in _fates(candidate, node == preemption.nominated_node, moment, pods, screen):
            table.add_row(cell, *row)
            cell = ""
        if violating:
            table.add_row("", "", count(candidate.violations, "PodDisruptionBudget violation"), "", "")
    return table


def _fates(
    candidate: Candidate, chosen: bool, moment: Clock, pods: Names, screen: Screen
) -> Iterator[tuple[RenderableType, ...]]:
    """The evicted pods, then the ones that stay; of the latter only the number if the node is not chosen."""
    by_key = {attempt.pod.key: attempt for attempt in candidate.attempts}
    victims = [by_key[victim.key] for victim in candidate.victims]
    kept = [attempt for attempt in candidate.attempts if attempt.reprieved]
    for fate, attempts, limit in (("evicts", victims, FATES), ("keeps", kept, FATES if chosen else 0)):
        shown = screen.first(attempts, limit)
        yield from (_fate(fate, attempt, moment, pods) for attempt in shown)
        if rest := len(attempts) - len(shown):
            yield fate, count(rest, f"{'more ' if shown else ''}pod"), "", ""


def _fate(fate: str, attempt: Attempt, moment: Clock, pods: Names) -> tuple[RenderableType, ...]:
    style = "yellow" if fate == "evicts" else "dim"
    budget = " (PDB)" if attempt.violates else ""
    pod = attempt.pod
    return text(f"{fate}{budget}", style), pods(pod.key, style=style), str(pod.priority), moment(pod.start)


def _ladder(preemption: Preemption, nodes: list[str], screen: Screen) -> RenderableType:
    """The rules down, candidates across."""
    names = Names(screen, preemption.cluster.names)
    table = grid("", "rule", *(names(node) for node in nodes), "result", fixed=[0])
    for step in steps(preemption, nodes):
        values = [step.values[node] if node in step.standing else "-" for node in nodes]
        style = "bold" if step.decides else "" if step.applies else "dim"
        mark = f"{'>' if step.decides else ' '} {step.number}"
        table.add_row(mark, step.name, *values, _result(step, names), style=style)
    return table


def _result(step: Step, names: Names) -> RenderableType:
    if step.decides:
        return names(*step.kept, before="decides: ")
    lists_nodes = step.applies and len(step.kept) < len(step.standing) and len(step.kept) <= LISTED
    return names(*step.kept, before="leaves ") if lists_nodes else step.result


# -- the event


def _event(decision: Decision, screen: Screen) -> Iterator[RenderableType]:
    if event := decision.event:
        yield title("Event")
        yield indented(text(event))
