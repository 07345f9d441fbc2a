"""NodePreferAvoidPods: does an annotation of the node ask to avoid the pods of this controller?

v1.20: pkg/scheduler/framework/plugins/nodepreferavoidpods/node_prefer_avoid_pods.go; v1.16, v1.13:
pkg/scheduler/algorithm/priorities/node_prefer_avoid_pods.go. Its weight, 10000, outweighs all other scores
together. It was removed in v1.23.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import msgspec
import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ANNOTATIONS, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import OwnerReference
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
CONTROLLERS = ("ReplicationController", "ReplicaSet")
"""Kinds of controllers whose pods nodes can avoid."""


class _Signature(msgspec.Struct):
    podController: OwnerReference = OwnerReference()


class _Avoided(msgspec.Struct):
    podSignature: _Signature = msgspec.field(default_factory=_Signature)


class _Annotation(msgspec.Struct):
    preferAvoidPods: tuple[_Avoided, ...] = ()


@dataclass(frozen=True)
class NodePreferAvoidPods:
    """0 on nodes that avoid pods of the pod's controller, ``highest`` on all others."""

    name: str = "NodePreferAvoidPods"
    highest: int = MAX_NODE_SCORE

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        owner = controller_of(pod.pod.metadata)
        raw = np.full(len(nodes), self.highest, np.int64)
        if owner is not None and owner.kind in CONTROLLERS:
            avoiding = avoided(cluster).get((owner.kind, owner.uid))
            if avoiding is not None:
                raw[np.isin(nodes, avoiding)] = 0
        return Scored(raw, raw)


@derived(ANNOTATIONS)
def avoided(cluster: Cluster) -> Mapping[tuple[str, str], IntArray]:
    """By a controller's (kind, uid): int64[], the positions of the nodes that avoid its pods.

    Invalid annotations are ignored.
    """
    positions: dict[tuple[str, str], list[int]] = {}
    for position, node in enumerate(cluster.nodes):
        annotation = _Annotation()
        with suppress(msgspec.MsgspecError):
            annotation = msgspec.json.decode(node.metadata.annotations.get(ANNOTATION, "{}"), type=_Annotation)
        for each in annotation.preferAvoidPods:
            owner = each.podSignature.podController
            positions.setdefault((owner.kind, owner.uid), []).append(position)
    return {controller: np.array(nodes, np.int64) for controller, nodes in positions.items()}
