"""Everything the claim page's template needs, in the order in which the page answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.ledger.judgements import judgements_in
from app.ledger.records import Link
from app.pages.charts.forest import forest
from app.pages.charts.theme import Picture
from app.pages.claim import outcome, sureness
from app.pages.claim.attempts import Tried, tried
from app.pages.claim.citation import Citation, citation
from app.pages.claim.comparisons import Compared, MeasuredAgain, compared, measured_again
from app.pages.claim.corrections import Correction, corrections
from app.pages.claim.design import Design, design_of
from app.pages.claim.facts import Fact, FactGroup, fact_groups
from app.pages.claim.families import Grouped, grouped
from app.pages.claim.forecasts import Forecasts, forecasts_of
from app.pages.claim.mixed_in import beacon_facts
from app.pages.claim.outcome import Judgement
from app.pages.claim.proof import Proof, proof
from app.pages.claim.record import ClaimRecord, Ground, Named, Reason, Work
from app.pages.claim.sureness import Check
from app.pages.claim.timeline import Moment, timeline
from claims.entries import Entry
from claims.evidence import Estimate
from claims.instruments import catalogue
from claims.registration.model import Registration
from claims.warned import Alike, by_code

STATUS_SAYS = {
    "registered": "Frozen and waiting for a worker. Nothing has been measured.",
    "running": "Being measured now.",
    "void": "Nothing could be decided. Void is neither a refutation nor a pass.",
    "withdrawn": "Withdrawn by its registrant before any data opened. What was predicted stays on the record.",
}


@dataclass(frozen=True)
class Download:
    name: str
    url: str
    says: str
    available: bool


@dataclass(frozen=True)
class ClaimPage:
    """One claim, told in order: predicted, came out, came before, measured by, how sure, links, gaps, downloads."""

    id: str
    status: str
    headline: str
    registrant: str
    filed: datetime
    contested: bool
    overdue: bool
    superseded_by: Link | None
    original: Named | None
    beside_original: Compared | None
    ground: Ground | None
    registration: Registration
    document_sha256: str
    document: str
    design: Design | None
    warnings: Sequence[Alike]
    judgements: Sequence[Judgement]
    forest: Picture | None
    corrections: Sequence[Correction]
    reasons: Sequence[Reason]
    timeline: Sequence[Moment]
    forecasts: Forecasts
    precedence: str
    precedence_why: str
    beacon: Sequence[Fact]
    fact_groups: Sequence[FactGroup]
    tried: Tried | None
    checks: Sequence[Check]
    method: Sequence[Fact]
    again: MeasuredAgain
    how_to_reproduce: str | None
    links: Sequence[Link]
    estimates: Grouped[Estimate]
    diagnostics: Grouped[float]
    not_measured: Grouped[str]
    counts: Grouped[int]
    evidence_sha256: str | None
    rows_sha256: str | None
    recomputed: bool | None
    withdrawal: str | None
    work: Work | None
    downloads: Sequence[Download]
    proof: Proof
    citation: Citation

    @property
    def live(self) -> bool:
        """Whether the page will change by itself before long."""
        return self.status in {"registered", "running"}


def claim_page(record: ClaimRecord, base_url: str) -> ClaimPage:
    registration, evidence = record.registration, record.evidence
    registered = record.entries[0]
    instrument = catalogue().get(registration.instrument.name)
    manifest = instrument.MANIFEST if instrument else None
    asked = [hypothesis.metric for hypothesis in registration.hypotheses]
    judged = outcome.judgements(registration, manifest, _last_verdict(record.entries))
    return ClaimPage(
        id=record.id,
        status=record.status,
        headline=headline(record.status, judged),
        registrant=record.registrant,
        filed=registered.time,
        contested=record.contested,
        overdue=record.overdue,
        superseded_by=next((link for link in record.links if link.type == "supersedes" and link.incoming), None),
        original=record.original.named if record.original else None,
        beside_original=compared(record.original.compared) if record.original and record.original.compared else None,
        ground=record.ground,
        registration=registration,
        document_sha256=record.document_sha256,
        document=json.dumps(json.loads(record.document), ensure_ascii=False, indent=2),
        design=design_of(registered.payload["check"]),
        warnings=by_code(registered.payload["check"]),
        judgements=judged,
        forest=_forest(judged),
        corrections=corrections(registration, manifest, judgements_in(record.entries)),
        reasons=record.voids,
        timeline=timeline(record.entries),
        forecasts=forecasts_of(record.entries),
        precedence=record.precedence,
        precedence_why=record.precedence_why,
        beacon=beacon_facts(record.entries),
        fact_groups=fact_groups(record),
        tried=tried(record.id, record.tried) if record.tried else None,
        checks=sureness.checks(registration, evidence),
        method=sureness.method_facts(record),
        again=measured_again(record.comparisons),
        how_to_reproduce=None if record.status == "withdrawn" else _how_to_reproduce(record.id, base_url),
        links=record.links,
        estimates=grouped(evidence.estimates if evidence else {}, asked),
        diagnostics=grouped(sureness.diagnostics_beyond_checks(registration, evidence) if evidence else {}),
        not_measured=grouped(evidence.not_measured if evidence else {}, asked),
        counts=grouped(evidence.counts if evidence else {}),
        evidence_sha256=record.evidence_sha256,
        rows_sha256=record.rows_sha256,
        recomputed=record.recomputed,
        withdrawal=next((entry.payload["reason"] for entry in record.entries if entry.type == "withdrawn"), None),
        work=record.work,
        downloads=downloads(record),
        proof=proof(record, base_url),
        citation=citation(
            claim=record.id,
            title=registration.title,
            registrant=record.registrant,
            filed=registered.time,
            status=record.status,
            sha256=record.document_sha256,
            url=f"{base_url}/claims/{record.id}",
        ),
    )


def headline(status: str, judged: Sequence[Judgement]) -> str:
    """The verdict in one sentence, with what decided it."""
    if status in STATUS_SAYS:
        return STATUS_SAYS[status]
    primaries = [one for one in judged if one.primary]
    decisive = [one for one in primaries if one.outcome == status]
    names = ", ".join(one.id for one in decisive)
    if not decisive:
        return f"The ledger lists this claim as {status}, and its log does not say so: ask the operator for an audit."
    if len(primaries) == 1:
        return f"The primary hypothesis, {names}, was judged {status}. {decisive[0].why}"
    if status == "refuted":
        return f"Of {len(primaries)} primary hypotheses {names} came out refuted; one is enough to refute the claim."
    if status == "confirmed":
        return f"All {len(primaries)} primary hypotheses were confirmed."
    return f"Of {len(primaries)} primary hypotheses {names} stayed undecided, and none was refuted."


def downloads(record: ClaimRecord) -> list[Download]:
    """Everything that is kept of the claim, as files."""
    page, api, measured = f"/claims/{record.id}", f"/v1/claims/{record.id}", record.evidence is not None
    always = [
        ("Document", f"{page}/registration.json", "the frozen bytes, whose SHA-256 the claim is known by"),
        ("Receipt", f"{page}/receipt.json", "signed when it was filed; the log page tells how to check it"),
        ("History", f"{api}/history", "every entry of the log that concerns it, with its exact bytes"),
        ("Claim", api, "all of this page, JSON"),
    ]
    once_measured = [
        ("Evidence", f"{api}/evidence", "estimates, diagnostics, provenance, JSON"),
        ("Rows", f"{api}/rows", "every measured row, enough to recompute every estimate, JSON lines"),
    ]
    return [Download(*file, available=True) for file in always] + [
        Download(*file, available=measured) for file in once_measured
    ]


def _how_to_reproduce(claim: str, base_url: str) -> str:
    return f'curl -X POST -H "Authorization: Bearer $ANTEDATE_KEY" {base_url}/v1/claims/{claim}/reproduce'


def _last_verdict(entries: Sequence[Entry]) -> Sequence[dict[str, Any]]:
    verdicts = [entry.payload["hypotheses"] for entry in entries if entry.type == "adjudicated"]
    return verdicts[-1] if verdicts else []


def _forest(judged: Sequence[Judgement]) -> Picture | None:
    if not any(one.lo is not None for one in judged):
        return None
    return forest(outcome.forest_rows(judged), outcome.text_alternative(judged))
