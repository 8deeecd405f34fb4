"""Every scenario, by name, in the order of a campaign that may be cut short."""

from itertools import chain

from tests.bench.coverage import effect_sizes, lengths, means, organisms, ratios, shares

FAMILIES = (means, organisms, shares, effect_sizes, ratios, lengths)
SCENARIOS = {scenario.name: scenario for scenario in chain.from_iterable(family.scenarios() for family in FAMILIES)}
