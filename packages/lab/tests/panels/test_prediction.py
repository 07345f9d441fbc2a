"""A question keeps its remarks to itself until an answer is picked."""

from kschedlab_lab.panels.prediction import Prediction
from kschedlab_lab.panels.session import Session
from tests.saying import says

REMARKS = {"node-a": "no, <look>", "node-b": "yes"}


def test_a_remark_follows_the_answer() -> None:
    session = Session(Prediction("Which?", REMARKS, "node-b"))
    assert session.shown["asking"] == {"text": "Which?", "choices": ["node-a", "node-b"]}
    [reply] = session.receive({"answer": "node-a", "n": "1"})
    verdict = reply["shown"]["verdict"]
    assert (verdict["right"], verdict["mark"]) == (False, "Not quite.")
    assert says(verdict["why"], "no, <look>", "node-b", "yes")  # of the wrong answer, then the right one and why


def test_an_answer_that_is_not_offered_is_refused() -> None:
    [reply] = Session(Prediction("Which?", REMARKS)).receive({"answer": "node-z", "n": "1"})
    assert reply["shown"]["error"] == '"node-z" is not one of node-a, node-b'


def test_a_saved_notebook_shows_the_question_without_the_remarks() -> None:
    prediction = Prediction("Which?", REMARKS)
    assert repr(prediction) == "Which?\n( ) node-a\n( ) node-b"
    assert "Which?" in str(prediction.still()) and "look" not in str(prediction.still())


def test_what_stands_between_backquotes_is_shown_as_code() -> None:
    prediction = Prediction("What does `Less` say?", {"`a<b>`": "no: `Less` compares"}, "`a<b>`")
    assert "What does <code>Less</code> say?" in str(prediction.still())
    assert "<code>a&lt;b&gt;</code>" in str(prediction.still())
    assert "no: <code>Less</code> compares" in str(prediction.answer("`a<b>`").still())
