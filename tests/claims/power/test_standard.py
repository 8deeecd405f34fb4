"""Units that are skewed, and the second order by which the means of very many of them are."""

import numpy as np
import pytest
from scipy.stats import gamma, skew

from claims.instruments.manifest import Metric
from claims.power.population import Population
from claims.power.samples import Samples
from claims.power.standard import around_many, standard_units
from claims.power.study import Analysis

SHIFT = Metric("shift", "any number")
GAP = Metric("gap", "a difference", low=-1, high=1)
MARGINAL = Metric("auroc", "of pairs", low=0, high=1, statistic="auroc")


@pytest.mark.parametrize("skewness", [-2.0, -0.5, 1.0, 4.0])
def test_units_have_the_skewness_that_is_assumed(skewness):
    units = standard_units(skewness, (400, 500))
    assert units.mean() == pytest.approx(0, abs=0.01)
    assert units.std() == pytest.approx(1, rel=0.03)
    assert skew(units, axis=None) == pytest.approx(skewness, rel=0.06)
    quantiles = gamma(4 / skewness**2).ppf([0.1, 0.5, 0.9])
    expected = np.sort(np.sign(skewness) * (quantiles - 4 / skewness**2) * abs(skewness) / 2)
    np.testing.assert_allclose(np.quantile(units, [0.1, 0.5, 0.9]), expected, atol=0.02)


def test_units_without_one_are_normal_as_they_are_with_next_to_none():
    np.testing.assert_allclose(
        np.quantile(standard_units(1e-5, (200, 500)), [0.025, 0.5, 0.975]), [-1.96, 0, 1.96], atol=0.03
    )
    assert Population.around(0.0, 1.0, SHIFT, "student_t", 1e-9).kind == "normal"


@pytest.mark.parametrize(("metric", "kind"), [(SHIFT, "gamma"), (GAP, "beta"), (MARGINAL, "beta")])
def test_only_of_means_whose_range_does_not_tell_it(metric, kind):
    assert Population.around(0.1, 0.2, metric, "student_t", 1.0).kind == kind


@pytest.mark.parametrize("skewness", [-1.0, 2.0])
@pytest.mark.parametrize("method", ["student_t", "percentile", "bca", "studentised_bootstrap"])
def test_intervals_around_many_lie_where_those_around_units_that_are_drawn_do(method, skewness):
    """How often either bound lies beyond a value some errors away, to Monte Carlo error and terms of third order."""
    n, resampled = 100, method != "student_t"
    replicates = 1000 if resampled else 4000

    def draw(replicates, n, part):
        return Samples.over(standard_units(skewness, (replicates, n), part), range(n))

    drawn = Analysis(method, 0.95, 999 if resampled else None).intervals(draw, replicates, n)
    many = around_many(method, 0.95, skewness, n, 20_000)
    for away in (-4, -3, -2, -1, 1, 2, 3, 4):
        for bound in (0, 1):
            shares = [float((found[:, bound] > away / np.sqrt(n)).mean()) for found in (drawn, many)]
            error = np.sqrt(max(shares[1] * (1 - shares[1]), 0.01) / replicates)
            assert shares[0] == pytest.approx(shares[1], abs=0.01 + 3.5 * error), (away, bound)
