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
SMALLEST = "positive control: the smallest reliability of any ranking in any dimension, low where nothing is ranked"

Methods = tuple[str, str]
"""What the two rankings of `Ranked` are called: attribution's and patching's, or what stands in their places."""


def reliabilities(measured: Mapping[str, Ranked], methods: Methods) -> Iterator[tuple[str, float | str]]:
    """By metric, each dimension's for both rankings and the smallest of all; or in words why it was not measured."""
    found: list[tuple[float, float] | None] = []
    for dimension, ranked in measured.items():
        found.append(ranked.reliability())
        both: tuple[float | str, float | str] = found[-1] or (NO_HALVES, NO_HALVES)
        for method, reliability in zip(methods, both, strict=True):
            yield f"reliability_{method}.{dimension}", reliability
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
    measured: Mapping[str, Ranked],
    estimates: Mapping[str, Estimate],
    registration: Registration,
    methods: Methods,
    *rhos: str,
) -> Iterator[tuple[str, str]]:
    """By metric, those whose rankings are too unreliable for what the registration predicts of them, and why.

    `rhos` are the metrics that are a rho of one dimension, which their name ends in, or the mean over all of them.
    """
    for hypothesis in registration.hypotheses:
        family, _, dimension = hypothesis.metric.partition(".")
        if family in rhos and hypothesis.metric in estimates and (away := _turns_at(hypothesis)):
            about = {dimension: measured[dimension]} if dimension else measured
            noisy = [said for name, ranked in about.items() if (said := _noisy(name, ranked, methods))]
            if noisy:
                why = (
                    f"the prediction turns at {', '.join(f'{value:g}' for value in away)}, and other than at 0 both "
                    f"rankings need a split-half reliability of {RELIABLE}: {'; '.join(noisy)}. Measure more clusters, "
                    "for it grows with them, or predict the sign"
                )
                yield hypothesis.metric, in_sample(estimates[hypothesis.metric].value, why)


def _turns_at(hypothesis: Hypothesis) -> list[float]:
    """The values other than 0 at which the outcome can change; an end of rho's range decides nothing."""
    return [value for value in bounds(hypothesis.predict) if abs(value) < 1 and value != 0]


def _noisy(name: str, ranked: Ranked, methods: Methods) -> str:
    """Both reliabilities of a dimension in words, where one is too low or not known."""
    known = ranked.reliability()
    if known is None:
        return f"in {name}, {NO_HALVES}"
    if min(known) >= RELIABLE:
        return ""
    return f"in {name} {methods[0]}'s is {known[0]:.2f} and {methods[1]}'s {known[1]:.2f}"
