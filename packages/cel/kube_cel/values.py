"""The values of expressions. Most are Python's own; here are the others, with equality and order as CEL has them.

int, str, bytes, float, bool and None are themselves; a list is a Python list. An error is a value too, because ``&&``
and ``||`` may absorb it. cel-go v0.29.2: common/types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

INT_MIN, INT_MAX, UINT_MAX = -(2**63), 2**63 - 1, 2**64 - 1


class Err:
    """The evaluation of a part failed."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


Value: TypeAlias = Any  # a value of CEL or an Err


class CancelledError(Exception):
    """The evaluation ends at once: it cost too much, or cel-go panics."""


class UInt(int):
    """An unsigned integer."""

    __slots__ = ()


class Duration(NamedTuple):
    """A span of time in nanoseconds."""

    nanos: int


@dataclass(frozen=True, order=True, slots=True)
class Timestamp:
    """A moment in nanoseconds since 1970, UTC. ``zone``: the seconds by which it is written in another zone's time."""

    nanos: int
    zone: int = field(compare=False)


class TypeValue(NamedTuple):
    """A type as a value, such as ``int``."""

    name: str


class Optional:
    """``optional.of(x)``; ``NONE`` is ``optional.none()``."""

    __slots__ = ("present", "value")

    def __init__(self, present: bool, value: Value = None) -> None:
        self.present = present
        self.value = value


NONE = Optional(False)


class Foreign:
    """A value of a type that Kubernetes adds: it equals only values of its own Go type, and is never a key."""

    type_name = ""
    go_type = ""
    short = ""
    is_hashable = True

    def equals(self, other: Value) -> Value:
        """Whether the other value is equal, or an error."""
        if type(other) is not type(self):
            return NO_OVERLOAD
        return self.same(other)

    def same(self, other: Any) -> bool:
        """Whether the other value of this class is equal."""
        raise NotImplementedError


class Growing(list[Any]):
    """The list that a macro builds; adding to it changes it."""


Key: TypeAlias = tuple[type, Any]


class Map:
    """A map. Numbers of different types that are equal are the same key when they are looked up."""

    __slots__ = ("entries", "default")

    def __init__(self, entries: Iterable[tuple[Value, Value]] = (), default: Value = None) -> None:
        self.entries: dict[Key, tuple[Value, Value]] = {}
        for key, value in entries:
            self.entries[key_of(key)] = (key, value)
        self.default = default

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Value]:
        return (key for key, _ in self.entries.values())

    def items(self) -> Iterable[tuple[Value, Value]]:
        """Keys with their values."""
        return self.entries.values()

    def get(self, key: Value) -> tuple[Value, bool]:
        """(value, whether the key exists); a map with a default has every key."""
        value, found = self.find(key)
        return (self.default, True) if not found and self.default is not None else (value, found)

    def find(self, key: Value) -> tuple[Value, bool]:
        """(value, whether the key exists)."""
        entry = self.entries.get((type(key), key)) if type(key) is str else self._lookup(key)
        return (None, False) if entry is None else (entry[1], True)

    def _lookup(self, key: Value) -> tuple[Value, Value] | None:
        entry = self.entries.get(key_of(key))
        if entry is None and is_number(key):
            for kind in (int, UInt):
                other = exact(key, kind)
                if other is not None and (entry := self.entries.get((kind, other))) is not None:
                    break
        return entry

    def grown(self, key: Value, value: Value) -> Map:
        """This map with one entry more; it changes (only macros call this)."""
        self.entries[key_of(key)] = (key, value)
        return self


def key_of(value: Value) -> Key:
    """What a map is looked up by."""
    if isinstance(value, bytes):
        raise CancelledError("internal error: runtime error: hash of unhashable type types.Bytes")
    if isinstance(value, Foreign) and not value.is_hashable:
        raise CancelledError(f"internal error: runtime error: hash of unhashable type {value.go_type}")
    if isinstance(value, list | Map | Optional | Foreign):
        return type(value), id(value)  # the real one compares pointers
    return type(value), value


