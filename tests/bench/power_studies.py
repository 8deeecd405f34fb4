"""Populations that are known, as rows that instruments read: what a worker would have measured of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal, norm

from claims.evidence import Estimated
from claims.instruments import catalogue
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.registration.model import IntervalMethod, Registration

Rows = list[dict[str, Any]]
PAIRS = 3  # to a cluster
# By how much shares may differ where units are skewed, of which an assumption says nothing; or the metric is no mean.
SKEWED, NO_MEAN = 0.25, 0.3
COMPONENTS = 11  # of an organism, one of them the key


@dataclass(frozen=True)
class Study:
    """An instrument that measures `metric` on n units of a population; `value` and `sd` are the true ones of a unit."""

    instrument: str
    metric: str
    method: str
    population: str
    n: int
    value: float
    sd: float
    draw: Callable[[np.random.Generator, int], Rows]
    points: float = 0.05  # by which predicted and counted shares may differ

    @property
    def name(self) -> str:
        return f"{self.metric} {self.population} {self.method} n={self.n}"

    @property
    def replicates(self) -> int:
        """Whole studies of the campaign: fewer of those that resample, which take longer."""
        return 1000 if self.method in BOOTSTRAPS else 2000

    def registration(self, predictions: Sequence[dict[str, Any]]) -> Registration:
        """One that predicts each of these, without multiplicity: the first alone is primary."""
        organisms = self.instrument == "planted_key_recovery"
        manifest = catalogue()[self.instrument].MANIFEST
        dataset = {"kind": "pairs", "name": "drawn", "sha256": "0" * 64, "dimensions": ["safety"]}
        subject = {
            "model": {"kind": "organism", "recipe": "planted_key"} if organisms else {"kind": "tiny", "seed": 1},
            "dataset": {"kind": "generated", "generator": "planted_key_pairs"} if organisms else dataset,
        }
        sizes = {"organisms": self.n, "pairs_per_organism": 1} if organisms else {"pairs": self.n}
        resamples = {"resamples": 2000} if self.method in BOOTSTRAPS else {}
        params = {"key_size": 1} if organisms else {}
        document = {
            "schema": "antedate.registration/1",
            "title": "t",
            "statement": "s",
            "prior_exposure": {"level": "none"},
            "subject": subject,
            "instrument": {"name": self.instrument, "version": manifest.version, "params": params},
            "hypotheses": [
                {"id": f"H{k}", "statement": "s", "primary": k == 0, "metric": self.metric, "predict": predict}
                for k, predict in enumerate(predictions)
            ],
            "sampling": {**sizes, "stopping": "fixed"},
            "analysis": {"confidence": 0.95, "interval": self.method, "unit": manifest.unit, "multiplicity": "none"}
            | resamples,
            "assumptions": {self.metric: {"value": self.value, "sd": self.sd, "source": "known"}},
        }
        return Registration.model_validate(document)

    def estimated(self, registration: Registration, seed: int) -> Estimated:
        """What the instrument estimates from rows of n units drawn anew."""
        rows = self.draw(np.random.default_rng([seed, self.n]), self.n)
        return catalogue()[self.instrument].estimate(rows, registration, lambda label: seed + len(label))


def _score_rows(margins: np.ndarray) -> Iterator[dict[str, Any]]:
    """Of margins (clusters, pairs)."""
    for cluster, of_cluster in enumerate(margins):
        for pair, margin in enumerate(of_cluster):
            common = {"kind": "score", "pair_id": f"{cluster}-{pair}", "dimension": "safety", "cluster": f"c{cluster}"}
            yield {**common, "side": "chosen", "score": float(margin), "tokens": 9}
            yield {**common, "side": "rejected", "score": 0.0, "tokens": 8}


def margins(n: int, method: str = "studentised_bootstrap") -> Study:
    """Pairs in clusters: normal, with sd 1 between clusters and 2 within them."""
    sd = sqrt(1 + 4 / PAIRS)

    def draw(generator: np.random.Generator, n: int) -> Rows:
        between, within = generator.normal(0, 1, (n, 1)), generator.normal(0, 2, (n, PAIRS))
        return list(_score_rows(0.5 + between + within))

    return Study("reward_scores", "mean_margin", method, "normal in clusters", n, 0.5, sd, draw)


def answers(n: int, right: float, method: str = "wilson") -> Study:
    """Pairs of their own, each right or wrong."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        return list(_score_rows(np.where(generator.random((n, 1)) < right, 1.0, -1.0)))

    sd = sqrt(right * (1 - right))
    return Study("reward_scores", "accuracy", method, f"right {right:.0%}", n, right, sd, draw)


