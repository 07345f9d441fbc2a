"""A run as text: its report, the pods at any position of a replay, a bar that shows how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from kschedlab.objects.model import Pod
from kschedlab.simulation.report import Report, Utilization
from kschedlab.views.html import visible
from kschedlab.views.kubectl import get_pods_wide
from kschedlab.views.words import aligned, count

SHOWN, SHOWN_PODS = 20, 40
"""How many unschedulable pods are told in full, and how many pods are listed."""
BAR = 30


def pods_text(pods: Sequence[Pod], now: int) -> str:
    """The first pods of all namespaces as kubectl shows them, and how many follow."""
    table = get_pods_wide(pods[:SHOWN_PODS], now, all_namespaces=True)
    rest = len(pods) - SHOWN_PODS
    return f"{table}\nand {count(rest, 'more pod')}" if rest > 0 else table


def report_text(report: Report) -> str:
    """The report in sections; those with nothing to tell are left out."""
    lines = [f"{report.generation}, seed {report.seed}: {seconds(report.seconds)} of the virtual clock"]
    for section in (_pods, _waits, _used, _measured, _unschedulable, _failures):
        lines += section(report)
    return "\n".join(visible(line) for line in lines)


def _pods(report: Report) -> Iterator[str]:
    rates = [
        f"{rate:,.0f} {what}" if rate >= 10 else f"{rate:.2g} {what}"
        for rate, what in (
            (report.pods_per_second, "pods/s"),
            (report.wall_pods_per_second, "pods/s on the clock on the wall"),
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


def _waits(report: Report) -> Iterator[str]:
    if report.waits:
        yield "From creation to binding"
        rows = [["priority", "pods", "p50", "p95", "longest"]]
        for priority, waits in report.waits.items():
            times = (waits.p50, waits.p95, waits.longest)
            rows.append([str(priority), f"{waits.pods:,}", *map(seconds, times)])
        yield from aligned(rows)


def _used(report: Report) -> Iterator[str]:
    yield "Requested of what the nodes have"
    yield from aligned([["", "mean", "at the end"], _row("cpu", report.cpu), _row("memory", report.memory)])


def _row(name: str, used: Utilization) -> list[str]:
    return [name, f"{used.mean:.1%}", f"{used.final:.1%}"]


def _measured(report: Report) -> Iterator[str]:
    for each in report.throughput:
        rate = f", {each.pods_per_second:,.0f} pods/s" if each.pods_per_second is not None else ""
        yield f"Measured {each.name}: {count(each.pods, 'pod')} in {seconds(each.seconds)}{rate}"


def _unschedulable(report: Report) -> Iterator[str]:
    left = report.unschedulable
    if left:
        yield f"{count(len(left), 'pod')} without a node"
        for key, why in list(left.items())[:SHOWN]:
            yield f"  {key}: {why or 'not tried yet'}"
        if len(left) > SHOWN:
            yield f"  and {len(left) - SHOWN:,} more"


def _failures(report: Report) -> Iterator[str]:
    if report.failures:
        yield f"{count(len(report.failures), 'entry').replace('entrys', 'entries')} of the timeline failed"
        yield from (f"  {failure}" for failure in report.failures)


def seconds(number: float) -> str:
    """``1.25 s``, ``3 ms``: three figures, or whole seconds."""
    if number and number < 0.1:
        return f"{number * 1000:.3g} ms"
    return f"{number:.3g} s" if number < 100 else f"{number:,.0f} s"


class Bar:
    """A line on a terminal that is drawn anew: how many pods of how many are bound.

    It appears only when ``clock`` (seconds) has gone on for ``patience``: a short run shows nothing.
    """

    def __init__(self, out: TextIO, clock: Callable[[], float], patience: float = 2.0) -> None:
        self._out = out
        self._clock = clock
        self._next = clock() + patience
        self._drawn = 0

    def show(self, done: int, total: int) -> None:
        """Draw it, not more than ten times a second."""
        if self._clock() < self._next:
            return
        self._next = self._clock() + 0.1
        filled = BAR * done // total if total else 0
        line = f"[{'#' * filled}{'.' * (BAR - filled)}] {done:,} of {count(total, 'pod')} bound"
        self._out.write("\r" + line.ljust(self._drawn))
        self._out.flush()
        self._drawn = len(line)

    def clear(self) -> None:
        """Wipe it away, if it was drawn."""
        if self._drawn:
            self._out.write("\r" + " " * self._drawn + "\r")
            self._out.flush()
            self._drawn = 0
