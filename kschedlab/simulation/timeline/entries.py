"""What happens to a cluster, and when: the entries of a timeline, read and checked.

    timeline:
    - at: 3s
      create: {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {...}}
    - at: 1m
      drain: node-1

docs/scenarios.md describes the format. An entry has one act; what else may stand in it depends on the act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kschedlab.configuration.faults import decoded
from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.formats import SCHEDULER_PERF, format_reader
from kschedlab.manifests.pod_validation import EFFECTS
from kschedlab.manifests.sources import read_all
from kschedlab.objects.meta import SECOND, Int32, Part
from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Node,
    Pod,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
    Taint,
)
from kschedlab.objects.names import label_key_fault, label_value_fault
from kschedlab.objects.problems import Fault, ManifestError, Path, one_of, quoted
from kschedlab.simulation.controllers.drain import DrainSettings
from kschedlab.simulation.durations import duration_of
from kschedlab.simulation.timeline.actions import (
    Act,
    AddTaints,
    Cordon,
    Create,
    Delete,
    Drain,
    Evict,
    Label,
    Moment,
    Operate,
    Scale,
    Untaint,
    Update,
)
from kschedlab.simulation.timeline.given_objects import NEW, PATCH, Given, Reading, beside, in_namespace
from kschedlab.simulation.timeline.targets import Targets, kinds_of, read_targets

SCALABLE: tuple[type[ApiObject], ...] = (Deployment, ReplicaSet, ReplicationController, StatefulSet)
DRAIN_TIMEOUT = 300_000_000
"""Microseconds after which a drain gives up, if its entry does not say it."""

# -- reading


class Fields(Part, frozen=True):
    """Everything that may stand in an entry."""

    at: Any = None
    create: Any = None
    update: Any = None
    delete: Any = None
    evict: Any = None
    scale: Any = None
    cordon: Any = None
    uncordon: Any = None
    drain: Any = None
    label: Any = None
    taint: Any = None
    ops: Any = None
    namespace: str = ""
    selector: dict[str, str] = {}
    grace: Any = None
    timeout: Any = None
    replicas: Int32 | None = None
    labels: Any = None
    taints: Any = None
    params: Any = None
    defaultPodTemplatePath: str = ""


_ABOUT = ("namespace", "selector")
ACTS: dict[str, tuple[str, ...]] = {
    "create": ("namespace",),
    "update": ("namespace",),
    "delete": (*_ABOUT, "grace"),
    "evict": (*_ABOUT, "grace"),
    "scale": (*_ABOUT, "replicas"),
    "cordon": ("selector",),
    "uncordon": ("selector",),
    "drain": ("selector", "grace", "timeout"),
    "label": (*_ABOUT, "labels"),
    "taint": ("selector", "taints"),
    "ops": ("params", "defaultPodTemplatePath"),
}
"""The acts, and what else may stand in their entries."""


def read_moments(data: Any, origin: Origin, reading: Reading) -> Iterator[Moment]:
    """The entries of a timeline that have nothing wrong. They must be in the order of time."""
    if not isinstance(data, list):
        if data is None:
            return
        why = "a list of entries is expected here, each with at and an act"
        reading.problems.append(origin.problem(Fault((), why)))
        return
    latest, before = -1, 0
    for i, entry in enumerate(data):
        place = Origin(origin.text, origin.root, (*origin.path, i))
        moment = _Entry(entry, place, reading).moment()
        if moment is None:
            continue
        if moment.at < latest:
            why = f"{quoted(str(entry['at']))} is before {quoted(str(data[before]['at']))}: time does not run backwards"
            reading.problems.append(place.problem(Fault(("at",), why)))
        latest, before = max((latest, before), (moment.at, i))
        yield moment


class _Entry:
    """One entry on its way from data to a moment."""

    def __init__(self, data: Any, origin: Origin, reading: Reading) -> None:
        self.faults: list[Fault] = []
        self.origin = origin
        self.reading = reading
        self.data = data
        self.fields = decoded(data, Fields, (), self.faults)

    def moment(self) -> Moment | None:
        """None, with the reasons among the problems, if anything is wrong."""
        found = len(self.reading.problems)
        act = self._act() if isinstance(self.data, dict) else None
        at = duration_of(self.fields.at, ("at",), self.faults) if isinstance(self.data, dict) else None
        self.reading.problems += [self.origin.problem(fault) for fault in self.faults]
        wrong = len(self.reading.problems) > found
        if wrong or act is None or at is None:
            return None
        return Moment(at, act, self.origin, next(name for name in ACTS if name in self.data))

    def _act(self) -> Act | None:
        names = [name for name in ACTS if name in self.data]
        if len(names) != 1:
            given = f"not {' and '.join(names)}" if names else "there is none"
            self.faults.append(Fault((), f"one act is expected ({one_of(ACTS)}), {given}"))
            return None
        name = names[0]
        for field in self.data:
            if field not in ("at", name, *ACTS[name]) and field in Fields.__struct_fields__:
                self.faults.append(Fault((field,), f"has no place beside {name}"))
        make: Callable[[str], Act | None] = getattr(self, f"_{name}")
        return make(name)

    # -- the acts

    def _create(self, name: str) -> Act:
        return Create(tuple(self._objects(name, NEW)))

    def _update(self, name: str) -> Act:
        return Update(tuple(self._objects(name, PATCH)))

    def _delete(self, name: str) -> Act:
        return Delete(self._targets(name), self._grace())

    def _evict(self, name: str) -> Act:
        return Evict(self._targets(name, Pod), self._grace())

    def _scale(self, name: str) -> Act:
        targets, replicas = self._targets(name), self.fields.replicas
        if replicas is None or replicas < 0:
            why = "is missing" if replicas is None else f"{replicas} is negative"
            self.faults.append(Fault(("replicas",), why))
        for kind in kinds_of(targets):
            if not issubclass(kind, SCALABLE):
                known = one_of(known.__name__ for known in SCALABLE)
                self.faults.append(Fault((name,), f"a {kind.__name__} cannot be scaled: only {known} can"))
        return Scale(targets, replicas or 0)

    def _cordon(self, name: str) -> Act:
        return Cordon(self._targets(name, Node), True)

    def _uncordon(self, name: str) -> Act:
        return Cordon(self._targets(name, Node), False)

    def _drain(self, name: str) -> Act:
        timeout = self.fields.timeout
        limit = DRAIN_TIMEOUT if timeout is None else duration_of(timeout, ("timeout",), self.faults)
        if limit == 0:
            self.faults.append(Fault(("timeout",), "is 0: a drain that never gives up might never end"))
        return Drain(self._targets(name, Node), DrainSettings(limit or 0, self._grace()))

    def _label(self, name: str) -> Act:
        return Label(self._targets(name), self._labels())

    def _taint(self, name: str) -> Act:
        return AddTaints(self._targets(name, Node), tuple(self._taints()))

    def _ops(self, name: str) -> Act | None:
        origin = Origin(self.origin.text, self.origin.root, (*self.origin.path, name))
        try:
            read = format_reader(SCHEDULER_PERF, origin).read_act
        except ManifestError as error:
            self.reading.problems += error.problems
            return None
        act: Operate = read(
            self.fields.ops, self.fields.params, origin, self.reading, self.fields.defaultPodTemplatePath
        )
        return act

    # -- their fields

    def _objects(self, name: str, purpose: str) -> list[Given]:
        """Objects that stand in the entry, or in the files that it names."""
        value, found = self.data[name], []
        for i, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
            path: Path = (name,) if i is None else (name, i)
            if isinstance(one, str):
                found += self._file(one, path, purpose)
            else:
                origin = Origin(self.origin.text, self.origin.root, (*self.origin.path, *path))
                found += self.reading.objects(one, origin, purpose)
        if value == []:
            self.faults.append(Fault((name,), "is empty"))
        return in_namespace(found, self.fields.namespace)

    def _file(self, name: str, path: Path, purpose: str) -> list[Given]:
        """The objects in a file or folder, from the folder of the timeline on."""
        try:
            texts = read_all([beside(self.origin, name)])
            return [one for text in texts for one in self.reading.text_of_objects(text, purpose)]
        except ManifestError as error:
            self.faults.append(Fault(path, "cannot be used"))
            self.reading.problems += error.problems
            return []

    def _targets(self, name: str, implied: type[ApiObject] | None = None) -> Targets:
        fields = self.fields
        found = read_targets(self.data[name], implied, fields.namespace, fields.selector, (name,), self.faults)
        for kind in kinds_of(found):
            if implied is not None and kind is not implied:
                self.faults.append(Fault((name,), f"is about a {kind.__name__}: {name} takes a {implied.__name__}"))
        return found

    def _grace(self) -> int | None:
        if self.fields.grace is None:
            return None
        grace = duration_of(self.fields.grace, ("grace",), self.faults) or 0
        if grace % SECOND:
            self.faults.append(Fault(("grace",), "is not in whole seconds, as the API has it"))
        return grace // SECOND

    def _labels(self) -> dict[str, str | None]:
        labels = self.fields.labels
        if not isinstance(labels, dict) or not labels:
            self.faults.append(Fault(("labels",), "a map of labels is expected here (null takes one away)"))
            return {}
        for key, value in labels.items():
            if value is not None and not isinstance(value, str):
                self.faults.append(Fault(("labels", key), "is not text: put it in quotes"))
            elif fault := label_key_fault(key) or label_value_fault(value or ""):
                self.faults.append(Fault(("labels", key), fault))
        return labels

    def _taints(self) -> Iterator[Taint | Untaint]:
        given = self.fields.taints
        if not isinstance(given, list) or not given:
            self.faults.append(Fault(("taints",), 'a list is expected here, such as ["gpu=yes:NoSchedule", "old-"]'))
            return
        for i, text in enumerate(given):
            try:
                yield _taint(text)
            except ValueError as error:
                self.faults.append(Fault(("taints", i), str(error)))


def _taint(text: Any) -> Taint | Untaint:
    """``key=value:Effect``, ``key:Effect``, and with a ``-`` at the end to take it away. ValueError if it is none."""
    if not isinstance(text, str):
        raise ValueError("text such as gpu=yes:NoSchedule is expected here")
    goes = text.endswith("-")
    rest, colon, effect = text.removesuffix("-").partition(":")
    key, _, value = rest.partition("=")
    if fault := label_key_fault(key) or label_value_fault(value):
        raise ValueError(fault)
    if (colon or not goes) and effect not in EFFECTS:
        raise ValueError(f"{quoted(text)} has no effect: it ends with {one_of(f':{each}' for each in EFFECTS)}")
    return Untaint(key, effect) if goes else Taint(key, value, effect)
