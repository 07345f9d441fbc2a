"""Generations beside one another: one decision in each, and the tables that they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass

from kschedlab.compare import Cause, Comparison, Step, shown
from kschedlab.decision import Decision, NodeVerdict
from kschedlab.generations import Generation
from kschedlab.views.html import Html, element, visible
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, count, listing, outcome

NODES = 20
"""How many nodes get a row; those on which the generations agree are left out first."""
LISTS = ("unknown", "ladder")
"""Settings that are lists; each entry gets a row."""
WIDTH = 56
"""How much of a cell is shown as text."""


def comparison_text(comparison: Comparison) -> str:
    """The decisions side by side, then what differs from one generation to the next, and why."""
    lines = [f"{_pod(comparison)} in {count(len(comparison.decisions), 'generation')}"]
    lines += [f"  {name}: {outcome(decision)}" for name, decision in comparison.decisions.items()]
    cells = [[shorten(cell) for cell in line] for line in _rows(comparison)]
    lines += ["", *aligned([["node", *comparison.decisions], *cells])]
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
    if decision.gates:
        return "not looked at"
    verdict = decision.verdict(node)
    if not verdict.passes:
        return ": ".join([str(verdict.plugin), *_reasons(decision, verdict)]) + _evicted(decision, node)
    if decision.scores is None:
        return "the only one" if node in decision.best else "passes"
    place = decision.scores.nodes.tolist().index(decision.cluster.index[node])
    return f"score {decision.scores.total[place]}" + (" (best)" if node in decision.best else "")


def _reasons(decision: Decision, verdict: NodeVerdict) -> list[str]:
    """The reasons in one text; none of a node that was left out beforehand."""
    rejected = decision.verdicts.rejected if decision.verdicts is not None else None
    reasons = verdict.reasons if rejected is None else rejected.reasons
    return ["; ".join(reasons)] if reasons else []


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
    yield f"{step.earlier} -> {step.later}: differs in {', '.join(step.parts)}"
    for cause in step.causes:
        yield f"  {_cause(cause, step)}"
    if not any(cause.whole for cause in step.causes):
        yield "  no single rule gives the whole of it"


def _cause(cause: Cause, step: Step) -> str:
    change = cause.change
    effect = "gives the whole difference" if cause.whole else f"changes {', '.join(cause.parts)}"
    return f"{change.rule} ({change.before} -> {change.after}), switched alone in {step.earlier}, {effect}"


# -- the tables


def generations_rows(generations: Sequence[Generation], everything: bool = False) -> list[list[str]]:
    """The generations as rows of text: what they filter and score by, then the constants and named rules.

    A plugin's row has its name in each generation, with its place among the filters or its weight. Of the settings
    only those that differ are listed, unless ``everything`` is asked for.
    """
    filters = _by_class([[(f, f"{place}. {f.name}") for place, f in enumerate(g.filters, 1)] for g in generations])
    scores = _by_class([[(s, f"{s.name} x {weight}") for s, weight in g.scores] for g in generations])
    head = ["", *(generation.name for generation in generations)]
    rows = [head, *(["filter", *cells] for cells in filters), *(["score", *cells] for cells in scores)]
    settings = [dict(_settings_of(generation)) for generation in generations]
    names = dict.fromkeys(name for each in settings for name in each)
    lines = [[name, *(each.get(name, "") for each in settings)] for name in names]
    return rows + [line for line in lines if everything or _differs(line[1:])]


def _differs(cells: list[str]) -> bool:
    """Whether the generations that have the setting differ in it; of a list, whether only some have the entry."""
    return len(set(cells) - {""}) > 1 or ("yes" in cells and "" in cells)


def _by_class(columns: Sequence[Sequence[tuple[object, str]]]) -> list[list[str]]:
    """A row for each class of plugins: what each column says of it, "" where it has none. In the last one's order."""
    classes = dict.fromkeys(type(plugin) for column in reversed(columns) for plugin, _ in column)
    named = [{type(plugin): text for plugin, text in column} for column in columns]
    return [[names.get(each, "") for names in named] for each in classes]


def _settings_of(generation: Generation) -> Iterator[tuple[str, str]]:
    yield from _flat(generation, "")
    for check in generation.filters:
        yield from _flat(check, f"filter {type(check).__name__}.")
    for score, _ in generation.scores:
        yield from _flat(score, f"score {type(score).__name__}.")


def _flat(settings: object, path: str) -> Iterator[tuple[str, str]]:
    for name, value in vars(settings).items():
        if name in ("name", "filters", "scores"):
            continue
        if is_dataclass(value) and not callable(value):
            yield from _flat(value, f"{path}{name}.")
        elif name in LISTS and value:
            yield from ((f"{path}{name}: {_brief(shown(each))}", "yes") for each in value)
        else:
            yield f"{path}{name}", shown(value)


def _brief(text: str) -> str:
    """The text without the longest words of the API."""
    return text.replace("DuringSchedulingIgnoredDuringExecution", "...")


def generations_text(generations: Sequence[Generation], everything: bool = False) -> str:
    """The generations side by side as text."""
    rows = [[name, *map(shorten, cells)] for name, *cells in generations_rows(generations, everything)]
    return "\n".join(line.rstrip() for line in aligned(rows, indent=""))


def shorten(text: str) -> str:
    """The text, or its beginning if it is wider than a column."""
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def generations_html(generations: Sequence[Generation], everything: bool = False) -> str:
    """The generations side by side as a table."""
    head, *rows = generations_rows(generations, everything)
    return str(table(head, [row(*cells) for cells in rows]))
