"""Server-side apply: who has set which field, what conflicts, and what goes when somebody stops to set it.

v1.37: sigs.k8s.io/structured-merge-diff/v6 merge/update.go (Apply, prune), typed/merge.go, typed/remove.go;
k8s.io/apimachinery pkg/util/managedfields. Owners are counted when somebody applies: what has changed since then,
another client has set. They are not shown as managedFields.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kschedlab_live.serve.relations import BY_FIELD, BY_VALUE, WHOLE, Relation, Type, member
from kschedlab_live.wire.objects import without_nulls
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.status import ApiError, StatusCause, StatusDetails

Data = dict[str, Any]
Path: TypeAlias = tuple[Any, ...]
"""Steps from the object: a field's name, the (key, value) pairs of an item, or the one value of a set."""
Nodes: TypeAlias = dict[Path, Any]
"""All parts of an object, each with its value; :data:`_INSIDE` for a map or a list with parts of its own."""

MOST_PARTS = 50_000
"""Parts of an object that is applied."""
MOST_REMEMBERED = 5_000_000
"""The steps of the paths that are remembered, each path with ten more: about 5,000 Deployments. The oldest are
forgotten; then another client has set everything."""

OTHERS = "another client"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_OF_SERVER = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
_NOBODYS = {("apiVersion",), ("kind",), ("metadata",), *(("metadata", name) for name in _OF_SERVER)}
_INSIDE = object()


@dataclass
class Record:
    """``owners``: the fields that each applier, and others, have set; ``known``: the object after the last apply."""

    owners: dict[str, set[Path]] = field(default_factory=dict)
    known: Nodes = field(default_factory=dict)

    def size(self) -> int:
        """What it costs to remember."""
        return sum(len(path) + 10 for paths in (self.known, *self.owners.values()) for path in paths)


class Records:
    """The owners of the fields of objects, by uid."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._size = 0

    def of(self, live: Data, type: Type) -> Record:
        """The owners of an object's fields as they are now."""
        seen, uid = nodes(live, type), live["metadata"]["uid"]
        old = self._records.get(uid)
        if old is None:
            kubectls = _last_applied(live, type, seen)
            owners = {"kubectl": kubectls, OTHERS: seen.keys() - kubectls - _NOBODYS}
        else:
            changed, removed = _compared(old.known, seen)
            owners = {name: paths - changed - removed for name, paths in old.owners.items()}
            owners[OTHERS] = owners.get(OTHERS, set()) | (changed - _NOBODYS)
        record = Record(owners, seen)
        self.keep(uid, record)
        return record

    def keep(self, uid: str, record: Record) -> None:
        """Remember the owners after a change."""
        self._size += record.size() - (self._records[uid].size() if uid in self._records else 0)
        self._records[uid] = record
        self._records.move_to_end(uid)
        while self._size > MOST_REMEMBERED and len(self._records) > 1:
            self._size -= self._records.popitem(last=False)[1].size()


def created(config: Data, type: Type, manager: str) -> Record:
    """The owners of the fields of an object that an applier has created."""
    return Record({manager: fields(config, type) - _NOBODYS})


def applied(live: Data, config: Data, type: Type, record: Record, manager: str, force: bool) -> tuple[Data, Record]:
    """The object with the configuration, and the owners then. ApiError (409) if others have set other values."""
    mine, last = fields(config, type), record.owners.get(manager, set())
    owners = {**record.owners, manager: mine}
    new = _pruned(_merged(live, config, type, BY_FIELD), type, last, set().union(*owners.values()))
    of_server = {name: live["metadata"][name] for name in _OF_SERVER if name in live["metadata"]}
    new["metadata"] = {**(new.get("metadata") or {}), **of_server}
    changed, removed = _compared(record.known, nodes(new, type))
    conflicts = {name: paths & changed for name, paths in owners.items() if name != manager and paths & changed}
    if conflicts and not force:
        raise _conflict(conflicts)
    left = {name: paths - removed - conflicts.get(name, set()) for name, paths in record.owners.items()}
    return without_nulls(new), Record({**left, manager: mine - _NOBODYS})


