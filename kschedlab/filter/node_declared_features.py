"""NodeDeclaredFeatures: does the node's kubelet have the features that the pod needs?

v1.37: pkg/scheduler/framework/plugins/nodedeclaredfeatures/nodedeclaredfeatures.go. Which features a pod needs follows
from its spec: k8s.io/component-helpers/nodedeclaredfeatures/features. Evicting pods can't help.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import DECLARED_FEATURES, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.objects.model import PodSpec

NOT_DECLARED = "node(s) didn't match Pod's required features"
RESTART_ALL_CONTAINERS = "RestartAllContainersOnContainerExits"
USER_NAMESPACES_ON_HOST_NETWORK = "UserNamespacesHostNetworkSupport"


@dataclass(frozen=True)
class NodeDeclaredFeatures:
    """The filter: only nodes whose ``status.declaredFeatures`` name every feature that the pod needs."""

    name: str = "NodeDeclaredFeatures"

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        needed = needed_features(pod.pod.spec)
        if not needed:
            return None
        refused = ~np.logical_and.reduce([declaring(cluster, feature) for feature in sorted(needed)])
        return StaticFilter(Refusals([Refusal(refused, NOT_DECLARED, True)]) if refused.any() else None)


def needed_features(spec: PodSpec) -> frozenset[str]:
    """The features that a node must declare. Other features of the registry matter only when a pod is changed.

    v1.37: features/restartallcontainers and features/usernamespaceshostnetwork, InferForScheduling.
    (VolumeBindMountOptions belongs to a field that the API server drops by default.)
    """
    needed = set()
    containers = (*spec.containers, *spec.initContainers)
    if any(rule.action == "RestartAllContainers" for each in containers for rule in each.restartPolicyRules):
        needed.add(RESTART_ALL_CONTAINERS)
    if spec.hostNetwork and spec.hostUsers is False:
        needed.add(USER_NAMESPACES_ON_HOST_NETWORK)
    return frozenset(needed)


@derived(DECLARED_FEATURES)
def declaring(cluster: Cluster, feature: str) -> BoolArray:
    """bool[nodes]: the nodes that declare the feature."""
    return np.array([feature in node.status.declaredFeatures for node in cluster.nodes], np.bool_)
