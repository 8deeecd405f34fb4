"""How well gradient times activation difference estimates what exact patching measures, cell by cell.

What is measured, and how it is estimated: docs/instruments/attribution_patching.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from claims.evidence import Estimate, Estimated
from claims.instruments.agreement_controls import RELIABLE, SMALLEST, reliabilities, shuffled_rho, undecidable
from claims.instruments.agreement_counts import counts
from claims.instruments.agreement_estimates import mean_rho
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import Answer, Asked
from claims.instruments.gradient_error import GradientError
from claims.instruments.grid import grids
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import MAGNITUDE_RATIO, RANK_AGREEMENT, SHARE_OF_CELLS, by_metric
from claims.instruments.pair_blocks import MODEL_KINDS, plan
from claims.instruments.params import completed
from claims.instruments.patching_cost import cost_of_patching
from claims.instruments.patching_params import patching
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

METHODS = ("estimate", "exact")
NO_SIGN = "no cell where a patch could act has an exact effect other than 0"
RANK = (
    "Spearman's rho over components between mean |estimated effect| and mean |exact effect|: 1 where attribution "
    "patching ranks as patching does, 0 what a ranking that knows nothing gets"
)
PULLED = (
    "Noise in the means pulls rho towards 0 where it is each ranking's own, and towards 1 where pairs disturb both at "
    "once. The interval allows for that, well enough where both rankings have a split-half reliability of at least "
    f"{RELIABLE} in every dimension it is about; where one has less, only a threshold of 0 is decided, and with any "
    "other the verdict is void."
)
ERROR = (
    "sum of |estimated - exact effect| over sum of |exact effect|, over the cells where a patch could act: 0 where "
    "every estimate is right, 1 what estimating 0 everywhere gets"
)
SIGN = (
    "share of the cells with an exact effect other than 0 whose estimate has its sign: compare `majority_sign`, what "
    "always saying the more frequent sign gets"
)
MAJORITY = "share of the same cells that always saying the more frequent sign gets right"
RELIABILITY = "split-half reliability, over clusters, of the ranking by"
SHUFFLED = (
    "negative control: rank_agreement once it is drawn which component each mean exact effect is of; about 0, give or "
    "take 1 / sqrt(dimensions * (components - 1))"
)
PARAMS: Mapping[str, Any] = MappingProxyType(
    {"type": "object", "additionalProperties": False, "properties": dict(patching(heads=True, both=True))}
)

MANIFEST = Manifest(
    name="attribution_patching",
    version="1",
    title="Attribution patching, and its error",
    summary=(
        "Attribution patching estimates the effect of every patch from one gradient of the reward in the patched "
        "run: gradient times the difference of the component's output between the two runs, a first-order guess. "
        "Every cell is measured by exact patching as well, so what is reported is how wrong the guess is, by rank, by "
        "size and by sign, with jackknife-t intervals over clusters. That of rank agreement is of rankings without "
        f"noise, and a threshold of it other than 0 needs split-half reliabilities of {RELIABLE}. It is "
        "no substitute for patching, and no other instrument uses it in patching's place."
    ),
    params=PARAMS,
    metrics=(
        Metric("rank_agreement.<dimension>", RANK, low=-1, high=1, pulled_to_zero=PULLED, statistic="agreement"),
        Metric(
            "rank_agreement",
            f"the mean over dimensions of: {RANK}",
            low=-1,
            high=1,
            pulled_to_zero=PULLED,
            statistic="agreement",
        ),
        Metric("relative_error.<dimension>", ERROR, unit="of the exact effects", low=0),
        Metric("relative_error", f"in all dimensions together: {ERROR}", unit="of the exact effects", low=0),
        Metric("sign_agreement.<dimension>", SIGN, low=0, high=1),
        Metric("sign_agreement", f"in all dimensions together: {SIGN}", low=0, high=1),
        Metric("majority_sign.<dimension>", MAJORITY, low=0.5, high=1, diagnostic=True),
        Metric("majority_sign", f"in all dimensions together: {MAJORITY}", low=0.5, high=1, diagnostic=True),
        *(
            Metric(f"reliability_{method}.<dimension>", f"{RELIABILITY} {of}", low=-1, high=1, diagnostic=True)
            for method, of in zip(METHODS, ("mean |estimated effect|", "mean |exact effect|"), strict=True)
        ),
        Metric("smallest_reliability", SMALLEST, low=-1, high=1, diagnostic=True),
        Metric("shuffled_rank_agreement", SHUFFLED, low=-1, high=1, diagnostic=True),
    ),
    gauge="invariant",
    access=("weights", "activations", "gradients"),
    capabilities=("scores", "activations", "gradients"),
    model_kinds=MODEL_KINDS,
    dataset_kinds=("pairs",),
    sampling=("pairs",),
    unit="cluster",
    intervals=by_metric(
        {
            **dict.fromkeys(("rank_agreement.<dimension>", "rank_agreement"), RANK_AGREEMENT),
            **dict.fromkeys(("relative_error.<dimension>", "relative_error"), MAGNITUDE_RATIO),
            **dict.fromkeys(("sign_agreement.<dimension>", "sign_agreement"), SHARE_OF_CELLS),
        }
    ),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """For a small model of 4 layers on one core; a model's own size is known once it is loaded."""
    params = completed(PARAMS, registration.instrument.params)
    return cost_of_patching(registration, params, pairs_per_dimension, gradients=1)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric per dimension and over dimensions; what is undefined or has too few clusters is named.

    A rank agreement with a threshold other than 0 is not measured where its rankings are too unreliable.
    """
    asked = Asked.by(registration, MANIFEST, seeds)
    measured = {
        dimension: Ranked(grid, "abs") for dimension, grid in grids(rows, by="dimension", directed=True).items()
    }
    errors = {f".{dimension}": GradientError.of([ranked.grid]) for dimension, ranked in measured.items()}
    if measured:
        errors[""] = GradientError.of([ranked.grid for ranked in measured.values()])
    answers = {**dict(_ranks(measured, asked)), **dict(_errors(errors, asked))}
    estimates = {name: answer for name, answer in answers.items() if isinstance(answer, Estimate)}
    answers |= undecidable(measured, estimates, registration, METHODS, "rank_agreement")
    checks = {
        **{f"majority_sign{suffix}": error.majority_sign() or NO_SIGN for suffix, error in errors.items()},
        **dict(reliabilities(measured, METHODS)),
        "shuffled_rank_agreement": shuffled_rho(measured, seeds),
    }
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics={name: check for name, check in checks.items() if isinstance(check, float)},
        not_measured={name: why for name, why in {**answers, **checks}.items() if isinstance(why, str)},
        counts=counts(measured),
    )


def _ranks(measured: Mapping[str, Ranked], asked: Asked) -> Iterator[tuple[str, Answer]]:
    yield "rank_agreement", mean_rho(measured, asked, "rank_agreement")
    for dimension, ranked in measured.items():
        metric = f"rank_agreement.{dimension}"
        yield metric, mean_rho({dimension: ranked}, asked, metric)


def _errors(errors: Mapping[str, GradientError], asked: Asked) -> Iterator[tuple[str, Estimate | str]]:
    for suffix, error in errors.items():
        for name, answer in (("relative_error", error.relative_error), ("sign_agreement", error.sign_agreement)):
            yield f"{name}{suffix}", answer(asked, f"{name}{suffix}")
