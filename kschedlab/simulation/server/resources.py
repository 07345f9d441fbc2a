"""The kinds that the API server serves: their resources, as its paths and messages name them."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.manifests.decoding import GROUPS
from kschedlab.manifests.defaults import CLUSTER_SCOPED
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
    """``name``: ``pods``; ``qualified``: with its group, ``replicasets.apps``; ``namespaced``: not of the cluster."""

    kind: type[ApiObject]
    name: str
    group: str
    qualified: str
    namespaced: bool

    def key(self, namespace: str, name: str) -> str:
        """``namespace/name``, or the name alone: what stores, caches and the log go by."""
        return f"{namespace}/{name}" if self.namespaced else name

    def key_of(self, document: ApiObject) -> str:
        """The object's :meth:`key`."""
        metadata = document.metadata  # type: ignore[attr-defined]  # every kind has it
        return f"{metadata.namespace}/{metadata.name}" if self.namespaced else metadata.name

    def called(self, name: str) -> Resource:
        """The resource under another name, such as ``pods/binding``."""
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
    return Resource(kind, "", group, "", kind.__name__ not in CLUSTER_SCOPED).called(name)


RESOURCES: dict[type[ApiObject], Resource] = {kind: _resource(kind, name) for kind, name in _NAMES.items()}


def key_of(document: ApiObject) -> str:
    """The object's key among those of its kind, whatever kind that is."""
    return RESOURCES[type(document)].key_of(document)
