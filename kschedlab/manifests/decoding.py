"""Plain data to typed objects: lists opened, kinds told apart, faults found with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from kschedlab.manifests.defaults import CLUSTER_SCOPED
from kschedlab.manifests.schema import decode_value, fitted
from kschedlab.manifests.sources import Text
from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import WRITTEN, Fault, Path, Problem, path_text, shortened

GROUPS = {
    "Node": "",
    "Pod": "",
    "Namespace": "",
    "Service": "",
    "ReplicationController": "",
    "PersistentVolume": "",
    "PersistentVolumeClaim": "",
    "PodDisruptionBudget": "policy",
    "PriorityClass": "scheduling.k8s.io",
    "ReplicaSet": "apps",
    "StatefulSet": "apps",
    "StorageClass": "storage.k8s.io",
    "CSINode": "storage.k8s.io",
    "VolumeAttachment": "storage.k8s.io",
    "CSIDriver": "storage.k8s.io",
    "CSIStorageCapacity": "storage.k8s.io",
}
"""The API group of every kind that the scheduler reads."""

KINDS: dict[str, type[ApiObject]] = {kind.__name__: kind for kind in ApiObject.__subclasses__()}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an object stands: in which input, which document of it, and the way to it inside."""

    text: Text | None
    root: int
    path: Path
    kind: str = ""
    name: str = ""

    def problem(self, fault: Fault) -> Problem:
        """The fault with its line and the object's name."""
        line, written = self._locate(fault.path)
        subject = f"{self.kind} {self.name}: " if self.kind else ""
        field = f"{path_text(fault.path)}: " if fault.path else ""
        message = subject + field + fault.message.replace(WRITTEN, shortened(written or fault.value))
        if self.text is None:
            return Problem(self.root, 0, f"objects[{self.root}]", message)
        return self.text.problem(line, message)

    @property
    def place(self) -> str:
        """``cluster.yaml:41``, or ``objects[3]``."""
        return f"{self.text.name}:{self._locate(())[0]}" if self.text is not None else f"objects[{self.root}]"

    def _locate(self, path: Path) -> tuple[int, str | None]:
        return self.text.locate(self.root, (*self.path, *path)) if self.text is not None else (0, None)


def described(origin: Origin, metadata: Any, kind: str) -> Origin:
    """The origin with the object's kind and name, as messages give them."""
    metadata = metadata if isinstance(metadata, dict) else {}
    name, namespace = metadata.get("name") or "(without a name)", metadata.get("namespace") or "default"
    full = shortened(str(name)) if kind in CLUSTER_SCOPED else f"{shortened(str(namespace))}/{shortened(str(name))}"
    return Origin(origin.text, origin.root, origin.path, kind, full)


def items(data: Any, origin: Origin) -> Iterator[tuple[Any, Origin]]:
    """The object, or those in it if it is a list (``List``, ``PodList``, ...)."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(data.get("items"), list):
        yield data, origin
        return
    inherited = {"kind": kind[:-4], "apiVersion": data.get("apiVersion", "v1")} if kind != "List" else {}
    for i, item in enumerate(data["items"]):
        if inherited and isinstance(item, dict) and "kind" not in item:
            item = inherited | item
        yield from items(item, Origin(origin.text, origin.root, (*origin.path, "items", i)))


def kind_of(data: Any) -> tuple[str, str] | Fault:
    """(kind, the kind with its group as kubectl names it) of an object, or why it has none."""
    if not isinstance(data, dict):
        return Fault((), "a Kubernetes object is expected here, with apiVersion, kind and metadata")
    kind, version = data.get("kind"), data.get("apiVersion")
    if kind is None or kind == "":
        return Fault((), "kind is missing: a Kubernetes object is expected here, with apiVersion, kind and metadata")
    if not isinstance(kind, str):
        return Fault(("kind",), "text is expected here")
    if version is not None and not isinstance(version, str):
        return Fault(("apiVersion",), f"{WRITTEN} is not text: put it in quotes")
    group = version.rpartition("/")[0] if version is not None else GROUPS.get(kind, "")
    return kind, f"{kind}.{group}" if group else kind


def is_read(kind: str, full: str) -> bool:
    """Whether the scheduler reads objects of this kind (and group)."""
    return kind in GROUPS and full == (f"{kind}.{GROUPS[kind]}" if GROUPS[kind] else kind)


def decode(data: dict[str, Any], kind: str) -> tuple[ApiObject, list[Fault]]:
    """The typed object, and the faults of its shape; what they are about is left out of the object."""
    wanted = KINDS[kind]
    try:
        return msgspec.convert(data, wanted, dec_hook=decode_value), []
    except (msgspec.ValidationError, ValueError, NotImplementedError):
        fit, faults = fitted(data, wanted)
    return msgspec.convert(fit, wanted, dec_hook=decode_value), faults


# -- JSON, the fast way


class _List(msgspec.Struct):
    kind: str = ""
    apiVersion: str = "v1"
    items: list[msgspec.Raw] | None = None


_JSON = msgspec.json.Decoder(float_hook=Decimal)
_LISTS = msgspec.json.Decoder(_List)
_RAW = msgspec.json.Decoder(msgspec.Raw)


def fast_json(text: Text) -> list[tuple[Any, Origin]] | None:
    """The objects in the input, or None if there is anything in it that has to be looked at closely."""
    try:
        return list(_fast_json(text))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


def _fast_json(text: Text) -> Iterator[tuple[Any, Origin]]:
    content = text.content.encode()
    try:
        found = _LISTS.decode(content)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        for root, raw in enumerate(_RAW.decode_lines(content)):
            yield from items(strict_json(raw), Origin(text, root, ()))
        return
    if found.items is None or not found.kind.endswith("List"):
        yield from items(strict_json(msgspec.Raw(content)), Origin(text, 0, ()))
        return
    inherited = {"kind": found.kind[:-4], "apiVersion": found.apiVersion} if found.kind != "List" else {}
    for i, raw in enumerate(found.items):
        item = strict_json(raw)
        if inherited and isinstance(item, dict):
            item = inherited | item
        yield from items(item, Origin(text, 0, ("items", i)))


def strict_json(raw: msgspec.Raw) -> Any:
    """The value. ValueError if a map gives a key twice: then the value written out again has fewer keys.

    In JSON ``":`` ends a key, except after a backslash inside a text.
    """
    written = bytes(raw)
    value = _JSON.decode(written)
    again = msgspec.json.encode(value)
    if _keys(written) != _keys(again):
        raise ValueError("a key is given twice")
    return value


def _keys(json: bytes) -> int:
    return json.count(b'":') - json.count(b'\\":')
