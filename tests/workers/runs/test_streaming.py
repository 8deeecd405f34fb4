"""Rows go to disk as they are measured: how many there are costs time, not memory."""

from pathlib import Path

import pytest

from app.ledger import blobs, records
from workers import process
from workers.finishing import finish_run
from workers.measuring import measure_shard

EVERY_HEAD = 360 * 1056  # 360 pairs, and a model of 32 layers with 32 heads and an MLP in each
MEBIBYTE = 1024 * 1024
PEAK, NOW = "VmHWM:", "VmRSS:"


def resident(line):
    """Bytes of this process that are, or at most were, in memory."""
    for found in Path("/proc/self/status").read_text().splitlines():
        if found.startswith(line):
            return int(found.split()[1]) * 1024
    raise LookupError(line)


@pytest.fixture
def growth():
    """`growth(do, *arguments)`: what it returned, and by how much memory grew at most while it ran."""

    def watched(do, *arguments):
        Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
        before = resident(NOW)
        return do(*arguments), resident(PEAK) - before

    return watched


def measure_all(worker, claim, first):
    for index in range(first, 4):
        assert measure_shard(worker, f"{claim}-1", index) == f"{claim}-1"


def test_every_head_of_every_pair_is_measured_and_judged_in_a_few_mebibytes(worker, file_claim, growth):
    process.prepare_torch()
    first = file_claim(coins=4, title="Whatever is loaded once is loaded here")
    measure_all(worker, first, 0)
    assert finish_run(worker.ledger, f"{first}-1")

    claim = file_claim(coins=4, tosses=EVERY_HEAD)
    kept, measuring = growth(measure_shard, worker, f"{claim}-1", 0)
    assert kept == f"{claim}-1"
    measure_all(worker, claim, 1)
    judged, judging = growth(finish_run, worker.ledger, f"{claim}-1")
    assert judged

    with worker.ledger.begin() as session:
        found = records.evidence_of(session, claim)
        size = blobs.size(session, found.rows_sha256)
        rows = sum(chunk.count(b"\n") for chunk in blobs.chunks(session, found.rows_sha256))
    assert rows == EVERY_HEAD + 4
    assert size > 32 * MEBIBYTE
    assert max(measuring, judging) < 16 * MEBIBYTE, (measuring, judging)
