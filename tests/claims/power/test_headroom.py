"""What is said to be out of reach is out of reach, whatever the sd."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.instruments.manifest import Metric
from claims.power import cautions
from claims.power.populations import population_of
from claims.power.study import ENOUGH, Analysis

METRICS = {
    "accuracy": Metric("accuracy", "a share", low=0, high=1),
    "gap": Metric("gap", "a difference", low=-1, high=1),
    "auroc": Metric("auroc", "of pairs", low=0, high=1, statistic="auroc"),
}
METHODS = {"accuracy": ("wilson", "jackknife_t"), "gap": ("student_t",), "auroc": ("delong",)}


@st.composite
def designs(draw):
    metric = draw(st.sampled_from(list(METRICS)))
    low, high = METRICS[metric].low, METRICS[metric].high
    edge, value = (low + draw(st.floats(0.02, 0.98)) * (high - low) for _ in range(2))
    most = np.sqrt((value - low) * (high - value))
    sd = most * draw(st.floats(0.01, 1) | st.floats(0.99, 1))
    predict = {"op": draw(st.sampled_from([">", "<"])), "value": edge}
    return metric, predict, value, sd, draw(st.sampled_from([12, 40])), draw(st.sampled_from(METHODS[metric]))


@settings(max_examples=12, deadline=None)
@given(designs())
def test_nothing_is_out_of_reach_where_some_value_is_confirmed(prospect, design):
    metric, predict, value, sd, n, method = design
    found = prospect(metric, predict, value, sd, n, method=method)
    if found.detectable is not None:
        return
    assert {"CEILING", "FLOOR"} & {warning["code"] for warning in cautions.of_prospects([found])}
    tried = [found.aim.edge + part * (found.aim.limit - found.aim.edge) for part in np.linspace(0.1, 1, 8)]
    population, analysis = population_of(value, sd, METRICS[metric], method), Analysis(method, 0.95, None)
    chances = [analysis.chances(population, at, n, found.hypothesis.predict, searching=True).confirmed for at in tried]
    assert max(chances) < ENOUGH + 0.05


@pytest.mark.parametrize("part", [0.9, 0.99, 0.998, 0.9989, 0.9991, 1.0])
def test_a_share_that_varies_nearly_as_much_as_it_can_is_not_at_its_ceiling(prospect, part):
    most = np.sqrt(0.8 * 0.2)
    found = prospect("accuracy", {"op": ">", "value": 0.7}, 0.8, part * most, 100, method="wilson")
    assert list(cautions.of_prospects([replace(found, chances=None)])) == []
    assert found.aim.at(found.detectable) == pytest.approx(0.82, abs=0.02)


def test_what_is_confirmed_near_the_end_of_the_range_but_not_at_it_is_found(prospect):
    found = prospect("accuracy", {"op": ">", "value": 0.7}, 0.75, 0.458, 12)  # at 1 all units are alike
    assert 0.9 < found.aim.at(found.detectable) < 1
