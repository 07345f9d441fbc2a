"""TaintToleration: does the pod tolerate the taints that keep pods away from the node?

v1.37: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (Filter). Only the effects NoSchedule and
NoExecute count; PreferNoSchedule is the score's affair. Evicting pods can't help.
v1.20 (the same file) names the first taint that the pod does not tolerate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import TAINTS
from kschedlab.cluster.labels import first_untolerated, taints, untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.objects.model import Toleration

UNTOLERATED = "node(s) had untolerated taint(s)"
UNTOLERATED_BY_NAME = "node(s) had taint {{{key}: {value}}}, that the pod didn't tolerate"
NOT_TOLERATED = "node(s) had taints that the pod didn't tolerate"
"""The reasons of v1.37, v1.20, and of v1.16 and before."""


@dataclass(frozen=True)
class TaintToleration:
    """The filter. ``reason``: its reason, in which ``{key}`` and ``{value}`` stand for the node's first such taint."""

    name: str = "TaintToleration"
    reason: str = UNTOLERATED

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        """Skips a pod that tolerates the taints of all nodes."""
        tolerations = pod.pod.spec.tolerations
        if not untolerated(cluster, tolerations).any():
            return None
        key = ("TaintToleration", self.reason, tolerations)
        return cluster.derived(key, lambda: self._judge(cluster, tolerations), TAINTS)

    def _judge(self, cluster: Cluster, tolerations: tuple[Toleration, ...]) -> StaticFilter:
        which, lists = taints(cluster)
        first = [first_untolerated(each, tolerations) for each in lists]
        reasons = [None if t is None else self.reason.format(key=t.key, value=t.value) for t in first]
        masks = {text: np.array([text == r for r in reasons], np.bool_)[which] for text in reasons if text is not None}
        return StaticFilter(Refusals(Refusal(mask, text, True) for text, mask in masks.items()))
