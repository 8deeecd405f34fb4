"""How we know that the prediction came before the data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from claims.anchored_round import AnchoredRound
from claims.registration.model import Registration

Precedence = Literal["proven", "committed", "recorded", "attested", "post_hoc"]
PRECEDENCES: tuple[Precedence, ...] = ("proven", "committed", "recorded", "attested", "post_hoc")

_WHY: Mapping[str, str] = MappingProxyType(
    {
        "proven": "The data was generated from a seed that mixes a nonce with a public beacon round published after "
        "an externally witnessed checkpoint held the receipt, so nobody could have known it at freeze.",
        "committed": "The data is generated from a nonce that the ledger drew and committed to at filing and revealed "
        "only when the first worker started, so the registrant could not have known it; this trusts the operator, as "
        "no public beacon was mixed in: either none is set up here, or the data is not open yet, or no anchor or round "
        "came in time.",
        "recorded": "No evidence on this subject and instrument was on the ledger before, and the registrant states "
        "that nothing of it was seen elsewhere; the data existed, so it could have been measured in private.",
        "attested": "The record was imported: its date rests on somebody's word.",
        "post_hoc": "The data, or evidence on the same subject and instrument, was known before the prediction was "
        "frozen, or the registrant says that some of it had been seen.",
    }
)


def precedence_at_filing(
    registration: Registration, *, amended_after_opening: bool, earlier_evidence: bool
) -> Precedence:
    """The precedence of a claim as it is filed on a ledger that mixes in no beacon; the first match wins.

    `amended_after_opening`: it amends a claim whose data had opened. `earlier_evidence`: evidence on the same weights
    hash, dataset lineage and instrument is on the ledger already. Imported records never pass here.
    """
    if amended_after_opening:
        return "post_hoc"
    if is_generated(registration):
        return "committed"
    if earlier_evidence or registration.prior_exposure.level != "none":
        return "post_hoc"
    return "recorded"


def precedence_once_opened(filed: str, registered: int, beacon: AnchoredRound | None) -> str:
    """The precedence of a claim whose data opened with `beacon`: `proven` where it was `committed` and nobody chose.

    `registered` is the seq of its `registered` entry. Arithmetic alone: that the group signed the round
    (`AnchoredRound.verify`) and that the anchor said so (its token or cosignature) is for whoever opens, and verifies.
    """
    rises = filed == "committed" and beacon is not None and beacon.follows(registered)
    return "proven" if rises else filed


def is_generated(registration: Registration) -> bool:
    """Whether what is measured does not exist before the nonce is revealed: a generated model or dataset."""
    subject = registration.subject
    return subject.model.kind == "organism" or subject.dataset.kind == "generated"


def why(precedence: str) -> str:
    """A sentence for people: what this precedence rests on, and whom it trusts."""
    return _WHY[precedence]
