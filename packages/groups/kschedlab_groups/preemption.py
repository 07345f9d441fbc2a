"""Preemption for a pod group: evict all of lower priority in the cluster, then reprieve what does not stand in the way.

v1.37: pkg/scheduler/framework/preemption/podgrouppreemption.go (PodGroupEvaluator), types.go (getCrossNodesVictims) and
util.go (MoreImportantVictim, FilterVictimsWithPDBViolation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import Filter
from kschedlab.filter.stage import FilterRun, prepare
from kschedlab.objects.model import Pod, PodDisruptionBudget, PodGroup
from kschedlab.preemption.budgets import MatchesBudget
from kschedlab_groups.attempt import GroupResult, with_pods_elsewhere
from kschedlab_groups.group import (
    ERROR,
    SUCCESS,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    Groups,
    Status,
    group_name,
    is_disrupted_as_one,
    priority_of,
)
from kschedlab_groups.place import PodResult
from kschedlab_groups.queued_group import GroupKey

ON_ONE_NODE = ("NodeResourcesFit", "NodePorts")
"""Filters that look at the pods of one node alone."""
KEEP_THEIR_ANSWER = ("DynamicResources", "VolumeBinding")
"""Filters that remember what they found for the pod on its node, and find it again whoever returns."""


@dataclass(frozen=True, eq=False)
class Unit:
    """Pods that are evicted together, with their nodes. ``rank``: 2 for pods of a group, 1 for others.

    ``gone``: a node of one of the pods that does not exist any more, or "".
    """

    pods: tuple[PodInfo, ...]
    nodes: tuple[str, ...]
    priority: int
    rank: int
    gone: str = ""

    @property
    def error(self) -> str:
        """Why the real scheduler cannot look at the unit, or ""."""
        why = f'nodeinfo not found for node name "{self.gone}"'
        return f'failed to get node info for node "{self.gone}" from snapshot: {why}' if self.gone else ""

    @property
    def importance(self) -> tuple[int, int, int, int]:
        """The more important sorts first: priority, kind, size, earlier start."""
        return -self.priority, -self.rank, -len(self.pods), min(pod.start for pod in self.pods)


@dataclass(frozen=True, eq=False)
class GroupPreemption:
    """The result. ``nominated``: the node of each pod, by its key; ``victims``: the pods to evict, in their order."""

    status: Status
    nominated: dict[str, str]
    victims: tuple[PodInfo, ...] = ()
    violations: int = 0


def preempt(
    cluster: Cluster,
    group: PodGroup,
    pods: Sequence[PodInfo],
    groups: Groups,
    filters: Sequence[Filter],
    retry: Callable[[Cluster], GroupResult],
    group_decides: bool = False,
) -> GroupPreemption:
    """Decide which pods to evict for the pods of a group. ``retry``: another attempt on this cluster.

    ``group_decides``: the group's preemptionPolicy counts (the gate PodGroupPreemptionPolicy); else that of its pods.
    """
    units = units_of(cluster, groups)
    if why := next((unit.error for unit in units if unit.gone), ""):
        return GroupPreemption(Status(ERROR, (f"failed to create domain: {why}",)), {})
    policies = [group.spec.preemptionPolicy] if group_decides else [each.pod.spec.preemptionPolicy for each in pods]
    if "Never" in policies:
        return GroupPreemption(Status(UNSCHEDULABLE, ("not eligible due to preemptionPolicy=Never.",)), {})
    priority = priority_of(group)
    if _is_ongoing(units, pods, priority):
        nominated = {each.key: each.pod.status.nominatedNodeName for each in pods}
        return GroupPreemption(Status(SUCCESS, ("ongoing preemption on nominated nodes",)), nominated)
    lower = sorted((unit for unit in units if unit.priority < priority), key=lambda unit: unit.importance)
    if not lower:
        why = "No preemption victims found for incoming preemptor"
        return GroupPreemption(Status(UNRESOLVABLE, (why,)), {})
    emptied = with_pods_elsewhere(cluster, [pod.key for unit in lower for pod in unit.pods])
    result = retry(emptied)
    if result.status.code != SUCCESS:
        return GroupPreemption(result.status, {})
    violating = [sum(each) for each in violations_of(cluster, lower)]
    trial = _Trial(emptied, [_Placed(each, filters) for each in result.placed])
    order = sorted(range(len(lower)), key=lambda i: not violating[i])
    victims = sorted(i for i in order if not trial.reprieves(lower[i]))
    evicted = tuple(pod for i in victims for pod in lower[i].pods)
    status = Status(SUCCESS, (f"found a placement for podgroup, preempting {len(evicted)} victims",))
    nominated = {each.pod.key: each.node for each in result.placed}
    return GroupPreemption(status, nominated, evicted, sum(violating[i] for i in victims))


def units_of(cluster: Cluster, groups: Groups) -> list[Unit]:
    """All running pods as units, node by node: a group that is disrupted as one is one unit, any other pod is one."""
    together: dict[GroupKey, list[tuple[PodInfo, str]]] = {}
    units: list[Unit] = []
    for info, node in _running(cluster):
        name, namespace = group_name(info.pod), info.pod.metadata.namespace
        group = groups.find(namespace, name) if name else None
        if is_disrupted_as_one(group):
            together.setdefault((namespace, name), []).append((info, node))
        else:
            priority = info.priority if group is None else priority_of(group)
            units.append(Unit((info,), (node,), priority, 2 if name else 1))
    for key, members in together.items():
        group = groups.find(*key)
        assert group is not None
        gone = next((pod.spec.nodeName for pod in groups.scheduled(key) if pod.spec.nodeName not in cluster.index), "")
        pods, nodes = tuple(info for info, _ in members), tuple(node for _, node in members)
        units.append(Unit(pods, nodes, priority_of(group), 2, gone))
    return units


def _running(cluster: Cluster) -> Iterable[tuple[PodInfo, str]]:
    pods = cluster.pods
    rows = sorted(pods.row_of.values(), key=lambda row: (pods.node[row], pods.arrival[row]))
    for row in rows:
        if (info := pods.infos[row]) is not None:
            yield info, cluster.names[pods.node[row]]


def _is_ongoing(units: Iterable[Unit], pods: Iterable[PodInfo], priority: int) -> bool:
    nodes = {each.pod.status.nominatedNodeName for each in pods} - {""}
    return bool(nodes) and any(
        unit.priority < priority and node in nodes and is_preempted(pod.pod)
        for unit in units
        for pod, node in zip(unit.pods, unit.nodes, strict=True)
    )


def is_preempted(pod: Pod) -> bool:
    """Whether the pod terminates because the scheduler preempted it (PodTerminatingByPreemption)."""
    marks = (condition for condition in pod.status.conditions if condition.type == "DisruptionTarget")
    mark = next(marks, None)
    return (
        pod.metadata.deletionTimestamp is not None
        and mark is not None
        and (mark.status, mark.reason) == ("True", "PreemptionByScheduler")
    )


def violations_of(cluster: Cluster, units: Sequence[Unit]) -> list[list[bool]]:
    """The pods of each unit that would break a budget, if the units are evicted in this order."""
    budgets = list(cluster.objects_of(PodDisruptionBudget))
    queries = [MatchesBudget.of_budget(budget) for budget in budgets]
    allowed = [budget.status.disruptionsAllowed for budget in budgets]

    def breaks(info: PodInfo) -> bool:
        for i, budget in enumerate(budgets):
            if queries[i].of(info.signature) and info.pod.metadata.name not in budget.status.disruptedPods:
                allowed[i] -= 1
                if allowed[i] < 0:
                    return True
        return False

    return [[breaks(info) for info in unit.pods] for unit in units]


class _Placed:
    """A pod of the group on its node. ``filters``: those that its PreFilter did not skip on the emptied cluster.

    The real one keeps the pod's cycle state: a filter that was skipped then is not asked when a victim returns.
    """

    def __init__(self, result: PodResult, filters: Sequence[Filter]) -> None:
        verdicts = result.decision.verdicts if result.decision is not None else None
        plugins = verdicts.plugins if verdicts is not None else ()
        self.pod, self.node = result.pod, result.node
        self.filters = tuple(
            plugin for plugin in filters if plugin.name in plugins and plugin.name not in KEEP_THEIR_ANSWER
        )
        self.on_one_node = tuple(plugin for plugin in self.filters if plugin.name in ON_ONE_NODE)


class _Trial:
    """The cluster with the victims so far evicted, in which units return if the group still fits.

    ``placed``: the group's pods. They are on the cluster while they are checked only.
    """

    def __init__(self, cluster: Cluster, placed: Sequence[_Placed]) -> None:
        self._cluster = cluster
        self._placed = placed
        self._alone = not any(_looks_around(each.pod.pod) for each in placed)

    def reprieves(self, unit: Unit) -> bool:
        """Put the unit back, and leave it there if all pods of the group still fit."""
        for pod, node in zip(unit.pods, unit.nodes, strict=True):
            self._cluster.bind(pod, node)
        here = [each for each in self._placed if each.node in unit.nodes]
        fits = self._fits(here, alone=True)
        if fits:
            alone = self._alone and not any(_looks_around(pod.pod) for pod in unit.pods)
            fits = self._fits(here if alone else self._placed, alone=False)
        if not fits:
            for pod in unit.pods:
                self._cluster.evict(pod.key)
        return fits

    def _fits(self, placed: Sequence[_Placed], alone: bool) -> bool:
        """Whether each of the pods passes on its node, with those before it on theirs.

        ``alone``: only the filters that look at one node are asked.
        """
        cluster, there = self._cluster, list[str]()
        try:
            for each in placed:
                if not _passes(cluster, each.pod, each.node, each.on_one_node if alone else each.filters):
                    return False
                cluster.bind(each.pod, each.node)
                there.append(each.pod.key)
        finally:
            for key in there:
                cluster.evict(key)
        return True


def _passes(cluster: Cluster, pod: PodInfo, node: str, filters: Sequence[Filter]) -> bool:
    run = FilterRun(prepare(pod, cluster, filters), pod, cluster)
    return bool(run.dry_run().passes[cluster.index[node]])


def _looks_around(pod: Pod) -> bool:
    """Whether pods on other nodes can matter to the pod, or it to them."""
    spec, affinity = pod.spec, pod.spec.affinity
    terms = affinity is not None and (affinity.podAffinity is not None or affinity.podAntiAffinity is not None)
    return bool(terms or spec.topologySpreadConstraints or spec.volumes)
