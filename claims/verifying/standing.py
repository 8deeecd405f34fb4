"""Precedence and trust: what the rules give, as far as one claim's entries tell."""

from __future__ import annotations

from claims.instruments import catalogue
from claims.precedence import is_generated, precedence_at_filing
from claims.registration.model import Registration
from claims.trust import trust_of
from claims.verifying.case import Case
from claims.verifying.lines import CannotBeCheckedError, require


def check_precedence(case: Case) -> str:
    """The precedence at filing is one that the rule can give; whether the rest of the ledger agrees, it alone knows."""
    registration, stated = case.registration, case.registered.payload["precedence"]
    possible = _possible(registration)
    require(stated in possible, f"the entry says {stated}, and the rule gives {' or '.join(sorted(possible))}")
    if len(possible) > 1:
        unknown = "whether data had opened of what it amends" if registration.amends else "what was measured before"
        raise CannotBeCheckedError(
            f"{stated} is possible, as is {_others(possible, stated)}: {unknown} is not in a bundle"
        )
    now = stated if case.life is None else case.life.precedence
    risen = f", {now} once opened, as far as beacon and anchor hold" if now != stated else ""
    return f"{stated}, as the rule gives it{risen}"


def _possible(registration: Registration) -> set[str]:
    amended = (False, True) if registration.amends else (False,)
    earlier = (False,) if is_generated(registration) else (False, True)
    return {
        precedence_at_filing(registration, amended_after_opening=one, earlier_evidence=other)
        for one in amended
        for other in earlier
    }


def _others(possible: set[str], stated: str) -> str:
    return " or ".join(sorted(possible - {stated}))


def check_trust(case: Case) -> str:
    """What trust follows from precedence and status; whether the instrument is calibrated rests on other claims."""
    state = case.life
    if state is None:
        raise CannotBeCheckedError("the entries are no claim's life, so it has no status")
    chosen = case.registration.instrument
    instrument = catalogue().get(chosen.name)
    calibrations = instrument.MANIFEST.calibrations if instrument else ()
    can_be = (False, True) if calibrations else (False,)
    possible = {calibrated: trust_of(state.precedence, state.status, calibrated=calibrated) for calibrated in can_be}
    words = set(possible.values())
    if len(words) > 1:
        raise CannotBeCheckedError(
            f"{possible[True]} if {chosen.name} {chosen.version} is calibrated, else {possible[False]}: its scorecard "
            "rests on other claims"
        )
    return f"{possible[False]}, as the rule gives it"
