"""Exercises in all their states: not tried, wrong, error, right."""

import itertools
import random
import signal
import sys
import threading
from types import SimpleNamespace

import pytest

from kschedlab.manifests.loading import Objects
from kschedlab.text.html import element
from kschedlab_lab.exercises import card as card_module, limits
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.card import CELL, WHOLE, Card
from kschedlab_lab.exercises.exercise import State, drawn
from kschedlab_lab.exercises.limits import alarm, limited
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from tests.cells import run_cell
from tests.saying import says

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
    return Repair("Half", "Fix it.", half, halved, lambda n: n // 2, cases, "Integers.", ("Look at 7.",), 1)


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
    assert exercise.state is State.RIGHT and exercise.tries == 1


def test_what_one_looks_at_after_the_right_answer_does_not_count():
    exercise, kept = predict(), []
    exercise.check("db")
    exercise.hint()
    exercise.check("web")
    exercise.on_progress = kept.append
    assert exercise.hint().title == "Hint 1 of 2" and exercise.solution().title == "Solution"
    assert (exercise.tries, exercise.hints_seen, exercise.solution_seen, kept) == (2, 1, False, [])


def test_each_hint_and_the_solution_are_kept():
    exercise, kept = predict(), []
    exercise.on_progress = lambda changed: kept.append((changed.hints_seen, changed.solution_seen))
    exercise.hint(), exercise.hint(), exercise.solution()
    assert kept == [(1, False), (2, False), (2, True)]


def test_what_cannot_be_read_is_no_try():
    exercise = build()
    assert exercise.check("kind: [").state is State.ERROR and exercise.tries == 0
    exercise.check(NODE % "b" + "---\n" + NODE % "c")
    assert exercise.tries == 1 and exercise.check("kind: [") and exercise.tries == 1
    picked, mended = predict(remarks={"web": "Yes.", "db": "It came later."}), repair()
    assert picked.check("neither").state is State.ERROR and picked.tries == 0
    assert mended.check(7).state is State.ERROR and mended.tries == 0
    assert mended.check(lambda number: number[0]).state is State.ERROR and mended.tries == 1


def test_a_note_and_a_verdict_are_shown_as_markup():
    exercise = predict()
    for said in (exercise.hint(), exercise.check("web")):
        assert said._repr_html_() == str(said.html()) and said.words in said._repr_html_()


def test_hints_come_before_the_solution():
    exercise = predict()
    assert "2 hints left" in exercise.solution().words
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


def test_an_answer_that_is_no_answer_is_repeated_up_to_80_letters():
    number = Predict("How many", "How many pods?", "3", "Three.", ())
    for exercise in (number, predict(remarks={"web": "Yes.", "db": "It came later."})):
        assert exercise.check("x" * 81).words.count("x") == 80 and exercise.tries == 0


def test_manifests_are_looked_at_together_with_what_is_there():
    exercise = build()
    assert exercise.check(NODE % "b" + "---\n" + NODE % "c").words == "There are 3 nodes, not two."
    assert "is defined twice" in exercise.check(NODE % "a").evidence


@pytest.mark.parametrize("answer", ["kind: [", 7, NODE % "Not_A_Name"])
def test_manifests_that_cannot_be_read_are_told_with_their_place(answer):
    verdict = build().check(answer)
    assert verdict.state is State.ERROR
    assert "Traceback" not in repr(verdict)


def test_unreadable_manifests_name_the_line():
    assert "answer:3" in build().check("apiVersion: v1\nkind: Node\nmetadata: {name: [1]}\n").evidence


def test_a_function_is_shown_the_first_instance_that_it_gets_wrong():
    verdict = repair().check(lambda number: number / 2)
    assert verdict.state is State.WRONG
    assert verdict.evidence == "my_half(0)\n  got:      0.0\n  expected: 0"


def test_a_function_that_changes_its_arguments_is_shown_the_instance_as_it_was():
    exercise = Repair("Sum", "?", half, halved, sum, lambda _: [([1, 2],)], "So.", ("Add.",), 1)
    assert exercise.check(lambda numbers: numbers.clear()).evidence.startswith("my_half([1, 2])")


def test_an_error_in_a_function_names_its_line():
    def broken(number):
        text = ""
        return text[number]

    verdict = repair().check(broken)
    assert verdict.state is State.ERROR
    assert says(verdict.words, "IndexError", "line 3", "string index out of range")


def in_a_loop(number):
    while True:
        number += 1


def in_one_line(number):
    while True:
        pass  # noqa: E701


def in_a_comprehension(number):
    return [each for each in itertools.count() if each < 0]


def in_a_generator(number):
    return sum(0 for _ in itertools.repeat(1))


def in_spite_of_errors(number):
    while True:
        try:
            number = 1 / number
        except Exception:
            number = 0


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0.05)


ENDLESS = [in_a_loop, in_one_line, in_a_comprehension, in_a_generator, in_spite_of_errors]


