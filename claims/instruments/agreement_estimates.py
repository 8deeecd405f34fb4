"""From each dimension's rankings to estimates with intervals over clusters, or to why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

from claims.evidence import Estimate
from claims.instruments.agreement_statistics import Kept, Ranked
from claims.instruments.ratios import estimated, too_few
from claims.intervals.jackknife_t import jackknife_t

Answer = Estimate | str
Statistic = Callable[[Kept], float | None]


@dataclass(frozen=True)
class Agreement:
    """The dimensions measured, and the level of every interval."""

    dimensions: Mapping[str, Ranked]
    level: float

    def answers(self) -> dict[str, Answer]:
        """By metric: its estimate, or in words why it was not measured."""
        found: dict[str, Answer] = {}
        for dimension, ranked in self.dimensions.items():
            found[f"rho.{dimension}"] = self.rho(ranked, self.level)
            found[f"top_attribution_moves.{dimension}"] = self._moves(ranked)
        found["mean_rho"] = self.mean_rho()
        found["negative_dimensions"] = self._negative_dimensions()
        return found

    def rho(self, ranked: Ranked, level: float) -> Answer:
        """Of one dimension, at a level that may be stricter than that of the rest."""
        return _over_clusters(ranked, ranked.rho, level, -1, 1)

    def _moves(self, ranked: Ranked) -> Answer:
        """Of the component that ranks first in the whole sample, which stays that one as clusters are left out."""
        top = ranked.top_attribution(ranked.everything())
        if top is None:
            return "no component was ranked both ways"
        return _over_clusters(ranked, lambda kept: ranked.moves(top, kept), self.level, 0, inf)

    def mean_rho(self) -> Answer:
        """Jointly: a cluster is left out of every dimension that holds pairs of it."""
        whole = {name: ranked.rho(ranked.everything()) for name, ranked in self.dimensions.items()}
        value = _mean(whole)
        if value is None:
            return f"rho is not defined in {_undefined(whole)}"
        names = [name for ranked in self.dimensions.values() for name in ranked.grid.clusters]
        if (few := too_few(names)) is not None:
            return few
        clusters = sorted(set(names))
        left_out = []
        for cluster in clusters:
            rhos = {
                name: ranked.rho(ranked.without(cluster)) if cluster in ranked.grid.clusters else whole[name]
                for name, ranked in self.dimensions.items()
            }
            without = _mean(rhos)
            if without is None:
                return f"without the cluster {cluster!r}, rho is not defined in {_undefined(rhos)}"
            left_out.append(without)
        return estimated(value, jackknife_t(value, left_out, self.level, -1, 1), self.level, names)

    def _negative_dimensions(self) -> Answer:
        """How many rhos are below 0, bounded by the per-dimension intervals at a level at which all hold at once.

        Surely negative are those whose interval lies below 0, possibly negative those whose interval reaches below
        it; a dimension without an interval, or with one of no width, whose error is unknown, is possibly negative.
        Where both counts are the same the number is certain at this level, and its interval exact.
        """
        whole = {name: ranked.rho(ranked.everything()) for name, ranked in self.dimensions.items()}
        if _mean(whole) is None:
            return f"rho is not defined in {_undefined(whole)}"
        joint = 1 - (1 - self.level) / len(self.dimensions)
        answers = [self.rho(ranked, joint) for ranked in self.dimensions.values()]
        known = [answer for answer in answers if isinstance(answer, Estimate)]
        if not known:
            return str(answers[0])
        lo = sum(rho.lo < rho.hi < 0 for rho in known)
        hi = len(answers) - sum(rho.hi > rho.lo >= 0 for rho in known)
        return Estimate(
            value=float(sum(rho < 0 for rho in whole.values() if rho is not None)),
            lo=float(lo),
            hi=float(hi),
            level=self.level,
            method="jackknife_t" if lo < hi else "exact",
            unit="cluster",
            n=min(rho.n for rho in known),
            n_effective=min(rho.n_effective for rho in known),
        )


def _over_clusters(ranked: Ranked, statistic: Statistic, level: float, low: float, high: float) -> Answer:
    value, clusters = statistic(ranked.everything()), ranked.clusters
    if value is None:
        return "it is not defined: fewer than two components ranked both ways, a ranking all ties, or margins of sum 0"
    if (few := too_few(clusters)) is not None:
        return few
    left_out: list[float] = []
    for cluster in clusters:
        without = statistic(ranked.without(cluster))
        if without is None:
            return f"it is not defined without the cluster {cluster!r}"
        left_out.append(without)
    return estimated(value, jackknife_t(value, left_out, level, low, high), level, ranked.grid.clusters)


def _mean(rhos: Mapping[str, float | None]) -> float | None:
    defined = [rho for rho in rhos.values() if rho is not None]
    return sum(defined) / len(defined) if defined and len(defined) == len(rhos) else None


def _undefined(rhos: Mapping[str, float | None]) -> str:
    return ", ".join(name for name, rho in rhos.items() if rho is None) or "any dimension"
