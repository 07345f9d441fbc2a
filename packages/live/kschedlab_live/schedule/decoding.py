"""Objects as an API server writes them: JSON with Go's nulls, lists whose items do not name their kind."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import msgspec

from kschedlab.manifests.decoding import decode
from kschedlab.manifests.schema import decode_value
from kschedlab.objects.model import ApiObject


class _ListMeta(msgspec.Struct):
    resourceVersion: str = ""  # noqa: N815  # as in the API
    continue_: str | None = msgspec.field(default=None, name="continue")


class _List(msgspec.Struct):
    metadata: _ListMeta
    items: list[msgspec.Raw] | None = None


class _Frame(msgspec.Struct):
    type: str
    object: msgspec.Raw


S = TypeVar("S", _List, _Frame)

_LISTS, _FRAMES = msgspec.json.Decoder(_List), msgspec.json.Decoder(_Frame)


@cache
def _decoder(kind: type[ApiObject]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, dec_hook=decode_value)


def decode_object(kind: type[ApiObject], raw: bytes | msgspec.Raw) -> Any:
    """The object. What does not fit the model is left out: null where a list should be, a field of a newer version.

    ValueError if there is no object of this kind in it.
    """
    try:
        obj = _decoder(kind).decode(raw)
    except (ValueError, NotImplementedError, RecursionError):
        obj = _understood(kind, raw)
    if not obj.metadata.name and not obj.metadata.resourceVersion:
        raise ValueError(f"the server's answer is not a {kind.__name__}")
    return obj


def _understood(kind: type[ApiObject], raw: bytes | msgspec.Raw) -> Any:
    try:
        data = msgspec.json.decode(raw)
        if isinstance(data, dict):
            return decode(data | {"kind": kind.__name__}, kind.__name__)[0]
    except RecursionError:
        raise ValueError("the server's answer is nested too deep") from None
    raise ValueError(f"the server's answer is not a {kind.__name__}")


def decode_list(kind: type[ApiObject], raw: bytes) -> tuple[list[Any], str, str]:
    """(the objects, the resourceVersion to watch from, the token of the next page or ""). ValueError."""
    page = _read(_LISTS, raw)
    head = b'{"kind":"%s",' % kind.__name__.encode()
    items = [decode_object(kind, head + bytes(item).lstrip()[1:]) for item in page.items or ()]
    return items, page.metadata.resourceVersion, page.metadata.continue_ or ""


def decode_frame(line: bytes) -> tuple[str, msgspec.Raw]:
    """(the type of a watch event, its object). ValueError."""
    frame = _read(_FRAMES, line)
    return frame.type, frame.object


def _read(decoder: msgspec.json.Decoder[S], raw: bytes) -> S:
    try:
        return decoder.decode(raw)
    except RecursionError:
        raise ValueError("the server's answer is nested too deep") from None
