"""Correcting a verdict: its figures computed anew from the stored rows by the code as it is now, and judged again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, select

from app.ledger import blobs, log, opening, records, runs
from app.ledger.append import LEDGER, append, lock
from app.ledger.comparing import compare_judged
from app.ledger.database import Ledger
from app.ledger.errors import NotCorrectableError, NotTheRegistrantError, UnknownClaimError
from app.ledger.filing import SOURCE_ROOT
from app.ledger.inline import enclose
from app.ledger.links import check_texts
from app.ledger.tables import ClaimRow
from claims.canonical import canonical_bytes, sha256_hex
from claims.correction import again_sha256, recompute, same_figures
from claims.entries import Entry
from claims.evidence import Evidence
from claims.flaws import Flaw, RefusedInputError
from claims.instrument_source import source_sha256
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument, Row
from claims.provenance import capture
from claims.registration.model import Registration
from claims.rows import decode_chunks
from claims.seeds import Seeds
from claims.verdict.rule import Verdict, adjudicate

UNDERSTOOD = (ValueError, LookupError, ArithmeticError)  # how estimates say that they cannot read rows


@dataclass(frozen=True)
class Asked:
    """What a person says of the correction: of which run, what was wrong, and why it is corrected."""

    claim: str
    run: str
    cause: str
    reason: str


@dataclass(frozen=True)
class _Judged:
    """The verdict as it stands: what was frozen, the evidence, the run's seeds, what was decided of each hypothesis."""

    registration: Registration
    evidence: Evidence
    sha256: str
    seeds: Seeds
    outcomes: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class _Anew:
    """The same rows computed and judged by the code as it is now, and which code that is."""

    evidence: Evidence
    verdict: Verdict
    code: dict[str, Any]


def correct(ledger: Ledger, asked: Asked, registrant: str, *, admin: bool) -> Entry:
    """Compute the claim's evidence anew and judge it again: `corrected` and a second `adjudicated`, in one transaction.

    Everything slow comes before that transaction. Raises `UnknownClaimError`, `NotTheRegistrantError` unless `admin`,
    `RefusedInputError` for words that are none or another run, and `NotCorrectableError` for what cannot be corrected.
    """
    check_texts(cause=asked.cause, reason=asked.reason)
    with ledger.begin() as session:
        judged = _judged(session, asked, registrant, admin=admin)
    instrument = _instrument(asked.claim, judged.registration)
    code = _code(judged.registration)
    evidence = _anew(ledger, asked.claim, judged, instrument)
    verdict = adjudicate(judged.registration, evidence)
    if same_figures(evidence, judged.evidence) and _outcomes(verdict.as_payload("")) == judged.outcomes:
        remedy = "Nothing is to be corrected: what is published otherwise is wrong elsewhere."
        raise NotCorrectableError(asked.claim, "its rows give the same figures and the same verdict again", remedy)
    with ledger.begin() as session:
        return _record(session, asked, registrant, judged.sha256, _Anew(evidence, verdict, code))


def _judged(session: Session, asked: Asked, registrant: str, *, admin: bool) -> _Judged:
    query = select(ClaimRow.registrant, ClaimRow.run, ClaimRow.registration).where(ClaimRow.id == asked.claim)
    row = session.exec(query).one_or_none()
    if row is None:
        raise UnknownClaimError(asked.claim)
    owner, run, document = row
    if owner != registrant and not admin:
        raise NotTheRegistrantError(asked.claim)
    found, verdict = records.evidence_of(session, asked.claim), _last_verdict(session, asked.claim)
    if found is None or verdict is None:
        remedy = "Wait for the verdict; a claim that is void without evidence can only be filed again."
        raise NotCorrectableError(asked.claim, "there is no verdict on evidence to correct", remedy)
    if asked.run != run:
        detail = f"run {asked.run} did not decide claim {asked.claim}"
        raise RefusedInputError(Flaw("/run", "other_run", detail, f"Name {run}, whose verdict it is."))
    evidence = Evidence.model_validate(found.body)
    seeds = opening.seeds_of(session, asked.claim, asked.run)
    return _Judged(Registration.model_validate(document), evidence, found.sha256, seeds, _outcomes(verdict))


