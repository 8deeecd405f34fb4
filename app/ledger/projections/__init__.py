"""From an entry to the tables that people query. Replaying the log through `apply` gives the same tables again.

Nothing here reads a clock or draws a random number, and no entry is applied that `claims.lifecycle.step` refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlmodel import Session

from app.ledger import log
from app.ledger.projections import claims, findings, links, runs
from app.ledger.projections.datasets import add_dataset
from claims.entries import Entry
from claims.lifecycle import ClaimState, fold, step

Projector = Callable[[Session, Entry, ClaimState], None]

_BESIDE_THE_CLAIM: Mapping[str, tuple[Projector, ...]] = MappingProxyType(
    {
        "registered": (claims.add_claim, links.link_registered, runs.queue_run),
        "opened": (runs.open_run,),
        "run_ended": (runs.end_run,),
        "evidence_recorded": (findings.add_evidence,),
        "adjudicated": (findings.adjudicate,),
        "voided": (runs.void_run, findings.void_hypotheses),
        "superseded": (links.link_superseded,),
        "withdrawn": (runs.cancel_runs,),
    }
)


def apply(session: Session, entry: Entry) -> None:
    """Bring every projection up to date with `entry`, the newest one applied.

    Raises `claims.lifecycle.IllegalStepError` when the entry cannot follow what the log says of its claim.
    """
    if entry.claim is None:
        if entry.payload.get("note") == "dataset":
            add_dataset(session, entry)
        return
    state = step(fold(log.history(session, entry.claim, before=entry.seq)), entry)
    for project in _BESIDE_THE_CLAIM.get(entry.type, ()):
        project(session, entry, state)
    claims.update_claim(session, state)
