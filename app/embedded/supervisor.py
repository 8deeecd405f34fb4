"""Keeping a list of services running, in order, until told to stop."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from app.embedded.directories import DataDirectory
from app.embedded.errors import EmbeddedError, ServiceFailedError
from app.embedded.logs import bound, rotate_at_start, supervisor_log, tail
from app.embedded.services import Child, Service, nothing, stop_all

_TICK_SECONDS = 0.1
_READY_SECONDS = 60.0
_MOST_FAILED_STARTS = 3
_FIRST_DELAY_SECONDS = 0.2
_LONGEST_DELAY_SECONDS = 10.0
# A child that lived so long has started well, whether or not anyone asked it.
_PROVEN_SECONDS = 10.0


@dataclass(frozen=True)
class Stage:
    """Services started together, once those of the stage before are ready; `then` runs once these are.

    With `awaited` false nobody waits for them; one that keeps ending is noticed all the same.
    """

    services: Sequence[Service]
    then: Callable[[], None] = nothing
    awaited: bool = True


@dataclass
class _Seat:
    """A service's place: the child in it now, and how its starts have gone."""

    service: Service
    log: Path
    child: Child | None = None
    failures: int = 0
    due: float = 0.0
    proven: bool = False
    refusal: Exception | None = None
    """Why the system, or its own preparation, would not let it start the last time."""
    waits_for: str | None = None
    """Why it was not ready when last asked."""

    @property
    def hopeless(self) -> bool:
        return not self.proven and (self.refusal is not None or self.failures >= _MOST_FAILED_STARTS)

    def ask(self) -> None:
        """Whether it is ready, which proves it, and if not why."""
        if self.child is None or self.child.ended() is not None:
            self.waits_for = "it is not running"
        else:
            self.waits_for = self.service.unready()
            self.proven = self.waits_for is None


@dataclass
class Supervisor:
    """Starts the stages, restarts what dies, stops in reverse order. Use as a context manager.

    The caller holds the directory's lock. While starting, the caller's thread watches the children; from then on a
    thread of its own does, never both. A service that has never run well and keeps ending is given up: `failure` is
    set and `on_failure` called, from that thread.
    """

    directory: DataDirectory
    stages: Iterable[Stage]
    on_failure: Callable[[], None] = nothing
    failure: ServiceFailedError | None = field(default=None, init=False)
    _seats: list[list[_Seat]] = field(default_factory=list, init=False)
    _stopping: threading.Event = field(default_factory=threading.Event, init=False)
    _hurried: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        self._log = supervisor_log(self.directory.logs)
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

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def start(self) -> None:
        """Bring every stage up. Raises ServiceFailedError with the end of the log of one that does not come up."""
        for stage in self.stages:
            seats = [_Seat(service, self.directory.logs / f"{service.name}.log") for service in stage.services]
            for seat in seats:
                rotate_at_start(seat.log)
            self._seats.append(seats)
            self._tick()
            if stage.awaited:
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
            self._log.info("stopping %s", ", ".join(child.service.name for child in children) or "nothing")
            stop_all(children, self._hurried.is_set)
        self._log.info("stopped")
        for handler in self._log.handlers:
            handler.close()

    def hurry(self) -> None:
        """Let a stop in progress, or the next one, not wait for running work: for somebody who asks twice."""
        self._hurried.set()

    def _await(self, seats: list[_Seat]) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while waiting := [seat for seat in seats if not seat.proven]:
            self._tick()
            for seat in waiting:
                seat.ask()
                if seat.hopeless:
                    raise _given_up(seat)
                if not seat.proven and time.monotonic() > deadline:
                    raise _failed(seat, f"was not ready within {_READY_SECONDS:.0f} s: {seat.waits_for}")
            time.sleep(_TICK_SECONDS)

    def _watch(self) -> None:
        while self.failure is None and not self._stopping.wait(_TICK_SECONDS):
            self._tick()
            if hopeless := next((seat for seat in self._all_seats() if seat.hopeless), None):
                self.failure = _given_up(hopeless)
                self._log.error("giving up: %s", self.failure)
                self.on_failure()

    def _tick(self) -> None:
        for seat in self._all_seats():
            if seat.child is not None:
                self._look_after(seat, seat.child)
            if seat.child is None and time.monotonic() >= seat.due:
                self._spawn(seat)
            bound(seat.log)

    def _all_seats(self) -> list[_Seat]:
        return [seat for seats in self._seats for seat in seats]

    def _look_after(self, seat: _Seat, child: Child) -> None:
        if time.monotonic() - child.started > _PROVEN_SECONDS:
            seat.proven, seat.failures = True, 0
        if (status := child.ended()) is None:
            return
        delay = min(_FIRST_DELAY_SECONDS * 2**seat.failures, _LONGEST_DELAY_SECONDS)
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        self._log.warning("%s (%d) %s; restarting in %.1f s", seat.service.name, child.process.pid, how, delay)
        seat.child = None
        seat.failures += 1
        seat.due = time.monotonic() + delay

    def _spawn(self, seat: _Seat) -> None:
        try:
            seat.child, seat.refusal = Child(seat.service, seat.log), None
        except (OSError, EmbeddedError) as error:
            self._log.error("%s does not start: %s", seat.service.name, error)
            seat.refusal = error
            seat.due = time.monotonic() + _LONGEST_DELAY_SECONDS
        else:
            self._log.info("started %s (%d)", seat.service.name, seat.child.process.pid)


def _given_up(seat: _Seat) -> ServiceFailedError:
    return _failed(seat, str(seat.refusal or f"ended {seat.failures} times instead of running"))


def _failed(seat: _Seat, reason: str) -> ServiceFailedError:
    return ServiceFailedError(seat.service.name, reason, seat.log, tail(seat.log))
