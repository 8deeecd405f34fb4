"""Ctrl-C, SIGTERM and a closed terminal: stop in order; asked again, stop at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from app.embedded.supervisor import Supervisor

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(KeyboardInterrupt):
    """Raised in the main thread, once, wherever it is."""


class Stopping:
    """Turns the first signal into StopRequested and every later one into haste."""

    def __init__(self) -> None:
        self.supervisor: Supervisor | None = None
        self._asked = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if self._asked or (self.supervisor and self.supervisor.is_stopping):
            if self.supervisor:
                self.supervisor.hurry()
            return
        self._asked = True
        raise StopRequested

    def wait(self) -> None:
        """Until a signal comes."""
        threading.Event().wait()

    def request(self) -> None:
        """Ask from another thread, as a signal would: a real one, for it also wakes a main thread that waits."""
        main = threading.main_thread().ident
        if main is not None:
            signal.pthread_kill(main, signal.SIGTERM)


@contextmanager
def stop_signals() -> Iterator[Stopping]:
    stopping = Stopping()
    # Under nohup a closed terminal is to be survived.
    heeded = [number for number in _STOPPING if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, stopping) for number in heeded}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
