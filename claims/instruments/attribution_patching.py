"""How well gradient times activation difference estimates what exact patching measures, cell by cell.

What is measured, and how it is estimated: docs/instruments/attribution_patching.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from claims.evidence import Estimate, Estimated
from claims.instruments.agreement_counts import counts
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
from claims.instruments.rank_agreement import rank_agreement
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

NO_SIGN = "no cell where a patch could act has an exact effect other than 0"
RANK = (
    "Spearman's rho over components between mean |estimated effect| and mean |exact effect|: 1 where attribution "
    "patching ranks as patching does, 0 what a ranking that knows nothing gets"
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
        "size and by sign, with delete-one-cluster jackknife-t intervals. It is no substitute for patching, and no "
        "other instrument uses it in patching's place."
    ),
    params=PARAMS,
    metrics=(
        Metric("rank_agreement.<dimension>", RANK, low=-1, high=1),
        Metric("rank_agreement", f"the mean over dimensions of: {RANK}", low=-1, high=1),
        Metric("relative_error.<dimension>", ERROR, unit="of the exact effects", low=0),
        Metric("relative_error", f"in all dimensions together: {ERROR}", unit="of the exact effects", low=0),
        Metric("sign_agreement.<dimension>", SIGN, low=0, high=1),
        Metric("sign_agreement", f"in all dimensions together: {SIGN}", low=0, high=1),
        Metric("majority_sign.<dimension>", MAJORITY, low=0.5, high=1, diagnostic=True),
        Metric("majority_sign", f"in all dimensions together: {MAJORITY}", low=0.5, high=1, diagnostic=True),
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
    """Every metric per dimension and over dimensions; what is undefined or has too few clusters is named."""
    asked = Asked.by(registration, MANIFEST, seeds)
    measured = {
        dimension: Ranked(grid, "abs") for dimension, grid in grids(rows, by="dimension", directed=True).items()
    }
    errors = {f".{dimension}": GradientError.of([ranked.grid]) for dimension, ranked in measured.items()}
    if measured:
        errors[""] = GradientError.of([ranked.grid for ranked in measured.values()])
    answers = {**dict(_ranks(measured, asked)), **dict(_errors(errors, asked))}
    majorities = {f"majority_sign{suffix}": error.majority_sign() for suffix, error in errors.items()}
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics={name: share for name, share in majorities.items() if share is not None},
        not_measured={
            **{name: answer for name, answer in answers.items() if isinstance(answer, str)},
            **{name: NO_SIGN for name, share in majorities.items() if share is None},
        },
        counts=counts(measured),
    )


def _ranks(measured: Mapping[str, Ranked], asked: Asked) -> Iterator[tuple[str, Answer]]:
    yield "rank_agreement", rank_agreement(measured, asked, "rank_agreement")
    for dimension, ranked in measured.items():
        metric = f"rank_agreement.{dimension}"
        yield metric, rank_agreement({dimension: ranked}, asked, metric)


def _errors(errors: Mapping[str, GradientError], asked: Asked) -> Iterator[tuple[str, Estimate | str]]:
    for suffix, error in errors.items():
        for name, answer in (("relative_error", error.relative_error), ("sign_agreement", error.sign_agreement)):
            yield f"{name}{suffix}", answer(asked, f"{name}{suffix}")
