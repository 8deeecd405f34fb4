"""A ledger of a given size, made at once: the entries of ordinary claims, filed, opened, measured and judged."""

import copy
import hashlib
import itertools
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from app.ledger.audit.heads import Leaves
from app.ledger.audit.memory import MemoryStore
from app.ledger.audit.tables import PROJECTED
from app.ledger.log import entry_of
from app.ledger.projections import project
from claims.canonical import canonical_bytes, sha256_hex
from claims.entries import Entry, leaf_hash
from claims.evidence import Evidence
from claims.registration.model import Registration
from claims.registration.yaml_form import read_yaml
from claims.verdict.rule import adjudicate

EXAMPLE = Path(__file__).parents[2] / "examples" / "planted_key.yaml"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
EMPTY = sha256_hex(b"")


def entries(size: int) -> Iterator[Entry]:
    """`size` entries: of each claim its registration (4 KB), opening, end, evidence (5 KB) and verdict."""
    numbers, draw = itertools.count(), random.Random(size)
    example = read_yaml(EXAMPLE.read_bytes())
    for claim in itertools.count():
        for type_, actor, payload in _life(f"claim{claim:011d}", example, draw):
            seq = next(numbers)
            if seq == size:
                return
            time = BEGIN + timedelta(seconds=seq)
            yield Entry(seq, type_, f"claim{claim:011d}", actor, time, payload)


def _life(claim: str, example: dict[str, Any], draw: random.Random) -> Iterator[tuple[str, str, dict[str, Any]]]:
    document, nonce, run = {**copy.deepcopy(example), "title": f"Prediction {claim}"}, draw.randbytes(32), f"{claim}-1"
    registration = Registration.model_validate(document)
    code = {"commit": "c" * 40, "dirty": "clean"}
    yield (
        "registered",
        "ada",
        {
            "registration": document,
            "document_sha256": sha256_hex(canonical_bytes(document)),
            "nonce_sha256": hashlib.sha256(nonce).hexdigest(),
            "service": code,
            "instrument": {"name": registration.instrument.name, "version": "1", "source_sha256": "5" * 64, **code},
            "precedence": "committed",
            "check": {"warnings": [{"code": "CEILING", "pointer": "/hypotheses/1", "detail": "x" * 800}]},
        },
    )
    yield "opened", "worker", {"run": run, "nonce": nonce.hex(), "beacon": None}
    times = {"started": "2026-01-01T00:00:00.000000Z", "finished": "2026-01-01T00:01:00.000000Z"}
    yield "run_ended", "ledger", {"run": run, "state": "ended", "machines": ["a" * 64], **times}
    evidence = _evidence(registration, draw, times)
    body = evidence.model_dump(mode="json", by_alias=True)
    yield (
        "evidence_recorded",
        "ledger",
        {
            "run": run,
            "evidence": body,
            "evidence_sha256": sha256_hex(canonical_bytes(body)),
            "rows_sha256": EMPTY,
        },
    )
    yield "adjudicated", "ledger", adjudicate(registration, evidence).as_payload(run)


def _evidence(registration: Registration, draw: random.Random, times: dict[str, str]) -> Evidence:
    def estimate() -> dict[str, Any]:
        value = draw.uniform(-0.5, 0.5)
        bounds = {"value": value, "lo": value - 0.1, "hi": value + 0.1, "level": registration.level}
        return {**bounds, "method": registration.analysis.interval, "unit": "organism", "n": 24, "n_effective": 24.0}

    metrics = {hypothesis.metric for hypothesis in registration.hypotheses}
    return Evidence.model_validate(
        {
            "schema": "antedate.evidence/1",
            "instrument": registration.instrument.name,
            "version": registration.instrument.version,
            "params": registration.instrument.params,
            "subject": {
                "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
                "dataset": {"sha256": None, "n": 1152},
            },
            "access": ["weights"],
            "estimates": {name: estimate() for name in sorted(metrics | {f"metric_{n}" for n in range(12)})},
            "diagnostics": {"organism_accuracy": 0.97, "organisms_governed": 24.0, "spread": draw.random()},
            "not_measured": {},
            "counts": dict(registration.sampling.sizes),
            "nondeterminism": {f"band.{name}": draw.random() * 1e-7 for name in sorted(metrics)},
            "controls": {"positive": True},
            "conformance": {},
            "gauge": "invariant",
            "provenance": {
                "commit": "c" * 40,
                "dirty": "clean",
                "diff_sha256": None,
                "instrument_source_sha256": "5" * 64,
                "packages": {"numpy": "2.4.6", "torch": "2.13.0"},
                "platform": "Linux",
                **times,
            },
            "cost": {"seconds": 60.0, "forwards": 4608.0},
            "rows_sha256": EMPTY,
        }
    )


class Whole(MemoryStore):
    """The projections with all that stands in them."""

    def kept(self, values):
        return dict(values)


def fill(connection: psycopg.Connection, size: int) -> list[bytes]:
    """Bring an empty, migrated database to a ledger of `size` entries as a superuser; the leaves."""
    store, leaves = Whole(None), []
    with connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("INSERT INTO blobs VALUES (%s, 0, 'application/jsonl')", (EMPTY,))
        copied = "COPY entries (seq, type, claim, actor, time, payload, canonical, leaf_hash) FROM STDIN"
        with connection.cursor().copy(copied) as copy_:
            for made in entries(size):
                canonical = made.canonical()
                leaves.append(leaf_hash(canonical))
                entry = entry_of(canonical)  # as appending does: a float may be a whole number in its bytes
                payload = json.dumps(dict(entry.payload))
                copy_.write_row(
                    (entry.seq, entry.type, entry.claim, entry.actor, entry.time, payload, canonical, leaves[-1])
                )
                state = project(store, entry)
                store.states[state.id] = state
        store.settle()
        _copy_tables(connection, store)
        _copy_nodes(connection, leaves)
    connection.execute("ANALYZE")
    return leaves


def _copy_tables(connection: psycopg.Connection, store: Whole) -> None:
    for table in PROJECTED:
        names = [column.name for column in table.__table__.columns if column.computed is None]
        columns = sql.SQL(", ").join(map(sql.Identifier, names))
        copied = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.__tablename__), columns)
        with connection.cursor().copy(copied) as copy_:
            for row in store.tables[table].values():
                copy_.write_row([Jsonb(row[name]) if isinstance(row[name], dict) else row[name] for name in names])


def _copy_nodes(connection: psycopg.Connection, leaves: list[bytes]) -> None:
    with connection.cursor().copy("COPY nodes (level, index, hash) FROM STDIN") as copy_:
        for level, hashes in enumerate(Leaves(leaves).levels[1:], start=1):
            for index, hash_ in enumerate(hashes):
                copy_.write_row((level, index, hash_))
