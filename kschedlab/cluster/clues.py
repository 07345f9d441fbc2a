"""Clues: what a pod must have for a question to concern it, so that questions and pods find each other by a look-up.

A selector that demands ``app In (web)`` matches only pods with that label. A query looks up the pods with the
label, and a pod looks up the queries about its labels. Nothing goes through all pods, or through all queries.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from kschedlab.cluster.signatures import Signature
from kschedlab.objects.selectors import Selector

T = TypeVar("T")
Extract: TypeAlias = Callable[[Signature], Iterable[Any]]
"""Reads items from a signature, such as its labels."""


class Clue(NamedTuple):
    """A pod that matches has one of ``items``, as ``extract`` reads them from its signature; no pod has two of them."""

    extract: Extract
    items: tuple[Hashable, ...]


def labels_of(signature: Signature) -> Iterable[tuple[str, str]]:
    return signature.labels.items()


def namespace_of(signature: Signature) -> tuple[str]:
    return (signature.namespace,)


def has_volumes(signature: Signature) -> tuple[bool, ...]:
    return (True,) if signature.example.spec.volumes else ()


VOLUMES: tuple[Clue, ...] = (Clue(has_volumes, (True,)),)
"""The clue of questions about volumes."""


def clues_of(selector: Selector | None, namespaces: Iterable[str] | None = None) -> tuple[Clue, ...]:
    """The clues to the pods that the selector (None: none) matches in these namespaces (None: any); each suffices."""
    if selector is None:
        return (Clue(labels_of, ()),)
    clues = [
        Clue(labels_of, tuple((requirement.key, value) for value in requirement.values))
        for requirement in selector.requirements
        if requirement.operator == "In"
    ]
    return (*clues, *([Clue(namespace_of, tuple(namespaces))] if namespaces is not None else []))


class ByClue(Generic[T]):
    """Things that concern some pods, each listed under one of its clues: the one with the shortest list."""

    def __init__(self, things: Iterable[tuple[T, Sequence[Clue]]] = ()) -> None:
        self._lists: dict[Extract, dict[Hashable, list[T]]] = {}
        self._rest: list[T] = []
        for thing, clues in things:
            self.put(thing, clues)

    def put(self, thing: T, clues: Sequence[Clue]) -> None:
        """List the thing; without clues, under the rest, which may concern any pod."""
        if not clues:
            self._rest.append(thing)
            return
        clue = min(clues, key=self._size)
        lists = self._lists.setdefault(clue.extract, {})
        for item in clue.items:
            lists.setdefault(item, []).append(thing)

    def about(self, signature: Signature) -> Iterator[T]:
        """All that may concern pods with the signature. O(items of the signature + what is found)."""
        for extract, lists in self._lists.items():
            for item in dict.fromkeys(extract(signature)):
                yield from lists.get(item, ())
        yield from self._rest

    def _size(self, clue: Clue) -> int:
        lists = self._lists.get(clue.extract, {})
        return sum(len(lists.get(item, ())) for item in clue.items)
