"""Appending to the log: with the tree, without it, and the bare insert; how each grows with the log."""

import statistics
import time
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert
from sqlmodel import func, select

from app.ledger import proofs, tree
from app.ledger.append import append
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.tables import EntryRow
from claims.entries import Entry, leaf_hash

PAYLOAD = {"note": "bench", "text": "x" * 500}
SIZES = (1_000, 10_000, 100_000)
SLICE = (40, 80)
ROUNDS = 5
PROOFS = 200


@pytest.fixture
def ledger(postgres):
    with postgres.database("bench") as urls:
        upgrade(urls.database_owner_url)
        ledger = Ledger(urls.database_url)
        yield ledger
        ledger.dispose()


def test_an_entry_a_transaction_with_and_without_the_tree(ledger, full, monkeypatch):
    """In turn: appends with the tree, the same appends without, bare inserts; at each size of the log."""
    burst = 500 if full else 5
    for size in SIZES if full else SLICE:
        fill(ledger, size)
        times = {"with the tree": [], "without the tree": [], "bare insert": []}
        for _ in range(ROUNDS):
            times["with the tree"].append(timed(appended, ledger, burst))
            with monkeypatch.context() as patched:
                patched.setattr(tree, "grow", lambda *_: None)
                times["without the tree"].append(timed(appended, ledger, burst))
            patch_up(ledger)
            times["bare insert"].append(timed(inserted, ledger, burst))
            patch_up(ledger)
        rates = {way: burst / statistics.median(spent) for way, spent in times.items()}
        ratio = statistics.median(a / b for a, b in zip(times["with the tree"], times["without the tree"], strict=True))
        said = ", ".join(f"{way} {rate:.0f}/s" for way, rate in rates.items())
        print(f"\n{size:>7} entries: {said}; time with the tree / without: {ratio:.2f}")


def test_proofs_as_the_log_grows(ledger, full):
    """Inclusion and consistency proofs from stored nodes, each in a transaction of its own."""
    for size in SIZES if full else SLICE:
        fill(ledger, size)
        spread = [(size - 1) * number // (PROOFS - 1) for number in range(PROOFS)]
        inclusion = [timed(inclusion_of, ledger, index, size) for index in spread]
        consistency = [timed(consistency_of, ledger, 1 + index % size, size) for index in spread]
        for name, spent in (("inclusion", inclusion), ("consistency", consistency)):
            milliseconds = sorted(1_000 * one for one in spent)
            median, worst = milliseconds[len(milliseconds) // 2], milliseconds[int(0.99 * len(milliseconds))]
            print(f"\n{size:>7} entries: {name} proof {median:.2f} ms, 99th percentile {worst:.2f} ms", end="")
    print()


def timed(work, *arguments):
    begun = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begun


def appended(ledger, count):
    for _ in range(count):
        with ledger.begin() as session:
            append(session, "noted", None, "bench", PAYLOAD)


def inserted(ledger, count):
    begin = size_of(ledger)
    for seq in range(begin, begin + count):
        with ledger.begin() as session:
            session.execute(insert(EntryRow).values(row(seq)))


def patch_up(ledger):
    """Store the nodes that the ways without a tree have left out, so that all begin from the same ledger."""
    with ledger.begin() as session:
        size = tree.size(session)
        known = {(level, index) for level, index in session.exec(select(tree.NodeRow.level, tree.NodeRow.index))}
        leaves = session.exec(select(EntryRow.seq, EntryRow.leaf_hash).order_by(EntryRow.seq)).all()
    grown = nodes_of([bytes(leaf) for _, leaf in leaves])
    rows = [{"level": level, "index": index, "hash": hash_} for (level, index), hash_ in grown.items()]
    new = [row for row in rows if (row["level"], row["index"]) not in known]
    with ledger.begin() as session:
        if new:
            session.execute(insert(tree.NodeRow), new)
    assert size == len(leaves)


def nodes_of(level):
    """Every complete node over these leaves."""
    found, height = {}, 0
    while len(level) > 1:
        height += 1
        level = [tree.merkle.node_hash(*level[at : at + 2]) for at in range(0, len(level) - 1, 2)]
        found |= {(height, index): hash_ for index, hash_ in enumerate(level)}
    return found


def fill(ledger, size):
    """Bring the log to `size` entries at once."""
    begin = size_of(ledger)
    for start in range(begin, size, 1_000):
        rows = [row(seq) for seq in range(start, min(start + 1_000, size))]
        with ledger.begin() as session:
            session.execute(insert(EntryRow), rows)
    patch_up(ledger)


def inclusion_of(ledger, index, size):
    with ledger.begin() as session:
        proofs.inclusion(session, index, size)


def consistency_of(ledger, first, second):
    with ledger.begin() as session:
        proofs.consistency(session, first, second)


def size_of(ledger):
    with ledger.begin() as session:
        return session.exec(select(func.count()).select_from(EntryRow)).one()


def row(seq):
    entry = Entry(seq, "noted", None, "bench", datetime.now(UTC), PAYLOAD)
    canonical = entry.canonical()
    return {
        "seq": seq,
        "type": entry.type,
        "actor": entry.actor,
        "time": entry.time,
        "payload": PAYLOAD,
        "canonical": canonical,
        "leaf_hash": leaf_hash(canonical),
    }
