"""From each dimension's rankings to estimates with intervals over clusters, or to why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress

import numpy as np

from claims.evidence import Estimate
from claims.instruments.agreement_halves import Halved, bounds, without_groups
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import NO_SPREAD, Answer, Asked, in_sample
from claims.instruments.ratios import Ratios

UNDEFINED = "it is not defined: fewer than two components ranked both ways, or a ranking all ties"


@dataclass(frozen=True)
class Agreement:
    """The dimensions measured, and the interval that is asked of them."""

    dimensions: Mapping[str, Ranked]
    asked: Asked

    def answers(self) -> dict[str, Answer]:
        """By metric: its estimate, or in words why it was not measured."""
        found: dict[str, Answer] = {}
        for dimension, ranked in self.dimensions.items():
            found[f"rho.{dimension}"] = mean_rho({dimension: ranked}, self.asked, f"rho.{dimension}")
            found[f"top_attribution_moves.{dimension}"] = self._moves(f"top_attribution_moves.{dimension}", ranked)
        found["mean_rho"] = mean_rho(self.dimensions, self.asked, "mean_rho")
        found["negative_dimensions"] = self._negative_dimensions()
        return found

    def _moves(self, metric: str, ranked: Ranked) -> Answer:
        """Of the component that ranks first in the whole sample, which stays that one as clusters are left out.

        The ratio has the sign that makes the whole positive, and may fall below 0 without a cluster; its bounds not.
        """
        grid, top = ranked.grid, ranked.top_attribution(ranked.everything())
        if top is None:
            return "no component was ranked both ways"
        column = grid.components.index(top)
        joined = grid.joined[:, column]
        effect, margin = grid.effect[joined, column : column + 1], grid.margin[joined]
        ratios = Ratios(np.sign(effect.sum() * margin.sum()) * effect, margin, tuple(compress(grid.clusters, joined)))
        answer = ratios.answer(self.asked, metric)
        if isinstance(answer, str):
            return answer
        return answer.model_copy(update={"lo": max(0.0, answer.lo)})

    def _negative_dimensions(self) -> Answer:
        """How many rhos are below 0, bounded by the per-dimension intervals at a level at which all hold at once.

        Surely negative are those whose interval lies below 0, possibly negative those whose interval reaches below
        it; a dimension without an interval, or with one of no width, whose error is unknown, is possibly negative.
        Where both counts are the same the number is certain at this level, and its interval exact.
        """
        whole = {name: ranked.rho(ranked.everything()) for name, ranked in self.dimensions.items()}
        if missing := _undefined(whole):
            return f"rho is not defined in {missing}"
        value = float(sum(rho < 0 for rho in whole.values() if rho is not None))
        joint = 1 - (1 - self.asked.level) / len(self.dimensions)
        answers = [mean_rho({name: one}, self.asked, f"rho.{name}", joint) for name, one in self.dimensions.items()]
        known = [answer for answer in answers if isinstance(answer, Estimate)]
        if not known:
            return in_sample(value, "no dimension's rho has an interval")
        lo = sum(rho.hi < 0 for rho in known)
        hi = len(answers) - sum(rho.lo >= 0 for rho in known)
        return Estimate(
            value=value,
            lo=float(lo),
            hi=float(hi),
            level=self.asked.level,
            method=self.asked.method if lo < hi else "exact",
            unit="cluster",
            n=min(rho.n for rho in known),
            n_effective=min(rho.n_effective for rho in known),
        )


def mean_rho(measured: Mapping[str, Ranked], asked: Asked, metric: str, level: float | None = None) -> Answer:
    """The mean, over these dimensions, of rho between the rankings as they are; or in words why it has no estimate.

    Its interval is that of the mean that rankings without noise would have, widened to hold the value: `bounds`. A
    cluster is left out of every dimension that holds pairs of it. `level` may be stricter than what is asked.
    """
    rhos = {name: ranked.rho(ranked.everything()) for name, ranked in measured.items()}
    if not rhos or (missing := _undefined(rhos)):
        return f"{UNDEFINED}, in {missing}" if rhos else "no dimension was measured"
    value, level = float(np.mean([rho for rho in rhos.values() if rho is not None])), level or asked.level
    clusters = [name for ranked in measured.values() for name in ranked.grid.clusters]
    if few := asked.too_few(metric, len(set(clusters))):
        return in_sample(value, few)
    plain = [np.array([rho]) for rho in rhos.values()]
    lo, hi = bounds(_halved(measured), plain, level)[0].tolist()
    if lo == hi:
        return in_sample(value, NO_SPREAD)
    return asked.estimated(value, (lo, hi), clusters).model_copy(update={"level": level})


def _halved(measured: Mapping[str, Ranked]) -> list[Halved]:
    """Of each dimension, without groups of the clusters of all of them."""
    names = sorted({name for ranked in measured.values() for name in ranked.clusters})
    kept = without_groups(len(names))
    return [Halved.of(ranked.rankings, kept[:, np.isin(names, ranked.clusters)]) for ranked in measured.values()]


def _undefined(rhos: Mapping[str, float | None]) -> str:
    return ", ".join(name for name, rho in rhos.items() if rho is None)
