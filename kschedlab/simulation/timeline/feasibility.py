"""Timelines that cannot come true, found before they run: an entry is about something that nobody will have made.

What controllers and operations make has names that only the run will know; an object whose name could be one of those
is taken to be possible. What is gone by then, because it was evicted or has ended, is found when the moment comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import (
    ApiObject,
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
from kschedlab.simulation.durations import duration
from kschedlab.simulation.timeline.actions import Create, Delete, Moment, Operate, Update
from kschedlab.simulation.timeline.given_objects import Given
from kschedlab.simulation.timeline.targets import Named

OWNERS = (Deployment, ReplicaSet, ReplicationController, StatefulSet, Job)


def check_possible(objects: Iterable[Given], moments: Sequence[Moment]) -> list[Problem]:
    """What is wrong with the timeline, given what is there from the beginning."""
    known = _Known()
    found = [problem for one in objects if (problem := known.made(one))]
    for moment in moments:
        found += known.problems(moment)
    return found


class _Known:
    """What there can be."""

    def __init__(self) -> None:
        self._places: dict[tuple[type[ApiObject], str], Given] = {}
        self._prefixes: dict[tuple[type[ApiObject], str], None] = {}
        self._anything = False

    def made(self, one: Given) -> Problem | None:
        """The object comes into being; what is wrong with that."""
        kind, metadata = type(one.document), one.metadata
        for prefix in _prefixes(one):
            self._prefixes[prefix] = None
        if not metadata.name:
            return None
        key = kind, _key(one)
        first = self._places.setdefault(key, one)
        if first is one or kind is Pod:
            return None
        return one.problem(f"exists already: it is given at {first.origin.place}")

    def problems(self, moment: Moment) -> Iterator[Problem]:
        """What cannot be at this moment."""
        act = moment.act
        if isinstance(act, Operate):
            self._anything = True
        elif isinstance(act, Create):
            yield from (problem for one in act.objects if (problem := self.made(one)))
        elif isinstance(act, Update):
            for one in act.objects:
                if not self._can_be(type(one.document), _key(one), one.metadata.name):
                    yield one.problem(_nobody(one.name, moment.at))
        elif isinstance(act.targets, tuple):
            for i, target in enumerate(act.targets):
                if not self._can_be(target.kind, target.key, target.name):
                    yield _place(moment, i, len(act.targets), _nobody(str(target), moment.at))
                elif isinstance(act, Delete):
                    self._gone(target)

    def _can_be(self, kind: type[ApiObject], key: str, name: str) -> bool:
        if self._anything or (kind, key) in self._places:
            return True
        return any(kind is of and name.startswith(prefix) for of, prefix in self._prefixes)

    def _gone(self, target: Named) -> None:
        """A pod has time to end; it is there for a while."""
        known = self._places.get((target.kind, target.key))
        if known is not None and target.kind is not Pod and not known.metadata.finalizers:
            del self._places[target.kind, target.key]


def _key(one: Given) -> str:
    return RESOURCES[type(one.document)].key(one.metadata.namespace or "default", one.metadata.name)


def _nobody(name: str, at: int) -> str:
    return f"there is no {name} by then: nothing up to {duration(at)} makes it"


def _place(moment: Moment, number: int, count: int, why: str) -> Problem:
    return moment.origin.problem(Fault((moment.field, number) if count > 1 else (moment.field,), why))


def _prefixes(one: Given) -> Iterator[tuple[type[ApiObject], str]]:
    """How the names begin of what may come of the object: (kind, prefix)."""
    document, metadata = one.document, one.metadata
    name = metadata.name or metadata.generateName
    if not metadata.name:
        yield type(document), name
    if isinstance(document, OWNERS):
        yield Pod, f"{name}-"
    if isinstance(document, Deployment):
        yield ReplicaSet, f"{name}-"
    if isinstance(document, StatefulSet):
        for template in document.spec.volumeClaimTemplates:
            yield PersistentVolumeClaim, f"{template.metadata.name}-{name}-"
    if isinstance(document, (*OWNERS, Pod)):
        yield PersistentVolumeClaim, f"{name}-"
    if isinstance(document, (*OWNERS, Pod, PersistentVolumeClaim)):
        yield PersistentVolume, "pvc-"
