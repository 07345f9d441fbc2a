"""A chart in a panel: the table and the text say the same as the picture."""

from kschedlab.text.html import element
from kschedlab_lab.panels.chart import chart_view
from kschedlab_lab.views.chart import curve


def test_the_table_is_the_chart_s_or_one_s_own() -> None:
    chart = curve([1, 2], {"y": [1, 4]}, titles=("x", "y"))
    assert chart_view(chart, "one").table == chart.table and chart_view(chart, "one").text.startswith("one\n")
    own = element("table")
    assert chart_view(chart, "one", own, "more").table == own
    assert chart_view(chart, "", own, "more").text.endswith("more")
