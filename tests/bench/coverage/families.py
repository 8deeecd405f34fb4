"""Every scenario, in the order of a campaign that may be cut short: what takes longest comes last."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from tests.bench.coverage import aurocs, effect_sizes, layers, lengths, means, organisms, ratios, rho, shares, tops
from tests.bench.coverage.packs import BOOTSTRAPS
from tests.bench.coverage.scenarios import Scenario

FAMILIES = (means, organisms, shares, ratios, effect_sizes, lengths, tops, rho, aurocs, layers)
MANY = 50
# By the jackknife: one call for each replicate.
SLOW = ("top_moves", "layer_of_mean", "auroc")
SLOWEST = "studentised_bootstrap"


def _in_parts(scenario: Scenario) -> Iterator[Scenario]:
    """By how long methods take: they are given the same draws, be it one after the other."""
    parts: dict[int, list[str]] = {}
    for method in scenario.methods:
        parts.setdefault(_slowness(scenario, method), []).append(method)
    for methods in parts.values():
        yield replace(scenario, methods=tuple(methods))


def _slowness(scenario: Scenario, method: str) -> int:
    if method not in BOOTSTRAPS:
        return 2 if scenario.metrics[0] in SLOW else 0
    return 1 if scenario.clusters <= MANY else 3 + (method == SLOWEST)


_ALL = chain.from_iterable(family.scenarios() for family in FAMILIES)
SCENARIOS = sorted(chain.from_iterable(map(_in_parts, _ALL)), key=lambda part: _slowness(part, part.methods[0]))
