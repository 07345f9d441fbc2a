"""Results show themselves: as text where they are printed, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.text import plain, tables
from kschedlab.text.sections import Limits, Section


class Shown:
    """A result with sections to show (:mod:`kschedlab.text.sections`)."""

    def sections(self, limits: Limits) -> Iterable[Section]:
        """The text about the result; ``limits``: how much of it."""
        raise NotImplementedError

    def __str__(self) -> str:
        return plain.plain(self.sections(plain.LIMITS))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return str(tables.html(self.sections(tables.LIMITS)))
