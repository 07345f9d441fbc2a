"""The nodes, pods and volumes that scheduler_perf's operations create.

v1.37: test/integration/scheduler_perf (util.go, runners.go, node_util.go).
"""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec.structs import replace

from benchmarks.perf.mocked_features import mocked
from benchmarks.perf.operations import CreateNodes, NodeAllocatableStrategy, Operation
from kschedlab.cluster.volumes import BOUND, MIGRATED_PLUGINS
from kschedlab.objects.model import (
    Container,
    ContainerPort,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    Node,
    NodeCondition,
    NodeStatus,
    ObjectMeta,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimVolume,
    Pod,
    PodSpec,
    ResourceRequirements,
    Volume,
)
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.server.names import generated_name
from kschedlab_simulation.volume_claims import claim_reference

_HOSTNAME = "kubernetes.io/hostname"
_RESOURCES = {"cpu": Quantity("100m"), "memory": Quantity("500Mi")}
_CAPACITY = {"pods": Quantity("110"), "cpu": Quantity("4"), "memory": Quantity("32Gi")}
BASE_NODE = Node(
    status=NodeStatus(
        capacity=_CAPACITY, allocatable=_CAPACITY, conditions=(NodeCondition(type="Ready", status="True"),)
    )
)
BASE_POD = Pod(
    metadata=ObjectMeta(generateName="pod-"),
    spec=PodSpec(
        containers=(
            Container(
                name="pause",
                image="registry.k8s.io/pause:3.10.2",
                ports=(ContainerPort(containerPort=80),),
                resources=ResourceRequirements(requests=_RESOURCES, limits=_RESOURCES),
            ),
        )
    ),
)
"""The default node and pod, without a template (v1.37: util.go)."""


def prepare_node(base: Node, fields: CreateNodes, number: int, random: Random) -> Node:
    """The node with a name, its hostname label, and the changes of the operation's strategies."""
    metadata = base.metadata
    name = metadata.name or generated_name(metadata.generateName, random)
    labels = {**metadata.labels, _HOSTNAME: name}
    if (strategy := fields.labelNodePrepareStrategy) is not None:
        labels[strategy.labelKey] = strategy.labelValues[number % len(strategy.labelValues)]
    if (unique := fields.uniqueNodeLabelStrategy) is not None:
        labels[unique.labelKey] = f"{random.getrandbits(128):032x}"
    status = base.status
    if (allocatable := fields.nodeAllocatableStrategy) is not None:
        overrides = {resource: Quantity(amount) for resource, amount in allocatable.nodeAllocatable.items()}
        status = replace(status, allocatable={**(status.allocatable or status.capacity), **overrides})
    return replace(base, metadata=replace(metadata, name=name, labels=labels), status=status)


def declaring(node: Node, number: int) -> Node:
    """The node, declaring that many features."""
    return replace(node, status=replace(node.status, declaredFeatures=mocked(number))) if number else node


def csi_node_of(node: Node, strategy: NodeAllocatableStrategy) -> CSINode:
    """A CSINode with the drivers' volume limits."""
    name = node.metadata.name
    drivers = strategy.csiNodeAllocatable.items()
    return CSINode(
        metadata=ObjectMeta(name=name, annotations={MIGRATED_PLUGINS: ",".join(strategy.migratedPlugins)}),
        spec=CSINodeSpec(tuple(CSINodeDriver(driver, name, (), limit) for driver, limit in drivers)),
    )


def bound_claim_and_volume(
    operation: Operation, namespace: str, number: int
) -> tuple[PersistentVolumeClaim, PersistentVolume]:
    """A claim and a volume, already bound to each other, as the PersistentVolume controller binds them."""
    claims = operation.template("persistentVolumeClaimTemplatePath")
    volumes = operation.template("persistentVolumeTemplatePath")
    assert claims is not None and volumes is not None
    claim: Any = claims.make(number, 1).obj
    volume: Any = volumes.make(number, 1).obj
    name, volume_name = f"pvc-{number}", f"{namespace}-vol-{number}"
    spec = volume.spec
    if spec.csi is not None:
        spec = replace(spec, csi=replace(spec.csi, volumeHandle=volume_name))
    elif spec.awsElasticBlockStore is not None:
        disk = replace(spec.awsElasticBlockStore, volumeID=f"vol-{number}")
        spec = replace(spec, awsElasticBlockStore=disk)
    claim = replace(
        claim,
        metadata=replace(
            claim.metadata,
            name=name,
            generateName="",
            namespace=namespace,
            uid=f"{namespace}-{name}",
            annotations={**claim.metadata.annotations, BOUND: "yes"},
        ),
        spec=replace(claim.spec, volumeName=volume_name),
        status=replace(claim.status, phase="Bound"),
    )
    volume = replace(
        volume,
        metadata=replace(volume.metadata, name=volume_name, generateName=""),
        spec=replace(spec, claimRef=claim_reference(claim)),
        status=replace(volume.status, phase="Bound"),
    )
    return claim, volume


def with_claim(pod: Pod, claim: PersistentVolumeClaim) -> Pod:
    """The pod with this claim as its only volume."""
    source = PersistentVolumeClaimVolume(claim.metadata.name)
    return replace(pod, spec=replace(pod.spec, volumes=(Volume(name="vol", persistentVolumeClaim=source),)))
