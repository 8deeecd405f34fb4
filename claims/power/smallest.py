"""The smallest number of units from which on a study decides as often as is asked for."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from claims.power.study import ENOUGH

_WIDENED = 1.35  # from a number that was not enough, or that was, to the next to try
_CLOSE = 50  # of the last number, what is between two that are taken for one


def smallest_number(guess: float, fewest: int, most: int, chance: Callable[[int], float]) -> int | None:
    """The least n from `fewest` to `most` whose `chance` is enough, within 2 %; None where `most` is not.

    `guess` is where the search begins; the chance is taken to rise with n.
    """
    n = int(min(max(ceil(guess), fewest), most)) if guess < most else most
    if chance(n) < ENOUGH:
        short, enough = _upwards(n, most, chance)
    else:
        short, enough = _downwards(n, fewest, chance)
    while enough is not None and enough - short > max(1, enough // _CLOSE):
        between = (short + enough) // 2
        short, enough = (short, between) if chance(between) >= ENOUGH else (between, enough)
    return enough


def _upwards(n: int, most: int, chance: Callable[[int], float]) -> tuple[int, int | None]:
    while n < most:
        more = min(most, ceil(n * _WIDENED))
        if chance(more) >= ENOUGH:
            return n, more
        n = more
    return n, None


def _downwards(n: int, fewest: int, chance: Callable[[int], float]) -> tuple[int, int]:
    while n > fewest:
        less = max(fewest, int(n / _WIDENED))
        if chance(less) < ENOUGH:
            return less, n
        n = less
    return fewest - 1, fewest
