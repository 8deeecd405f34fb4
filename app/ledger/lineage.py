"""Which claims are about the same weights and the same data, under whatever names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from sqlalchemy import ColumnElement, Select
from sqlalchemy import select as rows
from sqlmodel import Session, col

from app.ledger.subjects import dataset_name, weights_name
from app.ledger.tables import ClaimRow, EvidenceRow
from claims.registration.model import Subject

_HASH = re.compile(r"[0-9a-f]{64}")
_UNHASHED = "organism:"  # trained anew in each run: it is the recipe that is the same


def alike(session: Session, named: Collection[str]) -> Mapping[str, str]:
    """By each of these weights, and by all that are known to be the same as any of them, one word for all the same.

    That a name led to a hash is known once evidence was recorded under it, and may lead on to other names.
    """
    found: dict[str, str] = {name: name for name in named}
    news = {name for name in named if not name.startswith(_UNHASHED)}
    while news:
        pairs = [*_hashes_of(session, news), *_names_of(session, news)]
        news = {name for pair in pairs for name in pair} - found.keys()
        found |= {name: name for name in news}
        _join(found, pairs)
    return MappingProxyType(found)


def measured_on(session: Session, subject: Subject) -> ColumnElement[bool]:
    """That evidence, beside its claim, is of the same weights, under whatever name, on the same dataset.

    A directory that was named may have held other weights: of it, only what was measured counts.
    """
    names = alike(session, {weights_name(subject.model)}).keys()
    named = col(ClaimRow.weights).in_(names) & ~col(ClaimRow.model).startswith("local:")
    return (col(EvidenceRow.dataset) == dataset_name(subject.dataset)) & (named | col(EvidenceRow.model).in_(names))


def _join(found: dict[str, str], pairs: Iterable[tuple[str, str]]) -> None:
    """Give both of each pair, and all that are the same as either, one word."""
    for one, other in pairs:
        kept, gone = sorted((found[one], found[other]))
        if kept != gone:
            found.update({name: kept for name, word in found.items() if word == gone})


def _hashes_of(session: Session, named: Collection[str]) -> list[tuple[str, str]]:
    names = [name for name in named if not _HASH.fullmatch(name)]
    if not names:
        return []
    query = _measured().where(col(ClaimRow.weights).in_(names))
    return [(name, sha256) for name, sha256 in session.execute(query)]


def _names_of(session: Session, named: Collection[str]) -> list[tuple[str, str]]:
    hashes = [name for name in named if _HASH.fullmatch(name)]
    if not hashes:
        return []
    query = _measured().where(col(EvidenceRow.model).in_(hashes), ~col(ClaimRow.model).startswith("local:"))
    return [(name, sha256) for name, sha256 in session.execute(query)]


def _measured() -> Select[str, str]:
    """A name, and the hash of what was measured under it. What measured no weights repeats the model's own name."""
    return (
        rows(col(ClaimRow.weights), col(EvidenceRow.model))
        .join(ClaimRow, col(ClaimRow.id) == col(EvidenceRow.claim))
        .where(col(EvidenceRow.model) != col(ClaimRow.model))
        .distinct()
    )
