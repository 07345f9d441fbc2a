"""The signatures of a cluster's pods, each once, and the answers to queries about them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary, ref

import msgspec
import numpy as np

from kschedlab.cluster.clues import ByClue, Clue, Extract, labels_of
from kschedlab.cluster.queries import PodQuery, Sum
from kschedlab.cluster.signatures import IntArray, Signature
from kschedlab.cluster.terms import PodTerms
from kschedlab.objects.model import Pod

Lists: TypeAlias = dict[Hashable, ref[Signature] | list[ref[Signature]]]
"""By item: the signatures that have it. Most items, such as a pod's own name, have one, which needs no list."""


def _put(lists: Lists, item: Hashable, signature: ref[Signature]) -> None:
    present = lists.setdefault(item, signature)
    if isinstance(present, list):
        present.append(signature)
    elif present is not signature:
        lists[item] = [present, signature]


def _list(lists: Lists, item: Hashable) -> Sequence[ref[Signature]]:
    present = lists.get(item, ())
    return (present,) if isinstance(present, ref) else present


class Items:
    """The items that a function extracts from signatures, each with its signatures. ``done``: the number examined."""

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
        for each in born[self.done :]:
            if (signature := each()) is not None:
                for item in dict.fromkeys(extract(signature)):
                    self._add(item, each)
        self.done = len(born)
        return self

    def _add(self, item: Any, signature: ref[Signature]) -> None:
        _put(self._found, item, signature)


