"""How server-side apply treats the fields of each type: field by field, item by item, or as a whole.

v1.37: k8s.io/client-go applyconfigurations/internal (the schema of the kinds, from the listType, mapType and structType
of k8s.io/api); custom kinds: x-kubernetes-list-type, x-kubernetes-list-map-keys and x-kubernetes-map-type.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from kschedlab_live.serve.kinds import Served
from kschedlab_live.wire.protobuf import message_of, types_of

Type: TypeAlias = Any
"""The name of a message, the schema of a custom kind, or None for what is unknown."""
Relation: TypeAlias = str | tuple[str, ...]
"""``by field``, ``by value`` (a list without repetitions), the keys of a list's items, or ``whole``."""

BY_FIELD, BY_VALUE, WHOLE = "by field", "by value", "whole"

_KEYS = """
    apps/v1.DaemonSetStatus conditions type, apps/v1.DeploymentStatus conditions type
    apps/v1.ReplicaSetStatus conditions type, apps/v1.StatefulSetStatus conditions type
    autoscaling/v2.HorizontalPodAutoscalerStatus conditions type
    batch/v1.JobSchedulingConfiguration resourceClaims name
    core/v1.Container env name, core/v1.Container ports containerPort protocol
    core/v1.Container volumeDevices devicePath, core/v1.Container volumeMounts mountPath
    core/v1.ContainerStatus allocatedResourcesStatus name, core/v1.ContainerStatus volumeMounts mountPath
    core/v1.EphemeralContainer env name, core/v1.EphemeralContainer ports containerPort protocol
    core/v1.EphemeralContainer volumeDevices devicePath, core/v1.EphemeralContainer volumeMounts mountPath
    core/v1.NodeAllocatableResourceClaimStatus mapping name, core/v1.NodeAllocatableResourceClaimStatus overhead name
    core/v1.NamespaceStatus conditions type, core/v1.NodeStatus addresses type, core/v1.NodeStatus conditions type
    core/v1.PersistentVolumeClaimStatus conditions type, core/v1.PodSpec containers name
    core/v1.PodSpec ephemeralContainers name, core/v1.PodSpec evictionResponders name, core/v1.PodSpec hostAliases ip
    core/v1.PodSpec imagePullSecrets name, core/v1.PodSpec initContainers name, core/v1.PodSpec resourceClaims name
    core/v1.PodSpec schedulingGates name, core/v1.PodSpec topologySpreadConstraints topologyKey whenUnsatisfiable
    core/v1.PodSpec volumes name, core/v1.PodStatus conditions type, core/v1.PodStatus podIPs ip
    core/v1.PodStatus nodeAllocatableResourceClaimStatuses resourceClaimName, core/v1.PodStatus volumeHealth name
    core/v1.PodVolumeHealth healthConditions status reason, core/v1.VolumeHealthStatus healthConditions status reason
    core/v1.PodStatus resourceClaimStatuses name, core/v1.ReplicationControllerStatus conditions type
    core/v1.ResourceRequirements claims name, core/v1.ResourceStatus resources resourceID
    core/v1.ServiceAccount secrets name, core/v1.ServiceSpec ports port protocol
    core/v1.ServiceStatus conditions type, meta/v1.ObjectMeta ownerReferences uid
    policy/v1.PodDisruptionBudgetStatus conditions type, resource/v1.AllocatedDeviceStatus conditions type
    resource/v1.DeviceTaintRuleStatus conditions type, resource/v1.ResourceClaimStatus reservedFor uid
    resource/v1.ResourceClaimStatus devices driver device pool shareID
    scheduling/v1beta1.PodGroupSpec resourceClaims name, scheduling/v1beta1.PodGroupStatus conditions type
    scheduling/v1beta1.PodGroupStatus resourceClaimStatuses name, storage/v1.CSINodeSpec drivers name
    storage/v1.CSINodeStatus storageHealth name
"""
_SETS = """
    core/v1.ContainerRestartRuleOnExitCodes values, core/v1.NodeSpec podCIDRs, core/v1.VolumeMount bindMountOptions
    batch/v1.PodFailurePolicyOnExitCodesRequirement values, batch/v1.UncountedTerminatedPods failed
    batch/v1.UncountedTerminatedPods succeeded, discovery/v1.Endpoint addresses, meta/v1.ObjectMeta finalizers
    core/v1.NodeAllocatableResourceClaimStatus containers, core/v1.NodePodPreemptionPolicy disableResizePreemption
    resource/v1.DeviceRequestAllocationResult skipNodeOperations, resource/v1.ResourceSliceSpec skipNodeOperations
    storage/v1.CSIDriverSpec volumeLifecycleModes
"""
_WHOLE = """
    core/v1.PodSpec nodeSelector, core/v1.ReplicationControllerSpec selector, core/v1.ServiceSpec selector
"""
_WHOLE_TYPES = frozenset(
    """
    autoscaling/v1.CrossVersionObjectReference
    core/v1.ConfigMapKeySelector core/v1.EndpointAddress core/v1.EndpointPort core/v1.EvictionResponder
    core/v1.FileKeySelector core/v1.LocalObjectReference core/v1.NodeSelector core/v1.NodeSelectorTerm
    core/v1.ObjectFieldSelector core/v1.ObjectReference core/v1.ResourceFieldSelector core/v1.ScopeSelector
    core/v1.SecretKeySelector core/v1.SecretReference core/v1.TopologySelectorTerm core/v1.TypedLocalObjectReference
    discovery/v1.EndpointPort meta/v1.LabelSelector meta/v1.OwnerReference networking/v1.ServiceBackendPort
    rbac/v1.RoleRef rbac/v1.Subject
    """.split()  # noqa: SIM905  # a table
)


