"""The panel around the pure functions: moving, restoring, errors, and what is left of it without a kernel."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import ipywidgets
import pytest

from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.classroom import CLASSROOM, classroom
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, steps, switch
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
    panel.controls["pods"].value = 3
    assert panel.settings == Settings(pods=3)
    assert "<svg>3 pods</svg>" in live(panel) and "<table>0</table>" in live(panel)
    assert panel._state.value == "pods: 3, spare: 0"


def test_a_move_by_code_moves_the_sliders_and_draws_once() -> None:
    drawn = []
    panel = Panel(Settings(), lambda settings: drawn.append(settings) or show(settings), str)
    assert panel.move(pods=2, spare=1) is panel
    assert drawn == [Settings(), Settings(2, 1)]
    assert [each.value for each in panel.controls.values()] == [2, 1]
    assert panel.reset().settings == Settings() and panel.controls["pods"].value == 1


def test_state_is_restored_from_text(panel: Panel[Settings]) -> None:
    panel._state.value = "pods: 2, spare: 1"
    assert panel.settings == Settings(2, 1) and panel.controls["spare"].value == 1
    assert panel.restore("pods: 3").settings == Settings(3, 0)


def test_wrong_text_is_shown_as_an_error_and_moves_nothing(panel: Panel[Settings]) -> None:
    panel._state.value = "pods: <b>"
    assert panel.settings == Settings()
    assert "&lt;b&gt;" in live(panel) and 'role="alert"' in live(panel)
    panel.move(pods=2)
    assert "alert" not in live(panel)


def test_an_error_of_the_callback_is_shown_in_the_panel(panel: Panel[Settings]) -> None:
    panel.controls["pods"].value = 4
    assert panel.error == "RuntimeError: no <room>\nfor four"
    assert "<div>RuntimeError: no &lt;room&gt;</div><div>for four</div>" in live(panel)
    assert repr(panel) == "pods: 4, spare: 0\nError: RuntimeError: no <room>\nfor four"
    assert "no &lt;room&gt;" in panel._repr_mimebundle_()["text/html"]
    panel.controls["pods"].value = 0
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
    assert [each.description for each in panel.controls.values()] == ["pods", "spare"]
    assert panel.controls["pods"].options == tuple((str(n), n) for n in range(5))


@pytest.fixture
def in_a_classroom() -> Iterator[None]:
    classroom()
    yield
    classroom(on=False)


def test_one_switch_enlarges_what_is_there_and_what_comes(panel: Panel[Settings], in_a_classroom: None) -> None:
    later = [Panel(Settings(), show), Prediction("Which?", {"this": "yes"})]
    assert all(CLASSROOM in each._dom_classes for each in later)
    assert later[0]._large.value
    classroom(on=False)
    assert not any(CLASSROOM in each._dom_classes for each in [panel, *later])
    classroom()
    assert CLASSROOM in panel._dom_classes


def test_the_link_is_code_that_brings_the_state_back(panel: Panel[Settings]) -> None:
    assert panel.move(pods=2).link() == 'lesson.panel().restore("pods: 2, spare: 0")'
    assert (panel._link.value, panel._link.layout.display) == ("", "none")
    panel._with_link.value = True
    assert (panel._link.value, panel._link.layout.display) == (panel.link(), None)
    lesson = SimpleNamespace(panel=lambda: Panel(Settings(), show))
    assert eval(panel.link(), {"lesson": lesson}).settings == Settings(2, 0)


def test_a_panel_without_manifests_offers_none() -> None:
    panel = Panel(Settings(), show)
    assert panel.yaml() == "" and "YAML" not in {each.description for each in buttons(panel)}


def buttons(panel: Panel[Any]) -> list[ipywidgets.DOMWidget]:
    return [each for each in leaves(panel) if isinstance(each, ipywidgets.Button | ipywidgets.ToggleButton)]


def leaves(widget: ipywidgets.Widget) -> list[ipywidgets.Widget]:
    inside = getattr(widget, "children", ())
    return [leaf for child in inside for leaf in leaves(child)] if inside else [widget]


@dataclass(frozen=True)
class Walk(Restorable):
    way: str = choice("way", ("long", "short"), "short")
    kind: str = choice("kind", ("with a budget", "without any budget"), "with a budget")
    turns: bool = switch("turns", True)
    step: int = steps("step", lambda settings: {"long": 9, "short": 3}[settings.way])


@pytest.fixture
def walk() -> Panel[Walk]:
    def show(settings: Walk) -> View:
        return View(element("svg"), str(settings), element("table"), str(settings))

    return Panel(Walk(), show)


def test_every_kind_of_control_moves_the_panel(walk: Panel[Walk]) -> None:
    walk.controls["way"].value = "long"
    walk.controls["kind"].value = "without any budget"
    walk.controls["turns"].value = False
    walk.controls["step"].value = 7
    assert walk.settings == Walk("long", "without any budget", False, 7)
    assert walk.view is not None and walk.view.sentence == "way: long, kind: without any budget, turns: off, step: 7"
    assert walk.restore("step: 2").controls["turns"].value is True


def test_few_short_options_are_buttons_others_a_list(walk: Panel[Walk]) -> None:
    assert isinstance(walk.controls["way"], ipywidgets.RadioButtons)
    assert isinstance(walk.controls["kind"], ipywidgets.Dropdown)


def test_steps_go_first_back_next_and_stop_at_the_ends(walk: Panel[Walk]) -> None:
    step = walk.controls["step"]
    reached = []
    for button in (step.back, step.next, step.next, step.next, step.next, step.back, step.first):
        button.click()
        reached.append(walk.settings.step)
    assert reached == [0, 1, 2, 3, 3, 2, 0]


def test_steps_beyond_the_new_end_are_taken_back_to_it(walk: Panel[Walk]) -> None:
    walk.move(way="long", step=9)
    step = walk.controls["step"]
    assert (step.slider.max, step.play.max, step.slider.value) == (9, 9, 9)
    walk.controls["way"].value = "short"
    assert walk.settings.step == 3
    assert (step.slider.max, step.play.max, step.slider.value) == (3, 3, 3)


def test_playing_moves_the_panel(walk: Panel[Walk]) -> None:
    """In the browser Play moves the slider; the kernel sees the slider move."""
    walk.controls["step"].slider.value = 2
    assert walk.settings.step == 2
