"""Is a difference real? Paired differences over seeds: bootstrap intervals, and an exact test of signs.

Both variants of a pair get the same arrivals, so what differs between seeds cancels out in the difference of a pair.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
RESAMPLES = 9_999
FEW = 2
"""With fewer pairs there is no interval."""
_BATCH = 1_000_000


@dataclass(frozen=True)
class Difference:
    """The mean of the paired differences ``b - a``, and the interval that covers the true one with ``confidence``.

    ``pairs``: seeds for which both variants have the measure. ``low``, ``high``: NaN if there are too few pairs.
    ``p``: how often so large a difference, of either sign, would come about if the variants differed by chance only.
    """

    mean: float
    low: float
    high: float
    p: float
    pairs: int
    confidence: float

    @property
    def real(self) -> bool:
        """Whether chance explains it with a probability of at most ``1 - confidence``."""
        return self.p <= 1 - self.confidence + 1e-12


def difference(
    a: Sequence[float] | Floats, b: Sequence[float] | Floats, confidence: float = 0.95, resamples: int = RESAMPLES
) -> Difference:
    """Compare two variants, seed by seed.

    The interval is SciPy's bias-corrected and accelerated bootstrap of the mean (Efron 1987); ``p`` is the permutation
    test that flips the sign of each pair: exact if there are at most ``resamples`` flips, else with so many random
    ones. Pairs with a NaN do not count. The same numbers give the same answer.
    """
    from scipy import stats  # takes half a second

    pairs = np.asarray(b, np.float64) - np.asarray(a, np.float64)
    pairs = pairs[~np.isnan(pairs)]
    if not len(pairs):
        return Difference(np.nan, np.nan, np.nan, 1.0, 0, confidence)
    mean = float(pairs.mean())
    if np.ptp(pairs) == 0:  # nothing to resample
        p = 1.0 if mean == 0 else min(1.0, 2.0 ** (1 - len(pairs)))
        low = high = mean if len(pairs) >= FEW else np.nan
        return Difference(mean, low, high, p, len(pairs), confidence)
    batch = max(_BATCH // len(pairs), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        interval = stats.bootstrap(
            (pairs,), np.mean, confidence_level=confidence, n_resamples=resamples, batch=batch, method="BCa", rng=_rng()
        ).confidence_interval
    test = stats.permutation_test(
        (pairs,), np.mean, permutation_type="samples", vectorized=True, n_resamples=resamples, batch=batch, rng=_rng()
    )
    return Difference(mean, float(interval.low), float(interval.high), float(test.pvalue), len(pairs), confidence)


def adjusted(differences: Sequence[Difference]) -> list[float]:
    """The p of each, as one of so many (Benjamini and Hochberg 1995): of those called real, the share of false ones
    is then at most ``1 - confidence`` on average.
    """
    from scipy import stats

    return list(map(float, stats.false_discovery_control([each.p for each in differences]))) if differences else []


def _rng() -> np.random.Generator:
    return np.random.default_rng(20231)
