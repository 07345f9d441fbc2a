"""The scheduler's cache: the cluster as the informers see it, with the scheduler's own decisions assumed.

v1.37: pkg/scheduler/backend/cache/cache.go; before: pkg/scheduler/internal/cache/cache.go. Pods are known by their uid,
those that have none by namespace and name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.object_store import key_of
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.topology import zone_of
from kschedlab.generations import V1_37
from kschedlab.generations.rules import CacheRules
from kschedlab.manifests.loading import Objects
from kschedlab.objects.api import API_1_37, Api
from kschedlab.objects.model import ApiObject, CSINode, Node, Pod
from kschedlab.queue.interface import Now
from kschedlab.simulation.scheduler.volumes import (
    AssumeCache,
    AssumedVolumes,
    BindingCheck,
    VolumeError,
    assumed_versions,
    pod_volumes,
)

MAX_PREPARED_PODS = 16_384
"""How many pods that wait are kept prepared for a decision."""

ObjectKey: TypeAlias = tuple[type[ApiObject], Any]


class CacheError(Exception):
    """The state of the cache forbids the operation. The message is the real scheduler's."""


class SchedulerCache:
    """Pods, nodes and all other objects as the scheduler sees them.

    ====================  ===========================================================================================
    informers call        :meth:`add_pod`, :meth:`update_pod`, :meth:`remove_pod`, :meth:`add_node`,
                          :meth:`update_node`, :meth:`remove_node`, :meth:`put`, :meth:`drop`
    the loop assumes      :meth:`assume_pod`, :meth:`finish_binding`, :meth:`forget_pod`, :meth:`assume_volumes`,
                          :meth:`restore_volumes`, :meth:`nominate`, :meth:`remove_nomination`, :meth:`expire`
    the loop asks         :meth:`cluster`, :meth:`info`, :meth:`is_assumed`, :meth:`pod`
    ====================  ===========================================================================================

    Pods change the columns at once. Changes of nodes and of other objects are collected, and applied all at once when
    the next cycle asks for the cluster. ``now``: the clock, which only a cache whose pods expire reads.
    """

    def __init__(
        self,
        api: Api = API_1_37,
        rules: CacheRules = V1_37.loop.cache,
        now: Now | None = None,
        provisioning_failed: str = V1_37.messages.provisioning_failed,
    ) -> None:
        self.rules = rules
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

    # -- what the loop asks

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
        """The pod, prepared for a decision. Remembered for its uid and resource version."""
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
        """Whether the pod is assumed to be on a node, and not yet known to be there."""
        return uid_of(pod) in self._assumed

    def pod(self, pod: Pod) -> Pod | None:
        """The pod as it is in the cache, on its node, if it is there."""
        return self._pods.get(uid_of(pod))

    def sizes(self) -> dict[str, int]:
        """How many nodes, pods and assumed pods there are."""
        return {"nodes": len(self._nodes), "pods": len(self._pods), "assumed_pods": len(self._assumed)}

    # -- pods

    def assume_pod(self, pod: Pod, node: str) -> Pod:
        """Take it that the pod runs on the node; the pod as it is there. CacheError if it is in the cache already."""
        uid = uid_of(pod)
        if uid in self._pods:
            raise CacheError(f"pod {_named(pod)} is in the cache, so can't be assumed")
        assumed = on_node(pod, node)
        self._place_pod(uid, self.info(pod), assumed)
        self._assumed[uid] = None
        return assumed

    def finish_binding(self, pod: Pod) -> None:
        """The pod's binding has ended: if it is assumed, the time until it expires begins to run."""
        if self.rules.assumed_pod_ttl and self._now is not None and uid_of(pod) in self._assumed:
            self._assumed[uid_of(pod)] = self._now() + self.rules.assumed_pod_ttl

    def forget_pod(self, pod: Pod) -> None:
        """Undo :meth:`assume_pod`. ``pod``: with its node, or without. CacheError if it is not assumed there."""
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
        """A pod is on its node: one that was assumed, wherever, or a new one. CacheError if it is known to be there."""
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
        """A pod that was added has changed. CacheError if it is not there, or only assumed, or on another node."""
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
        """A pod is gone. CacheError if it is not there, or if the generation does not remove assumed ones."""
        uid = uid_of(pod)
        if uid not in self._pods or (uid in self._assumed and not self.rules.removes_assumed_pods):
            raise CacheError(f"pod {_named(pod)} is not found in scheduler cache, so cannot be removed from it")
        self._remove_pod(uid)

    def expire(self) -> list[Pod]:
        """Take out the assumed pods whose time has run out, and return them. To be called every second."""
        now = self._now() if self._now is not None else 0
        late = [uid for uid, deadline in self._assumed.items() if deadline is not None and now > deadline]
        expired = [self._pods[uid] for uid in late]
        for uid in late:
            self._remove_pod(uid)
        return expired

    def nominate(self, pod: Pod, node: str) -> None:
        """The pod waits for room on the node."""
        self._cluster.nominate(self.info(pod), node)

    def remove_nomination(self, pod: Pod) -> None:
        """The pod no longer waits for room anywhere."""
        self._cluster.withdraw(pod.key)

    def forget_pending(self, pod: Pod) -> None:
        """A pod that waits is gone: forget what was prepared for it, and its nomination."""
        self._infos.pop(uid_of(pod), None)
        self._cluster.withdraw(pod.key)

    # -- nodes and other objects

    def add_node(self, node: Node) -> None:
        """A node came, or is seen again."""
        self.update_node(node, node)

    def update_node(self, old: Node, new: Node) -> None:
        """A node changed. One that is not there comes."""
        name = new.metadata.name
        before = self._nodes.get(name)
        self._nodes[name] = new
        at = self._last_change.get(name)
        if at is not None and before is not None and self._zone(before) == self._zone(new):
            self._node_changes[at] = name, new
        else:
            self._change_node(name, new)

    def remove_node(self, node: Node) -> None:
        """A node is gone; its pods are kept until they are removed. CacheError if it is not there."""
        name = node.metadata.name
        if self._nodes.pop(name, None) is None:
            raise CacheError(f"node {name} is not found")
        self._change_node(name, None)

    def put(self, document: ApiObject) -> None:
        """An object of any other kind came or changed. What is assumed of it holds against news that are older."""
        if self._volumes.observe(document):
            self._put[type(document), key_of(document)] = document

    def drop(self, document: ApiObject) -> None:
        """An object of any other kind is gone."""
        self._volumes.remove(document)
        key = type(document), key_of(document)
        self._put.pop(key, None)
        self._gone[key] = None

    # -- volumes

    def assume_volumes(self, pod: Pod, node: str) -> AssumedVolumes:
        """Take it that the pod's claims have the volumes that the filter found for them on the node.

        v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go, AssumePodVolumes. VolumeError if some claim
        finds none there.
        """
        cluster, info = self.cluster(), self.info(pod)
        found = pod_volumes(cluster, info, node, self.rules.binder)
        assumed = assumed_versions(cluster, info, found, node)
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
        """Undo :meth:`assume_volumes`: the objects are again what the informers have."""
        self._restore(assumed.documents)

    def volumes_bound(self, pod: Pod, node: str, written: AssumedVolumes) -> bool:
        """Whether all that was written for the pod is bound by now. VolumeError if the pod must be scheduled anew.

        ``written``: the objects as the API server returned them. v1.37: binder.go, checkBindings.
        """
        found = self._nodes.get(node)
        if found is None:
            raise VolumeError(f'failed to get node "{node}": node "{node}" not found')
        check = BindingCheck(self._volumes, found, self._cluster.find(CSINode, node), self.rules.binder, self._failed)
        return check.is_done(written)

    # -- inside

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
    """By what the pod is known."""
    return pod.metadata.uid or pod.key


def on_node(pod: Pod, node: str) -> Pod:
    """The pod with its node's name."""
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
