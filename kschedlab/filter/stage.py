"""The filter stage: every plugin filters every node, in order; the first that refuses a node decides.

v1.37: pkg/scheduler/framework/runtime/framework.go (RunPreFilterPlugins, RunFilterPluginsWithNominatedPods) and
pkg/scheduler/schedule_one.go (findNodesThatFitPod, findNodesThatPassFilters, numFeasibleNodesToFind).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, Small, SmallArray
from kschedlab.cluster.snapshot import Overlay, Snapshot
from kschedlab.filter.plugin import CostlyFilter, Filter, PreFilterRejection, PreparedFilter, Refusals, SchedulingError

PASSES = -1
EXCLUDED = -2
REJECTED = -3
"""Values of ``refused_by``: the node passes; a PreFilter result excludes it; a plugin rejected the pod in PreFilter."""
EXTENDER = "Extender"
"""The plugin that a refusal by an extender counts for. v1.37: framework/types.go, ExtenderName."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """All filters prepared for one pod, except those that skipped it, in order.

    ``plugins``, ``filters``: their names and prepared filters. ``included``: bool[nodes], the nodes in every
    PreFilterResult, or None for all; ``excluded_by``: the plugins with a PreFilterResult. ``rejected``: set if a plugin
    rejected the pod before any node was checked. ``ran``: how many plugins' PreFilter ran, skipping or not.
    """

    plugins: tuple[str, ...] = ()
    filters: tuple[PreparedFilter, ...] = ()
    included: BoolArray | None = None
    excluded_by: tuple[str, ...] = ()
    rejected: PreFilterRejection | None = None
    ran: int = 0


@dataclass(frozen=True)
class NamingRules:
    """What follows if a PreFilter result leaves only nodes by name: named rules. The defaults are those of v1.37.

    ``missing_is_error``: a named node that does not exist is an error, else left out (v1.24: schedule_one.go,
    findNodesThatFitPod). ``conflict_is_unresolvable``: where no node has all names, evicting pods can't help, else it
    may (v1.28: framework/runtime/framework.go, RunPreFilterPlugins).
    """

    missing_is_error: bool = False
    conflict_is_unresolvable: bool = True


NAMING = NamingRules()


def prepare(pod: PodInfo, cluster: Cluster, plugins: Sequence[Filter], naming: NamingRules = NAMING) -> Prepared:
    """Run every plugin's PreFilter. An unresolvable rejection ends it; a resolvable one ends it after all have run.

    SchedulingError for a named node that does not exist, if that is one.
    """
    names: list[str] = []
    filters: list[PreparedFilter] = []
    rejected: PreFilterRejection | None = None
    node_names: frozenset[str] | None = None
    excluded_by: list[str] = []
    for ran, plugin in enumerate(plugins, 1):
        prepared = plugin.prepare(pod, cluster)
        if prepared is None:
            continue
        if isinstance(prepared, PreFilterRejection):
            if prepared.unresolvable:
                return Prepared(rejected=prepared, ran=ran)
            rejected = prepared
            continue
        names.append(plugin.name)
        filters.append(prepared)
        if prepared.node_names is not None:
            excluded_by.append(plugin.name)
            node_names = prepared.node_names if node_names is None else node_names & prepared.node_names
            if not node_names:
                unresolvable = naming.conflict_is_unresolvable
                rejection = PreFilterRejection("", (_without_a_node(excluded_by),), unresolvable)
                return Prepared(excluded_by=tuple(sorted(excluded_by)), rejected=rejection, ran=ran)
    if naming.missing_is_error and (missing := sorted((node_names or frozenset()) - cluster.index.keys())):
        raise SchedulingError(f'nodeinfo not found for node name "{missing[0]}"')
    named = [cluster.index[name] for name in node_names or () if name in cluster.index]
    included = None if node_names is None else np.isin(np.arange(len(cluster.names)), named)
    return Prepared(tuple(names), tuple(filters), included, tuple(sorted(excluded_by)), rejected, len(plugins))


def _without_a_node(plugins: list[str]) -> str:
    if len(plugins) == 1:
        return f"node(s) didn't satisfy plugin {plugins[0]}"
    return f"{not_satisfied(sorted(plugins))} simultaneously"


def not_satisfied(plugins: Iterable[str]) -> str:
    return f"node(s) didn't satisfy plugin(s) [{' '.join(plugins)}]"


@dataclass(eq=False)
class Verdicts:
    """The verdicts of all filters on all nodes.

    ``refused_by``: int16[nodes], the number of the first plugin that refuses the node, or PASSES, EXCLUDED or REJECTED.
    ``plugins``, ``refusals``: by that number, the plugin's name and all its refusals, including nodes that another
    plugin refuses first. A plugin that runs with and without nominated pods has two numbers.
    ``rejected``: set if a plugin rejected the pod before any node was checked. ``excluded_by``: the plugins with a
    PreFilterResult.
    """

    refused_by: SmallArray
    plugins: tuple[str, ...] = ()
    refusals: tuple[Refusals | None, ...] = ()
    rejected: PreFilterRejection | None = None
    excluded_by: tuple[str, ...] = ()

    @property
    def passes(self) -> BoolArray:
        """bool[nodes]: the feasible nodes."""
        return self.refused_by == PASSES

    @property
    def candidates(self) -> int:
        """How many nodes PreFilter leaves to be examined."""
        return int(np.count_nonzero(self.refused_by != EXCLUDED))

    def unresolvable(self, excluded: bool = True) -> BoolArray:
        """bool[nodes]: the refused nodes where evicting pods can't help; ``excluded``: also those that are excluded."""
        if self.rejected is not None:
            return np.full(len(self.refused_by), self.rejected.unresolvable)
        result = (self.refused_by == EXCLUDED) & excluded
        for number, refused in enumerate(self.refusals):
            if refused is not None:
                result = result | ((self.refused_by == number) & refused.unresolvable)
        return result

    def errors(self, seen: BoolArray | None = None) -> Iterator[tuple[str, str, int]]:
        """(plugin, message, number of nodes) for plugins that failed on nodes instead of refusing them.

        ``seen``: bool[nodes], the nodes that count; None for all.
        """
        for number, refused in enumerate(self.refusals):
            for part in refused.parts if refused is not None else ():
                if not part.error:
                    continue
                failed = part.mask & (self.refused_by == number)
                if count := int((failed if seen is None else failed & seen).sum()):
                    yield self.plugins[number], part.reason, count

    def plugin(self, node: int) -> str | None:
        """The plugin that refuses the node at this position, "PreFilter" if it is excluded, None if it passes."""
        number = int(self.refused_by[node])
        if number >= 0:
            return self.plugins[number]
        if number == REJECTED and self.rejected is not None:
            return self.rejected.plugin
        return "PreFilter" if number == EXCLUDED else None

    def reasons(self, node: int) -> list[str]:
        """The refusing plugin's reasons for the node at this position, in its order."""
        number = int(self.refused_by[node])
        refused = self.refusals[number] if number >= 0 else None
        return refused.reasons(node) if refused is not None else []


