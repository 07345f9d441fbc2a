"""Results show themselves: as text where they are printed, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kschedlab.text.sections import Limits, Section


class Shown:
    """A result with sections to show (:mod:`kschedlab.text.sections`)."""

    def sections(self, limits: Limits) -> Iterable[Section]:
        """The text about the result; ``limits``: how much of it."""
        raise NotImplementedError

    def __str__(self) -> str:
        from kschedlab.text.plain import LIMITS, plain

        return plain(self.sections(LIMITS))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from kschedlab.text.tables import LIMITS, html

        return str(html(self.sections(LIMITS)))
