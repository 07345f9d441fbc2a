"""VolumeBinding: can the pod's claims be bound, and their volumes be used, on the node?

A bound claim's volume must be usable on the node. A claim that waits for its first consumer must match an existing
volume, or its class must be able to provision one. All other claims must already be bound. Evicting pods can't help.
v1.37: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go and binder.go; v1.20: the same folder and
pkg/controller/volume/scheduling/scheduler_binder.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.volumes import SELECTED_NODE, Volumes, claim_names, is_bound, not_found, ownership_error
from kschedlab.filter.node_affinity import common_values
from kschedlab.filter.plugin import PreFilterRejection, Refusal, Refusals, SchedulingError, StaticFilter
from kschedlab.filter.volumes.csi_migration import CINDER, CLOUD_DISKS, MigrationError, in_tree, translated_affinity
from kschedlab.filter.volumes.matching import match, unbound
from kschedlab.filter.volumes.volume_topology import accessible_nodes, migrated_nodes, volume_accessible_nodes
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod

NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
NODE_CONFLICT_BEFORE = "node(s) had volume node affinity conflict"
BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_SPACE = "node(s) did not have enough free storage"
VOLUME_MISSING_BEFORE = "pvc(s) bound to non-existent pv(s)"
VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"


@dataclass(frozen=True)
class VolumeBinding:
    """``conflict``, ``missing``: its reasons where a claim's volume can't be used, or does not exist. Named rules:

    ``translates``: in-tree plugins; where a CSI driver has replaced one, its volumes are read as the driver's.
    Portworx is not among them: its volumes keep their affinity.
    ``checks_storage_capacity``: a new volume must fit in the capacity that its driver reports, if it reports any.
    ``rejects_lost_claims``: a claim whose volume is lost rejects the pod.
    ``explains_ephemeral_claims``: the reason names the ephemeral volume's controller, or the pod that owns the claim.
    ``names_local_nodes``: PreFilter leaves only the nodes that a local volume names, by their labels (v1.28: binder.go,
    GetEligibleNodes).
    ``checks_claims_in_pre_filter``: claims that are missing or should be bound by now reject the pod before any node is
    checked; else they, and missing volumes, are errors on the nodes checked (v1.16, v1.13:
    pkg/scheduler/algorithm/predicates/predicates.go, VolumeBindingChecker).
    ``claims_with_selected_node_wait``: a claim with a selected node still waits for its pod; else it should be bound by
    now (v1.13: pkg/controller/volume/persistentvolume/pv_controller.go, shouldDelayBinding).
    """

    name: str = "VolumeBinding"
    translates: tuple[str, ...] = (*CLOUD_DISKS, CINDER)
    checks_storage_capacity: bool = True
    rejects_lost_claims: bool = True
    explains_ephemeral_claims: bool = True
    checks_claims_in_pre_filter: bool = True
    claims_with_selected_node_wait: bool = True
    names_local_nodes: bool = False
    conflict: str = NODE_CONFLICT
    missing: str = VOLUME_MISSING

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | PreFilterRejection | None:
        """Skips a pod without claims. Rejects one with a claim that is missing, lost, deleted or late."""
        claims = list(claim_names(pod.pod)) if pod.pod.spec.volumes else []
        if not claims:
            return None
        volumes = cluster.volumes
        for name, ephemeral in claims:
            if error := _claim_error(pod.pod, name, ephemeral, volumes, self):
                return self._refused_everywhere(cluster, error)
        waiting = unbound(pod.pod, volumes)
        for claim in waiting:
            chosen = SELECTED_NODE in claim.metadata.annotations and not self.claims_with_selected_node_wait
            if claim.spec.volumeName or chosen or not volumes.waits_for_first_consumer(claim):
                return self._refused_everywhere(cluster, UNBOUND_IMMEDIATE)
        existing = [volumes.claim(pod.pod, name) for name, _ in claims]
        bound = [claim for claim in existing if claim is not None and is_bound(claim)]
        parts = _bound_parts(cluster, bound, self)
        if waiting:
            matches = match(cluster, waiting, self.checks_storage_capacity)
            parts.append(Refusal(matches.no_volume, BIND_CONFLICT, True))
            parts.append(Refusal(matches.no_space, NOT_ENOUGH_SPACE, True))
        parts = [part for part in parts if part.mask.any()]
        names = _local_nodes(bound, volumes) if self.names_local_nodes else None
        refused = Refusals(parts) if parts else None
        return StaticFilter(refused, names) if parts or names is not None else None

    def _refused_everywhere(self, cluster: Cluster, error: str) -> StaticFilter | PreFilterRejection:
        if self.checks_claims_in_pre_filter:
            return PreFilterRejection(self.name, (error,))
        return StaticFilter(Refusals([Refusal(np.ones(len(cluster.nodes), np.bool_), error, error=True)]))


VOLUME_BINDING_1_20 = VolumeBinding(
    translates=(),
    checks_storage_capacity=False,
    rejects_lost_claims=False,
    explains_ephemeral_claims=False,
    conflict=NODE_CONFLICT_BEFORE,
    missing=VOLUME_MISSING_BEFORE,
)


def _local_nodes(claims: Sequence[PersistentVolumeClaim], volumes: Volumes) -> frozenset[str] | None:
    """The labels kubernetes.io/hostname that all local volumes require, which count as names; None without any."""
    found: frozenset[str] | None = None
    for claim in claims:
        volume = volumes.volumes.get(claim.spec.volumeName)
        if volume is None:
            return None
        affinity = volume.spec.nodeAffinity
        terms = affinity.required.nodeSelectorTerms if affinity is not None and affinity.required is not None else ()
        hosts = (common_values(term.matchExpressions, "kubernetes.io/hostname") for term in terms)
        names = frozenset(name for values in hosts for name in values or ())
        if names:
            found = names if found is None else found & names
    return found


def check_claims(pod: Pod, volumes: Volumes) -> None:
    """SchedulingError before any filter runs if a claim of the pod is missing or being deleted.

    v1.16, v1.13: pkg/scheduler/core/generic_scheduler.go, podPassesBasicChecks.
    """
    plugin = VolumeBinding(rejects_lost_claims=False)
    for each in claim_names(pod) if pod.spec.volumes else ():
        if error := _claim_error(pod, *each, volumes, plugin):
            raise SchedulingError(error)


def _claim_error(pod: Pod, name: str, ephemeral: bool, volumes: Volumes, plugin: VolumeBinding) -> str:
    """Why this claim keeps the pod from being scheduled on any node, or ""."""
    claim = volumes.claim(pod, name)
    if claim is None and ephemeral and plugin.explains_ephemeral_claims:
        return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
    if claim is None:
        return not_found("persistentvolumeclaim", name)
    if plugin.rejects_lost_claims and claim.status.phase == "Lost":
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{claim.spec.volumeName}"'
    if claim.metadata.deletionTimestamp is not None:
        return f'persistentvolumeclaim "{name}" is being deleted'
    fault = ownership_error(pod, claim) if ephemeral else ""
    if fault and not plugin.explains_ephemeral_claims:
        return f'persistentvolumeclaim "{name}" was not created for the pod'
    return fault


def _bound_parts(cluster: Cluster, claims: Sequence[PersistentVolumeClaim], plugin: VolumeBinding) -> list[Refusal]:
    """On each node the first of the bound claims that fails decides."""
    undecided = np.ones(len(cluster.nodes), np.bool_)
    conflict, missing = np.zeros((2, len(cluster.nodes)), np.bool_)
    errors = []
    for claim in claims:
        volume = cluster.volumes.volumes.get(claim.spec.volumeName)
        if volume is None:
            missing |= undecided
            break
        usable, failing, error = _usable(cluster, volume, plugin.translates)
        if error:
            errors.append(Refusal(undecided & failing, error, error=True))
        conflict |= undecided & ~usable & ~failing
        undecided &= usable & ~failing
    missing_part = Refusal(missing, plugin.missing, True, error=not plugin.checks_claims_in_pre_filter)
    return [*errors, Refusal(conflict, plugin.conflict, True), missing_part]


def _usable(
    cluster: Cluster, volume: PersistentVolume, translates: tuple[str, ...]
) -> tuple[BoolArray, BoolArray, str]:
    """(where the volume can be used, where its translation to a CSI driver fails, the error)."""
    usable, nowhere = volume_accessible_nodes(cluster, volume), np.zeros(len(cluster.nodes), np.bool_)
    plugin = in_tree(volume.spec)
    migrated = nowhere if plugin is None or plugin.plugin not in translates else migrated_nodes(cluster, plugin.plugin)
    if plugin is None or not migrated.any():
        return usable, nowhere, ""
    try:
        affinity = translated_affinity(plugin, volume)
    except MigrationError as error:
        return usable, migrated, f"could not translate pv: {error}"
    return np.where(migrated, accessible_nodes(cluster, affinity), usable), nowhere, ""
