"""Every scenario, in the order of a campaign that may be cut short: what takes longest comes last."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from tests.bench.coverage import aurocs, effect_sizes, lengths, means, organisms, ratios, shares
from tests.bench.coverage.scenarios import Scenario

FAMILIES = (means, organisms, shares, effect_sizes, aurocs, ratios, lengths)
MANY = 50
SLOWEST = "studentised_bootstrap"


def _in_parts(scenario: Scenario) -> Iterator[Scenario]:
    """Of many clusters, apart from the slowest method."""
    others = tuple(method for method in scenario.methods if method != SLOWEST)
    if scenario.clusters <= MANY or len(others) == len(scenario.methods):
        yield scenario
    else:
        yield replace(scenario, methods=others)
        yield replace(scenario, methods=(SLOWEST,))


def _slowness(scenario: Scenario) -> int:
    return (scenario.clusters > MANY) * (1 + (scenario.methods == (SLOWEST,)))


_ALL = chain.from_iterable(family.scenarios() for family in FAMILIES)
SCENARIOS = sorted(chain.from_iterable(map(_in_parts, _ALL)), key=_slowness)
