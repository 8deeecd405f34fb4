"""The verdict: one pure function of the frozen registration and the evidence. Nobody submits one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument, Metric
from claims.registration.model import Registration
from claims.verdict.metric import Judged, judge, voided
from claims.verdict.study import study_voids
from claims.verdict.voids import Void, VoidReason


@dataclass(frozen=True)
class Verdict:
    """`status` of the claim, every hypothesis in the registration's order, and every void behind it."""

    status: str
    hypotheses: tuple[Judged, ...]
    voids: tuple[Void, ...]

    def as_payload(self, run: str) -> dict[str, Any]:
        """The payload of `adjudicated`."""
        return {"run": run, "status": self.status, "hypotheses": [asdict(judged) for judged in self.hypotheses]}


def adjudicate(
    registration: Registration, evidence: Evidence, instruments: Mapping[str, Instrument] | None = None
) -> Verdict:
    """The verdict on this evidence: study-level voids first, then each hypothesis on its own interval.

    Which metrics are exact, and in which range they lie, is what the instrument's manifest says, never the evidence;
    where it is not among the instruments, or does not know the metric, none is, and no range has ends.
    """
    known = catalogue() if instruments is None else instruments
    study = study_voids(registration, evidence, known)
    if study:
        figures = [(hypothesis, evidence.estimates.get(hypothesis.metric)) for hypothesis in registration.hypotheses]
        return Verdict("void", tuple(voided(*pair, study[0].reason) for pair in figures), study)
    instrument = known.get(registration.instrument.name)
    results = [
        judge(hypothesis, registration, evidence, _metric(hypothesis.metric, registration, instrument))
        for hypothesis in registration.hypotheses
    ]
    hypotheses = tuple(judged for judged, _ in results)
    return Verdict(_status(registration, hypotheses), hypotheses, tuple(void for _, void in results if void))


def _metric(name: str, registration: Registration, instrument: Instrument | None) -> Metric | None:
    """The metric with the range that it has in this registration."""
    metric = instrument.MANIFEST.metric(name) if instrument else None
    return metric and metric.within(registration)


def void_without_evidence(registration: Registration, reason: VoidReason | str, figures: Mapping[str, Any]) -> Verdict:
    """The verdict on a run that left no evidence; raises ValueError for a reason that is not study-level."""
    void = Void(VoidReason(reason), figures)
    if void.scope != "study":
        raise ValueError(f"{reason} touches one metric: it needs evidence")
    hypotheses = tuple(voided(hypothesis, None, void.reason) for hypothesis in registration.hypotheses)
    return Verdict("void", hypotheses, (void,))


def _status(registration: Registration, hypotheses: tuple[Judged, ...]) -> str:
    """Only primaries decide: any refuted, else any void, else all confirmed, else inconclusive."""
    both = zip(registration.hypotheses, hypotheses, strict=True)
    outcomes = {judged.outcome for hypothesis, judged in both if hypothesis.primary}
    for word in ("refuted", "void"):
        if word in outcomes:
            return word
    return "confirmed" if outcomes == {"confirmed"} else "inconclusive"
