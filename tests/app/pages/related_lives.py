"""A real ledger with claims that later entries concern: corrected, contested, measured again, contradicted, proven."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.ledger import checkpoints
from app.ledger.append import append
from app.ledger.comparing import compare_judged
from app.ledger.signing import Signing
from claims import beacon
from claims.anchored_round import MARGIN, Anchor, AnchoredRound
from claims.beacon import MAINNET
from claims.canonical import canonical_bytes, sha256_hex
from claims.evidence import Evidence
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate

from .documents import HOSTILE, SCRIPT, evidence, registration
from .filled_ledger import put
from .instrument_rows import planted_rows
from .lives import COMMIT, Step, measured, opened, registered

ROUNDS = Path(__file__).parents[2] / "fixtures" / "drand_rounds.json"
WITNESS = "witness.example/1"
CAUSE = "Ties in the ranking were broken by the component's name. " + SCRIPT
WHY = "A reader recomputed the ranks by hand. {{ 7 * 7 }} \u202eevil"
RUNS = {"gap": (0.21, 0.14, 0.28), "near": (0.22, 0.15, 0.29), "wide": (0.02, -0.04, 0.08), "far": (-0.2, -0.3, -0.1)}
ADAS, BOBS = "ad" * 32, "b0" * 32


def found(which: str) -> Evidence:
    value, lo, hi = RUNS[which]
    shown = evidence(estimates={"recovery_gap_constructed": {"value": value, "lo": lo, "hi": hi}})
    return shown.model_copy(update={"rows_sha256": sha256_hex(planted_rows())})


@dataclass
class Lives:
    """Files claims and judges them, by a word for each in `names`."""

    session: Session
    signing: Signing
    names: dict[str, str] = field(default_factory=dict)

    def file(self, word: str, document: Mapping[str, Any], by: str = "ada", **payload: Any) -> str:
        claim = self.names[word] = f"{word}{len(self.names):012d}"[:20]
        filed = registered(document)
        self.put(claim, replace(filed, actor=by, payload={**filed.payload, **payload}))
        return claim

    def put(self, claim: str, *steps: Step) -> None:
        put(self.session, claim, steps, rows=planted_rows(), signing=self.signing)

    def judge(
        self, claim: str, which: str, document: Mapping[str, Any], machine: str = ADAS, opening: Step | None = None
    ) -> None:
        ended, *judged = measured(f"{claim}-1", found(which), document)
        ended = replace(ended, payload={**ended.payload, "machines": [machine]})
        self.put(claim, opening or opened(f"{claim}-1"), ended, *judged)
        compare_judged(self.session, claim)

    def correct(self, claim: str, which: str, document: Mapping[str, Any], cause: str = CAUSE) -> None:
        body = found(which).model_dump(mode="json", by_alias=True)
        corrected = {
            "run": f"{claim}-1", "cause": cause, "reason": WHY, "evidence": body,
            "evidence_sha256": sha256_hex(canonical_bytes(body)), "rows_sha256": body["rows_sha256"],
            "code": {"commit": COMMIT, "dirty": "clean", "instrument_source_sha256": "5" * 64},
        }  # fmt: skip
        verdict = adjudicate(Registration.model_validate(document), found(which))
        self.put(claim, Step("corrected", "ada", 0, corrected))
        self.put(claim, Step("adjudicated", "ledger", 0, verdict.as_payload(f"{claim}-1")))
        compare_judged(self.session, claim)


def fill_related(session: Session, signing: Signing) -> dict[str, str]:
    """By a word for each: what is corrected, what stood on it, what was measured again, contradicted, proven."""
    lives = Lives(session, signing)
    louder = registration(title="Louder frozen components leave room")
    corrected = lives.file("corrected", louder)
    above = lives.file("above", registration(title="What follows from that room", builds_on=[corrected]))
    lives.file("higher", registration(title="And what follows from this", builds_on=[above]))
    lives.judge(corrected, "gap", louder)
    checkpoints.issue(session, signing)
    lives.correct(corrected, "wide", louder)
    lives.correct(corrected, "far", louder, "The second correction took the sign from the other side.")

    twice = registration(title="The same room, measured by several", reproduction_tolerance={
        "recovery_gap_constructed": 0.05, "recovery_gap": 0.02})  # fmt: skip
    original = lives.file("original", twice)
    lives.judge(original, "gap", twice)
    for word, by, which, machine in (
        ("agreeing", "bob", "near", BOBS),
        ("disagreeing", "carol <b>", "far", BOBS),
        ("rerun", "ada", "gap", ADAS),
    ):
        lives.judge(lives.file(word, twice, by, reproduces=original), which, twice, machine)
    lives.file("awaited", twice, "bob", reproduces=original)
    opposed = lives.file("opposed", registration(**HOSTILE), "bob")
    append(session, "contradicted", original, "bob", {"by": opposed, "reason": WHY})

    proven = registration(title="Nobody could know the organisms")
    claim = lives.file("proven", proven)
    lives.judge(claim, "gap", proven, opening=_with_beacon(opened(f"{claim}-1"), size=10_000))
    checkpoints.issue(session, signing)
    late = registration(title="Judged after the last signed head")
    lives.judge(lives.file("late", late), "gap", late)
    return lives.names


def _with_beacon(step: Step, size: int) -> Step:
    given = json.loads(ROUNDS.read_text())[-1]
    round_ = beacon.read_round(given)
    before = beacon.time_of(MAINNET, round_.round) - MARGIN - timedelta(seconds=1)
    mixed = AnchoredRound(MAINNET, round_, Anchor(size, "witness", WITNESS, before))
    return replace(step, payload={**step.payload, "beacon": mixed.as_payload()})
