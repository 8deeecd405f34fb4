"""Timestamps of a checkpoint after RFC 3161: an authority's signed word that its text existed at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from rfc3161_client import (
    Accuracy,
    HashAlgorithm,
    PKIStatus,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from claims.anchored_round import MARGIN
from claims.signed_note import InvalidNoteError

REQUEST_TYPE = "application/timestamp-query"
RESPONSE_TYPE = "application/timestamp-reply"
_SHA256 = "2.16.840.1.101.3.4.2.1"


class InvalidTimestampError(ValueError):
    """An answer that is no timestamp of the text by an authority that is trusted here; the text says why."""


@dataclass(frozen=True)
class Request:
    """What is sent, DER of a TimeStampReq, and the nonce that the answer must repeat."""

    body: bytes
    nonce: int


def text_of(note: str) -> bytes:
    """What is timestamped of a checkpoint: the text that its log signed, without any signature line."""
    text, blank, _ = note.rpartition("\n\n")
    if not blank:
        raise InvalidNoteError("a note is text, a blank line and signature lines")
    return f"{text}\n".encode()


def request(text: bytes) -> Request:
    """A request for a timestamp of the SHA-256 of `text`, with a fresh nonce, asking for the certificates."""
    asked = TimestampRequestBuilder(text, HashAlgorithm.SHA256).build()
    if asked.nonce is None:
        raise RuntimeError("the library made a request without a nonce")
    return Request(asked.as_bytes(), asked.nonce)


def read_roots(pem: bytes) -> list[x509.Certificate]:
    """The certificates of a PEM file; raises `InvalidTimestampError` where there is none, or something else."""
    try:
        return x509.load_pem_x509_certificates(pem)
    except ValueError as error:
        raise InvalidTimestampError(f"no certificates in PEM form: {error}") from error


def verify(response: bytes, text: bytes, roots: Sequence[x509.Certificate], nonce: int | None = None) -> datetime:
    """The time that `response` (DER of a TimeStampResp) asserts for `text`, signed under one of `roots`.

    Certificates hold if they did at that time. `nonce` is the request's, for whoever made it; without one the answer
    may be an old one, whose time is as good. Raises `InvalidTimestampError`.
    """
    found = _decoded(response)
    _require_granted(found)
    verifier = VerifierBuilder(roots=list(roots), nonce=nonce).build()
    try:
        if found.tst_info.message_imprint.hash_algorithm.dotted_string != _SHA256:
            raise InvalidTimestampError("the timestamp is over another hash than SHA-256, which was asked for")
        verifier.verify_message(found, text)
    except (VerificationError, ValueError, x509.UnsupportedGeneralNameType) as error:
        raise InvalidTimestampError(f"the timestamp does not hold: {error}") from error
    _require_accuracy(found)
    return found.tst_info.gen_time


def _decoded(response: bytes) -> TimeStampResponse:
    try:
        return decode_timestamp_response(response)
    except ValueError as error:
        raise InvalidTimestampError(f"the answer is no timestamp response: {error}") from error


def _require_granted(found: TimeStampResponse) -> None:
    if found.status != PKIStatus.GRANTED:
        names = {status.value: status.name.lower() for status in PKIStatus}
        said = "; ".join(found.status_string)
        status = names.get(found.status, "unknown")
        raise InvalidTimestampError(f"the authority answered {found.status}, {status}{f': {said}' if said else ''}")


def _require_accuracy(found: TimeStampResponse) -> None:
    """The margin between an anchor's time and the beacon's round allows for this much and no more."""
    accuracy: Accuracy | None = found.tst_info.accuracy  # its type says never None; where none is stated it is
    if accuracy is None:
        return
    stated = timedelta(
        seconds=accuracy.seconds or 0, milliseconds=accuracy.millis or 0, microseconds=accuracy.micros or 0
    )
    if stated > MARGIN:
        raise InvalidTimestampError(f"the authority's clock is accurate to {stated}, and {MARGIN} is needed")
