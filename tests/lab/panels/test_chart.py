"""The chart panel: what a click does, what is drawn, and what is there without plotly."""

import subprocess
import sys
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


class Points:
    """What plotly hands over after a click on one cell."""

    def __init__(self, x: float, y: float) -> None:
        self.xs, self.ys = [x], [y]


def test_a_click_on_a_cell_moves_the_settings_and_the_controls(panel: ChartPanel[Settings]) -> None:
    panel.click(1, 2)
    assert panel.settings == Settings("Spread", "node-c")
    assert panel.controls["node"].value == "node-c"
    assert panel.view is not None and panel.view.sentence == "Spread gives 12"


def test_the_figure_is_made_once_and_updated_in_place(panel: ChartPanel[Settings]) -> None:
    panel._repr_mimebundle_()
    figure = panel._figure
    assert panel._right.children == (figure,)
    assert figure.data[0].z == ([0, 1, 2], [10, 11, 12])
    figure.data[0]._dispatch_on_click(Points(1, 1), None)
    panel.move(weight=2)
    panel._repr_mimebundle_()
    assert panel._figure is figure and panel.settings == Settings("Spread", "node-b", 2)
    assert figure.data[0].z == ([0, 2, 4], [20, 22, 24])
    (shape,) = figure.layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (0.5, 1.5, 0.5, 1.5)


def test_a_figure_that_gets_another_kind_of_trace_listens_to_that(panel: ChartPanel[Settings]) -> None:
    panel._repr_mimebundle_()
    panel._update({"data": [{"type": "bar", "x": [0], "y": [1]}], "layout": {"width": 400}})
    assert [trace.type for trace in panel._figure.data] == ["bar"]
    panel._figure.data[0]._dispatch_on_click(Points(2, 1), None)
    assert panel.settings.node == "node-c"


def test_an_error_after_a_click_is_shown(panel: ChartPanel[Settings]) -> None:
    panel._repr_mimebundle_()
    panel._figure.data[0]._dispatch_on_click(Points(9, 0), None)
    assert panel.error == "IndexError: tuple index out of range"
    panel.move(weight=3)
    assert panel.error == "RuntimeError: too heavy" and "too heavy" in panel._words.value


def test_without_a_kernel_there_is_a_table_and_no_image(panel: ChartPanel[Settings]) -> None:
    bundle = panel.move(plugin="Spread")._repr_mimebundle_()
    assert "<img" not in bundle["text/html"] and bundle["text/html"].count("<td") == 6
    assert bundle["text/plain"].splitlines()[-1] == "  Spread  [10]    11      12"


def test_the_classroom_has_larger_letters(panel: ChartPanel[Settings]) -> None:
    panel._repr_mimebundle_()
    before = panel._figure.layout.font.size, panel._figure.layout.height
    panel.classroom()
    assert panel._figure.layout.font.size > before[0] and panel._figure.layout.height > before[1]
    panel._large.value = False
    assert (panel._figure.layout.font.size, panel._figure.layout.height) == before


def test_plotly_is_loaded_when_the_panel_is_displayed_and_not_before() -> None:
    program = (
        "import sys; from tests.lab.panels.test_chart import *; panel = ChartPanel(Settings(), show);"
        "panel.move(weight=2).still(); print('plotly' in sys.modules);"
        "panel._repr_mimebundle_(); print('plotly' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
