"""Lesson 11: what the picture of an answer shows."""

from kschedlab_lab.exercises.experiments import middle_mended
from kschedlab_lab.exercises.lesson import exercises_of
from tests.saying import says


def test_an_answer_about_packing_shows_both_boards_with_what_the_pods_ask_for():
    exercise = exercises_of("experiments", 1)[1]
    for answer in (exercise.right, exercise.right.replace("cpu: 1", "cpu: 2", 1)):
        picture = str(exercise.check(answer).picture)
        assert says(picture, "default", "packing", "1 CPU", "c: node-b", "c: waiting")


def test_the_mended_middle_leaves_out_as_many_at_each_end():
    for number, left_out in ((39, 0), (40, 1), (100, 2), (200, 5)):
        means = [float(each) for each in range(number)]
        assert middle_mended(means[::-1]) == (left_out, number - 1 - left_out)
