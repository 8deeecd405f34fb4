"""What `rebuild` and `import` say of the ledger that they made."""

from __future__ import annotations

from typing import Any

from app.cli.errors import DamagedLedgerError
from app.cli.output import line, progress_console
from app.ledger.audit import Audited
from app.ledger.rebuilding import DamagedError, UsedDatabaseError
from app.ledger.replaying import ReplayError, Waiting

UNUSABLE = (UsedDatabaseError, ReplayError)
MOST_SHOWN = 20


def damage(error: DamagedError) -> DamagedLedgerError:
    """The findings for which nothing was kept."""
    audited = error.audited
    shown = [f"  {finding.where}: {finding.what}" for finding in audited.findings[:MOST_SHOWN]]
    more = [f"  and {audited.count - len(shown)} more"] if audited.count > len(shown) else []
    return DamagedLedgerError(
        "\n".join([f"nothing was written: the audit has {audited.count} findings.", *shown, *more])
    )


def as_object(audited: Audited, waiting: Waiting) -> dict[str, Any]:
    lost = [{"run": run, "why": why} for run, why in waiting.lost]
    return {"entries": audited.size, "root": audited.root.hex(), "queued": list(waiting.queued), "lost": lost}


def tell_remade(audited: Audited, waiting: Waiting) -> None:
    line("entries", str(audited.size))
    line("root", audited.root.hex())
    line("queued", str(len(waiting.queued)))
    for run, why in waiting.lost:
        progress_console().print(f"run {run} can never be measured: {why}", markup=False, soft_wrap=True)