class FilterRun:
    """The filters of one decision, run in as many snapshots as needed.

    ``snapshot``: the cluster as it is; ``with_nominated``: the same with nominated pods added, or None without any.
    ``_static``: the results of filters that do not depend on pods, by the filter's number.
    """

    def __init__(self, prepared: Prepared, pod: PodInfo, cluster: Cluster, all_errors: bool = False) -> None:
        self.prepared = prepared
        self._all_errors = all_errors
        self.cluster = cluster
        self.snapshot = Snapshot(cluster)
        nominated = nominated_overlay(pod, cluster)
        self.with_nominated = self.snapshot.with_overlay(nominated) if nominated is not None else None
        self._static: dict[int, Refusals | None] = {}

    def verdicts(self) -> Verdicts:
        """Check all nodes. SchedulingError if a plugin fails on one."""
        verdicts = self.answers()
        self.check(verdicts)
        return verdicts

    def check(self, verdicts: Verdicts, seen: BoolArray | None = None) -> None:
        """SchedulingError if a plugin failed on a node. ``seen``: bool[nodes], those examined; None for all."""
        if errors := list(verdicts.errors(seen)):
            raise SchedulingError(aggregated(errors) if self._all_errors else first_error(*errors[0][:2]))

    def answers(self) -> Verdicts:
        """Check all nodes with nominated pods of equal or higher priority added, then without them.

        A node must pass both ways, because the nominated pods may take its resources but may also never arrive. If
        adding pods can only refuse more nodes, the second check is redundant and left out. A plugin that fails on a
        node refuses it, too.
        """
        return self._both_ways(self.verdicts_in)

    def dry_run(self, overlay: Overlay | None = None) -> Verdicts:
        """The same in a dry run of preemption, with the overlay: a plugin that fails on a node refuses it."""

        def checked(snapshot: Snapshot) -> Verdicts:
            return self.verdicts_in(snapshot if overlay is None else snapshot.with_overlay(overlay), excluding=False)

        return self._both_ways(checked)

    def _both_ways(self, checked: Callable[[Snapshot], Verdicts]) -> Verdicts:
        verdicts = checked(self.snapshot if self.with_nominated is None else self.with_nominated)
        if self.with_nominated is not None and not all(prepared.monotonic for prepared in self.prepared.filters):
            verdicts = _combined(verdicts, checked(self.snapshot))
        return verdicts

    def verdicts_in(self, snapshot: Snapshot, excluding: bool = True) -> Verdicts:
        """Check all nodes in this snapshot alone.

        Not ``excluding``: a dry run of preemption asks the filters about any node, as an extender may name one that
        PreFilter excludes.
        """
        refused_by = np.full(len(self.cluster.nodes), PASSES, Small)
        if excluding and self.prepared.included is not None:
            refused_by[~self.prepared.included] = EXCLUDED
        refusals = []
        for number, prepared in enumerate(self.prepared.filters):
            refused = self._refusals(number, prepared, snapshot, refused_by)
            refusals.append(refused)
            if refused is not None:
                np.copyto(refused_by, number, where=refused.mask & (refused_by == PASSES))
        return Verdicts(refused_by, self.prepared.plugins, tuple(refusals), excluded_by=self.prepared.excluded_by)

    def _refusals(
        self, number: int, prepared: PreparedFilter, snapshot: Snapshot, refused_by: SmallArray
    ) -> Refusals | None:
        if isinstance(prepared, CostlyFilter):
            return prepared.filter_among(refused_by == PASSES)
        if prepared.depends_on_pods:
            return prepared.filter(snapshot)
        if number not in self._static:
            self._static[number] = prepared.filter(snapshot)
        return self._static[number]


