"""The filter stage: every plugin asks every node, in order; the first that refuses a node decides it.

v1.37: pkg/scheduler/framework/runtime/framework.go (RunPreFilterPlugins, RunFilterPluginsWithNominatedPods) and
pkg/scheduler/schedule_one.go (findNodesThatFitPod, findNodesThatPassFilters, numFeasibleNodesToFind).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, SmallArray
from kschedlab.cluster.snapshot import Overlay, Snapshot
from kschedlab.filter.plugin import Filter, PreFilterRejection, PreparedFilter, Refusals, SchedulingError

PASSES = -1
EXCLUDED = -2
REJECTED = -3
"""Values of ``refused_by`` for a node that passes, for one that a PreFilter result left out, and for all nodes of a pod
that a plugin rejected before any node was looked at."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """All filters, prepared for one pod: the plugins that did not skip it, in order.

    ``only``: bool[nodes], the nodes that PreFilter results left in, or None for all; ``excluded_by``: whose results.
    ``rejected``: set if a plugin refused the pod before any node was looked at.
    """

    plugins: tuple[str, ...] = ()
    checks: tuple[PreparedFilter, ...] = ()
    node_names: BoolArray | None = None
    excluded_by: tuple[str, ...] = ()
    rejected: PreFilterRejection | None = None


def prepare(pod: PodInfo, cluster: Cluster, filters: Sequence[Filter]) -> Prepared:
    """Run every plugin's PreFilter. An unresolvable rejection ends it; a resolvable one is kept until all have run."""
    kept: list[tuple[str, PreparedFilter]] = []
    rejected: PreFilterRejection | None = None
    node_names: frozenset[str] | None = None
    excluded_by: list[str] = []
    for plugin in filters:
        check = plugin.prepare(pod, cluster)
        if isinstance(check, PreFilterRejection):
            if check.unresolvable:
                return Prepared(rejected=check)
            rejected = check
        elif check is not None:
            kept.append((plugin.name, check))
            if check.node_names is not None:
                excluded_by.append(plugin.name)
                node_names = check.node_names if node_names is None else node_names & check.node_names
                if not node_names:
                    nowhere = PreFilterRejection("", (_not_satisfied(excluded_by),))
                    return Prepared(excluded_by=tuple(sorted(excluded_by)), rejected=nowhere)
    mask = None if node_names is None else np.array([name in node_names for name in cluster.names], np.bool_)
    names, checks = tuple(name for name, _ in kept), tuple(check for _, check in kept)
    return Prepared(names, checks, mask, tuple(sorted(excluded_by)), rejected)


def _not_satisfied(plugins: list[str]) -> str:
    if len(plugins) == 1:
        return f"node(s) didn't satisfy plugin {plugins[0]}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(plugins))}] simultaneously"


