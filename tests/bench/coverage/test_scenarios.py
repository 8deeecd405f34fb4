"""Truths are what estimates are around."""

from itertools import chain

import numpy as np
import pytest

from tests.bench.coverage import aurocs, effect_sizes, layers, lengths, means, organisms, ratios, shares
from tests.bench.coverage.campaign import cells
from tests.bench.coverage.families import SCENARIOS
from tests.bench.coverage.scenarios import Scenario

MANY = 200
FAMILIES = (means, organisms, shares, ratios, effect_sizes, aurocs, lengths)


@pytest.mark.parametrize(
    "scenario",
    [one for one in chain.from_iterable(family.scenarios() for family in FAMILIES) if one.clusters == MANY],
    ids=Scenario.name.fget,
)
def test_the_middles_of_intervals_are_around_the_truth(scenario):
    """Of 200 clusters, where no bias is left to speak of: that of an AUROC is a two-hundredth of its distance to 1."""
    replicates = 12
    bounds = scenario.bounds(("jackknife_t",), np.random.default_rng(0), replicates)["jackknife_t", 0.95]
    middles, errors = bounds.mean(axis=-1).mean(axis=1), np.ptp(bounds, axis=-1).mean(axis=1) / 4 / np.sqrt(replicates)
    for metric, truth, middle, error in zip(scenario.metrics, scenario.truths, middles, errors, strict=True):
        assert middle == pytest.approx(truth, abs=4 * error + 0.002), metric


@pytest.mark.parametrize("curve", layers.CURVES)
@pytest.mark.parametrize("distribution", ["normal", "skewed"])
def test_layers_are_where_the_population_crosses(curve, distribution):
    margin = layers.margins(curve, distribution, (20_000, 1), np.random.default_rng(0))[:, 0]
    final = margin[:, -1:]
    crossed = np.sign(final) * margin >= np.abs(final) / 2
    shares = (crossed.argmax(axis=1)[:, None] <= np.arange(len(curve))).mean(axis=0)
    of_mean, of_median = layers.CURVES[curve]
    assert np.argmax(np.array(curve) >= 0.5) - 1 == of_mean
    assert np.argmax(shares >= 0.5) - 1 == of_median
    assert np.abs(shares - 0.5).min() > 0.01


def test_no_two_scenarios_are_of_the_same_cells():
    of_each = list(chain.from_iterable(map(cells, SCENARIOS)))
    assert len(set(of_each)) == len(of_each)
