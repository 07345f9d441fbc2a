"""VolumeRestrictions: does another pod already use a disk or claim that pods can't share?

Disks are checked on the node, ReadWriteOncePod claims in the whole cluster. Evicting the other pod helps.
v1.37: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.clues import Clue
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.queries import Sum
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.volumes import not_found
from kschedlab.filter.plugin import PodsFilter, PreFilterRejection, Refusal, Refusals, first_of
from kschedlab.objects.model import Pod

DISK_TAKEN = "node(s) had no available disk"
CLAIM_TAKEN = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
CLAIM_TAKEN_BEFORE = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
ONE_POD = "ReadWriteOncePod"


class Disk(NamedTuple):
    """A disk that a pod mounts without a claim. Two pods on a node can share it only if both mount it read-only."""

    source: str
    name: tuple[str, ...]
    read_only: bool

    def conflicts(self) -> tuple[Disk, ...]:
        writes = self._replace(read_only=False)
        return (writes,) if self.read_only else (writes, self._replace(read_only=True))


def disks(pod: Pod) -> Iterator[Disk]:
    """The disks that the pod mounts. An RBD image counts once for each monitor: one in common is a conflict."""
    for volume in pod.spec.volumes:
        if (gce := volume.gcePersistentDisk) is not None:
            yield Disk("gcePersistentDisk", (gce.pdName,), gce.readOnly)
        if (ebs := volume.awsElasticBlockStore) is not None:
            yield Disk("awsElasticBlockStore", (ebs.volumeID,), False)
        if (iscsi := volume.iscsi) is not None:
            yield Disk("iscsi", (iscsi.iqn,), iscsi.readOnly)
        if (rbd := volume.rbd) is not None:
            for monitor in rbd.monitors:
                yield Disk("rbd", (monitor, rbd.pool, rbd.image), rbd.readOnly)


def disks_of(signature: Signature) -> Iterator[Disk]:
    return disks(signature.example)


def claims(pod: Pod) -> Iterator[str]:
    """The claims that the pod's volumes name, without those of ephemeral volumes."""
    return (v.persistentVolumeClaim.claimName for v in pod.spec.volumes if v.persistentVolumeClaim is not None)


def claims_of(signature: Signature) -> Iterator[str]:
    """The names of the claims of every pod with the signature, one for each volume, without their namespace."""
    return claims(signature.example)


def keys_of(signature: Signature) -> Iterator[tuple[str, str]]:
    """The (namespace, name) of the claims of every pod with the signature."""
    return ((signature.namespace, name) for name in claims(signature.example))


@dataclass(frozen=True)
class Lists:
    """PodQuery: how often does the function ``extract`` list the item, such as a disk, for the pod?"""

    extract: Callable[[Signature], Iterator[object]]
    item: Hashable

    def of(self, signature: Signature) -> int:
        return list(self.extract(signature)).count(self.item)

    @property
    def clues(self) -> tuple[Clue, ...]:
        return (Clue(self.extract, (self.item,)),)


@dataclass(frozen=True)
class VolumeRestrictions:
    """``claim_taken``: the reason (another in v1.32: the same file).

    Named rule ``checks_read_write_once_pod``: ReadWriteOncePod claims are checked, too (not in v1.20: the same file).
    """

    name: str = "VolumeRestrictions"
    checks_read_write_once_pod: bool = True
    claim_taken: str = CLAIM_TAKEN

    def prepare(self, pod: PodInfo, cluster: Cluster) -> RestrictionsCheck | PreFilterRejection | None:
        if not pod.pod.spec.volumes:
            return None
        exclusive = []
        for name in dict.fromkeys(claims(pod.pod)) if self.checks_read_write_once_pod else ():
            claim = cluster.volumes.claim(pod.pod, name)
            if claim is None:
                return PreFilterRejection(self.name, (not_found("persistentvolumeclaim", name),))
            if ONE_POD in claim.spec.accessModes:
                exclusive.append(name)
        conflicting = {mount: None for disk in disks(pod.pod) for mount in disk.conflicts()}
        namespace = pod.pod.metadata.namespace
        in_use = sum(bool(cluster.count(Lists(keys_of, (namespace, name))).any()) for name in exclusive)
        if not conflicting and not in_use:
            return None
        mounting = Sum(tuple((Lists(disks_of, mount), 1) for mount in conflicting))
        sharers = Sum(tuple((Lists(claims_of, name), 1) for name in exclusive))
        return RestrictionsCheck(mounting, sharers, in_use, self.claim_taken)


@dataclass(frozen=True)
class RestrictionsCheck(PodsFilter):
    """``conflicting``: how many mounts conflict with the pod's.

    ``sharers``: how many claims have the same name as a ReadWriteOncePod claim of the pod;
    ``in_use``: how many of those claims running pods use. As in the real scheduler, hypothetically added or removed
    pods change that number by the names of their claims, in any namespace.
    """

    conflicting: Sum
    sharers: Sum
    in_use: int
    claim_taken: str

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        mounted = snapshot.count(self.conflicting)
        used = np.full(len(mounted), self.in_use, np.int64) + snapshot.overlay_count(self.sharers)
        disk = Refusal(mounted > 0, DISK_TAKEN, terms={"pods with the disk": mounted})
        return first_of([disk, Refusal(used > 0, self.claim_taken, terms={"claims in use": used})])
