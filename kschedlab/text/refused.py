"""The refused nodes: grouped by plugin and reasons, and as a section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.signatures import BoolArray
from kschedlab.filter.stage import EXCLUDED, PASSES, Verdicts, not_satisfied
from kschedlab.messages import say, terms
from kschedlab.text.sections import Line, Lines, Names, Row, Section, Table
from kschedlab.text.words import count, listing


@dataclass(frozen=True)
class RefusedNodes:
    """Nodes that one plugin refuses for the same reasons. ``also``: (other plugin, how many it refuses too)."""

    plugin: str
    reasons: tuple[str, ...]
    unresolvable: bool
    nodes: tuple[str, ...]
    also: tuple[tuple[str, int], ...] = ()


def refusals(verdicts: Verdicts | None, names: Sequence[str]) -> list[RefusedNodes]:
    """All refused nodes, grouped by plugin and reasons, largest group first. O(nodes x reasons), vectorised.

    ``names``: those of the cluster's nodes.
    """
    if verdicts is None or verdicts.rejected is not None:
        return []
    unresolvable = verdicts.unresolvable()
    folded: dict[tuple[str, tuple[str, ...], bool], list[int]] = {}
    for number in np.unique(verdicts.refused_by[verdicts.refused_by != PASSES]).tolist():
        plugin = "PreFilter" if number == EXCLUDED else verdicts.plugins[number]
        for reasons, nodes in _by_reasons(verdicts, number, unresolvable):
            folded.setdefault((plugin, reasons, bool(unresolvable[nodes[0]])), []).extend(nodes)
    refusals = [_refusal(verdicts, names, *key, nodes) for key, nodes in folded.items()]
    return sorted(refusals, key=lambda refusal: (-len(refusal.nodes), refusal.plugin, refusal.reasons))


def _by_reasons(
    verdicts: Verdicts, number: int, unresolvable: BoolArray
) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """The nodes that plugin ``number`` refuses, grouped by reasons: (reasons, positions)."""
    mine = np.flatnonzero(verdicts.refused_by == number)
    refused = verdicts.refusals[number] if number >= 0 else None
    if refused is None:
        yield (not_satisfied(verdicts.excluded_by),), mine.tolist()
        return
    columns = np.vstack([part.mask[mine] for part in refused.parts] + [unresolvable[mine]])
    _, groups = np.unique(columns, axis=1, return_inverse=True)
    for group in range(int(groups.max()) + 1):
        positions = mine[groups.ravel() == group].tolist()
        yield tuple(refused.reasons(positions[0])), positions


def _refusal(
    verdicts: Verdicts,
    names: Sequence[str],
    plugin: str,
    reasons: tuple[str, ...],
    unresolvable: bool,
    nodes: list[int],
) -> RefusedNodes:
    too: dict[str, int] = {}
    for name, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        if refused is not None and name != plugin and (hits := int(refused.refused[nodes].sum())):
            too[name] = max(hits, too.get(name, 0))
    refused_here = tuple(sorted(names[n] for n in nodes))
    return RefusedNodes(plugin, reasons, unresolvable, refused_here, tuple(too.items()))


def refused_section(verdicts: Verdicts | None, names: Sequence[str]) -> Iterator[Section]:
    rows = []
    for refusal in refusals(verdicts, names):
        also = listing([f"{plugin} ({nodes:,})" for plugin, nodes in refusal.also])
        reasons: list[Line] = ["; ".join(refusal.reasons), Names(refusal.nodes)]
        if also:
            reasons.append(say("also refused by {plugins}", plugins=also))
        helps = say("does not help") if refusal.unresolvable else say("may help")
        rows.append(Row([len(refusal.nodes), refusal.plugin, Lines(reasons), helps]))
    if verdicts is not None and rows:
        table = Table(terms("nodes", "plugin", "reasons", "evicting"), rows)
        yield Section(say("Refused by filters"), [table, *_failing(verdicts)])


def _failing(verdicts: Verdicts) -> Iterator[str]:
    """The filters that end with an error on nodes where another one refuses first."""
    for plugin, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        for part in refused.parts if refused is not None else ():
            if part.error and part.mask.any():
                nodes = count(int(part.mask.sum()), "node")
                yield say("{plugin} would fail on {nodes}: {error}", plugin=plugin, nodes=nodes, error=part.reason)
