"""For each query, its sum over the pods of each node.

A query about a handful of pods is summed on demand: its clues lead to signatures, and these to the rows of their
pods. One about more pods keeps what it counted, and every pod that comes or goes updates it: as a column with a number
for each node if there are many, and otherwise as a list of nodes with a number each.
"""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.clues import ByClue
from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.pods import PodColumns
from kschedlab.cluster.queries import PodQuery, parts_of
from kschedlab.cluster.resource_table import rearranged
from kschedlab.cluster.signatures import IntArray, Signature

SPARE = 16
"""Spare places in a new tally."""


class Tally:
    """A sparse column. A node may have several entries; its number is their sum.

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
        """The number of nodes; a node that is listed twice counts twice."""
        return self._length

    def _count(self, column: IntArray, more: int = 0) -> None:
        """Start from a column: every node is there once."""
        nodes = np.flatnonzero(column)
        spare = np.zeros(SPARE + len(nodes) // 2 + more, np.int64)
        self._nodes, self._numbers = np.concatenate([nodes, spare]), np.concatenate([column[nodes], spare])
        self._length = len(nodes)


LIMIT = 1 << 23
"""The most numbers (queries x nodes) that the columns hold."""
HANDFUL = 16
FEW = 64
"""The most pods that are few in any cluster; in a large one, a sixteenth of the number of nodes are few."""


class Counts:
    """``columns``: by query about many pods, int64[nodes]: the sum of the query's answers over the node's pods.

    ``tallies``: those of queries about few pods. ``_few``, ``_handful``: the most pods that are few, or a handful.
    ``_about``: the queries with a column or a tally, by clue.
    """

    def __init__(self, signatures: Signatures, nodes: int) -> None:
        self._signatures = signatures
        self._nodes = nodes
        self._handful, self._few = HANDFUL, max(FEW, nodes // 16)
        self._most = max(8, LIMIT // max(nodes, 1))
        self.columns: dict[PodQuery, IntArray] = {}
        self.tallies: dict[PodQuery, Tally] = {}
        self._about: ByClue[PodQuery] = ByClue()

    def copy(self) -> Counts:
        """Independent columns of the same queries."""
        other = self._with({query: column.copy() for query, column in self.columns.items()}, self._nodes)
        for query, tally in self.tallies.items():
            other.tallies[query] = tally.copy()
            other._about.put(query, query.clues)
        return other

    def rearranged(self, origin: IntArray) -> Counts:
        """The same columns for other nodes. ``origin``: int64[nodes], each node's old position, -1 for new nodes."""
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
        tallies: list[tuple[Tally, int]] = []
        total: IntArray | None = None
        for part, weight in parts_of(query):
            column, tally = self.columns.get(part), self.tallies.get(part)
            if column is None and tally is None and not self._gather(part, weight, pods, rows, weights, self._handful):
                column, tally = self._start(part, pods)
            if tally is not None:
                tallies.append((tally, weight))
            elif column is not None:
                scaled = column if weight == 1 else weight * column
                total = scaled if total is None else total + scaled
        if not rows and not tallies:
            return np.zeros(self._nodes, np.int64) if total is None else total
        sparse = np.zeros(self._nodes, np.int64) if total is None else total.copy()
        for tally, weight in tallies:
            tally.add_to(sparse, weight)
        if rows:
            np.add.at(sparse, pods.node[rows], weights)
        return sparse

    def _gather(
        self, query: PodQuery, weight: int, pods: PodColumns, rows: list[int], weights: list[int], limit: int
    ) -> bool:
        """Add the rows of the pods that the query is about and their weights, unless there are more than the limit."""
        limit = min(limit, self._few)
        answers, most = self._signatures.answers(query), len(rows) + limit
        if len(answers) > limit:
            return False
        before = len(rows)
        for number, answer in answers.items():
            if there := pods.by_signature.of(number):
                rows += there
                weights += [weight * answer] * len(there)
                if len(rows) > most:
                    del rows[before:], weights[before:]
                    return False
        return True

    def _start(self, query: PodQuery, pods: PodColumns) -> tuple[IntArray | None, Tally | None]:
        """Keep a column or a tally from now on. If there are too many, all others are dropped first."""
        if len(self.columns) + len(self.tallies) // 8 >= self._most:
            self.columns, self.tallies, self._about = {}, {}, ByClue()
        column = np.zeros(self._nodes, np.int64)
        self._about.put(query, query.clues)
        rows: list[int] = []
        weights: list[int] = []
        if self._gather(query, 1, pods, rows, weights, self._few):
            np.add.at(column, pods.node[rows], weights)
            self.tallies[query] = Tally(column)
            return None, self.tallies[query]
        live = np.flatnonzero(pods.live())
        np.add.at(column, pods.node[live], self._signatures.evaluate(query)[pods.signature[live]])
        self.columns[query] = column
        return column, None

    def add(self, signature: Signature, nodes: IntArray | int, sign: int) -> None:
        """Add (+1) or remove (-1) pods of that signature on these nodes."""
        if not self.columns and not self.tallies:
            return
        for query in self._about.about(signature):
            if answer := query.of(signature):
                if (tally := self.tallies.get(query)) is None:
                    np.add.at(self.columns[query], nodes, sign * answer)
                    continue
                tally.add(nodes, sign * answer)
                if len(tally) > 2 * self._few:
                    column = self.columns[query] = np.zeros(self._nodes, np.int64)
                    tally.add_to(column, 1)
                    del self.tallies[query]
