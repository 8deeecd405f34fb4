"""How often simulated intervals confirm, refute or leave open: the rule of `claims.verdict.regions`, of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from claims.intervals.cluster_sums import Floats
from claims.registration.model import Prediction, Threshold
from claims.verdict.regions import bounds

Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Chances:
    """Shares of `replicates` simulated studies; `void` are those whose interval is none, or has no width."""

    confirmed: float
    refuted: float
    inconclusive: float
    void: float
    replicates: int

    def error(self, share: float) -> float:
        """The Monte Carlo standard error of one of the shares."""
        return sqrt(share * (1 - share) / self.replicates)


def chances(intervals: Floats, predict: Prediction) -> Chances:
    """What intervals (R, 2) say of `predict`."""
    lo, hi = intervals.T
    with np.errstate(invalid="ignore"):
        sound = np.isfinite(lo) & np.isfinite(hi) & (lo < hi)
        confirmed, refuted = (part & sound for part in _regions(lo, hi, predict))
    return Chances(
        confirmed=float(confirmed.mean()),
        refuted=float(refuted.mean()),
        inconclusive=float((sound & ~confirmed & ~refuted).mean()),
        void=float((~sound).mean()),
        replicates=len(intervals),
    )


def _regions(lo: Floats, hi: Floats, predict: Prediction) -> tuple[Truths, Truths]:
    if isinstance(predict, Threshold):
        value = predict.value
        return {
            ">": (lo > value, hi <= value),
            ">=": (lo >= value, hi < value),
            "<": (hi < value, lo >= value),
            "<=": (hi <= value, lo > value),
        }[predict.op]
    low, high = bounds(predict)
    inside, apart = (lo >= low) & (hi <= high), (hi < low) | (lo > high)
    return (apart, inside) if predict.op == "outside" else (inside, apart)
