"""The word of somebody outside that the checkpoint which a beacon round follows existed at its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography.x509 import Certificate

from claims import checkpoint, cosignature, timestamps
from claims.anchored_round import Anchor
from claims.entries import format_time
from claims.verifying.consistency import ForkError, Prove, check_consistency
from claims.verifying.lines import CannotBeCheckedError, DoesNotHoldError, require


@dataclass(frozen=True)
class Outside:
    """What stands beside the log: the anchored checkpoint's note with its cosignatures, or a timestamp of it.

    `witnesses` (verifier keys) and `roots` are those that this client believes; `prove` gives consistency proofs.
    """

    note: str
    timestamp: bytes | None = None
    witnesses: Sequence[str] = ()
    roots: Sequence[Certificate] = ()
    prove: Prove | None = None


def check_outside(anchor: Anchor, outside: Outside, bundle: str, vkey: str) -> str:
    """The anchored checkpoint is the log's, the bundle's continues it, and the anchor gave it the time it is said to.

    Raises as every check does. `bundle` is the note of the bundle's checkpoint, `vkey` the pinned key of the log.
    """
    head = checkpoint.verify(outside.note, vkey)
    require(head.size == anchor.size, f"the checkpoint is over {head.size} entries, and the anchor over {anchor.size}")
    try:
        check_consistency(head, checkpoint.verify(bundle, vkey), outside.prove)
    except ForkError as fork:
        raise DoesNotHoldError(f"the bundle is of another history than was anchored: {fork.why}") from fork
    time = _cosigned(anchor, outside) if anchor.kind == "witness" else _timestamped(anchor, outside)
    said, stated = format_time(time), format_time(anchor.time)
    require(time == anchor.time, f"the {anchor.kind} {anchor.name} gives the time {said}, and the entry {stated}")
    return f"the {anchor.kind} {anchor.name} saw the checkpoint over {anchor.size} entries at {stated}"


def _cosigned(anchor: Anchor, outside: Outside) -> datetime:
    known = [vkey for vkey in outside.witnesses if vkey.partition("+")[0] == anchor.name]
    if not known:
        raise CannotBeCheckedError(f"the key of the witness {anchor.name} is not known here: give it by --witness")
    return cosignature.verify(outside.note, known[0])


def _timestamped(anchor: Anchor, outside: Outside) -> datetime:
    if outside.timestamp is None or not outside.roots:
        raise CannotBeCheckedError(
            f"the answer of {anchor.name} is not in a bundle: give it by --timestamp, and the certificates that you "
            "believe by --timestamp-roots"
        )
    return timestamps.verify(outside.timestamp, timestamps.text_of(outside.note), outside.roots)
