"""What one hypothesis has to expect, beside an independent source and beside itself."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means
from claims.power.chances import chances
from claims.power.study import ENOUGH

ABOVE = {"op": ">", "value": 0.0}
OPS = {">": 1, ">=": 1, "<": -1, "<=": -1}


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize(("effect", "n", "level"), [(0.3, 12, 0.95), (0.6, 24, 0.95), (0.4, 60, 0.99), (0.1, 900, 0.9)])
def test_power_and_what_follows_from_it_agree_with_statsmodels(prospect, op, effect, n, level):
    sd, theirs, alpha = 2.5, TTestPower(), (1 - level) / 2
    found = prospect("shift", {"op": op, "value": 1}, 1 + OPS[op] * effect * sd, sd, n, level=level)
    power = theirs.power(effect, n, alpha, alternative="larger")
    assert found.drawn_from == "normal"
    assert found.chances.confirmed == pytest.approx(power, abs=4 * found.chances.error(power) + 1e-3)
    detectable = theirs.solve_power(None, n, alpha, ENOUGH, alternative="larger") * sd
    assert found.detectable == pytest.approx(detectable, rel=0.04)
    needed = theirs.solve_power(effect, None, alpha, ENOUGH, alternative="larger")
    assert found.smallest_n == pytest.approx(needed, rel=0.08, abs=1)


@pytest.mark.parametrize(
    ("metric", "method"),
    [("shift", "percentile"), ("shift", "bca"), ("gap", "student_t"), ("gap", "studentised_bootstrap")],
)
def test_what_is_detectable_is_confirmed_as_often_as_it_says(prospect, metric, method):
    first = prospect(metric, ABOVE, 0.1, 0.2, method=method)
    again = prospect(metric, ABOVE, first.detectable, 0.2, method=method, searched=False)
    assert again.chances.confirmed == pytest.approx(ENOUGH, abs=0.04)
    enough = prospect(metric, ABOVE, 0.1, 0.2, first.smallest_n, method=method, searched=False)
    assert enough.chances.confirmed == pytest.approx(ENOUGH, abs=0.05)
    assert sum((enough.chances.confirmed, enough.chances.refuted, enough.chances.inconclusive)) == pytest.approx(1)


def test_what_should_be_refuted_counts_what_refutes(prospect):
    found = prospect("gap", ABOVE, -0.2, 0.2)
    assert found.target == "refuted"
    assert found.decided == found.chances.refuted > 0.9
    assert found.smallest_n < 24
    assert found.detectable > 0


def test_on_the_threshold_no_number_decides(prospect):
    found = prospect("gap", ABOVE, 0.0, 0.2)
    assert found.target is None
    assert found.smallest_n is None
    assert found.chances.confirmed == pytest.approx(0.025, abs=0.01)
    assert found.chances.refuted == pytest.approx(0.025, abs=0.01)


@pytest.mark.parametrize(
    ("predict", "value", "low", "high"),
    [
        ({"op": "within", "low": -0.2, "high": 0.2}, 0.1, 0.0, 0.2),
        ({"op": "within", "low": -0.2, "high": 0.2}, -0.1, -0.2, 0.0),
        ({"op": "equals", "value": 0.3, "tolerance": 0.2}, 0.3, 0.3, 0.5),
        ({"op": "within", "low": 0.3, "high": 1.0}, 0.6, 0.3, 1.0),
        ({"op": "outside", "low": -0.2, "high": 0.2}, 0.5, 0.2, 0.6),
        ({"op": "outside", "low": -0.2, "high": 0.2}, -0.5, -0.6, -0.2),
        ({"op": "outside", "low": -1.0, "high": 0.2}, -0.5, 0.2, 0.6),
    ],
)
def test_a_band_is_confirmed_from_some_way_inside_it_or_beyond_it(prospect, predict, value, low, high):
    found = prospect("gap", predict, value, 0.2)
    detected = found.aim.at(found.detectable)
    assert low < detected < high
    again = prospect("gap", predict, detected, 0.2, searched=False)
    assert again.chances.confirmed == pytest.approx(ENOUGH, abs=0.04)


def test_a_band_narrower_than_the_interval_is_all_but_never_confirmed(prospect):
    found = prospect("gap", {"op": "within", "low": -0.05, "high": 0.05}, 0.0, 0.2)
    assert found.searched
    assert found.detectable is None
    assert found.chances.confirmed < 0.001
    assert found.smallest_n > 100


def test_without_room_beyond_the_threshold_nothing_is_detectable(prospect):
    assert prospect("gap", {"op": ">", "value": 0.95}, 0.96, 0.2).detectable is None
    assert prospect("gap", {"op": "<", "value": -0.95}, -0.96, 0.2).detectable is None


def test_of_right_and_wrong_answers_many_studies_show_no_wrong_one_and_are_void(prospect):
    found = prospect("accuracy", {"op": ">", "value": 0.7}, 0.95, 0.218, n=12)
    assert found.drawn_from == "two_points"
    # Nor does the jackknife know an error where without one unit all are right.
    assert found.chances.void == pytest.approx(0.95**12 + 12 * 0.05 * 0.95**11, abs=0.03)
    assert prospect("accuracy", {"op": ">", "value": 0.7}, 0.95, 0.218, n=12, method="wilson").chances.void == 0


def test_a_cluster_of_several_right_and_wrong_answers_tells_more_of_a_share_than_one(prospect):
    found = prospect("accuracy", {"op": ">", "value": 0.75}, 0.8, (0.8 * 0.2 / 5) ** 0.5, n=60, method="wilson")
    draws = np.random.Generator(np.random.PCG64(5)).random((300, 300)) < 0.8
    sample = Means.over(draws.astype(float), np.repeat(np.arange(60), 5))
    counted = chances(by_cluster("wilson", sample, 0.95, None, 0, 0.0, 1.0), found.hypothesis.predict)
    assert 0.35 < counted.confirmed < 0.55
    assert found.chances.confirmed == pytest.approx(counted.confirmed, abs=3 * counted.error(counted.confirmed))


def test_where_no_mean_with_the_sd_is_as_low_as_the_threshold_it_varies_less(prospect):
    found = prospect("accuracy", {"op": ">", "value": 0.01}, 0.6, 0.4)
    assert 0.05 < found.aim.at(found.detectable) < 0.2  # 0.2 * 0.8 is the square of 0.4
    assert found.chances.confirmed == 1


def test_a_recorded_sd_gives_what_is_detectable_and_no_power(prospect):
    found, assumed = prospect("shift", ABOVE, sd=0.2), prospect("shift", ABOVE, 0.1, 0.2)
    assert found.detectable == assumed.detectable
    assert found.half_width == assumed.half_width
    assert (found.chances, found.assumed, found.smallest_n) == (None, None, None)
    assert "k3v9x2m8q4w7" in found.source


def test_nothing_known_nothing_said_but_what_to_state(prospect):
    told = prospect("shift", ABOVE).as_json()
    assert "assumptions" in told["note"]
    assert {name for name, value in told.items() if value is not None} == {"id", "metric", "n", "unit", "note"}
    assert "exact" in prospect("count", ABOVE, 3.0, 1.0).note
    assert prospect("shift", ABOVE, 0.1, 0.2, n=None).as_json()["power"] is None