def exact(number: int | float, kind: type) -> int | None:
    """The number as an int or UInt, if that is exact (overflow.go: the least int is never a double's)."""
    if isinstance(number, float) and (not number.is_integer() or number == INT_MIN):
        return None
    whole = int(number)
    fits = 0 <= whole <= UINT_MAX if kind is UInt else INT_MIN <= whole <= INT_MAX
    return whole if fits else None


EMPTY = Map()
NO_OVERLOAD = Err("no such overload")

_TYPE_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    Growing: "list",
    Map: "map",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    TypeValue: "type",
    Optional: "optional_type",
}
_GO_TYPES: dict[type, str] = {
    bool: "types.Bool",
    int: "types.Int",
    UInt: "types.Uint",
    float: "types.Double",
    str: "types.String",
    bytes: "types.Bytes",
    type(None): "types.Null",
    Duration: "types.Duration",
    Timestamp: "types.Timestamp",
    TypeValue: "*types.Type",
    Optional: "*types.Optional",
    Err: "*types.Err",
    list: "*types.baseList",
    Growing: "*types.baseList",
    Map: "*types.baseMap",
}


def type_name(value: Value) -> str:
    """The name of the value's type at run time."""
    return _TYPE_NAMES.get(type(value)) or str(value.type_name)


def go_type(value: Value) -> str:
    """The Go type that messages name."""
    if type(value) is Map and value.default is not None:
        return "cel.mapper"
    return _GO_TYPES.get(type(value)) or str(value.go_type)


def size(value: Value) -> int:
    """The size that costs depend on: 1 for everything without a size."""
    kind = type(value)
    if kind in (str, bytes, list, Map, Growing):
        return len(value)
    if kind is Optional and value.present:
        return size(value.value)
    return int(getattr(value, "size", 1))


def is_number(value: Value) -> bool:
    """Whether it is an int, uint or double."""
    return type(value) in (int, UInt, float)


def equal(left: Value, right: Value) -> Value:
    """``==``: numbers compare across types; a Foreign value refuses values of other types with an error."""
    if left is None or right is None:
        return left is right
    kind = type(left)
    if kind in (str, bool, bytes, Duration, Timestamp, TypeValue):
        return type(right) is kind and left == right
    if kind in (int, UInt, float):
        if not is_number(right):
            return False
        left, right = _alike(left, right)
        return bool(left == right)
    if isinstance(left, list):
        if not isinstance(right, list) or len(left) != len(right):
            return False
        return not any(equal(a, b) is False for a, b in zip(left, right, strict=True))
    if kind is Map:
        return _equal_maps(left, right)
    if kind is Optional:
        if type(right) is not Optional or left.present != right.present:
            return False
        return equal(left.value, right.value) if left.present else True
    return left.equals(right)


def _equal_maps(left: Map, right: Value) -> bool:
    if type(right) is not Map or len(left) != len(right):
        return False
    for key, value in left.items():
        other, found = right.get(key)
        if not found or equal(value, other) is False:
            return False
    return True


def contains(items: Iterable[Value], value: Value) -> bool:
    """Whether a list has an element that is equal."""
    return any(equal(value, item) is True for item in items)


def _alike(left: Value, right: Value) -> tuple[Value, Value]:
    """Numbers as they are compared: as doubles if one is (compare.go)."""
    return (float(left), float(right)) if float in (type(left), type(right)) else (left, right)


def compare(left: Value, right: Value) -> Value:
    """-1, 0 or 1, or an error."""
    if is_number(left):
        if left != left or (is_number(right) and right != right):  # NaN
            return Err("NaN values cannot be ordered")
        if not is_number(right):
            return NO_OVERLOAD
        left, right = _alike(left, right)
    elif type(left) is not type(right):
        return NO_OVERLOAD
    return (left > right) - (left < right)


Function: TypeAlias = Callable[..., Value]
