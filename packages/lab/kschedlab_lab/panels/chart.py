"""A panel's view whose picture is a chart."""

from __future__ import annotations

from kschedlab.text.html import Html
from kschedlab_lab.panels.base import View
from kschedlab_lab.views.chart import Chart


def chart_view(chart: Chart, sentence: str, table: Html | None = None, text: str = "") -> View:
    """A view of a chart. ``table`` replaces the chart's own; ``text`` follows the chart's."""
    lines = filter(None, [sentence, chart.text, text])
    return View(chart.picture, sentence, table or chart.table, "\n".join(lines))
