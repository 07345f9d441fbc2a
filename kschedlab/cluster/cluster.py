"""The cluster: columns of nodes and pods, the other objects, and values derived from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from msgspec.structs import replace

from kschedlab.cluster.columns import (
    CPU as CPU,
    EPHEMERAL_STORAGE as EPHEMERAL_STORAGE,
    MEMORY as MEMORY,
    Changes,
    Columns,
)
from kschedlab.cluster.counts import Counts
from kschedlab.cluster.derived import ATTACHMENTS, LABELS, NAMES, VOLUMES, DerivedValues, bindable
from kschedlab.cluster.object_store import STORAGE, ObjectChange, ObjectStore, is_relevant, key_of, put_or_remove
from kschedlab.cluster.pods import PodInfo, requests, same_info, start_of
from kschedlab.cluster.queries import PodQuery
from kschedlab.cluster.signatures import IntArray
from kschedlab.cluster.topology import Topology
from kschedlab.cluster.volumes import ClaimKey, Volumes, can_still_bind, claims_of, volume_class
from kschedlab.messages import later, say
from kschedlab.objects.api import API_1_37, Api
from kschedlab.objects.model import (
    ApiObject,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PriorityClass,
    StorageClass,
)
from kschedlab.objects.problems import InputValueError, expected, safe_text, unknown

if TYPE_CHECKING:
    from kschedlab.manifests.loading import Objects
    from kschedlab.manifests.sources import Source


def current_pods(cluster: Columns) -> list[Pod]:
    """The pods as they are now: those on nodes in order of arrival, then pending ones. O(pods)."""
    pods = list[Pod]()
    live = np.flatnonzero(cluster.pods.live())
    for row in live[np.argsort(cluster.pods.arrival[live])].tolist():
        pods.append(bound_to(as_created(cluster.pods.info(row)), cluster.names[cluster.pods.node[row]]))
    pods += [bound_to(as_created(info), node) for info, node in cluster.without_node.values()]
    nominated_to = {key: cluster.names[cluster.nominated.node[row]] for key, row in cluster.nominated.row_of.items()}
    nominated_to |= {key: node for key, (_, node) in cluster.nominated_without_node.items()}
    pending = {key: cluster.nominated.info(row) for key, row in cluster.nominated.row_of.items()}
    pending |= {key: info for key, (info, _) in cluster.nominated_without_node.items()} | cluster.pending
    pods += [_nominated_to(as_created(info), nominated_to.get(key, "")) for key, info in pending.items()]
    return pods


def as_created(info: PodInfo) -> Pod:
    """The pod as it was created: with the fields that this API drops, without those that it adds."""
    pod = info.pod
    if info.original is None:
        return pod
    return replace(bound_to(info.original, pod.spec.nodeName), metadata=pod.metadata, status=pod.status)


def bound_to(pod: Pod, node: str) -> Pod:
    """The pod, bound to that node; "": to none."""
    return pod if pod.spec.nodeName == node else replace(pod, spec=replace(pod.spec, nodeName=node))


def _nominated_to(pod: Pod, node: str) -> Pod:
    same = pod.status.nominatedNodeName == node
    return pod if same else replace(pod, status=replace(pod.status, nominatedNodeName=node))


T = TypeVar("T")
D = TypeVar("D", bound=ApiObject)


class Cluster(Columns):
    """A cluster of nodes and of running, nominated and pending pods.

    ====================  ===========================================================================================
    reading               ``nodes``, ``names``, ``index``, ``resources``, ``allocatable``, ``requested``, ``nonzero``,
                          ``pods_on``, ``max_pods``, ``pods``, ``nominated``, ``pending``, ``volumes``,
                          :meth:`objects_of`, :meth:`find`
    computing             :meth:`count`, :meth:`topology`, :meth:`derived`, :meth:`pods_of`
    changing pods         :meth:`bind`, :meth:`evict`, :meth:`update`, :meth:`nominate`, :meth:`withdraw`
    adding, removing      :meth:`add`, :meth:`remove`: nodes, pods and the objects around them
    changing the rest     :meth:`change_nodes`, :meth:`change_objects`
    what-if               :meth:`fork`, :meth:`under`
    ====================  ===========================================================================================

    Node arrays are int64[nodes] in the order in which the scheduler visits the nodes (round robin over the zones):
    ``allocatable[resource, node]`` and ``requested[resource, node]`` (cpu in milli, the rest in units),
    ``nonzero[0 | 1, node]`` (cpu, memory with the defaults for pods without requests), ``pods_on``, ``max_pods``.
    ``report``: which manifests were read and which ignored. ``api``: how a generation's API server stores pods.
    """

    def __init__(self, objects: Objects, api: Api = API_1_37) -> None:
        if not hasattr(objects, "report"):
            raise expected(later("Objects, as load(...) returns them (manifests: Cluster.from_dicts(...))"), objects)
        super().__init__(api.older_zone_labels_only)
        self.api = api
        self.report = objects.report
        self._objects = ObjectStore.read(objects, api)
        self.volumes = Volumes(self._objects)
        self._derived = DerivedValues()
        self._owned |= {VOLUMES, *(kind.__name__ for kind in self._objects.kinds())}
        self.change_nodes((node.metadata.name, node) for node in objects.nodes)
        for pod in objects.pods:
            self._add_pod(pod)

    @classmethod
    def from_files(cls, *sources: Source, api: Api = API_1_37) -> Cluster:
        """Load manifests: paths of files or folders, open files, or ``-`` for standard input. ManifestError."""
        from kschedlab.manifests.loading import load

        return cls(load(*sources), api)

    @classmethod
    def from_dicts(cls, manifests: Iterable[Mapping[str, Any]], api: Api = API_1_37) -> Cluster:
        """A cluster of parsed manifests, such as those of :mod:`kschedlab.build`. ManifestError."""
        from kschedlab.manifests.loading import decode_objects

        if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
            raise expected(later("a list of manifests"), manifests)
        return cls(decode_objects(manifests), api)

    def count(self, query: PodQuery) -> IntArray:
        """int64[nodes], read-only: the query's sum over each node's pods; see :mod:`kschedlab.cluster.counts`."""
        return self._counts.of(query, self.pods)

    def topology(self, key: str) -> Topology:
        return self.derived(
            ("topology", key), lambda: Topology.of(key, [n.metadata.labels for n in self.nodes]), LABELS
        )

    def derived(self, key: Hashable, compute: Callable[[], T], *sources: Hashable) -> T:
        """A value that depends on these sources alone (:mod:`kschedlab.cluster.derived`), computed once for each key.

        ``sources`` must be complete. Without any, the value depends only on what never changes, such as a signature.
        """
        return self._derived.find(key, compute, sources)

    def objects_of(self, kind: type[D]) -> Collection[D]:
        """The objects of that kind, in order of arrival. Nodes and pods are in columns instead."""
        return self._objects.of(kind).values()

    def find(self, kind: type[D], key: Hashable) -> D | None:
        """The object of that kind with that (namespace, name), or name alone for a kind without namespaces."""
        return self._objects.of(kind).get(key)

    def last_change(self, kind: type[ApiObject]) -> ObjectChange:
        return self._objects.last_change(kind)

    @property
    def ranks(self) -> IntArray:
        """int64[nodes], read-only: each node's position in the list of names, sorted."""
        return self.derived("ranks", lambda: np.argsort(np.argsort(np.array(self.names, np.str_))), NAMES)

    def pod_keys(self) -> list[str]:
        """``namespace/name`` of all pods: those that wait, then those on nodes."""
        return [*self.pending, *self.pods.row_of, *self.without_node]

    def pods_of(self, node: int) -> IntArray:
        """int64[]: the rows of the node's pods, in ascending order. O(pods)."""
        return np.flatnonzero(self.pods.node == node)

    def info(self, pod: Pod) -> PodInfo:
        """The pod as this API admits it, with its signature, requests and priority."""
        original, pod = pod, self.api.admit(pod)
        request = self.api.incoming(pod)
        placed = request if self.api.placed is self.api.incoming else self.api.placed(pod)
        for name in request | placed:
            self._row(name)
        return PodInfo(
            pod=pod,
            key=pod.key,
            priority=pod.spec.priority or 0,
            start=start_of(pod),
            signature=self.signatures.of(pod),
            requests=requests((*request.items(),), (*placed.items(),), self.api.scored(pod), self.api.nonzero(pod)),
            original=None if original is pod else original,
        )

    def updated_info(self, info: PodInfo, before: Pod, after: Pod) -> PodInfo:
        """The info of a pod that changed from ``before`` to ``after``, recomputed only if a change can affect it."""
        if not same_info(before, after):
            return self.info(after)
        pod = bound_to(info.pod, after.spec.nodeName)
        return replace(info, pod=replace(pod, metadata=after.metadata, status=after.status), start=start_of(after))

    def add(self, *objects: Mapping[str, Any] | ApiObject) -> Self:
        """Add nodes, pods and others (manifests or objects); one of the same name is replaced. Returns the cluster.

        A pod with ``spec.nodeName`` runs there, others are pending. ManifestError if a manifest has faults. ValueError,
        and nothing changes, if no decision reads objects of that kind.
        """
        new = self.read(each for each in objects if isinstance(each, Mapping))
        kinds, unread = {Node, Pod, *self._objects.kinds()}, list(new.report.unknown)
        for each in objects:
            if not isinstance(each, Mapping | ApiObject):
                raise expected(later("manifests or objects one by one"), each)
            if isinstance(each, ApiObject) and type(each) in kinds:
                new.of(type(each)).append(each)
            elif isinstance(each, ApiObject):
                unread.append(type(each).__name__)
        if unread:
            message = later("no decision reads a {kind}: add the pods that its controller makes, or leave it out")
            raise InputValueError(message, kind=safe_text(unread[0]))
        self.change_nodes((node.metadata.name, node) for node in new.nodes)
        self.change_objects(each for kind in self._objects.kinds() for each in new.of(kind))
        for pod in new.pods:
            self._remove_pod(pod.key)
            self._add_pod(pod)
        return self

    def remove(self, *names: str) -> Self:
        """Remove pods ``namespace/name`` and nodes ``name``. Returns the cluster.

        Pods on a removed node are kept aside until the node comes back. KeyError, and nothing changes, if one of the
        names does not exist.
        """
        if wrong := [each for each in names if not isinstance(each, str)]:
            raise expected(later("names of nodes or namespace/name of pods"), wrong[0])
        pods = [name for name in names if "/" in name]
        keys = set(self.pod_keys()) if pods else set()
        if missing := [name for name in pods if name not in keys]:
            raise unknown("pod", missing[0], self.pod_keys())
        self.change_nodes([(name, None) for name in names if "/" not in name])
        for name in pods:
            self._remove_pod(name)
        return self

    def read(self, manifests: Iterable[Mapping[str, Any]]) -> Objects:
        """The objects of the manifests, with the API's defaults and this cluster's priority classes. ManifestError."""
        from kschedlab.manifests.loading import decode_objects

        return decode_objects(manifests, self.objects_of(PriorityClass))

    def change_nodes(self, changes: Changes) -> None:
        """Add, update and remove any number of nodes at once, by name; None: the node is removed.

        Pods on a removed node are set aside, and use its resources again if it returns. If no node is added or removed
        or changes its zone, the columns stay, as do values derived from fields that did not change; otherwise O(nodes +
        pods). KeyError, and nothing changes, if a node to be removed does not exist.
        """
        self._derived = self._derived.without(self._change_nodes(changes))

    def change_objects(self, put: Iterable[ApiObject] = (), removed: Iterable[ApiObject] = ()) -> None:
        """Add, replace and remove objects other than nodes and pods. KeyError if one to be removed is not there."""
        changed: set[Hashable] = set()
        for each in put:
            changed |= self._change_object(type(each), key_of(each), each)
        for each in removed:
            changed |= self._change_object(type(each), key_of(each), None)
        self._derived = self._derived.without(changed)

    def fork(self) -> Cluster:
        """A copy that changes independently. Columns are shared until one of the two changes them."""
        other = Cluster.__new__(Cluster)
        other.__dict__.update(self.__dict__)
        self._owned = other._owned = frozenset()
        return other

    def under(self, api: Api) -> Cluster:
        """The same objects in another generation's API server; this cluster if its API is the same. O(all)."""
        if api == self.api:
            return self
        if self.api.admits_alike(api, (info.original or info.pod for info in self._infos())):
            alike = self.fork()
            alike.api = api
            return alike
        return Cluster(self.objects, api)

    @property
    def objects(self) -> Objects:
        """All objects as they are now; a cluster built from them decides in the same way. O(all)."""
        from kschedlab.manifests.loading import Objects

        objects = Objects(report=self.report)
        objects.nodes += [self.nodes[self.index[name]] for name in self._order.by_zone()]
        for kind in self._objects.kinds():
            objects.of(kind).extend(self._objects.given(kind))
        objects.pods += current_pods(self)
        return objects

    def __repr__(self) -> str:
        nodes, running = len(self.nodes), len(self.pods.row_of) + len(self.without_node)
        words = f"{nodes:,} node{'s' * (nodes != 1)}, {running:,} running pod{'s' * (running != 1)}"
        return f"<Cluster: {words}, {len(self.pending):,} pending>"

    def _infos(self) -> Iterator[PodInfo]:
        """All pods, on nodes, nominated and pending, in no particular order."""
        yield from (self.pods.info(row) for row in self.pods.row_of.values())
        yield from (self.nominated.info(row) for row in self.nominated.row_of.values())
        yield from (info for info, _ in (*self.without_node.values(), *self.nominated_without_node.values()))
        yield from self.pending.values()

    def _remove_pod(self, key: str) -> None:
        self._unshare("pods")
        self._end_nomination(key)
        if self.pending.pop(key, None) is None and (key in self.pods.row_of or key in self.without_node):
            self.evict(key)

    def _add_pod(self, pod: Pod) -> None:
        if pod.status.phase in ("Succeeded", "Failed"):
            return
        info = self.info(pod)
        if pod.spec.nodeName:
            self._add(info, pod.spec.nodeName)
            return
        self.pending[info.key] = info
        if pod.status.nominatedNodeName:
            self.nominate(info, pod.status.nominatedNodeName)

    def _change_object(self, kind: type[ApiObject], key: Any, new: Any) -> set[Hashable]:
        """Put or remove (None) one object; return the sources whose derived values it may affect."""
        old = self._objects.of(kind).get(key)
        if old is None and new is None:
            raise KeyError(say("there is no {kind} {key!r}", kind=kind.__name__, key=key))
        relevant = is_relevant(kind, old, new)
        changed: set[Hashable] = {kind.__name__} if relevant else set()
        if kind in STORAGE:
            return changed | self._change_storage(kind, key, old, new, relevant)
        if kind.__name__ not in self._owned:
            self._objects = self._objects.with_own_copies([kind])
            self._owned |= {kind.__name__}
        self._objects.change(kind, key, new)
        return changed

    def _change_storage(self, kind: type[ApiObject], key: Any, old: Any, new: Any, relevant: bool) -> set[Hashable]:
        changed: set[Hashable] = set()
        if VOLUMES not in self._owned or (relevant and kind is StorageClass):
            self._copy_volumes()
            changed.add(VOLUMES)
        volumes = self.volumes
        if kind is PersistentVolumeClaim:
            if can_still_bind(old) != can_still_bind(new):
                changed |= {bindable(volume_class(volume)) for volume in volumes.reserved_for(key)}
            self._change_claims([key], lambda: volumes.change_claim(key, new))
        elif kind is PersistentVolume:
            changed |= {bindable(volume_class(volume)) for volume in (old, new) if relevant and volume is not None}
            changed |= {ATTACHMENTS} if relevant and volumes.is_attached(key) else set()
            self._change_claims(volumes.claims_on(key), lambda: volumes.change_volume(key, new))
        else:
            put_or_remove(self._objects.of(kind), key, new)
        return changed

    def _copy_volumes(self) -> None:
        """Replace shared volumes by a copy and drop all answers about the shared ones."""
        from kschedlab.cluster.volume_answers import drop

        drop(self.signatures, self.volumes)
        self._objects = self._objects.with_own_copies(STORAGE)
        self.volumes = Volumes(self._objects)
        self._counts = Counts(self.signatures, len(self.nodes))
        self._owned |= {VOLUMES, *(kind.__name__ for kind in STORAGE)}

    def _change_claims(self, claims: Iterable[ClaimKey], apply_change: Callable[[], None]) -> None:
        """Change volumes, and update the answers about signatures of pods that use these claims."""
        from kschedlab.cluster.volume_answers import refresh

        used_by = (signature for claim in claims for signature in self.signatures.with_item(claims_of, claim))
        signatures = list(dict.fromkeys(used_by))
        if not signatures:
            apply_change()
            return
        self._unshare("pods")
        nodes = {each: self.pods.node[[*self.pods.by_signature.of(each.number)]] for each in signatures}
        for signature in signatures:
            self._counts.add(signature, nodes[signature], -1)
        apply_change()
        refresh(self.signatures, self.volumes, signatures)
        for signature in signatures:
            self._counts.add(signature, nodes[signature], +1)
