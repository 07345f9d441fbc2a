"""The result of an expression as a bool, or why it is none."""

from __future__ import annotations

from kube_cel.values import (
    Duration,
    Err,
    Foreign,
    Growing,
    Map,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    type_name,
)

_REASONS: dict[type, str] = {
    int: "unsupported type conversion from 'int' to bool",
    UInt: "unsupported type conversion from 'uint' to bool",
    float: "type conversion error from Double to 'bool'",
    str: "unsupported native conversion from string to 'bool'",
    bytes: "type conversion error from Bytes to 'bool'",
    type(None): "type conversion error from 'null_type' to 'bool'",
    list: "type conversion error from list to 'bool'",
    Growing: "type conversion error from list to 'bool'",
    Map: "type conversion error from map to 'bool'",
    Duration: "type conversion error from 'Duration' to 'bool'",
    Timestamp: "type conversion error from 'Timestamp' to 'bool'",
    TypeValue: "type conversion not supported for 'type'",
}


def to_bool(value: Value) -> bool | Err:
    """The bool, or an error that names the type."""
    inner = value
    while type(inner) is Optional:
        if not inner.present:
            return Err(
                f"CEL result of type {type_name(value)} could not be converted to bool: optional.none() dereference"
            )
        inner = inner.value
    if type(inner) is bool:
        return inner
    reason = _REASONS.get(type(inner))
    if reason is None:
        assert isinstance(inner, Foreign)
        reason = f"type conversion error from '{inner.short}' to 'bool'"
    return Err(f"CEL result of type {type_name(value)} could not be converted to bool: {reason}")
