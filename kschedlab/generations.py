"""Generations as tables: which plugins, in which order, with which weights, constants and named rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from kschedlab.filter.plugin import Filter
from kschedlab.filter.resources import NodeResourcesFit
from kschedlab.filter.stage import SamplingRules
from kschedlab.preemption.stage import PreemptionRules
from kschedlab.score.plugin import Score
from kschedlab.score.resources import NodeResourcesBalancedAllocation, NodeResourcesFitScore


@dataclass(frozen=True)
class Generation:
    """One generation of kube-scheduler.

    ``filters`` in the order in which they are asked; ``scores`` with their weights; ``percentage``: the default
    percentageOfNodesToScore (0: adaptive).
    """

    name: str
    filters: tuple[Filter, ...]
    scores: tuple[tuple[Score, int], ...]
    sampling: SamplingRules = field(default_factory=SamplingRules)
    preemption: PreemptionRules = field(default_factory=PreemptionRules)
    percentage: int = 0


V1_37 = Generation(
    name="v1.37",
    filters=(NodeResourcesFit(),),
    scores=((NodeResourcesFitScore(), 1), (NodeResourcesBalancedAllocation(), 1)),
)
"""v1.37: pkg/scheduler/apis/config/v1/default_plugins.go, getDefaultPlugins; without the plugins of gated features."""

GENERATIONS = {generation.name: generation for generation in (V1_37,)}
LATEST = V1_37.name
