"""What the design check said before the freeze of what could be decided, as the receipt holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.pages.words import NARROW_SPACE, count, figure
from claims.power.simulating import NOT_SEARCHED

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Expected:
    """One hypothesis: the units counted on and, in words, what was to be expected; empty where it was not known.

    `detectable` and `deciding`, the fewest units that decide, say why there is none.
    """

    id: str
    units: str
    assumed: str
    source: str
    confirmed: str
    refuted: str
    undecided: str
    detectable: str
    deciding: str


@dataclass(frozen=True)
class Design:
    """`expected` of the hypotheses of which something was known, and of a claim with several primaries, `together`."""

    expected: Sequence[Expected]
    together: str
    likely: str = f"80{NARROW_SPACE}%"


def design_of(check: Mapping[str, Any]) -> Design | None:
    """What `registered.check` says of power; None where it was written before there was any."""
    if "hypotheses" not in check:
        return None
    known = [found for found in check["hypotheses"] if found["sd"] is not None and found["n"] is not None]
    return Design([_expected(found) for found in known], _together(check["claim"]))


def _expected(found: Mapping[str, Any]) -> Expected:
    detectable = found["detectable"]
    return Expected(
        id=found["id"],
        units=f"{count(found['n'])} {found['unit']}s",
        assumed="" if found["assumed"] is None else f"{figure(found['assumed'])}, sd {figure(found['sd'])}",
        source=found["source"],
        confirmed=_percent(found["power"]),
        refuted=_percent(found["refuted"]),
        undecided=_percent(found["inconclusive"]),
        detectable=_none(found, "no value") if detectable is None else figure(detectable["value"]),
        deciding=_none_decides(found) if found["smallest_n"] is None else count(found["smallest_n"]),
    )


def _none(found: Mapping[str, Any], none: str) -> str:
    """Why nothing stands where a search would have ended: it found `none`, or there was none."""
    if found["drawn_from"] is None:
        return UNKNOWN
    return "not sought" if NOT_SEARCHED in (found["note"] or "") else none


def _none_decides(found: Mapping[str, Any]) -> str:
    return UNKNOWN if found["assumed"] is None else _none(found, "no number")


def _together(claim: Mapping[str, Any]) -> str:
    if claim["confirmed"] is None or claim["note"] is None:
        return ""
    return (
        f"The claim as a whole: confirmed {_percent(claim['confirmed'])}, refuted {_percent(claim['refuted'])}, "
        f"undecided {_percent(claim['inconclusive'])}, as if its primaries were independent."
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{round(share * 100)}{NARROW_SPACE}%"
