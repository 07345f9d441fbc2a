"""Reads and validates the entries of a timeline: what happens to the cluster, and when.

    timeline:
    - at: 3s
      create: {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {...}}
    - at: 1m
      drain: node-1

docs/scenarios.md describes the format. An entry has one action, which determines its other fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.fields import EFFECTS
from kschedlab.manifests.sources import read_all
from kschedlab.messages import later, say
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
from kschedlab.objects.problems import Fault, ManifestError, Path, one_of, shortened
from kschedlab_configuration.faults import decoded
from kschedlab_simulation.controllers.drain import DrainSettings
from kschedlab_simulation.durations import duration_of, parse_run_time
from kschedlab_simulation.timeline.actions import (
    Action,
    ChangeTaints,
    Cordon,
    Create,
    Delete,
    Drain,
    Evict,
    Label,
    RemoveTaint,
    RunOperations,
    Scale,
    TimelineEntry,
    Update,
)
from kschedlab_simulation.timeline.formats import SCHEDULER_PERF, format_reader
from kschedlab_simulation.timeline.manifest_objects import (
    NEW,
    PATCH,
    ManifestObject,
    ObjectReader,
    count_fault,
    in_namespace,
    relative_path,
)
from kschedlab_simulation.timeline.targets import Targets, kinds_of, read_targets

SCALABLE: tuple[type[ApiObject], ...] = (Deployment, ReplicaSet, ReplicationController, StatefulSet)
DRAIN_TIMEOUT = 300_000_000
"""The default timeout of a drain, in microseconds."""

# -- reading


class EntryFields(Part, frozen=True):
    """All possible fields of an entry."""

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


_TARGET_FIELDS = ("namespace", "selector")
ACTIONS: dict[str, tuple[str, ...]] = {
    "create": ("namespace",),
    "update": ("namespace",),
    "delete": (*_TARGET_FIELDS, "grace"),
    "evict": (*_TARGET_FIELDS, "grace"),
    "scale": (*_TARGET_FIELDS, "replicas"),
    "cordon": ("selector",),
    "uncordon": ("selector",),
    "drain": ("selector", "grace", "timeout"),
    "label": (*_TARGET_FIELDS, "labels"),
    "taint": ("selector", "taints"),
    "ops": ("params", "defaultPodTemplatePath"),
}
"""The actions, and the other fields allowed in their entries."""


def read_entries(data: Any, origin: Origin, reader: ObjectReader) -> Iterator[TimelineEntry]:
    """The valid entries of a timeline, which must be in order of time."""
    if not isinstance(data, list):
        if data is None:
            return
        why = later("expected a list of entries, each with at and an action")
        reader.problems.append(origin.problem(Fault((), why)))
        return
    latest, last = -1, 0
    for i, item in enumerate(data):
        place = Origin(origin.text, origin.root, (*origin.path, i))
        entry = _EntryReader(item, place, reader).entry()
        if entry is None:
            continue
        if entry.at < latest:
            why = later(
                '"{time}" is before "{earlier}": entries must be in order of time',
                time=shortened(str(item["at"])),
                earlier=shortened(str(data[last]["at"])),
            )
            reader.problems.append(place.problem(Fault(("at",), why)))
        latest, last = max((latest, last), (entry.at, i))
        yield entry


class _EntryReader:
    """Reads one entry."""

    def __init__(self, data: Any, origin: Origin, reader: ObjectReader) -> None:
        self.faults: list[Fault] = []
        self.origin = origin
        self.reader = reader
        self.data = data
        self.fields = decoded(data, EntryFields, (), self.faults)

    def entry(self) -> TimelineEntry | None:
        """The entry; None, with problems reported, if it is invalid."""
        count = len(self.reader.problems)
        action = self._action() if isinstance(self.data, dict) else None
        at = duration_of(self.fields.at, ("at",), self.faults, parse_run_time) if isinstance(self.data, dict) else None
        self.reader.problems += [self.origin.problem(fault) for fault in self.faults]
        failed = len(self.reader.problems) > count
        if failed or action is None or at is None:
            return None
        return TimelineEntry(at, action, self.origin, next(name for name in ACTIONS if name in self.data))

    def _action(self) -> Action | None:
        names = [name for name in ACTIONS if name in self.data]
        if len(names) != 1:
            found = later("{first} and {last}", first=names[:-1], last=names[-1]) if names else later("none")
            self.faults.append(
                Fault(
                    (),
                    later(
                        "expected exactly one action ({choices}), found {found}", choices=one_of(ACTIONS), found=found
                    ),
                )
            )
            return None
        name = names[0]
        for field in self.data:
            if field not in ("at", name, *ACTIONS[name]) and field in EntryFields.__struct_fields__:
                self.faults.append(Fault((field,), later("is not allowed with {name}", name=name)))
        make: Callable[[str], Action | None] = getattr(self, f"_{name}")
        return make(name)

    # -- actions

    def _create(self, name: str) -> Action:
        return Create(tuple(self._objects(name, NEW)))

    def _update(self, name: str) -> Action:
        return Update(tuple(self._objects(name, PATCH)))

    def _delete(self, name: str) -> Action:
        return Delete(self._targets(name), self._grace())

    def _evict(self, name: str) -> Action:
        return Evict(self._targets(name, Pod), self._grace())

    def _scale(self, name: str) -> Action:
        targets, replicas = self._targets(name), self.fields.replicas
        if why := later("is missing") if replicas is None else count_fault(replicas):
            self.faults.append(Fault(("replicas",), why))
        for kind in kinds_of(targets):
            if not issubclass(kind, SCALABLE):
                scalable = one_of(each.__name__ for each in SCALABLE)
                self.faults.append(
                    Fault(
                        (name,),
                        later("a {kind} cannot be scaled: only {scalable} can", kind=kind.__name__, scalable=scalable),
                    )
                )
        return Scale(targets, replicas or 0)

    def _cordon(self, name: str) -> Action:
        return Cordon(self._targets(name, Node), True)

    def _uncordon(self, name: str) -> Action:
        return Cordon(self._targets(name, Node), False)

    def _drain(self, name: str) -> Action:
        timeout = self.fields.timeout
        limit = DRAIN_TIMEOUT if timeout is None else duration_of(timeout, ("timeout",), self.faults)
        if limit == 0:
            self.faults.append(Fault(("timeout",), "is 0: a drain needs a timeout"))
        return Drain(self._targets(name, Node), DrainSettings(limit or 0, self._grace()))

    def _label(self, name: str) -> Action:
        return Label(self._targets(name), self._labels())

    def _taint(self, name: str) -> Action:
        return ChangeTaints(self._targets(name, Node), tuple(self._taints()))

    def _ops(self, name: str) -> Action | None:
        origin = Origin(self.origin.text, self.origin.root, (*self.origin.path, name))
        try:
            read = format_reader(SCHEDULER_PERF, origin).read_action
        except ManifestError as error:
            self.reader.problems += error.problems
            return None
        action: RunOperations = read(
            self.fields.ops, self.fields.params, origin, self.reader, self.fields.defaultPodTemplatePath
        )
        return action

    # -- fields

    def _objects(self, name: str, purpose: str) -> list[ManifestObject]:
        """The objects in the entry, or in the files that it names."""
        value, objects = self.data[name], []
        for i, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
            path: Path = (name,) if i is None else (name, i)
            if isinstance(item, str):
                objects += self._file(item, path, purpose)
            else:
                origin = Origin(self.origin.text, self.origin.root, (*self.origin.path, *path))
                objects += self.reader.objects(item, origin, purpose)
        if value == []:
            self.faults.append(Fault((name,), "is empty"))
        return in_namespace(objects, self.fields.namespace)

    def _file(self, name: str, path: Path, purpose: str) -> list[ManifestObject]:
        """The objects in a file or folder, relative to the timeline's folder."""
        try:
            texts = read_all([relative_path(self.origin, name)])
            return [item for text in texts for item in self.reader.objects_of_text(text, purpose)]
        except ManifestError as error:
            self.faults.append(Fault(path, "cannot be used"))
            self.reader.problems += error.problems
            return []

    def _targets(self, name: str, implied: type[ApiObject] | None = None) -> Targets:
        fields = self.fields
        targets = read_targets(self.data[name], implied, fields.namespace, fields.selector, (name,), self.faults)
        for kind in kinds_of(targets):
            if implied is not None and kind is not implied:
                self.faults.append(
                    Fault(
                        (name,),
                        later(
                            "names a {kind}: {name} applies to a {implied}",
                            kind=kind.__name__,
                            name=name,
                            implied=implied.__name__,
                        ),
                    )
                )
        return targets

    def _grace(self) -> int | None:
        if self.fields.grace is None:
            return None
        grace = duration_of(self.fields.grace, ("grace",), self.faults) or 0
        if grace % SECOND:
            self.faults.append(Fault(("grace",), "is not a whole number of seconds"))
        return grace // SECOND

    def _labels(self) -> dict[str, str | None]:
        labels = self.fields.labels
        if not isinstance(labels, dict) or not labels:
            self.faults.append(Fault(("labels",), "expected a map of labels (null removes a label)"))
            return {}
        for key, value in labels.items():
            if value is not None and not isinstance(value, str):
                self.faults.append(Fault(("labels", key), "is not text: put it in quotes"))
            elif fault := label_key_fault(key) or label_value_fault(value or ""):
                self.faults.append(Fault(("labels", key), fault))
        return labels

    def _taints(self) -> Iterator[Taint | RemoveTaint]:
        taints = self.fields.taints
        if not isinstance(taints, list) or not taints:
            self.faults.append(Fault(("taints",), 'expected a list such as ["gpu=yes:NoSchedule", "old-"]'))
            return
        for i, text in enumerate(taints):
            try:
                yield _taint(text)
            except ValueError as error:
                self.faults.append(Fault(("taints", i), str(error)))


def _taint(text: Any) -> Taint | RemoveTaint:
    """Parse ``key=value:Effect`` or ``key:Effect``; a final ``-`` removes the taint. ValueError."""
    if not isinstance(text, str):
        raise ValueError(say("expected text such as gpu=yes:NoSchedule"))
    removes = text.endswith("-")
    rest, colon, effect = text.removesuffix("-").partition(":")
    key, _, value = rest.partition("=")
    if fault := label_key_fault(key) or label_value_fault(value):
        raise ValueError(fault)
    if (colon or not removes) and effect not in EFFECTS:
        raise ValueError(
            say(
                '"{text}" has no effect: it ends with {choices}',
                text=shortened(text),
                choices=one_of(f":{each}" for each in EFFECTS),
            )
        )
    return RemoveTaint(key, effect) if removes else Taint(key, value, effect)
