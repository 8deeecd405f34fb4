"""How reliable rankings are, what that keeps from being decided, and a ranking that knows nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from claims.evidence import Estimate
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import in_sample
from claims.ranking import spearman
from claims.registration.model import Hypothesis, Registration
from claims.seeds import Seeds
from claims.shuffling import permutation
from claims.verdict.regions import bounds

# What both rankings need for a threshold other than 0: docs/instruments/attribution_patching_agreement.md.
RELIABLE = 0.5
NO_HALVES = "two halves of its clusters do not both give a ranking"


def reliabilities(measured: Mapping[str, Ranked]) -> Iterator[tuple[str, float | str]]:
    """By metric, each dimension's for both rankings and the smallest of all; or in words why it was not measured."""
    found: list[tuple[float, float] | None] = []
    for dimension, ranked in measured.items():
        found.append(ranked.reliability())
        both = found[-1] or (NO_HALVES, NO_HALVES)
        yield f"reliability_attribution.{dimension}", both[0]
        yield f"reliability_patching.{dimension}", both[1]
    known = [reliability for both in found if both is not None for reliability in both]
    yield "smallest_reliability", min(known) if known and None not in found else f"in some dimension, {NO_HALVES}"


def shuffled_rho(measured: Mapping[str, Ranked], seeds: Seeds) -> float | str:
    """The mean over dimensions of rho once the components are permuted in the patching ranking.

    By the seed `controls/shuffled/<dimension>`, over the components ranked both ways in the order of the rows.
    """
    rhos = []
    for dimension, ranked in measured.items():
        attribution, patching = ranked.values(ranked.everything())
        both = ~np.isnan(patching)
        order = permutation(int(both.sum()), seeds(f"controls/shuffled/{dimension}"))
        rhos.append(spearman(list(attribution[both]), list(patching[both][order])))
    defined = [rho for rho in rhos if rho is not None]
    if not rhos or len(defined) < len(rhos):
        return "rho is not defined in some dimension, however its components are named"
    return float(np.mean(defined))


def undecidable(
    measured: Mapping[str, Ranked], estimates: Mapping[str, Estimate], registration: Registration
) -> Iterator[tuple[str, str]]:
    """By metric, those whose rankings are too unreliable for what the registration predicts of them, and why."""
    for hypothesis in registration.hypotheses:
        if hypothesis.metric in estimates and (away := _turns_at(hypothesis)):
            prefix, _, dimension = hypothesis.metric.partition(".")
            about = {dimension: measured[dimension]} if prefix == "rho" else measured
            noisy = [said for name, ranked in about.items() if (said := _noisy(name, ranked))]
            if prefix in {"rho", "mean_rho"} and noisy:
                why = (
                    f"the prediction turns at {', '.join(f'{value:g}' for value in away)}, and other than at 0 both "
                    f"rankings need a split-half reliability of {RELIABLE}: {'; '.join(noisy)}. Measure more clusters, "
                    "for it grows with them, or predict the sign"
                )
                yield hypothesis.metric, in_sample(estimates[hypothesis.metric].value, why)


def _turns_at(hypothesis: Hypothesis) -> list[float]:
    """The values other than 0 at which the outcome can change; an end of rho's range decides nothing."""
    return [value for value in bounds(hypothesis.predict) if abs(value) < 1 and value != 0]


def _noisy(name: str, ranked: Ranked) -> str:
    """Both reliabilities of a dimension in words, where one is too low."""
    attribution, patching = ranked.reliability() or (0.0, 0.0)
    if min(attribution, patching) >= RELIABLE:
        return ""
    return f"in {name} attribution's is {attribution:.2f} and patching's {patching:.2f}"
