"""The scale on which a range has no ends, so that an interval need not be cut off at them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from claims.intervals.cluster_sums import Floats


@dataclass(frozen=True)
class Scale:
    """Of M statistics with the ranges [low, high] (M, 1).

    The logit of the share of the range that lies below, where it has two ends; the logarithm of the distance from its
    one end; the value itself where it has none. Ends are infinitely far away.
    """

    low: Floats
    high: Floats

    @classmethod
    def of(cls, low: float | Floats, high: float | Floats, statistics: int) -> Scale:
        """Of a range for each, or one for all."""
        ends = (np.broadcast_to(np.asarray(end, dtype=float), (statistics,))[:, None] for end in (low, high))
        return cls(*ends)

    @property
    def straight(self) -> NDArray[np.bool_]:
        """(M, 1), where values are left as they are."""
        return np.isneginf(self.low) & np.isposinf(self.high)

    def stretched(self, values: Floats) -> Floats:
        """Of values (M, ...) of the range; NaN outside of it."""
        with np.errstate(all="ignore"):
            both = logit((values - self.low) / (self.high - self.low))
            above, below = np.log(values - self.low), -np.log(self.high - values)
        return self._chosen(both, above, below, values)

    def shrunk(self, values: Floats) -> Floats:
        """Back to the range."""
        with np.errstate(all="ignore"):
            both = self.low + (self.high - self.low) * expit(values)
            above, below = self.low + np.exp(values), self.high - np.exp(-values)
        return self._chosen(both, above, below, values)

    def _chosen(self, both: Floats, above: Floats, below: Floats, neither: Floats) -> Floats:
        low, high = np.isfinite(self.low), np.isfinite(self.high)
        return np.where(low & high, both, np.where(low, above, np.where(high, below, neither)))
