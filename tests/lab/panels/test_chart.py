"""A chart in a panel: what a click does, and what is there without a front end."""

from dataclasses import dataclass

from kschedlab.lab.panels.base import View
from kschedlab.lab.panels.chart import ChartPanel, chart_view
from kschedlab.lab.panels.settings import Restorable, choice, slider
from kschedlab.views.chart import heat_map

PLUGINS, NODES = ("Fit", "Spread"), ("node-a", "node-b", "node-c")


@dataclass(frozen=True)
class Settings(Restorable):
    plugin: str = choice("plugin", PLUGINS, "Fit")
    node: str = choice("node", NODES, "node-a")
    weight: int = slider("weight", range(1, 4), 1)


def show(settings: Settings) -> View:
    values = [[settings.weight * (10 * r + c) for c in range(3)] for r in range(2)]
    at = PLUGINS.index(settings.plugin), NODES.index(settings.node)
    return chart_view(heat_map(values, PLUGINS, NODES, selected=at), f"{settings.plugin} gives {values[at[0]][at[1]]}")


def test_a_click_on_a_cell_moves_the_settings() -> None:
    moved = ChartPanel(Settings(), show, row="plugin", column="node").click(1, 2)
    assert moved.settings == Settings("Spread", "node-c")
    assert moved.view.sentence == "Spread gives 12" and "[12]" in moved.view.text


def test_a_chart_without_rows_has_only_columns() -> None:
    assert ChartPanel(Settings(), show, column="node").click(0, 1).settings == Settings(node="node-b")
