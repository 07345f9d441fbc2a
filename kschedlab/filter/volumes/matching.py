"""What would become of a pod's unbound claims on each node: bound to a volume that is there, or a new one made.

v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go (FindPodVolumes, findMatchingVolumes,
checkVolumeProvisions, hasEnoughCapacity), k8s.io/component-helpers storage/volume/pv_helpers.go (FindMatchingVolume).

Where the real scheduler takes the first of equals that a Go map gives, one of the first that were read is taken: of
volumes of the same size, of volumes kept for one claim, and of capacities that are all large enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import CAPACITIES, CLAIMS, CLASSES, CSI_DRIVERS, LABELS, PERSISTENT_VOLUMES
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.volumes import SELECTED_NODE, Volumes, claim_class, claim_names, is_bound, size_of
from kschedlab.filter.volumes.volume_topology import (
    BindableVolumes,
    StorageCapacities,
    allowed_topologies,
    bindable_volumes,
    storage_capacities,
    volume_accessible_nodes,
)
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from kschedlab.objects.selectors import Selector

NO_PROVISIONER = "kubernetes.io/no-provisioner"
REMEMBERED = 16
"""How many pods' matches are kept: the score asks for what the filter has just found."""
SOURCES = (LABELS, PERSISTENT_VOLUMES, CLAIMS, CLASSES, CSI_DRIVERS, CAPACITIES)
"""What they follow from."""


@dataclass(frozen=True, eq=False)
class Matched:
    """A claim's volume on each node. ``choice``: int64[nodes], numbers of the stock's volumes, -1 for none."""

    claim: PersistentVolumeClaim
    stock: BindableVolumes
    choice: IntArray


@dataclass(frozen=True, eq=False)
class Provisioned:
    """A claim that gets a new volume. ``room``: what is reported as free; None if the driver reports nothing.

    ``choice``: int64[nodes], numbers of the room's capacities, -1 where none is needed.
    """

    claim: PersistentVolumeClaim
    room: StorageCapacities | None
    choice: IntArray


@dataclass(frozen=True, eq=False)
class Match:
    """``no_volume``: bool[nodes], where a claim gets no volume; ``no_space``: where there is too little room."""

    no_volume: BoolArray
    no_space: BoolArray
    matched: tuple[Matched, ...]
    provisioned: tuple[Provisioned, ...]


def unbound(pod: Pod, volumes: Volumes) -> list[PersistentVolumeClaim]:
    """The pod's claims that are not bound for good, in the order of its volumes, without those that do not exist."""
    claims = (volumes.claim(pod, name) for name, _ in claim_names(pod))
    return [claim for claim in claims if claim is not None and not is_bound(claim)]


def match(cluster: Cluster, claims: list[PersistentVolumeClaim], checks_storage_capacity: bool = True) -> Match:
    """Find volumes for these claims, whose class waits for the first consumer. O(volumes and capacities + nodes).

    ``checks_storage_capacity``: whether what drivers report as free counts.
    """
    name = ("recent matches", checks_storage_capacity)
    recent: dict[tuple[tuple[str, str], ...], Match] = cluster.derived(name, dict, *SOURCES)
    key = tuple((c.metadata.namespace, c.metadata.name) for c in claims)
    if key not in recent:
        if len(recent) >= REMEMBERED:
            recent.clear()
        recent[key] = _match(cluster, claims, checks_storage_capacity)
    return recent[key]


def _match(cluster: Cluster, claims: list[PersistentVolumeClaim], checks_storage_capacity: bool) -> Match:
    no_volume, no_space = np.zeros((2, len(cluster.nodes)), np.bool_)
    making: list[PersistentVolumeClaim] = []
    finding: list[PersistentVolumeClaim] = []
    for claim in claims:
        chosen = claim.metadata.annotations.get(SELECTED_NODE)
        (finding if chosen is None else making).append(claim)
        if chosen is not None:
            no_volume |= np.array([name != chosen for name in cluster.names], np.bool_)
    matched: list[Matched] = []
    for claim in sorted(finding, key=size_of):
        matched.append(_matched(cluster, claim, matched, len(claims)))
    wanting = [(claim, ~no_volume) for claim in making]
    wanting += [(found.claim, ~no_volume & (found.choice < 0)) for found in matched]
    provisioned = [
        _provisioned(cluster, claim, nodes, no_volume, no_space, checks_storage_capacity) for claim, nodes in wanting
    ]
    return Match(no_volume, no_space, tuple(matched), tuple(provisioned))


# -- volumes that are there


def _matched(cluster: Cluster, claim: PersistentVolumeClaim, before: list[Matched], claims: int) -> Matched:
    """Volumes kept for the claim are taken before all others; then the smallest that fits."""
    stock = bindable_volumes(cluster, claim_class(claim), claims)
    taken = [found.choice for found in before if found.stock is stock]
    choice = np.full(len(cluster.nodes), -1, np.int64)
    undecided = np.ones(len(cluster.nodes), np.bool_)
    for number in stock.reserved.get((claim.metadata.namespace, claim.metadata.name), ()):
        volume = stock.volumes[number]
        if _kept_for(claim, volume) and _could_serve(claim, volume):
            offered = np.logical_and.reduce([undecided, *(chosen != number for chosen in taken)])
            choice[offered & volume_accessible_nodes(cluster, volume)] = number
            undecided &= ~offered
    selector = claim.spec.selector.compile() if claim.spec.selector is not None else Selector()
    modes = frozenset(claim.spec.accessModes)

    def fits(volume: PersistentVolume) -> bool:
        return (
            _could_serve(claim, volume)
            and modes.issubset(volume.spec.accessModes)
            and selector.matches(volume.metadata.labels)
        )

    return Matched(claim, stock, np.maximum(choice, stock.smallest(fits, undecided, taken)))


def _could_serve(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Large enough, of the same mode, with the same attributes."""
    asked, given = claim.spec, volume.spec
    return (
        size_of(volume) >= size_of(claim)
        and asked.volumeMode == given.volumeMode
        and (asked.volumeAttributesClassName or "") == (given.volumeAttributesClassName or "")
    )


def _kept_for(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether a volume that is kept for a claim of that name is kept for this very claim."""
    reference = volume.spec.claimRef
    return reference is not None and reference.uid in ("", claim.metadata.uid)


# -- volumes that would be made


def _provisioned(
    cluster: Cluster,
    claim: PersistentVolumeClaim,
    wanting: BoolArray,
    no_volume: BoolArray,
    no_space: BoolArray,
    checks_storage_capacity: bool,
) -> Provisioned:
    """Where a new volume can be made. The nodes where it can't are added to ``no_volume`` and ``no_space``."""
    found = cluster.volumes.classes[claim_class(claim)]
    wanting = wanting & ~no_volume & ~no_space
    possible = allowed_topologies(cluster, found) & (found.provisioner not in ("", NO_PROVISIONER))
    no_volume |= wanting & ~possible
    wanting &= possible
    choice = np.full(len(wanting), -1, np.int64)
    if not (checks_storage_capacity and _is_tracked(cluster.volumes, claim, found)):
        return Provisioned(claim, None, choice)
    room = storage_capacities(cluster, found.metadata.name)
    choice = room.enough(claim.spec.resources.requests["storage"].value(), wanting)
    no_space |= wanting & (choice < 0)
    return Provisioned(claim, room, choice)


def _is_tracked(volumes: Volumes, claim: PersistentVolumeClaim, found: StorageClass) -> bool:
    driver = volumes.drivers.get(found.provisioner)
    return driver is not None and driver.spec.storageCapacity and "storage" in claim.spec.resources.requests
