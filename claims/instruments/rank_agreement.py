"""How far two rankings of the same components agree, in the mean over dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import NO_SPREAD, Answer, Asked, in_sample
from claims.intervals.jackknife_t import jackknife_t

UNDEFINED = "it is not defined: fewer than two components ranked both ways, or a ranking all ties"


def rank_agreement(measured: Mapping[str, Ranked], asked: Asked, metric: str) -> Answer:
    """The mean of rho over these dimensions, with its jackknife-t interval clipped to [-1, 1].

    A cluster is left out of every dimension that holds pairs of it. On the scale of rho itself: of a few components
    that are ranked alike, rho without some cluster is often 1, which Fisher's scale has no place for.
    """
    whole = {name: ranked.rho(ranked.everything()) for name, ranked in measured.items()}
    if (value := _mean(whole)) is None:
        return f"{UNDEFINED}, in {_undefined(whole)}"
    names = [name for ranked in measured.values() for name in ranked.grid.clusters]
    clusters = sorted(set(names))
    if few := asked.too_few(metric, len(clusters)):
        return in_sample(value, few)
    left_out = []
    for cluster in clusters:
        rhos = {
            name: ranked.rho(ranked.without(cluster)) if cluster in ranked.grid.clusters else whole[name]
            for name, ranked in measured.items()
        }
        if (without := _mean(rhos)) is None:
            return f"without the cluster {cluster!r}, it is not defined in {_undefined(rhos)}"
        left_out.append(without)
    lo, hi = np.clip(jackknife_t(value, left_out, asked.level, -inf, inf), -1, 1).tolist()
    return asked.estimated(value, (lo, hi), names) if lo < hi else in_sample(value, NO_SPREAD)


def _mean(rhos: Mapping[str, float | None]) -> float | None:
    defined = [rho for rho in rhos.values() if rho is not None]
    return sum(defined) / len(defined) if defined and len(defined) == len(rhos) else None


def _undefined(rhos: Mapping[str, float | None]) -> str:
    return ", ".join(name for name, rho in rhos.items() if rho is None) or "any dimension"
