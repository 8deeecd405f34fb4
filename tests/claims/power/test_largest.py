"""The largest |g| of several dimensions, beside the interval that the bias battery has for it."""

import numpy as np
import pytest
from scipy.stats import t

from claims.instruments.bias_statistics import correction
from claims.power.chances import chances
from claims.power.largest import Largest
from claims.power.population import MANY
from claims.power.unit_normal import of_one
from claims.registration.model import Threshold

LEVEL, STUDIES = 0.95, 4000


def counted(truth, dimensions, n):
    """Intervals (R, 2) of normal pairs, each dimension's g and its jackknife error put down here anew."""
    generator, tail = np.random.default_rng(8), (1 - LEVEL) / 2
    each, together = t.ppf(1 - tail, n - 1), t.ppf(1 - tail / 2 / dimensions, n - 1)
    bounds = np.zeros((2, STUDIES))
    for place in range(dimensions):
        rows = generator.normal(truth * (place == 0), 1, (STUDIES, n))
        values = _g(rows.sum(axis=1), (rows**2).sum(axis=1), n)
        left = _g(rows.sum(axis=1)[:, None] - rows, (rows**2).sum(axis=1)[:, None] - rows**2, n - 1)
        error = np.sqrt((n - 1) * left.var(axis=1))
        bounds = np.maximum(bounds, [abs(values) - together * error, abs(values) + each * error])
    return bounds.T


def _g(sums, squares, n):
    means = sums / n
    return correction(n - 1) * means / np.sqrt((squares - n * means**2) / (n - 1))


@pytest.mark.parametrize(("truth", "dimensions", "n"), [(0.6, 6, 15), (1.0, 12, 32), (0.6, 2, 32)])
def test_chances_are_those_of_intervals_over_all_dimensions(truth, dimensions, n):
    sd, intervals = of_one(truth), counted(truth, dimensions, n)
    model = Largest.like(truth, sd, dimensions).bounds(truth, LEVEL, n, STUDIES)
    for away in (-2, 1, 2, 3, 4):
        for op, sign in ((">", 1), ("<", -1)):
            predict = Threshold(op=op, value=truth - sign * away * sd / np.sqrt(n))
            for name in ("confirmed", "refuted"):
                predicted, share = (getattr(chances(one, predict), name) for one in (model, intervals))
                assert predicted == pytest.approx(share, abs=0.05), (op, away, name)


def test_of_one_dimension_alone_it_is_the_size_of_g():
    alone, several = (Largest.like(0.5, of_one(0.5), number).bounds(0.5, LEVEL, 50, 2000) for number in (1, 12))
    assert (alone[:, 0] >= several[:, 0]).mean() > 0.9
    assert (alone[:, 1] <= several[:, 1]).all()


def test_of_very_many_units_errors_are_as_small_as_so_many_make_them():
    population = Largest.like(0.5, of_one(0.5), 3)
    few, many = (population.bounds(0.5, LEVEL, n, 2000) for n in (MANY, 100 * MANY))
    widths = [np.median(np.ptp(found, axis=1)) for found in (few, many)]
    assert widths[1] == pytest.approx(widths[0] / 10, rel=0.02)


def test_what_is_read_off_a_chosen_component_is_not_drawn(prospect):
    """As a mean a largest share was predicted to be confirmed 37 points more often than it was."""
    found = prospect("chosen", {"op": ">", "value": 0.2}, 0.4, 0.1, 50)
    assert (found.chances, found.detectable, found.smallest_n) == (None, None, None)
    assert "a named one is" in found.note


def test_what_no_pairs_vary_by_is_not_drawn(prospect):
    assert Largest.like(0.5, 10.0, 3) is None
    found = prospect("largest", {"op": ">", "value": 0.2}, 0.5, 10.0, 50)
    assert found.chances is None
    assert found.note.startswith("not simulated")
    assert prospect("largest", {"op": ">", "value": 0.2}, 0.9, 1.2, 50).drawn_from == "largest"
