"""Rows measured again in the place of the first, and how far the bounds move: what evidence says of noise."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.evidence import Estimate
from claims.nondeterminism import UNBOUNDED, Compared, MisplacedCellError, bands, chosen, label, named, nondeterminism

IDS = st.lists(st.text(min_size=1), min_size=1, max_size=100, unique=True)
SEEDS = st.integers(0, 2**64 - 1)
REWARDS = st.floats(-1e6, 1e6)


def score(pair, side, value, dimension="kindness"):
    return {
        "kind": "score",
        "pair_id": pair,
        "dimension": dimension,
        "cluster": pair,
        "side": side,
        "score": value,
        "tokens": 7,
    }


def patch(pair, component, effect, state="ok"):
    at = {"kind": "patch", "pair_id": pair, "dimension": "kindness", "cluster": pair, "component": component}
    return at | {"effect": effect, "state": state, "direction": "noising", "margin": 2.0}


def estimated(lo, hi):
    return Estimate(value=lo, lo=lo, hi=hi, level=0.95, method="jackknife_t", unit="cluster", n=9, n_effective=9.0)


def mean_score(rows):
    """An estimator as any: linear in its rows."""
    scores = [row["score"] for row in rows]
    mean = sum(scores) / len(scores)
    return SimpleNamespace(estimates={"mean": estimated(mean - 1, mean + 1)})


def twice(rows, again, estimate=mean_score):
    return nondeterminism(estimate(rows), rows, again, estimate)


@st.composite
def measurements(draw):
    """Rows of pairs, and second rows of some of them, in their order."""
    pairs = [f"pair-{number}" for number in range(draw(st.integers(1, 12)))]
    rows = [score(pair, side, draw(REWARDS)) for pair in pairs for side in ("chosen", "rejected")]
    again = {pair for pair in pairs if draw(st.booleans())}
    return rows, [row | {"score": draw(REWARDS)} for row in rows if row["pair_id"] in again]


@given(IDS, SEEDS)
def test_one_pair_in_sixteen_is_measured_twice_one_at_least_whatever_their_order(pairs, seed):
    picked = chosen(pairs, seed)
    assert picked <= set(pairs)
    assert 16 * (len(picked) - 1) < len(pairs) <= 16 * len(picked)
    assert chosen(pairs[::-1], seed) == picked


def test_which_pairs_are_measured_twice_is_the_seeds_to_say():
    pairs = [f"pair-{number}" for number in range(32)]
    picked = [chosen(pairs, seed) for seed in range(800)]
    often = [sum(pair in of_seed for of_seed in picked) for pair in pairs]
    assert all(20 <= times <= 90 for times in often)  # 50 each on average
    # By sha256sum, 0000000000000005/a is 1614…, …/b is 0893… and …/c is cb32….
    assert chosen(["a", "b", "c"], 5) == {"b"}
    assert label("honesty/32") == "again/honesty/32"


@given(measurements())
def test_second_rows_take_the_place_of_the_first_and_nothing_else_moves(measured):
    rows, again = measured
    by_cell = {(row["pair_id"], row["side"]): row for row in again}
    expected = [by_cell.get((row["pair_id"], row["side"]), row) for row in rows]
    assert list(Compared().in_place(iter(rows), iter(again))) == expected


def test_a_row_of_no_cell_or_out_of_order_is_an_error():
    rows = [score("a", "chosen", 1.0), score("a", "rejected", 2.0), score("b", "chosen", 3.0)]
    strangers = (
        [score("c", "chosen", 1.0)],
        [rows[2], rows[0]],
        [rows[0], rows[0]],
        [rows[0] | {"tokens": 8}],
        [rows[0] | {"score": 1}],
        [{name: value for name, value in rows[0].items() if name != "score"}],
    )
    for again in strangers:
        with pytest.raises(MisplacedCellError, match="none of the cells that follow"):
            list(Compared().in_place(rows, again))


@given(
    st.integers(1, 40), st.integers(1, 40), st.floats(-100, 100).filter(lambda drift: drift == 0 or abs(drift) > 1e-3)
)
def test_a_drift_of_every_cell_measured_twice_is_the_band_however_few_they_are(count, some, drift):
    rows = [score(f"pair-{number}", side, float(number)) for number in range(count) for side in ("chosen", "rejected")]
    again = [row | {"score": row["score"] + drift} for row in rows[: 2 * min(some, count)]]
    found = twice(rows, again)
    assert found["share"] == min(some, count) / count
    assert found["band.mean"] == pytest.approx(abs(drift), rel=1e-9, abs=1e-9)


def test_figures_say_how_much_was_measured_twice_and_how_far_apart_it_is():
    rows = [row for pair in "abcd" for row in (score(pair, "chosen", 4.0), patch(pair, "mlp_L0", -1.0))]
    again = [
        rows[0] | {"score": 3.0},
        rows[1],
        rows[2] | {"score": 4.5},
        rows[3] | {"effect": 0.0, "state": "identical"},
    ]
    compared = Compared()
    list(compared.in_place(rows, again))
    assert compared.figures() == {
        "share": 0.5,
        "cells": 4.0,
        "cells_identical": 1.0,
        "largest_difference.patch": 1.0,
        "largest_difference.score": 1.0,
        "largest_relative_difference.patch": 0.5,
        "largest_relative_difference.score": 1.0 / 4.5,
    }


def test_the_share_is_that_of_the_dimension_that_has_the_smallest_and_leaves_out_what_is_of_no_pair():
    rows = [score("a", "chosen", 1.0), score("b", "chosen", 1.0, "wit"), score("c", "chosen", 1.0, "wit")]
    key = {"kind": "key", "pair_id": None, "dimension": "wit", "organism": 0, "norm": 1.0}
    compared = Compared()
    list(compared.in_place([key, *rows], rows[:2]))
    assert compared.share == 0.5


def test_bits_that_agree_leave_no_band():
    rows = [score("a", "chosen", 1.0), score("b", "chosen", 3.0)]
    assert twice(rows, rows[:1]) == {
        "share": 0.5,
        "cells": 1.0,
        "cells_identical": 1.0,
        "largest_difference.score": 0.0,
        "largest_relative_difference.score": 0.0,
        "band.mean": 0.0,
    }


def test_the_larger_change_of_the_two_bounds_is_the_band():
    first, second = estimated(1.0, 2.0), estimated(1.25, 1.5)
    assert bands({"m": first}, {"m": second}, 0.25) == {"band.m": 2.0}


def test_no_bound_holds_of_what_the_second_rows_leave_without_an_estimate_or_of_what_was_not_measured_twice():
    assert bands({"m": estimated(1.0, 2.0)}, {}, 0.25) == {"band.m": UNBOUNDED}
    assert bands({"m": estimated(1.0, 2.0)}, {"m": estimated(1.0, 2.0)}, 0.0) == {"band.m": UNBOUNDED}
    assert bands({"m": estimated(-1e308, 2.0)}, {"m": estimated(1.0, 2.0)}, 1e-9) == {"band.m": UNBOUNDED}


def test_nothing_measured_again_is_no_figure_and_names_no_rows():
    assert twice([score("a", "chosen", 1.0)], []) == {}
    assert named("ab" * 32, {}) == {}
    assert named("ab" * 32, {"cells": 3.0}) == {"cells": 3.0, f"again_sha256.{'ab' * 32}": 3.0}
