"""The public beacon round that was mixed into the seeds, if any."""

from __future__ import annotations

from claims.entries import Entry
from claims.verifying.case import Case
from claims.verifying.lines import CannotBeCheckedError


def check_beacon(case: Case) -> str:
    opened = case.of_type("opened")
    if not opened:
        raise CannotBeCheckedError("no worker has opened the claim")
    if opened[0].payload["beacon"] is None:
        return "none was mixed in: the seeds rest on the nonce alone"
    raise CannotBeCheckedError("a beacon round was mixed in, which this version cannot check")


def randomness_of(opened: Entry) -> bytes:
    assert opened.payload["beacon"] is None
    return b""
