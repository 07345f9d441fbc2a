"""For each query, its sum over the pods of each node.

A query about few pods is summed when it is asked: its clues lead to signatures, and these to the rows of their pods.
A query about many pods keeps a column, which every pod that comes or goes updates.
"""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.clues import ByClue
from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.pods import PodColumns
from kschedlab.cluster.queries import PodQuery, parts_of
from kschedlab.cluster.signatures import IntArray, Signature

LIMIT = 1 << 23
"""The most numbers (queries x nodes) that the columns hold."""
FEW = 64
"""So many pods are few in any cluster; in a large one, so are a sixteenth of the number of nodes."""


def rearranged(columns: IntArray, origin: IntArray) -> IntArray:
    """The columns (nodes on the last axis) in another order. ``origin``: int64[nodes], -1 for a column of zeros."""
    blank = np.zeros((*columns.shape[:-1], 1), np.int64)
    return np.take(np.concatenate([columns, blank], axis=-1), origin, axis=-1)


class Counts:
    """``columns``, of the queries about many pods: int64[nodes], the sum of the query's answers over the node's pods.

    ``few``: the most signatures and pods that are summed when asked. ``_about``: the queries of the columns, by clue.
    """

    def __init__(self, signatures: Signatures, nodes: int) -> None:
        self._signatures = signatures
        self._nodes = nodes
        self._few = max(FEW, nodes // 16)
        self._most = max(8, LIMIT // max(nodes, 1))
        self.columns: dict[PodQuery, IntArray] = {}
        self._about: ByClue[PodQuery] = ByClue()

    def copy(self) -> Counts:
        """Independent columns of the same queries."""
        return self._with({query: column.copy() for query, column in self.columns.items()}, self._nodes)

    def rearranged(self, origin: IntArray) -> Counts:
        """The same queries for other nodes. ``origin``: int64[nodes], each node's old position, -1 for new nodes."""
        return self._with({query: rearranged(c, origin) for query, c in self.columns.items()}, len(origin))

    def _with(self, columns: dict[PodQuery, IntArray], nodes: int) -> Counts:
        other = Counts(self._signatures, nodes)
        other.columns = columns
        other._about = ByClue((query, query.clues) for query in columns)
        return other

    def of(self, query: PodQuery, pods: PodColumns) -> IntArray:
        """int64[nodes], read-only: the query's count on every node. O(nodes)."""
        rows: list[int] = []
        weights: list[int] = []
        total: IntArray | None = None
        for part, weight in parts_of(query):
            column = self.columns.get(part)
            if column is None and not self._gather(part, weight, pods, rows, weights):
                column = self._start(part, pods)
            if column is not None:
                scaled = column if weight == 1 else weight * column
                total = scaled if total is None else total + scaled
        if not rows:
            return np.zeros(self._nodes, np.int64) if total is None else total
        sparse = np.zeros(self._nodes, np.int64) if total is None else total.copy()
        np.add.at(sparse, pods.node[rows], weights)
        return sparse

    def _gather(self, query: PodQuery, weight: int, pods: PodColumns, rows: list[int], weights: list[int]) -> bool:
        """Add the rows of the pods that the query is about and their weights, unless there are many."""
        answers, most = self._signatures.answers(query), len(rows) + self._few
        if len(answers) > self._few:
            return False
        before = len(rows)
        for number, answer in answers.items():
            if there := pods.rows_of(number):
                rows += there
                weights += [weight * answer] * len(there)
                if len(rows) > most:
                    del rows[before:], weights[before:]
                    return False
        return True

    def _start(self, query: PodQuery, pods: PodColumns) -> IntArray:
        """Keep a column from now on. If there are too many, the others are given up."""
        if len(self.columns) >= self._most:
            self.columns, self._about = {}, ByClue()
        column = self.columns[query] = np.zeros(self._nodes, np.int64)
        self._about.put(query, query.clues)
        live = np.flatnonzero(pods.live())
        np.add.at(column, pods.node[live], self._signatures.evaluate(query)[pods.signature[live]])
        return column

    def add(self, signature: Signature, nodes: IntArray | int, sign: int) -> None:
        """Add (+1) or remove (-1) pods of that signature on these nodes."""
        if self.columns:
            for query in self._about.about(signature):
                if answer := query.of(signature):
                    np.add.at(self.columns[query], nodes, sign * answer)
