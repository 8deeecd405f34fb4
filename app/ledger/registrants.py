"""Who may write: registrants and their API keys, of which only hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, insert, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import Session, col, select

from app.ledger.tables import ApiKey, Registrant

SCOPES = ("file", "run", "import", "admin")
PREFIX = "ant_"
SECRET_BYTES = 32
SHOWN = len(PREFIX) + 6
_TOKEN = re.compile(r"ant_[A-Za-z0-9_-]{43}")
_ID = re.compile(r"[a-z0-9-]{1,64}")


@dataclass(frozen=True)
class Caller:
    registrant: str
    scopes: frozenset[str]


def register(session: Session, registrant: str, name: str) -> None:
    """Know `registrant` (1 to 64 of a-z, 0-9 and -) from now on; one already known is left as it is."""
    if not _ID.fullmatch(registrant):
        raise ValueError(f"{registrant!r} is no registrant id: use 1 to 64 of a-z, 0-9 and '-'")
    values = {"id": registrant, "name": name, "created": func.now()}
    session.execute(upsert(Registrant).values(values).on_conflict_do_nothing())


def issue_key(session: Session, registrant: str, scopes: Collection[str]) -> str:
    """A new token, `ant_` and 43 characters for 256 random bits. It is shown once: only its hash is stored."""
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise ValueError(f"a key has scopes among {', '.join(SCOPES)}, not {sorted(unknown) or 'none'}")
    token = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    session.execute(
        insert(ApiKey).values(
            sha256=_hash(token),
            prefix=token[:SHOWN],
            registrant=registrant,
            scopes=sorted(scopes, key=SCOPES.index),
            created=func.now(),
        )
    )
    return token


def key_list(session: Session) -> list[ApiKey]:
    """Every key ever issued, oldest first."""
    return list(session.exec(select(ApiKey).order_by(col(ApiKey.created), ApiKey.prefix)))


def revoke_key(session: Session, prefix: str) -> int:
    """Revoke the keys whose shown part is `prefix`; returns how many were valid until now."""
    valid = (col(ApiKey.prefix) == prefix) & col(ApiKey.revoked).is_(None)
    revoked = session.execute(update(ApiKey).where(valid).values(revoked=func.now()).returning(col(ApiKey.sha256)))
    return len(revoked.all())


def authenticate(session: Session, token: str) -> Caller | None:
    """Whose token this is; None for one that is malformed, unknown or revoked."""
    if not _TOKEN.fullmatch(token):
        return None
    sha256 = _hash(token)
    key = session.exec(select(ApiKey).where(ApiKey.sha256 == sha256)).one_or_none()
    # The index finds a hash, not the secret, and the last word is a comparison that takes the same time for any.
    if key is None or not hmac.compare_digest(key.sha256, sha256) or key.revoked is not None:
        return None
    return Caller(key.registrant, frozenset(key.scopes))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
