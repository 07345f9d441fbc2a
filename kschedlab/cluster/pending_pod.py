"""A pod as one that waits: what a question about any pod begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import unknown

AnyPod: TypeAlias = str | Mapping[str, Any] | Pod
"""``namespace/name`` of a pod of the cluster, a manifest, or a Pod."""


class PendingPod(NamedTuple):
    """A pod that waits, and a fork of the cluster in which it does. ``runs_on``: the node it was taken off, or None."""

    info: PodInfo
    cluster: Cluster
    runs_on: str | None


def as_pending(pod: AnyPod, cluster: Cluster) -> PendingPod:
    """The pod as one that waits; a running one is taken off its node. The cluster stays as it is.

    KeyError if there is no such pod; ValueError or ManifestError for a manifest that is not one of a pod.
    """
    fork = cluster.fork()
    if not isinstance(pod, str):
        given = pod_of(pod, cluster)
        return PendingPod(fork.info(put(given, spec=put(given.spec, nodeName=""))), fork, None)
    if pod in fork.pending:
        return PendingPod(fork.pending[pod], fork, None)
    row = fork.pods.row_of.get(pod)
    if row is None and pod not in fork.without_node:
        raise unknown("pod", pod, fork.pod_keys())
    runs_on = None if row is None else fork.names[fork.pods.node[row]]
    info = fork.evict(pod)
    return PendingPod(replace(info, pod=put(info.pod, spec=put(info.pod.spec, nodeName=""))), fork, runs_on)


def pod_of(given: Mapping[str, Any] | Pod, cluster: Cluster) -> Pod:
    """The Pod of a manifest, with the API's defaults. ValueError or ManifestError if it is none."""
    if isinstance(given, Pod):
        return given
    found = cluster.read([given]).pods
    if len(found) != 1:
        raise ValueError(f"the manifest of one pod is expected, not of {given.get('kind', 'an object without kind')}")
    return found[0]
