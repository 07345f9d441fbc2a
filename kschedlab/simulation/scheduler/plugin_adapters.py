"""A user's plugin as the engine's filter and score: one pod and one node at a time becomes columns.

v1.37: pkg/scheduler/framework/runtime/framework.go (RunPreFilterPlugins, RunFilterPlugins, RunPreScorePlugins,
RunScorePlugins).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import PreFilterRejection, Refusal, Refusals, SchedulingError
from kschedlab.generations import Generation
from kschedlab.generations.rules import LoopRules
from kschedlab.objects.model import Pod
from kschedlab.score.plugin import Scored
from kschedlab.simulation.scheduler.plugin import (
    UNRESOLVABLE,
    NodeView,
    PluginError,
    Skip,
    Status,
    call,
    method,
    name_of,
    status,
    weight_of,
)


class UserCheck:
    """A user's filter, ready to be asked about one pod. Since it may look at the pods on a node, it is asked anew in
    every snapshot, and nothing is known of what pods that come change.
    """

    depends_on_pods = True
    monotonic = False

    def __init__(self, plugin: object, pod: PodInfo, node_names: frozenset[str] | None) -> None:
        self.node_names = node_names
        self._ask = method(plugin, "filter")
        self._name = name_of(plugin)
        self._pod = pod.pod

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Ask about one node after the other."""
        if self._ask is None:
            return None
        masks: dict[Status, BoolArray] = {}
        for position, view in enumerate(views(snapshot, range(len(snapshot.cluster.nodes)))):
            answer = self._answer(view)
            if answer is not None:
                mask = masks.setdefault(answer, np.zeros(len(snapshot.cluster.nodes), np.bool_))
                mask[position] = True
        return Refusals(_part(mask, answer) for answer, mask in masks.items()) if masks else None

    def _answer(self, view: NodeView) -> Status | None:
        assert self._ask is not None
        try:
            return status(call(self._ask, self._pod, view), self._name)
        except PluginError as fault:
            return Status("Error", str(fault), self._name)


def _part(mask: BoolArray, answer: Status) -> Refusal:
    return Refusal(mask, answer.message, unresolvable=answer.code == UNRESOLVABLE, error=not answer.rejected)


def views(snapshot: Snapshot, positions: Iterable[int]) -> Iterator[NodeView]:
    """The nodes at these positions, as plugins see them in that snapshot."""
    found: dict[int, list[PodInfo]] = {}
    asked = False

    def pods(position: int) -> list[Pod]:
        nonlocal found, asked
        if not asked:
            found, asked = snapshot.pods_by_node(), True
        return [info.pod for info in found.get(position, ())]

    for position in positions:
        yield NodeView(snapshot.cluster.nodes[position], lambda position=position: pods(position))  # type: ignore[misc]


@dataclass(frozen=True)
class UserFilter:
    """A user's PreFilter and Filter."""

    plugin: object

    @property
    def name(self) -> str:
        """The plugin's name."""
        return name_of(self.plugin)

    def prepare(self, pod: PodInfo, cluster: Cluster) -> UserCheck | PreFilterRejection | None:
        """Ask PreFilter. SchedulingError if it fails."""
        node_names, ask = None, method(self.plugin, "pre_filter")
        if ask is not None:
            try:
                answer = call(ask, pod.pod)
                if isinstance(answer, Skip):
                    return None
                if isinstance(answer, set | frozenset | list | tuple) and not isinstance(answer, Status):
                    node_names = _names(answer)
                elif refused := status(answer, self.name):
                    if not refused.rejected:
                        raise PluginError(refused.message)
                    return PreFilterRejection(self.name, (refused.message,), refused.code == UNRESOLVABLE)
            except PluginError as fault:
                raise SchedulingError(f'running PreFilter plugin "{self.name}": {fault}') from fault
        if node_names is None and method(self.plugin, "filter") is None:
            return None
        return UserCheck(self.plugin, pod, node_names)


