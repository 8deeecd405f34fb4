"""What the design check draws by: the same document and ledger give the same answer."""

from __future__ import annotations

import numpy as np

SEED = 20261201
# Two streams that have nothing to do with each other: units are drawn by one, and drawn again, with replacement, by the
# other. `SeedSequence` gives the same from one version of NumPy to another.
_UNITS, RESAMPLING = (int(one.generate_state(1, np.uint64)[0]) for one in np.random.SeedSequence(SEED).spawn(2))


def drawing() -> np.random.Generator:
    """What units are drawn by, from its beginning."""
    return np.random.Generator(np.random.PCG64(_UNITS))