class Verdicts:
    """What the filters said.

    ``refused_by``: int8[nodes], the number of the first plugin that refuses the node, PASSES or EXCLUDED.
    ``plugins``, ``refusals``: by that number, the plugin's name and everything that it refuses, also nodes that
    another plugin refused before. A plugin has two numbers if it was asked with and without nominated pods.
    ``rejected``: set if a plugin refused the pod before any node was looked at. ``excluded_by``: plugins whose
    PreFilter results left nodes out.
    """

    def __init__(
        self,
        refused_by: SmallArray,
        plugins: tuple[str, ...] = (),
        refusals: tuple[Refusals | None, ...] = (),
        rejected: PreFilterRejection | None = None,
        excluded_by: tuple[str, ...] = (),
    ) -> None:
        self.refused_by = refused_by
        self.plugins = plugins
        self.refusals = refusals
        self.rejected = rejected
        self.excluded_by = excluded_by

    @property
    def passes(self) -> BoolArray:
        """bool[nodes]: the feasible nodes."""
        return self.refused_by == PASSES

    def unresolvable(self) -> BoolArray:
        """bool[nodes]: refused, and evicting pods can't help."""
        if self.rejected is not None:
            return np.full(len(self.refused_by), self.rejected.unresolvable)
        result = self.refused_by == EXCLUDED
        for number, refused in enumerate(self.refusals):
            if refused is not None:
                result = result | ((self.refused_by == number) & refused.unresolvable)
        return result

    def errors(self) -> Iterator[tuple[str, str, int]]:
        """(plugin, message, number of nodes) of plugins that failed on nodes, instead of refusing them."""
        for number, refused in enumerate(self.refusals):
            for part in refused.parts if refused is not None else ():
                if part.error and (count := int((part.mask & (self.refused_by == number)).sum())):
                    yield self.plugins[number], part.reason, count

    def plugin(self, node: int) -> str | None:
        """The plugin that refuses the node at this position, "PreFilter" if it was left out, None if it passes."""
        number = int(self.refused_by[node])
        if number == REJECTED and self.rejected is not None:
            return self.rejected.plugin
        return {PASSES: None, EXCLUDED: "PreFilter"}[number] if number < 0 else self.plugins[number]

    def reasons(self, node: int) -> list[str]:
        """The refusing plugin's reasons for the node at this position, in its order."""
        refused = self.refusals[number] if (number := int(self.refused_by[node])) >= 0 else None
        return refused.reasons(node) if refused is not None else []


class FilterRun:
    """The filters of one decision, run in as many snapshots as it needs."""

    def __init__(self, prepared: Prepared, pod: PodInfo, cluster: Cluster, errors_added_up: bool = False) -> None:
        self.prepared = prepared
        self._errors_added_up = errors_added_up
        self.cluster = cluster
        self.alone = Snapshot(cluster)
        nominated = nominated_overlay(pod, cluster)
        self.crowded = self.alone.with_overlay(nominated) if nominated is not None else None
        self._static: dict[int, Refusals | None] = {}

    def verdicts(self, overlay: Overlay | None = None) -> Verdicts:
        """Judge all nodes; then again with nominated pods of equal or higher priority added.

        A node passes if it passes both ways: the nominated pods may take its room, but may also never come. Where
        pods that come can only hurt, the second way tells nothing new and is left out. SchedulingError if a plugin
        fails on a node that is judged as it is, without ``overlay``.
        """
        verdicts = self._verdicts(overlay)
        if overlay is None and (errors := list(verdicts.errors())):
            raise SchedulingError(added_up(errors) if self._errors_added_up else first_error(*errors[0]))
        return verdicts

    def _verdicts(self, overlay: Overlay | None) -> Verdicts:
        if self.crowded is None:
            return self.judge(self.alone if overlay is None else self.alone.with_overlay(overlay))
        crowded = self.judge(self.crowded if overlay is None else self.crowded.with_overlay(overlay))
        if all(check.monotonic for check in self.prepared.checks):
            return crowded
        return _both(crowded, self.judge(self.alone if overlay is None else self.alone.with_overlay(overlay)))

    def judge(self, snapshot: Snapshot) -> Verdicts:
        """Judge all nodes in this snapshot alone."""
        refused_by = np.full(len(self.cluster.nodes), PASSES, np.int8)
        if self.prepared.node_names is not None:
            refused_by[~self.prepared.node_names] = EXCLUDED
        refusals = []
        for number, check in enumerate(self.prepared.checks):
            refused = self._ask(number, check, snapshot)
            refusals.append(refused)
            if refused is not None:
                np.copyto(refused_by, number, where=refused.mask & (refused_by == PASSES))
        return Verdicts(refused_by, self.prepared.plugins, tuple(refusals), excluded_by=self.prepared.excluded_by)

    def _ask(self, number: int, check: PreparedFilter, snapshot: Snapshot) -> Refusals | None:
        if check.depends_on_pods:
            return check.filter(snapshot)
        if number not in self._static:
            self._static[number] = check.filter(snapshot)
        return self._static[number]


