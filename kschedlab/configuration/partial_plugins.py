"""Plugins of which a configuration enables only one half: PreFilter without Filter, Score without PreScore, ...

Filter and Score read what PreFilter and PreScore left for them. v1.37: pkg/scheduler/framework/plugins/*; some work it
out again if it is not there, others give an error about the first node that they are asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.node import NodeName
from kschedlab.filter.node_affinity import NodeAffinity
from kschedlab.filter.plugin import (
    Filter,
    PreFilterRejection,
    PreparedFilter,
    Refusal,
    Refusals,
    SchedulingError,
    StaticFilter,
)
from kschedlab.filter.volumes.volume_zone import VolumeZone
from kschedlab.score.plugin import Score, Scored

READING = 'reading "{state}" from cycleState: not found'
NO_PRE_FILTER = {
    "NodeResourcesFit": f"error {READING}",
    "NodePorts": READING,
    "VolumeRestrictions": 'cannot read "{state}" from cycleState',
    "VolumeBinding": "not found",
    "PodTopologySpread": READING,
    "InterPodAffinity": f"error {READING}",
}
"""What Filter says if PreFilter has not run."""
NO_PRE_SCORE = {
    "TaintToleration": 'failed to read "{state}" from cycleState: not found',
    "PodTopologySpread": f"error {READING}",
    "InterPodAffinity": 'failed to read "{state}" from cycleState: not found',
    "SelectorSpread": READING,
}
"""What Score says if PreScore has not run."""
VOLUMES = "VolumeBinding"
"""Its Score reads what its PreFilter and its Filter left."""


def filter_of(plugin: Filter, pre_filter: bool, filters: bool) -> Filter | None:
    """The filter as far as it is enabled; None if it never says anything."""
    if pre_filter and filters:
        return plugin
    if filters:
        return filter_alone(plugin)
    return PreFilterAlone(plugin) if pre_filter else None


def filter_alone(plugin: Filter) -> Filter:
    """Filter without PreFilter."""
    if plugin.name in NO_PRE_FILTER:
        return FailingFilter(plugin.name, NO_PRE_FILTER[plugin.name].format(state=f"PreFilter{plugin.name}"))
    if isinstance(plugin, NodeName | NodeAffinity):
        return replace(plugin, returns_node_names=False)
    return ToldOfEveryNode(plugin) if isinstance(plugin, VolumeZone) else plugin


@dataclass(frozen=True)
class PreFilterAlone:
    """It can still reject the pod, or leave nodes out beforehand."""

    plugin: Filter

    @property
    def name(self) -> str:
        """The plugin's."""
        return self.plugin.name

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | PreFilterRejection | None:
        """Skips unless one of both happens."""
        check = self.plugin.prepare(pod, cluster)
        if check is None or isinstance(check, PreFilterRejection):
            return check
        return StaticFilter(None, check.node_names) if check.node_names is not None else None


@dataclass(frozen=True)
class ToldOfEveryNode:
    """What would reject the pod before any node was looked at is said about each node."""

    plugin: Filter

    @property
    def name(self) -> str:
        """The plugin's."""
        return self.plugin.name

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PreparedFilter | None:
        """As the plugin, but never rejects."""
        check = self.plugin.prepare(pod, cluster)
        if not isinstance(check, PreFilterRejection):
            return check
        everywhere = np.ones(len(cluster.nodes), np.bool_)
        return StaticFilter(Refusals(Refusal(everywhere, reason, check.unresolvable) for reason in check.reasons))


@dataclass(frozen=True)
class FailingFilter:
    """An error about every node that it is asked about."""

    name: str
    message: str

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter:
        """Never skips."""
        return StaticFilter(Refusals([Refusal(np.ones(len(cluster.nodes), np.bool_), self.message, error=True)]))


def score_of(plugin: Score, enabled: Mapping[str, Mapping[str, int]]) -> Score:
    """The enabled score, as far as what it reads is there. ``enabled``: the plugins by extension point."""
    name, prepared = plugin.name, plugin.name in enabled["preScore"]
    if name == VOLUMES and name not in enabled["preFilter"]:
        message = "not found"
        return FailingScore(name, f'running PreScore plugin "{name}": {message}' if prepared else failed(name, message))
    if name == VOLUMES and name not in enabled["filter"]:
        return Zero(name)
    if prepared:
        return plugin
    if name in NO_PRE_SCORE:
        return FailingScore(name, failed(name, NO_PRE_SCORE[name].format(state=f"PreScore{name}")))
    return ScoreAlone(plugin)


def failed(name: str, message: str) -> str:
    """The error of a score plugin, as the framework passes it on."""
    return f'running Score plugins: plugin "{name}" failed with: {message}'


@dataclass(frozen=True)
class ScoreAlone:
    """Score without PreScore: it skips no pod; all nodes get 0 instead."""

    plugin: Score

    @property
    def name(self) -> str:
        """The plugin's."""
        return self.plugin.name

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """As the plugin, or 0."""
        return self.plugin.score(pod, cluster, nodes) or Zero(self.name).score(pod, cluster, nodes)


@dataclass(frozen=True)
class Zero:
    """0 for every node."""

    name: str

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod."""
        return Scored(np.zeros_like(nodes), np.zeros_like(nodes))


@dataclass(frozen=True)
class FailingScore:
    """An error for every pod."""

    name: str
    message: str

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """SchedulingError in any case."""
        raise SchedulingError(self.message)