def _names(answer: Iterable[object]) -> frozenset[str]:
    names = [name for name in answer if isinstance(name, str)]
    if len(names) != len(list(answer)):
        raise PluginError(f"returned {answer!r}, where names of nodes are expected")
    return frozenset(names)


@dataclass(frozen=True)
class UserScore:
    """A user's PreScore, Score and NormalizeScore. ``highest``: the largest score that the framework accepts."""

    plugin: object
    rules: LoopRules
    highest: int

    @property
    def name(self) -> str:
        """The plugin's name."""
        return name_of(self.plugin)

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        """Ask for the score of one node after the other. SchedulingError if one of the plugin's methods fails."""
        names = [cluster.names[n] for n in nodes.tolist()]
        if not self._pre_score(pod.pod, names):
            return None
        ask = method(self.plugin, "score")
        if ask is None:
            return None
        try:
            seen = zip(names, views(Snapshot(cluster), nodes.tolist()), strict=True)
            raw = {name: _score(call(ask, pod.pod, view)) for name, view in seen}
        except PluginError as fault:
            raise self._failed("running Score plugins", fault) from fault
        normalize = method(self.plugin, "normalize")
        try:
            brought = raw if normalize is None else _scores(call(normalize, dict(raw)), raw)
        except PluginError as fault:
            raise self._failed("running Normalize on Score plugins", fault) from fault
        self._check(brought)
        column = np.array([brought[name] for name in names], np.int64)
        return Scored(np.array([raw[name] for name in names], np.int64), column)

    def _pre_score(self, pod: Pod, names: list[str]) -> bool:
        """Ask PreScore: does the plugin score this pod?"""
        ask = method(self.plugin, "pre_score")
        if ask is None:
            return True
        try:
            answer = call(ask, pod, names)
            if isinstance(answer, Skip):
                return False
            if (refused := status(answer, self.name)) is not None:
                raise PluginError(refused.message)
        except PluginError as fault:
            if self.rules.old_words:
                where = f'error while running "{self.name}" postfilter plugin for pod "{pod.metadata.name}"'
            else:
                where = f'running PreScore plugin "{self.name}"'
            raise SchedulingError(f"{where}: {fault}") from fault
        return True

    def _check(self, scores: dict[str, int]) -> None:
        for value in scores.values():
            if not 0 <= value <= self.highest:
                raise SchedulingError(
                    f'applying score defaultWeights on Score plugins: plugin "{self.name}" returns an invalid score '
                    f"{value}, it should in the range of [0, {self.highest}] after normalizing"
                )

    def _failed(self, where: str, fault: PluginError) -> SchedulingError:
        return SchedulingError(f'{where}: plugin "{self.name}" failed with: {fault}')


def _score(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise PluginError(f"returned {value!r}, where an integer is expected")
    if not -(2**63) <= value < 2**63:
        raise PluginError(f"returned {value}, which does not fit into 64 bits")
    return int(value)


def _scores(answer: object, raw: dict[str, int]) -> dict[str, int]:
    if not isinstance(answer, dict) or answer.keys() != raw.keys():
        raise PluginError(f"returned {answer!r}, where a dict with a score for each node is expected")
    return {name: _score(value) for name, value in answer.items()}


def with_plugins(generation: Generation, plugins: Iterable[object]) -> Generation:
    """The generation with the users' filters and scores behind its own."""
    given = tuple(plugins)
    filters = tuple(UserFilter(p) for p in given if method(p, "filter") or method(p, "pre_filter"))
    highest = 10 if generation.loop.old_words else 100
    scores = tuple(
        (UserScore(p, generation.loop, highest), weight_of(p))
        for p in given
        if method(p, "score") or method(p, "pre_score")
    )
    if not filters and not scores:
        return generation
    return replace(generation, filters=generation.filters + filters, scores=generation.scores + scores)