@cache
def _special() -> dict[tuple[str, str], Relation]:
    table: dict[tuple[str, str], Relation] = {("core/v1.PersistentVolumeSpec", "claimRef"): BY_FIELD}
    for text, relation in ((_KEYS, None), (_SETS, BY_VALUE), (_WHOLE, WHOLE)):
        for line in text.replace("\n", ",").split(","):
            if words := line.split():
                table[words[0], words[1]] = relation or tuple(words[2:])
    return table


def root(served: Served, api_version: str) -> Type:
    """The type of a whole object."""
    if served.custom is None:
        return message_of(api_version, served.kind)
    schema = served.custom.schema
    return schema | {"properties": (_part(schema, "properties") or {}) | {"metadata": "meta/v1.ObjectMeta"}}


def member(owner: Type, name: str) -> tuple[Type, Relation]:
    """(type of the value or of its items, relation) of a field. A list of unknown type is treated as a whole."""
    if not isinstance(owner, str):
        return _custom(owner, name)
    shape, kind = types_of(owner).get(name, ("", ""))
    if relation := _special().get((owner, name)):
        return kind, relation
    if shape == "{}":  # each key is a field
        return ("values", kind), BY_FIELD
    return kind, WHOLE if shape == "[]" or kind in _WHOLE_TYPES else BY_FIELD


def _custom(owner: Type, name: str) -> tuple[Type, Relation]:
    if isinstance(owner, tuple):  # the values of a map
        return owner[1], WHOLE if owner[1] in _WHOLE_TYPES else BY_FIELD
    schema = _part(_part(owner, "properties"), name) or _part(owner, "additionalProperties")
    kind, keys = _part(schema, "x-kubernetes-list-type"), _part(schema, "x-kubernetes-list-map-keys")
    if kind == "map" and isinstance(keys, list) and keys and all(isinstance(key, str) for key in keys):
        return _part(schema, "items"), tuple(keys)
    if kind == "set":
        return None, BY_VALUE
    whole = _part(schema, "type") == "array" or _part(schema, "x-kubernetes-map-type") == "atomic"
    return schema, WHOLE if whole else BY_FIELD


def _part(schema: Any, name: str) -> Any:
    return schema.get(name) if isinstance(schema, dict) else None
