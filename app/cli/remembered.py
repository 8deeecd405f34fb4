"""What this client has seen of each log: the key it pinned, and the largest checkpoint it verified.

One 0600 file a log, replaced at once and only forward; several commands may run at a time.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from app.cli.errors import BadInputError
from claims.entries import format_time

STATE = "ANTEDATE_STATE"
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True)
class Remembered:
    """Of the log `origin`: its key, when that was pinned, and the largest checkpoint verified, a note, or None."""

    origin: str
    vkey: str
    pinned: str
    checkpoint: str | None = None


def state_directory(given: Path | None) -> Path:
    """Where it is kept: `given`, else `antedate` under the XDG state directory."""
    if given is not None:
        return given
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "state") / "antedate"  # noqa: PTH117


class Memory:
    """The files of a directory. Raises BadInputError where they cannot be used, saying what to do."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def of(self, origin: str) -> Remembered | None:
        file = self.file(origin)
        try:
            found = Remembered(**json.loads(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInputError(f"cannot read {file}: {error.strerror or error}.") from error
        except (ValueError, TypeError) as error:
            raise BadInputError(
                f"{file} is damaged, so what this client has seen of {origin} is unknown: restore it, or move it away, "
                "which forgets the key and the checkpoint."
            ) from error
        return found

    def pin(self, origin: str, vkey: str) -> Remembered:
        """Remember the key of a log that none is remembered of; what is remembered afterwards, whoever came first."""
        with self._lock(origin):
            known = self.of(origin)
            if known is None:
                known = Remembered(origin, vkey, format_time(datetime.now(UTC)))
                self._write(known)
            return known

    def log_at(self, url: str) -> str | None:
        """The origin of the log that the service at this address showed first; None where it was never asked."""
        try:
            found: str = self._service(url).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"cannot read {self._service(url)}: {error}.") from error
        return found.removesuffix("\n")

    def note_log_at(self, url: str, origin: str) -> None:
        """Remember which log a service shows, if that is not remembered yet."""
        with self._lock(url):
            if self.log_at(url) is None:
                self._replace(self._service(url), f"{origin}\n")

    def advance(self, origin: str, *, seen: str | None, note: str) -> bool:
        """Remember `note` in place of `seen`, which it was compared with; False if another is there by now."""
        with self._lock(origin):
            known = self.of(origin)
            if known is None or known.checkpoint != seen:
                return False
            self._write(replace(known, checkpoint=note))
            return True

    def keep_fork(self, origin: str, *notes: str) -> list[Path]:
        """Files with notes that contradict one another: evidence, named by their hash and never overwritten."""
        files = []
        for note in notes:
            name = f"fork-{_name(origin)}-{hashlib.sha256(note.encode()).hexdigest()[:16]}.note"
            files.append(self._replace(self.directory / name, note))
        return files

    def _service(self, url: str) -> Path:
        return self.directory / f"service-{_name(url)}.txt"

    def file(self, origin: str) -> Path:
        """Where what is known of this log is kept."""
        return self.directory / f"{_name(origin)}.json"

    def _write(self, remembered: Remembered) -> None:
        self._replace(self.file(remembered.origin), json.dumps(asdict(remembered), ensure_ascii=False, indent=2) + "\n")

    def _replace(self, file: Path, text: str) -> Path:
        """The file whole or not at all, whatever interrupts; mode 0600."""
        self._make_directory()
        try:
            descriptor, draft = tempfile.mkstemp(prefix=f".{file.name}.", dir=self.directory)
            with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                opened.write(text)
                opened.flush()
                os.fsync(opened.fileno())
            Path(draft).replace(file)
        except OSError as error:
            raise BadInputError(f"cannot write {file}: {error.strerror or error}.") from error
        return file

    @contextmanager
    def _lock(self, what: str) -> Iterator[None]:
        """Against other commands that write of the same log or service."""
        self._make_directory()
        lock = os.open(self.directory / f".{_name(what)}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _make_directory(self) -> None:
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise BadInputError(
                f"cannot make {self.directory}: {error.strerror or error}. Name another by --state or {STATE}."
            ) from error


def _name(origin: str) -> str:
    """A file name that people recognise and no two logs share."""
    return f"{_UNSAFE.sub('-', origin)[:60]}-{hashlib.sha256(origin.encode()).hexdigest()[:12]}"
