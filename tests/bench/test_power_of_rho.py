"""Power of an agreement rho as the design check predicts it, beside how often intervals of drawn rankings come out so.

With --full the grid of docs/power.md, and its table; else a cell of it.
"""

from itertools import product
from math import sqrt

import numpy as np
from scipy.stats import t

from claims.instruments import catalogue
from claims.instruments.agreement_halves import bounds
from claims.intervals.jackknife_t import jackknife_t
from claims.power.agreement import groups
from claims.power.chances import chances
from claims.power.populations import Shape, population_of
from claims.power.study import Analysis
from claims.registration.model import Band, Threshold
from tests.bench.coverage.packs import measured
from tests.bench.coverage.rho import halves
from tests.bench.coverage.rho_populations import Population

RHO = catalogue()["attribution_patching_agreement"].MANIFEST.metric("rho.safety")
LEVEL = 0.95
ANALYSIS = Analysis("jackknife_t", LEVEL, None)
RANKINGS = (Population("normal", 0.9), Population("skewed", 0.7))
GRID = tuple(product(RANKINGS, (0.0, 0.3, 0.8), (8, 20)))
SLICE = (GRID[-1],)
NEAR_ONE = 0.8
POINTS, POINTS_NEAR_ONE = 0.05, 0.08  # by which predicted and counted shares may differ


def counted(rankings: Population, truth: float, n: int, studies: int) -> tuple[np.ndarray, float]:
    """Intervals (R, 2), and the sd of a unit: the root of the mean of the squares of what they are made from."""
    ((plain, one),) = halves((rankings, [truth], n, 1), np.random.default_rng(n), studies, jointly=True)
    intervals = np.asarray(measured(bounds([one], [plain], LEVEL)))
    lo, hi = jackknife_t(one.across / one.scale, one.without / one.scale[:, None], LEVEL).T
    errors = (hi - lo) / 2 / t.ppf((1 + LEVEL) / 2, groups(n) - 1)
    return intervals, float(np.sqrt(np.nanmean(errors**2) * n))


def predictions(truth: float, error: float) -> list[Threshold | Band]:
    """Thresholds some standard errors on either side of the truth, and bands around it, as far as a rho can lie."""
    beyond = [
        Threshold(op=op, value=truth - sign * away * error)
        for op, sign in ((">", 1), ("<", -1))
        for away in (-2.5, 0, 1, 2, 3, 4)
    ]
    bands = [
        Band(op=op, low=truth - width * error, high=truth + width * error)
        for op in ("within", "outside")
        for width in (2, 3.5, 5)
    ]
    return [one for one in beyond if abs(one.value) < 1] + [one for one in bands if one.low > -1 and one.high < 1]


def test_predicted_power_is_what_drawn_rankings_have(full):
    off = []
    for rankings, truth, n in GRID if full else SLICE:
        studies = 2000 if full else 300
        intervals, sd = counted(rankings, truth, n, studies)
        population = population_of(truth, sd, RHO, ANALYSIS.method, Shape(reliability=rankings.reliability, n=n))
        model = ANALYSIS.bounds(population, truth, n)
        differences, shown = [], []
        for predict in predictions(truth, sd / sqrt(n)):
            pair = chances(model, predict), chances(intervals, predict)
            for name in ("confirmed", "refuted", "inconclusive"):
                predicted, share = (getattr(one, name) for one in pair)
                differences.append((abs(predicted - share), share))
            if getattr(predict, "op", "") == ">":
                shown.append(f"{pair[0].confirmed:.0%} {pair[1].confirmed:.0%}")
        points = POINTS_NEAR_ONE if truth >= NEAR_ONE else POINTS
        off += [
            (rankings.name, truth, n, difference)
            for difference, share in differences
            if difference > points + (0 if full else 3 * sqrt(share * (1 - share) / studies))
        ]
        name, worst = f"rho {truth:g} {rankings.name} n={n}", 100 * max(differences)[0]
        print(f"| {name} | {population.kind} | {' | '.join(shown[-5:])} | {worst:.1f} |", flush=True)
    assert off == []
