"""Whether attribution and patching rank a reward model's components alike.

What is measured, and how it is estimated: docs/instruments/attribution_patching_agreement.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from claims.evidence import Estimate, Estimated
from claims.instruments.agreement_controls import RELIABLE, SMALLEST, reliabilities, shuffled_rho, undecidable
from claims.instruments.agreement_counts import counts, first_by_attribution
from claims.instruments.agreement_estimates import Agreement
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import Asked
from claims.instruments.calibrated_rankings import ATTRIBUTION, PATCHING
from claims.instruments.grid import grids
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import RANK_AGREEMENT, RATIO, by_metric
from claims.instruments.pair_blocks import MODEL_KINDS, plan
from claims.instruments.params import completed
from claims.instruments.patching_cost import cost_of_patching
from claims.instruments.patching_params import patching
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

METHODS = ("attribution", "patching")
PULLED = (
    "Noise in the means pulls rho towards 0. The interval allows for that, well enough where both rankings have a "
    f"split-half reliability of at least {RELIABLE} in every dimension it is about; where one has less, only a "
    "threshold of 0 is decided, and with any other the verdict is void."
)
SHUFFLED = (
    "negative control: the mean rho once it is drawn which component each of patching's means is of; about 0, give or "
    "take 1 / sqrt(dimensions * (components - 1))"
)

PARAMS: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "rank_by": {
                "enum": ["abs", "signed", "signed_signed"],
                "default": "abs",
                "description": (
                    "abs: mean |differential| against mean |effect|; signed: mean differential against mean |effect|; "
                    "signed_signed: mean differential against mean effect."
                ),
            },
            **patching(heads=True, both=False),
        },
    }
)

MANIFEST = Manifest(
    name="attribution_patching_agreement",
    version="1",
    title="Agreement of attribution and patching",
    summary=(
        "Attribution (direct linear, frozen_norm) and patching each rank a reward model's attention layers and MLPs, "
        "or its heads, on preference pairs; per dimension, Spearman's rho says how far the rankings agree. Components "
        "are fixed, pairs are sampled: intervals are jackknife-t over clusters, joint over dimensions. What is "
        "attributed and never patched (the embedding; MLPs where heads are ranked) is in neither ranking; cells whose "
        "patch cannot reach the score, or replaces a value by itself, are counted and left out of both. Sampling "
        "noise in the means pulls rho towards zero: the value is that of the rankings as they are, the interval that "
        "of rankings without noise, which rankings of disjoint halves of the clusters tell of, widened to hold the "
        f"value. A threshold other than 0 needs split-half reliabilities of {RELIABLE}."
    ),
    params=PARAMS,
    metrics=(
        Metric(
            "rho.<dimension>",
            "Spearman's rho between the two rankings of components",
            low=-1,
            high=1,
            pulled_to_zero=PULLED,
            statistic="agreement",
        ),
        Metric(
            "mean_rho", "the mean of rho over dimensions", low=-1, high=1, pulled_to_zero=PULLED, statistic="agreement"
        ),
        Metric(
            "negative_dimensions",
            "how many dimensions have a rho below 0; where every dimension's sign is certain, so is the number",
            unit="dimensions",
            low=0,
            limit="dimensions",
            integer=True,
            exact=True,
        ),
        Metric(
            "top_attribution_moves.<dimension>",
            "|mean effect| of patching the component that ranks first by attribution",
            unit="of the mean margin",
            low=0,
        ),
        Metric(
            "reliability_attribution.<dimension>",
            "split-half reliability of attribution's ranking, over clusters",
            low=-1,
            high=1,
            diagnostic=True,
        ),
        Metric(
            "reliability_patching.<dimension>",
            "split-half reliability of patching's ranking, over clusters",
            low=-1,
            high=1,
            diagnostic=True,
        ),
        Metric("smallest_reliability", SMALLEST, low=-1, high=1, diagnostic=True),
        Metric("shuffled_rho", SHUFFLED, low=-1, high=1, diagnostic=True),
    ),
    gauge="invariant",
    access=("weights", "activations"),
    capabilities=("scores", "activations", "linear_readout"),
    model_kinds=MODEL_KINDS,
    dataset_kinds=("pairs",),
    sampling=("pairs",),
    unit="cluster",
    intervals=by_metric(
        {
            **dict.fromkeys(("rho.<dimension>", "mean_rho", "negative_dimensions"), RANK_AGREEMENT),
            "top_attribution_moves.<dimension>": RATIO,
        }
    ),
    calibrations=(ATTRIBUTION, PATCHING),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """For a small model of 4 layers on one core; a model's own size is known once it is loaded."""
    return cost_of_patching(registration, completed(PARAMS, registration.instrument.params), pairs_per_dimension)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric per dimension and over dimensions; what is undefined or has too few clusters is named.

    A metric that is registered with a threshold other than 0 is not measured where its rankings are too unreliable.
    """
    rank_by = completed(PARAMS, registration.instrument.params)["rank_by"]
    measured = {dimension: Ranked(grid, rank_by) for dimension, grid in grids(rows, by="dimension").items()}
    answers = Agreement(measured, Asked.by(registration, MANIFEST, seeds)).answers()
    estimates = {name: answer for name, answer in answers.items() if isinstance(answer, Estimate)}
    answers |= undecidable(measured, estimates, registration, METHODS, "rho", "mean_rho")
    checks = {**dict(reliabilities(measured, METHODS)), "shuffled_rho": shuffled_rho(measured, seeds)}
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics={name: check for name, check in checks.items() if isinstance(check, float)},
        not_measured={name: why for name, why in {**answers, **checks}.items() if isinstance(why, str)},
        counts={**counts(measured), **first_by_attribution(measured)},
    )
