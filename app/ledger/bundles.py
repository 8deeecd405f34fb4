"""A claim's bundle as of a tree of the log: everything in it is read from the log and the blobs that the log names."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, BinaryIO

from sqlmodel import Session, col, select

from app.ledger import blobs, checkpoints, proofs, queries
from app.ledger.checkpoints import Issued, issue_beside, newest_copy
from app.ledger.database import Ledger
from app.ledger.errors import UnknownClaimError
from app.ledger.inline import canonical_of
from app.ledger.proofs import ProvenEntry
from app.ledger.signing import Signing
from app.ledger.tables import EntryRow
from claims.bundle.archive import sha256_of, write
from claims.bundle.parts import Parts, Proven, Rows
from claims.canonical import canonical_bytes
from claims.correction import again_sha256
from claims.evidence import Evidence

FINAL = ("adjudicated", "voided", "withdrawn")
AT_ONCE = 2  # each keeps a core busy while it recomputes
WAIT_SECONDS = 10.0  # those who wait hold threads that answer everybody
MOST_KNOWN = 4096


class UnknownTreeError(LookupError):
    """No checkpoint of that size was signed, or its tree does not hold the claim; the text says which."""


class MissingReceiptError(LookupError):
    """The receipt that was given at filing is not kept, so that no bundle can hold it."""


class BusyError(RuntimeError):
    """Other bundles are being built, and are not done soon enough."""


@dataclass(frozen=True)
class Built:
    """A bundle that was built: the tree that it is of, its SHA-256 in hex, and how many bytes it has."""

    size: int
    sha256: str
    bytes: int


class Bundles:
    """Builds bundles, and remembers their hashes: the same claim at the same size has the same bytes for ever."""

    def __init__(self, ledger: Ledger, signing: Signing, copies: Path) -> None:
        """`copies` is the file of checkpoints outside the database: no head is signed that contradicts it."""
        self._ledger = ledger
        self._signing = signing
        self._copies = copies
        self._known: dict[tuple[str, int], Built] = {}
        self._lock = Lock()
        self._building = BoundedSemaphore(AT_ONCE)

    def tree(self, claim: str, size: int | None = None) -> int:
        """The size of the tree to build from; one is signed where none covers the claim yet.

        Raises as `tree_of` does, and `ForkedLogError`.
        """
        with self._ledger.begin() as session:
            found = tree_of(session, claim, size) or issue_beside(session, self._signing, newest_copy(self._copies))
        assert found is not None, "a log that has the claim is not empty"
        return found.size

    def known(self, claim: str, size: int) -> Built | None:
        """What is remembered of the bundle."""
        with self._lock:
            return self._known.get((claim, size))

    def described(self, claim: str, size: int) -> Built:
        """Its hash and size, for which it is built if that is not known."""
        known = self.known(claim, size)
        if known is not None:
            return known
        with tempfile.TemporaryFile() as file:
            return self.build(claim, size, file)

    def build(self, claim: str, size: int, file: BinaryIO) -> Built:
        """Write the bundle into the empty `file`, which is left at its end; raises `BusyError`."""
        if not self._building.acquire(timeout=WAIT_SECONDS):
            raise BusyError(f"{AT_ONCE} other bundles are being built")
        try:
            with self._ledger.begin() as session:
                parts = parts_of(session, self._ledger, self._signing.vkey, claim, size)
            write(parts, file)
            built = Built(size, sha256_of(file), file.seek(0, os.SEEK_END))
        finally:
            self._building.release()
        with self._lock:
            self._known[claim, size] = built
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return built


def tree_of(session: Session, claim: str, size: int | None = None) -> Issued | None:
    """The checkpoint of `size`, or the first one that covers how the claim came out last, or the newest.

    None where none covers the claim yet. Raises `UnknownClaimError`, `UnknownTreeError`.
    """
    registered, final = _landmarks(session, claim)
    if size is not None:
        return _of_size(session, claim, registered, size)
    if final is not None:
        return checkpoints.covering(session, final)
    newest = checkpoints.newest(session)
    return newest if newest is not None and newest.size > registered else None


def latest_tree(session: Session, claim: str) -> int | None:
    """The first tree that covers the claim's latest verdict, where that was corrected; None where it was not."""
    query = select(EntryRow.seq).where(EntryRow.claim == claim, EntryRow.type == "adjudicated")
    judged = session.exec(query.order_by(col(EntryRow.seq))).all()
    found = checkpoints.covering(session, judged[-1]) if len(judged) > 1 else None
    return None if found is None else found.size


def _landmarks(session: Session, claim: str) -> tuple[int, int | None]:
    """Where the claim was registered, and where it came out last: a correction counts."""
    query = select(EntryRow.seq, EntryRow.type).where(
        EntryRow.claim == claim, col(EntryRow.type).in_(("registered", *FINAL))
    )
    found = session.exec(query.order_by(col(EntryRow.seq))).all()
    if not found or found[0][1] != "registered":
        raise UnknownClaimError(claim)
    return found[0][0], next((seq for seq, type_ in reversed(found) if type_ in FINAL), None)


def _of_size(session: Session, claim: str, registered: int, size: int) -> Issued:
    found = checkpoints.at(session, size)
    if found is None:
        raise UnknownTreeError(f"no checkpoint was signed over a log of {size} entries")
    if size <= registered:
        raise UnknownTreeError(f"claim {claim} is entry {registered}, which the tree of {size} entries does not hold")
    return found


def parts_of(session: Session, ledger: Ledger, vkey: str, claim: str, size: int) -> Parts:
    """What the bundle of the claim holds as of the tree of `size`, for which there is a checkpoint.

    Rows are read from `ledger`, a chunk in a transaction, whenever they are asked for. Raises `blobs.BlobError` where
    one is damaged, and `MissingReceiptError`.
    """
    receipt, checkpoint = queries.receipt(session, claim), checkpoints.at(session, size)
    if receipt is None:
        raise MissingReceiptError(f"the receipt of claim {claim} is not kept")
    if checkpoint is None:
        raise UnknownTreeError(f"no checkpoint was signed over a log of {size} entries")
    proven = proofs.proven_entries(session, claim, size)
    evidence = {str(payload["run"]): payload for _, payload in _payloads(proven, "evidence_recorded")}
    documents = {run: canonical_of(session, payload["evidence"]) for run, payload in evidence.items()}
    again = {run: again_sha256(Evidence.model_validate_json(document)) for run, document in documents.items()}
    return Parts(
        registration=canonical_of(session, _payloads(proven, "registered")[0][1]["registration"]),
        receipt=canonical_bytes(dict(receipt)),
        entries=[Proven(entry.index, entry.canonical, entry.proof) for entry in proven],
        checkpoint=checkpoint.note,
        vkey=vkey,
        evidence=documents,
        rows={run: _rows(session, ledger, payload["rows_sha256"]) for run, payload in evidence.items()},
        corrections={
            seq: canonical_of(session, payload["evidence"]) for seq, payload in _payloads(proven, "corrected")
        },
        again={run: _rows(session, ledger, sha256) for run, sha256 in again.items() if sha256 is not None},
    )


def _payloads(proven: Sequence[ProvenEntry], type_: str) -> list[tuple[int, Mapping[str, Any]]]:
    entries = [json.loads(entry.canonical) for entry in proven]
    return [(entry["seq"], entry["payload"]) for entry in entries if entry["type"] == type_]


def _rows(session: Session, ledger: Ledger, sha256: str) -> Rows:
    return partial(blobs.stream, ledger, sha256, blobs.size(session, sha256))
