"""A rho between two noisy rankings, beside intervals that are made from rankings."""

from statistics import median

import numpy as np
import pytest

from claims.evidence import Estimate
from claims.instruments.agreement_halves import bounds
from claims.instruments.manifest import Metric
from claims.power.agreement import Agreement
from claims.power.chances import chances
from claims.power.recorded import sd_of
from claims.registration.model import Threshold
from tests.bench.coverage.packs import measured
from tests.bench.coverage.rho import halves
from tests.bench.coverage.rho_populations import Population

RHO = Metric("rho", "of two rankings", low=-1, high=1, statistic="agreement")
CLUSTERS, STUDIES = 20, 300
POINTS = 0.08  # and three Monte Carlo errors: at a rho of 0.8 widths are less like one another than the model's


def drawn(reliability, truth):
    """Intervals, and the rho of the rankings as they are, of as many studies."""
    of_one = (Population("normal", reliability), [truth], CLUSTERS, 1)
    plain, halved = zip(*halves(of_one, np.random.default_rng(5), STUDIES, jointly=True), strict=True)
    return plain[0], np.asarray(measured(bounds(halved, plain, 0.95)))


def estimated(value, interval):
    lo, hi = interval
    n = {"n": CLUSTERS, "n_effective": CLUSTERS, "unit": "cluster"}
    return Estimate(value=value, lo=lo, hi=hi, level=0.95, method="jackknife_t", **n)


@pytest.mark.parametrize(("reliability", "truth"), [(0.9, 0.0), (0.9, 0.8), (0.7, 0.3), (0.7, 0.8)])
def test_chances_are_those_of_intervals_that_rankings_have(reliability, truth):
    values, intervals = drawn(reliability, truth)
    found = [sd_of(estimated(float(value), two), RHO) for value, two in zip(values, intervals, strict=True)]
    sd = median(one for one in found if one is not None)
    model = Agreement("agreement", sd, -1, 1, truth, reliability=reliability).bounds(truth, 0.95, CLUSTERS, 20_000)
    for off in (-2, -1, 1, 2, 3):
        for op, threshold in ((">", truth - off * sd / np.sqrt(CLUSTERS)), ("<", truth + off * sd / np.sqrt(CLUSTERS))):
            if abs(threshold) >= 1:
                continue
            predict = Threshold(op=op, value=threshold)
            predicted, counted = chances(model, predict).confirmed, chances(intervals, predict).confirmed
            error = np.sqrt(max(predicted * (1 - predicted), 0.01) / STUDIES)
            assert predicted == pytest.approx(counted, abs=POINTS + 3 * error), (op, off)
