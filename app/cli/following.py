"""A verified checkpoint beside what this client has seen of the log before, and what it remembers afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.cli.documents import read_bytes
from app.cli.errors import RefusedError, UnreachableError
from app.cli.fetching import get_text
from app.cli.remembered import Memory
from app.cli.service import Service
from claims import checkpoint
from claims.checkpoint import Checkpoint
from claims.signed_note import InvalidNoteError
from claims.verifying import Pin
from claims.verifying.consistency import ForkError, Prove, check_consistency
from claims.verifying.lines import CannotBeCheckedError, DoesNotHoldError, Line, printable

SEEN, SINCE, NOW = "seen before", "since", "log now"


@dataclass(frozen=True)
class Head:
    """A checkpoint that the pinned key signed: its note, and what that says."""

    note: str
    said: Checkpoint


@dataclass(frozen=True)
class Following:
    """How heads of one log are compared. `service` gives proofs, where one is at hand; `memory` is what is kept."""

    memory: Memory
    pin: Pin
    service: Service | None

    @property
    def origin(self) -> str:
        return self.pin.vkey.partition("+")[0]

    def lines(self, note: str, since: Path | None) -> Iterator[Line]:
        """The bundle's checkpoint, whose signature holds, beside every head of its log that is known.

        Raises CommandError where what is remembered cannot be used.
        """
        bundle = self.head(note)
        if since is not None:
            yield _line(SINCE, lambda: self._compared(self.head(_text(since)), bundle))
        yield _line(SEEN, lambda: self.beside_the_one_before(bundle))
        yield _line(NOW, lambda: self._beside_the_log_now(bundle))

    def head(self, note: str) -> Head:
        return Head(note, checkpoint.verify(note, self.pin.vkey))

    def beside_the_one_before(self, head: Head) -> str:
        """Compares with what is remembered, and remembers the larger; again where another command was faster."""
        while True:
            known = self.memory.of(self.origin)
            if known is None or known.vkey != self.pin.vkey:
                raise CannotBeCheckedError(
                    "the key that was given is not the one remembered: nothing was compared or kept"
                )
            if known.checkpoint is None:
                if self.memory.advance(self.origin, seen=None, note=head.note):
                    raise CannotBeCheckedError(
                        f"this client saw nothing of {self.origin} before: {head.said.size} entries are remembered now"
                    )
                continue
            before = self.head(known.checkpoint)
            compared = self._compared(before, head)
            smaller = head.said.size <= before.said.size
            if smaller or self.memory.advance(self.origin, seen=before.note, note=head.note):
                return f"{compared}, seen before"

    def _beside_the_log_now(self, bundle: Head) -> str:
        if self.service is None:
            raise CannotBeCheckedError("no service is at hand: name it by --url")
        try:
            now = self.head(get_text(self.service, "/v1/log/checkpoint"))
        except UnreachableError as error:
            raise CannotBeCheckedError(str(error)) from error
        except RefusedError as error:
            raise DoesNotHoldError(f"the service shows no head of its log: {error}") from error
        compared = self._compared(bundle, now)
        try:
            self.beside_the_one_before(now)
        except CannotBeCheckedError:
            return f"{compared}; nothing else was seen of it before"
        return compared

    def _compared(self, one: Head, other: Head) -> str:
        try:
            return check_consistency(one.said, other.said, prove_by(self.service))
        except ForkError as fork:
            kept = self.memory.keep_fork(self.origin, one.note, other.note)
            files = " and ".join(map(str, kept))
            word = "FORK OF THE LOG" if fork.certain else "FORK OF THE LOG, or a service that proves nothing"
            raise DoesNotHoldError(
                f"{word}: {fork.why}. Both heads are signed by the log's key; they are kept, to be shown to "
                f"others, in {files}"
            ) from fork


def prove_by(service: Service | None) -> Prove | None:
    """How this service proves that its log grew; None without one."""
    if service is None:
        return None

    def prove(first: int, second: int) -> Sequence[bytes]:
        try:
            answer = service.get("/v1/log/proof", {"first": first, "size": second})
        except UnreachableError as error:
            raise CannotBeCheckedError(str(error)) from error
        except RefusedError as error:
            raise DoesNotHoldError(
                f"the log does not show that its {second} entries continue the {first} that were seen: {error}"
            ) from error
        return [bytes.fromhex(hash_) for hash_ in answer["proof"]]

    return prove


def _text(file: Path) -> str:
    return read_bytes(file).decode(errors="replace")


def _line(name: str, check: Callable[[], str]) -> Line:
    try:
        return Line(name, "ok", printable(check()))
    except CannotBeCheckedError as why:
        return Line(name, "not checked", printable(str(why)))
    except (DoesNotHoldError, InvalidNoteError, ValueError, KeyError, TypeError) as why:
        return Line(name, "failed", printable(str(why)))
