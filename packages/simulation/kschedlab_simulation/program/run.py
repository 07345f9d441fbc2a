"""A simulation on a terminal: changes of pods, entries of the timeline, and the final state of the pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.program.terminal.names import Cutter
from kschedlab.program.terminal.screen import Screen, ShortNames, grid, indented, text
from kschedlab.text.html import visible
from kschedlab.text.words import count
from kschedlab_simulation.changes import EVICTED, NEW, ORDER, PREEMPTED, SAME, PodChange
from kschedlab_simulation.durations import duration
from kschedlab_simulation.kubectl import PodTable, wide_cells
from kschedlab_simulation.log import Acted, Changed, LogEntry

PODS = 40
"""Number of changed pods listed."""
MARK = "──"
"""Prefix of lines in the watch that are not from kubectl."""
NARROW = {"READY": 5, "STATUS": 17, "AGE": 5}
"""Fixed-width columns of :class:`NarrowTable`."""
STYLES = {EVICTED: "yellow", PREEMPTED: "yellow", NEW: "green"}


class Printer:
    """Prints a line whenever a pod changes, with lines of its own in between.

    Its own lines begin with :data:`MARK`: the virtual time since ``start`` (microseconds) whenever a second has passed,
    and each entry of the timeline when it takes effect or fails. ``wide``: pods appear as in
    ``kubectl get pods -A -o wide -w``; otherwise their lines fit the screen.
    """

    def __init__(self, screen: Screen, start: int, wide: bool) -> None:
        self._screen = screen
        self._start = start
        self._time = ""
        self._kubectl = PodTable(all_namespaces=True) if wide else None
        self._narrow = NarrowTable(screen)

    def show(self, entry: LogEntry) -> None:
        """Print the change, if it concerns a pod or an entry of the timeline."""
        if isinstance(entry, Acted):
            where = f" ({entry.place})" if entry.place else ""
            failed = f" failed: {entry.error}" if entry.error else ""
            self._mark(self._passed(entry.at), f"{entry.act}{failed}{where}", "red" if failed else "yellow")
        elif isinstance(entry, Changed) and entry.kind == "Pod":
            lines = self._pod_lines(entry)
            if lines and (time := self._passed(entry.at)) != self._time:
                self._mark(time, "", "dim")
            self._screen.write("".join(f"{line}\n" for line in lines))

    def _pod_lines(self, entry: Changed) -> list[str]:
        if self._kubectl is None:
            return self._narrow.lines(entry)
        return self._kubectl.lines([entry.old if entry.new is None else entry.new], entry.at)

    def _passed(self, at: int) -> str:
        return duration((at - self._start) // SECOND * SECOND)

    def _mark(self, time: str, what: str, style: str) -> None:
        self._time = time
        self._screen.print(text(f"{MARK} {time} {what}".rstrip(), style))


class NarrowTable:
    """Pods in lines that fit the screen: those of kubectl's columns that a scheduler affects."""

    def __init__(self, screen: Screen) -> None:
        left = screen.width - sum(width + 2 for width in NARROW.values())
        self._screen = screen
        self._last: dict[str, tuple[str, ...]] = {}
        self._pod = left * 3 // 5
        self._pods = Cutter(self._pod)
        self._nodes = Cutter(left - self._pod - 4)

    def lines(self, entry: Changed) -> list[str]:
        """A line for the pod, unless only its age has changed; the header precedes the first line."""
        pod: Pod = entry.old if entry.new is None else entry.new
        _, ready, status, _, age, _, node, nominated, _ = map(visible, wide_cells(pod, entry.at))
        if entry.new is None:
            status = "Deleted"
        if not pod.spec.nodeName and pod.status.nominatedNodeName:
            node = f"({self._cut(nominated, self._nodes)})"
        else:
            node = self._cut(node, self._nodes)
        rows = [] if self._last else [("POD", *NARROW, "NODE")]
        if self._last.get(entry.key) != (ready, status, node):
            self._last[entry.key] = ready, status, node
            rows.append((self._cut(visible(entry.key), self._pods), ready, status, age, node))
        widths = (self._pod, *NARROW.values(), 0)
        return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]

    def _cut(self, name: str, cutter: Cutter) -> str:
        cut = cutter(name)
        self._screen.shortened |= cut != name
        return cut


def run_parts(changes: Sequence[PodChange], now: int, screen: Screen) -> Iterator[RenderableType]:
    """The changes since the start, and the number of unchanged pods. ``now``: microseconds since 1970."""
    by_kind = Counter(change.what for change in changes)
    counts = [f"{by_kind[what]:,} {what or 'unchanged'}" for what in ORDER if by_kind[what]]
    yield text(f"Pods: {', '.join(counts) or 'none'}", "bold")
    listed = [change for change in changes if change.what != SAME or screen.all]
    if len(listed) < len(changes):
        screen.folded = True
    shown = screen.first(listed, PODS)
    if shown:
        pods, nodes = ShortNames(screen), ShortNames(screen)
        table = grid("change", "pod", "ready", "status", "age", "node", fixed=[0, 2, 4])
        for change in shown:
            table.add_row(*_row(change, now, pods, nodes))
        yield indented(table)
    if rest := len(listed) - len(shown):
        yield indented(text(f"and {count(rest, 'more pod')}"))


def _row(change: PodChange, now: int, pods: ShortNames, nodes: ShortNames) -> tuple[RenderableType, ...]:
    metadata, style = change.pod.metadata, STYLES.get(change.what, "")
    pod = pods(f"{metadata.namespace}/{metadata.name}", style=style)
    if change.departed:
        return text(change.what, style), pod, "", "", "", nodes(*_listed(change.origin), before="was on ")
    _, ready, status, _, age, *_ = wide_cells(change.pod, now)
    return text(change.what, style), pod, ready, text(status), age, _node(change, nodes)


def _listed(name: str) -> list[str]:
    return [name] if name else ["no node"]


def _node(change: PodChange, nodes: ShortNames) -> RenderableType:
    node: Pod = change.pod
    if not node.spec.nodeName:
        return "<none>"
    moved = change.origin and change.origin != node.spec.nodeName
    return nodes(node.spec.nodeName, after=f" (was on {change.origin})" if moved else "")
