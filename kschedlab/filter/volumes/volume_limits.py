"""Limits of the volumes on a node, whatever their kind: the distinct volumes of each node, and the check.

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (Filter, filterAttachableVolumes); v1.30: the same
folder, non_csi.go (Filter, filterVolumes). The plugins always report that evicting pods can help.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kschedlab.cluster.clues import VOLUMES as WITH_VOLUMES, Clue
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.volumes import Volumes, claim_name, not_found, ownership_error
from kschedlab.filter.plugin import Refusal, Refusals, first_of
from kschedlab.objects.model import PersistentVolumeClaim, Pod, Volume

if TYPE_CHECKING:
    from kschedlab.cluster.volume_answers import VolumeTable

NO_LIMIT = np.iinfo(np.int64).max
VOLUME_NUMBERS = 1 << 32
NO_NAME = "PersistentVolumeClaim had no name"
TOO_MANY_VOLUMES = "node(s) exceed max volume count"


class VolumeProblem(NamedTuple):
    """Why a pod's volumes can't be counted. ``missing``: a claim does not exist, which matters only for a new pod.

    ``migrated``: it applies only to nodes with a CSINode.
    """

    message: str
    missing: bool = False
    migrated: bool = False


def claim_of(
    pod: Pod, volume: Volume, volumes: Volumes, checks_claims: bool
) -> PersistentVolumeClaim | VolumeProblem | None:
    """The claim that the pod's volume names, a problem with it, or None without one.

    ``checks_claims``: generic ephemeral volumes have claims, too, and a claim that does not exist is a problem.
    """
    named = claim_name(pod, volume)
    if named is None or (named.ephemeral and not checks_claims):
        return None
    if not named.name:
        return VolumeProblem(NO_NAME)
    claim = volumes.claim(pod, named.name)
    if claim is None and checks_claims:
        missing = not_found("persistentvolumeclaim", named.name)
        return VolumeProblem(f"looking up PVC {pod.metadata.namespace}/{named.name}: {missing}", missing=True)
    if claim is not None and named.ephemeral and (fault := ownership_error(pod, claim)):
        return VolumeProblem(fault)
    return claim


def placeholder(namespace: str, claim: str) -> str:
    return f"\0{namespace}/{claim}"


class VolumeKind(Protocol):
    """A kind of volumes, which have a limit together."""

    def names(self, pod: Pod, volumes: Volumes) -> Iterator[str | VolumeProblem]:
        """The names of the pod's volumes of this kind, and problems with its volumes, in their order."""


@dataclass(frozen=True)
class DistinctVolumes:
    """PodQuery: how many volumes of the kind does the pod use?"""

    kind: VolumeKind
    volumes: Volumes
    clues: tuple[Clue, ...] = WITH_VOLUMES

    def handles(self, signature: Signature) -> frozenset[str]:
        return frozenset(each for each in self.kind.names(signature.example, self.volumes) if isinstance(each, str))

    def of(self, signature: Signature) -> int:
        return len(self.handles(signature))


@dataclass(frozen=True)
class HasVolumeProblem:
    """PodQuery: do problems keep the pod's volumes from being counted? That is an error on its node."""

    kind: VolumeKind
    volumes: Volumes
    clues: tuple[Clue, ...] = WITH_VOLUMES

    def messages(self, signature: Signature) -> Iterator[str]:
        """The problems of every pod with the signature, except claims that don't exist."""
        names = self.kind.names(signature.example, self.volumes)
        return (each.message for each in names if isinstance(each, VolumeProblem) and not each.missing)

    def of(self, signature: Signature) -> int:
        return int(any(True for _ in self.messages(signature)))


