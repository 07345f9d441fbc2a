"""The objects around nodes and pods, by kind and name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from kschedlab.objects.meta import CLUSTER_SCOPED
from kschedlab.objects.model import (
    ApiObject,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    PriorityClass,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
    StorageClass,
    VolumeAttachment,
)

if TYPE_CHECKING:
    from kschedlab.manifests.loading import Objects

K = TypeVar("K", bound=Hashable)
D = TypeVar("D")
Kind: TypeAlias = type[ApiObject]

STORAGE: tuple[Kind, ...] = (
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    CSINode,
    CSIDriver,
    CSIStorageCapacity,
    VolumeAttachment,
)
"""What a cluster's Volumes are made of."""


def _nothing(_: Any) -> None:
    return None


def _selector(document: Any) -> object:
    return document.spec.selector


def _labels(document: Any) -> object:
    return document.metadata.labels


def _all(document: Any) -> object:
    return msgspec.structs.replace(document, metadata=msgspec.structs.replace(document.metadata, resourceVersion=""))


MATTERS: dict[Kind, Callable[[Any], object]] = {
    PodDisruptionBudget: _nothing,
    PriorityClass: _nothing,
    Namespace: _labels,
    Service: _selector,
    ReplicationController: _selector,
    ReplicaSet: _selector,
    StatefulSet: _selector,
    **dict.fromkeys(STORAGE, _all),
}
"""What facts can follow from, of each kind; of budgets and priority classes nothing does."""


class ObjectStore:
    """Objects by kind, then by (namespace, name), or by the name alone where a kind has no namespaces.

    Each kind's are in the order in which they came; one that is replaced keeps its place.
    """

    def __init__(self, by_kind: dict[Kind, dict[Any, Any]]) -> None:
        self._by_kind = by_kind

    @classmethod
    def read(cls, objects: Objects) -> ObjectStore:
        """All objects but nodes and pods."""
        return cls({kind: {key_of(each): each for each in objects.of(kind)} for kind in MATTERS})

    def of(self, kind: type[D]) -> dict[Any, D]:
        """That kind's objects. KeyError for nodes, pods and kinds that a scheduler does not read."""
        return self._by_kind[kind]  # type: ignore[index]  # a kind of object

    def kinds(self) -> list[Kind]:
        """The kinds that are kept."""
        return list(self._by_kind)

    def apart(self, kinds: Iterable[Kind]) -> ObjectStore:
        """The same objects; those of these kinds can be changed apart from these here."""
        return ObjectStore(self._by_kind | {kind: dict(self._by_kind[kind]) for kind in kinds})


def key_of(document: Any) -> Any:
    """By what its kind's objects are told apart."""
    metadata = document.metadata
    return metadata.name if type(document).__name__ in CLUSTER_SCOPED else (metadata.namespace, metadata.name)


def change(found: dict[K, D], key: K, new: D | None) -> None:
    """Put it in; None: take out what is there."""
    if new is None:
        del found[key]
    else:
        found[key] = new


def differs(kind: Kind, old: Any, new: Any) -> bool:
    """Whether facts can tell the two apart; None: there is none."""
    if old is None or new is None:
        return kind not in (PodDisruptionBudget, PriorityClass)
    matters = MATTERS[kind]
    return matters(old) != matters(new)
