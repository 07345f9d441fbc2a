"""For each query, its sum over the pods of each node.

A query about few pods is summed on demand: its clues lead to signatures, and these to the rows of their pods. One about
more pods keeps a column with a number for each node, and every pod that comes or goes updates it.
"""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.clues import ByClue
from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.pods import PodColumns
from kschedlab.cluster.queries import PodQuery, parts_of
from kschedlab.cluster.resource_table import rearranged
from kschedlab.cluster.signatures import IntArray, Signature

LIMIT = 1 << 23
"""The most numbers (queries x nodes) that the columns hold."""
FEW = 64
"""The most pods that are few in any cluster; in a large one, a sixty-fourth of the number of nodes are few."""


class Counts:
    """``columns``: by query about many pods, int64[nodes]: the sum of its answers over each node's pods."""

    def __init__(self, signatures: Signatures, nodes: int, columns: dict[PodQuery, IntArray] | None = None) -> None:
        self._signatures = signatures
        self._nodes = nodes
        self._most, self._few = max(8, LIMIT // max(nodes, 1)), max(FEW, nodes // 64)
        self.columns = columns or {}
        self._about = ByClue((query, query.clues) for query in self.columns)

    def copy(self) -> Counts:
        return Counts(self._signatures, self._nodes, {query: column.copy() for query, column in self.columns.items()})

    def rearranged(self, origin: IntArray) -> Counts:
        """The same columns for other nodes. ``origin``: int64[nodes], each node's old position, -1 for new nodes."""
        columns = {query: rearranged(column, origin) for query, column in self.columns.items()}
        return Counts(self._signatures, len(origin), columns)

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
        total = np.zeros(self._nodes, np.int64) if total is None else total.copy()
        np.add.at(total, pods.node[rows], weights)
        return total

    def _gather(self, query: PodQuery, weight: int, pods: PodColumns, rows: list[int], weights: list[int]) -> bool:
        """Add the rows of the pods that the query is about and their weights, unless they are many."""
        answers, before = self._signatures.answers(query), len(rows)
        if len(answers) > self._few:
            return False
        for number, answer in answers.items():
            if there := pods.by_signature.of(number):
                rows += there
                weights += [weight * answer] * len(there)
                if len(rows) > before + self._few:
                    del rows[before:], weights[before:]
                    return False
        return True

    def _start(self, query: PodQuery, pods: PodColumns) -> IntArray:
        """Keep a column from now on. If there are too many, all others are dropped first."""
        if len(self.columns) >= self._most:
            self.columns, self._about = {}, ByClue()
        column = self.columns[query] = np.zeros(self._nodes, np.int64)
        self._about.put(query, query.clues)
        live = np.flatnonzero(pods.live())
        np.add.at(column, pods.node[live], self._signatures.evaluate(query)[pods.signature[live]])
        return column

    def add(self, signature: Signature, nodes: IntArray | int, sign: int) -> None:
        """Add (+1) or remove (-1) pods of that signature on these nodes."""
        for query in self._about.about(signature) if self.columns else ():
            if answer := query.of(signature):
                np.add.at(self.columns[query], nodes, sign * answer)
