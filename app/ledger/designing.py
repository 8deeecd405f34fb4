"""What is to be said of a registration before it is frozen: filing logs it, and a check answers it without a trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from app.ledger import links, premises, queue
from app.ledger.clusters import clusters_per_metric
from app.ledger.precedence import precedence_now
from app.ledger.recorded import recorded_spread
from app.ledger.scorecards import calibrates
from app.ledger.tables import ClaimRow
from claims.design import check
from claims.flaws import Flaw, RefusedInputError
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument, Shard
from claims.power import Power, power_of
from claims.registration.model import Registration
from claims.registration.reading import Frozen


@dataclass(frozen=True)
class Design:
    """A registration that the service can measure, with what does not depend on what others file meanwhile.

    `own` is what filing it does: of one that is measured once more, it amends nothing.
    """

    frozen: Frozen
    own: Registration
    registrant: str
    instrument: Instrument
    pairs: Mapping[str, int]
    shards: Sequence[Shard]
    power: Power

    @property
    def queue(self) -> str:
        return self.instrument.MANIFEST.queue


@dataclass(frozen=True)
class Answered:
    """The precedence that it has as the ledger stands, and the design check's answer, as `registered` has both."""

    precedence: str
    check: dict[str, Any]


@dataclass(frozen=True)
class Checked:
    """What filing would say. `duplicate_of` is the claim that filed this very document first."""

    document_sha256: str
    duplicate_of: str | None
    shards: int
    answer: Answered


def designed(
    session: Session, frozen: Frozen, registrant: str, model_root: Path | None, *, once_more: bool = False
) -> Design:
    """The design of `frozen`, simulated: this takes seconds, so that nobody does it with the log's lock.

    Raises `RefusedInputError` with every flaw of a registration that names what the service does not have.
    """
    registration = frozen.registration
    own = registration.model_copy(update={"amends": None}) if once_more else registration
    _refuse(premises.flaws_in(session, own, registrant, model_root))
    instrument, pairs = catalogue()[registration.instrument.name], premises.pairs_per_dimension(session, registration)
    manifest, clusters = instrument.MANIFEST, clusters_per_metric(session, registration)
    power = power_of(registration, manifest, clusters, recorded_spread(session, registration, manifest))
    return Design(frozen, own, registrant, instrument, pairs, instrument.plan(registration, pairs), power)


def answered(session: Session, design: Design) -> Answered:
    """The rest, which depends on what others file: asked under the log's lock by whoever files.

    Raises `RefusedInputError` for an amendment that can not be made, or no longer.
    """
    own, registration = design.own, design.frozen.registration
    _refuse([*premises.amendment_flaws(session, own, design.registrant), *links.circle_flaws(session, own)])
    precedence = precedence_now(session, registration)
    answer = check(
        registration,
        precedence,
        design.pairs,
        calibrated=calibrates(session, design.frozen.document["instrument"]),
        power=design.power,
        waiting=queue.waiting(session, design.queue),
    )
    return Answered(precedence, answer)


def checked(session: Session, frozen: Frozen, registrant: str, model_root: Path | None) -> Checked:
    """Everything that filing would say, without the log's lock and without writing anything.

    Raises `RefusedInputError` as filing would; not for a document that is on the ledger already, which is told.
    """
    first = first_filed(session, frozen.sha256)
    design = designed(session, frozen, registrant, model_root, once_more=first is not None)
    return Checked(frozen.sha256, first, len(design.shards), answered(session, design))


def first_filed(session: Session, sha256: str) -> str | None:
    """The claim that froze the document with this hash, reproductions apart; None where none did."""
    same = (col(ClaimRow.document_sha256) == sha256) & col(ClaimRow.reproduces).is_(None)
    return session.exec(select(ClaimRow.id).where(same)).one_or_none()


def _refuse(flaws: Sequence[Flaw]) -> None:
    if flaws:
        raise RefusedInputError(*flaws)
