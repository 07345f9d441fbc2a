"""The panel around the pure functions: moving, restoring, errors, and what is left of it without a kernel."""

from dataclasses import dataclass

import pytest

from kschedlab.panels.base import CLASSROOM, Panel, View
from kschedlab.panels.settings import Restorable, slider
from kschedlab.views.html import element


@dataclass(frozen=True)
class Settings(Restorable):
    pods: int = slider("pods", range(5), 1)
    spare: int = slider("spare", range(2), 0)


def show(settings: Settings) -> View:
    if settings.pods == 4:
        raise RuntimeError("no <room>\nfor four")
    sentence = f"{settings.pods} pods"
    return View(element("svg", sentence), sentence, element("table", settings.spare), f"numbers: {settings.pods}")


@pytest.fixture
def panel() -> Panel[Settings]:
    return Panel(Settings(), show, lambda settings: f"pods: {settings.pods}\n")


def live(panel: Panel[Settings]) -> str:
    """The markup that the browser gets."""
    return str(panel._picture.value + panel._words.value)


def test_a_slider_redraws_in_place(panel: Panel[Settings]) -> None:
    panel.sliders["pods"].value = 3
    assert panel.settings == Settings(pods=3)
    assert "<svg>3 pods</svg>" in live(panel) and "<table>0</table>" in live(panel)
    assert panel._state.value == "pods: 3, spare: 0"


def test_a_move_by_code_moves_the_sliders_and_draws_once() -> None:
    drawn = []
    panel = Panel(Settings(), lambda settings: drawn.append(settings) or show(settings), str)
    assert panel.move(pods=2, spare=1) is panel
    assert drawn == [Settings(), Settings(2, 1)]
    assert [each.value for each in panel.sliders.values()] == [2, 1]
    assert panel.reset().settings == Settings() and panel.sliders["pods"].value == 1


def test_state_is_restored_from_text(panel: Panel[Settings]) -> None:
    panel._state.value = "pods: 2, spare: 1"
    assert panel.settings == Settings(2, 1) and panel.sliders["spare"].value == 1
    assert panel.restore("pods: 3").settings == Settings(3, 0)


def test_wrong_text_is_shown_as_an_error_and_moves_nothing(panel: Panel[Settings]) -> None:
    panel._state.value = "pods: <b>"
    assert panel.settings == Settings()
    assert "&lt;b&gt;" in live(panel) and 'role="alert"' in live(panel)
    panel.move(pods=2)
    assert "alert" not in live(panel)


def test_an_error_of_the_callback_is_shown_in_the_panel(panel: Panel[Settings]) -> None:
    panel.sliders["pods"].value = 4
    assert panel.error == "RuntimeError: no <room>\nfor four"
    assert "<div>RuntimeError: no &lt;room&gt;</div><div>for four</div>" in live(panel)
    assert repr(panel) == "pods: 4, spare: 0\nError: RuntimeError: no <room>\nfor four"
    assert "no &lt;room&gt;" in panel._repr_mimebundle_()["text/html"]
    panel.sliders["pods"].value = 0
    assert panel.error == "" and "0 pods" in live(panel)


def test_a_move_where_no_slider_can_stand_is_an_error(panel: Panel[Settings]) -> None:
    with pytest.raises(ValueError, match='pods: "9" is not one of 0, 1, 2, 3, 4'):
        panel.move(pods=9)
    assert panel.settings == Settings()


def test_a_saved_notebook_shows_picture_sentence_table_and_numbers(panel: Panel[Settings]) -> None:
    bundle = panel.move(pods=3)._repr_mimebundle_()
    assert bundle["text/plain"] == repr(panel) == "pods: 3, spare: 0\nnumbers: 3"
    assert 'src="data:image/svg+xml;base64,' in bundle["text/html"]
    assert 'alt="3 pods"' in bundle["text/html"] and "<table>0</table>" in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_yaml_is_shown_on_request(panel: Panel[Settings]) -> None:
    assert (panel._yaml.value, panel._yaml.layout.display) == ("", "none")
    panel._with_yaml.value = True
    assert (panel._yaml.value, panel._yaml.layout.display) == ("pods: 1\n", None)
    panel.move(pods=2)
    assert panel._yaml.value == "pods: 2\n"


def test_the_classroom_switch(panel: Panel[Settings]) -> None:
    assert CLASSROOM in panel.classroom()._dom_classes
    assert CLASSROOM not in panel.classroom(on=False)._dom_classes


def test_every_slider_has_its_label_and_readable_values(panel: Panel[Settings]) -> None:
    assert [each.description for each in panel.sliders.values()] == ["pods", "spare"]
    assert panel.sliders["pods"].options == tuple((str(n), n) for n in range(5))
