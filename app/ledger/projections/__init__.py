"""From an entry to the tables that people query. Replaying the log through `project` gives the same tables again.

Nothing here reads a clock or draws a random number, and no entry is applied that `claims.lifecycle.step` refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlmodel import Session

from app.ledger.projections import claims, findings, forecasts, links, runs
from app.ledger.projections.datasets import add_dataset
from app.ledger.projections.imports import add_import
from app.ledger.projections.store import SqlStore, Store
from claims.entries import Entry
from claims.lifecycle import ClaimState, step

Projector = Callable[[Store, Entry, ClaimState], None]

_BESIDE_THE_CLAIM: Mapping[str, tuple[Projector, ...]] = MappingProxyType(
    {
        "registered": (claims.add_claim, forecasts.check_window, links.link_registered, runs.queue_run),
        "forecast": (forecasts.add_forecast,),
        "opened": (runs.open_run,),
        "run_ended": (runs.end_run,),
        "evidence_recorded": (findings.add_evidence,),
        "corrected": (findings.correct_evidence,),
        "adjudicated": (findings.adjudicate,),
        "voided": (runs.void_run, findings.void_hypotheses),
        "superseded": (links.link_superseded,),
        "contradicted": (links.link_contradicted,),
        "withdrawn": (runs.cancel_runs,),
    }
)


def apply(session: Session, entry: Entry) -> None:
    """Bring every table up to date with `entry`, the newest one applied; raises as `project` does."""
    project(SqlStore(session), entry)


def project(store: Store, entry: Entry) -> ClaimState | None:
    """Bring every projection in the store up to date with `entry`, the newest one applied; the claim's new state.

    Raises `claims.lifecycle.IllegalStepError` when the entry cannot follow what the log says of its claim.
    """
    if entry.type == "imported":
        add_import(store, entry)
        return None
    if entry.claim is None:
        if entry.payload.get("note") == "dataset":
            add_dataset(store, entry)
        return None
    state = step(store.state(entry.claim, entry.seq), entry)
    for each in _BESIDE_THE_CLAIM.get(entry.type, ()):
        each(store, entry, state)
    claims.update_claim(store, state)
    return state
