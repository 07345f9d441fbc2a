"""The pods of a cluster as objects again."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from kschedlab.cluster.columns import Columns
from kschedlab.cluster.pods import PodInfo
from kschedlab.objects.model import Pod


def pods_of(cluster: Columns) -> list[Pod]:
    """The pods as they are now: those on nodes in the order in which they came, then those that wait. O(pods)."""
    pods = list[Pod]()
    live = np.flatnonzero(cluster.pods.live())
    for row in live[np.argsort(cluster.pods.arrival[live])].tolist():
        pods.append(_on_node(_as_given(cluster.pods.info(row)), cluster.names[cluster.pods.node[row]]))
    pods += [_on_node(_as_given(info), node) for info, node in cluster.without_node.values()]
    nominated_to = {key: cluster.names[cluster.nominated.node[row]] for key, row in cluster.nominated.row_of.items()}
    nominated_to |= {key: node for key, (_, node) in cluster.nominated_without_node.items()}
    waiting = {key: cluster.nominated.info(row) for key, row in cluster.nominated.row_of.items()}
    waiting |= {key: info for key, (info, _) in cluster.nominated_without_node.items()} | cluster.pending
    pods += [_nominated_to(_as_given(info), nominated_to.get(key, "")) for key, info in waiting.items()]
    return pods


def _as_given(info: PodInfo) -> Pod:
    """The pod with the fields that this API lacks, and without what it added."""
    pod, given = info.pod, info.given
    if given is None:
        return pod
    spec = replace(given.spec, nodeName=pod.spec.nodeName)
    return replace(given, metadata=pod.metadata, spec=spec, status=pod.status)


def _on_node(pod: Pod, node: str) -> Pod:
    if pod.spec.nodeName == node:
        return pod
    return replace(pod, spec=replace(pod.spec, nodeName=node))


def _nominated_to(pod: Pod, node: str) -> Pod:
    if pod.status.nominatedNodeName == node:
        return pod
    return replace(pod, status=replace(pod.status, nominatedNodeName=node))
