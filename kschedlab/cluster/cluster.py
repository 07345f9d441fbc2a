"""The cluster: columns of nodes and pods, the objects around them, and what is asked about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

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
from kschedlab.cluster.derived import (
    ATTACHMENTS,
    LABELS,
    NAMES,
    VOLUMES,
    DerivedValues,
    bindable,
)
from kschedlab.cluster.object_store import STORAGE, ObjectStore, change, differs, key_of
from kschedlab.cluster.pods import NEVER_STARTED, PodInfo
from kschedlab.cluster.signatures import IntArray, PodQuery
from kschedlab.cluster.topology import Topology
from kschedlab.cluster.volumes import ClaimKey, Volumes, claims_of, may_yet_bind, volume_class
from kschedlab.objects.api import API_1_37, Api
from kschedlab.objects.model import (
    ApiObject,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
)

if TYPE_CHECKING:
    from kschedlab.manifests.loading import Objects

T = TypeVar("T")
D = TypeVar("D", bound=ApiObject)


class Cluster(Columns):
    """A cluster of nodes and running, nominated and pending pods.

    ====================  ===========================================================================================
    reading               ``nodes``, ``names``, ``index``, ``resources``, ``allocatable``, ``requested``, ``nonzero``,
                          ``pods_on``, ``max_pods``, ``pods``, ``nominated``, ``pending``, ``volumes``,
                          :meth:`objects_of`, :meth:`find`
    computing             :meth:`count`, :meth:`tally`, :meth:`topology`, :meth:`derived`, :meth:`pods_of`
    changing pods         :meth:`bind`, :meth:`evict`, :meth:`update`, :meth:`nominate`, :meth:`withdraw`
    changing the rest     :meth:`change_nodes`, :meth:`change_objects`
    what-if               :meth:`fork`
    checking              :meth:`check`
    ====================  ===========================================================================================

    Node arrays are int64[nodes] in the order in which the scheduler looks at the nodes (zones in turn):
    ``allocatable[resource, node]`` and ``requested[resource, node]`` (cpu in milli, the rest in units),
    ``nonzero[0 | 1, node]`` (cpu, memory with the defaults for pods that ask for nothing), ``pods_on``, ``max_pods``.
    ``report``: what was read of the manifests.
    """

    def __init__(self, objects: Objects, api: Api = API_1_37) -> None:
        super().__init__(api.older_zone_labels_only)
        self.api = api
        self.report = objects.report
        self._objects = ObjectStore.read(objects)
        self.volumes = Volumes(self._objects)
        self._derived = DerivedValues()
        self._owned |= {VOLUMES, *(kind.__name__ for kind in self._objects.kinds())}
        self.change_nodes((node.metadata.name, node) for node in objects.nodes)
        for pod in objects.pods:
            self._place(pod)

    @classmethod
    def from_files(cls, *sources: str, api: Api = API_1_37) -> Cluster:
        """Load manifests: paths of files or folders, or ``-`` for standard input.

        Raises ManifestError, which lists everything that is wrong with them.
        """
        from kschedlab.manifests.loading import load

        return cls(load(*sources), api)

    @classmethod
    def from_kubectl(cls, *arguments: str, api: Api = API_1_37) -> Cluster:
        """The cluster that the ``kubectl`` on the PATH talks to; ``arguments`` are passed on (``--context``, ...)."""
        from kschedlab.manifests.loading import from_kubectl

        return cls(from_kubectl(*arguments), api)

    # -- asking

    def count(self, query: PodQuery) -> IntArray:
        """int64[nodes], not to be written to: the query's sum over each node's pods. O(pods) at first, then O(1)."""
        if query not in self._counts:
            live = np.flatnonzero(self.pods.live())
            self._counts.ask(query, self.pods.node[live], self.pods.signature[live])
        return self._counts[query]

    def tally(self, signatures: Sequence[int]) -> IntArray:
        """int64[nodes]: how many pods of these signatures each node has; a signature given twice counts twice.

        Counted afresh, for what few pods have: O(pods).
        """
        weight = self.signatures.occurrences(signatures)[self.pods.signature]
        rows = np.flatnonzero(weight)
        total = np.zeros(len(self.nodes), np.int64)
        np.add.at(total, self.pods.node[rows], weight[rows])
        return total

    def topology(self, key: str) -> Topology:
        """The domains of a topology key."""
        return self.derived(
            ("topology", key), lambda: Topology.of(key, [n.metadata.labels for n in self.nodes]), LABELS
        )

    def derived(self, key: Hashable, compute: Callable[[], T], *sources: Hashable) -> T:
        """Something that follows from these sources alone (see :mod:`facts`), computed once for each key.

        It must name all of them. Without any, it follows from what never changes, such as a pod's signature.
        """
        return self._derived.find(key, compute, sources)

    def objects_of(self, kind: type[D]) -> Collection[D]:
        """The objects of that kind, in the order in which they came. Nodes and pods have columns instead."""
        return self._objects.of(kind).values()

    def find(self, kind: type[D], key: Hashable) -> D | None:
        """The object of that kind with that (namespace, name), or name alone where the kind has no namespaces."""
        return self._objects.of(kind).get(key)

    @property
    def ranks(self) -> IntArray:
        """int64[nodes], not to be written to: each node's place among all, sorted by name."""
        return self.derived("ranks", lambda: np.argsort(np.argsort(np.array(self.names, np.str_))), NAMES)

    def pods_of(self, node: int) -> IntArray:
        """int64[]: the rows of the node's pods, in the order of their rows. O(pods)."""
        return np.flatnonzero(self.pods.node == node)

    def info(self, pod: Pod) -> PodInfo:
        """The pod, prepared for a decision."""
        pod = self.api.admit(pod)
        start, metadata = pod.status.startTime, pod.metadata
        request, placed = self.api.incoming(pod), self.api.placed(pod)
        for name in request | placed:
            self._row(name)
        return PodInfo(
            pod=pod,
            key=f"{metadata.namespace}/{metadata.name}",
            priority=pod.spec.priority or 0,
            start=NEVER_STARTED if start is None else start,
            signature=self.signatures.of(pod),
            request=request,
            placed=placed,
            scored=self.api.scored(pod),
            nonzero=self.api.nonzero(pod),
        )

    def renewed(self, info: PodInfo, before: Pod, after: Pod) -> PodInfo:
        """The info of a pod that was ``before`` and is ``after``; computed anew only if it could be another one."""
        if not _counts_alike(before, after):
            return self.info(after)
        pod = info.pod
        spec = pod.spec if pod.spec.nodeName == after.spec.nodeName else replace(pod.spec, nodeName=after.spec.nodeName)
        return dataclasses.replace(info, pod=replace(pod, metadata=after.metadata, spec=spec, status=after.status))

    # -- changing

    def change_nodes(self, changes: Changes) -> None:
        """Add, update and remove any number of nodes at once, each by its name; None: it is gone.

        Pods on a node that is gone are kept aside, and take their room again if it comes back. Where no node comes,
        goes or changes its zone, the columns stay, and facts that follow from fields which no node changed.
        O(nodes + pods) else. KeyError, and nothing is changed, if a node that is to go is not there.
        """
        self._derived = self._derived.without(self._change_nodes(changes))

    def change_objects(self, put: Iterable[ApiObject] = (), gone: Iterable[ApiObject] = ()) -> None:
        """Put objects of all kinds but nodes and pods in the place of those of the same name, and take out others.

        What follows from them is dropped, and nothing else. KeyError if one that is to go is not there.
        """
        changed: set[Hashable] = set()
        for document in put:
            changed |= self._change_object(document, document)
        for document in gone:
            changed |= self._change_object(document, None)
        self._derived = self._derived.without(changed)

    # -- what-if

    def fork(self) -> Cluster:
        """A cluster that starts as this one and changes apart from it. Columns are copied when one of them changes."""
        other = Cluster.__new__(Cluster)
        other.__dict__.update(self.__dict__)
        self._owned = other._owned = frozenset()
        return other

    # -- checking

    @property
    def objects(self) -> Objects:
        """All objects as they are now, of which a cluster can be built that decides as this one does. O(all)."""
        from kschedlab.manifests.loading import Objects

        found = Objects(report=self.report)
        found.nodes += [self.nodes[self.index[name]] for name in self._order.by_zone()]
        for kind in self._objects.kinds():
            found.of(kind).extend(self.objects_of(kind))
        live = np.flatnonzero(self.pods.live())
        for row in live[np.argsort(self.pods.arrival[live])].tolist():
            found.pods.append(_on_node(self.pods.info(row).pod, self.names[self.pods.node[row]]))
        found.pods += [_on_node(info.pod, node) for info, node in self.without_node.values()]
        hoping = {key: self.names[self.nominated.node[row]] for key, row in self.nominated.row_of.items()}
        hoping |= {key: node for key, (_, node) in self.nominated_without_node.items()}
        waiting = {key: self.nominated.info(row) for key, row in self.nominated.row_of.items()}
        waiting |= {key: info for key, (info, _) in self.nominated_without_node.items()} | self.pending
        found.pods += [_hoping(info.pod, hoping.get(key, "")) for key, info in waiting.items()]
        return found

    def check(self) -> None:
        """Raise AssertionError unless every kept column and count equals one made afresh from the pods and nodes."""
        afresh = Columns(self.api.older_zone_labels_only)
        afresh.signatures = self.signatures
        for name in self.resources:
            afresh._row(name)
        afresh._change_nodes((name, self.nodes[self.index[name]]) for name in self._order.by_zone())
        assert self.names == afresh.names and self.index == afresh.index, "the order of the nodes drifted"
        assert [node.metadata.name for node in self.nodes] == self.names, "nodes and names disagree"
        live = np.flatnonzero(self.pods.live())
        assert sorted(self.pods.row_of.values()) == live.tolist(), "rows and pods disagree"
        for row in live.tolist():
            info = self.pods.info(row)
            assert self.pods.row_of[info.key] == row and self.pods.signature[row] == info.signature, (
                f"row {row} is not {info.key}"
            )
            assert (self.pods.priority[row], self.pods.start[row]) == (info.priority, info.start), f"row {row} is stale"
            afresh.bind(info, self.names[self.pods.node[row]])
        for name in ("allocatable", "max_pods", "requested", "nonzero", "pods_on"):
            assert np.array_equal(getattr(afresh, name), getattr(self, name)), f"{name} drifted from the pods and nodes"
        for _, node in (*self.without_node.values(), *self.nominated_without_node.values()):
            assert node not in self.index, f"pods are kept aside though node {node} is there"
        for query in self._counts.queries():
            count = np.zeros(len(self.nodes), np.int64)
            answers = np.array(
                [query.of(self.signatures[signature]) for signature in range(len(self.signatures))], np.int64
            )
            np.add.at(count, self.pods.node[live], answers[self.pods.signature[live]])
            assert np.array_equal(count, self.count(query)), f"the count of {query} drifted from the pods"

    # -- inside

    def _place(self, pod: Pod) -> None:
        if pod.status.phase in ("Succeeded", "Failed"):
            return
        info = self.info(pod)
        if pod.spec.nodeName:
            self._add(info, pod.spec.nodeName)
            return
        self.pending[info.key] = info
        if pod.status.nominatedNodeName:
            self.nominate(info, pod.status.nominatedNodeName)

    def _change_object(self, document: ApiObject, new: Any) -> set[Hashable]:
        """Change one object; what may have changed with it."""
        kind, key = type(document), key_of(document)
        old = self._objects.of(kind).get(key)
        if old is None and new is None:
            raise KeyError(f"there is no {kind.__name__} {key!r}")
        telling = differs(kind, old, new)
        changed: set[Hashable] = {kind.__name__} if telling else set()
        if kind in STORAGE:
            return changed | self._change_storage(kind, key, old, new, telling)
        if kind.__name__ not in self._owned:
            self._objects = self._objects.apart([kind])
            self._owned |= {kind.__name__}
        change(self._objects.of(kind), key, new)
        if telling and kind is Namespace:
            self._counts = Counts(self.signatures, len(self.nodes))
        return changed

    def _change_storage(self, kind: type[ApiObject], key: Any, old: Any, new: Any, telling: bool) -> set[Hashable]:
        changed: set[Hashable] = set()
        if VOLUMES not in self._owned or (telling and kind is StorageClass):
            self._renew_volumes()
            changed.add(VOLUMES)
        volumes = self.volumes
        if kind is PersistentVolumeClaim:
            if may_yet_bind(old) != may_yet_bind(new):
                changed |= {bindable(volume_class(volume)) for volume in volumes.kept_for(key)}
            self._revise([key], lambda: volumes.change_claim(key, new))
        elif kind is PersistentVolume:
            changed |= {bindable(volume_class(volume)) for volume in (old, new) if telling and volume is not None}
            changed |= {ATTACHMENTS} if telling and volumes.is_attached(key) else set()
            self._revise(volumes.claims_on(key), lambda: volumes.change_volume(key, new))
        else:
            change(self._objects.of(kind), key, new)
        return changed

    def _renew_volumes(self) -> None:
        """Have volumes of one's own, about which nothing has been asked."""
        self.signatures.drop(self.volumes)
        self._objects = self._objects.apart(STORAGE)
        self.volumes = Volumes(self._objects)
        self._counts = Counts(self.signatures, len(self.nodes))
        self._owned |= {VOLUMES, *(kind.__name__ for kind in STORAGE)}

    def _revise(self, claims: Iterable[ClaimKey], make_the_change: Callable[[], None]) -> None:
        """Change volumes, and with them what is known of the signatures of pods that use these claims."""
        signatures = [
            *dict.fromkeys(
                signature for claim in claims for signature in self.signatures.signatures_with(claims_of, claim)
            )
        ]
        if not signatures:
            make_the_change()
            return
        self._own("pods")
        nodes = {signature: self.pods.node[self.pods.signature == signature] for signature in signatures}
        for signature in signatures:
            self._counts.take_out(signature, nodes[signature])
        make_the_change()
        self.signatures.refresh(self.volumes, signatures)
        for signature in signatures:
            self._counts.put_back(signature, nodes[signature])


def _on_node(pod: Pod, node: str) -> Pod:
    if pod.spec.nodeName == node:
        return pod
    return replace(pod, spec=replace(pod.spec, nodeName=node))


def _hoping(pod: Pod, node: str) -> Pod:
    if pod.status.nominatedNodeName == node:
        return pod
    return replace(pod, status=replace(pod.status, nominatedNodeName=node))


_RESIZED = ("containerStatuses", "initContainerStatuses", "resources", "allocatedResources")


def _counts_alike(one: Pod, other: Pod) -> bool:
    """Whether the two versions of a pod are one to :meth:`Cluster.info`, but for the objects themselves."""
    known, status = one.status, other.status
    return (
        one.spec == other.spec
        and one.metadata.labels == other.metadata.labels
        and (one.metadata.deletionTimestamp is None) == (other.metadata.deletionTimestamp is None)
        and known.startTime == status.startTime
        and not any(getattr(known, name) or getattr(status, name) for name in _RESIZED)
    )
