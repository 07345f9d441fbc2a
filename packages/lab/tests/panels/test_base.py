"""The panel around the pure functions: copies, questions, the conversation with its front end, and what is saved."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from kschedlab.text.html import Html, element
from kschedlab_lab.exercises import RosterForm, SheetForm
from kschedlab_lab.exercises.card import Card
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.panels import base, session as conversation
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.classroom import classroom
from kschedlab_lab.panels.question import Question, answers
from kschedlab_lab.panels.session import Session
from kschedlab_lab.panels.settings import Restorable, choice, slider, steps, switch
from kschedlab_lab.stage import live
from kschedlab_lab.stage.widget import Stage
from kschedlab_lab.views.svg import Room


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


def sent(session: Session, **message: Any) -> dict[str, Any]:
    """The state after a message."""
    [reply] = session.receive({**message, "n": "1"})
    assert reply["shown"]["n"] == "1"
    return reply["shown"]


def test_a_slider_moves_the_panel(panel: Panel[Settings]) -> None:
    shown = sent(Session(panel), set={"pods": 3, "spare": 0})
    assert panel.settings == Settings(pods=3)
    assert (shown["picture"], shown["table"], shown["sentence"]) == ("<svg>3 pods</svg>", "<table>0</table>", "3 pods")
    assert (shown["state"], shown["at"]) == ("pods: 3, spare: 0", {"pods": 3, "spare": 0})


def test_code_moves_a_copy_and_computes_it_once() -> None:
    computed = []
    panel = Panel(Settings(), lambda settings: computed.append(settings) or show(settings), str)
    moved = panel.move(pods=2, spare=1)
    assert (panel.settings, moved.settings) == (Settings(), Settings(2, 1))
    assert panel.view.sentence == "1 pods" and moved.view.sentence == "2 pods" and repr(moved)
    assert computed == [Settings(), Settings(2, 1)]
    sent(Session(moved), state="pods: 3")
    assert moved.settings == Settings(3, 0)


def test_state_is_restored_from_text(panel: Panel[Settings]) -> None:
    assert sent(Session(panel), state="pods: 2, spare: 1")["at"] == {"pods": 2, "spare": 1}
    assert panel.settings == Settings(2, 1)
    assert panel.restore("pods: 3").settings == Settings(3, 0)
    assert sent(Session(panel), reset=True)["state"] == "pods: 1, spare: 0"


@pytest.mark.parametrize(
    "message",
    [
        {"state": "pods: <b>"},
        {"set": {"pods": 5}},
        {"set": {"pods": -1}},
        {"set": {"<b>": 0}},
        {"set": 3},
        {"set": {"pods": "x"}},
        {"room": 1},
    ],
)
def test_a_wrong_message_is_shown_as_an_error_and_moves_nothing(
    panel: Panel[Settings], message: dict[str, Any]
) -> None:
    session = Session(panel)
    assert sent(session, **message)["error"] and panel.settings == Settings()
    assert sent(session, set={"pods": 2})["error"] == ""


def test_an_error_of_the_function_is_shown_in_the_panel(panel: Panel[Settings]) -> None:
    shown = sent(Session(panel), set={"pods": 4})
    assert shown["error"] == panel.error == "RuntimeError: no <room>\nfor four"
    assert repr(panel) == "pods: 4, spare: 0\nError: RuntimeError: no <room>\nfor four"
    assert "no &lt;room&gt;" in str(panel.still())
    assert sent(Session(panel), set={"pods": 0})["error"] == "" and panel.view.sentence == "0 pods"


def test_a_move_where_no_slider_can_stand_is_an_error(panel: Panel[Settings]) -> None:
    with pytest.raises(ValueError, match='pods: "9" is not one of 0, 1, 2, 3, 4'):
        panel.move(pods=9)
    assert panel.settings == Settings()


def test_states_along_a_control_come_in_advance_the_nearest_first(panel: Panel[Settings]) -> None:
    session = Session(panel)
    [reply] = session.receive({"along": "pods"})
    assert [each["at"]["pods"] for each in reply["along"]] == [0, 2, 3, 4]
    assert [each["sentence"] for each in reply["along"]][:3] == ["0 pods", "2 pods", "3 pods"]
    assert reply["along"][-1]["error"] and not panel.error and panel.settings == Settings()
    assert session.receive({"along": "<b>"}) == [{"along": []}]


@dataclass(frozen=True)
class Long(Restorable):
    pod: str = choice("pod", ("web", "网页"), "网页")
    place: int = slider("place", range(41), 20)


@pytest.mark.parametrize(("seconds", "places"), [(60, {*range(12, 29)} - {20}), (0, set[int]())])
def test_of_many_states_along_a_control_the_nearest_sixteen_come_in_advance_if_there_is_time(
    monkeypatch: pytest.MonkeyPatch, seconds: int, places: set[int]
) -> None:
    monkeypatch.setattr(conversation, "AHEAD_SECONDS", seconds)
    [reply] = Session(Panel(Long(), lambda settings: View(Html(), "", Html(), ""))).receive({"along": "place"})
    assert {each["at"]["place"] for each in reply["along"]} == places


def test_a_link_keeps_the_letters_of_a_setting() -> None:
    link = Panel(Long(), lambda settings: View(Html(), "", Html(), "")).link()
    assert link == 'lesson.panel().restore("pod: 网页, place: 20")'


def test_a_state_in_advance_is_the_state_itself(panel: Panel[Settings]) -> None:
    [reply] = Session(panel).receive({"along": "pods"})
    later = sent(Session(panel), set={"pods": 2})
    assert {**reply["along"][1], "n": "1"} == later


def test_a_picture_is_laid_out_for_its_room() -> None:
    def wide(settings: Settings) -> View:
        return View(lambda room: element("svg", f"{room.width} x {room.height}"), "", Html(), "")

    session = Session(Panel(Settings(), wide))
    assert session.shown["picture"] == "<svg>500 x 420</svg>"
    assert sent(session, room=[400, 300])["picture"] == "<svg>400 x 300</svg>"


def test_a_story_and_its_captions() -> None:
    def told(settings: Settings) -> View:
        def frames(room: Room) -> list[Frame]:
            return [Frame(element("svg", "before"), "first"), Frame(element("svg"), "then")]

        return View(element("svg"), "end", Html(), "", {"spare": "no room"}, frames)

    session = Session(Panel(Settings(), told))
    assert session.shown["story"] and session.shown["idle"] == {"spare": "no room"}
    [reply] = session.receive({"story": True, "n": "1"})
    assert [frame["caption"] for frame in reply["story"]] == ["first", "then"]
    assert reply["story"][-1]["picture"] == session.shown["picture"]
    assert [Session(each).shown["story"] for each in (session.panel, session.panel.ask(which()))] == [True, False]


def test_what_cannot_be_copied_is_an_error_and_the_front_end_has_its_reply(
    panel: Panel[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(panel)

    def broken() -> dict[str, str]:
        raise RuntimeError("no manifests")

    monkeypatch.setattr(panel, "menu", broken)
    [reply] = session.receive({"menu": True, "n": "7"})
    assert reply["shown"]["n"] == "7" and "no manifests" in reply["shown"]["error"]


def test_what_can_be_copied(panel: Panel[Settings]) -> None:
    [reply] = Session(panel.move(pods=2)).receive({"menu": True})
    link = 'lesson.panel().restore("pods: 2, spare: 0")'
    assert reply["menu"] == {"state": "pods: 2, spare: 0", "link": link, "yaml": "pods: 2\n"}
    lesson = SimpleNamespace(panel=lambda: Panel(Settings(), show))
    assert eval(link, {"lesson": lesson}).settings == Settings(2, 0)
    assert Panel(Settings(), show).yaml() == ""


def test_a_saved_notebook_shows_picture_sentence_table_and_numbers(panel: Panel[Settings]) -> None:
    moved = panel.move(pods=3)
    still = str(moved.still())
    assert repr(moved) == "pods: 3, spare: 0\nnumbers: 3"
    assert 'src="data:image/svg+xml,' in still
    assert 'alt="3 pods"' in still and "<table>0</table>" in still


# Questions


def which() -> Question[Settings]:
    return Question(
        "How many?",
        (),
        lambda settings: str(settings.pods),
        lambda settings, answer: f"{answer} was said, {settings.pods} there are.",
        lambda settings: element("svg", "?"),
        most=4,
    )


def test_a_question_hides_the_answer_until_it_is_answered(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    session = Session(asking)
    shown = session.shown
    limits = {"numbers": "a whole number from 0 to 4", "most": 4}
    assert shown["asking"] == {"text": "How many?", "choices": [], **limits}
    assert (shown["picture"], shown["sentence"], shown["table"]) == ("<svg>?</svg>", "", "")
    for wrong in ("many", "-5", "5", "2.5"):
        assert sent(session, answer=wrong)["error"] == f'"{wrong}" is not a whole number from 0 to 4'
    assert sent(session, answer="")["error"] == "Type a number first."
    shown = sent(session, answer="2")
    assert shown["verdict"]["why"] == "2 was said, 1 there are." and not shown["verdict"]["right"]
    assert (shown["picture"], shown["sentence"]) == ("<svg>1 pods</svg>", "1 pods")
    assert panel.question is None and Session(panel).shown["sentence"] == "1 pods"


def test_a_verdict_belongs_to_the_settings_that_were_asked_about(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    session = Session(asking)
    asked = sent(session, answer="2")["verdict"]
    moved = sent(session, set={"pods": 2})
    assert moved["verdict"] is None and "2 was said" not in repr(asking)
    assert moved["answered"] == asked, "the text keeps what was asked and answered"
    [reply] = session.receive({"along": "pods"})
    verdicts = {each["at"]["pods"]: each["verdict"] for each in reply["along"]}
    assert verdicts[1] == asked and verdicts[0] is verdicts[3] is None
    assert sent(session, reset=True)["verdict"] == asked
    opened = Session(panel.ask(which()))
    sent(opened, answer=None)
    assert sent(opened, set={"spare": 1})["verdict"] is None


def test_a_question_is_asked_again_as_it_was_asked(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    session, below = Session(asking), Session(asking.then(panel))
    before = session.shown
    sent(session, answer="2")
    sent(session, set={"pods": 2})
    again = sent(session, again=True)
    assert {**again, "n": 0} == {**before, "n": 0} and below.look()["covered"] == which().text
    assert sent(session, answer=None)["verdict"]["answer"] is None


def test_a_cell_that_runs_again_keeps_its_answer(panel: Panel[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    def run(cell: str, pods: int = 1, right: str = "1") -> Session:
        monkeypatch.setattr(base, "this_cell", lambda: cell)
        ran = panel.move(pods=pods).ask(replace(which(), right=lambda _: right))
        monkeypatch.setattr(ran, "stage", lambda: Mock(), raising=False)
        ran._ipython_display_()
        return Session(ran)

    sent(run("one"), answer="2")
    assert run("one").shown["verdict"]["answer"] == "2"
    assert "asking" in run("one", right="3").shown, "another solution is another question"
    assert "asking" in run("two").shown and "asking" in run("one", pods=3).shown and "asking" in run("").shown
    sent(run("one"), again=True)
    assert "asking" in run("one").shown
    sent(run(""), answer="2")
    assert "asking" in run("").shown, "a front end that names no cells is asked each time"


def test_what_the_front_end_has_to_know_of_a_question() -> None:
    plain = Question[Settings]("Which?", ("a", "b"), lambda _: "a", lambda _, answer: "")
    assert plain.asked() == {"text": "Which?", "choices": ["a", "b"]}
    assert replace(plain, drawn=True).asked() == {**plain.asked(), "drawn": True}
    said = plain.verdict("b", Settings())
    assert (said["mark"], said["right"], said["solution"], said["why"]) == ("Not quite.", False, "a", "")
    assert "moment" not in said and replace(plain, moment=True).verdict("b", Settings())["moment"] is True
    opened = plain.verdict(None, Settings())
    assert (opened["mark"], opened["why"]) == ("The answer:", "a")
    assert plain.leads(Settings(), Room()) == []
    way = replace(
        plain, way=lambda settings: [lambda room: element("i", settings.pods), lambda room: element("b", "2")]
    )
    assert way.leads(Settings(pods=3), Room()) == ["<i>3</i>", "<b>2</b>"]


def test_an_answer_brings_the_pictures_of_its_way_if_they_can_be_drawn(panel: Panel[Settings]) -> None:
    walked = replace(which(), way=lambda settings: [lambda room: element("i", settings.pods)])
    failing = replace(which(), way=lambda settings: [lambda room: element("i", 1 // 0)])
    for question, pictures in ((walked, ["<i>1</i>"]), (failing, []), (which(), [])):
        shown = sent(Session(panel.ask(question)), answer="1")
        assert shown["way"] == pictures and shown["verdict"]["mark"] == "Right."
    assert sent(Session(panel), answer="1")["way"] == []


def test_a_panel_without_a_question_cannot_be_asked_again(panel: Panel[Settings]) -> None:
    assert sent(Session(panel), again=True)["sentence"] == "1 pods"


def test_answers_to_choose_from_are_several_texts() -> None:
    assert answers(["a", 1]) == answers(iter(("a", 1))) == ("a", "1")
    for wrong in ("ab", 3, None):
        with pytest.raises(TypeError, match="answers in a list"):
            answers(wrong)


def test_an_answer_is_one_of_the_choices_or_a_number_up_to_the_most(panel: Panel[Settings]) -> None:
    picked = replace(which(), choices=("1", "2"))
    assert picked.checked(2) == "2"
    with pytest.raises(ValueError, match='"3" is not one of 1'):
        panel.ask(picked).answer("3")
    numbers, any_number = replace(which(), most=1000), replace(which(), most=None)
    assert [numbers.checked(each) for each in ("0", 1000, "1,000")] == ["0", "1000", "1000"]
    assert any_number.checked("1001") == "1001"
    for question, what in ((numbers, "a whole number from 0 to 1,000"), (any_number, "a whole number, 0 or more")):
        for wrong in ("-1", "1.5", "many", *(["1001"] if question is numbers else [])):
            with pytest.raises(ValueError, match=f'"{wrong}" is not {what}'):
                question.checked(wrong)


def test_the_votes_of_a_class_open_the_answer_and_are_nobody_s_own(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    session = Session(asking)
    verdict = sent(session, answer="2", votes=["2", "2", "1"])["verdict"]
    assert (verdict["votes"], verdict["answer"], verdict["right"]) == (["2", "2", "1"], "2", False)
    assert verdict["why"] == "2 was said, 1 there are." and "Your answer" not in str(asking.still())
    assert (
        sent(session, set={"pods": 2})["answered"] == verdict and sent(session, set={"pods": 1})["verdict"] == verdict
    )
    assert Session(asking).shown["verdict"]["answer"] is None, "another page of it was not answered by anybody"
    sent(session, again=True)
    assert "votes" not in sent(session, answer="1", votes=[])["verdict"]
    assert sent(Session(panel.ask(which())), answer=None, votes=["1", "2"])["verdict"]["mark"] == "The answer:"


def test_a_verdict_stays_while_one_walks_through_the_steps() -> None:
    panel = Panel(Walk(), lambda settings: View(Html(), "", Html(), ""))
    walked = Session(panel.ask(Question("End?", ("4",), lambda settings: "4", lambda settings, answer: "Twice two.")))
    sent(walked, answer="4")
    assert sent(walked, set={"step": 1})["verdict"]["mark"] == "Right."
    assert sent(walked, set={"turns": 0})["verdict"] is None


def test_a_verdict_stays_while_one_only_looks_elsewhere(panel: Panel[Settings]) -> None:
    asked = panel.ask(replace(which(), looks=("spare",)))
    session = Session(asked)
    said = sent(session, answer="2")["verdict"]
    assert sent(session, set={"spare": 1})["verdict"] == said
    assert sent(session, set={"pods": 2})["verdict"] is None


def test_a_question_that_fails_says_so_instead_of_staying_open(panel: Panel[Settings]) -> None:
    def fails(settings: Settings) -> str:
        raise RuntimeError("labls")

    question = Question("Which?", (), fails, lambda settings, answer: "", fails)
    shown = sent(Session(panel.ask(question)), room=[500, 400])
    assert shown["error"] == "RuntimeError: labls" and shown["asking"]["text"] == "Which?"
    shown = sent(Session(panel.ask(question)), answer=None)
    assert shown["verdict"]["why"] == "Error: RuntimeError: labls" and shown["sentence"] == "1 pods"
    assert shown["verdict"]["right"] is False


def test_copies_of_a_panel_that_asks_are_covered_until_then(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    moved, other = asking.move(pods=2), asking.then(panel.move(pods=3))
    assert [Session(each).shown["covered"] for each in (moved, other)] == ["How many?"] * 2
    assert "3 pods" not in str(Session(other).shown)
    assert "<details><summary>After the question: How many?</summary>" in str(other.still())
    Session(asking).receive({"answer": "1", "n": "1"})
    assert [Session(each).shown["sentence"] for each in (moved, other)] == ["2 pods", "3 pods"]
    assert "<details>" not in str(other.still())


def test_a_question_below_another_waits_for_it(panel: Panel[Settings]) -> None:
    above, second = panel.ask(which()), Question("And now?", ("yes",), lambda _: "yes", lambda *_: "So it is.")
    below = above.then(panel.move(pods=2).ask(second))
    shown = Session(below)
    assert shown.shown["own"] == "And now?"
    assert shown.shown["covered"] == "How many?" and "asking" not in shown.shown and not shown.shown["picture"]
    folded = str(below.still())
    assert folded.index("After the question: How many?") < folded.index("And now?")
    stage = below.stage()
    above.predict("1")
    assert stage.shown["asking"]["text"] == "And now?" and not stage.shown.get("covered")
    assert sent(shown, answer="yes")["verdict"]["why"] == "So it is."
    uncovered = Session(panel.ask(which()).then(panel.ask(second)))
    assert sent(uncovered, uncover=True)["asking"]["text"] == "And now?"


def test_a_covered_panel_can_be_uncovered_alone_and_the_answer_opened_without_a_prediction(
    panel: Panel[Settings],
) -> None:
    asking = panel.ask(which())
    assert sent(Session(asking.move(pods=2)), uncover=True)["sentence"] == "2 pods"
    asking = panel.ask(which())
    assert sent(Session(asking), answer=None)["verdict"]["why"] == "1 was said, 1 there are."


def test_a_saved_question_folds_its_answer(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    question, folded, answer = str(asking.still()).partition("<details>")
    assert folded and "How many?" in question and "1 pods" not in question and "<img" in question
    assert "<summary>The answer</summary>" in answer and "1 pods" in answer
    assert repr(asking) == "How many?\npods: 1, spare: 0\nnumbers: 1"
    assert repr(asking.answer("1")).splitlines()[:2] == ["How many?", "Right. 1 was said, 1 there are."]
    assert "<details>" not in str(asking.answer("3").still())


def test_a_saved_picture_has_its_sentence_if_there_is_one(panel: Panel[Settings]) -> None:
    assert "<b>1 pods</b>" in str(panel.still())
    silent = Panel(Settings(), lambda settings: View(element("svg"), "", element("table"), ""))
    assert "<p" not in str(silent.still())


# The widget


@pytest.fixture
def in_a_classroom() -> Iterator[None]:
    classroom()
    yield
    classroom(on=False)


def test_one_switch_enlarges_what_is_there_and_what_comes(panel: Panel[Settings], in_a_classroom: None) -> None:
    card = Card(Predict("Next", "Which?", "web", "It came first.", ()))
    later = [panel.stage(), panel.ask(which()).stage(), card, RosterForm(), SheetForm("queue", "1")]
    assert all(each.large for each in later)
    classroom(on=False)
    assert not any(each.large for each in later)


def test_a_stage_follows_its_panel_and_the_question(panel: Panel[Settings]) -> None:
    asking = panel.ask(which())
    first, covered = asking.stage(), asking.move(pods=2).stage()
    first._received(first, {"answer": "1", "n": "1"}, [])
    assert first.shown["sentence"] == "1 pods" and covered.shown["sentence"] == "2 pods"
    asking.go(Settings(pods=3))
    assert first.shown["sentence"] == "3 pods"
    first._received(first, {"again": True, "n": "2"}, [])
    assert "asking" in first.shown and covered.shown["covered"] == "How many?"
    again = panel.stage()
    Session(panel).receive({"set": {"pods": 3}, "n": "1"})
    assert again.shown["sentence"] == "3 pods"


def test_a_saved_picture_follows_and_what_is_asked_for_is_sent(
    panel: Panel[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, replies = list[tuple[Any, Any]](), list[Any]()
    monkeypatch.setattr(live, "_publish", lambda data, **more: shown.append((data, more)))
    monkeypatch.setattr(Stage, "send", lambda stage, reply: replies.append(reply))
    stage = panel.stage()
    stage._received(stage, {"still": True}, [])
    assert shown == [], "it is nowhere yet"
    stage.display()
    stage._received(stage, {"set": {"pods": 3}, "n": "1"}, [])
    assert len(shown) == 2 and replies == []
    stage._received(stage, {"still": True}, [])
    saved, more = shown[2]
    assert "numbers: 3" in saved["text/plain"] and more == {**shown[0][1], "update": True}
    stage._received(stage, {"menu": True, "n": "2"}, [])
    assert replies == [{"menu": panel.menu()}]


def test_a_stage_draws_and_sends_a_new_state_once() -> None:
    drawn, sent_states = [], []

    def counted(settings: Settings) -> View:
        return View(lambda room: drawn.append(settings) or element("svg"), "", Html(), "")

    stage = Panel(Settings(), counted).stage()
    stage.observe(lambda change: sent_states.append(change["new"]["n"]), "shown")
    drawn.clear()
    stage._received(stage, {"set": {"pods": 3}, "n": "1"}, [])
    assert (drawn, sent_states) == ([Settings(3)], ["1"])


def test_controls_are_described_with_their_values_as_text() -> None:
    panel = Panel(Walk(), lambda settings: View(Html(), "", Html(), ""))
    described = {each["name"]: (each["kind"], each["values"]) for each in Session(panel).controls}
    assert described["turns"] == ("switch", ["off", "on"]) and described["step"] == ("steps", [])
    assert described["way"] == ("choice", ["long", "short"])


@dataclass(frozen=True)
class Walk(Restorable):
    way: str = choice("way", ("long", "short"), "short")
    turns: bool = switch("turns", True)
    step: int = steps("step", lambda settings: {"long": 9, "short": 3}[settings.way])


def test_steps_beyond_the_new_end_are_taken_back_to_it() -> None:
    panel = Panel(Walk(), lambda settings: View(Html(), str(settings), Html(), ""))
    session = Session(panel)
    assert sent(session, set={"way": 0, "turns": 1, "step": 9})["last"] == {"step": 9}
    shown = sent(session, set={"way": 1})
    assert (shown["last"], shown["at"]["step"], panel.settings) == ({"step": 3}, 3, Walk("short", True, 3))


def test_an_error_in_a_picture_is_shown_instead_of_it() -> None:
    def fails(room: Room) -> Html:
        raise KeyError("node-z")

    panel = Panel(Settings(), lambda settings: View(fails, "said", Html(), "text"))
    shown = Session(panel).shown
    assert (shown["picture"], shown["sentence"], shown["error"]) == ("", "said", "KeyError: 'node-z'")


def test_a_story_that_cannot_be_told_is_an_error_with_the_picture() -> None:
    def fail(_: Room) -> list[Frame]:
        raise RuntimeError("no story")

    picture = element("svg", "the end")
    panel = Panel(Settings(), lambda _: View(picture, "", Html(), "", story=fail), str)
    assert Session(panel).receive({"story": True}) == [
        {"story": [{"picture": str(picture), "caption": "Error: RuntimeError: no story"}]}
    ]
