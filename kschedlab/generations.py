"""Generations as tables: which plugins, in which order, with which weights, constants and named rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from kschedlab.filter.interpod import InterPodAffinity
from kschedlab.filter.node import NodeName, NodeUnschedulable
from kschedlab.filter.node_affinity import NodeAffinity
from kschedlab.filter.plugin import Filter
from kschedlab.filter.ports import NodePorts
from kschedlab.filter.resources import NodeResourcesFit
from kschedlab.filter.spread import PodTopologySpread
from kschedlab.filter.stage import SamplingRules
from kschedlab.filter.taints import TaintToleration
from kschedlab.objects.api import API_1_37, Api
from kschedlab.preemption.stage import PreemptionRules
from kschedlab.score.images import ImageLocality
from kschedlab.score.interpod import InterPodAffinityScore
from kschedlab.score.node_affinity import NodeAffinityScore
from kschedlab.score.plugin import Score
from kschedlab.score.resources import NodeResourcesBalancedAllocation, NodeResourcesFitScore
from kschedlab.score.spread import PodTopologySpreadScore
from kschedlab.score.taints import TaintTolerationScore


@dataclass(frozen=True)
class Generation:
    """One generation of kube-scheduler.

    ``filters`` in the order in which they are asked; ``scores`` with their weights; ``api``: what its API server keeps
    of a pod and how requests are counted; ``percentage``: the default percentageOfNodesToScore (0: adaptive).

    Named rules: ``nominated_node_first``: a pod's own nominated node is tried before all others.
    ``rejection_told_once``: a pod that PreFilter rejects gets that reason once in the message, not once for each node.
    ``host_drawn``: one of the best nodes is drawn at random; else they are taken in turn.
    """

    name: str
    filters: tuple[Filter, ...]
    scores: tuple[tuple[Score, int], ...]
    api: Api = API_1_37
    sampling: SamplingRules = field(default_factory=SamplingRules)
    preemption: PreemptionRules = field(default_factory=PreemptionRules)
    percentage: int = 0
    nominated_node_first: bool = True
    rejection_told_once: bool = True
    host_drawn: bool = True


V1_37 = Generation(
    name="v1.37",
    filters=(
        NodeName(),
        NodeUnschedulable(),
        TaintToleration(),
        NodeAffinity(),
        NodePorts(),
        NodeResourcesFit(),
        PodTopologySpread(),
        InterPodAffinity(),
    ),
    scores=(
        (TaintTolerationScore(), 3),
        (NodeAffinityScore(), 2),
        (NodeResourcesFitScore(), 1),
        (PodTopologySpreadScore(), 2),
        (InterPodAffinityScore(), 2),
        (NodeResourcesBalancedAllocation(), 1),
        (ImageLocality(), 1),
    ),
)
"""v1.37: pkg/scheduler/apis/config/v1/default_plugins.go, getDefaultPlugins; without the plugins of gated features."""

GENERATIONS = {generation.name: generation for generation in (V1_37,)}
LATEST = V1_37.name
