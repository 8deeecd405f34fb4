"""The closed form of a mean's error is what leaving units out gives."""

import numpy as np
import pytest
from scipy import stats

from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import draws
from claims.intervals.means import Means
from claims.power.samples import Samples

UNITS = np.random.default_rng(1).normal(3, 1, (5, 12))


def test_the_error_within_a_resample_is_the_jackknifes():
    counts = next(draws(12, 30, 7, 60))
    samples, plain = Samples.over(UNITS, range(12)), Means.over(UNITS, range(12))
    np.testing.assert_allclose(samples.errors_of(counts), plain.errors_of(counts))
    np.testing.assert_allclose(samples.of(counts), plain.of(counts))


@pytest.mark.parametrize("method", ["percentile", "bca", "studentised_bootstrap"])
def test_many_samples_have_the_intervals_that_each_would_have_alone(method):
    together = by_cluster(method, Samples.over(UNITS, range(12)), 0.95, 999, 3)
    alone = [by_cluster(method, Means.over(row[None], range(12)), 0.95, 999, 3)[0] for row in UNITS]
    np.testing.assert_allclose(together, alone)


def test_of_a_mean_the_intervals_of_student_and_the_jackknife_are_one():
    for method in ("student_t", "jackknife_t"):
        found = by_cluster(method, Samples.over(UNITS, range(12)), 0.9, None, 0)
        np.testing.assert_allclose(found, [stats.t.interval(0.9, 11, row.mean(), stats.sem(row)) for row in UNITS])
