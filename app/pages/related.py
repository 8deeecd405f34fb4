"""What stands outside a claim's own entries and belongs on its page: who measured it again, what fell under it, which
signed head holds it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlmodel import Session, col, select

from app.ledger import checkpoints, queries
from app.ledger.bundles import FINAL
from app.ledger.judgements import judgements_in, reproductions_in
from app.ledger.log import history
from app.ledger.tables import ClaimRow, EntryRow
from app.pages.claim.record import Comparison, Covered, Ground, Named, Original
from claims.entries import Entry

Machines = Mapping[str, Sequence[str]]


def comparisons(session: Session, entries: Sequence[Entry]) -> list[Comparison]:
    """What was last said of each reproduction and rerun of the claim that has these entries."""
    found = reproductions_in(session, entries)
    claim, others = str(entries[0].claim), [one.by for one in found]
    machines, named = _machines(session, [claim, *others]), queries.titles(session, others)
    return [Comparison(one, _named(named, one.by), machines.get(claim, ()), machines.get(one.by, ())) for one in found]


def original(session: Session, entries: Sequence[Entry]) -> Original | None:
    """What the claim reproduces, with how the two compare; None for a claim that is no reproduction."""
    reproduces = entries[0].payload.get("reproduces")
    if reproduces is None:
        return None
    compared = comparisons(session, history(session, reproduces))
    own = next((one for one in compared if one.found.by == entries[0].claim), None)
    return Original(_named(queries.titles(session, [reproduces]), reproduces), own)


def ground(session: Session, entries: Sequence[Entry], builds_on: Sequence[str]) -> Ground | None:
    """What gave way under the claim, and how, as the log stood when the claim was marked; None for no such mark."""
    mark = next((entry for entry in entries if entry.type == "contested"), None)
    if mark is None:
        return None
    ancestor = mark.payload["ancestor"]
    fell = history(session, ancestor, before=mark.seq)
    named = _named(queries.titles(session, [ancestor]), ancestor)
    return Ground(named, how_it_fell(fell), mark.time, direct=ancestor in builds_on)


def how_it_fell(entries: Sequence[Entry]) -> str:
    """Why a claim with these entries no longer carries what builds on it: all that holds, in one sentence's part."""
    statuses = [judgement.status for judgement in judgements_in(entries)]
    said = []
    if statuses and statuses[-1] == "refuted":
        said.append("was corrected, and is refuted" if "confirmed" in statuses else "was refuted")
    elif statuses and "confirmed" in statuses[:-1] and statuses[-1] != "confirmed":
        said.append(f"was corrected from confirmed to {statuses[-1]}")
    if any(entry.type == "superseded" for entry in entries):
        said.append("was superseded")
    return " and ".join(said)


def covered(session: Session, entries: Sequence[Entry]) -> Covered | None:
    """The first signed head that holds how the claim came out, as it stands now; None while no head does."""
    finals = [entry.seq for entry in entries if entry.type in FINAL]
    if not finals:
        return None
    last, first = checkpoints.covering(session, finals[-1]), checkpoints.covering(session, finals[0])
    before = first.size if first is not None and len(finals) > 1 else None
    if last is None:
        return None if before is None else Covered(None, None, (), before)
    vouching = checkpoints.vouching(session, last.size)
    return Covered(last.size, last.time, vouching, before if before != last.size else None)


def _named(found: Mapping[str, tuple[str, str]], claim: str) -> Named:
    title, status = found[claim]
    return Named(claim, title, status)


def _machines(session: Session, claims: Collection[str]) -> Machines:
    """By claim, the machines that its deciding run says it was measured on."""
    query = (
        select(ClaimRow.id, ClaimRow.run, EntryRow.payload)
        .join(EntryRow, col(EntryRow.claim) == col(ClaimRow.id))
        .where(col(ClaimRow.id).in_(claims), EntryRow.type == "run_ended")
    )
    return {claim: ended.get("machines", []) for claim, run, ended in session.exec(query) if ended["run"] == run}
