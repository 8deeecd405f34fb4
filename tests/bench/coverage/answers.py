"""Intervals by an instrument's own function, which asks how many clusters are enough: here any number is."""

from types import SimpleNamespace

import numpy as np

from claims.evidence import Estimate
from claims.instruments.answers import Asked
from tests.bench.coverage.scenarios import LEVELS

OFFERED = SimpleNamespace(fewest=lambda method, metric: 2, intervals=("jackknife_t",))


def answered(answers):
    """Bounds (M, R, 2) of R replicates, `answers(rng, asked)` giving M answers of each; one that is none is NaN.

    Both levels are asked of the same replicates.
    """

    def bounds(methods, rng, replicates):
        seeds = rng.integers(2**63, size=replicates).tolist()
        return {
            (method, level): np.stack(
                [_of_one(answers, seed, Asked(OFFERED, method, level, None, lambda _: 0)) for seed in seeds], axis=1
            )
            for method in methods
            for level in LEVELS
        }

    return bounds


def _of_one(answers, seed, asked):
    found = answers(np.random.default_rng(seed), asked)
    return np.array([(one.lo, one.hi) if isinstance(one, Estimate) else (np.nan, np.nan) for one in found])
