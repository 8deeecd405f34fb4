"""Freezing a prediction: one transaction for the entry, the claim, its nonce, its queued run and its receipt."""

from __future__ import annotations

import hashlib
import secrets
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, select

from app.ledger import designing, queue
from app.ledger.append import append, lock
from app.ledger.errors import AlreadyFiledError
from app.ledger.inline import enclose
from app.ledger.projections.runs import run_id
from app.ledger.receipts import receipt_of
from app.ledger.signing import Signing
from app.ledger.tables import ClaimRow, Nonce, Receipt
from claims import forecast_window
from claims.entries import Entry
from claims.instrument_source import source_sha256
from claims.provenance import capture
from claims.registration.model import Registration
from claims.registration.reading import Frozen

SOURCE_ROOT = Path(__file__).parents[2]
ID_ALPHABET = string.ascii_lowercase + string.digits
ID_LENGTH = 16
NONCE_BYTES = 32


@dataclass(frozen=True)
class Filed:
    """A claim as filed. `receipt` is to be handed out only once the transaction has committed."""

    claim: str
    run: str
    receipt: dict[str, Any]


def file(
    session: Session,
    frozen: Frozen,
    registrant: str,
    *,
    signing: Signing,
    public_url: str,
    model_root: Path | None,
    reproduces: str | None = None,
) -> Filed:
    """File `frozen` in this transaction; with `reproduces`, as one more measurement of that claim's document.

    A reproduction amends nothing: what its document amends was amended by the original. Raises `AlreadyFiledError`
    for a document that is on the ledger already and reproduces nothing, and `RefusedInputError` with every flaw for
    one that names what the service does not have.
    """
    registration = frozen.registration
    _refuse_duplicate(session, frozen, reproduces)
    design = designing.designed(session, frozen, registrant, model_root, once_more=reproduces is not None)
    payload = {
        "registration": enclose(session, frozen.document, frozen.canonical),
        "document_sha256": frozen.sha256,
        **_code(registration),
        **({} if reproduces is None else {"reproduces": reproduces}),
    }
    # From here on nobody else files: what depends on others is asked, some of it again.
    lock(session)
    _refuse_duplicate(session, frozen, reproduces)
    answer = designing.answered(session, design)
    payload |= {"precedence": answer.precedence, "check": answer.check, **_window(session, registration, reproduces)}
    entry, run = _register(session, registrant, payload)
    queue.enqueue(session, run, design.queue, design.shards, forecast_window.end_of(entry))
    _supersede_amended(session, design.own, entry)
    receipt = receipt_of(entry, signing=signing, public_url=public_url)
    session.execute(insert(Receipt).values(claim=entry.claim, body=receipt))
    return Filed(str(entry.claim), run, receipt)


def _refuse_duplicate(session: Session, frozen: Frozen, reproduces: str | None) -> None:
    first = designing.first_filed(session, frozen.sha256) if reproduces is None else None
    if first is not None:
        raise AlreadyFiledError(first)


def _code(registration: Registration) -> dict[str, Any]:
    """Which code froze the prediction, and which would measure it now."""
    source = capture(SOURCE_ROOT)
    code = {"commit": source.commit, "dirty": source.dirty}
    chosen = registration.instrument
    sha256 = source_sha256(chosen.name)
    return {
        "service": code,
        "instrument": {"name": chosen.name, "version": chosen.version, "source_sha256": sha256, **code},
    }


def _window(session: Session, registration: Registration, reproduces: str | None) -> dict[str, int]:
    """The time for forecasts as the entry states it; under the log's lock, so that no original opens meanwhile."""
    opened = session.exec(select(ClaimRow.opened).where(ClaimRow.id == reproduces)).one_or_none()
    return forecast_window.stated(registration, original_opened=opened is not None)


def _register(session: Session, registrant: str, payload: dict[str, Any]) -> tuple[Entry, str]:
    """Draw the claim's id and the nonce of its first run, and append the entry that commits to the nonce."""
    claim = "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))
    run, nonce = run_id(claim, 1), secrets.token_bytes(NONCE_BYTES)
    committed = {**payload, "nonce_sha256": hashlib.sha256(nonce).hexdigest()}
    entry = append(session, "registered", claim, registrant, committed)
    session.execute(insert(Nonce).values(run=run, nonce=nonce))
    return entry, run


def _supersede_amended(session: Session, registration: Registration, entry: Entry) -> None:
    if registration.amends is not None:
        superseded = {"by": entry.claim, "reason": registration.amends.reason}
        append(session, "superseded", registration.amends.claim, entry.actor, superseded)