def first_error(plugin: str, message: str, nodes: int) -> str:
    """The first error alone. v1.37: pkg/scheduler/framework/runtime/framework.go, RunFilterPlugins."""
    return f'running "{plugin}" filter plugin: {message}'


def added_up(errors: list[tuple[str, str, int]]) -> str:
    """All errors, each with the number of nodes. v1.16: k8s.io/apimachinery, CreateAggregateFromMessageCountMap."""
    texts = [message if nodes == 1 else f"{message} (repeated {nodes} times)" for _, message, nodes in errors]
    return texts[0] if len(texts) == 1 else f"[{', '.join(sorted(texts))}]"


def _both(first: Verdicts, second: Verdicts) -> Verdicts:
    """The first verdict where it refuses, else the second. Plugins of the second are numbered behind the first's."""
    offset = len(first.refusals)
    later = np.where(second.refused_by >= 0, second.refused_by + np.int8(offset), second.refused_by)
    refused_by = np.where(first.refused_by == PASSES, later, first.refused_by)
    plugins, refusals = first.plugins + second.plugins, first.refusals + second.refusals
    return Verdicts(refused_by, plugins, refusals, excluded_by=first.excluded_by)


def nominated_overlay(pod: PodInfo, cluster: Cluster) -> Overlay | None:
    """The pods of equal or higher priority that are nominated to some node, as if they ran there."""
    nominated = cluster.nominated
    rivals = nominated.live() & (nominated.priority >= pod.priority)
    if pod.key in nominated.row_of:
        rivals[nominated.row_of[pod.key]] = False
    rows = np.flatnonzero(rivals)
    if not len(rows):
        return None
    overlay = Overlay(cluster, nominated, rows)
    overlay.set(np.arange(len(rows)), 1)
    return overlay


def nodes_to_find(nodes: int, percentage: int, rules: SamplingRules) -> int:
    """How many feasible nodes are enough. v1.37: pkg/scheduler/schedule_one.go, numFeasibleNodesToFind."""
    if nodes < rules.min_feasible_nodes:
        return nodes
    if percentage == 0:
        percentage = max(rules.min_percentage, rules.adaptive_from - nodes // rules.adaptive_step)
    return max(rules.min_feasible_nodes, nodes * percentage // 100)


@dataclass(frozen=True)
class SamplingRules:
    """Constants of the search: all below 100 nodes; adaptive: 50 % less 1 % for each 125 nodes, at least 5 %.

    ``one_node_if_no_scores``: without score plugins the first feasible node is enough. ``counts_surplus_node``: the
    feasible node that ends the search counts as looked at, so the next search starts after it (v1.16, v1.13:
    internal/cache/node_tree.go, Next).
    """

    min_feasible_nodes: int = 100
    min_percentage: int = 5
    adaptive_from: int = 50
    adaptive_step: int = 125
    one_node_if_no_scores: bool = True
    counts_surplus_node: bool = False


def search(passes: BoolArray, start: int, enough: int) -> tuple[IntArray, int]:
    """Look from ``start`` on, round robin, for ``enough`` nodes that pass: (positions found, nodes looked at).

    The search ends at the first node that is one too many; that one does not count as looked at. ``start`` may lie
    beyond the last node, if there were more of them when the last search ended.
    """
    start %= max(len(passes), 1)
    hits = np.flatnonzero(passes)
    first = int(np.searchsorted(hits, start))
    hits = np.concatenate([hits[first:], hits[:first]])
    if len(hits) <= enough:
        return hits, len(passes)
    return hits[:enough], (int(hits[enough]) - start) % len(passes)


def unavailable(nodes: int, reasons: dict[str, int]) -> str:
    """``0/N nodes are available: ...``, the reasons with their numbers sorted as text. v1.37: types.go, FitError."""
    head = f"0/{nodes} nodes are available:"
    listed = ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"{head} {listed}." if listed else head
