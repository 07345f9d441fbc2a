"""A panel whose picture is one plotly figure, updated in place; a click on a cell or a bar moves the settings.

Each figure sends 5 MB to the browser once, so a notebook has one. Code that only reads creates none:
``panel.view`` and ``panel.still()`` do without plotly, and the figure is made when the panel is first displayed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from kschedlab.lab.panels.base import CALL, Panel, S, View
from kschedlab.views.chart import Chart, Figure, enlarged
from kschedlab.views.html import Html

LARGER = 1.4


def chart_view(chart: Chart, sentence: str, table: Html | None = None, text: str = "") -> View:
    """A view of a chart. ``table`` and ``text`` appear beside it."""
    lines = filter(None, [sentence, chart.text, text])
    return View(chart.table, sentence, table or Html(), "\n".join(lines), chart.figure)


class ChartPanel(Panel[S]):
    """Controls and a clickable chart. ``row`` and ``column``: the settings that a click on a cell changes.

    The chart's axes list the values of these settings in order; the controls do the same without a mouse.
    """

    def __init__(
        self,
        settings: S,
        show: Callable[[S], View],
        export: Callable[[S], str] | None = None,
        call: str = CALL,
        *,
        row: str = "",
        column: str = "",
        wide: bool = False,
    ) -> None:
        self._axes = row, column
        self._figure: Any = None
        super().__init__(settings, show, export, call, wide=wide)

    def click(self, row: int, column: int) -> Self:
        """Handle a click on this cell. A chart without rows has only row 0."""
        controls = self.settings.controls()
        places = {name: place for name, place in zip(self._axes, (row, column), strict=True) if name}
        return self.move(**{name: controls[name].allowed(self.settings)[place] for name, place in places.items()})

    def _enlarge(self, on: bool) -> None:
        super()._enlarge(on)
        if self.view is not None:
            self._draw(self.view)

    def _draw(self, view: View) -> None:
        if self._figure is None:
            super()._draw(view)
        elif view.figure is not None:
            self._update(enlarged(view.figure, LARGER) if self._large.value else view.figure)

    def _update(self, figure: Figure) -> None:
        """Update in place if the trace types match: that is one message and no flicker."""
        shown = self._figure
        room = f"{figure['layout']['width']:.0f}px"
        self._right.layout.flex, self._right.layout.min_width = f"0 0 {room}", room
        if [trace.type for trace in shown.data] != [trace["type"] for trace in figure["data"]]:
            shown.data = ()
            shown.add_traces(figure["data"])
            self._listen()
        with shown.batch_update():
            for trace, new in zip(shown.data, figure["data"], strict=True):
                trace.update(new, overwrite=True)
            shown.layout.update(figure["layout"], overwrite=True)

    def _listen(self) -> None:
        for trace in self._figure.data:
            trace.on_click(self._clicked)

    def _clicked(self, _trace: object, points: Any, _state: object) -> None:
        if points.xs:
            try:
                down = points.ys[0] if self._axes[0] else 0
                self.click(round(down), round(points.xs[0]))
            except Exception as error:  # noqa: BLE001  # a callback has no cell to print to, so the panel shows the error
                self._fail(f"{type(error).__name__}: {error}")

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live widget, and the output that a saved notebook shows without a kernel."""
        if self._figure is None and self.view is not None and self.view.figure is not None:
            from plotly.graph_objects import FigureWidget

            self._figure = FigureWidget(self.view.figure)
            self._figure._config = {"displayModeBar": False, "doubleClick": False}
            self._listen()
            self._draw(self.view)
            self._right.children = [self._figure]
        return super()._repr_mimebundle_(**options)
