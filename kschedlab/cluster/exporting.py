"""The pods of a cluster as objects again."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from kschedlab.cluster.columns import Columns
from kschedlab.cluster.pods import PodInfo
from kschedlab.objects.model import Pod


def pods_of(cluster: Columns) -> list[Pod]:
    """The pods as they are now: those on nodes in order of arrival, then pending ones. O(pods)."""
    pods = list[Pod]()
    live = np.flatnonzero(cluster.pods.live())
    for row in live[np.argsort(cluster.pods.arrival[live])].tolist():
        pods.append(_on_node(_as_created(cluster.pods.info(row)), cluster.names[cluster.pods.node[row]]))
    pods += [_on_node(_as_created(info), node) for info, node in cluster.without_node.values()]
    nominated_to = {key: cluster.names[cluster.nominated.node[row]] for key, row in cluster.nominated.row_of.items()}
    nominated_to |= {key: node for key, (_, node) in cluster.nominated_without_node.items()}
    pending = {key: cluster.nominated.info(row) for key, row in cluster.nominated.row_of.items()}
    pending |= {key: info for key, (info, _) in cluster.nominated_without_node.items()} | cluster.pending
    pods += [_nominated_to(_as_created(info), nominated_to.get(key, "")) for key, info in pending.items()]
    return pods


def _as_created(info: PodInfo) -> Pod:
    """The pod as it was created: with the fields that this API drops, without those that it adds."""
    pod, original = info.pod, info.original
    if original is None:
        return pod
    spec = replace(original.spec, nodeName=pod.spec.nodeName)
    return replace(original, metadata=pod.metadata, spec=spec, status=pod.status)


def _on_node(pod: Pod, node: str) -> Pod:
    if pod.spec.nodeName == node:
        return pod
    return replace(pod, spec=replace(pod.spec, nodeName=node))


def _nominated_to(pod: Pod, node: str) -> Pod:
    if pod.status.nominatedNodeName == node:
        return pod
    return replace(pod, status=replace(pod.status, nominatedNodeName=node))
