"""The public beacon round that was mixed into the seeds, if any."""

from __future__ import annotations

from claims import anchored_round
from claims.anchored_round import Anchor, AnchoredRound
from claims.entries import format_time
from claims.verifying.anchoring import check_outside
from claims.verifying.case import Case
from claims.verifying.lines import CannotBeCheckedError, require

NONE = "none was mixed in: the seeds rest on the nonce alone"


def check_beacon(case: Case) -> str:
    """The round is signed by its chain's group, and is the first after the anchor, which held the registration."""
    mixed = _mixed_in(case)
    if mixed is None:
        return NONE
    mixed.verify()
    name = f"round {mixed.round.round} of the chain {mixed.chain.hash}"
    settled = mixed.follows(case.registered.seq)
    require(settled, f"{name} is not the round that a checkpoint with entry {case.registered.seq} settles on")
    if mixed.chain.hash not in case.chains:
        raise CannotBeCheckedError(
            f"{name} is signed by its group, and whose that is, is not known here: if you know it, give --beacon-chain"
        )
    return f"{name}, published at {format_time(mixed.time)}, signed by its group"


def check_anchor(case: Case) -> str:
    """Somebody outside says that the checkpoint which the round follows existed: their word stands beside the log."""
    anchor = anchor_of(case)
    if anchor is None:
        return "none is claimed, as no beacon was mixed in"
    if case.outside is None or case.pin is None:
        raise CannotBeCheckedError(
            f"that the checkpoint over {anchor.size} entries existed at {format_time(anchor.time)} is the word of the "
            f"{anchor.kind} {anchor.name}, which stands beside the log and not in a bundle"
        )
    return check_outside(anchor, case.outside, case.parts.checkpoint, case.pin.vkey)


def anchor_of(case: Case) -> Anchor | None:
    """The anchor that the mixed-in round follows; None where none was mixed in."""
    mixed = _mixed_in(case)
    return None if mixed is None else mixed.anchor


def _mixed_in(case: Case) -> AnchoredRound | None:
    opened = case.of_type("opened")
    if not opened:
        raise CannotBeCheckedError("no worker has opened the claim")
    payload = opened[0].payload["beacon"]
    return None if payload is None else anchored_round.read(payload)
