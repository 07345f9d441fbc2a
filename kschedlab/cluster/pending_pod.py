"""Any pod as a pending one: where a question about a pod begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from kschedlab.cluster.cluster import Cluster, as_created, bound_to
from kschedlab.cluster.pods import PodInfo
from kschedlab.messages import later, say
from kschedlab.objects.api import Api
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import InputValueError, UnknownNameError, expected, safe_text, unknown

AnyPod: TypeAlias = str | Mapping[str, Any] | Pod
"""``namespace/name`` of a pod of the cluster, a manifest, or a Pod."""


class PendingPod(NamedTuple):
    """A pending pod and a fork of the cluster. ``runs_on``: the node that the pod was taken off, or None."""

    info: PodInfo
    cluster: Cluster
    runs_on: str | None


def as_pending(pod: AnyPod, cluster: Cluster, api: Api | None = None) -> PendingPod:
    """The pod as a pending one; a running one is taken off its node. The cluster stays as it is.

    A manifest replaces the pod of its name. ``api``: that of the generation that decides, by default the cluster's.
    KeyError if there is no such pod; TypeError, ValueError or ManifestError for what is not a pod or not a cluster.
    """
    fork = checked_cluster(cluster).under(cluster.api if api is None else api).fork()
    manifest = None if isinstance(pod, str) else bound_to(pod_of(pod, fork), "")
    key = str(pod) if manifest is None else manifest.key
    info = fork.pending.get(key)
    if (node := node_of(key, fork)) is not None:
        info = fork.info(bound_to(as_created(fork.evict(key)), ""))  # what its status reports no longer counts
    if manifest is not None:
        info = fork.info(manifest)
    if info is None:
        raise unknown("pod", key, fork.pod_keys())
    return PendingPod(info, fork, node if node in fork.index else None)


def checked_cluster(cluster: object) -> Cluster:
    if not isinstance(cluster, Cluster):
        raise expected(later("a Cluster, as Cluster.from_dicts(...) or Cluster.from_files(...) makes it"), cluster)
    return cluster


def pod_of(pod: object, cluster: Cluster) -> Pod:
    """A Pod as it is; a manifest with the API's defaults. TypeError, ValueError or ManifestError if it is none."""
    if isinstance(pod, Pod):
        return pod
    if not isinstance(pod, Mapping):
        raise expected(later('a pod ("namespace/name", a manifest or a Pod)'), pod)
    pods = cluster.read([pod]).pods
    if len(pods) != 1:
        kind = pod.get("kind", "an object without kind")
        raise InputValueError("expected the manifest of one pod, got {kind}", kind=safe_text(str(kind)))
    return pods[0]


def node_of(key: str, cluster: Cluster) -> str | None:
    """The node that the pod ``namespace/name`` is bound to, whether that node exists or not; None if there is none."""
    if key in cluster.without_node:
        return cluster.without_node[key][1]
    row = cluster.pods.row_of.get(key)
    return None if row is None else cluster.names[cluster.pods.node[row]]


def not_pending(key: str, cluster: Cluster) -> UnknownNameError:
    """The error for a pod that is not pending: it runs, or is not there."""
    if (node := node_of(key, cluster)) is None:
        return unknown("pending pod", key, cluster.pending)
    message = later('pod "{pod}" runs on {node} and is not pending; explain(pod, cluster) takes it off its node first')
    return UnknownNameError(say(message, pod=safe_text(key), node=safe_text(node)))
