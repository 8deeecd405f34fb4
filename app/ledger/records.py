"""Reading what belongs to one claim: its links, its runs with their progress, its evidence and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.ledger.tables import ClaimRow, EvidenceRow, LinkRow, RunRow, ShardRow
from claims.canonical import canonical_bytes


@dataclass(frozen=True)
class Link:
    """A link as seen from one claim: `type` leads from it to `claim`, or, `incoming`, from `claim` to it."""

    type: str
    incoming: bool
    claim: str
    title: str
    status: str
    reason: str
    actor: str
    time: datetime


def links_of(session: Session, claim: str) -> list[Link]:
    """Every link of the claim, both ways, in the order in which they were drawn."""
    drawn: list[tuple[int, Link]] = []
    for here, there, incoming in ((LinkRow.source, LinkRow.target, False), (LinkRow.target, LinkRow.source, True)):
        query = select(LinkRow, ClaimRow.id, ClaimRow.title, ClaimRow.status).join(
            ClaimRow, col(ClaimRow.id) == col(there)
        )
        for link, other, title, status in session.exec(query.where(here == claim)):
            shown = Link(link.type, incoming, other, title, status, link.reason, link.actor, link.time)
            drawn.append((link.seq, shown))
    return [link for _, link in sorted(drawn, key=lambda pair: (pair[0], pair[1].incoming, pair[1].claim))]


@dataclass(frozen=True)
class Progress:
    """A run and how far it is. `rate` is in rows a second, `eta_seconds` what the rest takes at that rate.

    Both are None until there is something to go by. `failure` is what went wrong last, if anything has. Before
    `not_before` no worker takes the run, so that its claim can be forecast. A run that had ended when its ledger was
    rebuilt or imported has no shards, and no `queue`: the log does not hold them.
    """

    id: str
    claim: str
    number: int
    status: str
    queue: str | None
    not_before: datetime | None
    queued: datetime
    opened: datetime | None
    ended: datetime | None
    shards_done: int
    shards_total: int
    rows_done: int
    rows_total: int
    attempts: int
    workers: Sequence[str]
    rate: float | None
    eta_seconds: float | None
    failure: str | None


def run(session: Session, run_id: str) -> Progress | None:
    return next(iter(_progress(session, RunRow.id == run_id)), None)


def runs_of(session: Session, claim: str) -> list[Progress]:
    """The claim's runs in the order in which they were queued."""
    return _progress(session, RunRow.claim == claim)


@dataclass(frozen=True)
class FoundEvidence:
    """Evidence with the bytes that `sha256` is the hash of."""

    run: str
    sha256: str
    rows_sha256: str
    body: dict[str, Any]

    @property
    def canonical(self) -> bytes:
        return canonical_bytes(self.body)


def evidence_of(session: Session, claim: str) -> FoundEvidence | None:
    """The evidence of the claim's deciding run, corrected where it was; None while there is none."""
    deciding = select(EvidenceRow).join(ClaimRow, col(ClaimRow.run) == col(EvidenceRow.run))
    query = deciding.where(ClaimRow.id == claim).execution_options(populate_existing=True)
    row = session.exec(query).one_or_none()
    return None if row is None else FoundEvidence(row.run, row.sha256, row.rows_sha256, row.body)


def _progress(session: Session, which: Any) -> list[Progress]:  # noqa: ANN401 - an SQL condition
    now = session.exec(select(func.clock_timestamp())).one()
    query = select(RunRow).where(which).order_by(col(RunRow.number)).execution_options(populate_existing=True)
    return [_of(row, _shards(session, row.id), now) for row in session.exec(query).all()]


def _shards(session: Session, run_id: str) -> list[ShardRow]:
    query = select(ShardRow).where(ShardRow.run == run_id).order_by(col(ShardRow.index))
    return list(session.exec(query.execution_options(populate_existing=True)))


def _of(row: RunRow, shards: Sequence[ShardRow], now: datetime) -> Progress:
    done, total = sum(shard.rows_done for shard in shards), sum(shard.rows_total for shard in shards)
    rate = _rate(done, row, now)
    failures = [shard.failure for shard in shards if shard.failure is not None]
    return Progress(
        id=row.id,
        claim=row.claim,
        number=row.number,
        status=row.status,
        queue=shards[0].queue if shards else None,
        not_before=shards[0].not_before if shards else None,
        queued=row.queued,
        opened=row.opened,
        ended=row.ended,
        shards_done=sum(shard.status == "done" for shard in shards),
        shards_total=len(shards),
        rows_done=done,
        rows_total=total,
        attempts=max((shard.attempts for shard in shards), default=0),
        workers=sorted({shard.worker for shard in shards if shard.worker is not None}),
        rate=rate,
        eta_seconds=(total - done) / rate if rate and row.status == "running" else None,
        failure=row.failure or (failures[-1] if failures else None),
    )


def _rate(done: int, row: RunRow, now: datetime) -> float | None:
    if row.opened is None or done == 0:
        return None
    seconds = ((row.ended or now) - row.opened).total_seconds()
    return done / seconds if seconds > 0 else None
