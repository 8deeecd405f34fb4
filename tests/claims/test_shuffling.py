"""What is drawn is the same for ever, and fair."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.shuffling import coins, permutation

SEEDS = st.integers(0, 2**64 - 1)


def pcg64(seed_state, count):
    """PCG XSL RR 128/64 (O'Neill 2014), from the state and increment that NumPy seeds it with."""
    state, increment = seed_state["state"], seed_state["inc"]
    for _ in range(count):
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + increment) % 2**128
        folded, turn = (state >> 64) ^ (state & (2**64 - 1)), state >> 122
        yield ((folded >> turn) | (folded << (64 - turn))) % 2**64


@given(st.integers(0, 40), SEEDS)
def test_an_order_is_that_of_the_published_generators_outputs(n, seed):
    outputs = list(pcg64(np.random.PCG64(seed).state["state"], n))
    assert permutation(n, seed).tolist() == sorted(range(n), key=outputs.__getitem__)
    assert coins(n, seed).tolist() == [output >= 2**63 for output in outputs]


def test_what_was_drawn_once_is_drawn_again():
    assert permutation(8, 20261201).tolist() == [1, 5, 6, 3, 2, 7, 4, 0]
    assert np.flatnonzero(coins(8, 20261201)).tolist() == [0, 4]


def test_every_order_of_three_and_both_sides_of_a_coin_come_as_often():
    orders = Counter(tuple(permutation(3, seed).tolist()) for seed in range(6000))
    assert len(orders) == 6
    assert all(times == pytest.approx(1000, abs=5 * 29) for times in orders.values())
    assert coins(10_000, 5).mean() == pytest.approx(0.5, abs=0.025)
