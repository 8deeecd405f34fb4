"""What the log does not hold: blobs, which it names, and the operator's nonces and receipts, which it commits to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sqlalchemy import text
from sqlmodel import Session, select

from app.ledger.audit.findings import Findings
from app.ledger.audit.memory import MemoryStore
from app.ledger.tables import Blob, Nonce, Receipt
from claims import receipts
from claims.signed_note import InvalidNoteError

# Postgres hashes the chunks itself: nothing large travels.
DAMAGED = """
SELECT blobs.sha256, blobs.size, coalesce(sum(octet_length(data)), 0) AS found,
       encode(sha256(coalesce(string_agg(data, ''::bytea ORDER BY index), ''::bytea)), 'hex') AS digest,
       coalesce(max(index) + 1, 0) AS ends, count(index) AS chunks
FROM blobs LEFT JOIN blob_chunks USING (sha256) GROUP BY blobs.sha256, blobs.size
"""


def check_blobs(session: Session, named: Mapping[str, str], findings: Findings) -> None:
    """Every blob has the bytes of its name, and every blob that an entry names is there."""
    present = set()
    for row in session.execute(text(DAMAGED)):
        where = f"blob sha256:{row.sha256}"
        present.add(row.sha256)
        whole = (row.digest, row.found, row.chunks) == (row.sha256, row.size, row.ends)
        findings.expect(
            whole, where, f"its {row.found} bytes in {row.chunks} chunks are not those of its name and size"
        )
    for sha256 in named.keys() - present:
        findings.add(named[sha256], f"it names the blob sha256:{sha256}, which is not there")
    orphans = "SELECT DISTINCT sha256 FROM blob_chunks WHERE sha256 NOT IN (SELECT sha256 FROM blobs)"
    for sha256 in session.execute(text(orphans)).scalars():
        findings.add(f"blob sha256:{sha256}", "it has chunks, and no blob")


def check_media_types(session: Session, findings: Findings) -> None:
    for sha256, media_type in session.exec(select(Blob.sha256, Blob.media_type)):
        known = media_type in {"application/json", "application/jsonl"}
        findings.expect(known, f"blob sha256:{sha256}", f"its media type is {media_type}, which nothing here has")


def check_nonces(session: Session, store: MemoryStore, findings: Findings) -> None:
    """Every nonce that is still secret is the one that was committed to at filing, and none is missing."""
    kept = {nonce.run: nonce.nonce for nonce in session.exec(select(Nonce))}
    for state in store.states.values():
        where, nonce = f"nonce of run {state.id}-1", kept.pop(f"{state.id}-1", None)
        if nonce is None:
            findings.expect(state.status != "registered", where, "it is not there, so that the claim can never open")
        else:
            same = hashlib.sha256(nonce).hexdigest() == state.nonce_sha256
            findings.expect(same, where, "it is not the one that was committed to at filing")
    for run in kept:
        findings.add(f"nonce of run {run}", "no claim in the log has this run")


def check_receipts(session: Session, store: MemoryStore, vkey: str, findings: Findings) -> None:
    """Every receipt that was handed out is of an entry of the log, and signed by its key."""
    for row in session.exec(select(Receipt).execution_options(yield_per=500)):
        where = f"receipt of claim {row.claim}"
        with findings.as_finding(where, InvalidNoteError, KeyError, TypeError):
            signed = receipts.check(row.body["note"], vkey)
            state = store.states.get(row.claim)
            if state is None:
                findings.add(where, "no claim in the log has this id")
                continue
            known = (state.id, state.registered, state.document_sha256, state.filed)
            same = (signed.claim, signed.seq, signed.document_sha256, signed.filed) == known
            findings.expect(same, where, "its note is not of the claim's entry in the log")
            said = (row.body["document_sha256"], row.body["nonce_sha256"], row.body["registrant"])
            same = said == (state.document_sha256, state.nonce_sha256, state.registrant)
            findings.expect(same, where, "it says otherwise than the claim's entry in the log")
