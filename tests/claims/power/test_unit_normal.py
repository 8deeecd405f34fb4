"""Hedges' g, of many studies at once, as the bias battery has it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.instruments.bias_statistics import axis_effects
from claims.instruments.manifest import Metric
from claims.power.populations import most_of, population_of
from claims.power.unit_normal import UnitNormal, of_one

G = Metric("effect_size", "Hedges' g", statistic="standardised_mean")


@settings(max_examples=15, deadline=None)
@given(st.floats(-2, 2), st.floats(0.3, 1.4))
def test_studies_have_the_effect_and_the_error_that_are_assumed(value, part):
    sd = part * of_one(value)
    population, n = UnitNormal.like(value, sd), 120
    found = population.sample(value, 1500, n).values()
    assert population.sd_at(value) == pytest.approx(sd)
    assert found.mean() == pytest.approx(value, abs=4 * sd / np.sqrt(1500 * n) + 0.01)
    assert found.std() * np.sqrt(n) == pytest.approx(sd, rel=0.1)


@pytest.mark.parametrize("sd", [0.4, 1.1, 1.3])
def test_it_is_the_bias_batterys(sd):
    sample = UnitNormal.like(0.5, sd).sample(0.5, 3, 10)
    for study, value in enumerate(sample.values()):
        rows, sums, squares = sample.sums[[0, 1 + study, 4 + study]].sum(axis=1)
        nothing = np.zeros_like(rows)
        moments = np.stack([rows, sums, squares, nothing, nothing, nothing])
        assert value == pytest.approx(axis_effects(moments, np.zeros(2))[1])


def test_another_effect_has_as_many_rows_to_a_unit_and_another_error():
    population = population_of(0.5, 0.5, G, "bca")
    assert population.kind == "unit_normal"
    assert population.rows == pytest.approx((1 + 0.125) / 0.25)
    assert population.sd_at(2.0) == pytest.approx(np.sqrt(3 / population.rows))


@pytest.mark.parametrize(("sd", "method"), [(3.0, "jackknife_t"), (1e-200, "jackknife_t"), (1.0, "delong")])
def test_a_normal_stands_where_no_units_could(sd, method):
    assert population_of(0.5, sd, G, method).kind == "normal"
    assert most_of(0.5, G) == np.inf
