"""Kinds of studies of which power is predicted and counted, at the fewest units an interval takes and twice as many."""

from collections.abc import Callable
from functools import partial

from claims.instruments import catalogue
from tests.bench.power_lengths import length_effects, slopes
from tests.bench.power_ratios import first_shares, late_shares, relative_errors, sign_agreements
from tests.bench.power_studies import (
    PAIRS,
    Study,
    answers,
    aurocs,
    deltas,
    effects,
    exponential_aurocs,
    gaps,
    logarithmic_deltas,
    margins,
)
from tests.bench.power_uneven import uneven_answers, uneven_deltas

KINDS = (
    margins,
    *(partial(answers, right=right) for right in (0.6, 0.9)),
    *(
        partial(aurocs, separation=separation, method=method)
        for method in ("delong", "jackknife_t")
        for separation in (0.5, 1.5)
    ),
    *(partial(aurocs, separation=1.0, method=method, tied=0.6) for method in ("delong", "jackknife_t")),
    *(partial(exponential_aurocs, times=4.0, method=method) for method in ("delong", "jackknife_t")),
    gaps,
    *(
        partial(deltas, method=method, skewness=skewness)
        for method in ("studentised_bootstrap", "bca", "percentile")
        for skewness in (0.0, 1.0, -1.0)
    ),
    *(partial(logarithmic_deltas, method=method) for method in ("studentised_bootstrap", "bca", "percentile")),
    *(partial(effects, method=method) for method in ("jackknife_t", "bca", "percentile")),
    partial(effects, method="jackknife_t", value=1.5),
    partial(effects, method="jackknife_t", pairs=PAIRS, between=0.2),
    *(
        partial(slopes, method=method, lengths=lengths)
        for method in ("jackknife_t", "studentised_bootstrap", "bca", "percentile")
        for lengths in ("normal", "skewed")
    ),
    *(partial(length_effects, method=method) for method in ("jackknife_t", "percentile")),
    partial(length_effects, method="jackknife_t", lengths="skewed"),
    relative_errors,
    sign_agreements,
    first_shares,
    late_shares,
    *(partial(uneven_deltas, method=method) for method in ("studentised_bootstrap", "bca", "percentile")),
    *(partial(uneven_answers, right=right) for right in (0.6, 0.9)),
)


def at_its_fewest(kind: Callable[[int], Study], times: int = 1) -> Study:
    """The study at the fewest units that its interval takes, or so many times as many."""
    one = kind(100)
    return kind(times * catalogue()[one.instrument].MANIFEST.fewest(one.method, one.metric))


GRID = [at_its_fewest(kind, times) for kind in KINDS for times in (1, 2)]
# With how many whole studies of each; those that were once simulated as what they are not, with more.
SLICE = {
    at_its_fewest(partial(answers, right=0.6)): 40,
    at_its_fewest(gaps): 40,
    at_its_fewest(partial(aurocs, separation=1.5, method="jackknife_t")): 300,
    at_its_fewest(partial(aurocs, separation=1.5, method="delong")): 200,
    at_its_fewest(partial(effects, method="jackknife_t")): 200,
    at_its_fewest(partial(slopes, method="jackknife_t")): 600,
}
