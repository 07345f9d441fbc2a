"""JSON into objects of the model, and the formats of patches."""

from __future__ import annotations

from typing import Any

import msgspec

from kschedlab.manifests.decoding import decode
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import ApiObject
from kschedlab.objects.problems import WRITTEN, path_text
from kschedlab_simulation.status import ApiError

JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


def micro_time(at: int) -> str:
    """A moment (microseconds since 1970) with all its microseconds (meta/v1, MicroTime)."""
    return f"{str(Time.whole_second(at))[:-1]}.{at % SECOND:06}Z"


DEEPEST = 100
"""The deepest nesting of a body. Kubernetes' own objects nest at most a third of it."""


def parsed(raw: bytes) -> Any:
    """The value of a JSON text. ApiError (400) if it is not JSON, or nested too deep."""
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
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, left - 1)


def without_nulls(value: Any) -> Any:
    """The value without the fields that are null: Go writes null for a list without items."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def typed(data: dict[str, Any], kind: type[ApiObject]) -> Any:
    """The object of this kind. ApiError (400) with the fields whose values have a wrong type."""
    obj, faults = decode(without_nulls(data) | {"kind": kind.__name__}, kind.__name__)
    if faults:
        texts = (f"{path_text(f.path)}: {f.message.replace(WRITTEN, f.written)}" for f in faults)
        raise ApiError.bad_request(f"the {kind.__name__} in the body cannot be read: {'; '.join(texts)}")
    return obj
