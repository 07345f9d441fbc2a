"""The scheduler's cache: the cluster as the informers see it, with the scheduler's own decisions assumed.

v1.37: pkg/scheduler/backend/cache/cache.go; before: pkg/scheduler/internal/cache/cache.go. The key of a
pod is its uid, or its namespace and name if it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.object_store import key_of
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.topology import zone_of
from kschedlab.manifests.loading import Objects
from kschedlab.objects.api import Api
from kschedlab.objects.model import AllocationResult, ApiObject, CSINode, Node, Pod, ResourceClaim
from kschedlab.queue.interface import Now
from kschedlab_simulation.scheduler.assumed_volumes import AssumedVolumes, VolumeError, assumed_versions, pod_volumes
from kschedlab_simulation.scheduler.rules import CacheRules
from kschedlab_simulation.scheduler.volumes import AssumeCache, BindingCheck

MAX_PREPARED_PODS = 16_384
"""The number of pending pods whose PodInfo is kept."""

ObjectKey: TypeAlias = tuple[type[ApiObject], Any]


class CacheError(Exception):
    """The cache's state does not allow the operation. The message is the real scheduler's."""


class SchedulerCache:
    """The pods, nodes and other objects that the scheduler sees.

    ====================  ===========================================================================================
    informers call        :meth:`add_pod`, :meth:`update_pod`, :meth:`remove_pod`, :meth:`add_node`,
                          :meth:`update_node`, :meth:`remove_node`, :meth:`put`, :meth:`drop`
    the loop assumes      :meth:`assume_pod`, :meth:`finish_binding`, :meth:`forget_pod`, :meth:`assume_volumes`,
                          :meth:`restore_volumes`, :meth:`nominate`, :meth:`remove_nomination`, :meth:`expire`
    the loop reads        :meth:`cluster`, :meth:`info`, :meth:`is_assumed`, :meth:`pod`
    ====================  ===========================================================================================

    Changes of pods apply to the columns at once. Changes of nodes and of other objects are collected and applied
    together when the next cycle calls :meth:`cluster`. ``now``: the clock.
    ``in_flight``: the devices that unallocated claims are about to get, by (namespace, name); nobody else gets them.
    """

    def __init__(self, api: Api, rules: CacheRules, now: Now, provisioning_failed: str) -> None:
        self.rules = rules
        self.in_flight: dict[tuple[str, str], AllocationResult] = {}
        self._failed = provisioning_failed
        self._cluster = Cluster(Objects(), api)
        self._now = now
        self._pods: dict[str, Pod] = {}
        self._assumed: dict[str, int | None] = {}
        self._on_node: dict[str, str] = {}
        self._infos: dict[str, tuple[Pod, PodInfo]] = {}
        self._nodes: dict[str, Node] = {}
        self._node_changes: list[tuple[str, Node | None]] = []
        self._last_change: dict[str, int] = {}
        self._gone: dict[ObjectKey, None] = {}
        self._put: dict[ObjectKey, ApiObject] = {}
        self._volumes = AssumeCache()

    # -- what the loop reads

    def cluster(self) -> Cluster:
        """The cluster with all changes so far. O(1) if only pods have changed since the last call."""
        if self._node_changes:
            self._cluster.change_nodes(self._node_changes)
            self._node_changes, self._last_change = [], {}
        if self._gone or self._put:
            there = [document for kind, key in self._gone if (document := self._cluster.find(kind, key)) is not None]
            self._cluster.change_objects(removed=there)
            self._cluster.change_objects(self._put.values())
            self._gone, self._put = {}, {}
        return self._cluster

    def info(self, pod: Pod) -> PodInfo:
        """The PodInfo of the pod, kept by its uid and resource version."""
        uid = uid_of(pod)
        known = self._infos.get(uid)
        if known is not None and _is_same(known[0], pod):
            return known[1]
        if len(self._infos) >= MAX_PREPARED_PODS:
            self._infos.clear()
        info = self._cluster.info(pod)
        self._infos[uid] = pod, info
        return info

    def is_assumed(self, pod: Pod) -> bool:
        """Whether the pod is assumed and no informer has confirmed it yet."""
        return uid_of(pod) in self._assumed

    @property
    def pods(self) -> Mapping[str, Pod]:
        """The cached pods with their nodes, by uid."""
        return self._pods

    def pod(self, pod: Pod) -> Pod | None:
        """The cached pod with its node; None if it is not in the cache."""
        return self._pods.get(uid_of(pod))

    def sizes(self) -> dict[str, int]:
        """The numbers of nodes, pods and assumed pods."""
        return {"nodes": len(self._nodes), "pods": len(self._pods), "assumed_pods": len(self._assumed)}

    # -- pods

    def assume_pod(self, pod: Pod, node: str) -> Pod:
        """Assume that the pod runs on the node. Returns it with its node. CacheError if it is already in the cache."""
        uid = uid_of(pod)
        if uid in self._pods:
            raise CacheError(f"pod {_named(pod)} is in the cache, so can't be assumed")
        assumed = on_node(pod, node)
        self._place_pod(uid, self.info(pod), assumed)
        self._assumed[uid] = None
        return assumed

    def finish_binding(self, pod: Pod) -> None:
        """The pod's binding has ended: if it is assumed, start its expiry."""
        if self.rules.assumed_pod_ttl and uid_of(pod) in self._assumed:
            self._assumed[uid_of(pod)] = self._now() + self.rules.assumed_pod_ttl

    def forget_pod(self, pod: Pod) -> None:
        """Undo :meth:`assume_pod`, with or without the node in ``pod``. CacheError if it is not assumed there."""
        uid = uid_of(pod)
        known = self._pods.get(uid)
        if known is None and self.rules.forgets_unknown_pods:
            return
        if known is not None and pod.spec.nodeName and known.spec.nodeName != pod.spec.nodeName:
            raise CacheError(
                f"pod {_named(pod)} was assumed on {pod.spec.nodeName} but assigned to {known.spec.nodeName}"
            )
        if uid not in self._assumed:
            raise CacheError(f"pod {_named(pod)} wasn't assumed so cannot be forgotten")
        self._remove_pod(uid)

    def add_pod(self, pod: Pod) -> None:
        """Add an assigned pod or confirm an assumed one, perhaps on another node. CacheError if it was added before."""
        uid = uid_of(pod)
        known = self._pods.get(uid)
        if known is not None and uid not in self._assumed:
            raise CacheError(f"pod {_named(pod)} was already in added state")
        if known is not None and known.spec.nodeName == pod.spec.nodeName:
            self._replace(uid, pod)
            del self._assumed[uid]
            return
        if known is not None:
            self._remove_pod(uid)
        self._place_pod(uid, self._cluster.info(pod), pod)

    def update_pod(self, old: Pod, new: Pod) -> None:
        """Update an added pod. CacheError if it is missing, only assumed, or on another node."""
        uid = uid_of(old)
        known = self._pods.get(uid)
        if known is None:
            raise CacheError(f"pod {_named(old)} is not added to scheduler cache, so cannot be updated")
        if uid in self._assumed:
            raise CacheError(f"assumed pod {_named(old)} should not be updated")
        if known.spec.nodeName != new.spec.nodeName:
            raise CacheError(f"pod {_named(new)} updated on a different node than previously added to")
        self._replace(uid, new)

    def remove_pod(self, pod: Pod) -> None:
        """Remove a pod. CacheError if it is missing, or assumed in a generation that removes no assumed pods."""
        uid = uid_of(pod)
        if uid not in self._pods or (uid in self._assumed and not self.rules.removes_assumed_pods):
            raise CacheError(f"pod {_named(pod)} is not found in scheduler cache, so cannot be removed from it")
        self._remove_pod(uid)

    def expire(self) -> list[Pod]:
        """Remove expired assumed pods and return them. To be called every second."""
        now = self._now()
        late = [uid for uid, deadline in self._assumed.items() if deadline is not None and now > deadline]
        expired = [self._pods[uid] for uid in late]
        for uid in late:
            self._remove_pod(uid)
        return expired

    def nominate(self, pod: Pod, node: str) -> None:
        self._cluster.nominate(self.info(pod), node)

    def remove_nomination(self, pod: Pod) -> None:
        self._cluster.withdraw(pod.key)

    def forget_pending(self, pod: Pod) -> None:
        """A pending pod left the queue, which has withdrawn its nomination: drop its PodInfo."""
        self._infos.pop(uid_of(pod), None)

    # -- nodes and other objects

    def add_node(self, node: Node) -> None:
        self.update_node(node, node)

    def update_node(self, old: Node, new: Node) -> None:
        """Update a node; add it if it is missing."""
        name = new.metadata.name
        before = self._nodes.get(name)
        self._nodes[name] = new
        at = self._last_change.get(name)
        if at is not None and before is not None and self._zone(before) == self._zone(new):
            self._node_changes[at] = name, new
        else:
            self._change_node(name, new)

    def remove_node(self, node: Node) -> None:
        """Remove a node; its pods stay until they are removed. CacheError if it is missing."""
        name = node.metadata.name
        if self._nodes.pop(name, None) is None:
            raise CacheError(f"node {name} is not found")
        self._change_node(name, None)

    def put(self, document: ApiObject) -> None:
        """Add or update an object of another kind. An assumed version overrides older observed ones."""
        if isinstance(document, ResourceClaim) and document.status.allocation is None and self.in_flight:
            allocation = self.in_flight.get(key_of(document))
            status = msgspec.structs.replace(document.status, allocation=allocation)
            document = msgspec.structs.replace(document, status=status)
        if self._volumes.observe(document):
            self._put[type(document), key_of(document)] = document

    def drop(self, document: ApiObject) -> None:
        """Remove an object of another kind."""
        self._volumes.remove(document)
        key = type(document), key_of(document)
        self._put.pop(key, None)
        self._gone[key] = None

    # -- volumes

    def assume_volumes(self, pod: Pod, node: str) -> AssumedVolumes:
        """Assume that the pod's claims get the volumes that the filter matched on the node.

        v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go, AssumePodVolumes. VolumeError if some claim
        has no match there.
        """
        cluster, info = self.cluster(), self.info(pod)
        volumes = pod_volumes(cluster, info, node, self.rules.binder.checks_storage_capacity)
        assumed = assumed_versions(cluster, info, volumes, node)
        done: list[ApiObject] = []
        try:
            for document in assumed.changed:
                self._volumes.assume(document)
                done.append(document)
                self._put[type(document), key_of(document)] = document
        except VolumeError:
            self._restore(done)
            raise
        return assumed

    def restore_volumes(self, assumed: AssumedVolumes) -> None:
        """Undo :meth:`assume_volumes`: the objects return to the versions that the informers have."""
        self._restore(assumed.documents)

    def volumes_bound(self, pod: Pod, node: str, written: AssumedVolumes) -> bool:
        """Whether all volumes and claims written for the pod are bound. VolumeError if the pod must be rescheduled.

        ``written``: the objects as the API server returned them. v1.37: binder.go, checkBindings.
        """
        entry = self._nodes.get(node)
        if entry is None:
            raise VolumeError(f'failed to get node "{node}": node "{node}" not found')
        check = BindingCheck(self._volumes, entry, self._cluster.find(CSINode, node), self.rules.binder, self._failed)
        return check.is_done(written)

    # -- internals

    def _restore(self, documents: Iterable[ApiObject]) -> None:
        for document in documents:
            observed = self._volumes.restore(document)
            if observed is not None:
                self._put[type(observed), key_of(observed)] = observed

    def _place_pod(self, uid: str, info: PodInfo, pod: Pod) -> None:
        other = self._on_node.get(info.key)
        if other is not None:
            self._cluster.evict(info.key)
        self._cluster.bind(info, pod.spec.nodeName)
        self._on_node[info.key] = uid
        self._pods[uid] = pod
        self._infos.pop(uid, None)

    def _replace(self, uid: str, pod: Pod) -> None:
        known, self._pods[uid] = self._pods[uid], pod
        if self._on_node.get(pod.key) == uid:
            info = self._cluster.on_node(pod.key)
            self._cluster.update(self._cluster.updated_info(info, known, pod))

    def _remove_pod(self, uid: str) -> None:
        pod = self._pods.pop(uid)
        self._assumed.pop(uid, None)
        if self._on_node.get(pod.key) == uid:
            del self._on_node[pod.key]
            self._cluster.evict(pod.key)

    def _zone(self, node: Node) -> tuple[str, str]:
        return zone_of(node, self._cluster.api.older_zone_labels_only)

    def _change_node(self, name: str, node: Node | None) -> None:
        self._last_change[name] = len(self._node_changes)
        self._node_changes.append((name, node))


def uid_of(pod: Pod) -> str:
    return pod.metadata.uid or pod.key


def on_node(pod: Pod, node: str) -> Pod:
    """The pod with this node as its ``spec.nodeName``."""
    return msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, nodeName=node))


def _is_same(known: Pod, pod: Pod) -> bool:
    version = pod.metadata.resourceVersion
    return known is pod or (
        pod.metadata.uid != ""
        and version != ""
        and version == known.metadata.resourceVersion
        and pod.status.nominatedNodeName == known.status.nominatedNodeName
    )


def _named(pod: Pod) -> str:
    return f"{uid_of(pod)}({pod.key})"
