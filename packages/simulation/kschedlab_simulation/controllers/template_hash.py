"""The hashes of a pod template, which name a Deployment's ReplicaSets and a StatefulSet's revisions.

v1.37: pkg/controller/controller_utils.go (ComputeHash), pkg/util/hash/hash.go (DeepHashObject), k8s.io/utils/dump
(ForHash); pkg/controller/history/controller_history.go (HashControllerRevision), statefulset/stateful_set_utils.go
(getPatch). A Deployment's template is hashed as Go prints its types: all fields in their order, also those that are not
set; a StatefulSet's as JSON. template_types.txt lists the types (tools/templates prints them). A hash is the real one
as long as the template has no field that kschedlab does not model, such as a container's environment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from kschedlab.objects.model import Container, PodTemplate
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.server.names import safe_encoded

_DEFAULTS: dict[tuple[str, str], Any] = {
    ("v1.Container", "terminationMessagePath"): "/dev/termination-log",
    ("v1.Container", "terminationMessagePolicy"): "File",
    ("v1.PodSpec", "dnsPolicy"): "ClusterFirst",
    ("v1.PodSpec", "restartPolicy"): "Always",
    ("v1.PodSpec", "schedulerName"): "default-scheduler",
    ("v1.PodSpec", "securityContext"): {},
    ("v1.PodSpec", "terminationGracePeriodSeconds"): 30,
    ("v1.ContainerPort", "protocol"): "TCP",
    ("v1.PersistentVolumeClaimSpec", "volumeMode"): "Filesystem",
}
"""The fields that the API server fills in."""

_AMOUNT = re.compile(r"([-+]?\d+)(.*)")
_DECIMAL = {"m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_OFFSET, _PRIME = 0x811C9DC5, 0x01000193
_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"


def template_hash(template: PodTemplate, collisions: int | None = None) -> str:
    """The hash in safe letters; ``collisions``: the Deployment's collisionCount."""
    text = f"(v1.PodTemplateSpec){_struct('v1.PodTemplateSpec', template)}".encode()
    if collisions is not None:
        text += collisions.to_bytes(8, "little")
    return safe_encoded(str(_fnv32a(text)))


