"""A full audit, and how it grows with the log."""

import sys
import time
from pathlib import Path

import psutil
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import ledger_of

from app.ledger import checkpoints
from app.ledger.audit import audit
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.signing import load_or_create


@pytest.mark.parametrize("size", [1_000, 10_000, 100_000])
def test_a_full_audit(postgres, full, size, tmp_path):
    size = size if full else size // 1_000 * 10
    signing = load_or_create(tmp_path / "signing.key", "bench")
    with postgres.database("audited") as urls:
        upgrade(urls.database_owner_url)
        with postgres.superuser("audited") as connection:
            ledger_of.fill(connection, size)
        ledger = Ledger(urls.database_url)
        with ledger.begin() as session:
            checkpoints.issue(session, signing)
        begun = time.perf_counter()
        with ledger.begin() as session:
            found = audit(session, signing.vkey)
        took = time.perf_counter() - begun
        ledger.dispose()
    memory = psutil.Process().memory_info().rss / 2**20
    each = 1e6 * took / size
    print(f"\n{size:>7} entries: audited in {took:.1f} s, {each:.0f} µs an entry, resident {memory:.0f} MiB")
    nonces = [one for one in found.findings if "nonce" not in one.where and "nonce" not in one.what]
    assert nonces == []
    assert found.size == size