class Labels(Items):
    """Signatures by label; a key's values are listed at its first query (none asks for a pod's own name)."""

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, Lists] = {}

    def __iter__(self) -> Iterator[Hashable]:
        for key in {*self._found, *self._values}:
            yield from ((key, value) for value in self._values_of(str(key)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def of(self, item: tuple[str, str]) -> Sequence[ref[Signature]]:
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


T = TypeVar("T")

LIMIT = 1 << 13
"""The most queries whose answers are kept."""
FEW = 1024
"""The number of signatures at which unused signatures are first swept out."""


@dataclass(slots=True)
class Answers:
    """The answers other than 0 to a query, by the signature's number.

    ``clue``: leads to the signatures that may have one (None: all do). ``examined``: for each item of the clue, the
    number of its signatures that were asked.
    """

    clue: Clue | None
    examined: list[int]
    known: dict[int, int] = field(default_factory=dict)

    def update(self, query: PodQuery, lists: Sequence[Sequence[ref[Signature]]]) -> dict[int, int]:
        """Ask the signatures that are new in the lists, one for each item of the clue."""
        for place, signatures in enumerate(lists):
            for each in signatures[self.examined[place] :]:
                if (signature := each()) is not None:
                    self.write(signature, query.of(signature))
            self.examined[place] = len(signatures)
        return self.known

    def write(self, signature: Signature, answer: int) -> None:
        """The answer about the signature, in place of an earlier one."""
        if answer:
            self.known[signature.number] = answer
        else:
            self.known.pop(signature.number, None)


class Signatures:
    """Interned signatures. Forks of a cluster share them.

    A query contains everything that its answer depends on, so answers stay valid, except about volumes
    (:mod:`kschedlab.cluster.volume_answers`).
    Signatures are held by the pods that have them, and only weakly here: one that no pod has any more is eventually
    dropped, and its number reused.
    """

    def __init__(self) -> None:
        self._known: dict[ref[Signature], ref[Signature]] = {}
        self._terms: WeakValueDictionary[bytes, PodTerms] = WeakValueDictionary()
        self._without_terms = PodTerms()
        self._numbers = 0
        self._free: list[int] = []
        self._next_sweep = FEW
        self.sweeps = 0
        self.volume_tables: dict[PodQuery, Any] = {}
        self._start()

    def _start(self) -> None:
        """Forget all that can be computed again, and keep the signatures in use."""
        self._known = {each: each for each in self._known if each() is not None}
        self._born = list(self._known)
        self.listed: dict[Extract, Items] = {}
        self.answered: dict[PodQuery, Answers] = {}
        self._by_clue: dict[Extract, tuple[int, ByClue[Any]]] = {}

    @property
    def born(self) -> int:
        """The number of signatures that were added since the last sweep or survived it."""
        return len(self._born)

    def born_since(self, number: int) -> list[Signature]:
        return [signature for each in self._born[number:] if (signature := each()) is not None]

    def living(self) -> list[Signature]:
        return [signature for each in self._known if (signature := each()) is not None]

    def of(self, pod: Pod) -> Signature:
        """The pod's signature, new if no pod has it. O(size of its labels and affinity)."""
        new = Signature(pod, self._terms_of(pod))
        known = self._known.get(ref(new))
        if known is not None and (signature := known()) is not None:
            return signature
        new.number = self._new_number()
        self._known[ref(new)] = ref(new)
        self._born.append(ref(new))
        return new

    def _terms_of(self, pod: Pod) -> PodTerms:
        """The pod's terms: one object for all pods with the same."""
        affinity = pod.spec.affinity
        if affinity is None or (affinity.podAffinity is None and affinity.podAntiAffinity is None):
            return self._without_terms
        key = msgspec.json.encode((pod.metadata.namespace, affinity.podAffinity, affinity.podAntiAffinity))
        terms = self._terms.get(key)
        if terms is None:
            terms = self._terms[key] = PodTerms.of(pod)
        return terms

    def _new_number(self) -> int:
        """An unused number. Sweeps first when there may be as many dead signatures as living ones."""
        if len(self._born) >= self._next_sweep:
            self._start()
            self.sweeps += 1
            living = {signature.number for signature in self.living()}
            self._free = [number for number in range(self._numbers) if number not in living]
            self._next_sweep = max(FEW, 2 * len(self._born))
        if self._free:
            return self._free.pop()
        self._numbers += 1
        return self._numbers - 1

    def answers(self, query: PodQuery) -> dict[int, int]:
        """By the number of the signature: the answers that are not 0, read-only. Each signature is asked once."""
        if isinstance(query, Sum):
            total: dict[int, int] = {}
            for part, weight in query.parts:
                for number, answer in self.answers(part).items():
                    total[number] = total.get(number, 0) + weight * answer
            return total
        answers = self.answered.get(query)
        if answers is None:
            if len(self.answered) >= LIMIT:
                self.answered.clear()
            answers = self.answered[query] = self._shortest(query.clues)
        return answers.update(query, self._lists_of(answers.clue))

    def _lists_of(self, clue: Clue | None) -> list[Sequence[ref[Signature]]]:
        """The signatures that have each item of the clue; without one, all."""
        if clue is None:
            return [self._born]
        items = self._items_of(clue.extract)
        return [items.of(item) for item in clue.items]

    def _shortest(self, clues: Sequence[Clue]) -> Answers:
        """No answers yet, and the clue to the fewest signatures."""
        if not clues:
            return Answers(None, [0])
        clue = min(clues, key=lambda clue: sum(map(len, self._lists_of(clue))))
        return Answers(clue, [0] * len(clue.items))

    def evaluate(self, query: PodQuery) -> IntArray:
        """int64[numbers + 1]: the answer for every signature. The last is 0, for rows without a pod (-1)."""
        values = np.zeros(self._numbers + 1, np.int64)
        for number, answer in self.answers(query).items():
            values[number] = answer
        return values

    def with_item(self, extract: Extract, item: Hashable) -> list[Signature]:
        references = self._items_of(extract).of(item)
        return [signature for each in references if (signature := each()) is not None]

    def extracted(self, extract: Callable[[Signature], Iterable[T]]) -> Iterator[T]:
        """The different items that the function extracts from all signatures. Each signature is examined once."""
        return iter(self._items_of(extract))  # type: ignore[arg-type]  # the function names what it extracts

    def concerning(
        self, signature: Signature, extract: Callable[[Signature], Iterable[T]], clues: Callable[[T], Sequence[Clue]]
    ) -> Iterator[T]:
        """Of these items, those whose clues lead to the signature. ``clues``: the same for every call."""
        done, index = self._by_clue.setdefault(extract, (0, ByClue()))
        items = self._items_of(extract)
        if done < len(items):
            for item in islice(items, done, None):
                index.put(item, clues(item))  # type: ignore[arg-type]
            self._by_clue[extract] = len(items), index
        return index.about(signature)

    def _items_of(self, extract: Extract) -> Items:
        """By item: the signatures from which the function extracts it."""
        items = self.listed.get(extract)
        if items is None:
            items = self.listed[extract] = Labels() if extract is labels_of else Items()
        return items.update(extract, self._born)
