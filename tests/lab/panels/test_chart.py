"""The chart panel: what a click does, and what is there without a kernel."""

from dataclasses import dataclass

import pytest

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
    if settings.weight == 3:
        raise RuntimeError("too heavy")
    return chart_view(heat_map(values, PLUGINS, NODES, selected=at), f"{settings.plugin} gives {values[at[0]][at[1]]}")


@pytest.fixture
def panel() -> ChartPanel[Settings]:
    return ChartPanel(Settings(), show, row="plugin", column="node")


def test_a_click_on_a_cell_moves_the_settings_and_the_controls(panel: ChartPanel[Settings]) -> None:
    panel.click(1, 2)
    assert panel.settings == Settings("Spread", "node-c")
    assert panel.controls["node"].value == "node-c"
    assert panel.view is not None and panel.view.sentence == "Spread gives 12"


def test_without_a_kernel_there_is_a_table_and_no_image(panel: ChartPanel[Settings]) -> None:
    bundle = panel.move(plugin="Spread")._repr_mimebundle_()
    assert bundle["text/html"].count("<img") == 1 and bundle["text/html"].count("<td") == 6
    assert bundle["text/plain"].splitlines()[-1] == "  Spread  [10]    11      12"
