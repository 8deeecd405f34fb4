"""What a visitor asked for in the address: read strictly, so that a mistyped filter never shows an unfiltered list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from starlette.datastructures import QueryParams

from app.errors import InvalidQueryError
from app.ledger.bounds import FIGURES, MOMENTS, Bounds, figure, moment
from app.ledger.filters import ClaimFilter
from app.pages.listing import DIRTY, FLAGS, SEVERAL
from claims.flaws import Flaw, pointer
from claims.lifecycle import CLAIM_STATUSES
from claims.precedence import PRECEDENCES
from claims.trust import TRUSTS

CLOSED = {
    "status": CLAIM_STATUSES,
    "precedence": PRECEDENCES,
    "trust": TRUSTS,
    "dirty": DIRTY,
    **dict.fromkeys(FLAGS, ("true", "false")),
}
LONGEST_SEARCH = 1000  # the same as the API's
BOUNDS: Mapping[str, Callable[[str], Any]] = {**dict.fromkeys(MOMENTS, moment), **dict.fromkeys(FIGURES, figure)}
CLAIMS = ("q", *SEVERAL, *FLAGS, *BOUNDS, "cursor")


def filters(query: QueryParams, overdue_hours: int) -> ClaimFilter:
    """The filters of the claims list. A value may hold several words with commas between; empty ones are no filter.
    What is overdue has waited for `overdue_hours`.

    Raises InvalidQueryError that names every parameter that is unknown or not of its form.
    """
    check(query, CLAIMS)
    several: dict[str, Any] = {name: tuple(_words(query, name)) for name in SEVERAL}
    flags: dict[str, Any] = {name: query[name] == "true" for name in FLAGS if query.get(name)}
    bounds = Bounds(**{name: read(query[name].strip()) for name, read in BOUNDS.items() if query.get(name, "").strip()})
    return ClaimFilter(
        **several, **flags, bounds=bounds, q=query.get("q", "").strip() or None, overdue_hours=overdue_hours
    )


def cursor(query: QueryParams) -> str | None:
    return query.get("cursor") or None


def check(query: QueryParams, taken: Collection[str]) -> None:
    """Refuses parameters that are not `taken`, repeated where only one can be meant, or outside a closed list."""
    times = Counter(name for name, _ in query.multi_items())
    flaws: dict[str, Flaw] = {}
    for name, value in query.multi_items():
        if name not in flaws and (flaw := _flaw(name, value, times[name], taken)):
            flaws[name] = flaw
    if flaws:
        first, *_ = told = list(flaws.values())
        raise InvalidQueryError(first.detail, flaws=told)


def _flaw(name: str, value: str, times: int, taken: Collection[str]) -> Flaw | None:
    if name not in taken:
        return Flaw(
            pointer(name), "unknown_parameter", f"There is no filter {name!r}.", f"The filters are {', '.join(taken)}."
        )
    if any(ord(character) < 32 or ord(character) == 127 for character in value):  # noqa: PLR2004 - ASCII's controls
        return Flaw(pointer(name), "control_character", f"{name!r} holds a control character.", "Leave it out.")
    if name not in SEVERAL and times > 1:
        return Flaw(pointer(name), "repeated_parameter", f"{name!r} stands twice.", "Give it once.")
    return _flaw_of_form(name, value)


def _flaw_of_form(name: str, value: str) -> Flaw | None:
    if name == "q" and len(value) > LONGEST_SEARCH:
        detail, remedy = f"The search has {len(value):,} characters.", f"Give at most {LONGEST_SEARCH:,}."
        return Flaw(pointer(name), "invalid_parameter", detail, remedy)
    if name in BOUNDS and (wrong := _unreadable(name, value.strip())):
        return Flaw(pointer(name), "invalid_parameter", f"{name!r} cannot be {value!r}.", wrong)
    unknown = [word for word in _split(value) if name in CLOSED and word not in CLOSED[name]]
    if unknown:
        known = ", ".join(CLOSED[name])
        return Flaw(pointer(name), "invalid_parameter", f"{name!r} cannot be {unknown[0]!r}.", f"It is one of {known}.")
    return None


def _unreadable(name: str, value: str) -> str | None:
    """What to do about a bound that is none; nothing where it is one, or is left empty."""
    try:
        _ = value and BOUNDS[name](value)
    except ValueError:
        return "Give a date such as 2026-12-01." if name in MOMENTS else "Give a number such as 0.5."
    return None


def _words(query: QueryParams, name: str) -> list[str]:
    return list(dict.fromkeys(word for value in query.getlist(name) for word in _split(value)))


def _split(value: str) -> list[str]:
    return [word for part in value.split(",") if (word := part.strip())]
