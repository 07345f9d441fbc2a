"""A plain table for notebooks, which can say where one is."""

from __future__ import annotations

from dataclasses import dataclass

from kschedlab.text.html import Html, element
from kschedlab.text.plain import aligned
from kschedlab.text.words import broken
from kschedlab_lab.views.style import DECIDES, GREY, HEAD, TABLE

LEFT = "text-align:left"
WIDE = 96
"""Width in characters of the last column of a text table."""


@dataclass(frozen=True)
class NotebookTable:
    """A table for notebooks. ``at``: the current row; rows after it are still to come."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    at: int | None = None

    def __repr__(self) -> str:
        lines = [[*self.head]]
        for i, row in enumerate(self.rows):
            first, *rest = broken(row[-1], WIDE)
            lines.append([f"▶ {row[0]}" if i == self.at else row[0], *row[1:-1], first])
            lines += [[*[""] * (len(row) - 1), line] for line in rest]
        return "\n".join(aligned(lines))

    def html(self) -> Html:
        head = (element("th", text, scope="col", style=HEAD) for text in self.head)
        body = (self._row(i, row) for i, row in enumerate(self.rows))
        return element("table", element("thead", element("tr", *head)), element("tbody", *body), style=TABLE)

    def _row(self, i: int, row: tuple[str, ...]) -> Html:
        cells = [f"▶ {row[0]}" if i == self.at else row[0], *row[1:]]
        style = None if self.at is None or i < self.at else DECIDES if i == self.at else GREY
        return element("tr", *(element("td", each, style=LEFT) for each in cells), style=style)

    def _repr_html_(self) -> str:
        return str(self.html())
