"""The volumes that drivers make for claims.

v1.37: pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaim, getProvisionedVolumeNameForClaim,
findProvisionablePlugin). As the drivers' provisioner does it (kubernetes-csi/external-provisioner, topology.go), a new
volume can be used where its node's values of the driver's topology keys are.
"""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.cluster.volumes import SELECTED_NODE, claim_class
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
from kschedlab.simulation.controllers.storage import PROVISIONED_BY
from kschedlab.simulation.volume_claims import reference_to

NO_PROVISIONER = "kubernetes.io/no-provisioner"
PROVISIONER = ("volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner")
"""The annotations of a claim that tell its driver to make a volume."""


def fault_of(claim: PersistentVolumeClaim, found: StorageClass | None) -> str:
    """Why no volume can be made for the claim, or ""."""
    if found is None:
        return f'storageclass.storage.k8s.io "{claim_class(claim)}" not found'
    if found.provisioner == NO_PROVISIONER:
        return f"no volume plugin matched name: {NO_PROVISIONER}"
    return ""


def volume_for(
    claim: PersistentVolumeClaim,
    found: StorageClass,
    nodes: Mapping[str, Node],
    csi_nodes: Mapping[str, CSINode],
) -> PersistentVolume:
    """The claim's new volume: of the size that it asks for, and named after its uid."""
    name = f"pvc-{claim.metadata.uid}"
    segment = _segment(claim, found, nodes, csi_nodes)
    affinity = VolumeNodeAffinity(NodeSelector((_term(segment),))) if segment else None
    storage = claim.spec.resources.requests.get("storage")
    return PersistentVolume(
        metadata=ObjectMeta(name=name, annotations={PROVISIONED_BY: found.provisioner}),
        spec=PersistentVolumeSpec(
            capacity={"storage": storage} if storage is not None else {},
            accessModes=claim.spec.accessModes,
            claimRef=reference_to(claim),
            storageClassName=found.metadata.name,
            volumeMode=claim.spec.volumeMode,
            nodeAffinity=affinity,
            volumeAttributesClassName=claim.spec.volumeAttributesClassName,
            csi=CSIVolume(driver=found.provisioner, volumeHandle=name),
            persistentVolumeReclaimPolicy=found.reclaimPolicy,
        ),
    )


def _segment(
    claim: PersistentVolumeClaim, found: StorageClass, nodes: Mapping[str, Node], csi_nodes: Mapping[str, CSINode]
) -> dict[str, str]:
    """The part of the topology that the volume is made in: the chosen node's, or the first that the class allows.

    Empty: the volume can be used everywhere.
    """
    chosen = claim.metadata.annotations.get(SELECTED_NODE, "")
    allowed = [each.matchLabelExpressions for each in found.allowedTopologies]
    node = nodes.get(chosen)
    if node is None:
        return {each.key: each.values[0] for each in (allowed[0] if allowed else ()) if each.values}
    keys = _topology_keys(found.provisioner, csi_nodes.get(chosen)) or [e.key for term in allowed for e in term]
    return {key: node.metadata.labels[key] for key in keys if key in node.metadata.labels}


def _topology_keys(driver: str, found: CSINode | None) -> list[str]:
    drivers = found.spec.drivers if found is not None else ()
    return [key for each in drivers if each.name == driver for key in each.topologyKeys]


def _term(segment: Mapping[str, str]) -> NodeSelectorTerm:
    return NodeSelectorTerm(tuple(NodeSelectorRequirement(key, "In", (value,)) for key, value in segment.items()))
