"""Settings of a decision, by name: fields of manifests, and weights of scores.

==============================================  ===========================================================
``spec.containers[0].resources.requests.cpu``   a field of the pod in question; ``metadata.labels["a/b"]``
``priority``                                    its ``spec.priority``
``node/n1:status.allocatable.cpu``              a field of another object: ``kind/name`` or
                                                ``kind/namespace/name``, then its path
``weight:NodeResourcesFit``                     the weight of a score plugin
==============================================  ===========================================================
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.kinds import OF_CONTROLLERS, RESOURCES
from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab.objects.problems import InputValueError, Path, path_text, quoted, unknown
from kschedlab_planning.manifests import manifest

WEIGHT, PRIORITY = "weight:", "priority"
_STEP = re.compile(r"""\.?([A-Za-z0-9_-]+)|\[(\d+)\]|\["([^"\]]*)"\]|\['([^'\]]*)'\]""")


@dataclass(frozen=True)
class Weight:
    """The weight of a score plugin."""

    plugin: str


@dataclass(frozen=True)
class Field:
    """A field of an object; ``kind`` is None for the pod in question. ``key``: ``namespace/name``, or the name."""

    path: Path
    kind: type[ApiObject] | None = None
    key: str = ""


def setting(text: str) -> Weight | Field:
    """The setting of that name. ValueError if it is none."""
    if text.startswith(WEIGHT):
        return Weight(text.removeprefix(WEIGHT).strip())
    if text == PRIORITY:
        return Field(("spec", "priority"))
    place, separator, rest = text.partition(":")
    if not separator or "/" not in place or "[" in place:
        return Field(parsed(text))
    kind, _, key = place.partition("/")
    kinds = {
        alias: each
        for each, resource in RESOURCES.items()
        if each not in OF_CONTROLLERS
        for alias in (each.__name__.lower(), resource.name)
    }
    if kind.lower() not in kinds:
        raise unknown("kind", kind, sorted(each.__name__ for each in RESOURCES if each not in OF_CONTROLLERS))
    found = kinds[kind.lower()]
    if RESOURCES[found].namespaced and "/" not in key:
        key = f"default/{key}"
    return Field(parsed(rest), found, key)


def parsed(text: str) -> Path:
    """The steps of a path such as ``spec.containers[0].image``. ValueError if it is none."""
    steps: list[str | int] = []
    place = 0
    while place < len(text):
        found = _STEP.match(text, place)
        if found is None or (text[place] == "." and not steps):
            raise InputValueError(f"{quoted(text)} is not a path such as spec.containers[0].resources.requests.cpu")
        name, index, *keys = found.groups()
        steps.append(int(index) if index is not None else next(each for each in (name, *keys) if each is not None))
        place = found.end()
    if not steps:
        raise InputValueError("expected a path such as spec.containers[0].resources.requests.cpu, got nothing")
    return tuple(steps)


def found(field: Field, pod: Pod, cluster: Cluster) -> dict[str, Any]:
    """The manifest that has the field. KeyError if there is no such object."""
    if field.kind is None:
        return manifest(pod, status=True)
    if field.kind is Node:
        if field.key not in cluster.index:
            raise unknown("node", field.key, cluster.names)
        return manifest(cluster.nodes[cluster.index[field.key]], status=True)
    objects: Any = cluster.objects.of(field.kind)
    for each in objects:
        if RESOURCES[field.kind].key_of(each) == field.key:
            return manifest(each, status=True)
    raise unknown(field.kind.__name__, field.key, [RESOURCES[field.kind].key_of(each) for each in objects])


def changed(data: dict[str, Any], path: Path, value: object) -> dict[str, Any]:
    """A copy of the manifest with this value in the field; None removes the field. ValueError for a missing item."""
    copy = deepcopy(data)
    target: Any = copy
    for step, following in zip(path[:-1], path[1:], strict=True):
        if isinstance(step, int):
            target = _item(target, step, path)
        else:
            if target.get(step) is None:
                target[step] = {} if isinstance(following, str) else []
            target = target[step]
    last = path[-1]
    if isinstance(last, int):
        _item(target, last, path)
        target[last] = value
    elif not isinstance(target, dict):
        raise InputValueError(f"{path_text(path)}: {path_text(path[:-1])} has no fields")
    elif value is None:
        target.pop(last, None)
    else:
        target[last] = value
    return copy


def _item(target: Any, index: int, path: Path) -> Any:
    if not isinstance(target, list | tuple) or index >= len(target):
        raise InputValueError(f"{path_text(path)}: there is no item {index}")
    return target[index]
