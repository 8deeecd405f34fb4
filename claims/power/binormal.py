"""Pairs of texts whose scores are drawn, so that they are told apart as well, and as surely, as is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, owens_t

from claims.intervals.cluster_sums import Floats
from claims.intervals.sample import Sample
from claims.power.population import Population
from claims.power.scored_pairs import Studies
from claims.power.streams import drawing

_NEARLY_ALL = 1e-9  # of an AUROC of 0 or 1, which no normal scores have
MOST_PAIRS = 8  # to a unit; an sd so small that there would have to be more is not looked into


@dataclass(frozen=True)
class Binormal(Population):
    """Units of `pairs` pairs, whose scores are normal with sd 1, the chosen texts' higher by so much as makes an AUROC.

    `correlation` is that within a pair, the same whatever the AUROC.
    """

    correlation: float = 0.0
    pairs: int = 1

    @classmethod
    def like(cls, value: float, sd: float) -> Binormal | None:
        """With the fewest pairs to a unit, and the correlation, that have this sd; None where there are none."""
        least, most = (float(spread(value, end)) for end in (1.0, -1.0))
        pairs = max(1, ceil((least / sd) ** 2)) if sd * MOST_PAIRS > least else MOST_PAIRS + 1
        if pairs > MOST_PAIRS or not 0 < sd <= most:
            return None
        of_pairs = sd * sqrt(pairs)
        if of_pairs >= most:
            return cls("binormal", sd, 0.0, 1.0, value, correlation=-1.0, pairs=pairs)
        correlation = 1.0 if of_pairs <= least else float(brentq(lambda tie: spread(value, tie) - of_pairs, -1.0, 1.0))
        return cls("binormal", sd, 0.0, 1.0, value, correlation=correlation, pairs=pairs)

    @property
    def rows_drawn(self) -> int:
        return self.pairs

    def sd_at(self, value: float) -> float:
        return spread(value, self.correlation) / sqrt(self.pairs)

    def sample(self, value: float, replicates: int, n: int, part: int = 0) -> Sample:
        return Studies.of_scores(self.scores(value, replicates, n, part))

    def scores(self, value: float, replicates: int, n: int, part: int = 0) -> Floats:
        """(replicates, 2, n, pairs): of chosen texts, then of rejected ones."""
        both = drawing(part).standard_normal((replicates, 2, n, self.pairs))
        both[:, 1] = self.correlation * both[:, 0] + sqrt(1 - self.correlation**2) * both[:, 1]
        both[:, 0] += sqrt(2) * ndtri(np.clip(value, _NEARLY_ALL, 1 - _NEARLY_ALL))
        return both


def spread(value: float, correlation: float) -> float:
    """The sd of one pair: the error of an AUROC of `value` over many pairs, times the root of their number.

    The variances of both sides' placements and twice their covariance (Obuchowski 1997, eq. 4, for clusters of one
    pair), for normal scores of equal spread: each is the chance that two of them, correlated by a half or by minus half
    the correlation within a pair, both lie in order, less the AUROC's square.
    """
    end = float(ndtri(np.clip(value, _NEARLY_ALL, 1 - _NEARLY_ALL)))
    found = 2 * (_both_below(end, 0.5) + _both_below(end, -correlation / 2) - 2 * float(ndtr(end)) ** 2)
    return sqrt(max(found, 0.0))


def _both_below(end: float, correlation: float) -> float:
    """Of two standard normal values with that correlation (Owen 1956)."""
    return float(ndtr(end) - 2 * owens_t(end, sqrt((1 - correlation) / (1 + correlation))))
