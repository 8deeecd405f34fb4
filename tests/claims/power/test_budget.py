"""How many studies are simulated: what a whole check takes is bounded, whatever is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.instruments.manifest import Metric
from claims.power.budget import searched, studies
from claims.power.population import Population
from claims.power.study import Analysis

KINDS = st.sampled_from(["beta", "two_points", "unit_normal", "binormal"])
RESAMPLES = st.none() | st.integers(999, 4999)


@given(KINDS, st.integers(2, 400), RESAMPLES, st.integers(1, 100), st.booleans())
def test_more_hypotheses_and_more_units_are_simulated_less_often(kind, units, resamples, hypotheses, searching):
    found = studies(kind, units, resamples, hypotheses, searching=searching)
    assert 100 <= found <= (2000 if searching else 4000) // (1 if resamples is None else 2)
    assert studies(kind, units, resamples, hypotheses + 1, searching=searching) <= found
    assert studies(kind, units + 1, resamples, hypotheses, searching=searching) <= found


@pytest.mark.parametrize("level", [0.9, 0.95, 0.995, 0.998, 0.9995])
@pytest.mark.parametrize("hypotheses", [1, 6, 16, 40, 41, 100])
def test_a_whole_check_resamples_no_more_than_some_forty_million_values(level, hypotheses):
    analysis = Analysis("bca", level, 200_000, hypotheses)
    if (resamples := analysis.simulated_resamples) is None:
        return
    population = Population.around(0.5, 0.2, Metric("share", "a share", low=0, high=1), "bca")
    of_chances, of_step = (analysis.replicates(population, 200, searching=one) for one in (False, True))
    steps = 20 * searched(hypotheses, resamples)
    assert (hypotheses * of_chances + steps * of_step) * resamples < 45e6  # some 90 ns each


def test_where_units_are_drawn_again_very_often_less_is_searched_for():
    assert [searched(20, resamples) for resamples in (None, 999, 2000, 4999)] == [16, 6, 6, 2]
    assert searched(1, 999) == 1
