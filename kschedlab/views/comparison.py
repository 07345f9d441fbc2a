"""Generations beside one another: one decision in each, and the tables that they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedlab.compare import Cause, Comparison, Step, shown
from kschedlab.decision import Decision
from kschedlab.generations import Generation
from kschedlab.views.html import Html, element, visible
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, count, listing, outcome

NODES = 20
"""How many nodes get a row; those on which the generations agree are left out first."""


def comparison_text(comparison: Comparison) -> str:
    """The decisions side by side, then what differs from one generation to the next, and why."""
    lines = [f"{_pod(comparison)} in {count(len(comparison.decisions), 'generation')}"]
    lines += [f"  {name}: {outcome(decision)}" for name, decision in comparison.decisions.items()]
    lines += ["", *aligned([["node", *comparison.decisions], *_rows(comparison)])]
    for step in comparison.steps:
        lines += ["", *_step_lines(step)]
    return "\n".join(visible(line) for line in lines)


def comparison_html(comparison: Comparison) -> str:
    """The same as tables."""
    outcomes = [row(name, outcome(decision)) for name, decision in comparison.decisions.items()]
    nodes = [row(*cells) for cells in _rows(comparison)]
    steps = [element("p", *_broken(_step_lines(step))) for step in comparison.steps]
    head = element("p", element("b", _pod(comparison)))
    tables = table(["generation", "decision"], outcomes), table(["node", *comparison.decisions], nodes)
    return str(element("div", head, *tables, *steps))


def _pod(comparison: Comparison) -> str:
    return next(iter(comparison.decisions.values())).pod.key


def _broken(lines: Iterable[str]) -> Iterator[Html | str]:
    for line in lines:
        yield line
        yield element("br")


def _rows(comparison: Comparison) -> list[list[str]]:
    """For each node what each generation says of it; nodes on which they differ come first."""
    decisions = list(comparison.decisions.values())
    cells = {name: [_cell(decision, name) for decision in decisions] for name in sorted(decisions[0].cluster.names)}
    differing = [name for name in cells if len({_verdict(decision, name) for decision in decisions}) > 1]
    agreed = [name for name in cells if name not in set(differing)]
    listed = [*differing, *agreed][:NODES]
    rows = [[name, *cells[name]] for name in listed]
    rest = len(cells) - len(listed)
    return [*rows, [f"and {count(rest, 'more node')}", *[""] * len(decisions)]] if rest else rows


def _verdict(decision: Decision, node: str) -> tuple[bool, bool, bool]:
    verdict = decision.verdict(node)
    candidates = decision.preemption.candidates if decision.preemption is not None else {}
    return verdict.passes, node in decision.best, node in candidates


def _cell(decision: Decision, node: str) -> str:
    if decision.error:
        return "error"
    verdict = decision.verdict(node)
    if not verdict.passes:
        return f"{verdict.plugin}: {'; '.join(verdict.reasons)}" + _evicted(decision, node)
    if decision.scores is None:
        return "the only one" if node in decision.best else "passes"
    place = decision.scores.nodes.tolist().index(decision.cluster.index[node])
    return f"score {decision.scores.total[place]}" + (" (best)" if node in decision.best else "")


def _evicted(decision: Decision, node: str) -> str:
    preemption = decision.preemption
    if preemption is None or node not in preemption.candidates:
        return ""
    victims = listing([victim.key for victim in preemption.candidates[node].victims])
    return f" -> evicts {victims}" + (" (chosen)" if node in preemption.tied else "")


def _step_lines(step: Step) -> Iterator[str]:
    if not step.parts:
        yield f"{step.earlier} -> {step.later}: the same outcome"
        return
    yield f"{step.earlier} -> {step.later}: {', '.join(step.parts)} differ"
    for cause in step.causes:
        yield f"  {_cause(cause, step)}"
    if not any(cause.whole for cause in step.causes):
        yield "  no single rule gives the whole of it"


def _cause(cause: Cause, step: Step) -> str:
    change = cause.change
    effect = "gives the whole difference" if cause.whole else f"changes {', '.join(cause.parts)}"
    return f"{change.rule} ({change.before} -> {change.after}), switched alone in {step.earlier}, {effect}"


# -- the tables


def generations_rows(generations: Sequence[Generation]) -> list[list[str]]:
    """The generations as rows of text: filters in order, scores with weights, constants and named rules."""
    rows = [["", *(generation.name for generation in generations)]]
    for number in range(max(len(generation.filters) for generation in generations)):
        names = [g.filters[number].name if number < len(g.filters) else "" for g in generations]
        rows.append([f"filter {number + 1}", *names])
    for number in range(max(len(generation.scores) for generation in generations)):
        scores = [g.scores[number] if number < len(g.scores) else None for g in generations]
        rows.append([f"score {number + 1}", *(f"{s[0].name} x {s[1]}" if s else "" for s in scores)])
    return rows + _rules(generations)


def _rules(generations: Sequence[Generation]) -> list[list[str]]:
    flat = [dict(_flat(generation, "")) for generation in generations]
    names = dict.fromkeys(name for settings in flat for name in settings)
    return [[name, *(settings.get(name, "") for settings in flat)] for name in names]


def _flat(settings: object, path: str) -> Iterator[tuple[str, str]]:
    for name, value in vars(settings).items():
        if name in ("name", "filters", "scores"):
            continue
        if hasattr(value, "__dataclass_fields__") and not callable(value):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", shown(value)


def generations_text(generations: Sequence[Generation]) -> str:
    """The generations side by side as text."""
    return "\n".join(line.rstrip() for line in aligned(generations_rows(generations), indent=""))


def generations_html(generations: Sequence[Generation]) -> str:
    """The generations side by side as a table."""
    head, *rows = generations_rows(generations)
    return str(table(head, [row(*cells) for cells in rows]))
