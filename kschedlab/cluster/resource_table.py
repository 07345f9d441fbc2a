"""Amounts of resources: a row for each resource and a column for each node (or pod).

Most clusters have a handful of resources that every node has. But a cluster with a resource of its own name on each of
5,000 nodes would have 25 million numbers, nearly all 0. So a row is an array only if more than an eighth of the columns
have an amount, and otherwise a list of these columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from kschedlab.cluster.signatures import IntArray

SHARE = 8


def rearranged(columns: IntArray, origin: IntArray) -> IntArray:
    """The columns (nodes on the last axis) in another order. ``origin``: int64[nodes], -1 for a column of zeros."""
    blank = np.zeros((*columns.shape[:-1], 1), np.int64)
    return np.take(np.concatenate([columns, blank], axis=-1), origin, axis=-1)


class ResourceTable:
    """``table[row]`` is int64[columns], read-only; ``table[row, column]`` a number; ``table[rows]`` has two axes.

    ``_arrays``: int64[rows with an array, columns]; ``_place``: which of these a row is, -1 for one that is a list.
    ``_lists``: the amounts of the others that are not 0, by row and column. ``_rows_of``: these rows, by column.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._arrays: IntArray = np.zeros((rows, columns), np.int64)
        self._place = list(range(rows))
        self._lists: dict[int, dict[int, int]] = {}
        self._rows_of: dict[int, set[int]] = {}

    def copy(self) -> ResourceTable:
        other = ResourceTable(0, 0)
        other._arrays, other._place = self._arrays.copy(), self._place.copy()
        other._lists = {row: amounts.copy() for row, amounts in self._lists.items()}
        other._rows_of = {column: rows.copy() for column, rows in self._rows_of.items()}
        return other

    def __len__(self) -> int:
        return len(self._place)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            row, columns = key
            if isinstance(row, int) and isinstance(columns, int) and self._place[row] < 0:
                return self._lists.get(row, {}).get(columns, 0)
            return self[row][..., columns]
        if isinstance(key, int):
            return self._row(key)
        rows = range(len(self))[key] if isinstance(key, slice) else key
        return np.array([self._row(row) for row in rows], np.int64).reshape(len(rows), self._arrays.shape[1])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        whole: IntArray = self[:]
        return whole if dtype is None else whole.astype(dtype)

    def __repr__(self) -> str:
        return repr(self[:])

    def _row(self, row: int) -> IntArray:
        if (place := self._place[row]) >= 0:
            array: IntArray = self._arrays[place]
            return array
        amounts = self._lists.get(row, {})
        array = np.zeros(self._arrays.shape[1], np.int64)
        array[list(amounts)] = list(amounts.values())
        return array

    def add_row(self) -> int:
        self._place.append(-1)
        return len(self._place) - 1

    def add(self, column: int, amounts: Mapping[int, int], sign: int) -> None:
        """Add (+1) or subtract (-1) amounts, by row, in one column."""
        for row, amount in amounts.items():
            if (place := self._place[row]) >= 0:
                self._arrays[place, column] += sign * amount
            elif amount:
                self._put(row, column, self._lists.get(row, {}).get(column, 0) + sign * amount)

    def set(self, column: int, amounts: Mapping[int, int]) -> None:
        """Replace a column: the amounts by row, 0 in all others."""
        self._arrays[:, column] = 0
        for row in list(self._rows_of.get(column, ())):
            self._put(row, column, 0)
        self.add(column, amounts, +1)

    def widen(self, more: int) -> None:
        self._arrays = np.hstack([self._arrays, np.zeros((len(self._arrays), more), np.int64)])

    def rearranged(self, origin: IntArray) -> ResourceTable:
        """The same rows with other columns. ``origin``: int64[columns], -1 for a column of zeros."""
        other = ResourceTable(0, 0)
        other._arrays, other._place = rearranged(self._arrays, origin), self._place.copy()
        for new, old in enumerate(origin.tolist()):
            other.add(new, {row: self._lists[row][old] for row in self._rows_of.get(old, ())}, +1)
        return other

    def _put(self, row: int, column: int, amount: int) -> None:
        """Write one amount of a row that is a list; the row becomes an array if the list gets too long."""
        amounts, rows = self._lists.setdefault(row, {}), self._rows_of.setdefault(column, set())
        if amount:
            amounts[column] = amount
            rows.add(row)
            if len(amounts) * SHARE > self._arrays.shape[1]:
                self._become_array(row)
            return
        amounts.pop(column, None)
        rows.discard(row)
        if not rows:
            del self._rows_of[column]
        if not amounts:
            del self._lists[row]

    def _become_array(self, row: int) -> None:
        self._arrays = np.vstack([self._arrays, self._row(row)])
        self._place[row] = len(self._arrays) - 1
        for column in self._lists.pop(row):
            self._rows_of[column].discard(row)
            if not self._rows_of[column]:
                del self._rows_of[column]
