"""What the design check draws by: the same document and ledger give the same answer."""

from __future__ import annotations

import numpy as np

SEED = 20261201
# Two streams that have nothing to do with each other: units are drawn by one, and drawn again, with replacement, by the
# other. `SeedSequence` gives the same from one version of NumPy to another.
_UNITS, _RESAMPLING = (int(one.generate_state(1, np.uint64)[0]) for one in np.random.SeedSequence(SEED).spawn(2))


def drawing(part: int = 0) -> np.random.Generator:
    """What the units of one part of the studies are drawn by, from its beginning."""
    return np.random.Generator(np.random.PCG64(_seed(_UNITS, part)))


def resampling(part: int = 0) -> int:
    """The seed by which they are drawn again."""
    return _seed(_RESAMPLING, part)


def _seed(stream: int, part: int) -> int:
    return int(np.random.SeedSequence([stream, part]).generate_state(1, np.uint64)[0])