def _compared(before: Nodes, after: Nodes) -> tuple[set[Path], set[Path]]:
    """(what is new or has another value, what is gone); typed/compare.go."""
    both = before.keys() & after.keys()
    differ = {p for p in both if _INSIDE not in (before[p], after[p]) and before[p] != after[p]}
    return differ | (after.keys() - both), before.keys() - both


def nodes(value: Data, type: Type) -> Nodes:
    """All parts of an object."""
    return _parts(value, type)[0]


def fields(value: Data, type: Type) -> set[Path]:
    """The fields of an object that are set; an item of a list counts as a field, too (typed/tofieldset.go)."""
    return _parts(value, type)[1]


def _parts(value: Data, type: Type) -> tuple[Nodes, set[Path]]:
    listed: Nodes = {}
    members: set[Path] = set()

    def walk(value: Any, type: Type, relation: Relation, path: Path) -> None:
        listed[path] = value
        if len(listed) > MOST_PARTS:
            raise failure(413, "RequestEntityTooLarge", f"an object that is applied has at most {MOST_PARTS:,} parts")
        if isinstance(value, dict) and value and relation == BY_FIELD:
            listed[path] = _INSIDE
            for name, inner in value.items():
                walk(inner, *member(type, name), (*path, name))
        elif isinstance(value, list) and relation not in (BY_FIELD, WHOLE):
            listed[path] = _INSIDE if value else []
            for step, item in _items(value, relation, path):
                members.add((*path, step))
                walk(item, type, WHOLE if relation == BY_VALUE else BY_FIELD, (*path, step))
        else:
            members.add(path)

    walk(value, type, BY_FIELD, ())
    del listed[()]
    return listed, members - {()}


def _last_applied(live: Data, type: Type, seen: Nodes) -> set[Path]:
    """What kubectl has applied from its own side and is so still: kubectl takes it over (lastappliedmanager.go)."""
    try:
        config = json.loads(live["metadata"]["annotations"][_LAST_APPLIED])
        applied, mine = _parts(config, type)
    except (KeyError, TypeError, ValueError, RecursionError, ApiError):
        return set()
    changed, removed = _compared(applied, seen)
    return mine - changed - removed - _NOBODYS


def _items(items: list[Any], relation: Relation, path: Path) -> list[tuple[Any, Any]]:
    """The step to each item, and the item. ApiError (400) if an item lacks a key, or has that of another one."""
    steps: dict[Any, Any] = {}
    for item in items:
        if relation == BY_VALUE:
            step: Any = (item if isinstance(item, str | int) else json.dumps(item),)
        elif not isinstance(item, dict):
            raise ApiError.bad_request(f"{text(path)}: an item is not a map of fields")
        else:
            step = tuple((key, _key(item, key, path)) for key in relation)
        if step in steps:
            raise ApiError.bad_request(f"{text(path)}: duplicate entries for key {text((step,))}")
        steps[step] = item
    return [*steps.items()]


def _key(item: Data, key: str, path: Path) -> str | int:
    value = item.get(key, "TCP" if key == "protocol" else None)
    if not isinstance(value, str | int):
        raise ApiError.bad_request(f'{text(path)}: an item omits the key field "{key}" of the list')
    return value


def _merged(live: Any, config: Any, type: Type, relation: Relation) -> Any:
    if isinstance(live, dict) and isinstance(config, dict) and relation == BY_FIELD:
        return live | {name: _merged(live.get(name), value, *member(type, name)) for name, value in config.items()}
    if isinstance(live, list) and isinstance(config, list) and relation not in (BY_FIELD, WHOLE):
        left, right = dict(_items(live, relation, ())), dict(_items(config, relation, ()))
        inner = WHOLE if relation == BY_VALUE else BY_FIELD
        both = {step: _merged(left.get(step), item, type, inner) for step, item in right.items()}
        return [both.get(step, left.get(step)) for step in _interleaved([*left], [*right])]
    return config


