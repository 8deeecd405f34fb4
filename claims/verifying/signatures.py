"""Whose key signed: the one that this client pinned, never the one that the bundle brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from claims import checkpoint
from claims.verifying.case import Case
from claims.verifying.lines import CannotBeCheckedError, DoesNotHoldError

Said = TypeVar("Said")
_HOW = {
    "given": "the key that was given",
    "remembered": "the key that this client remembers",
    "first use": "TRUSTED ON FIRST USE: the key that the service showed just now, pinned from here on",
}


def check_key(case: Case) -> str:
    """The bundle's key is the pinned one."""
    own = case.parts.vkey.removesuffix("\n")
    if case.pin is None:
        raise CannotBeCheckedError(
            f"nothing but the bundle names its key, {own}: ask the log's operator for it, give it by --vkey"
        )
    if own != case.pin.vkey:
        forget = f" To follow another log of that name, remove {case.pin.where}." if case.pin.where else ""
        raise DoesNotHoldError(f"the bundle brings the key {own}, and the pinned one is {case.pin.vkey}.{forget}")
    return f"{own}, {_HOW[case.pin.how]}"


def check_checkpoint(case: Case) -> str:
    """The checkpoint is signed by the pinned key, for the log that the key is of."""
    head = signed(case, lambda vkey: checkpoint.verify(case.parts.checkpoint, vkey))
    return f"{head.origin}, {head.size} entries, root {head.root.hex()}"


def signed(case: Case, verify: Callable[[str], Said]) -> Said:
    """What `verify` reads under the case's key; raises CannotBeCheckedError where only the bundle's own key holds."""
    said = verify(case.vkey)
    if case.pin is None:
        raise CannotBeCheckedError(
            "the signature holds under the key that the bundle itself brings, which shows nothing"
        )
    return said
