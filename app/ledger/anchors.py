"""What others say of our checkpoints: cosignatures of witnesses and timestamps. Kept beside the log, never in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.x509 import Certificate
from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import Session, col, select

from app.ledger import checkpoints
from app.ledger.checkpoints import Issued
from app.ledger.queue import CLOCK
from app.ledger.tables import AnchorRow
from claims import cosignature, timestamps
from claims.anchored_round import MARGIN, Anchor

WITNESS, TIMESTAMP = "witness", "timestamp"
_AS_THEY_CAME = (col(AnchorRow.received), col(AnchorRow.kind), col(AnchorRow.name))


class RefusedAnchorError(ValueError):
    """What was given does not anchor the checkpoint; the text says why."""


class UnknownCheckpointError(LookupError):
    """No checkpoint of that size was issued."""


@dataclass(frozen=True)
class Witness:
    """A witness whose key is pinned; without a `url` it is not asked, and may deliver of its own accord."""

    vkey: str
    url: str | None

    @property
    def name(self) -> str:
        return self.vkey.partition("+")[0]


def read_witnesses(text: str) -> tuple[Witness, ...]:
    """The witnesses of a file: a line each, the verifier key and, after a space, the URL; `#` begins a comment.

    Raises ValueError naming the line that is something else.
    """
    witnesses = []
    for number, line in enumerate(text.splitlines(), start=1):
        vkey, *urls = line.partition("#")[0].split() or [""]
        if not vkey:
            continue
        try:
            cosignature.read_vkey(vkey)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
        if len(urls) > 1 or not all(url.startswith(("http://", "https://")) for url in urls):
            raise ValueError(f"line {number}: after the key comes at most one URL, http:// or https://")
        witnesses.append(Witness(vkey, urls[0].rstrip("/") if urls else None))
    names = [witness.name for witness in witnesses]
    if len(set(names)) != len(names):
        raise ValueError("two witnesses have the same name")
    return tuple(witnesses)


def accept_cosignature(session: Session, size: int, line: str, witnesses: Sequence[Witness]) -> Anchor:
    """Keep a witness's cosignature line (without its end) under the checkpoint over `size`; the first one stays.

    Raises `UnknownCheckpointError`, and `RefusedAnchorError` for a line by anybody else or that does not hold.
    """
    issued = _issued(session, size)
    name = line.removeprefix("— ").partition(" ")[0]
    witness = next((known for known in witnesses if known.name == name), None)
    if witness is None:
        raise RefusedAnchorError(f"{name[:80]!r} is no witness whose key is pinned here")
    if "\n" in line:
        raise RefusedAnchorError("a cosignature is one line, given without its end")
    try:
        time = cosignature.verify(cosignature.with_lines(issued.note, [line]), witness.vkey)
    except ValueError as error:
        raise RefusedAnchorError(f"the cosignature by {name} does not hold: {error}") from error
    return _keep(session, issued, Anchor(size, WITNESS, name, time), line.encode())


def accept_timestamp(  # noqa: PLR0917 - what is said, of what, by whom, under whose certificates
    session: Session, size: int, response: bytes, name: str, roots: Sequence[Certificate], nonce: int
) -> Anchor:
    """Keep an authority's answer to the request with `nonce` for the checkpoint over `size` entries.

    Raises `UnknownCheckpointError`, and `RefusedAnchorError` for an answer that does not hold.
    """
    issued = _issued(session, size)
    try:
        time = timestamps.verify(response, timestamps.text_of(issued.note), roots, nonce)
    except ValueError as error:
        raise RefusedAnchorError(f"the answer of {name} is no timestamp of this checkpoint: {error}") from error
    return _keep(session, issued, Anchor(size, TIMESTAMP, name, time), response)


def covering(session: Session, seq: int) -> list[Anchor]:
    """The anchors whose checkpoint holds the entry at `seq`, in the order in which they came: the first one counts."""
    query = select(AnchorRow).where(col(AnchorRow.size) > seq)
    return [_anchor(row) for row in session.exec(query.order_by(*_AS_THEY_CAME))]


def of_checkpoint(session: Session, size: int) -> list[AnchorRow]:
    """Everything that anchors this checkpoint, in the order in which it came."""
    return list(session.exec(select(AnchorRow).where(AnchorRow.size == size).order_by(*_AS_THEY_CAME)))


def largest(session: Session, kind: str, name: str) -> int:
    """The size of the largest checkpoint that this one has anchored; 0 for none."""
    query = select(func.coalesce(func.max(AnchorRow.size), 0))
    return session.exec(query.where(AnchorRow.kind == kind, AnchorRow.name == name)).one()


def _issued(session: Session, size: int) -> Issued:
    issued = checkpoints.at(session, size)
    if issued is None:
        raise UnknownCheckpointError(f"no checkpoint over {size} entries was issued")
    return issued


def _keep(session: Session, issued: Issued, anchor: Anchor, body: bytes) -> Anchor:
    """Raises `RefusedAnchorError` for a time at which the checkpoint was not there yet, or that is still to come."""
    now = session.exec(select(CLOCK)).one()
    if not issued.time - MARGIN <= anchor.time <= now + MARGIN:
        raise RefusedAnchorError(
            f"{anchor.name} gives the time {anchor.time}, and by our clock the checkpoint was signed at {issued.time} "
            f"and it is {now}: one of the clocks is wrong by more than {MARGIN}"
        )
    values = {"size": anchor.size, "kind": anchor.kind, "name": anchor.name, "body": body, "time": anchor.time}
    session.execute(upsert(AnchorRow).values(**values, received=now).on_conflict_do_nothing())
    return _anchor(session.get_one(AnchorRow, (anchor.size, anchor.kind, anchor.name)))


def _anchor(row: AnchorRow) -> Anchor:
    return Anchor(row.size, row.kind, row.name, row.time)
