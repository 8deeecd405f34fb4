"""What negative controls are drawn by: the same numbers for the same seed, whatever version of NumPy draws them.

Of NumPy's streams, raw ones alone are promised to stay the same between versions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def permutation(n: int, seed: int) -> NDArray[np.int64]:
    """The numbers from 0 to n - 1 in an order that is drawn: that of n raw outputs of PCG64, equal ones as they came.

    Every order is as likely as any other, but for the chance of equal outputs, below n² / 2⁶⁵.
    """
    order: NDArray[np.int64] = np.argsort(np.random.PCG64(seed).random_raw(n), kind="stable").astype(np.int64)
    return order


def coins(n: int, seed: int) -> NDArray[np.bool_]:
    """Fair coins, n of them: whether the highest bit of each of n raw outputs of PCG64 is set."""
    heads: NDArray[np.bool_] = np.random.PCG64(seed).random_raw(n) >> np.uint64(63) == 1
    return heads
