"""What would become of a pod's unbound claims on each node: bound to a volume that is there, or a new one made.

v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go (FindPodVolumes, findMatchingVolumes,
checkVolumeProvisions, hasEnoughCapacity), k8s.io/component-helpers storage/volume/pv_helpers.go (FindMatchingVolume).

Where the real scheduler takes the first of equals from a Go map, the one that was read first is taken: of volumes of
the same size, of volumes reserved for one claim, and of capacities that are all large enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.kinds import BoolArray, IntArray
from kschedlab.cluster.reach import Offers, allowed, capacities_of, first_offers, volumes_of
from kschedlab.cluster.volumes import SELECTED_NODE, Volumes, claim_class, claim_names, is_bound, size_of
from kschedlab.objects.model import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from kschedlab.objects.selectors import Selector

NO_PROVISIONER = "kubernetes.io/no-provisioner"
REMEMBERED = 16
"""How many pods' matches are kept: the score asks for what the filter has just found."""


@dataclass(frozen=True, eq=False)
class Matched:
    """A claim's volume on each node. ``choice``: int64[nodes], numbers of ``volumes``, -1 for none."""

    claim: PersistentVolumeClaim
    volumes: Offers[PersistentVolume]
    choice: IntArray


@dataclass(frozen=True, eq=False)
class Provisioned:
    """A claim that gets a new volume. ``choice``: int64[nodes], numbers of ``capacities``, -1 where none is needed."""

    claim: PersistentVolumeClaim
    capacities: Offers[CSIStorageCapacity]
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


def match(cluster: Cluster, claims: list[PersistentVolumeClaim], capacity_checked: bool = True) -> Match:
    """Find volumes for these claims, whose class waits for the first consumer. O(volumes and capacities + nodes).

    ``capacity_checked``: whether what drivers report as free counts.
    """
    recent: dict[tuple[tuple[str, str], ...], Match] = cluster.fact(("recent matches", capacity_checked), dict)
    key = tuple((c.metadata.namespace, c.metadata.name) for c in claims)
    if key not in recent:
        if len(recent) >= REMEMBERED:
            recent.clear()
        recent[key] = _match(cluster, claims, capacity_checked)
    return recent[key]


def _match(cluster: Cluster, claims: list[PersistentVolumeClaim], capacity_checked: bool) -> Match:
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
        matched.append(_matched(cluster, claim, matched))
    wanting = [(claim, ~no_volume) for claim in making]
    wanting += [(found.claim, ~no_volume & (found.choice < 0)) for found in matched]
    provisioned = [
        _provisioned(cluster, claim, nodes, no_volume, no_space, capacity_checked) for claim, nodes in wanting
    ]
    return Match(no_volume, no_space, tuple(matched), tuple(provisioned))


# -- volumes that are there


def _matched(cluster: Cluster, claim: PersistentVolumeClaim, before: list[Matched]) -> Matched:
    """Volumes reserved for the claim are taken before all others; then the smallest that fits."""
    volumes = volumes_of(cluster, claim_class(claim))
    fitting = [number for number, (volume, _) in enumerate(volumes) if _could_serve(claim, volume)]
    reserved = [number for number in fitting if volumes[number][0].spec.claimRef is not None]
    taken = [found.choice for found in before if found.volumes is volumes]
    choice = np.full(len(cluster.nodes), -1, np.int64)
    wanting = np.ones(len(cluster.nodes), np.bool_)
    for number in reserved:
        offered = np.logical_and.reduce([wanting, *(chosen != number for chosen in taken)])
        choice = np.where(offered, first_offers(volumes, [number], offered), choice)
        wanting &= ~offered
    free = [number for number in fitting if volumes[number][0].spec.claimRef is None]
    selector = _selector(claim)
    free = [number for number in free if _is_free(claim, volumes[number][0], selector)]
    free.sort(key=lambda number: size_of(volumes[number][0]))
    return Matched(claim, volumes, np.maximum(choice, first_offers(volumes, free, wanting, taken)))


def _could_serve(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Large enough, of the same mode and attributes, not being deleted, and not reserved for another claim."""
    asked, given = claim.spec, volume.spec
    return (
        (given.claimRef is None or _reserved_for(claim, volume))
        and size_of(volume) >= size_of(claim)
        and asked.volumeMode == given.volumeMode
        and (asked.volumeAttributesClassName or "") == (given.volumeAttributesClassName or "")
        and volume.metadata.deletionTimestamp is None
    )


def _reserved_for(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    to, mine = volume.spec.claimRef, claim.metadata
    return (
        to is not None and (to.name, to.namespace) == (mine.name, mine.namespace) and (not to.uid or to.uid == mine.uid)
    )


def _is_free(claim: PersistentVolumeClaim, volume: PersistentVolume, selector: Selector) -> bool:
    return (
        volume.status.phase == "Available"
        and selector.matches(volume.metadata.labels)
        and set(claim.spec.accessModes) <= set(volume.spec.accessModes)
    )


def _selector(claim: PersistentVolumeClaim) -> Selector:
    return claim.spec.selector.compile() if claim.spec.selector is not None else Selector()


# -- volumes that would be made


def _provisioned(
    cluster: Cluster,
    claim: PersistentVolumeClaim,
    wanting: BoolArray,
    no_volume: BoolArray,
    no_space: BoolArray,
    capacity_checked: bool,
) -> Provisioned:
    """Where a new volume can be made. The nodes where it can't are added to ``no_volume`` and ``no_space``."""
    found = cluster.volumes.classes[claim_class(claim)]
    wanting = wanting & ~no_volume & ~no_space
    possible = allowed(cluster, found) & (found.provisioner not in ("", NO_PROVISIONER))
    no_volume |= wanting & ~possible
    wanting &= possible
    choice = np.full(len(wanting), -1, np.int64)
    if not (capacity_checked and _is_tracked(cluster.volumes, claim, found)):
        return Provisioned(claim, (), choice)
    capacities = capacities_of(cluster, found.metadata.name)
    enough = [number for number, (capacity, _) in enumerate(capacities) if _suffices(capacity, claim)]
    choice = first_offers(capacities, enough, wanting)
    no_space |= wanting & (choice < 0)
    return Provisioned(claim, capacities, choice)


def _is_tracked(volumes: Volumes, claim: PersistentVolumeClaim, found: StorageClass) -> bool:
    driver = volumes.drivers.get(found.provisioner)
    return driver is not None and driver.spec.storageCapacity and "storage" in claim.spec.resources.requests


def _suffices(capacity: CSIStorageCapacity, claim: PersistentVolumeClaim) -> bool:
    limit = capacity.capacity if capacity.maximumVolumeSize is None else capacity.maximumVolumeSize
    return limit is not None and limit.value() >= claim.spec.resources.requests["storage"].value()
