"""A pod's unbound claims on each node: which existing volume each binds to, or whether a new one can be provisioned.

v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go (FindPodVolumes, findMatchingVolumes,
checkVolumeProvisions, hasEnoughCapacity), k8s.io/component-helpers storage/volume/pv_helpers.go (FindMatchingVolume).

Among equals the real scheduler takes the first in a Go map's random order; here the first by arrival is taken: of
volumes of the same size, of volumes reserved for one claim, and of capacities that are all large enough.
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
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod
from kschedlab.objects.selectors import Selector

NO_PROVISIONER = "kubernetes.io/no-provisioner"
KEPT_MATCHES = 16
"""The number of pods whose matches are kept: the score needs what the filter has just computed."""
SOURCES = (LABELS, PERSISTENT_VOLUMES, CLAIMS, CLASSES, CSI_DRIVERS, CAPACITIES)
"""Sources of the matches."""


@dataclass(frozen=True, eq=False)
class MatchedVolume:
    """A claim's volume on each node. ``choice``: int64[nodes], numbers of the candidates, -1 for none."""

    claim: PersistentVolumeClaim
    candidates: BindableVolumes
    choice: IntArray


@dataclass(frozen=True, eq=False)
class ProvisionedVolume:
    """A claim that gets a new volume. ``capacities``: None if the driver reports none.

    ``choice``: int64[nodes], numbers of the capacities, -1 where none is needed.
    """

    claim: PersistentVolumeClaim
    capacities: StorageCapacities | None
    choice: IntArray


@dataclass(frozen=True, eq=False)
class Match:
    """``no_volume``: bool[nodes], where a claim gets no volume; ``no_space``: where the free capacity is too small."""

    no_volume: BoolArray
    no_space: BoolArray
    matched: tuple[MatchedVolume, ...]
    provisioned: tuple[ProvisionedVolume, ...]


def unbound(pod: Pod, volumes: Volumes) -> list[PersistentVolumeClaim]:
    """The pod's existing claims whose binding is not complete, in the order of its volumes."""
    claims = (volumes.claim(pod, name) for name, _ in claim_names(pod))
    return [claim for claim in claims if claim is not None and not is_bound(claim)]


def match(cluster: Cluster, claims: list[PersistentVolumeClaim], checks_storage_capacity: bool = True) -> Match:
    """Find volumes for claims whose class waits for the first consumer. O(volumes and capacities + nodes).

    ``checks_storage_capacity``: whether the free capacity that drivers report counts.
    """
    name = ("recent matches", checks_storage_capacity)
    recent: dict[tuple[tuple[str, str], ...], Match] = cluster.derived(name, dict, *SOURCES)
    key = tuple((c.metadata.namespace, c.metadata.name) for c in claims)
    if key not in recent:
        if len(recent) >= KEPT_MATCHES:
            recent.clear()
        recent[key] = _match(cluster, claims, checks_storage_capacity)
    return recent[key]


def _match(cluster: Cluster, claims: list[PersistentVolumeClaim], checks_storage_capacity: bool) -> Match:
    no_volume, no_space = np.zeros((2, len(cluster.nodes)), np.bool_)
    to_match: list[PersistentVolumeClaim] = []
    for claim in claims:
        selected = claim.metadata.annotations.get(SELECTED_NODE)
        if selected is None:
            to_match.append(claim)
        else:
            no_volume |= np.array([name != selected for name in cluster.names], np.bool_)
    matched: list[MatchedVolume] = []
    for claim in sorted(to_match, key=size_of):
        matched.append(_matched(cluster, claim, matched, len(claims)))
    to_provision = [(claim, ~no_volume) for claim in claims if SELECTED_NODE in claim.metadata.annotations]
    to_provision += [(each.claim, ~no_volume & (each.choice < 0)) for each in matched]
    provisioned = [
        _provisioned(cluster, claim, nodes, no_volume, no_space, checks_storage_capacity)
        for claim, nodes in to_provision
    ]
    return Match(no_volume, no_space, tuple(matched), tuple(provisioned))


# -- existing volumes


def _matched(
    cluster: Cluster, claim: PersistentVolumeClaim, earlier: list[MatchedVolume], claims: int
) -> MatchedVolume:
    """First volumes reserved for the claim, then the smallest volume that fits."""
    candidates = bindable_volumes(cluster, claim_class(claim), claims)
    taken = [other.choice for other in earlier if other.candidates is candidates]
    choice = np.full(len(cluster.nodes), -1, np.int64)
    undecided = np.ones(len(cluster.nodes), np.bool_)
    for number in candidates.reserved.get((claim.metadata.namespace, claim.metadata.name), ()):
        volume = candidates.volumes[number]
        reference = volume.spec.claimRef  # names the claim; its uid may be that of an earlier one
        if reference is not None and reference.uid in ("", claim.metadata.uid) and _is_suitable(claim, volume):
            offered = np.logical_and.reduce([undecided, *(chosen != number for chosen in taken)])
            choice[offered & volume_accessible_nodes(cluster, volume)] = number
            undecided &= ~offered
    selector = claim.spec.selector.compile() if claim.spec.selector is not None else Selector()
    modes = frozenset(claim.spec.accessModes)

    def fits(volume: PersistentVolume) -> bool:
        has_modes = modes.issubset(volume.spec.accessModes)
        return has_modes and _is_suitable(claim, volume) and selector.matches(volume.metadata.labels)

    return MatchedVolume(claim, candidates, np.maximum(choice, candidates.smallest(fits, undecided, taken)))


def _is_suitable(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    wanted, offered = claim.spec, volume.spec
    same_class = (wanted.volumeAttributesClassName or "") == (offered.volumeAttributesClassName or "")
    return size_of(volume) >= size_of(claim) and wanted.volumeMode == offered.volumeMode and same_class


# -- new volumes


def _provisioned(
    cluster: Cluster,
    claim: PersistentVolumeClaim,
    nodes: BoolArray,
    no_volume: BoolArray,
    no_space: BoolArray,
    checks_storage_capacity: bool,
) -> ProvisionedVolume:
    """The nodes where a new volume can be provisioned; the others are added to ``no_volume`` or ``no_space``."""
    storage_class = cluster.volumes.classes[claim_class(claim)]
    nodes = nodes & ~no_volume & ~no_space
    possible = allowed_topologies(cluster, storage_class) & (storage_class.provisioner not in ("", NO_PROVISIONER))
    no_volume |= nodes & ~possible
    nodes &= possible
    choice = np.full(len(nodes), -1, np.int64)
    driver = cluster.volumes.drivers.get(storage_class.provisioner)
    reports = checks_storage_capacity and driver is not None and driver.spec.storageCapacity
    if not reports or "storage" not in claim.spec.resources.requests:
        return ProvisionedVolume(claim, None, choice)
    capacities = storage_capacities(cluster, storage_class.metadata.name)
    choice = capacities.enough(claim.spec.resources.requests["storage"].value(), nodes)
    no_space |= nodes & (choice < 0)
    return ProvisionedVolume(claim, capacities, choice)
