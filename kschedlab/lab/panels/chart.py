"""A panel whose picture is a chart; a click on a cell moves the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from kschedlab.lab.panels.base import CALL, Panel, S, View
from kschedlab.views.chart import Chart
from kschedlab.views.html import Html


def chart_view(chart: Chart, sentence: str, table: Html | None = None, text: str = "") -> View:
    """A view of a chart. ``table`` and ``text`` appear beside it."""
    lines = filter(None, [sentence, chart.text, text])
    return View(chart.picture, sentence, table or chart.table, "\n".join(lines))


class ChartPanel(Panel[S]):
    """A chart. ``row`` and ``column``: the settings that a click on a cell changes."""

    def __init__(
        self,
        settings: S,
        show: Callable[[S], View],
        export: Callable[[S], str] | None = None,
        call: str = CALL,
        *,
        row: str = "",
        column: str = "",
    ) -> None:
        self._axes = row, column
        super().__init__(settings, show, export, call)

    def click(self, row: int, column: int) -> Self:
        """A copy with the values of this cell. A chart without rows has only row 0."""
        controls = self.settings.controls()
        places = {name: place for name, place in zip(self._axes, (row, column), strict=True) if name}
        return self.move(**{name: controls[name].allowed(self.settings)[place] for name, place in places.items()})
