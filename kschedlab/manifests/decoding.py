"""Decodes plain data into typed objects: expands lists, identifies kinds, and locates errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from kschedlab.manifests.schema import decode_value, validated
from kschedlab.manifests.source_text import SourceText
from kschedlab.messages import later, say
from kschedlab.objects.kinds import OF_CONTROLLERS, RESOURCES
from kschedlab.objects.meta import CLUSTER_SCOPED
from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import WRITTEN, Fault, Path, Problem, path_text, placed, shortened

GROUPS = {kind.__name__: resource.group for kind, resource in RESOURCES.items() if kind not in OF_CONTROLLERS}
"""The API group of each kind that the scheduler reads."""

KINDS: dict[str, type[ApiObject]] = {kind.__name__: kind for kind in ApiObject.__subclasses__()}


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of an object: the input, the index of its document there, and its path in the document.

    ``text``: None for parsed objects; ``root`` is then the object's index. ``kind``, ``name``: as messages give them.
    """

    text: SourceText | None
    root: int
    path: Path
    kind: str = ""
    name: str = ""

    def problem(self, fault: Fault) -> Problem:
        line, spelling = self._locate(fault.path)
        message = say(fault.message).replace(WRITTEN, shortened(spelling or fault.written))
        message = placed(path_text(fault.path), message)
        message = placed(f"{self.kind} {self.name}" if self.kind else "", message)
        if self.text is None:
            return Problem(self.root, 0, f"objects[{self.root}]", message)
        return self.text.problem(line, message)

    @property
    def place(self) -> str:
        """``cluster.yaml:41``, or ``objects[3]``."""
        return f"{self.text.name}:{self._locate(())[0]}" if self.text is not None else f"objects[{self.root}]"

    def _locate(self, path: Path) -> tuple[int, str | None]:
        return self.text.locate(self.root, (*self.path, *path)) if self.text is not None else (0, None)


def named_origin(origin: Origin, metadata: Any, kind: str) -> Origin:
    metadata = metadata if isinstance(metadata, dict) else {}
    name, namespace = metadata.get("name") or say(later("(without a name)")), metadata.get("namespace") or "default"
    full_name = shortened(str(name))
    if kind not in CLUSTER_SCOPED:
        full_name = f"{shortened(str(namespace))}/{full_name}"
    return Origin(origin.text, origin.root, origin.path, kind, full_name)


def expanded_lists(data: Any, origin: Origin) -> Iterator[tuple[Any, Origin]]:
    """The object itself, or the items of a list (``List``, ``PodList``, ...), each with its origin."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(data.get("items"), list):
        yield data, origin
        return
    for i, item in enumerate(data["items"]):
        item = _with_kind(item, kind, data.get("apiVersion", "v1"))
        yield from expanded_lists(item, Origin(origin.text, origin.root, (*origin.path, "items", i)))


def _with_kind(item: Any, list_kind: str, version: Any) -> Any:
    """The item, with the kind and version of a ``PodList`` if it names no kind of its own."""
    if list_kind == "List" or not isinstance(item, dict) or "kind" in item:
        return item
    return {"kind": list_kind.removesuffix("List"), "apiVersion": version} | item


def kind_of(data: Any) -> tuple[str, str] | Fault:
    """(kind, kind.group as kubectl names it) of an object, or a fault if it has no kind."""
    if not isinstance(data, dict):
        return Fault((), "expected a Kubernetes object with apiVersion, kind and metadata")
    kind, version = data.get("kind"), data.get("apiVersion")
    if kind is None or kind == "":
        return Fault((), "kind is missing: expected a Kubernetes object with apiVersion, kind and metadata")
    if not isinstance(kind, str):
        return Fault(("kind",), "expected text")
    if version is not None and not isinstance(version, str):
        return Fault(("apiVersion",), later("{value} is not text: put it in quotes", value=WRITTEN))
    group = version.rpartition("/")[0] if version is not None else GROUPS.get(kind, "")
    return kind, f"{kind}.{group}" if group else kind


def is_read(kind: str, qualified: str) -> bool:
    return kind in GROUPS and qualified == (f"{kind}.{GROUPS[kind]}" if GROUPS[kind] else kind)


def decode(data: dict[str, Any], kind: str) -> tuple[ApiObject, list[Fault]]:
    """The typed object, without the fields that do not fit their types, and a fault for each of these."""
    struct = KINDS[kind]
    try:
        return msgspec.convert(data, struct, dec_hook=decode_value), []
    except (msgspec.ValidationError, ValueError, NotImplementedError):
        valid, faults = validated(data, struct)
    return msgspec.convert(valid, struct, dec_hook=decode_value), faults


class _List(msgspec.Struct):
    kind: str = ""
    apiVersion: str = "v1"
    items: list[msgspec.Raw] | None = None


_JSON = msgspec.json.Decoder(float_hook=Decimal)
_LISTS = msgspec.json.Decoder(_List)
_RAW = msgspec.json.Decoder(msgspec.Raw)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def fast_json(text: SourceText) -> Iterator[tuple[Any, Origin]] | None:
    """The objects, read twice to take little memory; None if it needs the slow reader, which locates errors."""
    try:
        content = text.encoded
        for _ in _fast_json(text, content):
            pass
    except (RecursionError, ValueError):
        return None
    return _fast_json(text, content)


def _fast_json(text: SourceText, content: bytes) -> Iterator[tuple[Any, Origin]]:
    try:
        document = _LISTS.decode(content)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        for root, raw in enumerate(_RAW.decode_lines(content)):
            yield from expanded_lists(strict_json(raw), Origin(text, root, ()))
        return
    check_fields(content)
    if document.items is None or not document.kind.endswith("List"):
        yield from expanded_lists(strict_json(msgspec.Raw(content)), Origin(text, 0, ()))
        return
    for i, raw in enumerate(document.items):
        item = _with_kind(strict_json(raw), document.kind, document.apiVersion)
        yield from expanded_lists(item, Origin(text, 0, ("items", i)))


def strict_json(raw: msgspec.Raw) -> Any:
    """The value. ValueError if a map in it has a key twice."""
    encoded = bytes(raw)
    value = _JSON.decode(encoded)
    if msgspec.json.format(encoded, indent=-1) != msgspec.json.encode(value):
        _check_keys(encoded)
    return value


def check_fields(encoded: bytes) -> None:
    """ValueError if the outermost map has a key twice; what is inside its values is not checked."""
    fields = _FIELDS.decode(encoded)
    sizes = [len(msgspec.json.encode(key)) + len(msgspec.json.format(raw, indent=-1)) for key, raw in fields.items()]
    if len(msgspec.json.format(encoded, indent=-1)) != sum(sizes) + 2 * len(sizes) + (1 if sizes else 2):
        _check_keys(encoded)


def _check_keys(encoded: bytes) -> None:
    """ValueError if any map has a key twice. Slow: for JSON that differs from what this program would write."""
    json.loads(encoded, object_pairs_hook=_unique, parse_int=str, parse_float=str)


def _unique(members: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in members]
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(later('the key "{key}" appears twice in the same map', key=shortened(twice)))
