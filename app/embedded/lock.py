"""One stack on one directory: a lock that outlives a killed supervisor until what it left has been ended."""

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psutil

from app.embedded.directories import DataDirectory
from app.embedded.errors import DirectoryInUseError, EmbeddedError
from app.embedded.leftovers import end_leftovers
from app.embedded.logs import rotate_at_start

# A killed supervisor's watcher ends clients, then servers, and holds the lock meanwhile.
_CLEANING_SECONDS = 40.0
# A stepped clock moves a recorded start by less than process ids take to come round again.
_SAME_START_SECONDS = 60.0


@dataclass(frozen=True)
class Held:
    """A data directory that no other process uses, and the names of the processes ended to make it so."""

    directory: DataDirectory
    ended: list[str]


@contextmanager
def hold(directory: DataDirectory) -> Iterator[Held]:
    """Create the directory, take it for this process, and end what an earlier one left.

    A watcher process inherits the lock. When this process is gone, however it went, the watcher ends what it
    started here and only then lets go. Raises DirectoryInUseError while another live process holds the directory.
    """
    directory.create()
    with _open(directory.root / "lock") as lock:
        _take(lock, directory.root)
        _sign(lock)
        watcher = _watch(directory, lock)
        try:
            yield Held(directory, end_leftovers(directory))
        finally:
            # Closing its input tells the watcher that we are done; it looks once more before it lets go.
            watcher.communicate()
            directory.remove_sockets()
            lock.truncate(0)


def _open(path: Path) -> BinaryIO:
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as error:
        raise EmbeddedError(f"cannot lock the data directory: {error}") from error


def _take(lock: BinaryIO, root: Path) -> None:
    deadline = time.monotonic() + _CLEANING_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(lock)
            if holder is not None or time.monotonic() > deadline:
                raise DirectoryInUseError(root, holder) from None
            time.sleep(0.05)
        else:
            return


def _sign(lock: BinaryIO) -> None:
    lock.truncate(0)
    os.pwrite(lock.fileno(), json.dumps(identity()).encode(), 0)


def _holder(lock: BinaryIO) -> int | None:
    """Process id of the live supervisor that signed the lock; None where it is gone and its watcher cleans up."""
    try:
        signed = json.loads(os.pread(lock.fileno(), 4096, 0))
    except ValueError:
        return None
    return signed["pid"] if is_alive(signed) else None


def identity() -> dict[str, float]:
    """This process as another can recognise it later: its id and its start (seconds since the epoch)."""
    return {"pid": os.getpid(), "started": psutil.Process().create_time()}


def is_alive(signed: dict[str, float]) -> bool:
    """Whether the process that `identity` named still runs."""
    try:
        process = psutil.Process(int(signed["pid"]))
        same = abs(process.create_time() - signed["started"]) < _SAME_START_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _watch(directory: DataDirectory, lock: BinaryIO) -> subprocess.Popen[bytes]:
    rotate_at_start(directory.logs / "watcher.log")
    with (directory.logs / "watcher.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "app.embedded.watcher", str(directory.root)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            pass_fds=[lock.fileno()],
            start_new_session=True,
        )
