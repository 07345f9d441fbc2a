"""Numbers on a few nodes, without a place for every node of the cluster."""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.signatures import IntArray

SPARE = 16
"""So many places are free at first."""


class Tally:
    """The number of each of these nodes: the sum over the places in which it stands.

    ``_nodes``, ``_numbers``: int64[size]; the first ``_length`` are in use.
    """

    _nodes: IntArray
    _numbers: IntArray
    _length: int

    def __init__(self, column: IntArray) -> None:
        self._count(column)

    def copy(self) -> Tally:
        """An independent tally of the same numbers."""
        other = Tally.__new__(Tally)
        other._nodes, other._numbers, other._length = self._nodes.copy(), self._numbers.copy(), self._length
        return other

    def add(self, nodes: IntArray | int, number: int) -> None:
        """Add the number on each of these nodes."""
        more = np.atleast_1d(nodes)
        end = self._length + len(more)
        if end > len(self._nodes):
            column = np.zeros(int(max(self._nodes.max(), more.max())) + 1, np.int64)
            self.add_to(column, 1)
            self._count(column, len(more))
            end = self._length + len(more)
        self._nodes[self._length : end], self._numbers[self._length : end] = more, number
        self._length = end

    def add_to(self, column: IntArray, weight: int) -> None:
        """Add the numbers, with this weight, to a column."""
        np.add.at(column, self._nodes[: self._length], weight * self._numbers[: self._length])

    def __len__(self) -> int:
        """The number of nodes, those counted that stand there twice."""
        return self._length

    def _count(self, column: IntArray, more: int = 0) -> None:
        """Start from a column: every node stands there once."""
        nodes = np.flatnonzero(column)
        spare = np.zeros(SPARE + len(nodes) // 2 + more, np.int64)
        self._nodes, self._numbers = np.concatenate([nodes, spare]), np.concatenate([column[nodes], spare])
        self._length = len(nodes)
