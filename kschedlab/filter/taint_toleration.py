"""TaintToleration: does the pod tolerate the taints that keep pods away from the node?

v1.37: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (Filter). Only the effects NoSchedule and
NoExecute count here; PreferNoSchedule counts in the score. Evicting pods can't help.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import TAINTS, derived
from kschedlab.cluster.labels import first_untolerated, taints, untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.objects.model import Toleration

UNTOLERATED = "node(s) had untolerated taint(s)"
UNTOLERATED_TAINT = "node(s) had untolerated taint {{{key}: {value}}}"
UNTOLERATED_BY_NAME = "node(s) had taint {{{key}: {value}}}, that the pod didn't tolerate"
NOT_TOLERATED = "node(s) had taints that the pod didn't tolerate"
"""The reasons from v1.34 on, of v1.24 to v1.33, of v1.20 to v1.23 (the same file), and of v1.16 and before."""


@dataclass(frozen=True)
class TaintToleration:
    """The filter. ``reason``: its reason; ``{key}`` and ``{value}`` are those of the node's first untolerated taint."""

    name: str = "TaintToleration"
    reason: str = UNTOLERATED

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        tolerations = pod.pod.spec.tolerations
        if not untolerated(cluster, tolerations).any():
            return None
        return _static_filter(cluster, self.reason, tolerations)


@derived(TAINTS)
def _static_filter(cluster: Cluster, reason: str, tolerations: tuple[Toleration, ...]) -> StaticFilter:
    number_of_list, lists = taints(cluster)
    taint_of_list = [first_untolerated(each, tolerations) for each in lists]
    reasons = [None if t is None else reason.format(key=t.key, value=t.value) for t in taint_of_list]
    parts = []
    for given in dict.fromkeys(reasons):
        if given is not None:
            mask = np.array([given == each for each in reasons], np.bool_)[number_of_list]
            parts.append(Refusal(mask, given, True))
    return StaticFilter(Refusals(parts))
