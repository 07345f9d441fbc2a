"""Finds timeline entries that cannot succeed, before the run: their object cannot exist at that time.

Controllers and operations create objects with generated names; an object whose name could be one of these counts as
possible. Objects that are evicted or finished by then are found during the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedlab.messages import later
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import (
    ApiObject,
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.objects.problems import Fault, Problem
from kschedlab_simulation.durations import duration
from kschedlab_simulation.timeline.actions import Create, Delete, RunOperations, TimelineEntry, Update
from kschedlab_simulation.timeline.manifest_objects import ManifestObject
from kschedlab_simulation.timeline.targets import NamedTarget

OWNERS = (CronJob, DaemonSet, Deployment, ReplicaSet, ReplicationController, StatefulSet, Job)


def check_feasible(objects: Iterable[ManifestObject], entries: Sequence[TimelineEntry]) -> list[Problem]:
    """The problems of a timeline, starting with these initial objects."""
    existing = _PossibleObjects()
    problems = [problem for manifest in objects if (problem := existing.add(manifest))]
    for entry in entries:
        problems += existing.problems(entry)
    return problems


class _PossibleObjects:
    """The objects that can exist at the current entry."""

    def __init__(self) -> None:
        self._defined: dict[tuple[type[ApiObject], str], ManifestObject] = {}
        self._prefixes: dict[tuple[type[ApiObject], str], None] = {}
        self._anything_possible = False

    def add(self, manifest: ManifestObject) -> Problem | None:
        """Add an object that is created; returns a problem if it already exists."""
        kind, metadata = type(manifest.obj), manifest.metadata
        for prefix in _prefixes(manifest):
            self._prefixes[prefix] = None
        if not metadata.name:
            return None
        key = kind, _key(manifest)
        defined = self._defined.setdefault(key, manifest)
        if defined is manifest or kind is Pod:
            return None
        return manifest.problem(later("already exists: it is first defined at {place}", place=defined.origin.place))

    def problems(self, entry: TimelineEntry) -> Iterator[Problem]:
        action = entry.action
        if isinstance(action, RunOperations):
            self._anything_possible = True
        elif isinstance(action, Create):
            yield from (problem for manifest in action.objects if (problem := self.add(manifest)))
        elif isinstance(action, Update):
            for manifest in action.objects:
                if not self._may_exist(type(manifest.obj), _key(manifest), manifest.metadata.name):
                    yield manifest.problem(_missing(manifest.name, entry.at))
        elif isinstance(action.targets, tuple):
            for i, target in enumerate(action.targets):
                if not self._may_exist(target.kind, target.key, target.name):
                    yield _place(entry, i, len(action.targets), _missing(str(target), entry.at))
                elif isinstance(action, Delete):
                    self._remove(target)

    def _may_exist(self, kind: type[ApiObject], key: str, name: str) -> bool:
        if self._anything_possible or (kind, key) in self._defined:
            return True
        return any(kind is prefix_kind and name.startswith(prefix) for prefix_kind, prefix in self._prefixes)

    def _remove(self, target: NamedTarget) -> None:
        """Remove a deleted object, except for pods and objects with finalizers, which stay for a while."""
        existing = self._defined.get((target.kind, target.key))
        if existing is not None and target.kind is not Pod and not existing.metadata.finalizers:
            del self._defined[target.kind, target.key]


def _key(manifest: ManifestObject) -> str:
    return RESOURCES[type(manifest.obj)].key(manifest.metadata.namespace or "default", manifest.metadata.name)


def _missing(name: str, at: int) -> str:
    message = later("{name} does not exist at {time}: not yet created, or already deleted")
    return later(message, name=name, time=duration(at))


def _place(entry: TimelineEntry, number: int, count: int, why: str) -> Problem:
    return entry.origin.problem(Fault((entry.field, number) if count > 1 else (entry.field,), why))


def _prefixes(manifest: ManifestObject) -> Iterator[tuple[type[ApiObject], str]]:
    """(kind, name prefix) of the objects that controllers may create for this one."""
    obj, metadata = manifest.obj, manifest.metadata
    name = metadata.name or metadata.generateName
    if not metadata.name:
        yield type(obj), name
    if isinstance(obj, OWNERS):
        yield Pod, f"{name}-"
    if isinstance(obj, CronJob):
        yield Job, f"{name}-"
    if isinstance(obj, Deployment):
        yield ReplicaSet, f"{name}-"
    if isinstance(obj, StatefulSet):
        for template in obj.spec.volumeClaimTemplates:
            yield PersistentVolumeClaim, f"{template.metadata.name}-{name}-"
    if isinstance(obj, (*OWNERS, Pod)):
        yield PersistentVolumeClaim, f"{name}-"
    if isinstance(obj, (*OWNERS, Pod, PersistentVolumeClaim)):
        yield PersistentVolume, "pvc-"
