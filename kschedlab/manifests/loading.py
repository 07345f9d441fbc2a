"""Loads manifests into objects. An error lists everything that is wrong with the input, and nothing is loaded.

objects = load("cluster.yaml", "more/")          files, folders, "-" for standard input, open files
objects = loads(text)
objects = decode_objects(scenario["objects"])    parsed JSON, or msgspec.Raw
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from kschedlab.manifests.checks import faults_of, priority_fault, warnings_of
from kschedlab.manifests.decoding import (
    Origin,
    decode,
    expanded_lists,
    fast_json,
    is_read,
    kind_of,
    named_origin,
    strict_json,
)
from kschedlab.manifests.defaults import priority_classes, with_defaults
from kschedlab.manifests.known_fields import unknown_fields, unknown_kind
from kschedlab.manifests.source_text import SourceText
from kschedlab.messages import later, say
from kschedlab.objects import model
from kschedlab.objects.meta import Time
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import Fault, ManifestError, Problem, path_text, safe_text, shortened
from kschedlab.objects.quantity import INT64_MAX
from kschedlab.objects.requests import nonzero_requests, pod_requests

if TYPE_CHECKING:
    from kschedlab.manifests.sources import Source


T = TypeVar("T", bound=msgspec.Struct)
D = TypeVar("D", bound=model.ApiObject)

LONGEST_BASE = 58
"""The length of a generateName that the API server keeps (v1.37: k8s.io/apiserver pkg/storage/names/generate.go)."""
METADATA = ("name", "namespace", "annotations", "ownerReferences", "creationTimestamp")
SPEC = (
    *("nodeName", "schedulerName", "containers", "initContainers", "overhead", "nodeSelector", "affinity"),
    *("tolerations", "topologySpreadConstraints", "volumes"),
)
STATUS = ("phase", "startTime", "conditions", "containerStatuses", "hostIP")
"""Fields that many pods have in common. Their labels differ: a pod of a StatefulSet carries its own name."""


class Sharing:
    """The parts read so far, by their text. Equal parts become one object, which saves memory."""

    def __init__(self) -> None:
        self._values: dict[object, object] = {}
        self._texts: dict[str, str] = {}
        self._encoder = msgspec.json.Encoder(enc_hook=id)

    def shared(self, pod: Pod) -> Pod:
        text, metadata = self._texts.setdefault, self._with_shared(pod.metadata, METADATA)
        labels = {text(key, key): text(value, value) for key, value in metadata.labels.items()}
        return Pod(
            apiVersion=text(pod.apiVersion, pod.apiVersion),
            metadata=msgspec.structs.replace(metadata, labels=self._kept("labels", labels)),
            spec=self._with_shared(pod.spec, SPEC),
            status=self._with_shared(pod.status, STATUS),
        )

    def _with_shared(self, part: T, fields: tuple[str, ...]) -> T:
        changes = {}
        for name in fields:
            value = getattr(part, name)
            kept = self._kept(name, value)
            if kept is not value:
                changes[name] = kept
        return msgspec.structs.replace(part, **changes) if changes else part

    def _kept(self, name: str, value: object) -> object:
        if isinstance(value, str):
            return self._texts.setdefault(value, value)
        if value is None or value == ():
            return value
        key = int(value) if isinstance(value, Time) else self._encoder.encode(value)
        return self._values.setdefault((name, key), value)


__all__ = ["LoadReport", "ManifestError", "Objects", "decode_objects", "load", "loads"]


@dataclass
class LoadReport:
    """``counts``: objects by kind; ``unknown``: of kinds that are not read. ``simulated``: a simulation reads them."""

    counts: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    simulated: bool = False

    @property
    def total(self) -> int:
        """The number of objects, ignored ones included."""
        return sum(self.counts.values()) + sum(self.unknown.values())

    def lines(self) -> list[str]:
        """The warnings, and the kinds that were ignored, as lines for a user."""
        gated = {kind: count for kind, count in self.unknown.items() if kind in GATED}
        others = {kind: count for kind, count in self.unknown.items() if kind not in gated}
        off = later("ignored, because the feature gate GenericWorkload is off: {kinds}")
        unread = later("ignored, because the scheduler does not read them: {kinds}")
        if self.simulated:
            unread = later("ignored, because nothing in a simulation reads them: {kinds}")
        ignored = [say(why, kinds=_counted(kinds)) for why, kinds in ((off, gated), (unread, others)) if kinds]
        return [*self.warnings, *ignored]


_LISTED = 30
"""The most ignored kinds that are named."""

_GROUPS = ("CompositePodGroup", "PodGroup", "Workload")
GATED = frozenset(f"{kind}.scheduling.k8s.io" for kind in _GROUPS)
"""Kinds that v1.37 reads only with the feature gate GenericWorkload, which is off by default: gang scheduling."""


def _counted(kinds: Mapping[str, int]) -> str:
    named = [f"{safe_text(shortened(kind))} ({count})" for kind, count in sorted(kinds.items())]
    more = later(" and {number} more kinds", number=len(named) - _LISTED) if len(named) > _LISTED else ""
    return ", ".join(named[:_LISTED]) + say(more)


@dataclass(repr=False)
class Objects:
    """The objects of a cluster, with the API server's defaults, in the order of the input. ``others``: by kind."""

    nodes: list[model.Node] = field(default_factory=list)
    pods: list[model.Pod] = field(default_factory=list)
    others: dict[type[model.ApiObject], list[Any]] = field(default_factory=dict)
    report: LoadReport = field(default_factory=LoadReport)

    def __iter__(self) -> Iterator[Any]:
        return chain(self.nodes, self.pods, *self.others.values())

    def __repr__(self) -> str:
        return f"<Objects: {_counted(Counter(type(each).__name__ for each in self)) or 'none'}>"

    def of(self, kind: type[D]) -> list[D]:
        """The objects of that kind, to read or to change."""
        own: Any = {model.Node: self.nodes, model.Pod: self.pods}.get(kind)
        return self.others.setdefault(kind, []) if own is None else own


