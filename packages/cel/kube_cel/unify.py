"""Which types fit each other, and what type parameters stand for (cel-go v0.29.2: checker/types.go, mapping.go)."""

from __future__ import annotations

from collections.abc import Sequence

from kube_cel.kinds import DYN, Type

_NULLABLE = {"opaque", "struct", "duration", "timestamp"}
_WILD = {"dyn", "any", "error"}
_NESTED = {"opaque", "list", "map"}


class Substitutions:
    """What each type parameter stands for. A failed attempt leaves no trace."""

    def __init__(self) -> None:
        self._known: dict[Type, Type] = {}
        self._journal: list[tuple[Type, Type | None]] = []

    def assignable(self, one: Type, other: Type) -> bool:
        """Whether the types fit; parameters are bound if they do."""
        return self.all_assignable((one,), (other,))

    def all_assignable(self, ones: Sequence[Type], others: Sequence[Type]) -> bool:
        """Whether the types fit pairwise."""
        if len(ones) != len(others):
            return False
        self._journal.clear()
        if all(self._assignable(one, other) for one, other in zip(ones, others, strict=True)):
            return True
        for param, before in reversed(self._journal):
            if before is None:
                del self._known[param]
            else:
                self._known[param] = before
        return False

    def resolve(self, kind: Type, to_dyn: bool = False) -> Type:
        """The type with its parameters replaced; unknown ones become dyn if ``to_dyn``."""
        known = self._known.get(kind) if self._known else None
        if known is not None:
            return self.resolve(known, to_dyn)
        if kind.kind == "param":
            return DYN if to_dyn else kind
        if not kind.params:
            return kind
        return kind._replace(params=tuple([self.resolve(param, to_dyn) for param in kind.params]))

    def _bind(self, param: Type, kind: Type) -> None:
        self._journal.append((param, self._known.get(param)))
        self._known[param] = kind

    def _assignable(self, one: Type, other: Type) -> bool:
        if other.kind == "param":
            valid, bound = self._substitutes(one, other)
            if valid or bound:
                return valid
        if one.kind == "param":
            return self._substitutes(other, one)[0]
        if one.kind in _WILD or other.kind in _WILD:
            return True
        if one.kind == "null" or other.kind == "null":
            rest = other if one.kind == "null" else one
            return rest.kind in _NULLABLE or rest.kind == "null"
        if one.kind == "type":
            return other.kind == "type"
        if one.kind in _NESTED:
            return (
                one.kind == other.kind
                and one.name == other.name
                and len(one.params) == len(other.params)
                and all(self._assignable(a, b) for a, b in zip(one.params, other.params, strict=True))
            )
        return one == other

    def _substitutes(self, kind: Type, param: Type) -> tuple[bool, bool]:
        """(whether the type can stand for the parameter, whether the parameter stood for something)."""
        if kind == param:
            return True, True
        known = self._known.get(param)
        if known is not None:
            if kind == known:
                return True, True
            if not self._assignable(kind, known):
                return False, True
            general = most_general(kind, known)
            if not self._mentions(param, general):
                self._bind(param, general)
            return True, True
        if self._mentions(param, kind):
            return False, False
        self._bind(param, kind)
        return True, False

    def _mentions(self, param: Type, kind: Type) -> bool:
        if param == kind:
            return True
        if kind.kind == "param":
            known = self._known.get(kind)
            return known is not None and self._mentions(param, known)
        return kind.kind in (*_NESTED, "type") and any(self._mentions(param, part) for part in kind.params)


def most_general(one: Type, other: Type) -> Type:
    """The type of the two that says less."""
    return one if _says_less(one, other) else other


def _says_less(one: Type, other: Type) -> bool:
    if one.kind in ("dyn", "any", "param"):
        return True
    if other.kind in ("dyn", "any", "param") or one.kind != other.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind in _NESTED:
        return (
            one.name == other.name
            and len(one.params) == len(other.params)
            and all(_says_less(a, b) for a, b in zip(one.params, other.params, strict=True))
        )
    return one == other
