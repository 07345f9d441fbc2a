"""A chart in a panel: a click on a cell goes there, and the table and the text say the same."""

from dataclasses import dataclass
from xml.etree import ElementTree

from kschedlab.text.html import element
from kschedlab_lab.panels.base import Panel, View, drawn
from kschedlab_lab.panels.chart import chart_view
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.chart import heat_map
from kschedlab_lab.views.svg import Room

PLUGINS, NODES = ("Fit", "Spread"), ("node-a", "node-b", "node-c")


@dataclass(frozen=True)
class Settings(Restorable):
    plugin: str = choice("plugin", PLUGINS, "Fit")
    node: str = choice("node", NODES, "node-a")


def show(settings: Settings) -> View:
    values = [[10 * r + c for c in range(3)] for r in range(2)]
    at = PLUGINS.index(settings.plugin), NODES.index(settings.node)
    chart = heat_map(values, PLUGINS, NODES, selected=at, sets=lambda r, c: str(Settings(PLUGINS[r], NODES[c])))
    return chart_view(chart, f"{settings.plugin} gives {values[at[0]][at[1]]}")


def test_a_click_on_a_cell_moves_the_settings() -> None:
    panel = Panel(Settings(), show)
    root = ElementTree.fromstring(str(drawn(panel.view.picture, Room())))
    sets = {each.get("data-key"): each.get("data-set") for each in root.iter() if each.get("data-set")}
    moved = panel.restore(sets["cell/Spread/node-c"] or "")
    assert moved.settings == Settings("Spread", "node-c") and panel.settings == Settings()
    assert moved.view.sentence == "Spread gives 12" and "[12]" in moved.view.text


def test_the_table_is_the_chart_s_or_one_s_own() -> None:
    chart = heat_map([[1]], ["a"], ["b"])
    assert chart_view(chart, "one").table == chart.table and chart_view(chart, "one").text.startswith("one\n")
    own = element("table")
    assert chart_view(chart, "one", own, "more").table == own
    assert chart_view(chart, "", own, "more").text.endswith("more")
