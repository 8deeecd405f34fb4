"""Prints how much memory intervals of an AUROC gap take above the labelled rows that they are of, in bytes.

Run with numbers of rows and of clusters, a method, and its numbers of resamples, fewest first. `python` is the most
that was allocated, `process` what the process grew by.
"""

import json
import sys
import tracemalloc
from pathlib import Path

import numpy as np

from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster


def resident(name):
    status = Path("/proc/self/status").read_text().splitlines()
    return 1_024 * next(int(line.split()[1]) for line in status if line.startswith(name))


def drawn(rows, clusters):
    """As many rows for each cluster, whose scores rarely tie."""
    rng = np.random.default_rng(0)
    positive = rng.random(rows) < 0.5
    return np.round(rng.normal(size=(2, rows)) + positive, 4), positive, np.arange(rows) % clusters


def peaks(labelled, method, resamples):
    """A sample is made anew for each number, so that what it keeps counts every time."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    by_cluster(method, Aurocs(*labelled), 0.95, resamples or None, 0, low=np.array([0, 0, -1]), high=1)
    return {"python": tracemalloc.get_traced_memory()[1] - before, "process": resident("VmHWM:")}


def main():
    rows, clusters = map(int, sys.argv[1:3])
    peaks(drawn(100, 10), sys.argv[3], int(sys.argv[4]))  # what is imported, and cached, on the way
    labelled = drawn(rows, clusters)
    before = resident("VmRSS:")
    tracemalloc.start()
    found = [peaks(labelled, sys.argv[3], int(count)) for count in sys.argv[4:]]
    print(json.dumps([own | {"process": own["process"] - before} for own in found]))


main()
