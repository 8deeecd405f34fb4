"""Populations that are known, as rows that instruments read: what a worker would have measured of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, sqrt
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal, norm

from claims.evidence import Estimated
from claims.instruments import catalogue
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.registration.model import IntervalMethod, Registration

Rows = list[dict[str, Any]]
PAIRS = 3  # to a cluster
ANOTHER = 0.10  # by which shares may differ where units are skewed as the design check does not take them to be
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
    skewness: float = 0.0
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
            "assumptions": {
                self.metric: {"value": self.value, "sd": self.sd, "skewness": self.skewness, "source": "known"}
            },
        }
        return Registration.model_validate(document)

    def estimated(self, registration: Registration, seed: int) -> Estimated:
        """What the instrument estimates from rows of n units drawn anew."""
        rows = self.draw(np.random.default_rng([seed, self.n]), self.n)
        return catalogue()[self.instrument].estimate(rows, registration, lambda label: seed + len(label))


def score_rows(margins: Iterable[np.ndarray]) -> Iterator[dict[str, Any]]:
    """Of the margins of each cluster's pairs."""
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
        return list(score_rows(0.5 + between + within))

    return Study("reward_scores", "mean_margin", method, "normal in clusters", n, 0.5, sd, draw)


def answers(n: int, right: float, method: str = "wilson") -> Study:
    """Pairs of their own, each right or wrong."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        return list(score_rows(np.where(generator.random((n, 1)) < right, 1.0, -1.0)))

    sd = sqrt(right * (1 - right))
    return Study("reward_scores", "accuracy", method, f"right {right:.0%}", n, right, sd, draw)


def aurocs(n: int, separation: float, method: IntervalMethod, tied: float = 0.0) -> Study:
    """Pairs, whose rewards are normal with sd 1 and correlated by `tied`, those of chosen texts `separation` higher."""
    draw = partial(_texts, lambda generator, n: _tied_rewards(generator, n, separation, tied))
    # The variance of a placement, of either side (DeLong et al. 1988): two rewards of the other side below this one's;
    # and the covariance of a pair's two, which are below and above what two other rewards are.
    area, end = norm.cdf(separation / sqrt(2)), separation / sqrt(2)
    both = sum(multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([end, end]) for r in (0.5, -tied / 2))
    sd, population = (
        sqrt(2 * (both - 2 * area**2)),
        f"apart by {separation:g}" + (f", tied by {tied:g}" if tied else ""),
    )
    return Study("reward_scores", "auroc", method, population, n, float(area), sd, draw)


def exponential_aurocs(n: int, times: float, method: IntervalMethod) -> Study:
    """Pairs, whose rewards are exponential, those of chosen texts so many times as high on average."""
    draw = partial(_texts, lambda generator, n: generator.exponential([times, 1], (n, 2)))
    area = times / (1 + times)
    # Hanley and McNeil 1982, whose formulas are exact here.
    sd = sqrt(area / (2 - area) + 2 * area**2 / (1 + area) - 2 * area**2)
    return Study("reward_scores", "auroc", method, f"exponential {times:g}", n, area, sd, draw)


def _tied_rewards(generator: np.random.Generator, n: int, separation: float, tied: float) -> np.ndarray:
    return generator.multivariate_normal([separation, 0], [[1, tied], [tied, 1]], n)


def _texts(
    rewards_of: Callable[[np.random.Generator, int], np.ndarray], generator: np.random.Generator, n: int
) -> Rows:
    """Rows of n pairs of their own, with rewards (n, 2)."""
    rewards = rewards_of(generator, n)
    common = [{"kind": "score", "dimension": "safety", "pair_id": f"p{k}", "cluster": f"c{k}"} for k in range(n)]
    return [
        {**common[k], "side": side, "score": float(rewards[k, column]), "tokens": 9 - column}
        for k in range(n)
        for column, side in enumerate(("chosen", "rejected"))
    ]


def deltas(n: int, method: str, skewness: float = 0.0) -> Study:
    """Pairs of their own, of mean 0.5 and sd 1: normal, or a gamma with this skewness, turned round if negative."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        if not skewness:
            return list(bias_rows(generator.normal(0.5, 1, (n, 1)), generator))
        shape = 4 / skewness**2
        off = (generator.gamma(shape, size=(n, 1)) - shape) / sqrt(shape)
        return list(bias_rows(0.5 + (off if skewness > 0 else -off), generator))

    population = f"gamma of skewness {skewness:g}" if skewness else "normal"
    return Study("bias_battery", "mean_delta.safety", method, population, n, 0.5, 1.0, draw, skewness)


def logarithmic_deltas(n: int, method: str, width: float = 0.551) -> Study:
    """Pairs of their own, of mean 0.5 and sd 1, skewed by 2: normal with sd `width` in their logarithm, and moved."""
    variance = exp(width**2) - 1
    skewness, mean = (exp(width**2) + 2) * sqrt(variance), exp(width**2 / 2)

    def draw(generator: np.random.Generator, n: int) -> Rows:
        off = (generator.lognormal(0, width, (n, 1)) - mean) / (mean * sqrt(variance))
        return list(bias_rows(0.5 + off, generator))

    population = f"log-normal of skewness {skewness:.2g}"
    drawn = {"skewness": skewness, "points": ANOTHER}
    return Study("bias_battery", "mean_delta.safety", method, population, n, 0.5, 1.0, draw, **drawn)


def effects(n: int, method: str, value: float = 0.5, pairs: int = 1, between: float = 1.0) -> Study:
    """Clusters of pairs: normal with variance 1, so much of it `between` clusters."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        of_cluster, own = generator.normal(0, sqrt(between), (n, 1)), generator.normal(0, 1, (n, pairs))
        return list(bias_rows(value + of_cluster + sqrt(1 - between) * own, generator))

    # Of a mean over a standard deviation, both of normal values, that err independently; g^2 / 2 is Hedges's (1981).
    of_mean, of_spread = between + (1 - between) / pairs, (1 + (pairs - 1) * between**2) / pairs
    sd, population = sqrt(of_mean + value**2 / 2 * of_spread), "normal" + (" in clusters" if pairs > 1 else "")
    return Study("bias_battery", "effect_size.safety", method, f"{population} {value:g}", n, value, sd, draw)


def bias_rows(values: Iterable[np.ndarray], generator: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Of the deltas of each cluster's pairs."""
    common = {"kind": "bias", "axis": "safety", "dimension": "safety"}
    for cluster, of_cluster in enumerate(values):
        for pair, value in enumerate(of_cluster):
            own = {"pair_id": f"p{cluster}-{pair}", "cluster": f"c{cluster}", "delta": float(value)}
            yield {**common, **own, "length_delta": int(generator.integers(-20, 21))}


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
