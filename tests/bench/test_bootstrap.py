"""Bootstraps by cluster side by side with `scipy.stats.bootstrap`, and the most memory that those of many rows take."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums
from claims.ranking import auroc, spearman, spearman_along

COMPONENTS, CLUSTERS, ROWS, LEVEL = 64, 200, 400, 0.95
MB = 10**6
PROGRAM = Path(__file__).with_name("peaks_of_bootstraps.py")


class SpearmanOfMeans:
    """Two methods' effects of each component in each cluster; rho between their means.

    Each method has effects of its own beside those that both have. Noise is small beside either, so that drawing
    clusters anew does not pull rho so far down that the interval had to be widened to hold its value.
    """

    units = CLUSTERS

    def __init__(self):
        rng = np.random.default_rng(0)
        shared, own = rng.normal(size=COMPONENTS), rng.normal(size=(2, 1, COMPONENTS)) / 2
        self.effects = shared + own + rng.normal(size=(2, CLUSTERS, COMPONENTS))

    def sample(self):
        sums = np.concatenate([np.ones((1, CLUSTERS)), *(effects.T for effects in self.effects)])
        return ClusterSums(sums, self.rho_of_totals)

    def rho_of_totals(self, totals):
        first, second = (totals[1:] / totals[0]).reshape(2, COMPONENTS, *totals.shape[1:])
        return spearman_along(first, second)[None]

    def one_by_one(self, drawn):
        first, second = (effects[drawn].mean(axis=0) for effects in self.effects)
        return spearman(first, second)

    def vectorised(self, drawn, axis):
        """`drawn` (..., 200), the axis of units last."""
        ranks = (stats.rankdata(effects[drawn].mean(axis=-2), axis=-1) for effects in self.effects)
        return stats.pearsonr(*ranks, axis=-1).statistic


class AurocGap:
    """Two scorers of labelled rows, each of them a cluster of its own; whole rows are drawn."""

    units = ROWS

    def __init__(self):
        rng = np.random.default_rng(1)
        self.positive = np.arange(ROWS) % 2 == 0
        shared = rng.normal(size=ROWS) + self.positive
        self.scores = np.round(shared + rng.normal(size=(2, ROWS)) * [[1.0], [0.7]], 2)

    def sample(self):
        return Aurocs(self.scores, self.positive, np.arange(ROWS))

    def one_by_one(self, drawn):
        first, second = (auroc(row[drawn], self.positive[drawn]) for row in self.scores)
        return second - first

    def vectorised(self, drawn, axis):
        """`drawn` (..., 400), the axis of units last."""
        positive = self.positive[drawn]
        m = positive.sum(axis=-1)
        sums = [(stats.rankdata(row[drawn], axis=-1) * positive).sum(axis=-1) for row in self.scores]
        return (sums[1] - sums[0]) / (m * (ROWS - m))


@pytest.mark.parametrize("batch", [None, 200], ids=["one_by_one", "vectorised"])
@pytest.mark.parametrize("subject", [SpearmanOfMeans, AurocGap])
def test_beside_scipy(side_by_side, full, subject, batch):
    """Vectorised, SciPy takes 200 resamples at a time: all at once, the first subject would take 2 GB."""
    subject, resamples = subject(), 10_000 if full else 400

    def ours():
        return by_cluster("percentile", subject.sample(), LEVEL, resamples, seed=0)[-1]

    def theirs():
        return stats.bootstrap(
            (np.arange(subject.units),),
            subject.one_by_one if batch is None else subject.vectorised,
            vectorized=batch is not None,
            batch=batch,
            n_resamples=resamples,
            confidence_level=LEVEL,
            method="percentile",
            rng=np.random.default_rng(0),
        )

    compared = side_by_side(ours, theirs, ("by cluster", "scipy.stats.bootstrap"), time.process_time)
    interval, drawn = compared.theirs.confidence_interval, np.sort(compared.theirs.bootstrap_distribution)
    print(f"  ours {compared.ours.round(4).tolist()}, theirs {[round(float(end), 4) for end in interval]}")
    tail = (1 - LEVEL) / 2
    by_chance = 5 * np.sqrt(2 * tail * (1 - tail) / resamples)  # both are drawn
    for end, share in zip(compared.ours, (tail, 1 - tail), strict=True):
        below, upto = (np.searchsorted(drawn, end, side=side) / resamples for side in ("left", "right"))
        assert below - by_chance < share < upto + by_chance


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from Linux's /proc")
@pytest.mark.parametrize("size", [50, 1], ids=["clusters_of_50", "clusters_of_one"])
def test_many_rows_take_little_more_memory_than_they_are(full, size):
    """Of a million rows: less than 300 MB, and no more for four times as many resamples."""
    for method in ["percentile", "bca", "studentised_bootstrap"] if full else ["percentile"]:
        held_in(size, method, *((1_000_000, (5, 20)) if full else (50_000, (4, 16))), full)


def held_in(size, method, rows, resamples, full):
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, (rows, rows // size, method, *resamples))],
        env=os.environ | {"PYTHONPATH": str(PROGRAM.parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    few, many = json.loads(done.stdout)
    for count, peak in zip(resamples, (few, many), strict=True):
        print(f"\n{method}, {rows:,} rows, {count} resamples:", end=" ")
        print(", ".join(f"{name} {taken / MB:.0f} MB" for name, taken in peak.items()), end="")
    # A chunk is as large whatever the rows: the small size has that on top.
    assert max(many.values()) < 300 * MB if full else many["python"] < 300 * rows + 20 * MB
    assert many["python"] < few["python"] + MB
