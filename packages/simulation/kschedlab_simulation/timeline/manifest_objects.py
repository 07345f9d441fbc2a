"""The objects in scenario files: typed, validated, and with their place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path as File
from typing import Any, NamedTuple

from msgspec.structs import replace

from kschedlab.generations.feature_gates import FeatureGateError, FeatureGates, chosen
from kschedlab.manifests.checks import faults_of, warnings_of
from kschedlab.manifests.decoding import KINDS, Origin, decode, expanded_lists, fast_json, kind_of, named_origin
from kschedlab.manifests.known_fields import known, unknown_fields, unknown_kind
from kschedlab.manifests.loading import LoadReport
from kschedlab.manifests.source_text import SourceText
from kschedlab.messages import later
from kschedlab.objects.kinds import RESOURCES, Resource
from kschedlab.objects.model import ApiObject, ObjectMeta, PersistentVolume
from kschedlab.objects.problems import Fault, ManifestError, Path, Problem
from kschedlab_validation.workloads import template_faults

NEW, INITIAL, PATCH = "new", "initial", "patch"
"""The purpose of objects: to be created; initial objects (owners need no template then); or merge patches, which are
partial objects."""


MOST = 200_000
"""The highest number of objects that one field creates, so that a slip cannot fill the memory."""


def count_fault(count: int) -> str | None:
    """The fault of a number of objects to create, or None."""
    if count < 0:
        return later("{count} is negative", count=count)
    too_many = later(
        "{count} is more than {most:,}, the most that a simulation creates at once", count=count, most=MOST
    )
    return too_many if count > MOST else None


class ManifestObject(NamedTuple):
    """An object from a file. ``data``: its plain data, before it was typed."""

    obj: ApiObject
    data: dict[str, Any]
    origin: Origin

    @property
    def metadata(self) -> ObjectMeta:
        metadata: ObjectMeta = self.obj.metadata
        return metadata

    @property
    def resource(self) -> Resource:
        return RESOURCES[type(self.obj)]

    @property
    def name(self) -> str:
        """``pod default/web``, ``node n1``, or ``pod default/web-*`` if the server generates the name."""
        metadata = self.metadata
        key = self.resource.key(metadata.namespace or "default", metadata.name or f"{metadata.generateName}*")
        return f"{type(self.obj).__name__.lower()} {key}"

    def problem(self, message: str) -> Problem:
        """A problem with the object as a whole."""
        kind = type(self.obj).__name__
        return named_origin(self.origin, self.data.get("metadata"), kind).problem(Fault((), message))


class ObjectReader:
    """Reads objects and collects their problems. ``report``: counts, warnings, ignored kinds.

    ``named``: False for templates, whose objects are named later, and of which nobody is warned. ``strict``: whether
    fields, kinds and API versions that Kubernetes does not know are problems, not warnings. ``any_case``: whether
    fields may be written in any case.
    """

    def __init__(self, named: bool = True, strict: bool = False, any_case: bool = False) -> None:
        self.named = named
        self.strict = strict
        self.any_case = any_case
        self.problems: list[Problem] = []
        self.report = LoadReport(simulated=True)
        self._warned: set[tuple[Path, str]] = set()

    def objects_of_text(self, text: SourceText, purpose: str = NEW) -> Iterator[ManifestObject]:
        """The objects in a file. ManifestError if its syntax is invalid."""
        for root, data in self.roots(text):
            yield from self.objects(data, Origin(text, root, ()), purpose)

    def roots(self, text: SourceText) -> Iterator[tuple[int, Any]]:
        """(number, data) of the non-empty documents in a file."""
        fast = list((fast_json(text) if text.is_json else None) or ())
        if fast and fast[0][1].path:
            yield 0, {"kind": "List", "items": [data for data, _ in fast]}
            return
        composed = text.compose()
        self.problems += [text.problem(line, message) for line, message in composed.faults]
        yield from ((root, data) for root, (data, _) in enumerate(composed.roots) if data is not None)

    def objects(self, data: Any, origin: Origin, purpose: str = NEW) -> Iterator[ManifestObject]:
        """The object, or the objects of a list."""
        for item, item_origin in expanded_lists(data, origin):
            kind = kind_of(item)
            if isinstance(kind, Fault):
                self.problems.append(item_origin.problem(kind))
                continue
            if fault := unknown_kind(item):
                self._doubt(item_origin, fault)
            if served(*kind):
                manifest = self._object(item, kind[0], item_origin, purpose)
                if manifest is not None:
                    yield manifest
            else:
                self.report.unknown[kind[1]] = self.report.unknown.get(kind[1], 0) + 1

    def _object(self, data: dict[str, Any], kind: str, origin: Origin, purpose: str) -> ManifestObject | None:
        self.report.counts[kind] = self.report.counts.get(kind, 0) + 1
        named = named_origin(origin, data.get("metadata"), kind)
        if self.any_case:
            data = respelt(data, kind)
        for fault in unknown_fields(data, kind):
            self._doubt(named, fault)
        obj, faults = decode(data, kind)
        if not faults:
            faults = _name_faults(obj) if purpose == PATCH else _faults(obj, self.named, purpose)
            faults += _count_faults(obj)
        if faults:
            self.problems += [named.problem(fault) for fault in faults]
            return None
        for warning in warnings_of(obj) if self.named and purpose != PATCH else ():
            self._warn(named, warning)
        return ManifestObject(obj, data, origin)

    def _doubt(self, origin: Origin, fault: Fault) -> None:
        """A field, a kind or an API version is unknown."""
        if self.strict:
            self.problems.append(origin.problem(fault))
        else:
            self._warn(origin, fault)

    def _warn(self, origin: Origin, warning: Fault) -> None:
        key = (warning.path[-1:], warning.message)
        if key not in self._warned:
            self._warned.add(key)
            self.report.warnings.append(str(origin.problem(warning)))

    def gates(self, gates: FeatureGates, path: Path, origin: Origin, *, emulated: bool = False) -> FeatureGates:
        """The modelled gates of these that leave their defaults; warns of the others. See ``feature_gates.chosen``."""
        try:
            choice = chosen(gates, emulated=emulated)
        except FeatureGateError as error:
            self.problems.append(origin.problem(Fault(path, str(error))))
            return {}
        self.report.warnings += [str(origin.problem(Fault(path, note))) for note in choice.notes]
        return choice.modelled

    def finish(self) -> None:
        """ManifestError if there are problems."""
        if self.problems:
            raise ManifestError(self.problems)


def served(kind: str, full: str) -> bool:
    """Whether the API server serves this kind (``full``: with its group)."""
    kind_type = KINDS.get(kind)
    group = RESOURCES[kind_type].group if kind_type is not None else ""
    return kind_type is not None and full == (f"{kind}.{group}" if group else kind)


def _faults(obj: ApiObject, named: bool, purpose: str) -> list[Fault]:
    """Errors for which the API server would reject the object, except for names that are generated or set later."""
    metadata = obj.metadata
    if isinstance(obj, PersistentVolume) and not named and obj.spec.csi is not None:
        obj = replace(obj, spec=replace(obj.spec, csi=replace(obj.spec.csi, volumeHandle="x")))
    if not metadata.name and (metadata.generateName or not named):
        obj = replace(obj, metadata=replace(metadata, name=f"{metadata.generateName}x"))
    return [*faults_of(obj), *template_faults(obj, may_lack=purpose == INITIAL)]


def _count_faults(obj: ApiObject) -> list[Fault]:
    """Errors in the numbers of pods that an owner asks for."""
    spec = getattr(obj, "spec", None)
    counts = {name: getattr(spec, name, None) or 0 for name in ("replicas", "parallelism", "completions")}
    return [
        Fault(("spec", name), fault) for name, count in counts.items() if count > 0 and (fault := count_fault(count))
    ]


def _name_faults(obj: ApiObject) -> list[Fault]:
    metadata = obj.metadata
    return [] if metadata.name else [Fault(("metadata", "name"), "is missing")]


def in_namespace(manifests: Iterable[ManifestObject], namespace: str) -> list[ManifestObject]:
    """The objects, with this namespace where they have none."""
    return [_with_namespace(manifest, namespace) for manifest in manifests]


def _with_namespace(manifest: ManifestObject, namespace: str) -> ManifestObject:
    if not namespace or manifest.metadata.namespace or not manifest.resource.namespaced:
        return manifest
    metadata = replace(manifest.metadata, namespace=namespace)
    return manifest._replace(obj=replace(manifest.obj, metadata=metadata))


def relative_path(origin: Origin, name: str) -> str:
    """The path of a file, relative to the folder of the file that names it."""
    return str(File(origin.text.name).parent / name) if origin.text is not None else name


def respelt(data: dict[str, Any], kind: str) -> dict[str, Any]:
    """The object with fields in Kubernetes' spelling where only the case differs: Go's encoding/json ignores it."""
    types = known().types

    def respell(value: Any, name: str) -> Any:
        if isinstance(value, list):
            return [respell(each, name) for each in value]
        if not isinstance(value, dict) or not name:
            return value
        if name.startswith("*"):
            return {key: respell(each, name[1:]) for key, each in value.items()}
        fields, spelt = types[name], {field.casefold(): field for field in types[name]}
        fixed = {}
        for written, inside in value.items():
            field: str = written if written in fields else spelt.get(str(written).casefold(), str(written))
            fixed[field] = respell(inside, fields.get(field, ""))
        return fixed

    respelt: dict[str, Any] = respell(data, kind)
    return respelt
