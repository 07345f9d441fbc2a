"""The volumes that storage drivers provision for claims.

v1.37: pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaim, getProvisionedVolumeNameForClaim,
findProvisionablePlugin). As in kubernetes-csi/external-provisioner (topology.go), a new volume is accessible from
nodes that share the selected node's values for the driver's topology keys.
"""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.cluster.volumes import SELECTED_NODE, claim_class
from kschedlab.filter.volumes.volume_claims import claim_reference
from kschedlab.objects.model import (
    CSINode,
    CSIVolume,
    Node,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
    StorageClass,
    VolumeNodeAffinity,
)
from kschedlab_simulation.controllers.claim_binding import PROVISIONED_BY

NO_PROVISIONER = "kubernetes.io/no-provisioner"
PROVISIONER = ("volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner")
"""The claim annotations that request a volume from the driver."""


def provisioning_error(claim: PersistentVolumeClaim, storage_class: StorageClass | None) -> str:
    """Why no volume can be provisioned for the claim, or ""."""
    if storage_class is None:
        return f'storageclass.storage.k8s.io "{claim_class(claim)}" not found'
    if storage_class.provisioner == NO_PROVISIONER:
        return f"no volume plugin matched name: {NO_PROVISIONER}"
    return ""


def provisioned_volume(
    claim: PersistentVolumeClaim,
    storage_class: StorageClass,
    nodes: Mapping[str, Node],
    csi_nodes: Mapping[str, CSINode],
) -> PersistentVolume:
    """A new volume of the requested size, named after the claim's uid."""
    name = f"pvc-{claim.metadata.uid}"
    topology = _topology(claim, storage_class, nodes, csi_nodes)
    affinity = VolumeNodeAffinity(NodeSelector((_term(topology),))) if topology else None
    storage = claim.spec.resources.requests.get("storage")
    return PersistentVolume(
        metadata=ObjectMeta(name=name, annotations={PROVISIONED_BY: storage_class.provisioner}),
        spec=PersistentVolumeSpec(
            capacity={"storage": storage} if storage is not None else {},
            accessModes=claim.spec.accessModes,
            claimRef=claim_reference(claim),
            storageClassName=storage_class.metadata.name,
            volumeMode=claim.spec.volumeMode,
            nodeAffinity=affinity,
            volumeAttributesClassName=claim.spec.volumeAttributesClassName,
            csi=CSIVolume(driver=storage_class.provisioner, volumeHandle=name),
            persistentVolumeReclaimPolicy=storage_class.reclaimPolicy,
        ),
    )


def _topology(
    claim: PersistentVolumeClaim,
    storage_class: StorageClass,
    nodes: Mapping[str, Node],
    csi_nodes: Mapping[str, CSINode],
) -> dict[str, str]:
    """The topology of the volume: the selected node's, or the first one that the class allows.

    Empty: the volume is accessible from all nodes.
    """
    chosen = claim.metadata.annotations.get(SELECTED_NODE, "")
    allowed = [each.matchLabelExpressions for each in storage_class.allowedTopologies]
    node = nodes.get(chosen)
    if node is None:
        return {each.key: each.values[0] for each in (allowed[0] if allowed else ()) if each.values}
    keys = _topology_keys(storage_class.provisioner, csi_nodes.get(chosen)) or [e.key for term in allowed for e in term]
    return {key: node.metadata.labels[key] for key in keys if key in node.metadata.labels}


def _topology_keys(driver: str, storage_class: CSINode | None) -> list[str]:
    drivers = storage_class.spec.drivers if storage_class is not None else ()
    return [key for each in drivers if each.name == driver for key in each.topologyKeys]


def _term(topology: Mapping[str, str]) -> NodeSelectorTerm:
    return NodeSelectorTerm(tuple(NodeSelectorRequirement(key, "In", (value,)) for key, value in topology.items()))
