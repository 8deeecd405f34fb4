"""Keeping a list of services running, in order, until told to stop."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from app.embedded.directories import DataDirectory
from app.embedded.errors import EmbeddedError, ServiceFailedError
from app.embedded.logs import bound, rotate_at_start, supervisor_log, tail
from app.embedded.services import Child, Service, nothing, stop_all

_TICK_SECONDS = 0.05
_READY_SECONDS = 60.0
_MOST_FAILED_STARTS = 5
_FIRST_DELAY_SECONDS = 0.2
_LONGEST_DELAY_SECONDS = 10.0
# After so long a failure is a new one, and the next restart is quick again.
_STEADY_SECONDS = 30.0


@dataclass(frozen=True)
class Stage:
    """Services started together, once those of the stage before are ready; `then` runs once these are."""

    services: Sequence[Service]
    then: Callable[[], None] = nothing


@dataclass
class _Seat:
    """A service's place: the child in it now, and how its starts have gone."""

    service: Service
    child: Child | None = None
    failures: int = 0
    due: float = 0.0
    was_ready: bool = False


@dataclass
class Supervisor:
    """Starts the stages, restarts what dies, stops in reverse order. Use as a context manager.

    The caller holds the directory's lock. While starting, the caller's thread watches the children; from then on a
    thread of its own does, never both.
    """

    directory: DataDirectory
    stages: Sequence[Stage]
    _seats: list[list[_Seat]] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _hurried: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __post_init__(self) -> None:
        self._log = supervisor_log(self.directory.logs)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Bring every stage up. Raises ServiceFailedError with the end of the log of one that does not come up."""
        for stage in self.stages:
            seats = [_Seat(service) for service in stage.services]
            for seat in seats:
                rotate_at_start(self._log_of(seat))
            self._seats.append(seats)
            self._await(seats)
            stage.then()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the stages, last one first; nothing of them runs afterwards."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        for seats in reversed(self._seats):
            children = [seat.child for seat in seats if seat.child is not None]
            self._log.info("stopping %s", ", ".join(child.service.name for child in children))
            stop_all(children, self._hurried.is_set)
        self._log.info("stopped")

    def hurry(self) -> None:
        """Let a stop in progress, or the next one, skip its grace: for somebody who asks twice."""
        self._hurried.set()

    def _await(self, seats: list[_Seat]) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while waiting := [seat for seat in seats if not seat.was_ready]:
            self._tick()
            for seat in waiting:
                seat.was_ready = seat.child is not None and seat.child.ended() is None and seat.service.ready()
                if seat.failures >= _MOST_FAILED_STARTS:
                    raise self._failure(seat, f"ended {seat.failures} times instead of starting")
                if not seat.was_ready and time.monotonic() > deadline:
                    raise self._failure(seat, f"was not ready within {_READY_SECONDS:.0f} s")
            time.sleep(_TICK_SECONDS)

    def _failure(self, seat: _Seat, reason: str) -> ServiceFailedError:
        log = self._log_of(seat)
        return ServiceFailedError(seat.service.name, reason, log, tail(log))

    def _watch(self) -> None:
        while not self._stopping.wait(_TICK_SECONDS):
            self._tick()

    def _tick(self) -> None:
        for seat in (seat for seats in self._seats for seat in seats):
            if seat.child is not None and (status := seat.child.ended()) is not None:
                self._bury(seat, seat.child, status)
            if seat.child is None and time.monotonic() >= seat.due:
                self._spawn(seat)
            bound(self._log_of(seat))

    def _bury(self, seat: _Seat, child: Child, status: int) -> None:
        if time.monotonic() - child.started > _STEADY_SECONDS:
            seat.failures = 0
        delay = min(_FIRST_DELAY_SECONDS * 2**seat.failures, _LONGEST_DELAY_SECONDS)
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        self._log.warning("%s (%d) %s; restarting in %.1f s", seat.service.name, child.process.pid, how, delay)
        self._postpone(seat, delay)

    def _spawn(self, seat: _Seat) -> None:
        try:
            seat.child = Child(seat.service, self._log_of(seat))
        except (OSError, EmbeddedError) as error:
            self._log.error("%s does not start: %s", seat.service.name, error)
            self._postpone(seat, _LONGEST_DELAY_SECONDS)
            if not seat.was_ready:
                raise
        else:
            self._log.info("started %s (%d)", seat.service.name, seat.child.process.pid)

    def _postpone(self, seat: _Seat, delay: float) -> None:
        seat.child = None
        seat.failures += 1
        seat.due = time.monotonic() + delay

    def _log_of(self, seat: _Seat) -> Path:
        return self.directory.logs / f"{seat.service.name}.log"
