"""Answers about volumes, which change: a claim is bound, a class gets another driver.

A query about volumes has an attribute ``volumes``, the cluster's Volumes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol
from weakref import ref

import numpy as np

from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.queries import PodQuery
from kschedlab.cluster.signatures import IntArray, Signature


class VolumeQuery(PodQuery, Protocol):
    """A query about volumes that also names them, so that a volume used by two pods counts once."""

    def handles(self, signature: Signature) -> frozenset[str]:
        """The names of the volumes that every pod with the signature uses."""
        ...


def volume_table(signatures: Signatures, query: VolumeQuery) -> VolumeTable:
    """The volumes that each signature uses, as the query names them."""
    table: VolumeTable | None = signatures.volume_tables.get(query)
    if table is None:
        table = signatures.volume_tables[query] = VolumeTable(query)
    table.add_new(signatures._born)
    return table


def refresh(signatures: Signatures, volumes: object, changed: Collection[Signature]) -> None:
    """Evaluate queries about these volumes again for the changed signatures."""
    for query, answers in signatures._answers.items():
        if _is_about(query, volumes):
            for signature in changed:
                answers.write(signature, query.of(signature))
    for table in _tables_about(signatures, volumes):
        table.write(changed)
    _drop_items(signatures, volumes)


def drop(signatures: Signatures, volumes: object) -> None:
    """Forget all answers about these volumes; they are recomputed when needed."""
    for query in [query for query in signatures._answers if _is_about(query, volumes)]:
        del signatures._answers[query]
    for table in _tables_about(signatures, volumes):
        del signatures.volume_tables[table.query]
    _drop_items(signatures, volumes)


def _tables_about(signatures: Signatures, volumes: object) -> list[VolumeTable]:
    return [table for query, table in signatures.volume_tables.items() if _is_about(query, volumes)]


def _drop_items(signatures: Signatures, volumes: object) -> None:
    """Forget what methods of queries about these volumes extracted."""
    methods = [each for each in signatures._items if _is_about(getattr(each, "__self__", None), volumes)]
    for extract in methods:
        del signatures._items[extract]


def _is_about(query: object, volumes: object) -> bool:
    return getattr(query, "volumes", None) is volumes


class VolumeTable:
    """The volumes that each signature uses, as numbers. Each signature is evaluated once."""

    def __init__(self, query: VolumeQuery) -> None:
        self.query = query
        self._numbers: dict[str, int] = {}
        self._start: IntArray = np.zeros(64, np.int64)
        self._length: IntArray = np.zeros(64, np.int64)
        self._volumes: IntArray = np.zeros(0, np.int64)
        self._done = 0

    def number(self, handle: str) -> int:
        """The number of the volume of that name."""
        return self._numbers.setdefault(handle, len(self._numbers))

    def of(self, signature: IntArray) -> tuple[IntArray, IntArray]:
        """(int64[pods]: how many volumes each pod uses, int64[]: their numbers, pod by pod).

        ``signature``: int64[pods].
        """
        length = self._length[signature]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - length - self._start[signature], length)
        return length, self._volumes[place]

    def add_new(self, born: Sequence[ref[Signature]]) -> None:
        """Evaluate the signatures that are new."""
        self.write(signature for each in born[self._done :] if (signature := each()) is not None)
        self._done = len(born)

    def write(self, signatures: Iterable[Signature]) -> None:
        """Evaluate these signatures, perhaps again."""
        numbers: list[int] = []
        for signature in signatures:
            while signature.number >= len(self._length):
                self._start, self._length = (np.concatenate([a, np.zeros_like(a)]) for a in (self._start, self._length))
            handles = self.query.handles(signature)
            self._start[signature.number] = len(self._volumes) + len(numbers)
            self._length[signature.number] = len(handles)
            numbers += map(self.number, handles)
        if numbers:
            self._volumes = np.concatenate([self._volumes, np.array(numbers, np.int64)])
