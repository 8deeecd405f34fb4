"""A process that is kept running: how it is started, told to stop, and buried."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.embedded.accounts import Account


@dataclass(frozen=True)
class StopSignal:
    number: signal.Signals
    grace: float
    """Seconds until the next, harder signal."""


def nothing() -> None:
    """What most services do before each start, and what keeps them from being ready once they run."""


@dataclass(frozen=True)
class Service:
    """One supervised program. `prepare` runs before each start.

    `unready` is polled and must answer within seconds: why it is not ready to be used, None once it is.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    unready: Callable[[], str | None] = nothing
    prepare: Callable[[], None] = nothing
    stop: Sequence[StopSignal] = (StopSignal(signal.SIGTERM, 10.0),)
    account: Account | None = None
    """Absent: the supervisor's own user and working directory."""
    pass_fds: Sequence[int] = ()


@dataclass
class Child:
    """A running service in a session of its own, so that a terminal's Ctrl-C reaches the supervisor alone."""

    service: Service
    log: Path
    process: subprocess.Popen[bytes] = field(init=False)
    started: float = field(init=False)

    def __post_init__(self) -> None:
        service = self.service
        service.prepare()
        with self.log.open("ab") as log:
            self.log.chmod(0o600)
            self.process = subprocess.Popen(
                list(service.argv),
                env=dict(service.env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/" if service.account else None,
                start_new_session=True,
                pass_fds=service.pass_fds,
                **(service.account.credentials() if service.account else {}),
            )
        self.started = time.monotonic()

    def ended(self) -> int | None:
        """The exit status (negative: the signal) once the process is dead and the rest of its session with it."""
        if self.process.returncode is None:
            # Seen but not yet reaped: until then its id, which is also its group's, cannot belong to anyone else.
            if os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return None
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return self.process.returncode

    def signal(self, number: signal.Signals) -> None:
        if self.ended() is None:
            self.process.send_signal(number)


@dataclass
class _Ending:
    """A child that has been told to stop, by the signal of `step`."""

    child: Child
    step: int = 0
    told: float = field(default_factory=time.monotonic)

    def press(self, hurried: bool) -> None:
        """Send the next signal once it is due. Haste skips every grace but the last: that one is for orderly ends."""
        steps = self.child.service.stop
        last = self.step >= len(steps) - 1
        if time.monotonic() - self.told > steps[self.step].grace or (hurried and not last):
            self.child.signal(signal.SIGKILL if last else steps[self.step + 1].number)
            self.step, self.told = min(self.step + 1, len(steps) - 1), time.monotonic()


def stop_all(children: Sequence[Child], hurried: Callable[[], bool]) -> None:
    """Stop these at the same time, each by its own signals, then SIGKILL."""
    endings = [_Ending(child) for child in children]
    for child in children:
        child.signal(child.service.stop[0].number)
    while alive := [ending for ending in endings if ending.child.ended() is None]:
        for ending in alive:
            ending.press(hurried())
        time.sleep(0.02)
