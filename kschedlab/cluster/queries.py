"""Queries: questions about pods whose answers a cluster counts on each node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kschedlab.cluster.clues import Clue
from kschedlab.cluster.signatures import Signature


class PodQuery(Protocol):
    """A hashable question about a signature, answered with a number (0: no)."""

    def __hash__(self) -> int: ...

    def of(self, signature: Signature) -> int:
        """The answer for one signature, e.g. 1 if a selector matches it."""

    @property
    def clues(self) -> Sequence[Clue]:
        """Any one of them finds every signature whose answer is not 0. Without any, every signature is asked."""


@dataclass(frozen=True)
class Sum:
    """PodQuery: the weighted sum of the answers to other queries. Its answers are put together, and not kept."""

    parts: tuple[tuple[PodQuery, int], ...]
    clues: Sequence[Clue] = ()

    def of(self, signature: Signature) -> int:
        return sum(weight * query.of(signature) for query, weight in self.parts)


def parts_of(query: PodQuery) -> tuple[tuple[PodQuery, int], ...]:
    """The queries that it is the sum of, with their weights: usually the query itself."""
    return query.parts if isinstance(query, Sum) else ((query, 1),)
