"""Adapts plugins that look at one node at a time to the engine's filters and scores over arrays.

v1.37: pkg/scheduler/framework/runtime/framework.go (RunPreFilterPlugins, RunFilterPlugins, RunPreScorePlugins,
RunScorePlugins).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import PreFilterRejection, Refusal, Refusals, SchedulingError
from kschedlab.messages import later, say
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import (
    UNRESOLVABLE,
    Adapter,
    NodeView,
    PluginError,
    Skip,
    Status,
    call,
    method,
    name_of,
    status,
)
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored


class OneNodeCheck:
    """A one-node filter, prepared for one pod.

    ``depends_on_pods``, ``monotonic``: the plugin's declarations; by default every snapshot calls it again.
    """

    def __init__(self, plugin: object, pod: PodInfo, node_names: frozenset[str] | None) -> None:
        self.node_names = node_names
        self.depends_on_pods: bool = getattr(plugin, "depends_on_pods", True)
        self.monotonic: bool = getattr(plugin, "monotonic", False)
        self._ask = method(plugin, "filter")
        self._name = name_of(plugin)
        self._pod = pod.pod

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        if self._ask is None:
            return None
        masks: dict[Status, BoolArray] = {}
        faults: dict[str, tuple[str, BoolArray]] = {}
        nodes = len(snapshot.cluster.nodes)
        for position, view in enumerate(views(snapshot, range(nodes))):
            try:
                answer = status(call(self._ask, self._pod, view), self._name)
            except PluginError as fault:
                _, mask = faults.setdefault(str(fault), (view.name, np.zeros(nodes, np.bool_)))
                mask[position] = True
                continue
            if answer is not None:
                masks.setdefault(answer, np.zeros(nodes, np.bool_))[position] = True
        parts = []
        for message, (first, mask) in faults.items():  # named, because errors of v1.13 and v1.16 do not say whose
            reason = say("{fault}; {name} on node {node}", fault=message, name=self._name, node=first)
            parts.append(Refusal(mask, reason, error=True))
        for answer, mask in masks.items():
            parts.append(Refusal(mask, answer.message, answer.code == UNRESOLVABLE, error=not answer.rejected))
        return Refusals(parts) if parts else None


def views(snapshot: Snapshot, positions: Iterable[int]) -> Iterator[NodeView]:
    by_node: dict[int, list[PodInfo]] | None = None
    cluster = snapshot.cluster

    def pods(position: int) -> list[Pod]:
        nonlocal by_node
        if by_node is None:
            by_node = snapshot.pods_by_node()
        return [info.pod for info in by_node.get(position, ())]

    def resources(position: int) -> tuple[dict[str, int], dict[str, int]]:
        allocatable = {name: int(cluster.allocatable[row, position]) for name, row in cluster.resources.items()}
        requested = {name: int(snapshot.requested(row)[position]) for name, row in cluster.resources.items()}
        allocatable["pods"], requested["pods"] = int(cluster.max_pods[position]), int(snapshot.pods_on()[position])
        return allocatable, requested

    for position in positions:
        yield NodeView(
            cluster.nodes[position],
            lambda position=position: pods(position),  # type: ignore[misc]
            lambda position=position: resources(position),  # type: ignore[misc]
        )


@dataclass(frozen=True)
class OneNodeFilter(Adapter):
    """A plugin's PreFilter and Filter."""

    def prepare(self, pod: PodInfo, cluster: Cluster) -> OneNodeCheck | PreFilterRejection | None:
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
        return OneNodeCheck(self.plugin, pod, node_names)


def _names(answer: Iterable[object]) -> frozenset[str]:
    names = [name for name in answer if isinstance(name, str)]
    if len(names) != len(list(answer)):
        raise PluginError("returned {answer!r}, where names of nodes are expected", answer=answer)
    return frozenset(names)


PRE_SCORE_FAILED = 'running PreScore plugin "{plugin}"'


@dataclass(frozen=True)
class OneNodeScore(Adapter):
    """A plugin's PreScore, Score and NormalizeScore.

    ``highest``: the largest score that the framework accepts; ``pre_score_failed``: prefix of PreScore's errors.
    """

    highest: int = field(default=MAX_NODE_SCORE, compare=False)
    pre_score_failed: str = field(default=PRE_SCORE_FAILED, compare=False)

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        names = [cluster.names[n] for n in nodes.tolist()]
        if not self._pre_score(pod.pod, names) or (ask := method(self.plugin, "score")) is None:
            return None
        raw: dict[str, int] = {}
        terms: dict[str, dict[str, Any]] = {}
        for name, view in zip(names, views(Snapshot(cluster), nodes.tolist()), strict=True):
            try:
                raw[name], terms[name] = _score_with_terms(call(ask, pod.pod, view))
            except PluginError as fault:
                why = say("{fault}; on node {node}", fault=fault, node=name)
                raise self._failed("running Score plugins", why, name) from fault
        normalize = method(self.plugin, "normalize")
        try:
            normalized = raw if normalize is None else _scores(call(normalize, dict(raw)), raw)
        except PluginError as fault:
            raise self._failed("running Normalize on Score plugins", str(fault)) from fault
        highest = getattr(self.plugin, "highest", None) or self.highest
        self._check(normalized, highest)
        column = np.array([normalized[name] for name in names], np.int64) * self.highest // highest
        return Scored(np.array([raw[name] for name in names], np.int64), column, _by_term(list(terms.values())))

    def _pre_score(self, pod: Pod, names: list[str]) -> bool:
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
            where = self.pre_score_failed.format(plugin=self.name, pod=pod.metadata.name)
            raise SchedulingError(f"{where}: {fault}") from fault
        return True

    def _check(self, scores: dict[str, int], highest: int) -> None:
        for node, value in scores.items():
            if not 0 <= value <= highest:
                remedy = later("; on node {node}: return less, or bring the scores into the range with normalize")
                raise SchedulingError(
                    f'applying score defaultWeights on Score plugins: plugin "{self.name}" returns an invalid score '
                    f"{value}, it should in the range of [0, {highest}] after normalizing" + say(remedy, node=node),
                    node,
                )

    def _failed(self, where: str, fault: str, node: str = "") -> SchedulingError:
        return SchedulingError(f'{where}: plugin "{self.name}" failed with: {fault}', node)


def _score_with_terms(answer: object) -> tuple[int, dict[str, Any]]:
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], Mapping):
        return _score(answer[0]), dict(answer[1])
    return _score(answer), {}


def _by_term(terms: list[dict[str, Any]]) -> dict[str, object]:
    """Terms that are numbers on every node, by name: int64 or float64 [nodes]."""
    columns: dict[str, object] = {}
    for name in terms[0] if terms else ():
        values = [each.get(name) for each in terms]
        if all(isinstance(value, int | float) for value in values):
            columns[name] = np.array(values)
    return columns


def _score(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        remedy = say(
            "round it, e.g. with int()" if isinstance(value, float | np.floating) else "return a number from 0 on"
        )
        raise PluginError("returned {value!r}, where an integer is expected: {remedy}", value=value, remedy=remedy)
    if not -(2**63) <= value < 2**63:
        raise PluginError("returned {value}, which does not fit in 64 bits", value=value)
    return int(value)


def _scores(answer: object, raw: dict[str, int]) -> dict[str, int]:
    if not isinstance(answer, dict) or answer.keys() != raw.keys():
        raise PluginError("returned {answer!r}, where a dict with a score for each node is expected", answer=answer)
    return {name: _score(value) for name, value in answer.items()}