def revision_hash(template: PodTemplate, collisions: int) -> str:
    """The hash of a StatefulSet's revision with this template; ``collisions``: the set's collisionCount."""
    patch = {"spec": {"template": {**_json("v1.PodTemplateSpec", template), "$patch": "replace"}}}
    text = json.dumps(patch, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for special in "<>&\u2028\u2029":
        text = text.replace(special, f"\\u{ord(special):04x}")
    return safe_encoded(str(_fnv32(f"{text}{collisions}".encode())))


def _fnv32a(text: bytes) -> int:
    """The 32-bit FNV-1a hash. Go: hash/fnv (New32a)."""
    result = _OFFSET
    for byte in text:
        result = (result ^ byte) * _PRIME & 0xFFFFFFFF
    return result


def _fnv32(text: bytes) -> int:
    """The 32-bit FNV-1 hash. Go: hash/fnv (New32)."""
    result = _OFFSET
    for byte in text:
        result = result * _PRIME & 0xFFFFFFFF ^ byte
    return result


class _Field(NamedTuple):
    """``required``: whether the field is in the JSON even if it is empty."""

    name: str
    json: str
    type: str
    kind: str
    required: bool


@cache
def _types() -> dict[str, list[_Field]]:
    lines = files("kschedlab_simulation.controllers").joinpath("template_types.txt").read_text(encoding="utf-8")
    return {name: [_field(each) for each in fields] for name, *fields in map(str.split, lines.splitlines())}


def _field(text: str) -> _Field:
    names, type, kind = text.split("=")
    name, spelling = names.split("/")
    return _Field(name, spelling.rstrip("!"), type, kind, spelling.endswith("!"))


# -- as Go prints it


def _struct(type: str, value: Any) -> str:
    """The struct as Go prints it, with every field."""
    return f"{{{' '.join(_fields(type, value))}}}"


def _fields(type: str, value: Any) -> Iterator[str]:
    for field in _types()[type]:
        member = _member(type, field, value) if field.json else value  # a struct that is embedded
        yield f"{field.name}:({field.type}){_value(field.type, field.kind, member)}"


def _member(type: str, field: _Field, value: Any) -> Any:
    member = value.get(field.json) if isinstance(value, dict) else getattr(value, field.json, None)
    if field.kind == "ptr" and member == _default(value.__class__, field.json):
        member = None  # the API server does not fill in the constant defaults of the model
    if member is None or member == "":
        member = _DEFAULTS.get((type, field.json))
    if type == "v1.VolumeSource" and field.json == "emptyDir" and not _has_source(value):
        return {}
    return _pull_policy(value) if type == "v1.Container" and field.json == "imagePullPolicy" else member


@cache
def _default(model: Any, name: str) -> Any:
    return getattr(model(), name, None)


def _has_source(volume: Any) -> bool:
    return any(getattr(volume, name) is not None for name in volume.__struct_fields__ if name != "name")


def _pull_policy(container: Container) -> str:
    """Always for the newest image, which is that without a tag. v1.37: core/v1/defaults.go, SetDefaults_Container."""
    name, _, digest = container.image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


def _value(type: str, kind: str, value: Any) -> str:
    """The value as Go prints it after its type."""
    if kind == "ptr":
        return "<nil>" if value is None else _plain(type.removeprefix("*"), value)
    if kind == "slice":
        return f"[{' '.join(_plain(type.removeprefix('[]'), each) for each in value)}]" if value else "<nil>"
    if kind == "map":
        pairs = (f"{key}:{_plain('', value[key])}" for key in sorted(value)) if value else ()
        return f"map[{' '.join(pairs)}]" if value else "<nil>"
    if kind == "struct":
        return _TIME if type == "v1.Time" else _struct(type, value)
    if kind == "bool":
        return "true" if value else "false"
    return str(value or 0) if kind.startswith("int") else str(value or "")


def _plain(type: str, value: Any) -> str:
    """A value of which Go prints no type: that of a pointer, or in a slice or a map."""
    if isinstance(value, Quantity):
        return _quantity(value.rounded_to_milli())
    if isinstance(value, bool):
        return "true" if value else "false"
    return _struct(type, value) if type in _types() else str(value)


def _quantity(quantity: Quantity) -> str:
    """A quantity as Go reads its canonical text (apimachinery pkg/api/resource/quantity.go, ParseQuantity).

    An integer with a scale, and the text if Go need not look for a shorter one; or nanos, if it has too many digits.
    """
    text = str(quantity)
    match = _AMOUNT.fullmatch(text)
    assert match is not None
    number, suffix, digits = int(match[1]), match[2], len(match[1].lstrip("-"))
    if suffix in _BINARY:
        exponent, scale, format = _BINARY[suffix], 0, "BinarySI"
        keeps_text, is_short = number % 8 != 0, digits + exponent * 3 // 10 < 15
        number <<= exponent
    else:
        exponential = suffix not in _DECIMAL
        scale, format = (int(suffix[1:]), "DecimalExponent") if exponential else (_DECIMAL[suffix], "DecimalSI")
        keeps_text, is_short = number % 1000 != 0 or text == "0", digits <= 18
    nanos, kept = "<nil>", text if keeps_text else ""
    if not is_short:
        number, scale, nanos, kept = 0, 0, _decimal(quantity.nanos), ""
    short = f"i:(resource.int64Amount){{value:(int64){number} scale:(resource.Scale){scale}}}"
    long = f"d:(resource.infDecAmount){{Dec:(*inf.Dec){nanos}}}"
    return f"{{{short} {long} s:(string){kept} Format:(resource.Format){format}}}"


def _decimal(nanos: int) -> str:
    """An inf.Dec of as many nanos: two words of 64 bits, the lower first. Go has one for amounts that need both."""
    high, low = divmod(nanos, 1 << 64)
    return f"{{unscaled:(big.Int){{neg:(bool)false abs:(big.nat)[{low} {high}]}} scale:(inf.Scale)9}}"


# -- as JSON


def _json(type: str, value: Any) -> dict[str, Any]:
    """The struct as its API version writes it."""
    written: dict[str, Any] = {}
    for field in _types()[type]:
        member = _member(type, field, value) if field.json else value
        if not field.json:
            written |= _json(field.type, value)
        elif field.required or member or (field.kind == "ptr" and member is not None) or _is_written(field):
            written[field.json] = _json_value(field.type, field.kind, member)
    return written


def _is_written(field: _Field) -> bool:
    """Whether an empty struct is written: one in the object itself is, except for a time."""
    return field.kind == "struct" and field.type != "v1.Time"


def _json_value(type: str, kind: str, value: Any) -> Any:
    if kind == "slice":
        return None if value is None else [_json_plain(type.removeprefix("[]"), each) for each in value]
    if kind == "map":
        return {key: _json_plain("", each) for key, each in value.items()}
    return (value or "") if kind == "string" else _json_plain(type.removeprefix("*"), value)


def _json_plain(type: str, value: Any) -> Any:
    if isinstance(value, Quantity):
        return str(value.rounded_to_milli())
    return _json(type, value) if type in _types() else value
