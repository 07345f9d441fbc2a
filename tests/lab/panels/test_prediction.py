"""A question keeps its remarks to itself until an answer is picked."""

from kschedlab.lab.panels.prediction import Prediction

REMARKS = {"node-a": "no, <look>", "node-b": "yes"}


def test_a_remark_follows_the_answer() -> None:
    prediction = Prediction("Which?", REMARKS)
    assert prediction._remark.value == ""
    prediction.answers.value = "node-a"
    assert prediction._remark.value == '<p role="status">no, &lt;look&gt;</p>'


def test_a_saved_notebook_shows_the_question_without_the_remarks() -> None:
    bundle = Prediction("Which?", REMARKS)._repr_mimebundle_()
    assert bundle["text/plain"] == "Which?\n( ) node-a\n( ) node-b"
    assert bundle["text/html"] == "<div><b>Which?</b><div>○ node-a</div><div>○ node-b</div></div>"
