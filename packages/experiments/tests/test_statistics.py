"""Differences over seeds: planted ones are found, and chance is not called real more often than stated."""

import numpy as np
import pytest

from kschedlab_experiments.statistics import Difference, adjusted, difference

REPETITIONS = 200


def repeated(shift, pairs=20, confidence=0.95):
    """Differences of skewed numbers that share their seeds' ups and downs; the second ones are ``shift`` higher."""
    rng = np.random.default_rng(7)
    for _ in range(REPETITIONS):
        seeds = rng.normal(100, 30, pairs)  # what the arrivals of a seed do to both variants
        first, second = seeds + rng.gamma(2, 2, pairs), seeds + rng.gamma(2, 2, pairs) + shift
        yield difference(first, second, confidence, 999)


def most(share):
    """The most of the repetitions that a share explains, but for one in 10,000."""
    return REPETITIONS * share + 3.8 * (REPETITIONS * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_chance_is_not_called_real_more_often_than_stated(confidence):
    made = list(repeated(0, confidence=confidence))
    assert sum(each.real for each in made) <= most(1 - confidence)
    missed = sum(not each.low <= 0 <= each.high for each in made)
    assert missed <= most(1 - confidence) + 4  # a bootstrap of 20 pairs is a little too narrow


def test_a_planted_difference_is_found_and_covered():
    """Between seeds the numbers vary by 30; the difference of 4 shows in pairs."""
    made = list(repeated(4))
    assert sum(each.real for each in made) >= 0.95 * REPETITIONS
    assert sum(each.low <= 4 <= each.high for each in made) >= REPETITIONS - most(0.05) - 4


def test_a_few_pairs_cannot_be_real():
    made = difference([1.0, 2, 3, 4], [11.0, 12, 14, 14])
    assert made.mean == 10.25 and made.p == 2 / 2**4 and not made.real
    assert difference([0.0] * 6, [1.0, 2, 3, 4, 5, 6]).real


def test_by_hand():
    """Of the eight signs of (1, 2, 3), two give a mean as far from 0 as 2."""
    made = difference([0, 0, 0], [1, 2, 3])
    assert (made.mean, made.p, made.pairs) == (2, 0.25, 3)
    assert 1 <= made.low < 2 < made.high <= 3


def test_equal_differences_need_no_resampling():
    assert difference([1.0] * 20, [3.0] * 20) == Difference(2.0, 2.0, 2.0, 2.0**-19, 20, 0.95)
    assert difference([1.0] * 20, [1.0] * 20) == Difference(0.0, 0.0, 0.0, 1.0, 20, 0.95)


def test_an_interval_needs_two_pairs():
    assert np.isnan([difference([1.0], [3.0]).low, difference([1.0], [3.0]).high]).all()
    two = difference([1.0, 1.0], [3.0, 3.0])
    assert (two.low, two.high, two.p) == (2, 2, 0.5)


def test_runs_without_the_number_do_not_count():
    made = difference([1.0, np.nan, 3, 4], [2.0, 5, np.nan, 7])
    assert (made.mean, made.pairs) == (2, 2)
    assert difference([np.nan], [1.0]).pairs == 0


def test_the_same_numbers_give_the_same_answer():
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=20), rng.normal(size=20)
    assert difference(first, second) == difference(first, second)


def test_many_measures_raise_each_p():
    """Benjamini and Hochberg: the k-th of n is multiplied by n/k, and none is below one before it."""
    made = [Difference(1, 0, 2, p, 20, 0.95) for p in (0.01, 0.04, 0.03, 0.5)]
    assert adjusted(made) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert adjusted([]) == []
