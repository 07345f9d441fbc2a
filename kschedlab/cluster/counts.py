"""For each query, its sum over the pods of each node, updated pod by pod instead of recounted."""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.signatures import IntArray, PodQuery, Signatures

LIMIT = 1 << 23
"""The most numbers (queries x nodes) that a table holds."""


def rearranged(columns: IntArray, origin: IntArray) -> IntArray:
    """The columns (nodes on the last axis) in another order. ``origin``: int64[nodes], -1 for a column of zeros."""
    blank = np.zeros((*columns.shape[:-1], 1), np.int64)
    return np.take(np.concatenate([columns, blank], axis=-1), origin, axis=-1)


class Counts:
    """A table of queries x nodes.

    Row ``r`` holds, for every node, the sum of query ``r``'s answers over the node's pods. The first call computes the
    row from the pods' columns (O(pods)); after that, adding or removing a pod costs one indexed addition for all rows.
    ``_relevant``: for each signature, (rows, answers) of the queries whose answer about it is not 0.
    """

    def __init__(self, signatures: Signatures, nodes: int) -> None:
        self._signatures = signatures
        self._rows: dict[PodQuery, int] = {}
        self._most_rows = max(8, LIMIT // max(nodes, 1))
        self._table = np.zeros((8, nodes), np.int64)
        self._relevant: list[tuple[IntArray, IntArray]] = []

    def copy(self) -> Counts:
        """An independent table with the same rows."""
        other = Counts.__new__(Counts)
        other._signatures, other._most_rows = self._signatures, self._most_rows
        other._rows = dict(self._rows)
        other._table = self._table.copy()
        other._relevant = list(self._relevant)
        return other

    def __contains__(self, query: PodQuery) -> bool:
        return query in self._rows

    def __getitem__(self, query: PodQuery) -> IntArray:
        """int64[nodes]: the query's count on every node."""
        return self._table[self._rows[query]]

    def queries(self) -> tuple[PodQuery, ...]:
        """The queries that have a row."""
        return tuple(self._rows)

    def start(self, query: PodQuery, node: IntArray, signature: IntArray) -> None:
        """Count the query from now on, starting with the pods in these columns. A full table is emptied first."""
        if len(self._rows) >= self._most_rows:
            self._rows, self._relevant = {}, []
            self._table = np.zeros((8, self._table.shape[1]), np.int64)
        row = self._new_row(query)
        np.add.at(self._table[row], node, self._signatures.evaluate(query)[signature])

    def add(self, signature: int, node: int, sign: int) -> None:
        """Add (+1) or remove (-1) a pod of that signature on the node."""
        rows, weights = self._relevant_to(signature)
        if len(rows):
            self._table[rows, node] += sign * weights

    def exclude(self, signature: int, node: IntArray) -> None:
        """Stop counting the pods of that signature on these nodes; see :meth:`include`."""
        self._add_all(signature, node, -1)

    def include(self, signature: int, node: IntArray) -> None:
        """Count these pods again, with the queries' current answers about their signature."""
        self._relevant[signature] = self._rows_of(signature)
        self._add_all(signature, node, +1)

    def rearranged(self, origin: IntArray) -> Counts:
        """The same queries for other nodes. ``origin``: int64[nodes], each node's old position, -1 for new nodes."""
        other = self.copy()
        other._most_rows = max(8, LIMIT // max(len(origin), 1))
        other._table = rearranged(self._table, origin)
        return other

    def _add_all(self, signature: int, node: IntArray, sign: int) -> None:
        rows, weights = self._relevant_to(signature)
        for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
            np.add.at(self._table[row], node, sign * weight)

    def _relevant_to(self, signature: int) -> tuple[IntArray, IntArray]:
        while len(self._relevant) <= signature:
            self._relevant.append(self._rows_of(len(self._relevant)))
        return self._relevant[signature]

    def _new_row(self, query: PodQuery) -> int:
        number = self._rows[query] = len(self._rows)
        if number == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        values = self._signatures.evaluate(query)
        for signature in np.flatnonzero(values[: len(self._relevant)]).tolist():
            rows, weights = self._relevant[signature]
            self._relevant[signature] = np.append(rows, number), np.append(weights, values[signature])
        return number

    def _rows_of(self, signature: int) -> tuple[IntArray, IntArray]:
        values = np.fromiter(
            (self._signatures.evaluate(q)[signature] for q in self._rows), np.int64, count=len(self._rows)
        )
        rows = np.flatnonzero(values)
        return rows, values[rows]
