"""Reading objects from requests: JSON with Go's nulls, into the model."""

from __future__ import annotations

from typing import Any

import msgspec

from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import WRITTEN, path_text
from kschedlab_simulation.status import ApiError

DEEPEST = 100
"""The deepest nesting of a body. Kubernetes' own objects nest at most a third of it."""


def parsed(raw: bytes) -> Any:
    """The value of a JSON text. ApiError (400) if it is no JSON, or nested too deep."""
    try:
        value = msgspec.json.decode(raw)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ApiError.bad_request(f"the body of the request cannot be read as JSON: {why}") from None
    _check_depth(value, DEEPEST)
    return value


def _check_depth(value: Any, left: int) -> None:
    if not left:
        raise ApiError.bad_request(f"the body of the request is nested deeper than {DEEPEST} levels")
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _check_depth(each, left - 1)


def without_nulls(value: Any) -> Any:
    """The value without the fields that are null: Go writes null for a list without items."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def typed(data: dict[str, Any], kind: type[ApiObject]) -> Any:
    """The object of this kind. ApiError (400) with the fields whose values have a wrong type."""
    obj, faults = decode(without_nulls(data) | {"kind": kind.__name__}, kind.__name__)
    if faults:
        texts = (f"{path_text(f.path)}: {f.message.replace(WRITTEN, f.value)}" for f in faults)
        raise ApiError.bad_request(f"the {kind.__name__} in the body cannot be read: {'; '.join(texts)}")
    return obj
