"""Answers about volumes, which change: a claim is bound, a class gets another driver.

A query about volumes has an attribute ``volumes``, the cluster's Volumes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.number_lists import NumberLists
from kschedlab.cluster.queries import PodQuery
from kschedlab.cluster.signatures import Signature


class VolumeQuery(PodQuery, Protocol):
    """A query about volumes that also names them, so that a volume used by two pods counts once."""

    def handles(self, signature: Signature) -> frozenset[str]:
        """The names of the volumes that every pod with the signature uses."""


def volume_table(signatures: Signatures, query: VolumeQuery) -> VolumeTable:
    table: VolumeTable | None = signatures.volume_tables.get(query)
    if table is None:
        table = signatures.volume_tables[query] = VolumeTable(query)
    table.update(signatures)
    return table


def refresh(signatures: Signatures, volumes: object, changed: Collection[Signature]) -> None:
    """Evaluate queries about these volumes again for the changed signatures."""
    for query, answers in signatures.answered.items():
        if _is_about(query, volumes):
            for signature in changed:
                answers.write(signature, query.of(signature))
    for table in _tables_about(signatures, volumes):
        table.write(changed)
    _drop_items(signatures, volumes)


def drop(signatures: Signatures, volumes: object) -> None:
    """Forget all answers about these volumes; they are recomputed when needed."""
    for query in [query for query in signatures.answered if _is_about(query, volumes)]:
        del signatures.answered[query]
    for table in _tables_about(signatures, volumes):
        del signatures.volume_tables[table.query]
    _drop_items(signatures, volumes)


def _tables_about(signatures: Signatures, volumes: object) -> list[VolumeTable]:
    return [table for query, table in signatures.volume_tables.items() if _is_about(query, volumes)]


def _drop_items(signatures: Signatures, volumes: object) -> None:
    """Forget what methods of queries about these volumes extracted."""
    methods = [each for each in signatures.listed if _is_about(getattr(each, "__self__", None), volumes)]
    for extract in methods:
        del signatures.listed[extract]


def _is_about(query: object, volumes: object) -> bool:
    return getattr(query, "volumes", None) is volumes


class VolumeTable(NumberLists):
    """The volumes that each signature uses, as numbers."""

    def __init__(self, query: VolumeQuery) -> None:
        super().__init__()
        self.query = query
        self._number: dict[str, int] = {}

    def number(self, handle: str) -> int:
        return self._number.setdefault(handle, len(self._number))

    def numbers_of(self, signature: Signature) -> Iterator[int]:
        return map(self.number, self.query.handles(signature))
