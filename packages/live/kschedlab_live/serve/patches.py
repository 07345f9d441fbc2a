"""The three patches of the API: JSON patch, merge patch and strategic merge patch.

RFC 6902, RFC 7386; v1.37: k8s.io/apimachinery pkg/util/strategicpatch, k8s.io/api (patchMergeKey in types.go).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import msgspec

from kschedlab_live.serve.bounds import LARGEST_BODY
from kschedlab_live.wire.objects import JSON_PATCH, MERGE, STRATEGIC, parsed
from kschedlab_live.wire.statuses import failure, unsupported
from kschedlab_simulation.merge_patch import merged
from kschedlab_simulation.status import ApiError

Data = dict[str, Any]

MOST_OPERATIONS = 10_000
"""Operations in a JSON patch (v1.37: k8s.io/apiserver pkg/endpoints/handlers/patch.go, maxJSONPatchOperations)."""


def patch_of(content_type: str, raw: bytes) -> Callable[[Data], Data]:
    """The object with the patch applied. ApiError if the patch cannot be read."""
    if content_type == JSON_PATCH:
        return _json_patch(parsed(raw))
    patch = parsed(raw)
    if not isinstance(patch, dict):
        raise ApiError.bad_request("the patch is not a map of fields")
    if content_type == MERGE:
        return lambda data: merged(data, patch)
    if content_type == STRATEGIC:
        return lambda data: strategic_merge(data, patch)
    raise unsupported(f"the patch has an unknown format: expected one of {JSON_PATCH}, {MERGE}, {STRATEGIC}")


# -- RFC 6902


def _json_patch(operations: Any) -> Callable[[Data], Data]:
    if not isinstance(operations, list) or not all(isinstance(item, dict) for item in operations):
        raise ApiError.bad_request("a JSON patch is a list of operations")
    if len(operations) > MOST_OPERATIONS:
        raise failure(413, "RequestEntityTooLarge", f"a JSON patch has at most {MOST_OPERATIONS:,} operations")

    def change(data: Data) -> Data:
        document: Any = copy.deepcopy(data)
        copied = 0
        for index, operation in enumerate(operations):
            try:
                if operation["op"] == "copy":
                    copied += len(msgspec.json.encode(_at(document, _pointer(operation["from"])), enc_hook=str))
                    if copied > LARGEST_BODY:
                        raise ValueError(f"its operations copy more than {LARGEST_BODY:,} bytes")
                document = _operate(document, operation)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                why = str(error.args[0]) if error.args and isinstance(error, ValueError) else "the path does not exist"
                raise failure(422, "Invalid", f"operation {index} of the JSON patch fails: {why}") from None
        return document  # whoever patches checks that it is still an object

    return change


def _operate(document: Any, operation: Data) -> Any:
    name, path = operation["op"], _pointer(operation["path"])
    if name == "test":
        if _at(document, path) != operation.get("value"):
            raise ValueError("the value differs from the tested one")
        return document
    if name == "remove":
        return _removed(document, path)
    if name == "replace":
        return _added(_removed(document, path), path, operation.get("value")) if path else operation.get("value")
    if name == "add":
        return _added(document, path, operation.get("value"))
    if name in ("move", "copy"):
        origin = _pointer(operation["from"])
        value = copy.deepcopy(_at(document, origin))
        if name == "move":
            if path[: len(origin)] == origin and len(path) > len(origin):
                raise ValueError("a value cannot move into itself")
            document = _removed(document, origin)
        return _added(document, path, value)
    raise ValueError("op is not one of add, remove, replace, move, copy, test")


def _pointer(text: Any) -> list[str]:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise ValueError("path is not a JSON pointer such as /metadata/labels/app")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _at(document: Any, path: list[str]) -> Any:
    for part in path:
        document = document[_index(part, len(document))] if isinstance(document, list) else document[part]
    return document


def _added(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    parent, last = _at(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _index(last, len(parent) + 1), value)
    elif isinstance(parent, dict):
        parent[last] = value
    else:
        raise KeyError(last)
    return document


def _removed(document: Any, path: list[str]) -> Any:
    if not path:
        raise ValueError("the object itself cannot be removed")
    parent, last = _at(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        del parent[_index(last, len(parent))]
    else:
        del parent[last]
    return document


def _index(text: str, places: int) -> int:
    """One of so many places; a negative one counts from the end (gopkg.in/evanphx/json-patch.v4)."""
    if not re.fullmatch("[+-]?[0-9]{1,9}", text) or not -places <= int(text) < places:
        raise IndexError(text)
    return int(text) % places


# -- strategic merge patches

_KEYS = {
    "conditions": ("type",),
    "addresses": ("type",),
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "imagePullSecrets": ("name",),
    "secrets": ("name",),
    "schedulingGates": ("name",),
    "resourceClaims": ("name",),
    "resourceClaimStatuses": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "ports": ("containerPort", "port"),
    "ownerReferences": ("uid",),
    "hostAliases": ("ip",),
    "hostIPs": ("ip",),
    "podIPs": ("ip",),
    "topologySpreadConstraints": ("topologyKey",),
    "reservedFor": ("uid",),
    "drivers": ("name",),
    "webhooks": ("name",),
    "matchConditions": ("name",),
    "variables": ("name",),
}
"""The merge keys of lists by their field; ``ports`` of a container and of a service have different ones."""

_SETS = ("finalizers", "podCIDRs")
"""Lists of texts that are merged as sets."""

_DIRECTIVE, _RETAIN = "$patch", "$retainKeys"
_ORDER, _DELETE = "$setElementOrder/", "$deleteFromPrimitiveList/"


def strategic_merge(target: Data, patch: Data) -> Data:
    """The object after the patch. ApiError (400) if a directive is none."""
    directive = patch.get(_DIRECTIVE)
    if directive not in (None, "merge", "replace", "delete"):
        raise ApiError.bad_request(f"{_DIRECTIVE} is none of merge, replace, delete")
    if directive == "delete":
        return {}
    result = {} if directive == "replace" else dict(target)
    if isinstance(patch.get(_RETAIN), list):
        result = {key: value for key, value in result.items() if key in patch[_RETAIN]}
    for key, value in patch.items():
        if key.startswith(_DELETE) and isinstance(value, list):
            name = key.removeprefix(_DELETE)
            result[name] = [item for item in _list(result.get(name)) if item not in value]
        elif key.startswith("$"):
            continue
        elif value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value, key, patch.get(_ORDER + key))
    return result


def _merged(old: Any, value: Any, field: str, order: Any) -> Any:
    if isinstance(value, dict):
        return strategic_merge(old if isinstance(old, dict) else {}, value)
    if not isinstance(value, list):
        return value
    if field in _SETS:
        return list(dict.fromkeys(item for item in [*_list(old), *value] if isinstance(item, str)))
    key = _key_of(field, [*_list(old), *value])
    return _merged_list(_list(old), value, key, order) if key else value


def _key_of(field: str, items: list[Any]) -> str | None:
    """The merge key of a list, or None if the patch replaces the list."""
    if not all(isinstance(item, dict) for item in items):
        return None
    return next((key for key in _KEYS.get(field, ()) if any(key in item for item in items)), None)


def _merged_list(old: list[Data], patch: list[Data], key: str, order: Any) -> list[Data]:
    if any(item.get(_DIRECTIVE) == "replace" and key not in item for item in patch):
        return [item for item in patch if _DIRECTIVE not in item]
    result = list(old)
    for item in patch:
        if key not in item and _DIRECTIVE not in item:
            raise ApiError.bad_request(f"map: {key} is missing: the items of this list are merged by it")
        at = [i for i, existing in enumerate(result) if existing.get(key) == item.get(key)]
        if item.get(_DIRECTIVE) == "delete":
            result = [existing for existing in result if existing.get(key) != item.get(key)]
        elif at:
            result[at[0]] = strategic_merge(result[at[0]], item)
        else:
            result.append(strategic_merge({}, item))
    return _ordered(result, key, order) if isinstance(order, list) else result


def _ordered(items: list[Data], key: str, order: list[Any]) -> list[Data]:
    """The items in the order of the patch; those that it does not name come last."""
    wanted = [item.get(key) if isinstance(item, dict) else item for item in order]
    return sorted(items, key=lambda item: wanted.index(item.get(key)) if item.get(key) in wanted else len(wanted))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
