"""Typed links from one claim to another."""

from __future__ import annotations

from sqlalchemy import insert
from sqlmodel import Session

from app.ledger.inline import document_of
from app.ledger.tables import LinkRow
from claims.entries import Entry
from claims.lifecycle import ClaimState


def link_registered(session: Session, entry: Entry, state: ClaimState) -> None:
    for ancestor in document_of(session, entry.payload["registration"]).get("builds_on", []):
        _link(session, entry, type_="builds_on", source=state.id, target=ancestor)
    if state.reproduces is not None:
        _link(session, entry, type_="reproduces", source=state.id, target=state.reproduces)


def link_superseded(session: Session, entry: Entry, state: ClaimState) -> None:
    payload = entry.payload
    _link(session, entry, type_="supersedes", source=payload["by"], target=state.id, reason=payload["reason"])


def _link(session: Session, entry: Entry, *, type_: str, source: str, target: str, reason: str = "") -> None:
    session.execute(
        insert(LinkRow).values(
            source=source,
            type=type_,
            target=target,
            reason=reason,
            actor=entry.actor,
            time=entry.time,
            seq=entry.seq,
        )
    )
