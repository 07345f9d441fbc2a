"""Finds signatures by what they have, such as a label."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from weakref import ref

from kschedlab.cluster.clues import Extract
from kschedlab.cluster.signatures import Signature


class Items:
    """What a function extracts from the signatures: by item, those that have it. ``done``: how many were examined.

    Most items, such as a pod's own name, have one signature: it stands there alone, without a list.
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, ref[Signature] | list[ref[Signature]]] = {}
        self.done = 0

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._found)

    def of(self, item: Hashable) -> Sequence[ref[Signature]]:
        """The signatures that have the item, in order of birth."""
        found = self._found.get(item, ())
        return (found,) if isinstance(found, ref) else found

    def update(self, extract: Extract, born: Sequence[ref[Signature]]) -> Items:
        """Examine the signatures that are new."""
        if self.done < len(born):
            for each in born[self.done :]:
                if (signature := each()) is not None:
                    for item in dict.fromkeys(extract(signature)):
                        found = self._found.setdefault(item, each)
                        if isinstance(found, list):
                            found.append(each)
                        elif found is not each:
                            self._found[item] = [found, each]
            self.done = len(born)
        return self
