"""Class sheets: what a teacher prints."""

import pytest

from kschedlab.lab.exercises import Sheet, answers
from kschedlab.lab.exercises.lesson import exercises_of
from kschedlab.lab.exercises.sheet import parse_seeds
from kschedlab.program.main import main


@pytest.mark.parametrize(("text", "seeds"), [("3", [3]), ("1-3", [1, 2, 3]), ("7, 1-2", [7, 1, 2])])
def test_seeds_as_they_are_typed(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-", "1-100000", "-1", "1;2"])
def test_other_seeds_are_refused(text):
    with pytest.raises(ValueError, match="seeds: "):
        parse_seeds(text)


def test_a_sheet_has_every_exercise_and_the_solutions_only_if_asked():
    made = exercises_of("preemption", 2)
    for solutions in (False, True):
        text = repr(Sheet("preemption", "2", solutions))
        assert [line for line in text.splitlines() if line.startswith("## ")] == [
            f"## {number}. {each.title} ({each.kind})" for number, each in enumerate(made, 1)
        ]
        assert (made[1].why in text) is solutions


def test_the_answers_of_a_class_stand_in_a_table():
    head, *rows = answers("preemption", [1, 2]).splitlines()
    assert head.split() == ["seed", "1", "2", "3", "4", "5"]
    assert [row.split()[0] for row in rows] == ["1", "2"]
    assert exercises_of("preemption", 2)[1].right in rows[1]


def test_the_program_prints_them(capsys):
    assert main(["sheet", "preemption", "--seeds", "1-2", "--answers"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == answers("preemption", [1, 2])
    assert main(["sheet", "preemption", "--seeds", "1"]) == 0
    assert "# preemption, seed 1" in capsys.readouterr().out


def test_the_program_refuses_what_it_cannot_print(capsys):
    for wrong in (["sheet", "cooking", "--seeds", "1"], ["sheet", "preemption", "--seeds", "x"]):
        with pytest.raises(SystemExit):
            main(wrong)
    assert "seeds" in capsys.readouterr().err
