"""Objects in protobuf, as client-go's typed clients send them, as the same JSON that other clients send.

v1.37: k8s.io/apimachinery pkg/runtime/serializer/protobuf (the envelope), k8s.io/api (the numbers of the fields, which
tools/fields writes to protobuf.txt). client-go does not fall back to JSON when a server reads no protobuf
(k8s.io/client-go rest/client.go); answers in JSON it accepts.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from kschedlab.objects.meta import SECOND, Time
from kschedlab_live.wire.objects import micro_time, parsed
from kschedlab_live.wire.statuses import unsupported
from kschedlab_simulation.status import ApiError

Data = dict[str, Any]

MAGIC = b"k8s\0"
MEDIA_TYPE = "application/vnd.kubernetes.protobuf"

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
"""The wire types: a number of up to ten bytes, eight bytes, bytes after their length, four bytes."""
_LATEST = 253_402_300_799
"""The last second of the year 9999."""


class _Field(NamedTuple):
    """A field of a message. ``name``: "~" if its fields are written among the owner's; ``kind``: s(tring), i(nteger),
    b(ool), x (bytes), or a message; ``shape``: "", ``[]`` or ``{}``; ``omitted``: whether JSON lacks it when empty."""

    name: str
    shape: str
    kind: str
    omitted: bool


@cache
def _messages() -> dict[str, dict[int, _Field]]:
    """The fields of each message by number."""
    messages = {}
    for line in files("kschedlab_live.wire").joinpath("protobuf.txt").read_text(encoding="utf-8").splitlines():
        message, _, written = line.partition(": ")
        fields = messages[message] = dict[int, _Field]()
        for each in written.split():
            number, name, coded = each.split(":")
            kind = coded.strip("[]{}?")
            if len(kind) > 1 and "." not in kind:
                kind = f"{message.partition('.')[0]}.{kind}"
            fields[int(number)] = _Field(name, coded[: coded.find("]") + coded.find("}") + 2], kind, coded[-1] == "?")
    return messages


def message_of(api_version: str, kind: str) -> str:
    """The name of a kind's message: ``core/v1.Pod``."""
    group, _, version = api_version.rpartition("/")
    return f"{group.partition('.')[0] or 'core'}/{version}.{kind}"


@cache
def types_of(message: str) -> dict[str, tuple[str, str]]:
    """(shape, type) of each field of a message by its name in JSON: ``("[]", "core/v1.Container")``."""
    types: dict[str, tuple[str, str]] = {}
    for field in _messages().get(message, {}).values():
        types |= types_of(field.kind) if field.name == "~" else {field.name: (field.shape, field.kind)}
    return types


def read_object(raw: bytes) -> Data:
    """The object in the envelope. ApiError: 400 if it cannot be read, 415 if its kind is unknown."""
    try:
        envelope = dict(_fields(raw.removeprefix(MAGIC)))
        names = dict(_fields(_bytes(envelope.get(1, b""))))
        api_version, kind = (_bytes(names.get(number, b"")).decode() for number in (1, 2))
        message = "meta/v1.DeleteOptions" if kind == "DeleteOptions" else message_of(api_version, kind)
        if message not in _messages():
            raise unsupported(f"kschedlab serve does not read {kind or 'this'} as protobuf: send application/json")
        return {"apiVersion": api_version, "kind": kind} | _message(_bytes(envelope.get(2, b"")), message)
    except (ValueError, IndexError) as error:
        why = str(error) if type(error) is ValueError else "it is cut off or damaged"
        raise ApiError.bad_request(f"the body of the request cannot be read as protobuf: {why}") from None


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The (number, value) of each field."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        wire = tag & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if wire == _BYTES:
            length, at = _varint(data, at)
        elif wire in (_EIGHT, _FOUR):
            length = 8 if wire == _EIGHT else 4
        else:
            raise ValueError(f"the wire type {wire} is unknown")
        if at + length > len(data):
            raise ValueError("it is cut off")
        yield tag >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """(a number, where the next one begins)."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number has more than ten bytes")


def _message(data: bytes, message: str) -> Data:
    known, read = _messages()[message], Data()
    for number, raw in _fields(data):
        field = known.get(number)
        if field is None:  # of a later version
            continue
        if field.shape == "[]":
            read.setdefault(field.name, []).append(_value(raw, field.kind))
        elif field.shape == "{}":
            entry = dict(_fields(_bytes(raw)))
            key = _bytes(entry.get(1, b"")).decode()
            read.setdefault(field.name, {})[key] = _value(entry.get(2, b""), field.kind)  # no map has numbers
        elif field.name == "~":
            read |= _message(_bytes(raw), field.kind)
        else:
            value = _value(raw, field.kind)
            if value or not (value is None or field.omitted) or isinstance(value, dict):
                read[field.name] = value
    return read


def _value(raw: int | bytes, kind: str) -> Any:
    if kind == "i":
        return _signed(raw)
    if kind == "b":
        return bool(raw)
    if kind == "s":
        return _bytes(raw).decode()
    if kind == "x":
        return base64.b64encode(_bytes(raw)).decode()
    special = _SPECIAL.get(kind)
    return special(dict(_fields(_bytes(raw)))) if special else _message(_bytes(raw), kind)


def _bytes(raw: int | bytes) -> bytes:
    if isinstance(raw, int):
        raise ValueError("a number is where bytes are expected")
    return raw


def _signed(raw: int | bytes) -> int:
    """A number of 64 bits."""
    if not isinstance(raw, int):
        raise ValueError("bytes are where a number is expected")
    raw &= 2**64 - 1
    return raw - 2**64 if raw >= 2**63 else raw


# -- messages that JSON writes as a text or a number


def _time(fields: dict[int, Any]) -> str | None:
    seconds = _signed(fields.get(1, 0))
    if not fields:
        return None  # Go's zero time
    if not 0 <= seconds <= _LATEST:
        raise ValueError(f"{seconds} is not a moment from 1970 to 9999")
    return str(Time(seconds * SECOND))


def _micro_time(fields: dict[int, Any]) -> str | None:
    if _time(fields) is None:
        return None
    return micro_time(fields.get(1, 0) * SECOND + _signed(fields.get(2, 0)) // 1000 % SECOND)


def _int_or_string(fields: dict[int, Any]) -> int | str:
    return _bytes(fields.get(3, b"")).decode() if fields.get(1) else _signed(fields.get(2, 0))


_SPECIAL: dict[str, Callable[[dict[int, Any]], Any]] = {
    "api/resource.Quantity": lambda fields: _bytes(fields.get(1, b"0")).decode(),
    "meta/v1.Time": _time,
    "meta/v1.MicroTime": _micro_time,
    "util/intstr.IntOrString": _int_or_string,
    "meta/v1.FieldsV1": lambda fields: parsed(_bytes(fields.get(1, b"null"))),
    "pkg/runtime.RawExtension": lambda fields: parsed(_bytes(fields.get(1, b"null"))),
}
