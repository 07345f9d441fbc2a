"""The report of a simulation on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from kschedlab.program.terminal.screen import Screen, ShortNames, grid, indented, text
from kschedlab.program.terminal.writer import LISTED
from kschedlab.text.words import count
from kschedlab_simulation.report import Report

REASONS = 10
"""Number of groups of unschedulable pods shown."""


def report_parts(report: Report, wall: float, screen: Screen) -> Iterator[RenderableType]:
    """The report in sections; empty ones are omitted. ``wall``: duration of the run in real seconds."""
    yield text(f"{report.generation}, seed {report.seed}", "bold")
    yield text(f"{seconds(report.seconds)} of virtual time, {seconds(wall)} of real time")
    yield from map(text, (*_pods(report), *_measured(report)))
    yield from _waits(report)
    yield from _used(report)
    yield from _unschedulable(report, screen)
    if report.failures:
        yield text(f"{_entries(len(report.failures))} of the timeline failed", "red")
        yield from (indented(text(failure)) for failure in report.failures)


def _pods(report: Report) -> Iterator[str]:
    rates = [
        f"{rate:,.0f} {what}" if rate >= 10 else f"{rate:.2g} {what}"
        for rate, what in (
            (report.pods_per_second, "pods/s of virtual time"),
            (report.wall_pods_per_second, "pods/s of real time"),
        )
        if rate is not None
    ]
    yield f"{count(report.bound, 'pod')} of {report.created:,} bound" + (f": {', '.join(rates)}" if rates else "")
    yield f"{count(report.attempts, 'attempt')}, {report.failed_attempts:,} without a node" + (
        f", {report.skipped:,} skipped" if report.skipped else ""
    )
    if report.preemptions or report.evicted or report.deleted:
        yield (
            f"{count(report.preemptions, 'preemption')} with {count(report.victims, 'victim')}, "
            f"{report.evicted:,} evicted otherwise, {report.deleted:,} deleted in all"
        )


def _waits(report: Report) -> Iterator[RenderableType]:
    if report.waits:
        yield text("From creation to binding", "bold")
        table = grid("priority", "pods", "p50", "p95", "longest", numbers=range(5))
        for priority, waits in report.waits.items():
            times = (waits.p50, waits.p95, waits.longest)
            table.add_row(str(priority), f"{waits.pods:,}", *map(seconds, times))
        yield indented(table)


def _used(report: Report) -> Iterator[RenderableType]:
    yield text("Requested share of the nodes' capacity", "bold")
    table = grid("", "mean", "at the end", numbers=[1, 2])
    for name, used in (("cpu", report.cpu), ("memory", report.memory)):
        table.add_row(name, f"{used.mean:.1%}", f"{used.final:.1%}")
    yield indented(table)


def _measured(report: Report) -> Iterator[str]:
    for each in report.throughput:
        rate = f", {each.pods_per_second:,.0f} pods/s of virtual time" if each.pods_per_second is not None else ""
        yield f"Measured {each.name}: {count(each.pods, 'pod')} in {seconds(each.seconds)}{rate}"


def _unschedulable(report: Report, screen: Screen) -> Iterator[RenderableType]:
    """The pods without a node, grouped by reason."""
    if not report.unschedulable:
        return
    yield text(f"{count(len(report.unschedulable), 'pod')} without a node", "red")
    groups: dict[str, list[str]] = {}
    for key, why in report.unschedulable.items():
        groups.setdefault(why or "not tried yet", []).append(key)
    names, ordered = ShortNames(screen), list(groups.items())
    shown = screen.first(ordered, REASONS)
    for why, keys in shown:
        yield indented(names.first(keys, LISTED, before=f"{count(len(keys), 'pod')}: "))
        yield indented(text(why), by=4)
    if rest := sum(len(keys) for _, keys in ordered[len(shown) :]):
        yield indented(text(f"and {count(rest, 'more pod')}"))


def seconds(number: float) -> str:
    """``1.25 s``, ``3 ms``: three figures, or whole seconds."""
    if number and number < 0.1:
        return f"{number * 1000:.3g} ms"
    return f"{number:.3g} s" if number < 100 else f"{number:,.0f} s"


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number:,} entries"
