"""The kinds that the API server serves, and the resource names that its paths and messages use for them."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.manifests.decoding import GROUPS
from kschedlab.objects.meta import CLUSTER_SCOPED
from kschedlab.objects.model import (
    ApiObject,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Deployment,
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
    Service,
    StatefulSet,
    StorageClass,
    VolumeAttachment,
)


class Resource(NamedTuple):
    """``name``: ``pods``; ``qualified``: with its group, ``replicasets.apps``; ``namespaced``: not cluster-scoped."""

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


_NAMES: dict[type[ApiObject], str] = {
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
}
_GROUPS = GROUPS | {"Deployment": "apps", "Job": "batch"}


def _resource(kind: type[ApiObject], name: str) -> Resource:
    group = _GROUPS[kind.__name__]
    return Resource(kind, "", group, "", kind.__name__ not in CLUSTER_SCOPED).with_name(name)


RESOURCES: dict[type[ApiObject], Resource] = {kind: _resource(kind, name) for kind, name in _NAMES.items()}


def key_of(obj: ApiObject) -> str:
    """The key that identifies the object within its kind."""
    return RESOURCES[type(obj)].key_of(obj)
