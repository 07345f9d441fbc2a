"""All objects but nodes and pods, by kind and name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from kschedlab.objects import model
from kschedlab.objects.meta import CLUSTER_SCOPED
from kschedlab.objects.model import ApiObject

if TYPE_CHECKING:
    from kschedlab.manifests.loading import Objects
    from kschedlab.objects.api import Api

K = TypeVar("K", bound=Hashable)
D = TypeVar("D")
Kind: TypeAlias = type[ApiObject]

STORAGE: tuple[Kind, ...] = (
    model.PersistentVolume,
    model.PersistentVolumeClaim,
    model.StorageClass,
    model.CSINode,
    model.CSIDriver,
    model.CSIStorageCapacity,
    model.VolumeAttachment,
)
"""Kinds of objects that Volumes hold."""
DEVICES: tuple[Kind, ...] = (model.ResourceSlice, model.DeviceClass, model.ResourceClaim, model.DeviceTaintRule)
"""Kinds of objects that decide about devices."""
LONGEST = 4096
"""The most changes that are remembered."""


_selector = attrgetter("spec.selector")


def _all(obj: Any) -> object:
    return msgspec.structs.replace(obj, metadata=msgspec.structs.replace(obj.metadata, resourceVersion=""))


RELEVANT_PART: dict[Kind, Callable[[Any], object]] = {
    model.PodDisruptionBudget: _selector,
    model.PriorityClass: lambda _: None,
    model.Namespace: attrgetter("metadata.labels"),
    model.Service: _selector,
    model.ReplicationController: _selector,
    model.ReplicaSet: _selector,
    model.StatefulSet: _selector,
    **dict.fromkeys((*STORAGE, *DEVICES), _all),
}
"""The part of each kind that derived values may depend on; for priority classes, nothing."""


class ObjectChange:
    """A change of one object, from ``old`` to ``new``; None: there was or is none. ``before``: the change before it."""

    __slots__ = ("before", "new", "number", "old")

    def __init__(self, before: ObjectChange | None, old: Any, new: Any) -> None:
        self.number: int = 0 if before is None else (before.number + 1) % LONGEST
        self.before, self.old, self.new = before if self.number else None, old, new

    def since(self, earlier: ObjectChange | None, most: int) -> list[ObjectChange] | None:
        """The changes after the earlier one up to this, the last first; None if they are too many or it is not known.

        Forks share the changes before they part, so a change of another fork is not known.
        """
        changes: list[ObjectChange] = []
        change: ObjectChange | None = self
        while change is not None and len(changes) <= most:
            if change is earlier:
                return changes
            changes.append(change)
            change = change.before
        return None


@dataclass(eq=False, repr=False)
class ObjectStore:
    """Objects by kind, then by (namespace, name), or by name alone for kinds without namespaces.

    Each kind's objects are in order of arrival; a replaced object keeps its place. ``api``: it drops fields of objects
    about devices; ``given``: those objects as they were before.
    """

    _by_kind: dict[Kind, dict[Any, Any]]
    _last: dict[Kind, ObjectChange]
    _api: Api
    _given: dict[tuple[Kind, Any], Any]

    @classmethod
    def read(cls, objects: Objects, api: Api) -> ObjectStore:
        by_kind = {kind: {key_of(each): each for each in objects.of(kind)} for kind in RELEVANT_PART}
        store = cls(by_kind, {kind: ObjectChange(None, None, None) for kind in DEVICES}, api, {})
        for kind in DEVICES:
            for key, each in by_kind[kind].items():
                by_kind[kind][key] = store._stored(kind, key, each)
        return store

    def _stored(self, kind: Kind, key: Any, new: Any) -> Any:
        self._given.pop((kind, key), None)
        stored = None if new is None else self._api.stored(new)
        if stored is not new:
            self._given[kind, key] = new
        return stored

    def given(self, kind: Kind) -> list[Any]:
        """That kind's objects with the fields that the API dropped."""
        return [self._given.get((kind, key), each) for key, each in self._by_kind[kind].items()]

    def of(self, kind: type[D]) -> dict[Any, D]:
        """That kind's objects. KeyError for nodes, pods and kinds that a scheduler does not read."""
        if kind not in self._by_kind:
            names = ", ".join(each.__name__ for each in self._by_kind)
            raise KeyError(f"objects of kind {getattr(kind, '__name__', kind)} are not stored here; these are: {names}")
        return self._by_kind[kind]  # type: ignore[index]  # a kind of object

    def kinds(self) -> list[Kind]:
        return list(self._by_kind)

    def with_own_copies(self, kinds: Iterable[Kind]) -> ObjectStore:
        """The same objects; those of these kinds are copied so that they can change independently."""
        by_kind = self._by_kind | {kind: dict(self._by_kind[kind]) for kind in kinds}
        return ObjectStore(by_kind, dict(self._last), self._api, dict(self._given))

    def change(self, kind: Kind, key: Any, new: Any) -> None:
        """Put the object, or remove it (None). KeyError if there is none to remove."""
        objects = self._by_kind[kind]
        if kind in self._last:
            new = self._stored(kind, key, new)
            self._last[kind] = ObjectChange(self._last[kind], objects.get(key), new)
        put_or_remove(objects, key, new)

    def last_change(self, kind: Kind) -> ObjectChange:
        """The last change of an object of one of the kinds that decide about devices."""
        return self._last[kind]


def key_of(obj: Any) -> Any:
    """The key that identifies the object within its kind."""
    metadata = obj.metadata
    return metadata.name if type(obj).__name__ in CLUSTER_SCOPED else (metadata.namespace, metadata.name)


def put_or_remove(objects: dict[K, D], key: K, new: D | None) -> None:
    if new is None:
        del objects[key]
    else:
        objects[key] = new


def is_relevant(kind: Kind, old: Any, new: Any) -> bool:
    """Whether the change can affect derived values; None: there is no such object."""
    if old is None or new is None:
        return kind is not model.PriorityClass
    matters = RELEVANT_PART[kind]
    return matters(old) != matters(new)
