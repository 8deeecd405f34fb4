"""How often a thing was tried: what one attempt at a metric came to, and what a family of attempts came to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from claims.lifecycle import VERDICTS

ENDED = (*VERDICTS, "withdrawn")
OUTCOMES = (*ENDED, "overdue", "undecided")


@dataclass(frozen=True)
class Attempts:
    """Claims that came to the same: `count` of them, `before` of which were filed no later than the one asked about.

    `primary` says that they predict the metric by a primary hypothesis, `again` that they measure an earlier attempt's
    document once more, and so are none of their own.
    """

    outcome: str
    primary: bool
    again: bool
    count: int
    before: int


@dataclass(frozen=True)
class Family:
    """The attempts at one metric: this is the `number`-th filed of `of`; `outcomes` counts them by every word.

    `secondary` of them predict the metric by secondary hypotheses alone. `reproductions` and reruns are beside these.
    """

    number: int
    of: int
    secondary: int
    outcomes: Mapping[str, int]
    reproductions: int


def came_to(status: str, primaries: Collection[str], secondaries: Collection[str], *, overdue: bool) -> str:
    """What a claim of this status came to at one metric, by the outcomes of its hypotheses on it.

    As of a whole claim, any refuted decides, then any void, then all confirmed; primaries alone where there are any.
    """
    if status in {"registered", "running"}:
        return "overdue" if overdue else "undecided"
    outcomes = set(primaries or secondaries)
    if not outcomes:  # withdrawn: no hypothesis was judged
        return status
    for word in ("refuted", "void"):
        if word in outcomes:
            return word
    return "confirmed" if outcomes == {"confirmed"} else "inconclusive"


def family(found: Sequence[Attempts]) -> Family:
    """All that was `found` of one metric, together."""
    own = [attempts for attempts in found if not attempts.again]
    return Family(
        number=sum(attempts.before for attempts in own),
        of=sum(attempts.count for attempts in own),
        secondary=sum(attempts.count for attempts in own if not attempts.primary),
        outcomes={word: sum(one.count for one in own if one.outcome == word) for word in OUTCOMES},
        reproductions=sum(attempts.count for attempts in found if attempts.again),
    )
