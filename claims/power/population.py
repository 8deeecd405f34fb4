"""What one independent unit is drawn from when a study is simulated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import Literal

import numpy as np

from claims.instruments.manifest import Metric
from claims.intervals.cluster_sums import Floats
from claims.intervals.sample import Sample
from claims.power.samples import Samples
from claims.power.streams import drawing
from claims.registration.model import IntervalMethod

Kind = Literal["beta", "two_points", "normal", "gamma", "binormal", "unit_normal", "agreement", "largest", "slope"]
MANY = 400  # units, beyond which more only make every error smaller
_NEARLY = 0.999  # of the largest sd there can be: from here on a Beta is its two ends
_ALL_BUT_NORMAL = 1e-6  # a skewness that is nothing beside rounding


@dataclass(frozen=True)
class Population:
    """Values of one unit with standard deviation `sd`, within [low, high] unless `kind` is normal or gamma.

    A Beta on the range has its mean and `sd` (moments). Where `sd` is all that the range allows around the mean, units
    lie at its two ends alone, as right and wrong answers do, and the sd follows the mean. For another mean than `about`
    the sd of a Beta stays, as far as the range allows, or, where units are `shares` of some rows each, its part of the
    largest there can be, so that as many rows stay. Where no distribution on the range has them, or the range has no
    two ends, their mean is normal on the scale on which the range has none (`claims.intervals.scale`): its sd there is
    by the scale's slope (the delta method) at `about`, and stays the same for other values, as that of Fisher's z does.
    For correlations that scale is twice Fisher's. Where the range has no end at all and a `skewness` is assumed, units
    are a gamma, moved to the mean (Pearson's type III), which is turned round if it is negative.
    """

    kind: Kind
    sd: float
    low: float
    high: float
    about: float
    shares: bool = False
    skewness: float = 0.0

    @classmethod
    def around(
        cls, value: float, sd: float, metric: Metric, method: IntervalMethod, skewness: float = 0.0
    ) -> Population:
        """The distribution for a mean of `value`. Wilson's interval is of shares, and DeLong's of what is no mean."""
        if abs(skewness) > _ALL_BUT_NORMAL and takes_skewness(metric):
            return cls("gamma", sd, metric.low, metric.high, value, skewness=skewness)
        most, shares = largest_sd(value, metric.low, metric.high), method == "wilson"
        if not isfinite(most) or method == "delong" or (sd > most / _NEARLY and not shares):
            return cls("normal", sd, metric.low, metric.high, value)
        return cls("two_points" if sd > most * _NEARLY else "beta", sd, metric.low, metric.high, value, shares)

    @property
    def standard(self) -> bool:
        """Whether units about any value are the same ones, moved and stretched: so that they need be drawn but once."""
        return self.kind in {"normal", "gamma"}

    @property
    def rows_drawn(self) -> int:
        """To a unit."""
        return 1

    def sd_at(self, value: float) -> float:
        """In the metric's own unit, where the mean is `value`."""
        if self.standard:
            steeper = slope(self.low, self.high, value)
            return self.sd * slope(self.low, self.high, self.about) / steeper if isfinite(steeper) else 0.0
        most = largest_sd(value, self.low, self.high)
        if self.kind == "beta":
            return most * self.sd / largest_sd(self.about, self.low, self.high) if self.shares else min(self.sd, most)
        return most

    def rows_at(self, value: float) -> float:
        """As how many rows, each at an end of the range, a unit varies, where the mean is `value`: one at least."""
        sd = self.sd_at(value)
        ratio = largest_sd(value, self.low, self.high) / sd if sd else 1.0
        return max(1.0, ratio * ratio)

    def sample(self, value: float, replicates: int, n: int, part: int = 0) -> Sample:
        """As many samples at once, a `part` of all, of n units with mean `value`, within a range with two ends."""
        units = self.draw(value, replicates, n, part)
        # Wilson's interval knows no more of a share than its rows tell.
        return replace(Samples.over(units, range(n)), rows=n * self.rows_at(value))

    def draw(self, value: float, replicates: int, n: int, part: int = 0) -> Floats:
        """(replicates, n) units of such samples."""
        generator, sd, most = drawing(part), self.sd_at(value), largest_sd(value, self.low, self.high)
        width, share = self.high - self.low, (value - self.low) / (self.high - self.low)
        if self.kind == "two_points" or sd >= most * _NEARLY:
            return np.where(generator.random((replicates, n)) < share, self.high, self.low)
        ratio = width / sd
        weight = share * (1 - share) * ratio * ratio - 1
        if not isfinite(weight):  # an sd beyond what numbers tell apart
            return np.full((replicates, n), value)
        return self.low + width * generator.beta(share * weight, (1 - share) * weight, (replicates, n))


@dataclass(frozen=True)
class Estimates(Population, ABC):
    """What has intervals by a rule of its own: these are drawn, and not units for the registered method."""

    @abstractmethod
    def drawn(self, n: int) -> int:
        """How many units a study of n draws."""

    @abstractmethod
    def bounds(self, value: float, level: float, n: int, replicates: int) -> Floats:
        """(R, 2), intervals of studies of n units where the true value is this one."""


def takes_skewness(metric: Metric) -> bool:
    """Whether a skewness of its units can be assumed: of a mean over units, in a range that does not tell it."""
    return not metric.statistic and metric.low == -inf and metric.high == inf


def slope(low: float, high: float, value: float) -> float:
    """Of the scale on which the range [low, high] has no ends, at `value`: infinite at an end."""
    ends = [abs(value - end) for end in (low, high) if isfinite(end)]
    return sum(1 / room if room else inf for room in ends) if ends else 1.0


def largest_sd(value: float, low: float, high: float) -> float:
    """The most that anything within [low, high] can vary around a mean of `value` (Bhatia and Davis 2000)."""
    return sqrt(max(0.0, (value - low) * (high - value))) if isfinite(high - low) else inf
