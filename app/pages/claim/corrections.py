"""Every verdict that a claim has had: what each correction found instead, side by side, and what had been wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from app.ledger import judgements as ledger
from app.pages import words
from app.pages.claim.facts import Fact, commit
from app.pages.claim.outcome import Judgement, judgements
from claims.instruments.manifest import Manifest
from claims.registration.model import Registration


@dataclass(frozen=True)
class Verdict:
    """A verdict as a correction names it; `number` counts the claim's verdicts from 1."""

    number: int
    status: str
    time: datetime
    evidence_sha256: str


@dataclass(frozen=True)
class Change:
    """A hypothesis as it was judged before the correction, and since."""

    before: Judgement
    since: Judgement

    @property
    def moved(self) -> str:
        old, new = self.before.estimate, self.since.estimate
        if old is None or new is None:
            return ""
        if old == new:
            return "the same estimate"
        return f"moved by {words.number(new - old)}"


@dataclass(frozen=True)
class Correction:
    """One correction: who had it made, when, why, with what code, and what it changed."""

    actor: str
    time: datetime
    seq: int
    cause: str
    reason: str
    code: Fact
    before: Verdict
    since: Verdict
    changes: Sequence[Change]


def corrections(
    registration: Registration, manifest: Manifest | None, verdicts: Sequence[ledger.Judgement]
) -> list[Correction]:
    """The newest first, so that what stands now comes on top. `verdicts` are the claim's, oldest first."""
    return list(_corrections(registration, manifest, verdicts))[::-1]


def _corrections(
    registration: Registration, manifest: Manifest | None, verdicts: Sequence[ledger.Judgement]
) -> Iterator[Correction]:
    for old, new in pairwise(verdicts):
        why = new.correction
        assert why is not None, "a second verdict follows a correction"
        shown = (judgements(registration, manifest, one.hypotheses) for one in (old, new))
        yield Correction(
            actor=why.actor,
            time=why.time,
            seq=why.seq,
            cause=why.cause,
            reason=why.reason,
            code=commit("Computed by", why.code["commit"], why.code["dirty"]),
            before=_verdict(old),
            since=_verdict(new),
            changes=[Change(*both) for both in zip(*shown, strict=True)],
        )


def _verdict(found: ledger.Judgement) -> Verdict:
    return Verdict(found.number, found.status, found.time, found.evidence_sha256)