@pytest.mark.parametrize("endless", ENDLESS)
def test_what_does_not_come_to_an_end_is_stopped(impatient, endless):
    verdict = repair().check(endless)
    assert verdict.state is State.ERROR
    assert says(verdict.words, "stopped") and verdict.evidence == "my_half(0)"
    assert sys.gettrace() is None or "limits" not in sys.gettrace().__module__
    assert limited(halved, (8,)) == 4


def test_a_loop_is_stopped_beside_the_main_thread(impatient):
    found = []
    thread = threading.Thread(target=lambda: found.append(repair().check(in_a_loop).words))
    thread.start()
    thread.join()
    assert found == ["It ran too long, and was stopped."]


class Strange:
    """What can neither be compared nor written."""

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None
    __repr__ = __eq__


def test_what_a_function_gives_may_be_anything():
    exercise = Repair("Half", "?", half, halved, lambda n: Strange(), cases, "", (), 1)
    assert "got:      <Strange>\n  expected: <Strange>" in exercise.check(lambda number: Strange()).evidence
    assert exercise.check(lambda number: "x" * 401).evidence.count("x") == 400
    assert "…" not in exercise.check(lambda number: "x" * 398).evidence
    assert "…" in exercise.check(lambda number: "x" * 399).evidence


def right_until(case):
    """A function that goes wrong in this case."""
    calls = itertools.count(1)
    return lambda number: number // 2 if next(calls) < case else None


def test_the_first_case_that_goes_wrong_is_counted():
    said = [repair().check(right_until(case)).words for case in (1, 2, 3)]
    after = " goes wrong; those before it are right."
    assert said == ["Case 1 goes wrong.", f"Case 2{after}", f"Case 3{after}"]


def test_no_alarm_rings_beside_the_main_thread():
    found = []

    def work():
        with alarm():
            found.append(signal.getitimer(signal.ITIMER_VIRTUAL))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(0, 0)]


@pytest.mark.parametrize("answer", [5, "half", half(2)])
def test_only_a_function_can_be_handed_over(answer):
    assert says(repair().check(answer).words, "function", "check(my_function)")


def test_an_instance_is_drawn_until_it_is_as_wanted():
    assert drawn(random.Random(1), lambda rng: rng.randrange(10), lambda n: n == 7) == 7
    with pytest.raises(LookupError):
        drawn(random.Random(1), lambda rng: rng.randrange(10), lambda n: n == 11)


def test_a_saved_notebook_shows_question_and_answers():
    exercise = predict(remarks={"web": "Yes.", "<b>db": "It came later."})
    still, text = exercise.still(WHOLE)
    assert text.splitlines() == ["Next (predict)", "Which pod is next?", "( ) web", "( ) <b>db"]
    assert "○ &lt;b&gt;db" in str(still) and "<b>db" not in str(still)
    exercise.check("<b>db")
    assert "● &lt;b&gt;db" in str(exercise.still(WHOLE)[0]) and "It came later." in str(exercise.still(WHOLE)[0])


def sent(card, **message):
    """What the card shows after its front end has sent this."""
    card._received(card, message, [])
    return card.face["reply"]


def test_buttons_do_what_the_methods_do():
    card = Card(predict(remarks={"web": "Yes.", "db": "It came later."}))
    assert card.face["place"] == "choice" and card.face["choices"] == ["web", "db"]
    assert "no answer yet" in sent(card, check="")
    assert "It came later." in sent(card, check="db")
    helped = sent(card, hint=True)
    assert helped.index("Hint 1 of 2") < helped.index("It came later."), "a hint is above what is wrong"
    assert "Not yet" in sent(card, solution=True)
    assert "It came first." in sent(card, check="web")
    assert "Solution" in sent(card, solution=True)


def test_hints_stay_in_their_order_above_what_is_wrong_until_an_answer_is_right():
    card = Card(predict(remarks={"web": "Yes.", "db": "It came later."}))
    assert sent(card, hint=True).count("Look at the priorities.") == 1
    for reply, said in ((sent(card, check="db"), "It came later."), (sent(card, solution=True), "Not yet")):
        assert reply.index("Look at the priorities.") < reply.index(said)
    sent(card, hint=True)
    reply = sent(card, check="db")
    assert reply.index("Look at the priorities.") < reply.index("And times.") < reply.index("It came later.")
    assert "Hint" not in sent(card, check="web")


def test_a_hint_is_given_to_who_tries_again_after_the_right_answer():
    card = Card(predict(remarks={"web": "Yes.", "db": "It came later."}))
    for answer in ("web", "db"):
        sent(card, check=answer)
    reply = sent(card, hint=True)
    assert reply.index("Hint 1 of 2") < reply.index("It came later.") and card.exercise.hints_seen == 0


def test_every_card_of_an_exercise_shows_the_last_reply():
    exercise = predict()
    one, other = Card(exercise), Card(exercise)
    exercise.check("db")
    assert one.face == other.face and one.face["given"] == "db" and "That is not it." in one.face["reply"]


