"""How far a claim may be leaned on: computed from what the log says, never set."""

from __future__ import annotations

from typing import Literal

Trust = Literal["exploratory", "calibrated", "registered", "adjudicated"]
TRUSTS: tuple[Trust, ...] = ("exploratory", "calibrated", "registered", "adjudicated")
_BEFORE_THE_DATA = frozenset({"proven", "committed", "recorded"})
_DECIDED = frozenset({"confirmed", "refuted"})


def is_registered(precedence: str) -> bool:
    """Whether the prediction is known to come before its data."""
    return precedence in _BEFORE_THE_DATA


def trust_of(precedence: str, status: str, *, calibrated: bool) -> Trust:
    """The trust of a claim of this precedence and status.

    `calibrated`: its instrument's version holds a passing scorecard on organisms. A refutation is a decision as much
    as a confirmation is; both need the prediction first and the instrument calibrated to be `adjudicated`.
    """
    if is_registered(precedence):
        return "adjudicated" if calibrated and status in _DECIDED else "registered"
    return "calibrated" if calibrated else "exploratory"
