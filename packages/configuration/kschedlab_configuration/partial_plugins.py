"""Plugins enabled at only some of their extension points: PreFilter without Filter, Score without PreScore, ...

Filter and Score read the state that PreFilter and PreScore wrote. v1.37: pkg/scheduler/framework/plugins/*. Without it,
some plugins compute it again; others return an error for the first node that they check.
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
from kschedlab.filter.volumes.volume_restrictions import VolumeRestrictions
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
    "DynamicResources": "not found",
    "NodeDeclaredFeatures": 'error reading "{state}" from cycle-state: not found',
}
"""The error of Filter if PreFilter has not run."""
NO_PRE_SCORE = {
    "TaintToleration": 'failed to read "{state}" from cycleState: not found',
    "PodTopologySpread": f"error {READING}",
    "InterPodAffinity": 'failed to read "{state}" from cycleState: not found',
    "SelectorSpread": READING,
}
"""The error of Score if PreScore has not run."""
VOLUMES = "VolumeBinding"
"""The plugin whose Score reads state written by its PreFilter and its Filter."""


def enabled_filter(plugin: Filter, pre_filter: bool, filter_: bool) -> Filter | None:
    """The plugin with PreFilter, Filter or both enabled; None if neither is."""
    if pre_filter and filter_:
        return plugin
    if filter_:
        return without_pre_filter(plugin)
    return PreFilterOnly(plugin) if pre_filter else None


def without_pre_filter(plugin: Filter) -> Filter:
    """The plugin with Filter but without PreFilter."""
    if isinstance(plugin, VolumeRestrictions) and not plugin.checks_read_write_once_pod:
        return plugin
    if plugin.name in NO_PRE_FILTER:
        return FailingFilter(plugin.name, NO_PRE_FILTER[plugin.name].format(state=f"PreFilter{plugin.name}"))
    if isinstance(plugin, NodeName | NodeAffinity):
        return replace(plugin, returns_node_names=False)
    return RefusesEveryNode(plugin) if isinstance(plugin, VolumeZone) else plugin


@dataclass(frozen=True)
class PreFilterOnly:
    """PreFilter without Filter: it can still reject the pod or restrict the nodes (PreFilterResult)."""

    plugin: Filter

    @property
    def name(self) -> str:
        return self.plugin.name

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | PreFilterRejection | None:
        """The plugin's rejection or node names; None if it has neither."""
        prepared = self.plugin.prepare(pod, cluster)
        if prepared is None or isinstance(prepared, PreFilterRejection):
            return prepared
        return StaticFilter(None, prepared.node_names) if prepared.node_names is not None else None


@dataclass(frozen=True)
class RefusesEveryNode:
    """Filter without PreFilter: where PreFilter would reject the pod, Filter refuses each node."""

    plugin: Filter

    @property
    def name(self) -> str:
        return self.plugin.name

    def prepare(self, pod: PodInfo, cluster: Cluster) -> PreparedFilter | None:
        """Like the plugin, but a rejection becomes a refusal of every node."""
        prepared = self.plugin.prepare(pod, cluster)
        if not isinstance(prepared, PreFilterRejection):
            return prepared
        all_nodes = np.ones(len(cluster.nodes), np.bool_)
        return StaticFilter(Refusals(Refusal(all_nodes, reason, prepared.unresolvable) for reason in prepared.reasons))


@dataclass(frozen=True)
class FailingFilter:
    """A Filter that returns an error for every node."""

    name: str
    message: str

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter:
        """Refuses every node with the error."""
        return StaticFilter(Refusals([Refusal(np.ones(len(cluster.nodes), np.bool_), self.message, error=True)]))


def enabled_score(plugin: Score, enabled: Mapping[str, Mapping[str, int]]) -> Score:
    """The score, which fails or changes if an extension point that writes its state is disabled.

    ``enabled``: the plugins by extension point.
    """
    name, pre_score = plugin.name, plugin.name in enabled["preScore"]
    if name == VOLUMES and name not in enabled["preFilter"]:
        error = f'running PreScore plugin "{name}": not found' if pre_score else score_error(name, "not found")
        return FailingScore(name, error)
    if name == VOLUMES and name not in enabled["filter"]:
        return ZeroScore(name)
    if pre_score:
        return plugin
    if name in NO_PRE_SCORE:
        error = score_error(name, NO_PRE_SCORE[name].format(state=f"PreScore{name}"))
        return FailingScore(name, error, spares_constrained=name == "SelectorSpread")
    return ScoreOnly(plugin)


def score_error(name: str, message: str) -> str:
    """The framework's message about an error of a score plugin."""
    return f'running Score plugins: plugin "{name}" failed with: {message}'


@dataclass(frozen=True)
class ScoreOnly:
    """Score without PreScore: where PreScore would skip, every node gets 0."""

    plugin: Score

    @property
    def name(self) -> str:
        return self.plugin.name

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """The plugin's scores, or 0 where it skips the pod."""
        return self.plugin.score(pod, cluster, nodes) or ZeroScore(self.name).score(pod, cluster, nodes)


@dataclass(frozen=True)
class ZeroScore:
    """A score of 0 for every node."""

    name: str

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Score every node 0."""
        return Scored(np.zeros_like(nodes), np.zeros_like(nodes))


@dataclass(frozen=True)
class FailingScore:
    """A Score that fails for every pod.

    ``spares_constrained``: a pod with topology spread constraints gets 0 everywhere instead (v1.20, v1.22, v1.24:
    selectorspread/selector_spread.go, skipSelectorSpread).
    """

    name: str
    message: str
    spares_constrained: bool = False

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Raise SchedulingError."""
        if self.spares_constrained and pod.pod.spec.topologySpreadConstraints:
            return ZeroScore(self.name).score(pod, cluster, nodes)
        raise SchedulingError(self.message)