class AttachedCounts:
    """The number of volumes of one kind on each node. Volumes on nodes are numbers: ``node * VOLUME_NUMBERS + volume``.

    ``attached``: volumes attached in addition to those that pods use, as (position of the node, name) pairs.
    """

    def __init__(self, query: DistinctVolumes, cluster: Cluster, attached: Iterable[tuple[int, str]] = ()) -> None:
        self.query = query
        self._attached = sorted(set(attached))
        nodes = np.array([node for node, _ in self._attached], np.int64)
        self._attached_on = np.bincount(nodes, minlength=len(cluster.nodes))
        self._numbered: tuple[VolumeTable, IntArray] | None = None

    def upper_bound(self, snapshot: Snapshot) -> IntArray:
        """int64[nodes]: how many volumes each node has if no two pods share one; uses the kept counts."""
        return snapshot.count(self.query) + self._attached_on

    def counts(self, snapshot: Snapshot, nodes: BoolArray, wanted: Sequence[str]) -> tuple[IntArray, IntArray]:
        """(int64[nodes]: how many volumes each of ``nodes`` has, int64[nodes]: how many wanted volumes are new there).

        A wanted volume is new unless a pod on the node uses it; as in the real scheduler, a volume that is attached
        without a pod counts in both. O(volumes on those nodes).
        """
        from kschedlab.cluster.volume_answers import volume_table  # few nodes are nearly full

        table = volume_table(snapshot.cluster.signatures, self.query)
        used = self._used(snapshot, nodes, table)
        size = len(nodes)
        attached = self._attached_numbers(table)
        unused = attached[~_is_in(attached, used)]
        total = np.bincount(used // VOLUME_NUMBERS, minlength=size)
        total += np.bincount(unused // VOLUME_NUMBERS, minlength=size)
        is_wanted = np.isin(used % VOLUME_NUMBERS, [table.number(handle) for handle in wanted])
        return total, len(wanted) - np.bincount(used[is_wanted] // VOLUME_NUMBERS, minlength=size)

    def _attached_numbers(self, table: VolumeTable) -> IntArray:
        if self._numbered is None or self._numbered[0] is not table:
            numbers = [node * VOLUME_NUMBERS + table.number(handle) for node, handle in self._attached]
            self._numbered = table, np.sort(np.array(numbers, np.int64))
        return self._numbered[1]

    def _used(self, snapshot: Snapshot, nodes: BoolArray, table: VolumeTable) -> IntArray:
        """int64[]: the volumes that the pods on these nodes use, each once, sorted."""
        pods = snapshot.cluster.pods
        there = pods.live() & nodes[pods.node]
        columns = [(pods.node[there], pods.signature[there], np.ones(int(there.sum()), np.int64))]
        columns += [(overlay.node, overlay.signature, overlay.weight) for overlay in snapshot.overlays]
        node, signature, weight = (np.concatenate(column) for column in zip(*columns, strict=True))
        length, numbers = table.of(signature)
        on_node = np.repeat(node, length) * VOLUME_NUMBERS + numbers
        distinct, index = np.unique(on_node, return_inverse=True)
        uses = np.bincount(index, weights=np.repeat(weight, length), minlength=len(distinct))
        return distinct[(uses > 0) & nodes[distinct // VOLUME_NUMBERS]]


def _is_in(some: IntArray, ordered: IntArray) -> BoolArray:
    """bool[]: which numbers are in the sorted array."""
    return np.searchsorted(ordered, some, "right") > np.searchsorted(ordered, some, "left")


@dataclass(frozen=True, eq=False)
class Count:
    """``wanted``: the pod's volumes of one kind; ``limits``: int64[nodes], NO_LIMIT where they don't count."""

    attached: AttachedCounts
    wanted: tuple[str, ...]
    limits: IntArray


@dataclass(frozen=True, eq=False)
class LimitsCheck:
    """``static_parts``: refusals that don't depend on pods. ``problems``: queries, with the nodes that each is about.

    ``only_new_volumes``: a node that already has all wanted volumes passes, even above its limit.
    """

    static_parts: tuple[Refusal, ...]
    problems: tuple[tuple[HasVolumeProblem, BoolArray], ...]
    counts: tuple[Count, ...]
    only_new_volumes: bool = True
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True

    @property
    def monotonic(self) -> bool:
        """If only new volumes count, an added pod can bring a wanted volume, which is then no longer new."""
        return not self.only_new_volumes

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Nodes with more volumes than a limit. Recounted only where the upper bound exceeds it."""
        parts = [*self.static_parts]
        for query, nodes in self.problems:
            has_problem = nodes & (snapshot.count(query) > 0)
            if has_problem.any():
                message = next(iter(snapshot.cluster.signatures.extracted(query.messages)))
                parts.append(Refusal(has_problem, message, error=True))
        for count in self.counts:
            limits, wanted = count.limits, count.wanted
            possibly_full = count.attached.upper_bound(snapshot) > limits - len(wanted)
            if possibly_full.any():
                attached, new = count.attached.counts(snapshot, possibly_full, wanted)
                over = possibly_full & (attached > limits - new)
                if self.only_new_volumes:
                    over &= new > 0
                parts.append(Refusal(over, TOO_MANY_VOLUMES, terms={"attached": attached, "new": new, "limit": limits}))
        return first_of(parts)


def problem_part(problem: VolumeProblem, nodes: BoolArray, missing_is_error: bool) -> Refusal:
    is_error = missing_is_error or not problem.missing
    return Refusal(nodes, problem.message, not is_error, error=is_error)
