"""Student's interval for a mean of independent values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from claims.intervals.spread import differ


def student_t(values: Sequence[float], level: float, low: float, high: float) -> tuple[float, float, float]:
    """The mean, and its interval mean ± t s / sqrt(n), s with n - 1 degrees of freedom, equal-tailed at `level`.

    Bounds are clipped to [low, high], the range of the values. Values that are all equal, but for rounding,
    give an interval of no width. Raises ValueError for fewer than two.
    """
    sample = np.asarray(values, dtype=float)
    n = len(sample)
    if n < 2:  # noqa: PLR2004  # one value has no spread
        raise ValueError("an interval needs at least two values")
    if not differ(sample, low, high):
        return float(sample[0]), float(sample[0]), float(sample[0])
    mean = float(sample.mean())
    half = float(t.ppf((1 + level) / 2, n - 1) * sample.std(ddof=1) / np.sqrt(n))
    return mean, max(low, mean - half), min(high, mean + half)
