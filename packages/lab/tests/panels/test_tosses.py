"""Equal schedulers, tossed: the dots turn red by the rule of the pairs, and looking often errs more often."""

import numpy as np

from kschedlab_lab.panels.tosses import ROUNDS, Tosses, panel
from kschedlab_lab.views.pairs import Pairs
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.tosses import looks_at, tossed
from tests.saying import says

DIFFERENCES = np.array([9.0, 5, 9, 0, 0, 0, 9, 0, 0, 9, 13, 0, -3, 9, 4, 0, 14, 9, 0, 0])


def test_a_dot_is_red_where_the_rule_of_the_pairs_sees_a_difference():
    comparisons = tossed(DIFFERENCES, 1)[:20]
    for comparison, looks in zip(comparisons, looks_at(comparisons), strict=True):
        real = [n for n in range(1, 21) if Pairs(0 * comparison[:n], comparison[:n], joined=True).real]
        assert looks == ((real or [0])[0], 20 in real)


def test_equal_schedulers_have_the_given_differences_in_another_order_with_other_signs():
    for comparison in tossed(DIFFERENCES, 1)[:20]:
        assert sorted(abs(comparison)) == sorted(abs(DIFFERENCES))
    assert abs(tossed(DIFFERENCES, 1).mean()) < 1  # the given ones have 4.8


def test_who_looks_after_each_seed_is_wrong_more_than_twice_as_often():
    often, once = Tosses(DIFFERENCES).counts(range(1, ROUNDS + 1))
    assert 2 * once < often and 5 <= 100 * once / 2000 <= 9


def test_each_press_tosses_others_and_the_numbers_add_up():
    first = panel(DIFFERENCES).answer(None)
    shown = Tosses(DIFFERENCES)
    assert 'data-set="round: 2"' in str(first.view.picture(Room()))
    assert tossed(DIFFERENCES, 1).tolist() != tossed(DIFFERENCES, 2).tolist()
    both = [one + other for one, other in zip(shown.counts([1]), shown.counts([2]), strict=True)]
    assert says(first.move(round=2).view.text, "Of all 200", *both)


def test_the_picture_counts_all_rounds_once_the_last_dots_are_red():
    shown = panel(DIFFERENCES).answer(None).move(round=2)
    assert not any(char.isdigit() for char in shown.view.sentence)
    picture = str(shown.view.picture(Room()))
    for count in Tosses(DIFFERENCES).counts([1, 2]):
        assert f"{count} of 200 so far" in picture


def test_before_the_answer_only_those_are_red_that_the_end_sees():
    asked = panel(DIFFERENCES)
    assert asked.question is not None and asked.question.before is not None
    picture = str(asked.question.before(asked.settings)(Room()))
    _, once = Tosses(DIFFERENCES).counts([1])
    assert 'data-key="often/99"' in picture and 'data-key="often/1/' not in picture
    assert picture.count('data-key="once/1/') == once and f"{once} of 100" in picture
