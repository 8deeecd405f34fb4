"""Calibration, against values by hand and against a loop that knows nothing of ours."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.calibration import BINS, calibration, share
from claims.lifecycle import CLAIM_STATUSES

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(CLAIM_STATUSES)), max_size=60)


def test_values_by_hand() -> None:
    """Four decided claims: (0.8 - 1)² + (0.6 - 0)² + (0.3 - 0)² + (0.9 - 1)² = 0.04 + 0.36 + 0.09 + 0.01 = 0.5."""
    decided = [(0.8, "confirmed"), (0.6, "refuted"), (0.3, "inconclusive"), (0.9, "confirmed")]
    others = [(0.5, "void"), (0.5, "withdrawn"), (0.5, "registered"), (0.5, "running"), (0.1, "running")]
    found = calibration(decided + others)
    assert found.brier == pytest.approx(0.125)
    assert found.reference == pytest.approx(0.25)
    assert (found.decided.n, found.decided.confirmed, found.decided.share) == (4, 2, 0.5)
    assert (found.void, found.withdrawn, found.undecided) == (1, 1, 3)


def test_wilson_interval_as_published() -> None:
    """Newcombe (1998), Statistics in Medicine 17: 81 of 263 has the score interval 0.2553 to 0.3662 at 95 %."""
    found = share([True] * 81 + [False] * 182)
    assert found.lo == pytest.approx(0.2553, abs=5e-5)
    assert found.hi == pytest.approx(0.3662, abs=5e-5)


def test_bin_holds_its_lower_end_and_the_last_one_its_upper_too() -> None:
    edges = [(number / 10, "confirmed") for number in range(11)]
    assert [bin_.of.n for bin_ in calibration(edges).bins] == [1] * 9 + [2]
    assert [bin_.stated for bin_ in calibration([(0.3, "refuted"), (0.38, "void")]).bins if bin_.of.n] == [0.3]


def test_nothing_decided_has_no_score() -> None:
    found = calibration([(0.4, "void")])
    assert (found.brier, found.reference, found.decided.share) == (None, None, None)
    assert len(found.bins) == BINS


@pytest.mark.parametrize("pair", [(1.1, "confirmed"), (-0.1, "void"), (math.nan, "refuted"), (0.5, "proven")])
def test_no_probability_and_no_status_is_said_so(pair: tuple[float, str]) -> None:
    with pytest.raises(ValueError, match="is no"):
        calibration([pair])


@given(PAIRS)
def test_same_as_a_naive_loop(pairs: list[tuple[float, str]]) -> None:
    found, total, n, hits = calibration(pairs), 0.0, 0, 0
    for probability, status in pairs:
        if status in {"confirmed", "refuted", "inconclusive"}:
            y = 1.0 if status == "confirmed" else 0.0
            total, n, hits = total + (probability - y) * (probability - y), n + 1, hits + int(y)
    assert found.brier == (pytest.approx(total / n) if n else None)
    spread = sum((hits / n - (number < hits)) ** 2 for number in range(n)) / n if n else None
    assert found.reference == (None if spread is None else pytest.approx(spread))
    assert n + found.void + found.withdrawn + found.undecided == len(pairs)


@given(PAIRS)
def test_every_decided_claim_is_in_the_bin_of_its_probability(pairs: list[tuple[float, str]]) -> None:
    found = calibration(pairs)
    assert sum(bin_.of.n for bin_ in found.bins) == found.decided.n
    assert sum(bin_.of.confirmed for bin_ in found.bins) == found.decided.confirmed
    for bin_ in found.bins:
        if bin_.stated is not None and bin_.of.share is not None:
            assert bin_.low - 1e-12 <= bin_.stated <= bin_.high + 1e-12
            assert bin_.of.lo is not None
            assert bin_.of.hi is not None
            assert bin_.of.lo - 1e-12 <= bin_.of.share <= bin_.of.hi + 1e-12
