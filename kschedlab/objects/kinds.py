"""The kinds of objects: their resource names and groups, and whether they are namespaced."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.objects.model import (
    ApiObject,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Deployment,
    DeviceClass,
    DeviceTaintRule,
    Job,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    Service,
    StatefulSet,
    StorageClass,
    VolumeAttachment,
)


class Resource(NamedTuple):
    """The API's resource of a kind. ``name``: ``pods``. ``qualified``: with the group, ``replicasets.apps``."""

    kind: type[ApiObject]
    name: str
    group: str
    qualified: str
    namespaced: bool

    def key(self, namespace: str, name: str) -> str:
        """``namespace/name``, or the name alone if cluster-scoped: the key in stores, caches and the log."""
        return f"{namespace}/{name}" if self.namespaced else name

    def key_of(self, obj: ApiObject) -> str:
        """The object's :meth:`key`."""
        metadata = obj.metadata  # type: ignore[attr-defined]  # every kind has it
        return f"{metadata.namespace}/{metadata.name}" if self.namespaced else metadata.name

    def with_name(self, name: str) -> Resource:
        """The resource under a different name, such as ``pods/binding``."""
        return self._replace(name=name, qualified=f"{name}.{self.group}" if self.group else name)


_PLURALS: dict[type[ApiObject], str] = {
    Pod: "pods",
    Node: "nodes",
    Namespace: "namespaces",
    Service: "services",
    ReplicationController: "replicationcontrollers",
    ReplicaSet: "replicasets",
    StatefulSet: "statefulsets",
    Deployment: "deployments",
    Job: "jobs",
    PodDisruptionBudget: "poddisruptionbudgets",
    PriorityClass: "priorityclasses",
    PersistentVolume: "persistentvolumes",
    PersistentVolumeClaim: "persistentvolumeclaims",
    StorageClass: "storageclasses",
    CSINode: "csinodes",
    CSIDriver: "csidrivers",
    CSIStorageCapacity: "csistoragecapacities",
    VolumeAttachment: "volumeattachments",
    ResourceSlice: "resourceslices",
    DeviceClass: "deviceclasses",
    DeviceTaintRule: "devicetaintrules",
    ResourceClaim: "resourceclaims",
    ResourceClaimTemplate: "resourceclaimtemplates",
}
_WITHOUT_NAMESPACE = frozenset(
    [
        Node,
        Namespace,
        PriorityClass,
        PersistentVolume,
        StorageClass,
        CSINode,
        CSIDriver,
        VolumeAttachment,
        ResourceSlice,
        DeviceClass,
        DeviceTaintRule,
    ]
)
OF_CONTROLLERS = frozenset([Deployment, Job, ResourceClaimTemplate])
"""Kinds that controllers read but the scheduler does not."""


def _resource(kind: type[ApiObject], plural: str) -> Resource:
    group = kind().apiVersion.rpartition("/")[0]  # type: ignore[attr-defined]  # every kind has it
    return Resource(kind, "", group, "", kind not in _WITHOUT_NAMESPACE).with_name(plural)


RESOURCES: dict[type[ApiObject], Resource] = {kind: _resource(kind, plural) for kind, plural in _PLURALS.items()}
CLUSTER_SCOPED = frozenset(kind.__name__ for kind in _WITHOUT_NAMESPACE)
"""The names of the kinds whose objects have no namespace."""


def key_of(obj: ApiObject) -> str:
    """The key that identifies the object within its kind."""
    return RESOURCES[type(obj)].key_of(obj)
