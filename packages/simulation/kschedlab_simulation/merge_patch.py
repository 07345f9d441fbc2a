"""JSON merge patches (RFC 7386)."""

from __future__ import annotations

from typing import Any


def merged(target: Any, patch: Any) -> Any:
    """The target with its maps merged and all else replaced; null removes a field. Neither argument changes."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
