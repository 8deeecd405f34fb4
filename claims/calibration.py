"""How well stated probabilities were borne out: a reliability table and a Brier score.

Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather Review 78(1).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.stats import binomtest

from claims.lifecycle import CLAIM_STATUSES, DECIDED

BINS = 10
LEVEL = 0.95
_INNER_EDGES = [edge / BINS for edge in range(1, BINS)]


@dataclass(frozen=True)
class Share:
    """How many of `n` claims were confirmed, with Wilson's interval at 95 %; None where there are none."""

    n: int
    confirmed: int
    share: float | None
    lo: float | None
    hi: float | None


@dataclass(frozen=True)
class Bin:
    """The decided claims whose stated probability is in [low, high), the last bin with its upper end.

    `stated` is their mean stated probability, None where there are none.
    """

    low: float
    high: float
    stated: float | None
    of: Share


@dataclass(frozen=True)
class Calibration:
    """`decided` are claims confirmed, refuted or inconclusive; the others have no outcome to hold a probability to.

    `brier` is the mean of (probability - outcome)**2 over the decided ones, confirmed being 1 and both refuted and
    inconclusive 0; `reference` is what always saying their base rate would have scored. Both lie in [0, 1], less is
    better, and are None where nothing is decided.
    """

    decided: Share
    brier: float | None
    reference: float | None
    bins: tuple[Bin, ...]
    void: int
    withdrawn: int
    undecided: int


def calibration(stated: Sequence[tuple[float, str]]) -> Calibration:
    """Of (probability that the claim will be confirmed, the claim's status) pairs; the bins are `BINS`, all of them.

    Raises ValueError for a probability outside [0, 1] or a status that no claim has.
    """
    for probability, status in stated:
        _require(probability, status)
    counts = Counter(status for _, status in stated)
    decided = [(probability, status == "confirmed") for probability, status in stated if status in DECIDED]
    whole = share([confirmed for _, confirmed in decided])
    return Calibration(
        decided=whole,
        brier=fmean((probability - confirmed) ** 2 for probability, confirmed in decided) if decided else None,
        reference=None if whole.share is None else whole.share * (1 - whole.share),
        bins=_bins(decided),
        void=counts["void"],
        withdrawn=counts["withdrawn"],
        undecided=counts["registered"] + counts["running"],
    )


def share(confirmed: Sequence[bool]) -> Share:
    """The share of `confirmed` that is true, with its interval."""
    n, true = len(confirmed), sum(confirmed)
    if not n:
        return Share(0, 0, None, None, None)
    interval = binomtest(true, n).proportion_ci(LEVEL, "wilson")
    return Share(n, true, true / n, float(interval.low), float(interval.high))


def _require(probability: float, status: str) -> None:
    if not 0 <= probability <= 1:
        raise ValueError(f"{probability} is no probability: it lies in [0, 1]")
    if status not in CLAIM_STATUSES:
        raise ValueError(f"{status!r} is no claim's status; one is of {', '.join(CLAIM_STATUSES)}")


def _bins(decided: Sequence[tuple[float, bool]]) -> tuple[Bin, ...]:
    sorted_in: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for probability, confirmed in decided:
        sorted_in[bisect_right(_INNER_EDGES, probability)].append((probability, confirmed))
    return tuple(
        Bin(
            low=number / BINS,
            high=(number + 1) / BINS,
            stated=fmean(probability for probability, _ in held) if held else None,
            of=share([confirmed for _, confirmed in held]),
        )
        for number, held in enumerate(sorted_in)
    )
