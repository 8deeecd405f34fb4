"""The delete-one jackknife by the plain formulas, beside which instruments' intervals are held."""

import numpy as np
from scipy import special, stats


def jackknifed(value, left_out, level, low=-np.inf, high=np.inf):
    """Student's interval of pseudo-values on the scale where the range has no ends, widened to hold the value.

    Of a range without ends it is around the value itself: its pseudo-values may have another mean.
    """
    to, back = _stretching(low, high)
    without = to(np.asarray(left_out, dtype=float))
    pseudo = len(without) * to(value) - (len(without) - 1) * without
    center = pseudo.mean() if np.isfinite([low, high]).any() else value
    lo, hi = back(np.array(stats.t.interval(level, len(without) - 1, center, stats.sem(pseudo))))
    return min(value, lo), max(value, hi)


def _stretching(low, high):
    if np.isfinite(low) and np.isfinite(high):
        return (
            lambda value: special.logit((value - low) / (high - low)),
            lambda value: low + (high - low) * special.expit(value),
        )
    if np.isfinite(low):
        return lambda value: np.log(value - low), lambda value: low + np.exp(value)
    return (lambda value: value,) * 2
