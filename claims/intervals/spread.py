"""Whether values differ at all, or by no more than rounding makes of equal ones."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import NDArray

# Some thousand times double precision: more than a few sums and differences of equal numbers come apart by.
ROUNDING = 1e-12


def differ(values: NDArray[np.float64], low: float, high: float) -> bool:
    """Whether `values` (n,) of the range [low, high] spread by more than rounding.

    What rounding can do is measured against the width of the range, or, where that is infinite, against the largest
    absolute value.
    """
    scale = high - low if isfinite(high - low) else float(np.abs(values).max())
    return float(np.ptp(values)) > ROUNDING * scale
