"""The types of expressions: what cel-go calls types.Type (v0.29.2: common/types/types.go, checker/format.go)."""

from __future__ import annotations

from typing import NamedTuple


class Type(NamedTuple):
    """``kind``: ``bool``, ``list``, ``opaque``... ``params``: of lists, maps, optionals and types."""

    kind: str
    name: str
    params: tuple[Type, ...] = ()

    def __str__(self) -> str:
        if self.kind == "type" and not self.params:
            return "type"
        if self.params:
            return f"{self.name}({', '.join(map(str, self.params))})"
        return self.name


BOOL = Type("bool", "bool")
INT = Type("int", "int")
UINT = Type("uint", "uint")
DOUBLE = Type("double", "double")
STRING = Type("string", "string")
BYTES = Type("bytes", "bytes")
NULL = Type("null", "null")
DYN = Type("dyn", "dyn")
ANY = Type("any", "any")
ERROR = Type("error", "!error!")
DURATION = Type("duration", "duration")
TIMESTAMP = Type("timestamp", "timestamp")
TYPE = Type("type", "type")
QUANTITY = Type("struct", "kubernetes.Quantity")
URL = Type("struct", "kubernetes.URL")
IP = Type("opaque", "net.IP")
CIDR = Type("opaque", "net.CIDR")
DEVICE = Type("struct", "kubernetes.DRADevice")

_PLAIN = {t.name: t for t in (BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, DYN, DURATION, TIMESTAMP, IP, CIDR)}
_RUNTIME = {
    "any": "google.protobuf.Any",
    "null": "null_type",
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
}


def list_of(element: Type) -> Type:
    """The type of lists of these elements."""
    return Type("list", "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """The type of maps from these keys to these values."""
    return Type("map", "map", (key, value))


def optional_of(value: Type) -> Type:
    return Type("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    return Type("type", "type", (value,))


def variable(name: str) -> Type:
    """A type parameter."""
    return Type("param", name)


# device.attributes["domain"].name may be anything; device.capacity["domain"].name is a quantity.
# The API server checks new objects as v1.36 would: attributes are not lists there, and functions of v1.37 are unknown,
# unless the feature gate DRAListTypeAttributes is on.
def device_fields(attribute: Type) -> dict[str, Type]:
    """The fields of a device; attributes are of that type."""
    return {
        "driver": STRING,
        "allowMultipleAllocations": BOOL,
        "attributes": map_of(STRING, map_of(STRING, attribute)),
        "capacity": map_of(STRING, map_of(STRING, QUANTITY)),
    }


NEW_FUNCTIONS = ("includes",)


def parse(text: str) -> Type:
    """Read the notation of the table of functions: ``map(string, list(A))``; single capitals are parameters."""
    kind, rest = _parse(text)
    assert not rest, text
    return kind


def _parse(text: str) -> tuple[Type, str]:
    end = next((i for i, c in enumerate(text) if c in "(),"), len(text))
    name, rest = text[:end].strip(), text[end:]
    params: list[Type] = []
    if rest.startswith("("):
        rest = rest[1:]
        while True:
            param, rest = _parse(rest)
            params.append(param)
            separator, rest = rest[0], rest[1:].lstrip()
            if separator == ")":
                break
    if name in ("list", "map", "type"):
        return Type(name, name, tuple(params)), rest
    if name == "optional_type":
        return Type("opaque", name, tuple(params)), rest
    if len(name) == 1:
        return variable(name), rest
    return _PLAIN.get(name) or Type("struct", name), rest


def runtime_name(kind: Type) -> str:
    """The name that a value of this type has at run time."""
    return _RUNTIME.get(kind.name, kind.name)


def result_name(kind: Type) -> str:
    """The type in the message about a result that is not a bool: ``map(string, null_type)``."""
    params = ", ".join(map(result_name, kind.params))
    return f"{runtime_name(kind)}({params})" if params else runtime_name(kind)