def _interleaved(left: list[Any], right: list[Any]) -> list[Any]:
    """The items of both lists: those of the right one in its order (typed/merge.go, visitListItems)."""
    order: dict[Any, None] = {}
    in_left, in_right = set(left), set(right)
    shared = iter([step for step in right if step in in_left])
    wanted, at, next_right = next(shared, None), 0, 0
    while at < len(left) or next_right < len(right):
        if at < len(left) and next_right < len(right):
            if left[at] == right[next_right]:
                order[left[at]] = None
                at, next_right, wanted = at + 1, next_right + 1, next(shared, None)
                continue
            if left[at] in in_right and wanted is not None and wanted != left[at]:
                at += 1
                continue
        if at < len(left):
            if left[at] not in in_right:
                order[left[at]] = None
                at += 1
                continue
            at += left[at] in order
        if next_right < len(right):
            order[right[next_right]] = None
            wanted = next(shared, None) if wanted == right[next_right] else wanted
            next_right += 1
    return [*order]


def _pruned(new: Data, type: Type, last: set[Path], owned: set[Path]) -> Data:
    """The object without what the applier has set last time, and nobody sets now."""
    if not last:
        return new
    all_of_it, lasting = _with_parents(fields(new, type)), _with_parents(last)
    kept = _with_parents(fields(_without(new, type, BY_FIELD, (), lasting), type))
    left = _with_parents(fields(_without(new, type, BY_FIELD, (), all_of_it - kept - _with_parents(owned)), type))
    pruned: Data = _without(new, type, BY_FIELD, (), (all_of_it - left) & lasting)
    return pruned


def _with_parents(paths: Iterable[Path]) -> set[Path]:
    """The paths, and the fields that they are in."""
    inside: set[Path] = set()
    for path in paths:
        parent = path[:-1]
        while parent and parent not in inside:
            inside.add(parent)
            parent = parent[:-1]
    return {path for path in inside if isinstance(path[-1], str)}.union(paths)


def _without(value: Any, type: Type, relation: Relation, path: Path, gone: set[Path]) -> Any:
    """The value without these parts; what becomes empty by that is null."""
    if value and isinstance(value, dict) and relation == BY_FIELD:
        left = {n: _without(v, *member(type, n), (*path, n), gone) for n, v in value.items() if (*path, n) not in gone}
        return left or (None if path else {})
    if value and isinstance(value, list) and relation not in (BY_FIELD, WHOLE):
        inner = WHOLE if relation == BY_VALUE else BY_FIELD
        items = _items(value, relation, path)
        kept = [_without(v, type, inner, (*path, s), gone) for s, v in items if (*path, s) not in gone]
        return [item for item in kept if item is not None] or None
    return value


def text(path: Path) -> str:
    """A path as conflicts show it: ``.spec.containers[name="web"].image``."""
    return "".join(
        f".{step}"
        if isinstance(step, str)
        else f"[{','.join(f'{key}={json.dumps(value)}' for key, value in step)}]"
        if isinstance(step[0], tuple)
        else f"[={json.dumps(step[0])}]"
        for step in path
    )


def _conflict(conflicts: dict[str, set[Path]]) -> ApiError:
    found = sorted((name, text(path)) for name, paths in conflicts.items() for path in paths)
    causes = tuple(StatusCause("FieldManagerConflict", f'conflict with "{name}"', path) for name, path in found[:20])
    listed = "; ".join(f"{cause.message}: {cause.field}" for cause in causes)
    plural = "" if len(found) == 1 else "s"
    why = f"Apply failed with {len(found)} conflict{plural}: {listed}"
    return failure(409, "Conflict", why, StatusDetails(causes=causes))
