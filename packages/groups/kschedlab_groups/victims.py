"""Preemption by a single pod where groups run: a group that is disrupted as one is one victim, wherever its pods are.

v1.37: pkg/scheduler/framework/preemption/preemption.go (GetVictimsOnNode, DryRunPreemption) and
pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (SelectVictimsOnNode).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray, Small
from kschedlab.filter.plugin import Filter, Refusal, Refusals
from kschedlab.filter.stage import PASSES, FilterRun, Verdicts, first_error, prepare
from kschedlab.preemption.evidence import Preemption
from kschedlab.preemption.stage import Evaluator
from kschedlab.preemption.victims import DryRun
from kschedlab.scheduler import Scheduler
from kschedlab_groups.attempt import with_pods_elsewhere
from kschedlab_groups.group import Groups
from kschedlab_groups.preemption import Unit, units_of, violations_of
from kschedlab_groups.queued_group import group_of

if TYPE_CHECKING:
    from kschedlab.extenders import Extending

Trial: TypeAlias = tuple[DryRun, IntArray]


class GroupScheduler(Scheduler):
    """A scheduler that knows the groups of the pods that run, and evicts them as their disruptionMode says.

    With extenders, pods are evicted one by one.
    """

    groups: Groups

    def _preempt(self, pod: PodInfo, run: FilterRun, verdicts: Verdicts, extending: Extending | None) -> Preemption:
        cluster = self.cluster
        grouped = any(info is not None and group_of(info.pod) is not None for info in cluster.pods.infos)
        if extending is not None or not grouped:
            return super()._preempt(pod, run, verdicts, extending)
        units = units_of(cluster, self.groups)
        filters = [plugin for plugin in self.generation.filters if plugin.name in verdicts.plugins]
        trials = _Trials(pod, cluster, filters, units)
        evaluator = _GroupEvaluator(pod, cluster, run, self.generation.preemption, trials=trials)
        preemption = evaluator.preempt(verdicts, self.rng, self.exhaustive)
        return preemption if len(preemption.positions) else replace(preemption, failure=trials.failure)


@dataclass
class _Trials:
    """The dry run, node by node. ``units``: all that run; ``filters``: those that were asked about the pod.

    The columns of the evidence (see :class:`~kschedlab.preemption.victims.DryRun`) grow with each node.
    """

    pod: PodInfo
    cluster: Cluster
    filters: Sequence[Filter]
    units: Sequence[Unit]
    nodes: list[int] = field(default_factory=list)
    rows: list[tuple[int, int, bool, int, int]] = field(default_factory=list)
    refusals: dict[int, list[Refusal]] = field(default_factory=dict)
    emptied: dict[int, int] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)

    @property
    def failure(self) -> str:
        return next(iter(self.errors), "") if len(self.errors) < 2 else f"[{', '.join(self.errors)}]"

    def search(self, order: IntArray, enough: int) -> Trial:
        """Try the nodes in order until there are enough candidates. The evidence; those without violations first."""
        clean, violating = list[int](), list[int]()
        for node in order.tolist():
            if (violations := self.run(node)) is not None:
                (violating if violations else clean).append(node)
            if clean and len(clean) + len(violating) >= enough:
                break
        return self.evidence(), np.array([*clean, *violating], np.int64)

    def run(self, node: int) -> int | None:
        """Try the node: how many of its victims violate a budget, or None if evicting does not help there."""
        name = self.cluster.names[node]
        here = [unit for unit in self.units if name in unit.nodes]
        units = sorted((each for each in here if each.priority < self.pod.priority), key=lambda each: each.importance)
        self.nodes.append(node)
        if why := next((unit.error for unit in here if unit.gone), ""):
            self.errors[why] = None
            return None
        if not units:
            return None
        trial = with_pods_elsewhere(self.cluster, [pod.key for unit in units for pod in unit.pods])
        self.emptied[node] = refused = self._refused_by(trial, node, keep=True)
        violating = violations_of(self.cluster, units)
        order = sorted(range(len(units)), key=lambda i: not any(violating[i]))
        refused_by = [refused] * len(units)
        for i in order if refused == PASSES else ():
            refused_by[i] = self._reprieve(trial, units[i], node)
        place = {i: sum(len(units[j].pods) for j in order[:turn]) for turn, i in enumerate(order)}
        for i, unit in enumerate(units):
            for k, pod in enumerate(unit.pods):
                row = self.cluster.pods.row_of[pod.key]
                self.rows.append((row, node, violating[i][k], place[i] + k, refused_by[i]))
        if refused != PASSES or all(each == PASSES for each in refused_by):
            return None
        return sum(sum(violating[i]) for i, each in enumerate(refused_by) if each != PASSES)

    def _reprieve(self, trial: Cluster, unit: Unit, node: int) -> int:
        for pod, place in zip(unit.pods, unit.nodes, strict=True):
            trial.bind(pod, place)
        refused = self._refused_by(trial, node)
        if refused != PASSES:
            for pod in unit.pods:
                trial.evict(pod.key)
        return refused

    def _refused_by(self, trial: Cluster, node: int, keep: bool = False) -> int:
        """The number of the filter that refuses the pod on the node, or PASSES. ``keep``: its reasons as evidence."""
        verdicts = FilterRun(prepare(self.pod, trial, self.filters), self.pod, trial).dry_run()
        if verdicts.passes[node]:
            return PASSES
        plugin, refused = verdicts.plugin(node), verdicts.refusals[int(verdicts.refused_by[node])]
        number = next(i for i, each in enumerate(self.filters) if each.name == plugin)
        if keep and refused is not None:
            here = np.arange(len(self.cluster.names)) == node
            for part in (each for each in refused.parts if each.mask[node]):
                self.refusals.setdefault(number, []).append(replace(part, mask=here))
                if part.error:
                    self.errors[first_error(self.filters[number].name, part.reason)] = None
        return number

    def evidence(self) -> DryRun:
        """The trials and their results."""
        refused_by = np.full(len(self.cluster.names), PASSES, Small)
        for position, number in self.emptied.items():
            refused_by[position] = number
        refusals = (self.refusals.get(i) for i in range(len(self.filters)))
        emptied = Verdicts(
            refused_by,
            tuple(plugin.name for plugin in self.filters),
            tuple(Refusals(parts) if parts else None for parts in refusals),
        )
        columns: IntArray = np.array(self.rows, np.int64).reshape(-1, 5)
        rows, node, violates, place, refused = (columns[:, i] for i in range(5))
        nodes = np.array(self.nodes, np.int64)
        return DryRun(nodes, emptied, rows, node, violates.astype(bool), place, refused.astype(Small), True)


@dataclass(kw_only=True)
class _GroupEvaluator(Evaluator):
    """A pod's preemption with the units of ``trials``: a pod resists with the priority of its unit."""

    trials: _Trials

    def __post_init__(self) -> None:
        self._priorities = {pod.key: unit.priority for unit in self.trials.units for pod in unit.pods}

    def priority(self, other: PodInfo) -> int:
        return self._priorities[other.key]

    def search(self, order: IntArray, enough: int) -> Trial:
        return self.trials.search(order, enough)