def load(*sources: Source, strict: bool = False) -> Objects:
    """Load files, folders, open files or ``-`` (standard input).

    ManifestError if anything is wrong, or if there is no object in them. ``strict``: fields, kinds and API versions
    that Kubernetes does not know are errors, as for kubectl; otherwise the report warns of them.
    """
    from kschedlab.manifests.sources import read_all

    return _load_texts(read_all(sources), needs_objects=True, strict=strict)


def loads(text: str, name: str = "<text>") -> Objects:
    """Load YAML or JSON text. ManifestError if anything is wrong."""
    return _load_texts([SourceText(0, name, text)])


def decode_objects(
    manifests: Iterable[msgspec.Raw | Mapping[str, Any]], classes: Iterable[model.PriorityClass] = ()
) -> Objects:
    """Load objects from parsed or raw JSON. ManifestError names them by their index: ``objects[3]``.

    ``classes``: PriorityClasses that exist already.
    """
    with gc_paused():
        loader = _Loader(classes)
        for index, manifest in enumerate(manifests):
            origin = Origin(None, index, ())
            try:
                data = strict_json(manifest) if isinstance(manifest, msgspec.Raw) else manifest
            except (RecursionError, ValueError) as error:
                loader.problems.append(origin.problem(Fault((), later("cannot be read: {why}", why=_why(error)))))
                continue
            loader.add_all(expanded_lists(data, origin))
        return loader.finish()


def _why(error: Exception) -> object:
    if isinstance(error, RecursionError):
        return later("it is nested too deep")
    return error.args[0] if len(error.args) == 1 else error


