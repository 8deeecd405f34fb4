"""Every interval that an instrument offers is one that docs/coverage.csv shows to hold from that number of units on."""

import pytest

from claims.instruments import catalogue
from tests.bench.coverage.campaign import read
from tests.bench.coverage.minimums import minimums
from tests.bench.coverage.page import PAGE
from tests.bench.coverage.statistics_of_metrics import SIMULATED

# What is counted over every cell measured has no error, and may stand beside what has one.
COUNTED = {("patch_grid", "unreachable_share")}


def offered():
    for name, instrument in catalogue().items():
        for method, fewest in instrument.MANIFEST.intervals.items():
            for metric, number in fewest.items():
                of = metric.partition(".")[0]
                if (name, of) not in COUNTED:
                    yield name, of, method, number


@pytest.fixture(scope="module")
def shown():
    return minimums(read())


@pytest.mark.parametrize(("instrument", "metric", "method", "number"), sorted(set(offered())))
def test_no_minimum_is_below_what_simulation_shows(shown, instrument, metric, method, number):
    for statistic in SIMULATED[instrument][metric]:
        found = shown.get((statistic, method))
        assert found is not None, f"{method} holds for {statistic} at no number of clusters that was simulated"
        assert number >= found, f"{method} holds for {statistic} from {found} clusters on"


def test_every_statistic_that_is_simulated_is_on_the_page():
    page = PAGE.read_text()
    for of_instrument in SIMULATED.values():
        for statistic in set().union(*of_instrument.values()):
            assert f"| `{statistic}`" in page or f", `{statistic}`" in page, statistic
