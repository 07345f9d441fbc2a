"""The volumes and claims as they will be once a pod is on its node: what Reserve assumes and PreBind writes.

v1.37: pkg/scheduler/framework/plugins/volumebinding/binder.go (FindPodVolumes, AssumePodVolumes) and
k8s.io/component-helpers storage/volume/pv_helpers.go (GetBindVolumeToClaim).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.object_store import key_of
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.volumes import SELECTED_NODE, claim_names, is_bound
from kschedlab.filter.volumes.matching import match, unbound
from kschedlab.objects.model import ApiObject, PersistentVolume, PersistentVolumeClaim
from kschedlab_simulation.volume_claims import reserved_for


class VolumeError(Exception):
    """The pod's volumes cannot be assumed or bound. The message is the real binder's."""


@dataclass(frozen=True)
class PodVolumes:
    """The filter's result for a pod's claims on one node: static bindings (volume, claim), and claims to provision."""

    bindings: tuple[tuple[PersistentVolume, PersistentVolumeClaim], ...] = ()
    provisions: tuple[PersistentVolumeClaim, ...] = ()


@dataclass(frozen=True)
class AssumedVolumes:
    """The objects that PreBind writes, in this order: volumes with a claimRef, then claims with their selected node.

    ``all_bound``: all claims are bound, so PreBind has nothing to do. ``for_claims``: the claims of the volumes, in
    the same order. ``changed``: the objects that differ from the observed versions.
    """

    all_bound: bool = False
    volumes: tuple[PersistentVolume, ...] = ()
    for_claims: tuple[PersistentVolumeClaim, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    changed: tuple[ApiObject, ...] = ()

    @property
    def documents(self) -> tuple[ApiObject, ...]:
        """All objects to write."""
        return (*self.volumes, *self.claims)


def pod_volumes(cluster: Cluster, pod: PodInfo, node: str, checks_storage_capacity: bool) -> PodVolumes:
    """The volumes that the filter matches to the pod's claims on the node. VolumeError if it rejects the node."""
    unbound_claims = unbound(pod.pod, cluster.volumes) if pod.pod.spec.volumes else []
    if not unbound_claims:
        return PodVolumes()
    result, place = match(cluster, unbound_claims, checks_storage_capacity), cluster.index.get(node)
    if place is None or result.no_volume[place] or result.no_space[place]:
        raise VolumeError(f"pod {pod.key} finds no volumes on node {node!r}")
    chosen = [(each, int(each.choice[place])) for each in result.matched]
    bindings = tuple((each.candidates.volumes[number], each.claim) for each, number in chosen if number >= 0)
    served = {key_of(claim) for _, claim in bindings}
    return PodVolumes(bindings, tuple(p.claim for p in result.provisioned if key_of(p.claim) not in served))


def assumed_versions(cluster: Cluster, pod: PodInfo, matched: PodVolumes, node: str) -> AssumedVolumes:
    """The volumes with their claimRef set, and the claims with the node as their selected node."""
    claims = (cluster.volumes.claim(pod.pod, name) for name, _ in claim_names(pod.pod))
    if all(claim is not None and is_bound(claim) for claim in claims):
        return AssumedVolumes(all_bound=True)
    volumes = tuple(reserved_for(volume, claim) for volume, claim in matched.bindings)
    provisions = tuple(_annotated(claim, SELECTED_NODE, node) for claim in matched.provisions)
    dirty = (new for new, (old, _) in zip(volumes, matched.bindings, strict=True) if new is not old)
    return AssumedVolumes(
        False, volumes, tuple(claim for _, claim in matched.bindings), provisions, (*dirty, *provisions)
    )


def _annotated(document: Any, key: str, value: str) -> Any:
    annotations = document.metadata.annotations | {key: value}
    return replace(document, metadata=replace(document.metadata, annotations=annotations))
