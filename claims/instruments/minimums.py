"""From how many independent units each interval holds, by the kind of statistic that was simulated.

From there on each tail is missed by at most half of alpha, 0.75 points and 3 Monte Carlo errors: docs/statistics.md.
What is absent holds from no number of units that was simulated, or is not offered: instruments whose metrics are shares
and ratios have the jackknife alone, which holds for all of them from the fewest.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from claims.registration.model import IntervalMethod

Minimums = Mapping[IntervalMethod, int]

MEAN: Minimums = {"jackknife_t": 50, "studentised_bootstrap": 8, "bca": 50, "percentile": 200}
STANDARDISED_MEAN: Minimums = {"jackknife_t": 15, "bca": 30, "percentile": 200, "studentised_bootstrap": 200}
MEAN_AT_EQUAL_LENGTH: Minimums = {"jackknife_t": 200, "studentised_bootstrap": 20, "bca": 50, "percentile": 200}
LENGTH_SLOPE: Minimums = {"jackknife_t": 8, "studentised_bootstrap": 20, "bca": 100, "percentile": 50}
STANDARDISED_LENGTH_SLOPE: Minimums = {"jackknife_t": 100, "studentised_bootstrap": 100, "bca": 100, "percentile": 50}
SHARE: Minimums = {"wilson": 50}
SHARE_OF_CELLS: Minimums = {"jackknife_t": 8}
MEAN_OF_SHARES: Minimums = {"jackknife_t": 8}
AUROC: Minimums = {"jackknife_t": 8, "delong": 200}
RATIO: Minimums = {"jackknife_t": 8}
MAGNITUDE_RATIO: Minimums = {"jackknife_t": 8}
MAGNITUDE_SHARE: Minimums = {"jackknife_t": 8}
TOP_SHARE: Minimums = {"jackknife_t": 8}
TOP_MOVES: Minimums = {"jackknife_t": 8}
LAYER_OF_MEAN: Minimums = {"jackknife_t": 8}
LAYER_OF_MEDIAN: Minimums = {"jackknife_t": 8}
RANK_AGREEMENT: Minimums = {"jackknife_t": 8}
# Of a mean in a range without ends, skewed as far as 1, from how many clusters any of up to 20 hypotheses is falsely
# decided in about as many per cent as alpha: tails thinner than those of 95 % need more (docs/statistics.md).
MEAN_OF_SEVERAL: Minimums = {"jackknife_t": 200, "bca": 200, "studentised_bootstrap": 32}
# Over organisms no bootstrap is offered below 20, however few it would hold from.
ORGANISM_AUROC: Minimums = {"student_t": 8, "studentised_bootstrap": 30}
ORGANISM_GAP: Minimums = {"student_t": 15, "studentised_bootstrap": 30}
ORGANISM_SPEARMAN: Minimums = {"student_t": 8}

# What is counted over every cell measured, and estimated by nothing, may stand beside what is, whatever that is by.
COUNTED: Minimums = dict.fromkeys((*MEAN, "exact"), 1)

# Of metrics over all dimensions, those about every one of them by itself: the minimum is of the smallest one's units.
OF_EVERY_DIMENSION = frozenset({"negative_dimensions", "max_abs_effect_size"})


def by_metric(
    statistics: Mapping[str, Minimums], first: IntervalMethod = "jackknife_t"
) -> Mapping[IntervalMethod, Mapping[str, int]]:
    """What a manifest offers: by method the minimum of each metric, by its name in the manifest.

    The method that comes `first` is taken where nobody chose one.
    """
    offered: dict[IntervalMethod, dict[str, int]] = {first: {}}
    for metric, minimums in statistics.items():
        for method, fewest in minimums.items():
            offered.setdefault(method, {})[metric] = fewest
    return MappingProxyType(offered)
