"""The end of a run: its shards joined, estimated and judged, exactly once."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Sequence

from sqlmodel import Session

from app.ledger import blobs, joining, judging, opening, queue
from app.ledger.database import Ledger
from app.ledger.runs import SOURCE
from app.ledger.tables import RunRow, ShardRow
from workers import row_file
from workers.evidence import InconsistentShardsError, MeasuredShard, assemble
from workers.outcome import AGAIN, ROWS
from workers.public_text import public_text
from workers.source import source_of

log = logging.getLogger(__name__)


def finish_run(ledger: Ledger, run: str) -> bool:
    """Judge the run if all of its shards are done and nobody else is at it; whether this call judged it.

    Everything is one transaction, so a worker that dies in it has done nothing. Each try is counted before it
    begins: a run that cannot be judged is void, `worker_lost`, after as many as a shard may have.
    """
    with ledger.begin() as session:
        if not joining.take_up(session, run):
            return False
    try:
        with ledger.begin() as session:
            row = joining.joinable(session, run)
            if row is None:
                return False
            _judge(session, row)
    except Exception:
        log.exception("judging run %s failed", run)
        failure = public_text(traceback.format_exc().rstrip().rpartition("\n")[2], None)  # no model is read here
        with ledger.begin() as session:
            joining.note_failure(session, run, failure)
        return False
    return True


def _judge(session: Session, row: RunRow) -> None:
    registration = judging.registration_of(session, row)
    shards = queue.shards(session, row.id)
    here = source_of(registration.instrument.name)
    measured_with = {shard.source[SOURCE] for shard in shards if shard.source is not None}
    if measured_with != {here[SOURCE]}:
        figures = {"opened_with": sorted(measured_with), "found": here[SOURCE]}
        judging.record_void(session, row, "code_drift", figures)
        return
    measured = [_measured(shard) for shard in shards]
    with row_file.temporary() as files:
        files.rows.write(_joined(session, [str(shard.rows_sha256) for shard in shards]))
        files.again.write(_joined(session, [shard.facts[AGAIN] for shard in measured]))
        evidence = assemble(registration, opening.seeds_of(session, row.claim, row.id), measured, files, row.opened)
        blobs.put(session, files.again.file, ROWS)
        judging.record_evidence(session, row, evidence, files.rows.file)


def _joined(session: Session, hashes: Sequence[str]) -> Iterator[bytes]:
    return (chunk for sha256 in hashes for chunk in blobs.chunks(session, sha256))


def _measured(shard: ShardRow) -> MeasuredShard:
    facts, source, started, finished = shard.facts, shard.source, shard.started, shard.finished
    if facts is None or source is None or started is None or finished is None:
        raise InconsistentShardsError(f"shard {shard.index} is done and lacks what it was done with")
    return MeasuredShard(shard.label, facts, source, started, finished, shard.attempts)
