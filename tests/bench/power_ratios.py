"""Cells of pairs, whose sums are divided by each other, as rows that two instruments of attribution read."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from tests.bench.power_studies import PAIRS, Rows, Study

COMPONENTS, ERROR, OF_CLUSTER = 8, 0.3, 0.3
LATE = 1.5  # times as much as others do, the last layer does
# By which predicted and counted shares may differ: the shares of signs of clusters are skewed by -0.9, where a Beta
# with their mean and sd is by -1.4.
SIGNS = 0.08
DRAWN = 100_000  # clusters that a ratio, and the error of one cluster, are known from
Floats = np.ndarray
# Of a generator and a number of clusters: sums over each, which are divided by one another.
Sums = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def relative_errors(n: int) -> Study:
    """Clusters of pairs, whose estimates miss exact effects by normal errors, larger ones in some clusters."""
    return _of_patching(n, "relative_error", _missed)


def sign_agreements(n: int) -> Study:
    """The same, by sign."""
    return replace(_of_patching(n, "sign_agreement", _agreed), points=SIGNS)


def late_shares(n: int) -> Study:
    """Clusters of pairs, of whose differentials the last layer has a sixth or so."""
    return _of_reading(n, "late_share", _late)


def first_shares(n: int) -> Study:
    """The same; another component's, one of those alike."""
    return _of_reading(n, "share.mlp_L0", _first)


def _of_patching(n: int, metric: str, sums: Sums) -> Study:
    value, sd = _known(sums)
    name = f"errors of {ERROR:g}"
    return Study("attribution_patching", metric, "jackknife_t", name, n, value, sd, _patched_rows)


def _of_reading(n: int, metric: str, sums: Sums) -> Study:
    value, sd = _known(sums)
    name = f"{COMPONENTS} components"
    return Study("direct_linear_attribution", metric, "jackknife_t", name, n, value, sd, _read_rows)


@lru_cache
def _known(sums: Sums) -> tuple[float, float]:
    """A ratio of sums over many clusters, and the sd of one: of what it adds to the numerator but for the ratio of what
    it adds to the denominator, over the mean of this (the delta method).
    """
    numerator, denominator = sums(np.random.default_rng(0), DRAWN)
    ratio = float(numerator.sum() / denominator.sum())
    return ratio, float((numerator - ratio * denominator).std() / denominator.mean())


def _cells(generator: np.random.Generator, n: int) -> Floats:
    """(n, PAIRS, COMPONENTS), of which clusters make a part of the variance."""
    of_cluster, own = generator.standard_normal((n, 1, COMPONENTS)), generator.standard_normal((n, PAIRS, COMPONENTS))
    return sqrt(OF_CLUSTER) * of_cluster + sqrt(1 - OF_CLUSTER) * own


def _patched(generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Exact effects, and estimates whose errors are larger in some clusters than in others: by a gamma of mean 1."""
    exact = _cells(generator, n)
    scale = generator.gamma(4, 1 / 4, (n, 1, 1))
    return exact, exact + ERROR * scale * generator.standard_normal(exact.shape)


def _missed(generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    exact, estimated = _patched(generator, n)
    return np.abs(estimated - exact).sum(axis=(1, 2)), np.abs(exact).sum(axis=(1, 2))


def _agreed(generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    exact, estimated = _patched(generator, n)
    return (np.sign(exact) == np.sign(estimated)).sum(axis=(1, 2)), np.ones(n) * PAIRS * COMPONENTS


def _read(generator: np.random.Generator, n: int) -> Floats:
    """Of a last component that does more."""
    return _cells(generator, n) * np.array([*[1.0] * (COMPONENTS - 1), LATE])


def _late(generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    magnitude = np.abs(_read(generator, n))
    return magnitude[:, :, -1].sum(axis=1), magnitude.sum(axis=(1, 2))


def _first(generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    magnitude = np.abs(_read(generator, n))
    return magnitude[:, :, 0].sum(axis=1), magnitude.sum(axis=(1, 2))


def _common(n: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    for cluster in range(n):
        for pair in range(PAIRS):
            yield cluster, pair, {"pair_id": f"{cluster}-{pair}", "dimension": "safety", "cluster": f"c{cluster}"}


def _patched_rows(generator: np.random.Generator, n: int) -> Rows:
    exact, estimated = _patched(generator, n)
    return [
        row
        for cluster, pair, common in _common(n)
        for k in range(COMPONENTS)
        for row in (
            {**common, "kind": "attribution", "direction": "noising", "component": f"mlp_L{k}"}
            | {"differential": float(estimated[cluster, pair, k])},
            {**common, "kind": "patch", "direction": "noising", "component": f"mlp_L{k}", "state": "ok"}
            | {"margin": 1.0, "effect": float(exact[cluster, pair, k])},
        )
    ]


def _read_rows(generator: np.random.Generator, n: int) -> Rows:
    read = _read(generator, n)
    rows: Rows = []
    for cluster, pair, common in _common(n):
        values = read[cluster, pair]
        rows += [
            {**common, "kind": "attribution", "component": f"mlp_L{k}", "differential": float(values[k])}
            for k in range(COMPONENTS)
        ]
        rows.append({**common, "kind": "score", "side": "chosen", "score": float(values.sum()), "tokens": 9})
        rows.append({**common, "kind": "score", "side": "rejected", "score": 0.0, "tokens": 9})
    return rows