def _load_texts(texts: Iterable[SourceText], needs_objects: bool = False, strict: bool = False) -> Objects:
    with gc_paused():
        loader = _Loader(strict=strict)
        empty: list[Problem] = []
        for text in texts:
            before = loader.seen
            try:
                loader.add_text(text)
            except ManifestError as error:
                loader.problems.extend(error.problems)
            if loader.seen == before:
                empty.append(text.emptiness)
        if needs_objects and not loader.seen:
            loader.problems += empty
        objects = loader.finish()
        objects.report.warnings += map(str, empty if needs_objects else [])
        return objects


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause garbage collection, which would walk through all objects again and again and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Loaded(NamedTuple):
    document: model.ApiObject
    origin: Origin

    @property
    def named(self) -> Origin:
        metadata = self.document.metadata
        names = {"name": metadata.name, "namespace": metadata.namespace}
        return named_origin(self.origin, names, type(self.document).__name__)


class _Loader:
    """Collects what it reads. ``warnings``: by field and message, the first one, its place, and how many there are."""

    def __init__(self, classes: Iterable[model.PriorityClass] = (), strict: bool = False) -> None:
        self.classes = tuple(classes)
        self.strict = strict
        self.loaded: list[_Loaded] = []
        self.problems: list[Problem] = []
        self.warnings: dict[tuple[str, str], tuple[Origin, Fault, int]] = {}
        self.report = LoadReport()
        self.generated = 0

    @property
    def seen(self) -> int:
        """The number of objects and problems so far."""
        return self.report.total + len(self.problems)

    def add_text(self, text: SourceText) -> None:
        objects = fast_json(text) if text.is_json else None
        if objects is not None:
            self.add_all(objects)
            return
        composer = text.compose()
        self.problems += [text.problem(line, message) for line, message in composer.faults]
        for root, (data, _) in enumerate(composer.roots):
            if data is not None:
                self.add_all(expanded_lists(data, Origin(text, root, ())))

    def add_all(self, objects: Iterator[tuple[Any, Origin]]) -> None:
        for data, origin in objects:
            kind = kind_of(data)
            if isinstance(kind, Fault):
                self.problems.append(origin.problem(kind))
                continue
            if fault := unknown_kind(data):
                self._doubt(origin, fault)
            if is_read(*kind):
                self._add(data, kind[0], origin)
            else:
                self.report.unknown[kind[1]] = self.report.unknown.get(kind[1], 0) + 1

    def _add(self, data: dict[str, Any], kind: str, origin: Origin) -> None:
        self.report.counts[kind] = self.report.counts.get(kind, 0) + 1
        document, faults = decode(data, kind)
        document = self._named(document)
        undecoded = [fault.path for fault in faults]
        faults += [f for f in faults_of(document) if not any(f.path[: len(path)] == path for path in undecoded)]
        for fault in unknown_fields(data, kind):
            self._doubt(named_origin(origin, data.get("metadata"), kind), fault)
        if faults:
            named = named_origin(origin, data.get("metadata"), kind)
            self.problems += [named.problem(fault) for fault in faults]
            return
        loaded = _Loaded(document, origin)
        self.loaded.append(loaded)
        for warning in warnings_of(document):
            self._warn(loaded.named, warning)

    def _named(self, document: model.ApiObject) -> model.ApiObject:
        """The object with a name of its generateName, which it would get from the API server: web-00001, web-00002."""
        metadata = document.metadata
        if metadata.name or not metadata.generateName:
            return document
        self.generated += 1
        name = f"{metadata.generateName[:LONGEST_BASE]}{self.generated:05}"
        return replace(document, metadata=replace(metadata, name=name))

    def _doubt(self, origin: Origin, fault: Fault) -> None:
        """A field, a kind or an API version is unknown."""
        if self.strict:
            self.problems.append(origin.problem(fault))
        else:
            self._warn(origin, fault)

    def _warn(self, origin: Origin, warning: Fault) -> None:
        key = (path_text([step for step in warning.path if isinstance(step, str)]), warning.message)
        first, fault, count = self.warnings.get(key, (origin, warning, 0))
        self.warnings[key] = (first, fault, count + 1)

    def finish(self) -> Objects:
        """The objects with their defaults. ManifestError if there is any problem."""
        objects, sharing = Objects(report=self.report), Sharing()
        loaded_classes = (o.document for o in self.loaded if isinstance(o.document, model.PriorityClass))
        classes = priority_classes([*self.classes, *loaded_classes])
        origins: dict[tuple[type, str, str], Origin] = {}
        for i, loaded in enumerate(self.loaded):
            if isinstance(loaded.document, model.Pod) and (fault := priority_fault(loaded.document, classes)):
                self.problems.append(loaded.named.problem(fault))
                continue
            document = with_defaults(loaded.document, classes)
            document = sharing.shared(document) if isinstance(document, model.Pod) else document
            self.loaded[i] = loaded._replace(document=document)  # what it shares with others need not stay
            key = (type(document), document.metadata.namespace, document.metadata.name)
            if (first := origins.setdefault(key, loaded.origin)) is not loaded.origin:
                twice = Fault((), later("is defined twice, first at {place}", place=first.place))
                self.problems.append(loaded.named.problem(twice))
            objects.of(type(document)).append(document)
        self._check_sums(objects.pods)
        if self.problems:
            raise ManifestError(self.problems)
        self._check_nodes(objects)
        self.report.warnings = [_warning(*warning) for warning in self.warnings.values()]
        return objects

    def _check_nodes(self, objects: Objects) -> None:
        """Warn of pods on nodes that do not exist. The real scheduler keeps them, but they affect no decision."""
        names = {node.metadata.name for node in objects.nodes}
        for loaded in self.loaded:
            pod = loaded.document
            if isinstance(pod, model.Pod) and pod.spec.nodeName and pod.spec.nodeName not in names:
                message = later('there is no node "{name}": decisions ignore the pod')
                fault = Fault(("spec", "nodeName"), later(message, name=shortened(pod.spec.nodeName)))
                self._warn(loaded.named, fault)

    def _check_sums(self, pods: list[model.Pod]) -> None:
        """Refuse a cluster whose requests add up to more than an int64 on a node, or in a pod."""
        totals: dict[tuple[str, str], int] = {}
        for pod in pods if _could_overflow(pods) else ():
            cpu, memory = nonzero_requests(pod)
            requests = pod_requests(pod) | {"cpu": cpu, "memory": memory}
            for name, amount in requests.items():
                key = (pod.spec.nodeName or pod.key, name)
                before = totals.get(key, 0)
                totals[key] = before + amount
                if before <= INT64_MAX < before + amount:
                    place = later("on node {name}", name=key[0]) if pod.spec.nodeName else later("in the pod")
                    values = {"resource": name, "place": place, "most": INT64_MAX}
                    message = later("requests of {resource} {place} add up to more than {most}", **values)
                    loaded = next(each for each in self.loaded if each.document is pod)
                    self.problems.append(loaded.named.problem(Fault(("spec", "containers"), message)))


def _could_overflow(pods: Iterable[model.Pod]) -> bool:
    """Whether any amount is so large that a million of that size would exceed an int64."""
    limit = INT64_MAX // 1_000_000
    for pod in pods:
        lists = [container.resources.requests for container in (*pod.spec.containers, *pod.spec.initContainers)]
        if pod.spec.resources is not None:
            lists.append(pod.spec.resources.requests)
        for resources in (*lists, pod.spec.overhead):
            for name, quantity in resources.items():
                if quantity.amount(name) > limit:
                    return True
    return False


def _warning(origin: Origin, fault: Fault, count: int) -> str:
    problem = str(origin.problem(fault))
    if count == 1 or not origin.kind:
        return problem
    return problem + say(later(" (and {number} more of kind {kind})", number=count - 1, kind=origin.kind))
