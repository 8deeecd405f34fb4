"""What one independent unit is drawn from when a study is simulated."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Literal

import numpy as np

from claims.instruments.manifest import Metric
from claims.intervals.cluster_sums import Floats
from claims.registration.model import IntervalMethod

SEED = 20261201  # of everything the design check draws: the same document and ledger give the same answer
Kind = Literal["beta", "two_points", "normal"]
_NEARLY = 0.999  # of the largest sd there can be: from here on a Beta is its two ends


@dataclass(frozen=True)
class Population:
    """Values of one unit with standard deviation `sd`, within [low, high] unless `kind` is normal.

    A Beta on the range has its mean and `sd` (moments). Where `sd` is all that the range allows around the mean, units
    lie at its two ends alone, as right and wrong answers do, and the sd follows the mean. Where no distribution on
    the range has them, or the range has no two ends, their mean is normal on the scale on which the range has none
    (`claims.intervals.scale`): its sd there is by the scale's slope (the delta method) at `about`, and stays the same
    for other values, as that of Fisher's z does. For correlations that scale is twice Fisher's.
    """

    kind: Kind
    sd: float
    low: float
    high: float
    about: float

    @classmethod
    def around(cls, value: float, sd: float, metric: Metric, method: IntervalMethod) -> Population:
        """The distribution for a mean of `value`. Wilson's interval is of shares, and DeLong's of what is no mean."""
        most = largest_sd(value, metric.low, metric.high)
        if not isfinite(most) or method == "delong" or (sd > most / _NEARLY and method != "wilson"):
            return cls("normal", sd, metric.low, metric.high, value)
        return cls("two_points" if sd > most * _NEARLY else "beta", sd, metric.low, metric.high, value)

    def sd_at(self, value: float) -> float:
        """In the metric's own unit, where the mean is `value`."""
        if self.kind == "normal":
            steeper = slope(self.low, self.high, value)
            return self.sd * slope(self.low, self.high, self.about) / steeper if isfinite(steeper) else 0.0
        return largest_sd(value, self.low, self.high) if self.kind == "two_points" else self.sd

    def rows_at(self, value: float) -> float:
        """As how many rows, each at an end of the range, a unit varies, where the mean is `value`: one at least."""
        sd = self.sd_at(value)
        ratio = largest_sd(value, self.low, self.high) / sd if sd else 1.0
        return max(1.0, ratio * ratio)

    def ends(self) -> tuple[float, float]:
        """Between which values the mean can lie, with this sd."""
        if self.kind != "beta":
            return self.low, self.high
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        room = sqrt(half**2 - (self.sd / _NEARLY) ** 2)
        return middle - room, middle + room

    def draw(self, value: float, replicates: int, n: int) -> Floats:
        """(replicates, n) units with mean `value`, which lies within `ends`; of a range with two ends."""
        generator = np.random.Generator(np.random.PCG64(SEED))
        width, share = self.high - self.low, (value - self.low) / (self.high - self.low)
        ratio = width / self.sd
        weight = share * (1 - share) * ratio * ratio - 1
        if self.kind == "two_points" or not weight > 0:  # at the very end, where a Beta comes to the same
            return np.where(generator.random((replicates, n)) < share, self.high, self.low)
        if not isfinite(weight):  # an sd beyond what numbers tell apart
            return np.full((replicates, n), value)
        return self.low + width * generator.beta(share * weight, (1 - share) * weight, (replicates, n))


def slope(low: float, high: float, value: float) -> float:
    """Of the scale on which the range [low, high] has no ends, at `value`: infinite at an end."""
    ends = [abs(value - end) for end in (low, high) if isfinite(end)]
    return sum(1 / room if room else inf for room in ends) if ends else 1.0


def largest_sd(value: float, low: float, high: float) -> float:
    """The most that anything within [low, high] can vary around a mean of `value` (Bhatia and Davis 2000)."""
    return sqrt(max(0.0, (value - low) * (high - value))) if isfinite(high - low) else inf