def aurocs(n: int, separation: float, method: IntervalMethod) -> Study:
    """Pairs of their own, whose rewards are normal with sd 1, those of chosen texts higher by `separation`."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        rewards = generator.normal([separation, 0], 1, (n, 2))
        common = [{"kind": "score", "dimension": "safety", "pair_id": f"p{k}", "cluster": f"c{k}"} for k in range(n)]
        return [
            {**common[k], "side": side, "score": float(rewards[k, column]), "tokens": 9 - column}
            for k in range(n)
            for column, side in enumerate(("chosen", "rejected"))
        ]

    # The variance of a placement, of either side (DeLong et al. 1988): two rewards of the other side below this one's.
    area, end = norm.cdf(separation / sqrt(2)), separation / sqrt(2)
    both = multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([end, end])
    sd, population = sqrt(2 * (both - area**2)), f"apart by {separation:g}"
    return Study("reward_scores", "auroc", method, population, n, float(area), sd, draw, NO_MEAN)


def deltas(n: int, method: str, metric: str = "mean_delta", *, skewed: bool = False) -> Study:
    """Pairs of their own: normal, or a gamma of shape 4, whose skewness is 1; mean 0.5, sd 1."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        values = generator.gamma(4, 0.5, n) - 1.5 if skewed else generator.normal(0.5, 1, n)
        lengths = generator.integers(-20, 21, n)
        common = {"kind": "bias", "axis": "safety", "dimension": "safety"}
        return [
            {**common, "pair_id": f"p{k}", "cluster": f"c{k}", "delta": float(value), "length_delta": int(length)}
            for k, (value, length) in enumerate(zip(values, lengths, strict=True))
        ]

    # Of Hedges' g over normal values, the variance of n units' is about (1 + g^2 / 2) / n.
    sd = sqrt(1 + 0.5**2 / 2) if metric == "effect_size" else 1.0
    population = "skewed" if skewed else "normal"
    points = {"points": SKEWED} if skewed else {"points": NO_MEAN} if metric == "effect_size" else {}
    return Study("bias_battery", f"{metric}.safety", method, population, n, 0.5, sd, draw, **points)


def gaps(n: int, patching: float = 0.9, attribution: float = 0.75) -> Study:
    """Organisms whose key ranks above a binomial number of the other components, by either method."""
    names, others = [f"c{k}" for k in range(COMPONENTS)], COMPONENTS - 1

    def of_organism(number: int, above: Sequence[int]) -> Iterator[dict[str, Any]]:
        common = {"organism": number, "pair_id": f"{number}-0", "dimension": "planted_key", "cluster": f"{number}"}
        yield {**common, "kind": "organism", "accuracy": 1.0, "governed": True}
        ranked = [[place, *(k for k in range(COMPONENTS) if k != place)] for place in above]
        for k, name in enumerate(names):
            yield {**common, "kind": "key", "component": name, "norm": float(k), "constructed": k == 0}
            patch, read = (1.0 + of_method[k] for of_method in ranked)
            yield {**common, "kind": "attribution", "component": name, "chosen": read, "rejected": 0.0} | {
                "differential": read
            }
            yield {**common, "kind": "patch", "component": name, "effect": patch, "state": "ok"} | {
                "direction": "noising",
                "margin": 1.0,
            }

    def draw(generator: np.random.Generator, n: int) -> Rows:
        above = generator.binomial(others, [patching, attribution], (n, 2))
        return [row for number in range(n) for row in of_organism(number, above[number])]

    sd = sqrt(sum(share * (1 - share) for share in (patching, attribution)) / others)
    metric, value = "recovery_gap_constructed", patching - attribution
    return Study("planted_key_recovery", metric, "student_t", "of binomial AUROCs", n, value, sd, draw)
