"""Cells that several of kubectl's tables share: ages, selectors, containers.

v1.37: pkg/printers/internalversion/printers.go, k8s.io/apimachinery pkg/labels (FormatLabels).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kschedlab.objects.meta import Time
from kschedlab_simulation.kubectl import age

Data = dict[str, Any]
NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"


class Columns(NamedTuple):
    """A kind's table. ``names``: ``*`` marks a column that only ``-o wide`` shows; ``cells``: one for each column.

    Their type is text unless ``types`` names another.
    """

    names: str
    cells: Callable[[Data, int], list[Any]]
    types: dict[str, str] = {}


def part(data: Any, *path: str) -> Any:
    """The value at a path of field names, or None."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def maps(data: Any, *path: str) -> list[Data]:
    """The maps in the list at a path."""
    value = part(data, *path)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def number(data: Any, *path: str) -> int:
    """The number at a path; 0 if there is none."""
    value = part(data, *path)
    return value if isinstance(value, int) else 0


def text(data: Any, *path: str, otherwise: str = "") -> str:
    """The text at a path."""
    value = part(data, *path)
    return value if isinstance(value, str) and value else otherwise


def name_of(data: Data) -> str:
    """The object's name."""
    return text(data, "metadata", "name")


def since(moment: Any, now: int) -> str:
    """The time since a moment in RFC 3339, as ``5m``; ``<unknown>`` if there is none."""
    try:
        return age(Time.parse(moment), now) if isinstance(moment, str) else UNKNOWN
    except (ValueError, OverflowError):
        return UNKNOWN


def age_of(data: Data, now: int) -> str:
    """The object's age."""
    return since(part(data, "metadata", "creationTimestamp"), now)


def labels(value: Any) -> str:
    """Labels in a cell (FormatLabels)."""
    pairs = sorted(value.items()) if isinstance(value, dict) else ()
    return ",".join(f"{key}={entry}" for key, entry in pairs) or NONE


def selector(value: Any) -> str:
    """A label selector in a cell (FormatLabelSelector)."""
    pairs = part(value, "matchLabels")
    terms = [(key, f"{key}={entry}") for key, entry in pairs.items()] if isinstance(pairs, dict) else []
    for entry in maps(value, "matchExpressions"):
        key, operator = text(entry, "key"), text(entry, "operator")
        values = ",".join(sorted(map(str, entry.get("values") or ())))
        forms = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "DoesNotExist": f"!{key}"}
        terms.append((key, forms.get(operator, key)))
    return ",".join(term for _, term in sorted(terms)) or NONE


def containers(spec: Any) -> tuple[str, str]:
    """(names, images) of the containers in a pod's spec."""
    containers = maps(spec, "containers")
    return ",".join(text(c, "name") for c in containers), ",".join(text(c, "image") for c in containers)


def joined(values: Iterable[Any]) -> str:
    """Texts with commas between them."""
    return ",".join(map(str, values))
