"""Strategic merge patches: lists are merged by a key that names their items.

v1.37: k8s.io/apimachinery pkg/util/strategicpatch/patch.go; the keys stand in k8s.io/api (patchMergeKey in types.go).
"""

from __future__ import annotations

from typing import Any

from kschedlab_simulation.status import ApiError

Data = dict[str, Any]

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
}
"""The merge keys of lists by their field; ``ports`` of a container and of a service have different ones."""

_SETS = ("finalizers",)
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
            result[name] = [each for each in _list(result.get(name)) if each not in value]
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
        return list(dict.fromkeys(each for each in [*_list(old), *value] if isinstance(each, str)))
    key = _key_of(field, [*_list(old), *value])
    return _merged_list(_list(old), value, key, order) if key else value


def _key_of(field: str, items: list[Any]) -> str | None:
    """The merge key of a list, or None if the patch replaces the list."""
    if not all(isinstance(each, dict) for each in items):
        return None
    return next((key for key in _KEYS.get(field, ()) if any(key in each for each in items)), None)


def _merged_list(old: list[Data], patch: list[Data], key: str, order: Any) -> list[Data]:
    if any(each.get(_DIRECTIVE) == "replace" and key not in each for each in patch):
        return [each for each in patch if _DIRECTIVE not in each]
    result = list(old)
    for each in patch:
        if key not in each and _DIRECTIVE not in each:
            raise ApiError.bad_request(f"map: {key} is missing: the items of this list are merged by it")
        at = [i for i, existing in enumerate(result) if existing.get(key) == each.get(key)]
        if each.get(_DIRECTIVE) == "delete":
            result = [existing for existing in result if existing.get(key) != each.get(key)]
        elif at:
            result[at[0]] = strategic_merge(result[at[0]], each)
        else:
            result.append(strategic_merge({}, each))
    return _ordered(result, key, order) if isinstance(order, list) else result


def _ordered(items: list[Data], key: str, order: list[Any]) -> list[Data]:
    """The items in the order of the patch; those that it does not name come last."""
    wanted = [each.get(key) if isinstance(each, dict) else each for each in order]
    return sorted(items, key=lambda each: wanted.index(each.get(key)) if each.get(key) in wanted else len(wanted))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
