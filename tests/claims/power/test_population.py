import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.instruments.manifest import Metric
from claims.power.population import Population
from claims.power.streams import SEED, drawing, resampling

GAP = Metric("gap", "a difference", low=-1, high=1)
SHIFT = Metric("shift", "any number")
ABOVE = Metric("error", "a size", low=0)
SHARE = Metric("share", "a share", low=0, high=1)


@settings(max_examples=30)
@given(st.floats(-0.95, 0.95), st.floats(0.05, 0.98))
def test_a_beta_has_the_mean_and_the_sd_that_are_assumed_within_the_range(value, part):
    sd = part * np.sqrt(1 - value**2)
    population = Population.around(value, sd, GAP, "student_t")
    drawn = population.draw(value, 200, 200)
    assert population.kind == "beta"
    assert drawn.min() >= -1
    assert drawn.max() <= 1
    assert drawn.mean() == pytest.approx(value, abs=5 * sd / 200)
    assert drawn.std() == pytest.approx(sd, rel=0.08)


def test_what_the_range_allows_no_more_than_lies_at_its_ends():
    population = Population.around(0.8, 0.4, SHARE, "student_t")
    drawn = population.draw(0.8, 100, 100)
    assert population.kind == "two_points"
    assert set(np.unique(drawn)) == {0.0, 1.0}
    assert drawn.mean() == pytest.approx(0.8, abs=0.02)
    assert population.sd_at(0.5) == 0.5


@pytest.mark.parametrize(
    ("value", "sd", "metric", "kind"),
    [
        (0.0, 3.0, SHIFT, "normal"),
        (0.0, 1.1, GAP, "normal"),
        (0.8, 0.5, SHARE, "normal"),
        (1.0, 0.1, GAP, "normal"),
        (0.0, 0.5, GAP, "beta"),
    ],
)
def test_a_normal_stands_where_nothing_on_the_range_could(value, sd, metric, kind):
    assert Population.around(value, sd, metric, "student_t").kind == kind


def test_what_is_no_mean_varies_as_fishers_z_says():
    rho = Population.around(0.2, 1.1, GAP, "student_t")
    assert rho.sd_at(0.2) == pytest.approx(1.1)
    assert rho.sd_at(-0.6) == pytest.approx(1.1 * (1 - 0.36) / (1 - 0.04))
    assert rho.sd_at(1.0) == 0
    assert Population.around(0.2, 1.1, SHIFT, "student_t").sd_at(5) == 1.1
    size = Population.around(2.0, 1.0, ABOVE, "student_t")  # above one end, in proportion
    assert size.sd_at(4.0) == pytest.approx(2.0)


def test_an_auroc_is_no_mean_of_units():
    assert Population.around(0.8, 0.1, SHARE, "delong").kind == "normal"


def test_a_share_is_never_normal():
    assert Population.around(0.8, 0.5, SHARE, "wilson").kind == "two_points"


def test_the_sd_stays_as_far_as_the_range_allows():
    population = Population.around(0.0, 0.6, GAP, "student_t")
    assert population.sd_at(0.7) == 0.6
    assert population.sd_at(0.9) == pytest.approx(np.sqrt(1 - 0.81))
    assert set(np.unique(population.draw(0.9, 20, 50))) == {-1.0, 1.0}


def test_a_share_keeps_the_rows_that_a_unit_is_of():
    population = Population.around(0.8, 0.1, SHARE, "wilson")
    assert population.rows_at(0.8) == population.rows_at(0.99) == pytest.approx(16)
    assert population.draw(0.99, 100, 100).std() == pytest.approx(np.sqrt(0.99 * 0.01 / 16), rel=0.05)


def test_units_and_what_draws_them_again_have_streams_of_their_own_for_every_part():
    seen = set(np.random.PCG64(SEED).random_raw(50))
    for part in range(3):
        for bits in (drawing(part).bit_generator, np.random.PCG64(resampling(part))):
            drawn = set(bits.random_raw(50))
            assert not drawn & seen
            seen |= drawn
    np.testing.assert_array_equal(*(drawing(1).bit_generator.random_raw(50) for _ in range(2)))


def test_the_same_is_drawn_again():
    population = Population.around(0.1, 0.2, GAP, "student_t")
    np.testing.assert_array_equal(population.draw(0.1, 5, 5), population.draw(0.1, 5, 5))
