"""Sentences and phrases about a Decision that all views share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, zip_longest
from textwrap import wrap

import numpy as np

from kschedlab.cluster.pods import NEVER_STARTED, PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.decision import Decision
from kschedlab.filter.stage import EXCLUDED, PASSES, Verdicts
from kschedlab.preemption.stage import Preemption
from kschedlab.views.html import visible

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Clock = Callable[[int], str]


def count(number: int, noun: str) -> str:
    """ "1 node", "2 nodes"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listing(names: Sequence[str], limit: int = 5) -> str:
    """ "a, b, c and 4 more"."""
    rest = len(names) - limit
    return ", ".join(islice(names, limit)) + (f" and {rest:,} more" if rest > 0 else "")


def amount(resource: str, value: int) -> str:
    """A request in common notation: "1.5 CPU", "250m CPU", "2Gi memory", "1 nvidia.com/gpu"."""
    if resource == "cpu":
        return f"{value / 1000:g} CPU" if value >= 1000 and value % 100 == 0 else f"{value}m CPU"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for unit, suffix in ((1 << 40, "Ti"), (1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
            if value >= unit and value * 100 % unit == 0:
                return f"{value / unit:g}{suffix} {resource}"
    return f"{value} {resource}"


def priority_text(priority: int) -> str:
    """A priority as short as a picture needs it: the lowest of all has ten digits."""
    return "-2³¹" if priority == -(2**31) else str(priority)


def clock(starts: Iterable[int]) -> Clock:
    """A formatter for these times (microseconds since 1970); it shows dates only if the days differ."""
    moments = [_moment(start) for start in starts if start != NEVER_STARTED]
    whole = all(m.second == m.microsecond == 0 for m in moments)
    pattern = "%H:%M" if whole else "%H:%M:%S"
    if len({m.date() for m in moments}) > 1:
        pattern = "%Y-%m-%d " + pattern
    return lambda start: "not started" if start == NEVER_STARTED else _moment(start).strftime(pattern)


def _moment(start: int) -> datetime:
    return EPOCH + timedelta(microseconds=start)


@dataclass(frozen=True)
class Refusal:
    """Nodes that one plugin refuses for the same reasons. ``also``: (other plugin, how many it refuses too)."""

    plugin: str
    reasons: tuple[str, ...]
    unresolvable: bool
    nodes: tuple[str, ...]
    also: tuple[tuple[str, int], ...] = ()


def refusals(decision: Decision) -> list[Refusal]:
    """All refused nodes, grouped by plugin and reasons, largest group first. O(nodes x reasons), vectorised."""
    verdicts = decision.verdicts
    if verdicts is None or verdicts.rejected is not None:
        return []
    unresolvable = verdicts.unresolvable()
    folded: dict[tuple[str, tuple[str, ...], bool], list[int]] = {}
    for number in np.unique(verdicts.refused_by[verdicts.refused_by != PASSES]).tolist():
        plugin = "PreFilter" if number == EXCLUDED else verdicts.plugins[number]
        for reasons, nodes in _by_reasons(verdicts, number, unresolvable):
            folded.setdefault((plugin, reasons, bool(unresolvable[nodes[0]])), []).extend(nodes)
    found = [_refusal(decision, verdicts, *key, nodes) for key, nodes in folded.items()]
    return sorted(found, key=lambda refusal: (-len(refusal.nodes), refusal.plugin, refusal.reasons))


def _by_reasons(
    verdicts: Verdicts, number: int, unresolvable: BoolArray
) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """The nodes that plugin ``number`` refuses, grouped by reasons: (reasons, positions)."""
    mine = np.flatnonzero(verdicts.refused_by == number)
    refused = verdicts.refusals[number] if number >= 0 else None
    if refused is None:
        yield (f"node(s) didn't satisfy plugin(s) [{' '.join(verdicts.excluded_by)}]",), mine.tolist()
        return
    columns = np.vstack([part.mask[mine] for part in refused.parts] + [unresolvable[mine]])
    _, groups = np.unique(columns, axis=1, return_inverse=True)
    for group in range(int(groups.max()) + 1):
        positions = mine[groups.ravel() == group].tolist()
        yield tuple(refused.reasons(positions[0])), positions


def _refusal(
    decision: Decision, verdicts: Verdicts, plugin: str, reasons: tuple[str, ...], unresolvable: bool, nodes: list[int]
) -> Refusal:
    too: dict[str, int] = {}
    for name, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        if refused is not None and name != plugin and (hits := int(refused.mask[nodes].sum())):
            too[name] = max(hits, too.get(name, 0))
    names = tuple(sorted(decision.cluster.names[n] for n in nodes))
    return Refusal(plugin, reasons, unresolvable, names, tuple(too.items()))


def request_text(decision: Decision) -> str:
    """The pod's requests and priority."""
    wants = [amount(name, value) for name, value in decision.pod.request.items() if value]
    return f"asks for {', '.join(wants) or 'nothing'}; priority {decision.pod.priority}"


def outcome(decision: Decision) -> str:
    """The outcome in one sentence."""
    pod, nodes = decision.pod.key, len(decision.cluster.nodes)
    if decision.error:
        return f"{pod} could not be decided: {decision.error}"
    if decision.gates:
        return f"{pod} waits for its scheduling gates: {', '.join(decision.gates)}."
    if decision.node is not None:
        return f"{pod} goes to {decision.node}, {_why(decision)}."
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        rejected = decision.verdicts.rejected
        by = f"{rejected.plugin} refuses it" if rejected.plugin else "it is refused"
        return f"{pod} stays pending: {by} before any node is looked at ({'; '.join(rejected.reasons)})."
    stays = f"{pod} fits on none of {count(nodes, 'node')}"
    preemption = decision.preemption
    if preemption is None:
        return f"{stays}."
    if preemption.nominated_node is not None:
        return f"{stays}; it preempts {evicted(preemption.victims)} on {preemption.nominated_node}."
    if not preemption.eligible:
        return f"{stays} and may not preempt: {preemption.reason}."
    if preemption.failure:
        return f"{stays}, and preemption fails: {preemption.failure}."
    return f"{stays}, and preemption does not help."


def evicted(victims: Sequence[PodInfo]) -> str:
    """The names of up to three victims, otherwise their number."""
    if len(victims) > 3 or not victims:
        return count(len(victims), "pod")
    *others, last = (victim.pod.metadata.name for victim in victims)
    return f"{', '.join(others)} and {last}" if others else last


def _why(decision: Decision) -> str:
    scores, nodes = decision.scores, len(decision.cluster.nodes)
    of = f"out of {nodes:,}"
    if decision.evaluated < nodes:
        of = f"found by looking at {decision.evaluated:,} of {nodes:,}"
    if scores is None:
        return f"the only feasible node {of}"
    best, highest = len(decision.best), f"the highest score ({scores.total.max()})"
    among = f"of the {count(len(scores.nodes), 'feasible node')} {of}"
    return f"which has {highest} {among}" if best == 1 else f"one of {best:,} with {highest} {among}"


def choice(preemption: Preemption) -> str:
    """Which rule chose the node, in one sentence; "" if nothing was chosen."""
    node, candidates = preemption.nominated_node, len(preemption.positions)
    if node is None:
        return ""
    if preemption.free is not None:
        return f"{node} needs no victims, because only an extender refuses it: no rule is asked."
    if candidates == 1:
        return f"{node} is the only candidate, so no rule is asked."
    for number, rung in enumerate(preemption.rungs, start=1):
        if rung.decides:
            beaten = preemption.positions[rung.entered & ~rung.kept].tolist()
            over = listing(sorted(preemption.cluster.names[n] for n in beaten), 3)
            rule = f"rule {number} ({rung.rule.name})"
            return f"Of {candidates:,} candidates, {rule} chooses {node} over {over}."
    tied = preemption.tied
    rules = len(preemption.rungs)
    return f"All {rules} rules leave a tie of {listing(tied)}; the scheduler takes any of them, here {node}."


def broken(text: str, width: int) -> list[str]:
    """The text wrapped to this width; at least one line."""
    return wrap(visible(text), width, break_on_hyphens=False) or [""]


def below(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Multi-line cells as rows of single lines."""
    return [list(line) for line in zip_longest(*columns, fillvalue="")]


def aligned(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """The rows as lines, with all columns but the last padded to their widest cell."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
