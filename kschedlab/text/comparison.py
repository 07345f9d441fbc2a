"""One decision in several generations, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from kschedlab.decision import Decision, NodeVerdict
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.text.html import Child, Html, element, join, visible
from kschedlab.text.ladder import steps as ladder
from kschedlab.text.rule_words import title_of
from kschedlab.text.style import CELL, DECIDES, LABELLED, NOWRAP, WRAPPED
from kschedlab.text.tables import folded, row, table
from kschedlab.text.words import aligned, below, broken, choice, count, listing, outcome
from kschedlab.whatif.compare import Cause, Comparison, Step

NODES = 20
"""Maximum number of node rows; nodes on which the generations agree are dropped first."""
STEPS = (later("step"), later("differs in"), later("rule switched alone"), later("before → after"), later("effect"))
SAME = later("the same outcome")
NO_NODE = later("no node")
NOT_ALONE = later("no single rule gives the whole of it")
WIDTH = 48
"""Width of a column of text."""


class Cell(NamedTuple):
    """What a generation says about a node. ``chosen``: the generation may pick the node."""

    lines: tuple[str, ...] = ()
    chosen: bool = False


class Answer(NamedTuple):
    """What a pod gets: the node, or several that are tied, and by node the pods that are evicted there."""

    nodes: tuple[str, ...]
    victims: tuple[tuple[str, ...], ...] = ()


Fate: TypeAlias = tuple[bool, bool, Cell]


def comparison_text(comparison: Comparison) -> str:
    """The decisions side by side, then what differs from one generation to the next, and why."""
    lines = [
        say("{pod} in {generations}", pod=_pod(comparison), generations=count(len(comparison.decisions), "generation"))
    ]
    lines += [
        "  " + say("{version}: {said}", version=name, said=decided(decision))
        for name, decision in comparison.decisions.items()
    ]
    nodes = [line for name, cells in _rows(comparison) for line in below([[name], *map(_lines, cells)])]
    lines += ["", *aligned([[say("node"), *comparison.decisions], *nodes])]
    for step in comparison.steps:
        lines += ["", *_step_lines(step)]
    return "\n".join(visible(line) for line in lines)


def comparison_html(comparison: Comparison) -> str:
    """The comparison as HTML."""
    return str(comparison_tables(comparison))


def comparison_tables(comparison: Comparison) -> Html:
    """The comparison as tables: what each generation decides, which rules make the difference; the nodes are folded."""
    within = say("{pod} in {generations}", pod="\0", generations=count(len(comparison.decisions), "generation"))
    head = element("p", *_around(within, element("b", _pod(comparison))))
    decisions = [row(name, decided(decision)) for name, decision in comparison.decisions.items()]
    nodes = [_tr(name, cells) for name, cells in _rows(comparison)]
    steps = [line for step in comparison.steps for line in _step_rows(step)]
    tables = [table(terms("generation", "decision"), decisions), table(terms(*STEPS), steps) if steps else None]
    size = count(len(next(iter(comparison.decisions.values())).cluster.names), "node")
    by_node = folded(say("node by node: {size}", size=size), table([say("node"), *comparison.decisions], nodes))
    return element("div", head, *tables, by_node)


def _pod(comparison: Comparison) -> str:
    return next(iter(comparison.decisions.values())).pod.key


def answer(decision: Decision) -> Answer:
    """The part of a decision that its pod notices."""
    preemption = decision.preemption
    if preemption is None or not preemption.tied:
        return Answer(tuple(sorted(decision.best)))
    nodes = tuple(preemption.tied)
    victims = (sorted(each.key for each in preemption.candidates[node].victims) for node in nodes)
    return Answer(nodes, tuple(map(tuple, victims)))


def picked(decision: Decision) -> str:
    """The answer in a few words: "node-a", "tie: node-a, node-b" or "no node"."""
    if decision.error:
        return say("an error")
    nodes = answer(decision).nodes
    return nodes[0] if len(nodes) == 1 else say("tie: {nodes}", nodes=listing(nodes, 3)) if nodes else say(NO_NODE)


def remark(decision: Decision, choice: str) -> str:
    """Why the decision takes this node, or evicts this pod, or why it does not."""
    preemption = decision.preemption
    if choice in answer(decision).nodes:
        return decided(decision)
    if choice not in decision.cluster.index:
        return decided(decision)
    if preemption is not None and choice in preemption.candidates:
        lost = next(step for step in ladder(preemption, answer(decision).nodes + (choice,)) if choice not in step.kept)
        best = lost.values[answer(decision).nodes[0]]
        return say(
            "{node} loses at rule {number} ({rule}): {value} against {best}.",
            node=choice,
            number=lost.number,
            rule=lost.rule,
            value=lost.values[choice],
            best=best,
        )
    (cell,) = cells(Comparison({"": decision}, ()))[choice]
    said = say("{node}: {reasons}.", node=choice, reasons=say("; ").join(cell.lines))
    return sentences((said, decided(decision)))


def decided(decision: Decision) -> str:
    """What was decided, and which rule chose among the candidates for preemption."""
    rule = choice(decision.preemption) if decision.preemption is not None else ""
    return sentences((outcome(decision), rule))


def cells(comparison: Comparison) -> dict[str, list[Cell]]:
    """What each generation says about each node; nodes on which they differ come first."""
    decisions = list(comparison.decisions.values())
    names = sorted(decisions[0].cluster.names)
    columns = [list(_column(decision, names)) for decision in decisions]
    cells = {name: [cell for cell, _ in said] for name, *said in zip(names, *columns, strict=True)}
    differing = {name for name, *said in zip(names, *columns, strict=True) if len({fate for _, fate in said}) > 1}
    return {name: cells[name] for name in sorted(cells, key=lambda name: name not in differing)}


def _rows(comparison: Comparison) -> list[tuple[str, list[Cell]]]:
    """The first nodes, and how many more there are."""
    nodes = cells(comparison)
    rows = list(nodes.items())[:NODES]
    rest = len(nodes) - len(rows)
    return (
        [*rows, (say("and {nodes}", nodes=count(rest, "more node")), [Cell() for _ in comparison.decisions])]
        if rest
        else rows
    )


def _column(decision: Decision, names: Sequence[str]) -> Iterator[tuple[Cell, Fate]]:
    """For each node what the decision says about it, and what becomes of it: passes, has the best score, evicts."""
    best, scores = frozenset(decision.best), decision.scores
    totals = dict(zip(scores.nodes.tolist(), scores.total.tolist(), strict=True)) if scores is not None else {}
    for name in names:
        verdict, evicted = decision.verdict(name), _evicted(decision, name)
        cell = _cell(decision, verdict, evicted, totals.get(decision.cluster.index[name]), name in best)
        yield cell, (verdict.passes, name in best, evicted)


def _cell(decision: Decision, verdict: NodeVerdict, evicted: Cell, total: int | None, best: bool) -> Cell:
    if decision.error:
        return Cell((say("error"),))
    if decision.gates:
        return Cell((say("not looked at"),))
    if not verdict.passes:
        refused = ": ".join([str(verdict.plugin), *_reasons(decision, verdict)])
        return Cell((refused, *evicted.lines), evicted.chosen)
    if decision.scores is None:
        return Cell((say("the only one" if best else "passes"),), best)
    return Cell((say("score {total} (best)" if best else "score {total}", total=total),), best)


def _reasons(decision: Decision, verdict: NodeVerdict) -> list[str]:
    """The reasons as one text; if PreFilter rejected the pod, its reasons."""
    rejected = decision.verdicts.rejected if decision.verdicts is not None else None
    reasons = verdict.reasons if rejected is None else rejected.reasons
    return ["; ".join(reasons)] if reasons else []


def _evicted(decision: Decision, node: str) -> Cell:
    preemption = decision.preemption
    if preemption is None or node not in preemption.candidates:
        return Cell()
    own = f"{decision.pod.pod.metadata.namespace}/"
    victims = listing([victim.key.removeprefix(own) for victim in preemption.candidates[node].victims])
    if node not in preemption.tied:
        return Cell((say("evicts {victims}", victims=victims),))
    message = later("evicts {victims} (chosen)" if len(preemption.tied) == 1 else "evicts {victims} (tied)")
    return Cell((say(message, victims=victims),), chosen=True)


def _around(text: str, inside: Html) -> Iterator[Child]:
    """The text, with this in place of its mark."""
    before, _, after = text.partition("\0")
    yield from (before, inside, after)


def _lines(cell: Cell) -> list[str]:
    return [line for text in cell.lines for line in broken(text, WIDTH)]


def _tr(name: str, cells: list[Cell]) -> Html:
    style = CELL + WRAPPED
    written = (
        element("td", *(element("div", line) for line in cell.lines), style=style + (DECIDES if cell.chosen else ""))
        for cell in cells
    )
    return element("tr", element("th", name, scope="row", style=LABELLED + NOWRAP), *written)


def _step_lines(step: Step) -> Iterator[str]:
    if not step.parts:
        yield say("{earlier} -> {later}: {result}", earlier=step.earlier, later=step.later, result=say(SAME))
        return
    yield say(
        "{earlier} -> {later}: differs in {parts}",
        earlier=step.earlier,
        later=step.later,
        parts=listed(terms(*step.parts)),
    )
    for cause in step.causes:
        change = cause.change
        values = f"({say(change.before)} -> {say(change.after)})"
        yield "  " + say(
            "{rule} {values}, switched alone in {earlier}, {effect}",
            rule=change.rule,
            values=values,
            earlier=step.earlier,
            effect=effect(cause),
        )
    if not explained(step):
        yield f"  {say(NOT_ALONE)}"


def _step_rows(step: Step) -> Iterator[Html]:
    between = element("span", f"{step.earlier} → {step.later}", style=NOWRAP)
    if not step.parts:
        yield _step_row(between, say(SAME))
        return
    lead: tuple[Child, Child] = between, listed(terms(*step.parts))
    for cause in step.causes:
        change = cause.change
        title = title_of(change.rule)
        words = element("div", element("b", say(title))) if title else None
        yield _step_row(
            *lead,
            join([words, element("code", say(change.rule))]),
            f"{say(change.before)} → {say(change.after)}",
            effect(cause),
        )
        lead = None, None
    if not explained(step):
        yield _step_row(*lead, say(NOT_ALONE))


def _step_row(*cells: Child) -> Html:
    rest = [None] * (len(STEPS) - len(cells))
    return element("tr", *(element("td", cell, style=CELL) for cell in (*cells, *rest)))


def explained(step: Step) -> bool:
    """Whether a single change explains the whole difference."""
    return any(cause.whole for cause in step.causes)


def effect(cause: Cause) -> str:
    """The effect of this change alone."""
    return (
        say("gives the whole difference") if cause.whole else say("changes {parts}", parts=listed(terms(*cause.parts)))
    )
