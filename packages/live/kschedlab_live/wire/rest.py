"""The fields of an object beside the model: environment variables, probes, ports of a service.

The simulation ignores these fields. Whoever reads the object gets them back as they were written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import count
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

Rest = dict[Any, Any]
"""The fields that the model lacks, nested as in the object. Items of a list are keyed by their :func:`_identity`."""


class _Inside(dict[Any, Any]):
    """The rest inside a part that the model knows: it goes when the part goes."""


_NAMING = ("name", "type", "key", "containerPort", "mountPath", "uid", "ip", "topologyKey", "conditionType")
"""Fields that identify an item in a list, as the API's merge keys do."""


def rest_of(data: Any, model: Any) -> Rest:
    """The part of the data that the model (a struct) does not know."""
    rest: Rest = {}
    fields = fields_of(model)
    for name, value in data.items():
        if name not in fields:
            if value is not None:
                rest[name] = value
        elif inner := _inner_rest(value, fields[name]):
            rest[name] = inner
    return rest


def _inner_rest(value: Any, expected: Any) -> Rest:
    struct, shape = _struct_in(expected)
    if struct is None:
        return {}
    if shape is None and isinstance(value, dict):
        return _Inside(rest_of(value, struct))
    items: Iterator[tuple[Any, Any]] = iter(())
    if shape is tuple and isinstance(value, list):
        items = _identified(value)
    elif shape is dict and isinstance(value, dict):
        items = iter(value.items())
    rests = ((key, _Inside(rest_of(item, struct))) for key, item in items if isinstance(item, dict))
    return _Inside((key, rest) for key, rest in rests if rest)


def with_rest(data: Any, rest: Rest) -> Any:
    """The data with what :func:`rest_of` took out; an item of a list that is gone takes its rest with it."""
    if isinstance(data, list):
        return [with_rest(item, rest[key]) if key in rest else item for key, item in _identified(data)]
    merged = dict(data)
    for name, value in rest.items():
        inside = merged.get(name)
        if not isinstance(value, _Inside):
            merged.setdefault(name, value)
        elif isinstance(inside, dict | list):
            merged[name] = with_rest(inside, value)
    return merged


def _identified(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    numbers: defaultdict[Any, Iterator[int]] = defaultdict(count)
    for index, item in enumerate(items):
        key = _identity(item, index)
        yield (*key, next(numbers[key])), item


def _identity(item: Any, index: int) -> tuple[Any, ...]:
    if isinstance(item, dict):
        for name in _NAMING:
            if isinstance(item.get(name), str | int):
                return name, item[name]
    return "", index


@cache
def fields_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The type of each field, by its name in JSON."""
    hints = get_type_hints(struct, include_extras=True)
    names = zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
    tag = struct.__struct_config__.tag_field
    return {written: hints[name] for written, name in names} | ({tag: str} if tag else {})


def _struct_in(expected: Any) -> tuple[type[msgspec.Struct] | None, Any]:
    """(the struct in a field's type or None, tuple for a list of it, dict for a map of it)."""
    origin = get_origin(expected)
    if origin in (Union, UnionType):
        members = [item for item in get_args(expected) if item is not NoneType]
        return _struct_in(members[0])
    if origin is tuple:
        return _struct_in(get_args(expected)[0])[0], tuple
    if origin is dict:
        return _struct_in(get_args(expected)[1])[0], dict
    return (expected, None) if isinstance(expected, type) and issubclass(expected, msgspec.Struct) else (None, None)


def owned_rest(rest: Rest, kind: str) -> Rest:
    """The rest of an object that a controller makes of an owner with this rest.

    A ReplicaSet gets its Deployment's template, a pod what the template says of it.
    """
    spec = rest.get("spec")
    template = spec.get("template") if isinstance(spec, dict) else None
    if not isinstance(template, dict):
        return {}
    if kind != "Pod":
        return {"spec": _Inside(template=template)}
    return {"spec": template["spec"]} if "spec" in template else {}
