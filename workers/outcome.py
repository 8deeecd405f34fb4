"""What came of a shard, written to the ledger if the shard is still this worker's."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import Session

from app.ledger import blobs, judging, queue, runs
from app.ledger.database import Ledger
from app.ledger.queue import Lease
from app.ledger.tables import RunRow
from claims.evidence import Refusal
from workers.row_file import RowFiles

ROWS = "application/jsonl"
AGAIN = "again_sha256"  # among a shard's facts, the blob of what was measured again
RETRY_SECONDS = 1.0
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Outcome:
    """Each method writes in one transaction, trying again while the database is away, for as long as `term`."""

    ledger: Ledger
    lease: Lease
    term: timedelta

    def keep(self, files: RowFiles, facts: dict[str, Any]) -> bool:
        """The shard is done, with the rows in the files; False, and nothing kept, if the lease is lost."""

        def write(session: Session) -> bool:
            rows, again = (blobs.put(session, one.file, ROWS) for one in (files.rows, files.again))
            return queue.complete(session, self.lease, rows, {**facts, AGAIN: again})

        return self._patiently(write)

    def give_up(self, failure: str) -> None:
        """This attempt failed."""
        self._patiently(lambda session: runs.give_up_shard(session, self.lease, failure))

    def refuse(self, refusal: Refusal) -> None:
        """The run is void: the instrument refused."""
        self._end(lambda session, run: judging.record_refusal(session, run, refusal))

    def void(self, reason: str, figures: Mapping[str, Any]) -> None:
        """The run is void, for a reason of `claims.verdict.voids`."""
        self._end(lambda session, run: judging.record_void(session, run, reason, figures))

    def _end(self, record: Callable[[Session, RunRow], None]) -> None:
        def write(session: Session) -> None:
            run = runs.hold(session, self.lease.run)
            if run is not None and run.status == "running" and queue.holds(session, self.lease):
                record(session, run)

        self._patiently(write)

    def _patiently(self, write: Callable[[Session], Answer]) -> Answer:
        deadline = time.monotonic() + self.term.total_seconds()
        while True:
            try:
                with self.ledger.begin() as session:
                    return write(session)
            except (OperationalError, InterfaceError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_SECONDS)