def first_error(plugin: str, message: str) -> str:
    """The first error only. v1.37: pkg/scheduler/framework/runtime/framework.go, RunFilterPlugins."""
    return f'running "{plugin}" filter plugin: {message}'


def aggregated(errors: list[tuple[str, str, int]]) -> str:
    """All errors, each with the number of nodes. v1.16: k8s.io/apimachinery, CreateAggregateFromMessageCountMap."""
    texts = [message if nodes == 1 else f"{message} (repeated {nodes} times)" for _, message, nodes in errors]
    return texts[0] if len(texts) == 1 else f"[{', '.join(sorted(texts))}]"


def _combined(first: Verdicts, second: Verdicts) -> Verdicts:
    """The first verdict where it refuses, else the second. The second's plugins are numbered after the first's."""
    offset = len(first.refusals)
    later = np.where(second.refused_by >= 0, second.refused_by + Small(offset), second.refused_by)
    refused_by = np.where(first.refused_by == PASSES, later, first.refused_by)
    plugins, refusals = first.plugins + second.plugins, first.refusals + second.refusals
    return Verdicts(refused_by, plugins, refusals, excluded_by=first.excluded_by)


def nominated_overlay(pod: PodInfo, cluster: Cluster) -> Overlay | None:
    """The pods of equal or higher priority that are nominated to a node, as if they ran there."""
    nominated = cluster.nominated
    if not nominated.row_of:
        return None
    counted = nominated.live() & (nominated.priority >= pod.priority)
    if pod.key in nominated.row_of:
        counted[nominated.row_of[pod.key]] = False
    rows = np.flatnonzero(counted)
    if not len(rows):
        return None
    overlay = Overlay(cluster, nominated, rows)
    overlay.set(np.arange(len(rows)), 1)
    return overlay


MIN_FEASIBLE_NODES = 100
"""So many feasible nodes are always wanted, and a smaller cluster is searched to its end."""


def nodes_to_find(nodes: int, percentage: int, rules: SamplingRules) -> int:
    """How many feasible nodes end the search: unless a percentage is set, 50 % minus 1 % for each 125 nodes.

    v1.37: pkg/scheduler/schedule_one.go, numFeasibleNodesToFind.
    """
    if nodes < MIN_FEASIBLE_NODES:
        return nodes
    if percentage == 0:
        percentage = max(rules.min_percentage, 50 - nodes // 125)
    return max(MIN_FEASIBLE_NODES, nodes * percentage // 100)


@dataclass(frozen=True)
class SamplingRules:
    """How generations differ in the search. ``min_percentage``: at least so many per cent of the nodes are wanted.

    ``one_node_if_no_scores``: without score plugins the first feasible node is enough. ``counts_surplus_node``: the
    feasible node that ends the search counts as evaluated, so the next search starts after it (v1.16, v1.13:
    internal/cache/node_tree.go, Next). ``counts_among_searched_nodes``: where the next search starts is counted modulo
    the nodes that this one was given, so a nominated node that is tried alone sets it to 0 (v1.24: schedule_one.go,
    findNodesThatPassFilters).
    """

    min_percentage: int = 5
    one_node_if_no_scores: bool = True
    counts_surplus_node: bool = False
    counts_among_searched_nodes: bool = False


def search(passes: BoolArray, start: int, enough: int) -> tuple[IntArray, int]:
    """Search round robin from ``start`` for ``enough`` nodes that pass: (positions found, number of nodes evaluated).

    The search ends at the first passing node beyond ``enough``, which does not count as evaluated. ``start`` may exceed
    the last position if there were more nodes when the last search ended.
    """
    start %= max(len(passes), 1)
    hits = np.flatnonzero(passes)
    first = int(np.searchsorted(hits, start))
    hits = np.concatenate([hits[first:], hits[:first]])
    if len(hits) <= enough:
        return hits, len(passes)
    return hits[:enough], (int(hits[enough]) - start) % len(passes)


def unavailable(nodes: int, reasons: dict[str, int]) -> str:
    """``0/N nodes are available: ...`` with the counted reasons, sorted as text. v1.37: types.go, FitError."""
    head = f"0/{nodes} nodes are available:"
    listed = ", ".join(sorted(f"{number} {reason}" for reason, number in reasons.items()))
    return f"{head} {listed}." if listed else head
