"""What stands beside the log of the checkpoint that a claim's beacon round follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.x509 import Certificate

from app.cli.documents import read_bytes
from app.cli.errors import BadInputError, CommandError
from app.cli.fetching import get_text
from app.cli.following import prove_by
from app.cli.service import Service
from claims import cosignature, timestamps
from claims.verifying import Case
from claims.verifying.anchoring import Outside
from claims.verifying.beacon import anchor_of
from claims.verifying.lines import CannotBeCheckedError


@dataclass(frozen=True)
class Believed:
    """Whom this client believes outside of the log, and what it holds of their words."""

    witnesses: Sequence[str]
    roots: Sequence[Certificate]
    note: str | None
    timestamp: bytes | None


def read_believed(
    witnesses: Sequence[str], roots: Path | None, anchored: Path | None, timestamp: Path | None
) -> Believed:
    """From the command's options; raises BadInputError for what is no key, no certificate, or no file."""
    try:
        for vkey in witnesses:
            cosignature.read_vkey(vkey)
        certificates = () if roots is None else timestamps.read_roots(read_bytes(roots))
    except ValueError as error:
        raise BadInputError(
            f"--witness takes a key of a witness, --timestamp-roots PEM certificates: {error}."
        ) from error
    note = None if anchored is None else read_bytes(anchored).decode(errors="replace")
    return Believed(witnesses, certificates, note, None if timestamp is None else read_bytes(timestamp))


def outside_of(case: Case, believed: Believed, service: Service | None) -> Outside | None:
    """The words about the claim's anchored checkpoint, its note the service's where no file holds it; None for none."""
    note = believed.note if believed.note is not None else _from_service(case, service)
    if note is None:
        return None
    return Outside(note, believed.timestamp, believed.witnesses, believed.roots, prove_by(service))


def _from_service(case: Case, service: Service | None) -> str | None:
    """What cannot be had leaves the line NOT CHECKED; what cannot be read is for the checks to say."""
    if service is None:
        return None
    try:
        anchor = anchor_of(case)
        return None if anchor is None else get_text(service, "/v1/log/checkpoint", {"size": str(anchor.size)})
    except (CommandError, CannotBeCheckedError, ValueError, KeyError, TypeError):
        return None
