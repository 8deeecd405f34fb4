"""The key of registrant `local`, made by the first start and left in a 0600 file for the command line."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from app.cli.local import key_file, own_key
from app.ledger.database import Ledger
from app.ledger.registrants import SCOPES, authenticate, issue_key, register

REGISTRANT = "local"


@dataclass(frozen=True)
class LocalKey:
    """A valid key with every scope. `fresh` says that this start made it: the one time that it is shown."""

    token: str
    file: Path
    fresh: bool

    @property
    def shown(self) -> str:
        return self.token if self.fresh else str(self.file)


def ensure_key(database_url: str, secrets: Path) -> LocalKey:
    """The key in the file where the database knows it, else a new one: a first start, or another database."""
    file = key_file(secrets)
    ledger = Ledger(database_url, pool_size=1)
    try:
        with ledger.begin() as session:
            known = own_key(secrets)
            if known is not None and authenticate(session, known) is not None:
                return LocalKey(known, file, fresh=False)
            register(session, REGISTRANT, "This machine")
            token = issue_key(session, REGISTRANT, SCOPES)
            # Before the commit: a key that is in the file but not in the database is replaced at the next start.
            _write(file, token)
        return LocalKey(token, file, fresh=True)
    finally:
        ledger.dispose()


def _write(file: Path, token: str) -> None:
    """Replaces the file at once, and nobody else could read it in between."""
    descriptor, draft = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)  # mode 0600
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(f"{token}\n")
    Path(draft).replace(file)
