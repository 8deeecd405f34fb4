"""What claims' stated probabilities came to: the ledger's, or one registrant's (docs/calibration.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, func
from sqlalchemy import select as rows
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.ledger.tables import ClaimRow
from claims.calibration import Calibration, Share, calibration, share
from claims.lifecycle import DECIDED

KNOWN = "post_hoc"  # what is predicted of data that was known is no forecast
_SUBJECT = ("weights", "dataset", "instrument")  # what precedence asks for data of


@dataclass(frozen=True)
class Unstated:
    """The claims that state no probability: what the decided ones came to, and how many are not decided."""

    decided: Share
    void: int
    withdrawn: int
    undecided: int


@dataclass(frozen=True)
class Calibrated:
    """`stated` of predictions that came before their data, `post_hoc` of those that did not, `unstated` of all others.

    Every claim is in one of the three but the `reproductions`, which repeat a document that somebody else wrote, and
    those `amended` before they opened and before data was known: of these the amendment says what is held to.
    """

    stated: Calibration
    post_hoc: Calibration
    unstated: Unstated
    amended: int
    reproductions: int


def calibrated(session: Session, registrant: str | None = None) -> Calibrated:
    """Of every claim, or of those of one registrant."""
    again = col(ClaimRow.reproduces).is_not(None)
    alike = (col(ClaimRow.probability), col(ClaimRow.status), col(ClaimRow.precedence) == KNOWN, again, _amended())
    query = rows(*alike, func.count()).group_by(*alike)
    if registrant is not None:
        query = query.where(col(ClaimRow.registrant) == registrant)
    stated: dict[bool, list[tuple[float, str]]] = {True: [], False: []}
    unstated: Counter[str] = Counter()
    reproductions = amended = 0
    for said, status, known, repeated, replaced, count in session.execute(query):
        if repeated:
            reproductions += count
        elif replaced:
            amended += count
        elif said is None:
            unstated[status] += count
        else:
            stated[known] += [(said, status)] * count
    return Calibrated(
        calibration(stated[False]), calibration(stated[True]), _unstated(unstated), amended, reproductions
    )


def _amended() -> ColumnElement[bool]:
    """Whether an amendment replaced what the claim said, before any data on its subject was known.

    A `post_hoc` amendment knew data; one of another subject or instrument may have known data of this one, of which its
    own precedence says nothing. Neither unsays what was said.
    """
    newer = aliased(ClaimRow)
    amends = col(newer.registration)["amends"]["claim"].astext == col(ClaimRow.id)
    found = rows(col(newer.id)).where(
        col(newer.id) == col(ClaimRow.superseded_by),
        amends,
        col(ClaimRow.opened).is_(None) | (col(newer.filed) < col(ClaimRow.opened)),
        col(newer.precedence) != KNOWN,
        *(col(getattr(newer, name)) == col(getattr(ClaimRow, name)) for name in _SUBJECT),
    )
    return exists(found.correlate(ClaimRow))


def _unstated(counts: Mapping[str, int]) -> Unstated:
    outcomes = [status == "confirmed" for status in DECIDED for _ in range(counts[status])]
    undecided = counts["registered"] + counts["running"]
    return Unstated(share(outcomes), counts["void"], counts["withdrawn"], undecided)
