"""Typed links from one claim to another."""

from __future__ import annotations

from app.ledger.projections.store import Store
from app.ledger.tables import LinkRow
from claims.entries import Entry
from claims.lifecycle import ClaimState


def link_registered(store: Store, entry: Entry, state: ClaimState) -> None:
    for ancestor in store.document(entry.payload["registration"]).get("builds_on", []):
        _link(store, entry, type_="builds_on", source=state.id, target=ancestor)
    if state.reproduces is not None:
        _link(store, entry, type_="reproduces", source=state.id, target=state.reproduces)


def link_superseded(store: Store, entry: Entry, state: ClaimState) -> None:
    payload = entry.payload
    _link(store, entry, type_="supersedes", source=payload["by"], target=state.id, reason=payload["reason"])


def link_contradicted(store: Store, entry: Entry, state: ClaimState) -> None:
    payload = entry.payload
    _link(store, entry, type_="contradicts", source=payload["by"], target=state.id, reason=payload["reason"])


def _link(store: Store, entry: Entry, *, type_: str, source: str, target: str, reason: str = "") -> None:
    link = {"source": source, "type": type_, "target": target, "reason": reason}
    store.insert(LinkRow, {**link, "actor": entry.actor, "time": entry.time, "seq": entry.seq})
