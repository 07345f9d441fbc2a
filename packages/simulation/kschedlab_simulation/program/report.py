"""The report of a simulation on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from kschedlab.program.terminal.screen import Screen, ShortNames, grid, indented, text
from kschedlab.program.terminal.writer import LISTED
from kschedlab.text.words import count
from kschedlab_simulation.report import Report, cause_of
from kschedlab_simulation.usage import CLUSTER, NODE, PODS, POOL

REASONS = 10
"""Number of groups of unschedulable pods shown."""


def report_parts(report: Report, wall: float, screen: Screen) -> Iterator[RenderableType]:
    """The report in sections; empty ones are omitted. ``wall``: duration of the run in real seconds."""
    yield text(f"{report.generation}, seed {report.seed}", "bold")
    yield text(f"{seconds(report.seconds)} of virtual time, {seconds(wall)} of real time")
    yield from map(text, (*_pods(report), *_measured(report)))
    yield from _waits(report)
    yield from _used(report, screen)
    yield from _stuck(report)
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


def _used(report: Report, screen: Screen) -> Iterator[RenderableType]:
    """Each resource of the cluster and of its pools, of which there may be several; with ``--all`` of each node."""
    scopes = [CLUSTER, POOL, NODE] if screen.all else [CLUSTER, POOL]
    several = len({each.name for each in report.resources if each.scope == POOL}) > 1
    rows = [each for each in report.resources if each.scope in scopes and (several or each.scope != POOL)]
    shown = [each for each in rows if each.mean.allocatable and each.resource != PODS]
    if not shown:
        return
    yield text("Resources: shares of what the nodes have", "bold")
    table = grid("", "resource", "requested", "at the end", "used", "stranded", "fragmented", numbers=range(2, 7))
    names, latest = ShortNames(screen), None
    for each in shown:
        end = each.final
        amounts = (
            (each.mean.requested, each.mean.allocatable),
            *((amount, end.allocatable) for amount in (end.requested, end.used, end.stranded, end.fragmented)),
        )
        name = each.name or "all nodes"
        table.add_row(names(name) if name != latest else "", each.resource, *(_share(*pair) for pair in amounts))
        latest = name
    yield indented(table)


def _share(amount: float, of: float) -> str:
    return f"{amount / of:.1%}" if of else ""


def _stuck(report: Report) -> Iterator[RenderableType]:
    """The rollouts that are not complete, each with what its pods wait for."""
    if not report.stuck:
        return
    yield text(f"{count(len(report.stuck), 'rollout')} not complete", "red")
    for each in report.stuck:
        parts = [f"{each.updated:,} of {each.wanted:,} pods updated, {each.available:,} available"]
        parts += [f"{each.old:,} of an older template"] if each.old else []
        parts += ["its deadline is over"] if each.deadline_exceeded else []
        yield indented(text(f"{each.kind} {each.name}: {', '.join(parts)}, since {seconds(each.since)}"))
        yield from (indented(text(f"{count(pods, 'pod')}: {why}"), by=4) for why, pods in each.pending.items())
        if each.refused:
            yield indented(text(each.refused), by=4)


def _measured(report: Report) -> Iterator[str]:
    for each in report.throughput:
        rate = f", {each.pods_per_second:,.0f} pods/s of virtual time" if each.pods_per_second is not None else ""
        yield f"Measured {each.name}: {count(each.pods, 'pod')} in {seconds(each.seconds)}{rate}"


def _unschedulable(report: Report, screen: Screen) -> Iterator[RenderableType]:
    """The pods without a node, grouped by cause; the largest group first."""
    if not report.unschedulable:
        return
    yield text(f"{count(len(report.unschedulable), 'pod')} without a node", "red")
    groups: dict[str, list[str]] = {}
    for key, why in report.unschedulable.items():
        groups.setdefault(cause_of(why), []).append(key)
    names, ordered = ShortNames(screen), sorted(groups.items(), key=lambda group: -len(group[1]))
    shown = screen.first(ordered, REASONS)
    for cause, keys in shown:
        messages = {report.unschedulable[key] for key in keys}
        yield indented(names.first(keys, LISTED, before=f"{count(len(keys), 'pod')}: "))
        yield indented(text((messages.pop() or cause) if len(messages) == 1 else cause), by=4)
    if rest := sum(len(keys) for _, keys in ordered[len(shown) :]):
        yield indented(text(f"and {count(rest, 'more pod')}"))


def seconds(number: float) -> str:
    """``1.25 s``, ``3 ms``: three figures, or whole seconds."""
    if number and number < 0.1:
        return f"{number * 1000:.3g} ms"
    return f"{number:.3g} s" if number < 100 else f"{number:,.0f} s"


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number:,} entries"
