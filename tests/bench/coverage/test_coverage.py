"""How often each interval misses the truth, on either side.

With --full every scenario that docs/coverage.csv lacks is run with 10,000 replicates; delete the file to start anew. By
default a slice, of replicates that the campaign did not draw, is held to agree with what the file says.
"""

from dataclasses import replace

import numpy as np

from tests.bench.coverage.campaign import coverage, read, run
from tests.bench.coverage.families import SCENARIOS
from tests.bench.coverage.tables import write_tables

SLICE = 300
OF_SLICE = (
    "mean=0.5 skewed 20 clusters of 1",
    "mean=0.5 discrete 8 clusters of 5",
    "standardised_mean=0.5 skewed 12 clusters of 1",
    "organism_auroc=0.9 organisms 10 clusters of 1",
    "share_of_units=0.8 binary 20 clusters of 5",
    "magnitude_share=0.2 magnitude_ratio=0.333333 ratio=0.3 normal 10 clusters of 1",
)


def test_each_tail_of_each_interval(full):
    if full:
        run(SCENARIOS)
        write_tables(read())
    published = {line.cell: line for line in read()}
    for scenario in (scenario for scenario in SCENARIOS if scenario.name in OF_SLICE):
        for line in coverage(scenario, SLICE, salt=1):
            assert agree(line, published[line.cell]), (line, published[line.cell])


def test_the_slice_is_of_scenarios_that_there_are():
    assert set(OF_SLICE) <= {scenario.name for scenario in SCENARIOS}


def test_a_wrong_interval_would_be_seen():
    """Of a width a quarter too small."""
    sound = next(scenario for scenario in SCENARIOS if scenario.name == OF_SLICE[0])

    def narrow(*drawn):
        found = sound.bounds(*drawn)
        middles = {key: bounds.mean(axis=-1, keepdims=True) for key, bounds in found.items()}
        return {key: middles[key] + 0.75 * (bounds - middles[key]) for key, bounds in found.items()}

    published = {line.cell: line for line in read()}
    wrong = coverage(replace(sound, bounds=narrow), SLICE, salt=1)
    assert not any(agree(line, published[line.cell]) for line in wrong)


def agree(line, published):
    """Whether every two shares of one chance differ by at most 4 Monte Carlo errors."""
    pairs = np.array([(getattr(line, name), getattr(published, name)) for name in ("below", "above", "none")])
    chance = np.maximum(pairs[:, 1], 1 / line.replicates)
    errors = np.sqrt(chance * (1 - chance) * (1 / line.replicates + 1 / published.replicates))
    return bool((np.abs(pairs[:, 0] - pairs[:, 1]) <= 4 * errors).all())
