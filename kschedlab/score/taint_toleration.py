"""TaintToleration: the fewer PreferNoSchedule taints the pod does not tolerate, the better.

v1.37: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (Score).
"""

from __future__ import annotations

from dataclasses import dataclass

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.labels import PREFER_NO_SCHEDULE, intolerable_prefer_no_schedule_taints
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored, default_normalize


@dataclass(frozen=True)
class TaintTolerationScore:
    """The number of PreferNoSchedule taints that the pod doesn't tolerate, reversed, scaled to 0..``highest``."""

    name: str = "TaintToleration"
    highest: int = MAX_NODE_SCORE

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Only tolerations of PreferNoSchedule, or of every effect, count."""
        tolerations = tuple(t for t in pod.pod.spec.tolerations if t.effect in ("", PREFER_NO_SCHEDULE))
        raw = intolerable_prefer_no_schedule_taints(cluster, tolerations)[nodes]
        return Scored(raw, default_normalize(raw, reverse=True, highest=self.highest))
