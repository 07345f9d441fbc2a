"""What a browser is told of a widget."""

from collections.abc import Callable
from typing import Any

import pytest

from kschedlab.text.html import element
from kschedlab_lab.exercises import RosterForm, SheetForm, desk
from kschedlab_lab.exercises.card import Card
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.panels import first
from kschedlab_lab.stage import live
from kschedlab_lab.stage.files import FilePicker
from kschedlab_lab.stage.live import Live, publish
from kschedlab_lab.stage.widget import Stage


def test_the_browser_knows_what_it_shows():
    own = {"large", "spoken"}
    shows = {Stage: {"controls", "shown"}, SheetForm: {"form"}, RosterForm: {"form", "merged"}, Card: {"face"}}
    for widget, shared in ((Live, own), *((each, own | more) for each, more in shows.items())):
        assert {name for name, trait in widget.class_traits(sync=True).items() if not name.startswith("_")} >= shared
    assert FilePicker.class_traits(sync=True).keys() >= {"command", "limit", "leaving", "wrong", "spoken"}


def test_a_widget_is_enlarged_for_a_classroom_and_made_small_again():
    widget = Live()
    sizes = [widget.large]
    widget.classroom()
    sizes.append(widget.large)
    widget.classroom(False)
    assert [*sizes, widget.large] == [False, True, False]


def test_a_cell_shows_a_picture_and_then_the_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    """The view's format: ipywidgets, packages/schema/jupyterwidgetmodels, version 2.0."""
    outputs = list[tuple[dict[str, Any], dict[str, Any]]]()
    monkeypatch.setattr(live, "_publish", lambda data, **more: outputs.append((data, more)))
    widget = Live()
    name = publish(element("p", "still"), "as text", widget)
    (picture, more), (view, _) = outputs
    assert more == {"transient": {"display_id": name}} and picture["text/plain"] == "as text"
    assert "<p>still</p>" in picture["text/html"]
    assert view == {live.WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}


def test_a_form_is_shown_with_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list[tuple[Any, ...]]()
    monkeypatch.setattr(desk, "publish", lambda *output: shown.append(output))
    sheet, roster = SheetForm("queue", "1-2"), RosterForm()
    for form in (sheet, roster):
        form._ipython_display_()
    assert [each[1:] for each in shown] == [(repr(sheet), sheet), (repr(roster), roster)]
    assert "made up" in str(shown[1][0])
    assert sheet.form.items() >= {"kind": "sheets", "lesson": "queue", "seeds": "1-2"}.items()
    assert [*sheet.form["contents"]] == [desk.SHEETS, desk.SOLUTIONS, desk.ANSWERS] and "queue" in sheet.form["lessons"]
    assert roster.form == {"kind": "roster", "largest": 1_000_000}


@pytest.mark.parametrize(
    ("make", "message", "replies"),
    [
        (lambda: first.panel().stage(), {"menu": True}, [{"menu": first.panel().menu()}]),
        (lambda: FilePicker("", list, 1, str, list, ""), {"back": True}, [{"done": True}]),
        (lambda: SheetForm("queue", "1"), {"lesson": "queue", "seeds": "no"}, None),
    ],
)
def test_what_the_browser_sends_is_answered(
    make: Callable[[], Any], message: dict[str, Any], replies: list[Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ipywidgets calls this for each message of the browser."""
    widget, sent = make(), list[Any]()
    monkeypatch.setattr(type(widget), "send", lambda _, reply: sent.append(reply))
    widget._handle_custom_msg(message, [])
    assert sent if replies is None else sent == replies


def test_a_card_checks_what_the_browser_sends() -> None:
    exercise = Predict("Next", "Which?", "web", "It came first.", ())
    Card(exercise)._handle_custom_msg({"check": "web"}, [])
    assert exercise.given == "web"
