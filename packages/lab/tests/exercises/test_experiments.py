"""Lesson 11: what the picture of an answer shows."""

from kschedlab_lab.exercises.lesson import exercises_of
from tests.saying import says


def test_an_answer_about_packing_shows_both_boards_with_what_the_pods_ask_for():
    exercise = exercises_of("experiments", 1)[1]
    for answer in (exercise.right, exercise.right.replace("cpu: 1", "cpu: 2", 1)):
        picture = str(exercise.check(answer).picture)
        assert says(picture, "default", "packing", "1 CPU", "c: node-b", "c: waiting")


def test_half_the_answer_is_one_side_only():
    exercise = exercises_of("experiments", 1)[0]
    assert says(exercise.check(str(int(exercise.right) // 2)).words, "one side only")
    assert "one side only" not in exercise.check(str(int(exercise.right) + 2)).words
