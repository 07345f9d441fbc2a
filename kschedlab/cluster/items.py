"""Finds signatures by what they have, such as a label."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeAlias
from weakref import ref

from kschedlab.cluster.clues import Extract, labels_of
from kschedlab.cluster.signatures import Signature

Lists: TypeAlias = dict[Hashable, ref[Signature] | list[ref[Signature]]]
"""By item: the signatures that have it. Most items, such as a pod's own name, have one: it stands there alone."""


def _put(lists: Lists, item: Hashable, signature: ref[Signature]) -> None:
    found = lists.setdefault(item, signature)
    if isinstance(found, list):
        found.append(signature)
    elif found is not signature:
        lists[item] = [found, signature]


def _list(lists: Lists, item: Hashable) -> Sequence[ref[Signature]]:
    found = lists.get(item, ())
    return (found,) if isinstance(found, ref) else found


class Items:
    """What a function extracts from the signatures: by item, those that have it. ``done``: how many were examined."""

    def __init__(self) -> None:
        self._found: Lists = {}
        self.done = 0

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._found)

    def of(self, item: Any) -> Sequence[ref[Signature]]:
        """The signatures that have the item, in order of birth."""
        return _list(self._found, item)

    def update(self, extract: Extract, born: Sequence[ref[Signature]]) -> Items:
        """Examine the signatures that are new."""
        if self.done < len(born):
            for each in born[self.done :]:
                if (signature := each()) is not None:
                    for item in dict.fromkeys(extract(signature)):
                        self._add(item, each)
            self.done = len(born)
        return self

    def _add(self, item: Any, signature: ref[Signature]) -> None:
        _put(self._found, item, signature)


class Labels(Items):
    """Signatures by label. The values of a key are listed once somebody asks for one.

    Nobody asks for the label with a pod's own name, which would take a list for each pod. ``_found``: by key.
    """

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, Lists] = {}

    def __iter__(self) -> Iterator[Hashable]:
        for key in {*self._found, *self._values}:
            yield from ((key, value) for value in self._values_of(str(key)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def of(self, item: tuple[str, str]) -> Sequence[ref[Signature]]:
        """The signatures that have the label, in order of birth."""
        key, value = item
        return _list(self._values_of(key), value)

    def _values_of(self, key: str) -> Lists:
        values = self._values.get(key)
        if values is None:
            values = self._values[key] = {}
            for each in _list(self._found, key):
                if (signature := each()) is not None:
                    _put(values, signature.labels[key], each)
            self._found.pop(key, None)
        return values

    def _add(self, item: tuple[str, str], signature: ref[Signature]) -> None:
        key, value = item
        if key in self._values:
            _put(self._values[key], value, signature)
        else:
            _put(self._found, key, signature)


def items_for(extract: Extract) -> Items:
    """An empty index of what the function extracts."""
    return Labels() if extract is labels_of else Items()
