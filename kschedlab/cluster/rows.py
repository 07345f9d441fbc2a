"""Which rows hold pods of which signature."""

from __future__ import annotations

from collections.abc import Sequence


class Rows:
    """The rows of each signature, by its number, in any order. Most signatures have one row, which needs no list.

    ``_place``: where a row stands in the list of its signature, if there is a list.
    """

    def __init__(self) -> None:
        self._rows: list[int | list[int] | None] = []
        self._place: list[int] = []

    def __len__(self) -> int:
        """One more than the highest number of a signature."""
        return len(self._rows)

    def copy(self) -> Rows:
        """Independent lists with the same rows."""
        other = Rows()
        other._rows = [rows.copy() if isinstance(rows, list) else rows for rows in self._rows]
        other._place = self._place.copy()
        return other

    def of(self, signature: int) -> Sequence[int]:
        """The rows of the signature of that number."""
        rows = self._rows[signature] if signature < len(self._rows) else None
        if rows is None:
            return ()
        return rows if isinstance(rows, list) else (rows,)

    def add(self, row: int, signature: int) -> None:
        """The row holds a pod of the signature. It must have been free."""
        self._rows.extend([None] * (signature + 1 - len(self._rows)))
        self._place.extend([0] * (row + 1 - len(self._place)))
        rows = self._rows[signature]
        if rows is None:
            self._rows[signature] = row
            self._place[row] = 0
        elif isinstance(rows, list):
            self._place[row] = len(rows)
            rows.append(row)
        else:
            self._place[row] = 1
            self._rows[signature] = [rows, row]

    def remove(self, row: int, signature: int) -> None:
        """The row is free, or holds a pod of another signature: the last row of the list takes its place."""
        rows = self._rows[signature]
        if not isinstance(rows, list) or len(rows) == 1:
            self._rows[signature] = None
            return
        last = rows.pop()
        if last != row:
            place = self._place[last] = self._place[row]
            rows[place] = last