def test_a_draft_is_kept_without_a_verdict():
    card = Card(build())
    sent(card, draft="kind: N")
    assert card.exercise.tries == 0 and "kind: N" in str(card.exercise.still(WHOLE)[0])


def test_a_saved_notebook_keeps_up_with_a_card(monkeypatch):
    saved = []
    monkeypatch.setattr(card_module, "InteractiveShell", SimpleNamespace(initialized=lambda: True))
    monkeypatch.setattr(card_module, "publish", lambda still, text, card: "display")
    monkeypatch.setattr(card_module, "republish", lambda name, still, text: saved.append((name, str(still))))
    card = Card(build())
    sent(card, draft="kind: N")
    assert saved == []
    card.display()
    for message in ({"draft": "kind: No"}, {"check": NODE % "b"}):
        sent(card, **message)
    (first, draft), (last, checked) = saved
    assert first == last == "display" and "kind: No" in draft and "Two." in checked


def test_a_card_says_what_it_has_heard_and_judges_its_cell_again():
    judged = []
    card = Card(repair(), CELL, lambda: judged.append(True))
    sent(card, again=True)
    assert judged == [True]
    sent(card, check="", n=3, **{"from": "left"})
    sent(card, hint=True, n="1", **{"from": "right"})
    assert card.face["heard"] == {"left": 3, "right": 1}


def test_an_answer_picked_in_another_language_is_picked_again():
    picked, typed = predict(remarks={"web": "Yes.", "db": "It came later."}), predict()
    for exercise, given, kept in ((picked, "db", "db"), (picked, "früher", ""), (typed, "db", "db")):
        exercise.resume(State.WRONG, 2, 1, False, given)
        assert (exercise.given, bool(exercise.reply), exercise.hints_seen) == (kept, bool(kept), 1)


def test_yaml_begins_with_a_skeleton_which_is_no_answer():
    exercise = Build("Nodes", "?", two_nodes, NODE % "b", "Two.", ("One.",), base=NODE % "a", start="kind: Node\n")
    card = Card(exercise)
    assert card.face["place"] == "yaml" and card.face["given"] == "kind: Node\n"
    assert sent(card, check=" kind:  Node") and exercise.tries == 0
    assert sent(card, check=NODE % "b") and exercise.tries == 1 and exercise.state is State.RIGHT


def test_a_function_is_answered_in_a_cell():
    exercise = repair()
    exercise.call = "exercises[3]"
    whole, below = Card(exercise), Card(exercise, CELL)
    assert whole.face["place"] == "none" and below.face["place"] == "cell"
    assert exercise.cell.startswith("@exercises[3].answer\ndef my_half(number):")
    assert exercise.answer(halved) is halved and exercise.state is State.RIGHT
    assert "Integers." in below.face["reply"] and whole.face["reply"] == "" and "✓" in whole.face["question"]
    assert exercise.answer("half") is None


def test_a_cell_that_was_run_as_it_is_counts_as_no_attempt():
    exercise = repair()
    run_cell(exercise.cell, exercise=exercise)
    assert exercise.tries == 0 and exercise.state is State.UNATTEMPTED
    said = exercise.still(CELL)[1]
    assert said.startswith("○ Not tried yet") and "expected: 0" in said, "nobody has done anything wrong"
    run_cell(exercise.cell.replace("/ 2", "/ 3"), exercise=exercise)
    assert exercise.tries == 1 and exercise.state is State.WRONG
    assert exercise.still(CELL)[1].startswith("✗ Case ")
    assert not exercise.is_as_given(len)


def test_the_solution_of_a_repair_marks_what_changed():
    exercise = repair()
    exercise.check(halved)
    picture = str(exercise.solution().picture)
    assert "-     return number / 2" in picture and "+     return number // 2" in picture


def test_the_solution_is_drawn():
    drawing = element("svg")
    for exercise in (predict(solved=lambda: drawing), decided(drawing)):
        assert exercise.check(exercise.right).picture == drawing
        assert exercise.solution().picture == drawing


def decided(drawing):
    return Build("N", "?", two_nodes, NODE % "b", "Two.", ("One.",), base=NODE % "a", decided=lambda _: drawing)


def test_a_wrong_cluster_is_drawn_too_if_there_is_a_decision():
    assert decided(element("svg")).check(NODE % "b" + "---\n" + NODE % "c").picture == element("svg")

    def missing(objects):
        raise KeyError("no such pod")

    assert str(decided(element("svg")).check("kind: [").picture) == ""
    exercise = Build("N", "?", two_nodes, NODE % "b", "Two.", ("One.",), decided=missing)
    assert str(exercise.check(NODE % "b").picture) == ""


@pytest.mark.parametrize("said", ["5000", "5,000", "5 000", " 5000"])
def test_separators_may_be_left_out(said):
    exercise = Predict("How many?", "?", "5000", "So.", ("Count.",))
    assert exercise.check(said).state is State.RIGHT
    assert exercise.check("500").state is State.WRONG
