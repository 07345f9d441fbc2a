"""A Comparison on a terminal: the decisions, the verdicts on the nodes, and the rules that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table

from kschedlab.program.terminal.decision import LISTED, title
from kschedlab.program.terminal.screen import Names, Screen, grid, indented, text
from kschedlab.text.comparison import NOT_ALONE, SAME, Cell, cells, decided, effect, explained
from kschedlab.text.words import count
from kschedlab.whatif.compare import Comparison, Step

CANDIDATE = "a candidate for preemption, not chosen"
GROUPS = 6
"""Number of node groups shown."""


def comparison_parts(comparison: Comparison, screen: Screen) -> Iterator[RenderableType]:
    """The decisions, the nodes in groups with equal verdicts, then each step from one generation to the next."""
    decisions = comparison.decisions
    key = next(iter(decisions.values())).pod.key
    yield title(f"{key} in {count(len(decisions), 'generation')}")
    table = _pairs()
    for names, outcome in _merged(list(decisions), [decided(decision) for decision in decisions.values()]):
        table.add_row(text(names, "bold"), text(outcome.removeprefix(f"{key} ")))
    yield indented(table)
    yield from _nodes(comparison, screen)
    for step in comparison.steps:
        yield ""
        yield from _step(step)


def _pairs() -> Table:
    table = grid("", "")
    table.show_header = False
    return table


def _merged(names: Sequence[str], values: Sequence[str]) -> list[tuple[str, str]]:
    """Adjacent names with the same value merged: ``("v1.13, v1.16", value)``."""
    pairs = groupby(zip(names, values, strict=True), key=lambda pair: pair[1])
    return [(", ".join(name for name, _ in same), value) for value, same in pairs]


def _nodes(comparison: Comparison, screen: Screen) -> Iterator[RenderableType]:
    generations = list(comparison.decisions)
    groups: dict[tuple[Cell, ...], list[str]] = {}
    for node, said in cells(comparison).items():
        key = said if screen.all else [_unnamed(cell, said, screen) for cell in said]
        groups.setdefault(tuple(key), []).append(node)
    ordered = list(groups.items())
    names = Names(screen)
    shown = screen.first(ordered, GROUPS)
    for group, nodes in shown:
        yield ""
        head = _pairs()
        head.add_row(text(count(len(nodes), "node"), "bold"), names.first(nodes, LISTED, style="bold"))
        yield head
        yield indented(_said(generations, group))
    if rest := ordered[len(shown) :]:
        nodes_left = sum(len(nodes) for _, nodes in rest)
        yield ""
        yield text(f"and {count(nodes_left, 'more node')} in {count(len(rest), 'group')}")


def _unnamed(cell: Cell, said: Sequence[Cell], screen: Screen) -> Cell:
    """The cell without the names of pods that no generation evicts, so that otherwise equal nodes share a group."""
    if len(cell.lines) < 2 or any(each.chosen for each in said):
        return cell
    screen.folded = True
    return Cell((cell.lines[0], CANDIDATE))


def _said(generations: list[str], said: Sequence[Cell]) -> RenderableType:
    table = _pairs()
    for names, lines in _merged(generations, ["\n".join(cell.lines) for cell in said]):
        table.add_row(text(names), Group(*(text(line) for line in lines.split("\n"))))
    return table


def _step(step: Step) -> Iterator[RenderableType]:
    if not step.parts:
        yield text(f"{step.earlier} -> {step.later}: {SAME}", "green")
        return
    yield title(f"{step.earlier} -> {step.later}: differs in {', '.join(step.parts)}")
    for cause in step.causes:
        change = cause.change
        yield indented(text(f"{change.rule}, switched alone in {step.earlier}, {effect(cause)}"))
        table = _pairs()
        table.add_row(text("before", "dim"), text(change.before))
        table.add_row(text("after", "dim"), text(change.after))
        yield indented(table, by=4)
    if not explained(step):
        yield indented(text(NOT_ALONE))
