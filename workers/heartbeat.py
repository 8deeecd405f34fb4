"""A thread that keeps a lease alive while its shard is measured, and tells how far the measuring is."""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from sqlalchemy.exc import SQLAlchemyError

from app.ledger import queue
from app.ledger.database import Ledger
from app.ledger.queue import Lease

BEATS_PER_TERM = 3
TICK_SECONDS = 1.0
log = logging.getLogger(__name__)


class LeaseLostError(Exception):
    """The shard is somebody else's by now, or its run has ended: there is nothing left to do for it."""


class Heartbeat:
    """Extends `lease` by `term` every third of it, and oftener when the progress has moved.

    Use as a context manager around the measuring, which calls `progress`. A database that does not answer is tried
    again: whether the lease is lost is for the database to say.
    """

    def __init__(self, ledger: Ledger, lease: Lease, term: timedelta) -> None:
        self._ledger, self._lease, self._term = ledger, lease, term
        self._every = min(TICK_SECONDS, term.total_seconds() / BEATS_PER_TERM)
        self._rows = 0
        self._lost = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def progress(self, rows: int) -> None:
        """Note that `rows` of the shard's rows are done; raises `LeaseLostError` once the lease is lost."""
        self._rows = rows
        if self._lost.is_set():
            raise LeaseLostError(f"shard {self._lease.index} of run {self._lease.run} was given to another")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        told, beat = 0, time.monotonic()
        while not self._stop.wait(self._every) and not self._lost.is_set():
            due = time.monotonic() - beat >= self._term.total_seconds() / BEATS_PER_TERM
            if due or self._rows != told:
                told, beat = self._rows, time.monotonic()
                self._beat(told)

    def _beat(self, rows: int) -> None:
        try:
            with self._ledger.begin() as session:
                held = queue.heartbeat(session, self._lease, rows, self._term)
        except SQLAlchemyError as error:
            log.warning("heartbeat of shard %d of run %s failed: %s", self._lease.index, self._lease.run, error)
        else:
            if not held:
                self._lost.set()