def _last_verdict(session: Session, claim: str) -> Mapping[str, Any] | None:
    verdicts = [entry.payload for entry in log.history(session, claim) if entry.type == "adjudicated"]
    return verdicts[-1] if verdicts else None


def _outcomes(verdict: Mapping[str, Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple((one["id"], one["outcome"], one["void_reason"]) for one in verdict["hypotheses"])


def _instrument(claim: str, registration: Registration) -> Instrument:
    chosen = registration.instrument
    instrument = catalogue().get(chosen.name)
    if instrument is None or instrument.MANIFEST.version != chosen.version:
        there = "is not known any more" if instrument is None else f"is at version {instrument.MANIFEST.version} by now"
        remedy = "Supersede the claim by one on an instrument that there is; its figures stand as they were measured."
        raise NotCorrectableError(claim, f"its instrument, {chosen.name} version {chosen.version}, {there}", remedy)
    return instrument


def _code(registration: Registration) -> dict[str, Any]:
    """The code that computes anew, read before it does."""
    code = capture(SOURCE_ROOT)
    sha256 = source_sha256(registration.instrument.name)
    return {"commit": code.commit, "dirty": code.dirty, "instrument_source_sha256": sha256}


def _anew(ledger: Ledger, claim: str, judged: _Judged, instrument: Instrument) -> Evidence:
    again = again_sha256(judged.evidence)
    try:
        for sha256 in filter(None, (judged.evidence.rows_sha256, again)):
            _check(ledger, sha256)
        return recompute(
            judged.registration,
            judged.evidence,
            instrument,
            judged.seeds,
            lambda: _rows(ledger, judged.evidence.rows_sha256),
            lambda: _rows(ledger, str(again)),
        )
    except blobs.BlobError as error:
        remedy = "Tell the operator: `antedate audit` says what else is damaged. The verdict stands as it was."
        raise NotCorrectableError(claim, f"its stored rows are damaged: {error}", remedy) from error
    except UNDERSTOOD as error:
        remedy = "Tell the operator. The verdict stands as it was."
        raise NotCorrectableError(claim, f"the instrument cannot read its stored rows: {error}", remedy) from error


def _check(ledger: Ledger, sha256: str) -> None:
    """Read the blob to its end, where its hash is known: no estimate is made of what is damaged."""
    for _ in _chunks(ledger, sha256):
        pass


def _rows(ledger: Ledger, sha256: str) -> Iterator[Row]:
    return decode_chunks(_chunks(ledger, sha256))


def _chunks(ledger: Ledger, sha256: str) -> Iterator[bytes]:
    with ledger.begin() as session:
        size = blobs.size(session, sha256)
    return blobs.stream(ledger, sha256, size)


def _record(session: Session, asked: Asked, registrant: str, before: str, anew: _Anew) -> Entry:
    """Append both entries unless the evidence is no longer the one with the hash `before`."""
    runs.hold(session, asked.run)
    body = anew.evidence.model_dump(mode="json", by_alias=True)
    canonical, words = canonical_bytes(body), canonical_bytes([asked.cause, asked.reason])
    corrected = {
        "run": asked.run,
        "cause": asked.cause,
        "reason": asked.reason,
        "evidence": enclose(session, body, canonical, beside=len(words)),
        "evidence_sha256": sha256_hex(canonical),
        "rows_sha256": anew.evidence.rows_sha256,
        "code": anew.code,
    }
    lock(session)
    now = records.evidence_of(session, asked.claim)
    if now is None or now.sha256 != before:
        raise NotCorrectableError(asked.claim, "it was corrected meanwhile", "See what it says now, and ask again.")
    entry = append(session, "corrected", asked.claim, registrant, corrected)
    append(session, "adjudicated", asked.claim, LEDGER, anew.verdict.as_payload(asked.run))
    compare_judged(session, asked.claim)
    return entry
