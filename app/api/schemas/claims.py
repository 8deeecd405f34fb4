from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field

from app.api.schemas.answers import Answer, ClaimId, Commit, RunId, Sha256, Time
from app.api.schemas.attempts import AttemptsAtMetric
from app.api.schemas.voids import Void
from app.ledger import judgements
from app.ledger.queries import ClaimSummary
from app.ledger.records import Link
from app.ledger.tables import HypothesisRow
from claims.provenance import label


def commit_of(code: Mapping[str, Any]) -> Commit:
    """The commit of a payload or of evidence, with its label."""
    return Commit(commit=code["commit"], dirty=code["dirty"], label=label(code["commit"], code["dirty"]))


class HypothesisOutcome(Answer):
    """A hypothesis with what was adjudicated of it; everything is null before, and where nothing was measured."""

    id: str = Field(examples=["H1"])
    metric: str = Field(examples=["recovery_gap_constructed"])
    primary: bool
    estimate: float | None
    lo: float | None
    hi: float | None
    level: float | None
    outcome: str | None = Field(description="confirmed, refuted, inconclusive or void")
    void_reason: str | None

    @classmethod
    def columns(cls, row: HypothesisRow) -> dict[str, Any]:
        return {name: getattr(row, name) for name in HypothesisOutcome.model_fields}


class ListedClaim(Answer):
    """A claim as lists show it. Times are null until what they tell has happened."""

    id: ClaimId
    url: str = Field(examples=["/v1/claims/k3v9x2m8q4w7"])
    page: str = Field(description="For people.", examples=["/claims/k3v9x2m8q4w7"])
    title: str
    statement: str
    status: str = Field(examples=["refuted"])
    superseded: bool
    superseded_by: ClaimId | None
    contested: bool = Field(description="Something it builds on is refuted, superseded or corrected away.")
    reproduced: bool = Field(description="An independent reproduction is recorded, whatever it found.")
    corrected: bool = Field(description="Its verdict was computed anew; every one is among its judgements.")
    precedence: str = Field(examples=["committed"])
    trust: str = Field(examples=["registered"])
    registrant: str
    instrument: str = Field(examples=["planted_key_recovery"])
    model: str = Field(examples=["organism:planted_key"])
    metrics: list[str]
    document_sha256: Sha256
    reproduces: ClaimId | None
    run: RunId | None = Field(description="The run that decides; null before one opened.")
    filed: Time
    opened: Time | None
    judged: Time | None
    withdrawn: Time | None
    code: Commit | None = Field(description="The code that measured; null before.")
    hypotheses: list[HypothesisOutcome]

    @classmethod
    def of(cls, claim: ClaimSummary) -> Self:
        hypotheses = [HypothesisOutcome(**HypothesisOutcome.columns(row)) for row in claim.hypotheses]
        return cls(**listed(claim), hypotheses=hypotheses)


def listed(claim: ClaimSummary) -> dict[str, Any]:
    """What every answer about a claim holds, its hypotheses apart."""
    measured = claim.commit is not None
    given = {"url", "page", "code", "hypotheses", "superseded", "metrics"}
    return {
        **{name: getattr(claim, name) for name in ListedClaim.model_fields if name not in given},
        "url": f"/v1/claims/{claim.id}",
        "page": f"/claims/{claim.id}",
        "superseded": claim.superseded,
        "metrics": list(claim.metrics),
        "code": commit_of({"commit": claim.commit, "dirty": claim.dirty}) if measured else None,
    }


class FullHypothesis(HypothesisOutcome):
    """The same, with what was frozen of it."""

    statement: str
    predict: dict[str, Any]


class ClaimLink(Answer):
    """A link as seen from this claim: it leads to `claim`, or, `incoming`, comes from it."""

    type: str = Field(examples=["supersedes"])
    incoming: bool
    claim: ClaimId
    title: str
    status: str
    reason: str
    actor: str
    time: Time

    @classmethod
    def of(cls, link: Link) -> Self:
        return cls(**vars(link))


class Correction(Answer):
    """Why a verdict was computed anew: what was wrong, who had it corrected, and the code that computed it."""

    seq: int
    time: Time
    actor: str
    cause: str
    reason: str
    code: Commit
    instrument_source_sha256: Sha256

    @classmethod
    def of(cls, correction: judgements.Correction) -> Self:
        given = {**vars(correction), "code": commit_of(correction.code)}
        return cls(**given, instrument_source_sha256=correction.code["instrument_source_sha256"])


class JudgedHypothesis(Answer):
    """What a verdict says of one hypothesis."""

    id: str
    estimate: float | None
    lo: float | None
    hi: float | None
    level: float | None
    outcome: str
    void_reason: str | None


class Judgement(Answer):
    """One verdict on evidence; the last of a claim stands, and the earlier ones stay."""

    number: int
    seq: int
    time: Time
    run: RunId
    status: str
    hypotheses: list[JudgedHypothesis]
    evidence: str = Field(examples=["/v1/claims/k3v9x2m8q4w7/evidence?judgement=1"])
    evidence_sha256: Sha256
    rows_sha256: Sha256
    correction: Correction | None = Field(description="What led to it; null for the first.")

    @classmethod
    def of(cls, claim: str, judgement: judgements.Judgement) -> Self:
        named = ("number", "seq", "time", "run", "status", "evidence_sha256", "rows_sha256")
        return cls(
            **{name: getattr(judgement, name) for name in named},
            hypotheses=[JudgedHypothesis(**found) for found in judgement.hypotheses],
            evidence=f"/v1/claims/{claim}/evidence?judgement={judgement.number}",
            correction=Correction.of(judgement.correction) if judgement.correction else None,
        )


class ComparedMetric(Answer):
    """A metric in both measurements; `tolerance` is null where the outcome alone is compared."""

    metric: str
    original: float | None
    reproduction: float | None
    difference: float | None
    tolerance: float | None


class Reproduction(Answer):
    """The same document measured once more, and what comparing the two says: independent or not, agreeing or not."""

    by: ClaimId
    run: RunId
    registrant: str
    status: str
    kind: str = Field(description="reproduction (another registrant, other machines) or rerun", examples=["rerun"])
    agrees: bool
    why: str
    compared: list[ComparedMetric]
    seq: int
    time: Time
    current: bool = Field(description="Neither of the two was judged again since.")

    @classmethod
    def of(cls, reproduction: judgements.Reproduction) -> Self:
        compared = [ComparedMetric(**metric) for metric in reproduction.compared]
        return cls(**{**vars(reproduction), "compared": compared})


class Claim(ListedClaim):
    """A claim whole. The frozen document never changes; what came of it is added."""

    hypotheses: list[FullHypothesis]  # type: ignore[assignment]  # narrower on purpose: a full claim's have more
    registration: dict[str, Any] = Field(description="The frozen document.")
    not_before: Time | None = Field(
        description="It is opened no earlier, so that others can forecast it; null where it need not wait."
    )
    precedence_reason: str = Field(description="Why the precedence is what it is, in words.")
    service: Commit = Field(description="The code of the service that froze it.")
    voids: list[Void]
    judgements: list[Judgement] = Field(description="Every verdict on evidence, oldest first; the last one stands.")
    reproductions: list[Reproduction] = Field(description="Of each claim that reproduces this one, what was last said.")
    links: list[ClaimLink]
    attempts: list[AttemptsAtMetric] = Field(description="How often it was tried, by metric, primaries first.")
