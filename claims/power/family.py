"""What the claim as a whole has to expect, from what its primary hypotheses have."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from claims.power.chances import Chances
from claims.power.prospect import Prospect, share

APPROXIMATE = "as if the primaries were independent; `at_least` is what holds however they depend on each other"


def expected(prospects: Sequence[Prospect]) -> dict[str, Any]:
    """The chance of each status: any primary refuted, else any void, else all confirmed, else inconclusive.

    `confirmed` and the rest are products, as of independent primaries. `at_least` is Bonferroni's bound on the chance
    that all are confirmed: 1 less the sum of their chances not to be.
    """
    primaries = [prospect for prospect in prospects if prospect.hypothesis.primary]
    known = [prospect.chances for prospect in primaries if prospect.chances is not None]
    if len(known) < len(primaries):
        names = ", ".join(prospect.hypothesis.id for prospect in primaries if prospect.chances is None)
        nothing = dict.fromkeys(("confirmed", "at_least", "refuted", "inconclusive", "void"))
        return {**nothing, "note": f"unknown, as nothing is assumed of {names}, or it cannot be simulated"}
    return {**_together(known), "note": APPROXIMATE if len(known) > 1 else None}


def _together(known: Sequence[Chances]) -> dict[str, float | None]:
    confirmed = prod(one.confirmed for one in known)
    not_refuted = prod(1 - one.refuted for one in known)
    neither = prod(max(0.0, 1 - one.refuted - one.void) for one in known)
    return {
        "confirmed": share(confirmed),
        "at_least": share(max(0.0, 1 - sum(1 - one.confirmed for one in known))),
        "refuted": share(1 - not_refuted),
        "inconclusive": share(max(0.0, neither - confirmed)),
        "void": share(max(0.0, not_refuted - neither)),
    }
