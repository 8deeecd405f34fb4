"""The most memory that head grids take, measured in processes of their own: bytes are asserted, never times."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MB = 1 << 20
# What the allocator keeps back and libraries pack weights into. What one site takes is not counted.
SLACK = 16 * MB

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from Linux's /proc")


def said(program, *options):
    """What the program prints, as JSON."""
    done = subprocess.run(
        [sys.executable, str(HERE / program), *map(str, options)],
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_head_grid_stays_within_its_budget(full):
    """So few tokens fit into either budget that it is what binds, not the bound that a processor's cache sets."""
    shape, budgets = ((6, 256), (64 * MB, 256 * MB)) if full else ((2, 128), (32 * MB, 128 * MB))
    peaks = said("peaks_of_grids.py", *shape, *budgets)
    for budget, peak in zip(budgets, peaks, strict=True):
        print(f"\nbudget {budget / MB:.0f} MiB: {peak / MB:.1f} MiB", end="")
        assert peak < budget + SLACK
    assert peaks[1] > peaks[0] + SLACK


def test_rows_go_to_disk_as_they_are_measured(full):
    """A row in memory takes more than twice what its line does: held whole, the rows of more pairs would show."""
    counts = (8, 360) if full else (1, 8)
    few, many = said("peaks_of_rows.py", *counts)
    for count, peaks in zip(counts, (few, many), strict=True):
        print(f"\n{count} pairs of 1,024 heads:", end=" ")
        print(", ".join(f"{name} {taken / MB:.2f} MiB" for name, taken in peaks.items()), end="")
    more = many["file"] - few["file"]
    assert many["python"] - few["python"] < more
    assert many["process"] - few["process"] < more + SLACK
