"""Counts that are kept, not recounted: for each question, how many pods on each node answer it."""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.kinds import IntArray, Kinds, Question


class Counts:
    """A table of questions x nodes.

    Row ``r`` holds, for every node, the sum of question ``r``'s answers over the node's pods. A question gets its
    row the first time it is asked, from the pods' columns (O(pods)); after that a pod that comes or goes costs one
    indexed addition for all rows together.
    """

    def __init__(self, kinds: Kinds, nodes: int) -> None:
        self._kinds = kinds
        self._rows: dict[Question, int] = {}
        self._table = np.zeros((8, nodes), np.int64)
        self._relevant: list[tuple[IntArray, IntArray]] = []

    def copy(self) -> Counts:
        """An independent table with the same rows."""
        other = Counts.__new__(Counts)
        other._kinds = self._kinds
        other._rows = dict(self._rows)
        other._table = self._table.copy()
        other._relevant = list(self._relevant)
        return other

    def __contains__(self, question: Question) -> bool:
        return question in self._rows

    def __getitem__(self, question: Question) -> IntArray:
        """int64[nodes]: the question's count on every node."""
        return self._table[self._rows[question]]

    def ask(self, question: Question, node: IntArray, kind: IntArray) -> None:
        """Begin to keep the question's counts, starting from these pods' columns."""
        row = self._new_row(question)
        np.add.at(self._table[row], node, self._kinds.answers(question)[kind])

    def add(self, kind: int, node: int, sign: int) -> None:
        """A pod of that kind came to (+1) or left (-1) the node."""
        while len(self._relevant) <= kind:
            self._relevant.append(self._rows_of(len(self._relevant)))
        rows, weights = self._relevant[kind]
        if len(rows):
            self._table[rows, node] += sign * weights

    def questions(self) -> tuple[Question, ...]:
        """The questions that have a row."""
        return tuple(self._rows)

    def _new_row(self, question: Question) -> int:
        number = self._rows[question] = len(self._rows)
        if number == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        answers = self._kinds.answers(question)
        for kind in np.flatnonzero(answers[: len(self._relevant)]).tolist():
            rows, weights = self._relevant[kind]
            self._relevant[kind] = np.append(rows, number), np.append(weights, answers[kind])
        return number

    def _rows_of(self, kind: int) -> tuple[IntArray, IntArray]:
        answers = np.fromiter((self._kinds.answers(q)[kind] for q in self._rows), np.int64, count=len(self._rows))
        rows = np.flatnonzero(answers)
        return rows, answers[rows]
