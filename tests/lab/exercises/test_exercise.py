"""Exercises in all their states: not tried, wrong, error, right."""

import random

import pytest

from kschedlab.lab.exercises.build import Build
from kschedlab.lab.exercises.exercise import State, drawn
from kschedlab.lab.exercises.predict import Predict
from kschedlab.lab.exercises.repair import Repair, limited
from kschedlab.manifests.loading import Objects

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"


def predict(**more):
    return Predict(
        "Next", "Which pod is next?", "web", "It came first.", ("Look at the priorities.", "And times."), **more
    )


def two_nodes(objects: Objects) -> str:
    return "" if len(objects.nodes) == 2 else f"There are {len(objects.nodes)} nodes, not two."


def build():
    return Build("Nodes", "Give it two nodes.", two_nodes, NODE % "b", "Two.", ("One is there.",), base=NODE % "a")


def half(number):
    return number / 2


def halved(number):
    return number // 2


def cases(rng):
    return [(0,), *((rng.randrange(1, 100) * 2,) for _ in range(5)), (7,)]


def repair():
    return Repair("Half", "Mend it.", half, halved, lambda n: n // 2, cases, "Integers.", ("Look at 7.",))


@pytest.mark.parametrize("make", [predict, build, repair])
def test_every_kind_begins_untried_and_takes_its_right_answer(make):
    exercise = make()
    assert exercise.check().state is State.UNATTEMPTED and exercise.tries == 0
    assert exercise.check(exercise.right).state is State.RIGHT
    assert exercise.state is State.RIGHT


def test_what_was_right_once_stays_right():
    exercise = predict()
    exercise.check("web")
    assert exercise.check("db").state is State.WRONG
    assert exercise.state is State.RIGHT and exercise.tries == 2


def test_hints_come_before_the_solution():
    exercise = predict()
    assert "2 hint(s) are left" in exercise.solution().words
    assert [exercise.hint().words for _ in range(3)] == ["Look at the priorities.", "And times.", "And times."]
    assert exercise.solution().words == "web. It came first."


def test_a_right_answer_opens_the_solution():
    exercise = predict()
    exercise.check("web")
    assert exercise.solution().title == "Solution"


def test_a_picked_answer_gets_its_own_remark():
    exercise = predict(remarks={"web": "Yes.", "db": "It came later."})
    assert exercise.check("db").words == "It came later."
    unknown = exercise.check("<script>alert(1)</script>")
    assert unknown.state is State.ERROR
    assert "<script>" not in unknown._repr_html_()


def test_a_typed_answer_is_forgiven_its_spaces_and_case():
    exercise = predict(remark=lambda said: f"{said} came later.")
    assert exercise.check("  WEB ").state is State.RIGHT
    assert exercise.check("db").words == "db came later."


def test_manifests_are_looked_at_together_with_what_is_there():
    exercise = build()
    assert exercise.check(NODE % "b" + "---\n" + NODE % "c").words == "There are 3 nodes, not two."
    assert "is defined twice" in exercise.check(NODE % "a").evidence


@pytest.mark.parametrize("answer", ["kind: [", "x" * 60_000, 7, NODE % "Not_A_Name"])
def test_manifests_that_cannot_be_read_are_told_with_their_place(answer):
    verdict = build().check(answer)
    assert verdict.state is State.ERROR
    assert "Traceback" not in repr(verdict)


def test_unreadable_manifests_name_the_line():
    assert "answer:3" in build().check("apiVersion: v1\nkind: Node\nmetadata: {name: [1]}\n").evidence


def test_a_function_is_shown_the_first_instance_that_it_gets_wrong():
    verdict = repair().check(half)
    assert verdict.state is State.WRONG
    assert verdict.evidence == "half(0)\n  yours:    0.0\n  expected: 0"


def test_an_error_in_a_function_names_its_line():
    def broken(number):
        text = ""
        return text[number]

    verdict = repair().check(broken)
    assert verdict.state is State.ERROR
    assert verdict.words == "IndexError in line 3 of your function: string index out of range"


def test_an_endless_loop_is_stopped():
    def endless(number):
        while True:
            number += 1

    assert repair().check(endless).words == "It does not come to an end."
    assert limited(halved, (8,)) == 4


@pytest.mark.parametrize("answer", [5, "half", half(2)])
def test_only_a_function_can_be_handed_over(answer):
    assert repair().check(answer).words == "Hand over the function itself: check(my_function)."


def test_an_instance_is_drawn_until_it_is_as_wanted():
    assert drawn(random.Random(1), lambda rng: rng.randrange(10), lambda n: n == 7) == 7
    with pytest.raises(LookupError):
        drawn(random.Random(1), lambda rng: rng.randrange(10), lambda n: n == 11)


def test_a_saved_notebook_shows_question_and_answers():
    exercise = predict(remarks={"web": "Yes.", "<b>db": "It came later."})
    bundle = exercise._repr_mimebundle_()
    assert bundle["text/plain"].splitlines() == ["Next (predict)", "Which pod is next?", "( ) web", "( ) <b>db"]
    assert "&lt;b&gt;db" in bundle["text/html"] and "<b>db" not in bundle["text/html"]


def test_buttons_do_what_the_methods_do():
    exercise = predict(remarks={"web": "Yes.", "db": "It came later."})
    box = exercise.widget()
    check, hint, solution = box.children[-2].children
    check.click()
    assert "no answer yet" in box.reply.value
    box.answer.value = "db"
    check.click()
    assert "It came later." in box.reply.value
    hint.click()
    assert "Hint 1 of 2" in box.reply.value
    solution.click()
    assert "Not yet" in box.reply.value
